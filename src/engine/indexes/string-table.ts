// Maps a string to its position in an array of distinct strings: open addressing in one typed array of positions,
// without a second reference to the strings.

import { hash } from "../algorithms/hash.ts";
import { STEP_ROWS, type Steps } from "../algorithms/steps.ts";
import { tuning } from "../tuning.ts";

/** The positions of distinct strings; elements that are `null` are left out. */
export class StringTable {
  readonly #values: readonly (string | null)[];
  /** Position + 1 of the string in each slot; 0 if the slot is free. At most half of the slots are in use. */
  readonly #slots: Uint32Array;
  readonly #seed = tuning.hashSeed();
  readonly #mostSteps = tuning.mostSteps;

  private constructor(values: readonly (string | null)[]) {
    this.#values = values;
    this.#slots = new Uint32Array(slotsFor(values.length));
  }

  /** The size in bytes of a table of this many strings. */
  static bytesFor(values: number): number {
    return slotsFor(values) * Uint32Array.BYTES_PER_ELEMENT;
  }

  /**
   * Builds the table of some strings, step by step; `null` if too many of them collide.
   *
   * @param positions the order in which to add positions, each at least once. Hashing strings is fastest in memory
   *   order. Default: ascending
   */
  static *building(
    values: readonly (string | null)[],
    positions?: ArrayLike<number>,
  ): Steps<StringTable | null> {
    const table = new StringTable(values);
    const length = positions?.length ?? values.length;
    for (let from = 0; from < length; from += STEP_ROWS) {
      if (!table.#addAll(positions, from, Math.min(length, from + STEP_ROWS))) return null;
      yield;
    }
    return table;
  }

  /** Returns whether all were added. */
  #addAll(positions: ArrayLike<number> | undefined, from: number, to: number): boolean {
    for (let i = from; i < to; i++) if (!this.#add(positions?.[i] ?? i)) return false;
    return true;
  }

  /** Returns whether it was added. */
  #add(position: number): boolean {
    const value = this.#values[position] ?? null;
    if (value === null) return true;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash(value, this.#seed) & mask;
    for (let steps = 0; steps < this.#mostSteps; steps++, slot = (slot + 1) & mask) {
      if (slots[slot] !== 0 && slots[slot] !== position + 1) continue;
      slots[slot] = position + 1;
      return true;
    }
    return false;
  }

  /** The position of the string, or −1. Cost: hashing it, and at most `tuning.mostSteps` comparisons. */
  find(value: string): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash(value, this.#seed) & mask;
    for (let steps = 0; steps < this.#mostSteps; steps++, slot = (slot + 1) & mask) {
      const position = slots[slot]! - 1;
      if (position < 0 || this.#values[position] === value) return position;
    }
    return -1;
  }

  get bytes(): number {
    return this.#slots.byteLength;
  }
}

/** How many slots this many strings need: at most half are in use. */
function slotsFor(values: number): number {
  let slots = 4;
  while (slots < 2 * values) slots *= 2;
  return slots;
}
