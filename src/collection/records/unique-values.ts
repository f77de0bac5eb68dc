// The values of a unique field, row by row, to find the row that has a value already. A few are in a
// Map; more are in a typed array with open addressing, which takes half the time of a Map.

import type { WireValue } from "../../schema/field.ts";
import { hash } from "../algorithms/hash.ts";

/** Up to this many values, a Map is as fast. */
const FEW = 100;
/** The length of the first array: a power of 2, and at least four times the number of values. */
const FIRST_LENGTH = 1024;

/**
 * A search ends after this many steps: strings that take more were crafted to collide, and go to a Map.
 */
const MOST_STEPS = 256;

export class UniqueValues {
  /** By row. */
  readonly #values: WireValue[] = [];
  /** The row of each value; undefined if the slots have them. */
  #rows: Map<WireValue, number> | undefined = new Map();
  /**
   * A pair for each slot: row + 1 of a value, or 0 if it is free; and the hash. At most half are taken.
   */
  #slots: Int32Array = new Int32Array();

  /** Adds the value of the next row. Returns the row that has it already, or −1. */
  add(value: WireValue): number {
    const row = this.#values.push(value) - 1;
    if (this.#rows !== undefined) return this.#addToMap(this.#rows, value, row);
    if (4 * row >= this.#slots.length) this.#slots = grown(this.#slots);
    const slots = this.#slots;
    const mask = slots.length - 1;
    const code = hashOf(value);
    let slot = (2 * code) & mask;
    for (let steps = 0; steps < MOST_STEPS; steps++, slot = (slot + 2) & mask) {
      const earlier = slots[slot]! - 1;
      if (earlier < 0) {
        slots[slot] = row + 1;
        slots[slot + 1] = code;
        return -1;
      }
      if (slots[slot + 1] === code && this.#values[earlier] === value) return earlier;
    }
    this.#rows = new Map(this.#values.slice(0, row).map((each, i) => [each, i]));
    return this.#addToMap(this.#rows, value, row);
  }

  #addToMap(rows: Map<WireValue, number>, value: WireValue, row: number): number {
    const earlier = rows.get(value);
    if (earlier !== undefined) return earlier;
    rows.set(value, row);
    if (row === FEW) {
      this.#slots = new Int32Array(FIRST_LENGTH);
      this.#values.forEach((each, i) => {
        put(this.#slots, i + 1, hashOf(each));
      });
      this.#rows = undefined;
    }
    return -1;
  }
}

const hashOf = (value: WireValue): number => hash(value ?? "");

/** Twice as many slots with the same content. */
function grown(slots: Int32Array): Int32Array {
  const more = new Int32Array(2 * slots.length);
  for (let slot = 0; slot < slots.length; slot += 2) {
    if (slots[slot] !== 0) put(more, slots[slot]!, slots[slot + 1]!);
  }
  return more;
}

/** Puts a new entry into the next free slot. */
function put(slots: Int32Array, taken: number, code: number): void {
  const mask = slots.length - 1;
  let slot = (2 * code) & mask;
  while (slots[slot] !== 0) slot = (slot + 2) & mask;
  slots[slot] = taken;
  slots[slot + 1] = code;
}
