// Records made from columns, by row: while anything refers to one, it stays the same object. Recent ones
// are held here.

import type { AnyRecord } from "../../schema/field-types.ts";
import { tuning } from "../tuning.ts";

/** References to collected records are searched for once there are this many more than last time. */
const FEW = 4096;

export class RecordCache {
  readonly #byRow = new Map<number, WeakRef<AnyRecord>>();
  /** The records that are held, and the row of each. The next one replaces the oldest. */
  readonly #records: (AnyRecord | undefined)[];
  readonly #rows: Uint32Array;
  #oldest = 0;
  /**
   * For each row the place where it was held last. With four places for the rows that have the same lowest bits,
   * 10,000 rows out of 1,000,000 took 1.5 times as long: those that met four others were found by their references.
   */
  readonly #places: Uint16Array;
  #lookAt = FEW;

  /** @param rows how many there are */
  constructor(rows: number) {
    const most = Math.max(1, Math.min(tuning.mostRecords, rows));
    this.#places = new Uint16Array(rows);
    this.#rows = new Uint32Array(most);
    this.#records = new Array<AnyRecord | undefined>(most).fill(undefined);
  }

  get(row: number): AnyRecord | undefined {
    const place = this.#places[row]!;
    return this.#rows[place] === row ? this.#records[place] : this.#findElsewhere(row);
  }

  /**
   * The records of consecutive rows. Pages are read by this loop; a call for each row takes two to three times as
   * long.
   *
   * @param make makes one that is not there
   */
  slice(from: number, to: number, make: (row: number) => AnyRecord): AnyRecord[] {
    const places = this.#places;
    const rows = this.#rows;
    const records = this.#records;
    const found = new Array<AnyRecord>(Math.max(0, to - from));
    for (let row = from; row < to; row++) {
      const place = places[row]!;
      const record = rows[place] === row ? records[place] : this.#findElsewhere(row);
      found[row - from] = record ?? make(row);
    }
    return found;
  }

  set(row: number, record: AnyRecord): void {
    this.#put(row, record);
    this.#byRow.set(row, new WeakRef(record));
    if (this.#byRow.size >= this.#lookAt) this.#forgetGone();
  }

  /** The record of a row if somebody else holds it. */
  #findElsewhere(row: number): AnyRecord | undefined {
    const record = this.#byRow.get(row)?.deref();
    if (record !== undefined) this.#put(row, record);
    return record;
  }

  #put(row: number, record: AnyRecord): void {
    const place = this.#oldest;
    this.#places[row] = place;
    this.#rows[place] = row;
    this.#records[place] = record;
    this.#oldest = place + 1 === this.#records.length ? 0 : place + 1;
  }

  /** Checks each reference once for each new one: no more work than making them. */
  #forgetGone(): void {
    for (const [row, reference] of this.#byRow) {
      if (reference.deref() === undefined) this.#byRow.delete(row);
    }
    this.#lookAt = 2 * this.#byRow.size + FEW;
  }
}
