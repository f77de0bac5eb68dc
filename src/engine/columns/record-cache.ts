// Records made from columns, by row: a record stays the same object while anything refers to it. Recent ones are kept
// alive here.

import type { Derivation } from "../indexes/derived.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import { tuning } from "../tuning.ts";

/** The approximate size of a record, of its values and of the reference to it. */
const BYTES_OF_RECORD = 400;

/** More than any row's number. */
const NO_ROW = 2 ** 32 - 1;

/** References to collected records are cleared once this many more than last time have been added. */
const FEW = 4096;

export class RecordCache implements Derivation {
  readonly #byRow = new Map<number, WeakRef<AnyRecord>>();
  /** The cached records and the row of each, in a ring buffer. */
  #records: (AnyRecord | undefined)[] = [];
  #rows = new Uint32Array();
  #oldest = 0;
  #isFull = false;
  /**
   * For each row, the slot in which it was last cached. With a four-way set-associative cache by the low bits of the
   * row number, 10,000 rows out of 1,000,000 took 1.5 times as long: rows that collided with four others had to be
   * found by their weak references.
   */
  #places = new Uint16Array();
  #lookAt = FEW;

  /** Makes room for records. @param rows how many rows there are */
  hold(rows: number): void {
    if (this.#records.length > 0) return;
    const most = Math.max(1, Math.min(tuning.mostRecords, rows));
    this.#places = new Uint16Array(rows);
    this.#rows = new Uint32Array(most);
    this.#records = new Array<AnyRecord | undefined>(most).fill(undefined);
  }

  get bytes(): number {
    return BYTES_OF_RECORD * (this.#isFull ? this.#records.length : this.#oldest);
  }

  /** Records stay the same objects while anything else refers to them. */
  clear(): void {
    this.#records.fill(undefined);
    this.#rows.fill(NO_ROW);
    this.#oldest = 0;
    this.#isFull = false;
  }

  get(row: number): AnyRecord | undefined {
    const place = this.#places[row]!;
    return this.#rows[place] === row ? this.#records[place] : this.#findElsewhere(row);
  }

  /**
   * The records of consecutive rows. Pages are read by this loop; a call for each row takes two to three times as long.
   *
   * @param make makes a record that is not cached
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

  /** The record of a row if it is still referenced elsewhere. */
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
    this.#oldest = place + 1;
    if (this.#oldest < this.#records.length) return;
    this.#oldest = 0;
    this.#isFull = true;
  }

  /** Checks one reference for each new one, so it costs no more than making them. */
  #forgetGone(): void {
    for (const [row, reference] of this.#byRow) {
      if (reference.deref() === undefined) this.#byRow.delete(row);
    }
    this.#lookAt = 2 * this.#byRow.size + FEW;
  }
}
