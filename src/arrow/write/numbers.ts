// Numbers in a scratch, which are written and read one after the other: in LEB128, seven bits per byte, lowest first.
// Most take one byte: lengths of strings, differences of ascending codes, how many rows have a value.

import type { Area, ScratchSpace } from "./scratch.ts";

/** How many bytes are written and read at once. Fewer stay in memory. */
const BYTES_AT_ONCE = 1 << 12;

/** How many bytes a number of 32 bits takes at most. */
const MOST_BYTES = 5;

/** Numbers that were written. */
export interface Numbers {
  /** All, from the first on. */
  readonly read: () => NumberReader;
  readonly length: number;
}

export class NumberWriter {
  readonly #space: ScratchSpace;
  readonly #buffer = new Uint8Array(BYTES_AT_ONCE);
  #filled = 0;
  readonly #areas: Area[] = [];
  /** How many numbers there are. */
  length = 0;

  constructor(space: ScratchSpace) {
    this.#space = space;
  }

  /** @param number of 32 bits */
  add(number: number): void {
    if (this.#filled > BYTES_AT_ONCE - MOST_BYTES) this.#flush();
    let rest = number;
    for (; rest >= 0x80; rest >>>= 7) this.#buffer[this.#filled++] = (rest & 0x7f) | 0x80;
    this.#buffer[this.#filled++] = rest;
    this.length++;
  }

  #flush(): void {
    this.#areas.push(this.#space.store(this.#buffer.subarray(0, this.#filled)));
    this.#filled = 0;
  }

  finish(): Numbers {
    const areas = this.#areas;
    const last = this.#buffer.slice(0, this.#filled);
    return { length: this.length, read: () => new NumberReader(areas, last) };
  }
}

export class NumberReader {
  readonly #areas: readonly Area[];
  readonly #last: Uint8Array;
  #next = 0;
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;

  constructor(areas: readonly Area[], last: Uint8Array) {
    this.#areas = areas;
    this.#last = last;
  }

  /** The next number; not defined after the last one. */
  next(): number {
    // No number is divided between two areas.
    if (this.#at === this.#bytes.length) this.#refill();
    let byte = this.#bytes[this.#at++]!;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80 && shift < 7 * MOST_BYTES; shift += 7) {
      byte = this.#bytes[this.#at++]!;
      value |= (byte & 0x7f) << shift;
    }
    return value >>> 0;
  }

  /**
   * The next numbers, as differences of ascending ones: writes these from a position on. A difference of 0 stands for a
   * number that is missing, and writes nothing. In a loop of its own, since most numbers of a merge are read here.
   *
   * @param last the number before
   * @returns the last number
   */
  sums(into: Uint32Array, from: number, to: number, last: number): number {
    let sum = last;
    for (let i = from; i < to;) {
      if (this.#at === this.#bytes.length) this.#refill();
      const bytes = this.#bytes;
      let at = this.#at;
      for (; i < to && at < bytes.length && bytes[at]! < 0x80; i++, at++) {
        const difference = bytes[at]!;
        sum += difference;
        if (difference > 0) into[i] = sum;
      }
      this.#at = at;
      if (i === to || at === bytes.length) continue;
      sum += this.next();
      into[i++] = sum;
    }
    return sum;
  }

  #refill(): void {
    const area = this.#areas[this.#next++];
    this.#bytes = area === undefined ? this.#last : area.read(0, area.length);
    this.#at = 0;
  }
}
