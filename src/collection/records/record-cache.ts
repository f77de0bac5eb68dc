// Records made from columns, by row: while anything refers to one, it stays the same object. Recent ones
// are held here.

import type { AnyRecord } from "../../schema/schema.ts";
import { tuning } from "../tuning.ts";

/** References to collected records are searched for once there are this many more than last time. */
const FEW = 4096;
/**
 * How many rows with the same lowest bits are held. With one, a quarter of 10,000 rows out of 1,000,000 met
 * another's place and were found by their references, which took longer than all the others together.
 */
const WAYS = 4;
/** A page of up to this many records is held. */
const LONGEST_PAGE = 1024;

export class RecordCache {
  readonly #byRow = new Map<number, WeakRef<AnyRecord>>();
  /** Each at one of the places given by the lowest bits of its row. */
  readonly #held: (AnyRecord | undefined)[];
  readonly #rows: Int32Array;
  /** For each set of places the one whose row came first, and is replaced first. */
  readonly #oldest: Uint8Array;
  /** The page that was read last, which is often read again, and its first row. */
  #page: readonly AnyRecord[] = [];
  #pageStart = 0;
  #lookAt = FEW;

  /** @param rows how many there are */
  constructor(rows: number) {
    const most = Math.min(tuning.mostRecords, 2 ** Math.ceil(Math.log2(Math.max(WAYS, rows))));
    this.#rows = new Int32Array(most).fill(-1);
    this.#held = new Array<AnyRecord | undefined>(most).fill(undefined);
    this.#oldest = new Uint8Array(most / WAYS);
  }

  get(row: number): AnyRecord | undefined {
    const rows = this.#rows;
    const first = WAYS * this.#setOf(row);
    for (let place = first; place < first + WAYS; place++) {
      if (rows[place] === row) return this.#held[place];
    }
    const record = this.#byRow.get(row)?.deref();
    if (record !== undefined) this.#hold(row, record);
    return record;
  }

  /**
   * The records of consecutive rows. Pages are read by this loop; a call for each row takes two to three times as
   * long.
   *
   * @param make makes one that is not there
   */
  slice(from: number, to: number, make: (row: number) => AnyRecord): AnyRecord[] {
    const start = from - this.#pageStart;
    const end = to - this.#pageStart;
    if (start >= 0 && end <= this.#page.length)
      return this.#page.slice(start, Math.max(start, end));
    const rows = this.#rows;
    const held = this.#held;
    const mask = this.#oldest.length - 1;
    const records = new Array<AnyRecord>(Math.max(0, to - from));
    for (let row = from; row < to; row++) {
      const first = WAYS * (row & mask);
      const record = rows[first] === row ? held[first] : this.get(row);
      records[row - from] = record ?? make(row);
    }
    if (records.length > 0 && records.length <= LONGEST_PAGE) {
      // A copy: the page is the caller's.
      this.#page = records.slice();
      this.#pageStart = from;
    }
    return records;
  }

  set(row: number, record: AnyRecord): void {
    this.#hold(row, record);
    this.#byRow.set(row, new WeakRef(record));
    if (this.#byRow.size >= this.#lookAt) this.#forgetGone();
  }

  #setOf(row: number): number {
    return row & (this.#oldest.length - 1);
  }

  #hold(row: number, record: AnyRecord): void {
    const set = this.#setOf(row);
    const way = this.#oldest[set]!;
    const place = WAYS * set + way;
    this.#rows[place] = row;
    this.#held[place] = record;
    this.#oldest[set] = (way + 1) % WAYS;
  }

  /** Checks each reference once for each new one: no more work than making them. */
  #forgetGone(): void {
    for (const [row, reference] of this.#byRow) {
      if (reference.deref() === undefined) this.#byRow.delete(row);
    }
    this.#lookAt = 2 * this.#byRow.size + FEW;
  }
}
