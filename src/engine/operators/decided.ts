// What a question that was late has found out: on which rows its criteria were tested, and which of these they select.
// The next query with the same criteria tests only the others, whatever its plan, its order and its result. So every
// question that is asked again is answered in the end, even if no index would make it faster.

import { textOf } from "../../criteria/distinct.ts";
import { selectEveryRecord, type ParsedCriteria } from "../../criteria/tree.ts";
import { addRows, bitAt, createBitset, ones, type Bitset } from "../algorithms/bitset.ts";
import type { Deadline, PostponedWork } from "../algorithms/deadline.ts";
import type { DeadRows } from "../versions/dead-rows.ts";
import type { Segment } from "../versions/segment.ts";
import type { Kept } from "../cache/cache.ts";
import { RowSet } from "../cache/search.ts";
import type { Source } from "./source.ts";

export class DecidedRows implements Kept {
  readonly #tested: Bitset;
  readonly #selected: Bitset;
  /** Rows that passed or failed, and those being tested: reused between batches. */
  #testing = new Uint32Array();
  /** The dead rows of the version in which all others are tested. */
  #completeBut: DeadRows | undefined;

  /** @param rows how many there are */
  constructor(rows: number) {
    this.#tested = createBitset(rows);
    this.#selected = createBitset(rows);
  }

  get bytes(): number {
    return 2 * this.#tested.byteLength;
  }

  /** Keeps the rows of a batch that the criteria select. @param test keeps those that pass; called for untested rows */
  keep(
    batch: Uint32Array,
    length: number,
    test: (batch: Uint32Array, length: number) => number,
  ): number {
    const [tested, selected] = [this.#tested, this.#selected];
    if (this.#testing.length < length) this.#testing = new Uint32Array(length);
    const testing = this.#testing;
    let untested = 0;
    for (let i = 0; i < length; i++) {
      const row = batch[i]!;
      testing[untested] = row;
      untested += 1 - bitAt(tested, row);
    }
    if (untested > 0) {
      const rows = testing.slice(0, untested);
      addRows(selected, testing, 0, test(testing, untested));
      // Only now: reading a file may have thrown.
      addRows(tested, rows);
    }
    let kept = 0;
    for (let i = 0; i < length; i++) {
      const row = batch[i]!;
      batch[kept] = row;
      kept += bitAt(selected, row);
    }
    return kept;
  }

  /** The rows of a source that have yet to be tested. */
  untested(source: Source): Source {
    const tested = this.#tested;
    return {
      skip: source.skip.bind(source),
      next(batch, capacity) {
        for (;;) {
          const length = source.next(batch, capacity);
          let untested = 0;
          for (let i = 0; i < length; i++) {
            const row = batch[i]!;
            batch[untested] = row;
            untested += 1 - bitAt(tested, row);
          }
          if (untested > 0 || length === 0) return untested;
        }
      },
    };
  }

  /** Records that every live row that may be selected was tested. */
  complete({ dead }: Segment): void {
    this.#completeBut = dead;
  }

  /** All selected rows of a version, dead ones included, if all are known. */
  rowsIn({ dead }: Segment): RowSet | undefined {
    if (this.#completeBut !== dead) return undefined;
    return new RowSet(
      this.#selected,
      this.#selected.reduce((sum, word) => sum + ones(word), 0),
    );
  }
}

/** What an earlier, late query with the same criteria has found out, if this one can be late too. */
export function decidedRows(
  { cache, rows, isTiny }: Segment,
  criteria: ParsedCriteria,
  deadline: Deadline | undefined,
): DecidedRows | undefined {
  if (deadline === undefined || isTiny) return undefined;
  // Making the key takes longer than a short query.
  if (cache.all(DecidedRows, rows, "").length === 0) return undefined;
  return cache.get(DecidedRows, rows, "", textOf(criteria));
}

/** Begins to keep what queries find out once one of them is late. */
export class UndecidedRows implements PostponedWork {
  readonly isUrgent = false;
  readonly #segment: Segment;
  readonly #criteria: ParsedCriteria;

  constructor(segment: Segment, criteria: ParsedCriteria) {
    this.#segment = segment;
    this.#criteria = criteria;
  }

  build(): void {
    // Only the next query with these criteria finds out more.
  }

  hurry(): void {
    const { cache, rows, size, isTiny } = this.#segment;
    if (isTiny || selectEveryRecord(this.#criteria)) return;
    const text = textOf(this.#criteria);
    if (cache.get(DecidedRows, rows, "", text) !== undefined) return;
    cache.put(new DecidedRows(size), rows, "", text);
  }
}
