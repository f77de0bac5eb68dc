// Records made from columns, by row: while anything refers to one, it stays the same object. Recent ones
// are held here.

import type { AnyRecord } from "../../schema/schema.ts";
import { tuning } from "../tuning.ts";

/** References to collected records are searched for once there are this many more than last time. */
const FEW = 4096;

export class RecordCache {
  readonly #byRow = new Map<number, WeakRef<AnyRecord>>();
  /** Each at the place given by the lowest bits of its row. */
  readonly #held: (AnyRecord | undefined)[];
  readonly #rows: Int32Array;
  #lookAt = FEW;

  /** @param rows how many there are */
  constructor(rows: number) {
    const most = Math.min(tuning.mostRecords, 2 ** Math.ceil(Math.log2(Math.max(1, rows))));
    this.#rows = new Int32Array(most).fill(-1);
    this.#held = new Array<AnyRecord | undefined>(most).fill(undefined);
  }

  get(row: number): AnyRecord | undefined {
    const place = this.#placeOf(row);
    if (this.#rows[place] === row) return this.#held[place];
    const record = this.#byRow.get(row)?.deref();
    if (record !== undefined) this.#hold(row, record);
    return record;
  }

  set(row: number, record: AnyRecord): void {
    this.#hold(row, record);
    this.#byRow.set(row, new WeakRef(record));
    if (this.#byRow.size >= this.#lookAt) this.#forgetGone();
  }

  #placeOf(row: number): number {
    return row & (this.#rows.length - 1);
  }

  #hold(row: number, record: AnyRecord): void {
    const place = this.#placeOf(row);
    this.#rows[place] = row;
    this.#held[place] = record;
  }

  /** Checks each reference once for each new one: no more work than making them. */
  #forgetGone(): void {
    for (const [row, reference] of this.#byRow) {
      if (reference.deref() === undefined) this.#byRow.delete(row);
    }
    this.#lookAt = 2 * this.#byRow.size + FEW;
  }
}
