// Merges the dictionaries of a field in several files: a merge of sorted values, read a few at a time. What it makes
// is written to a scratch: the values, and for each file the codes of its values among them.

import type { Steps } from "../../engine/algorithms/steps.ts";
import type { FileDictionary } from "../read/dictionary.ts";
import { requireOffset } from "./encode-values.ts";
import { AreaWriter, type Area, type ScratchSpace } from "./scratch.ts";
import { SortedNumbers, SortedStrings, type SortedValues } from "./sorted-values.ts";
import type { LazyBytes } from "./table.ts";

export interface MergedDictionary {
  readonly parts: readonly FileDictionary[];
  /** How many values it has, including the placeholder of null. */
  readonly values: number;
  /** For each code of a part the code of its value here. */
  readonly mapOf: (part: number) => Uint32Array;
  readonly encoded: {
    readonly ascii: boolean;
    readonly offsets: LazyBytes | undefined;
    readonly bytes: LazyBytes;
  };
}

/** How many values are written at once. */
const VALUES_AT_ONCE = 1 << 12;

/**
 * @param used for each part which of its codes count, a bit each; `undefined`: all
 * @param name the field's name, for the error
 * @throws FileError if the strings take more than 2 GiB
 */
export function* mergeDictionaries(
  parts: readonly FileDictionary[],
  used: readonly (Uint32Array | undefined)[],
  name: string,
  space: ScratchSpace,
): Steps<MergedDictionary> {
  const areNumbers = parts[0]?.type === "int" || parts[0]?.type === "float";
  const maps = parts.map(({ length }) => new MapWriter(space.area(4 * length), length));
  const most = parts.reduce((sum, { length }) => sum + length - 1, 1);
  const output = areNumbers
    ? new NumberOutput(
        new SortedNumbers(parts, used),
        parts[0]?.type === "float",
        space.area(8 * most),
      )
    : new TextOutput(new SortedStrings(parts, used), parts, space, most, name);
  const { sorted } = output;
  let values = 1;
  for (; !sorted.isDone; values++) {
    output.take();
    do maps[sorted.first]!.set(sorted.code, values);
    while (!sorted.advance());
    if (values % VALUES_AT_ONCE === 0) yield;
  }
  for (const map of maps) map.finish();
  const encoded = output.finish(values);
  return { parts, values, encoded, mapOf: (part) => maps[part]!.read() };
}

/** Writes the codes of the values of a part. */
class MapWriter {
  readonly #area: Area;
  readonly #length: number;
  readonly #buffer = new Uint32Array(VALUES_AT_ONCE);
  /** The code at the beginning of the buffer. */
  #from = 0;

  constructor(area: Area, length: number) {
    this.#area = area;
    this.#length = length;
  }

  /** @param code higher than the last */
  set(code: number, value: number): void {
    while (code >= this.#from + VALUES_AT_ONCE) this.#flush();
    this.#buffer[code - this.#from] = value;
  }

  #flush(): void {
    const length = Math.min(VALUES_AT_ONCE, this.#length - this.#from);
    this.#area.write(4 * this.#from, new Uint8Array(this.#buffer.buffer, 0, 4 * length));
    this.#buffer.fill(0);
    this.#from += length;
  }

  finish(): void {
    while (this.#from < this.#length) this.#flush();
  }

  read(): Uint32Array {
    const { buffer, byteOffset } = this.#area.read(0, 4 * this.#length);
    return new Uint32Array(buffer, byteOffset, this.#length);
  }
}

/** The merged values. */
interface Output {
  readonly sorted: SortedValues;
  /** Adds the next value. */
  take(): void;
  finish(values: number): MergedDictionary["encoded"];
}

class NumberOutput implements Output {
  readonly sorted: SortedNumbers;
  readonly #areFloats: boolean;
  readonly #area: Area;
  readonly #floats = new Float64Array(VALUES_AT_ONCE);
  readonly #words = new Int32Array(this.#floats.buffer);
  /** How many values are in the area already, and in the buffer: at first the placeholder of null. */
  #written = 0;
  #filled = 1;

  constructor(sorted: SortedNumbers, areFloats: boolean, area: Area) {
    this.sorted = sorted;
    this.#areFloats = areFloats;
    this.#area = area;
  }

  take(): void {
    if (this.#filled === VALUES_AT_ONCE) this.#flush();
    const { number } = this.sorted;
    const at = this.#filled++;
    if (this.#areFloats) this.#floats[at] = number;
    else {
      this.#words[2 * at] = number;
      this.#words[2 * at + 1] = Math.floor(number / 2 ** 32);
    }
  }

  #flush(): void {
    this.#area.write(8 * this.#written, new Uint8Array(this.#floats.buffer, 0, 8 * this.#filled));
    this.#written += this.#filled;
    this.#filled = 0;
  }

  finish(values: number): MergedDictionary["encoded"] {
    this.#flush();
    // The placeholder equals the least value, which keeps the whole in order.
    if (values > 1) this.#area.write(0, this.#area.read(8, 16));
    const length = 8 * values;
    const bytes = { length, pieces: () => this.#area.pieces(length) };
    return { ascii: false, offsets: undefined, bytes };
  }
}

class TextOutput implements Output {
  readonly sorted: SortedStrings;
  readonly #name: string;
  /** Arrays are made of their elements, and only compared by their texts. */
  readonly #areKept: boolean;
  readonly #bytes: Area;
  readonly #writer: AreaWriter;
  /** The end of each value. */
  readonly #ends: Area;
  readonly #endWriter: AreaWriter;
  readonly #buffer = new Float64Array(VALUES_AT_ONCE);
  #filled = 1;
  #isAscii = true;

  constructor(
    sorted: SortedStrings,
    parts: readonly FileDictionary[],
    space: ScratchSpace,
    values: number,
    name: string,
  ) {
    this.sorted = sorted;
    this.#name = name;
    this.#areKept = parts[0]?.type !== "strings";
    this.#bytes = space.area(parts.reduce((sum, { textBytes }) => sum + textBytes, 0));
    this.#writer = new AreaWriter(this.#bytes);
    this.#ends = space.area(this.#areKept ? 8 * values : 8);
    this.#endWriter = new AreaWriter(this.#ends);
  }

  take(): void {
    if (!this.#areKept) return;
    const { first, bytes, starts, ends } = this.sorted;
    const all = this.#writer.add(bytes[first]!, starts[first]!, ends[first]!);
    this.#isAscii &&= all < 0x80;
    if (this.#filled === VALUES_AT_ONCE) this.#flush();
    this.#buffer[this.#filled++] = this.#writer.length;
  }

  #flush(): void {
    this.#endWriter.add(new Uint8Array(this.#buffer.buffer), 0, 8 * this.#filled);
    this.#filled = 0;
  }

  finish(values: number): MergedDictionary["encoded"] {
    this.#flush();
    this.#writer.flush();
    this.#endWriter.flush();
    const { length } = this.#writer;
    requireOffset(length, this.#name);
    const ends = this.#ends;
    const offsets = {
      length: 4 * (values + 1),
      *pieces() {
        yield new Uint8Array(4);
        for (const { buffer, byteOffset, byteLength } of ends.pieces(8 * values)) {
          const part = new Int32Array(new Float64Array(buffer, byteOffset, byteLength / 8));
          yield new Uint8Array(part.buffer);
        }
      },
    };
    const bytes = { length, pieces: () => this.#bytes.pieces(length) };
    return { ascii: this.#isAscii, offsets, bytes };
  }
}
