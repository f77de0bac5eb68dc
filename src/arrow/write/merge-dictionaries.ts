// Merges the dictionaries of a field in several files: a merge of sorted values, read a few at a time. The values are
// made while they are written. A scratch has what is needed later, some bytes for each value: its length, and for each
// file the codes of its values among all.

import type { Steps } from "../../engine/algorithms/steps.ts";
import { textOffsets } from "../../engine/indexes/values.ts";
import type { Storage } from "../../schema/field.ts";
import type { FileDictionary } from "../read/dictionary.ts";
import { narrowLimits, wideBytes } from "../offsets.ts";
import { NumberWriter, type Numbers } from "./numbers.ts";
import type { ScratchSpace } from "./scratch.ts";
import { SortedNumbers, SortedStrings, type SortedValues } from "./sorted-values.ts";
import type { LazyBytes } from "./output.ts";
import type { LazyValues } from "./table.ts";

/** After so many values of files others have their turn. */
const VALUES_AT_ONCE = 1 << 13;

/** How many codes of a map are read at once. */
const MAPPED_AT_ONCE = 1 << 18;

/** How many bytes of values are a piece. */
const PIECE_BYTES = 1 << 16;

/** Up to this many bytes are copied in a loop, which is faster than `set`. */
const FEW_BYTES = 64;

/** How many offsets are a piece. */
const OFFSETS_AT_ONCE = 1 << 14;

/** The values of dictionaries, made when their bytes are written. Everything else is known afterwards. */
export class MergedDictionary implements LazyValues {
  readonly parts: readonly FileDictionary[];
  readonly type: Storage | "strings";
  readonly #used: readonly (Uint32Array | undefined)[];
  readonly #space: ScratchSpace;
  #values: number | undefined;
  #maps: readonly Numbers[] = [];
  #lengths: Numbers | undefined;
  #textBytes = 0;
  ascii = false;

  /**
   * @param used for each part which of its codes count, a bit each; `undefined`: all
   */
  constructor(
    parts: readonly FileDictionary[],
    used: readonly (Uint32Array | undefined)[],
    space: ScratchSpace,
  ) {
    this.parts = parts;
    this.type = parts[0]?.type ?? "string";
    this.#used = used;
    this.#space = space;
  }

  get isMerged(): boolean {
    return this.#values !== undefined;
  }

  /** How many values it has, including the placeholder of null. */
  get values(): number {
    if (this.#values === undefined) throw new RangeError("the values are not merged yet");
    return this.#values;
  }

  /** Whether offsets have 64 bits. */
  get isLarge(): boolean {
    return this.#textBytes > narrowLimits.text;
  }

  get bytes(): LazyBytes {
    return { length: undefined, pieces: () => this.merge() };
  }

  get offsets(): LazyBytes | undefined {
    if (this.type !== "string") return undefined;
    return { length: undefined, pieces: () => this.#offsets(), isLater: true };
  }

  /** Merges values that are not written. */
  *mergedOnly(): Steps<void> {
    for (const step = this.merge(); step.next().done !== true;) yield;
  }

  *merge(): Generator<Uint8Array, void> {
    const { parts } = this;
    const maps = parts.map(() => new MapWriter(this.#space));
    const output = this.#output();
    const { sorted, pieces } = output;
    let values = 1;
    while (!sorted.isDone) {
      values = takeSome(output, maps, values);
      yield* pieces.length === 0 ? [NO_BYTES] : pieces.splice(0);
    }
    output.finish?.();
    yield* pieces;
    this.#values = values;
    this.#maps = maps.map((map) => map.finish());
    if (!(output instanceof TextOutput)) return;
    this.#textBytes = output.length;
    this.#lengths = output.lengths.finish();
    this.ascii = output.isAscii;
  }

  #output(): Output {
    const { parts, type } = this;
    if (type === "string") return new TextOutput(new SortedStrings(parts, this.#used), this.#space);
    // Arrays are made of their elements, and only compared by their texts.
    if (type === "strings") return { sorted: new SortedStrings(parts, this.#used), pieces: [] };
    return new NumberOutput(new SortedNumbers(parts, this.#used), type === "float");
  }

  *#offsets(): Generator<Uint8Array> {
    const lengths = this.#lengths?.read();
    let end = 0;
    for (let from = 0; from <= this.values; from += OFFSETS_AT_ONCE) {
      const offsets = textOffsets(
        Math.min(OFFSETS_AT_ONCE, this.values + 1 - from),
        this.#textBytes,
      );
      for (let i = 0; i < offsets.length; i++) {
        // The placeholder of null has no length.
        if (from + i > 1) end += lengths?.next() ?? 0;
        offsets[i] = end;
      }
      yield this.isLarge ? wideBytes(offsets) : new Uint8Array(Int32Array.from(offsets).buffer);
    }
    if (end !== this.#textBytes) throw new RangeError("the lengths are not those of the strings");
  }

  /** For each code of a part the code of its value here. */
  *mapOf(part: number): Steps<Uint32Array> {
    const map = new Uint32Array(this.parts[part]?.length ?? 0);
    const numbers = this.#maps[part];
    if (numbers === undefined) return map;
    const differences = numbers.read();
    let last = 0;
    for (let from = 1; from <= numbers.length; from += MAPPED_AT_ONCE) {
      const to = Math.min(numbers.length + 1, from + MAPPED_AT_ONCE);
      last = differences.sums(map, from, to, last);
      yield;
    }
    return map;
  }
}

/** Takes values until a piece is complete, or for a while. @returns the code of the next one */
function takeSome(output: Output, maps: readonly MapWriter[], first: number): number {
  const { sorted, pieces } = output;
  let values = first;
  for (let read = 0; !sorted.isDone && pieces.length === 0 && read < VALUES_AT_ONCE; values++) {
    output.take?.();
    do {
      maps[sorted.first]!.set(sorted.code, values);
      read++;
    } while (!sorted.advance());
  }
  return values;
}

/** Writes the codes of the values of a part, as differences; 0 for a value that does not count. */
class MapWriter {
  readonly #writer: NumberWriter;
  #next = 1;
  #last = 0;

  constructor(space: ScratchSpace) {
    this.#writer = new NumberWriter(space);
  }

  /** @param code higher than the last */
  set(code: number, value: number): void {
    for (; this.#next < code; this.#next++) this.#writer.add(0);
    this.#writer.add(value - this.#last);
    this.#next = code + 1;
    this.#last = value;
  }

  finish(): Numbers {
    return this.#writer.finish();
  }
}

/** The merged values. */
interface Output {
  readonly sorted: SortedValues;
  /** Bytes of values that are complete. */
  readonly pieces: Uint8Array[];
  /** Adds the next value. */
  take?(): void;
  /** Completes the last piece. */
  finish?(): void;
}

class NumberOutput implements Output {
  readonly sorted: SortedNumbers;
  readonly pieces: Uint8Array[] = [];
  readonly #areFloats: boolean;
  #floats = new Float64Array(PIECE_BYTES / 8);
  #words = new Int32Array(this.#floats.buffer);
  #filled = 0;

  constructor(sorted: SortedNumbers, areFloats: boolean) {
    this.sorted = sorted;
    this.#areFloats = areFloats;
    // The placeholder of null equals the least value, which keeps the whole in order.
    this.#add(sorted.isDone ? 0 : sorted.number);
  }

  take(): void {
    this.#add(this.sorted.number);
  }

  #add(number: number): void {
    if (this.#filled === this.#floats.length) {
      this.pieces.push(new Uint8Array(this.#floats.buffer));
      this.#floats = new Float64Array(PIECE_BYTES / 8);
      this.#words = new Int32Array(this.#floats.buffer);
      this.#filled = 0;
    }
    const at = this.#filled++;
    if (this.#areFloats) this.#floats[at] = number;
    else {
      this.#words[2 * at] = number;
      this.#words[2 * at + 1] = Math.floor(number / 2 ** 32);
    }
  }

  finish(): void {
    this.pieces.push(new Uint8Array(this.#floats.buffer, 0, 8 * this.#filled));
  }
}

class TextOutput implements Output {
  readonly sorted: SortedStrings;
  readonly pieces: Uint8Array[] = [];
  readonly lengths: NumberWriter;
  #buffer = new Uint8Array(PIECE_BYTES);
  #filled = 0;
  /** The bitwise OR of the bytes: at least 0x80 if one of them is not ASCII. */
  #all = 0;
  /** How many bytes there are. */
  length = 0;

  constructor(sorted: SortedStrings, space: ScratchSpace) {
    this.sorted = sorted;
    this.lengths = new NumberWriter(space);
  }

  get isAscii(): boolean {
    return this.#all < 0x80;
  }

  take(): void {
    const { first, bytes, starts, ends } = this.sorted;
    const own = bytes[first]!;
    const start = starts[first]!;
    const end = ends[first]!;
    this.lengths.add(end - start);
    this.length += end - start;
    if (this.#filled + end - start > PIECE_BYTES) this.#complete();
    let all = this.#all;
    if (end - start > FEW_BYTES) {
      const long = own.subarray(start, end);
      for (let i = 0; all < 0x80 && i < long.length; i++) all |= long[i]!;
      if (long.length > PIECE_BYTES) this.pieces.push(long);
      else {
        this.#buffer.set(long, this.#filled);
        this.#filled += long.length;
      }
    } else {
      const buffer = this.#buffer;
      let at = this.#filled;
      for (let i = start; i < end; i++) all |= buffer[at++] = own[i]!;
      this.#filled = at;
    }
    this.#all = all;
  }

  #complete(): void {
    if (this.#filled === 0) return;
    this.pieces.push(this.#buffer.subarray(0, this.#filled));
    this.#buffer = new Uint8Array(PIECE_BYTES);
    this.#filled = 0;
  }

  finish(): void {
    this.#complete();
  }
}

const NO_BYTES = new Uint8Array();
