// Offsets in a section of a file.

import type { ByteRange } from "../format.ts";
import { numbersOf, WIDE } from "../offsets.ts";
import type { Pages } from "./pages.ts";
import { Section, type ElementType } from "./section.ts";

/** Offsets of 64 bits; the members are those of a {@link Section}. */
class WideOffsets {
  readonly #words: Section<Int32Array>;
  readonly length: number;
  #all: Float64Array | undefined;

  constructor(words: Section<Int32Array>) {
    this.#words = words;
    this.length = words.length / 2;
  }

  get bytes(): number {
    return this.#words.bytes + (this.#all?.byteLength ?? 0);
  }

  get isInPieces(): boolean {
    return this.#words.isInPieces;
  }

  all(): Float64Array {
    return (this.#all ??= numbersOf(this.#words.all()));
  }

  copy(): Float64Array {
    return this.#all ?? numbersOf(this.#words.copy());
  }

  at(position: number): number {
    return this.slice(position, position + 1)[0]!;
  }

  slice(from: number, to: number): Float64Array {
    return this.#all?.subarray(from, to) ?? numbersOf(this.#words.slice(2 * from, 2 * to));
  }

  pick(positions: Uint32Array, target: Float64Array): void {
    const places = new Uint32Array(2 * positions.length);
    for (let i = 0; i < places.length; i++) places[i] = 2 * positions[i >>> 1]! + (i & 1);
    const words = new Uint32Array(places.length);
    this.#words.pick(places, words);
    target.set(numbersOf(new Int32Array(words.buffer)));
  }
}

export type FileOffsets<Narrow extends Int32Array | Uint32Array> = Section<Narrow> | WideOffsets;

/** @param bytes how many each has */
export function openOffsets<Narrow extends Int32Array | Uint32Array>(
  name: string,
  pages: Pages,
  range: ByteRange,
  type: ElementType<Narrow>,
  bytes: number | undefined,
): FileOffsets<Narrow> {
  return bytes === WIDE
    ? new WideOffsets(new Section<Int32Array>(name, pages, range, Int32Array))
    : new Section<Narrow>(name, pages, range, type);
}
