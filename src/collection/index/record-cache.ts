// Records that were made of columns, by row: as long as somebody holds one, it stays the same object.
// The last ones are held here.

import type { WireRecord } from "../../schema/schema.ts";

/** So many records are held, at some 400 bytes each. A power of two. */
const HELD = 1024;

/** References to records that are gone are looked for when there are so many more than last time. */
const FEW = 4 * HELD;

export class RecordCache {
  readonly #byRow = new Map<number, WeakRef<WireRecord>>();
  readonly #held = new Array<WireRecord | undefined>(HELD).fill(undefined);
  readonly #rows = new Int32Array(HELD).fill(-1);
  #lookAt = FEW;

  get(row: number): WireRecord | undefined {
    const slot = row & (HELD - 1);
    return this.#rows[slot] === row ? this.#held[slot] : this.#byRow.get(row)?.deref();
  }

  set(row: number, record: WireRecord): void {
    const slot = row & (HELD - 1);
    this.#rows[slot] = row;
    this.#held[slot] = record;
    this.#byRow.set(row, new WeakRef(record));
    if (this.#byRow.size >= this.#lookAt) this.#forgetGone();
  }

  /** Each reference is looked at once for each that has come: no more work than making them. */
  #forgetGone(): void {
    for (const [row, reference] of this.#byRow) {
      if (reference.deref() === undefined) this.#byRow.delete(row);
    }
    this.#lookAt = 2 * this.#byRow.size + FEW;
  }
}
