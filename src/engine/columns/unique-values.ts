// The values of a unique field, row by row, to find the row that already has a value. Open addressing in a typed array:
// with a Map, loading 100,000 records with two unique fields takes 1.6 times as long. If a search takes too many steps,
// because strings were crafted to collide, a Map replaces the array. A few values are compared one by one.

import { freeSlots, grownSlots, hash } from "../algorithms/hash.ts";
import { tuning } from "../tuning.ts";

const NO_SLOTS = new Int32Array(0);

/** All are strings, or all are numbers. */
type Key = string | number;

export class UniqueValues {
  /** By row. */
  readonly #values: (Key | null)[] = [];
  /** How many of the values are not null. */
  #size = 0;
  /** The row of each value; `undefined` while the slots are used. */
  #rows: Map<Key, number> | undefined;
  /** The row of each value, plus 1; no slots while the values are few. */
  #slots = NO_SLOTS;
  readonly #seed = tuning.hashSeed();

  /** Adds the value of the next row. Returns the row that already has it, or −1; null equals nothing (V13). */
  add(value: Key | null): number {
    const row = this.#values.push(value) - 1;
    if (value === null) return -1;
    if (this.#areFew) {
      if (row < tuning.fewToCompare) {
        const first = this.#values.indexOf(value);
        return first === row ? -1 : first;
      }
      this.#slots = freeSlots(tuning.firstSlots);
      for (let i = 0; i < row; i++) {
        const each = this.#values[i] ?? null;
        if (each !== null) this.#take(each, i);
      }
    }
    return this.#take(value, row);
  }

  get #areFew(): boolean {
    return this.#slots === NO_SLOTS && this.#rows === undefined;
  }

  /** Takes note of the row of a value, unless an earlier one has it: then it returns that one. */
  #take(value: Key, row: number): number {
    if (this.#rows !== undefined) return addToMap(this.#rows, value, row);
    if (4 * this.#size++ >= this.#slots.length) this.#slots = grownSlots(this.#slots);
    const slots = this.#slots;
    const mask = slots.length - 1;
    const code = hash(String(value), this.#seed);
    let slot = (2 * code) & mask;
    for (let steps = 0; steps < tuning.mostSteps; steps++, slot = (slot + 2) & mask) {
      const earlier = slots[slot]! - 1;
      if (earlier < 0) {
        slots[slot] = row + 1;
        slots[slot + 1] = code;
        return -1;
      }
      if (slots[slot + 1] === code && this.#values[earlier] === value) return earlier;
    }
    this.#rows = new Map();
    for (let i = 0; i < row; i++) {
      const each = this.#values[i] ?? null;
      if (each !== null) addToMap(this.#rows, each, i);
    }
    this.#slots = NO_SLOTS;
    return addToMap(this.#rows, value, row);
  }

  /** Removes the value that was added last, as if its row had not been there. */
  takeBack(): void {
    const value = this.#values.pop() ?? null;
    if (value === null || this.#areFew) return;
    const row = this.#values.length;
    if (this.#rows !== undefined) {
      if (this.#rows.get(value) === row) this.#rows.delete(value);
      return;
    }
    this.#size--;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (2 * hash(String(value), this.#seed)) & mask;
    while (slots[slot] !== 0 && slots[slot] !== row + 1) slot = (slot + 2) & mask;
    // No other way leads past the slot that was filled last.
    slots[slot] = 0;
  }
}

function addToMap(rows: Map<Key, number>, value: Key, row: number): number {
  const earlier = rows.get(value);
  if (earlier !== undefined) return earlier;
  rows.set(value, row);
  return -1;
}
