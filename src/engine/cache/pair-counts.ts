// How many rows have each pair of values of two fields, dead rows included. Counting the matches of two criteria then
// means subtracting a few numbers, whatever the values.

import type { Deadline } from "../algorithms/deadline.ts";
import { Resumable } from "../algorithms/resumable.ts";
import { inSteps, type Steps } from "../algorithms/steps.ts";
import { forEachRange, type CodeSet } from "../indexes/code-set.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { tuning } from "../tuning.ts";
import type { Kept } from "./cache.ts";

/** How many rows are counted in a step. */
const STEP = 1 << 16;

export class PairCounts implements Kept {
  /** How many rows were read for counts for lack of the table. */
  read = 0;
  /**
   * For each code of one index and each code bound of the other: how many rows have the first code, and a lower code
   * than the bound in the other index.
   */
  #table: Uint32Array | undefined;
  readonly #width: number;
  readonly #making = new Resumable<Uint32Array>();
  /** Weak, like the subjects of cache entries. */
  readonly #other: WeakRef<FieldIndex>;

  constructor(other: FieldIndex) {
    this.#other = new WeakRef(other);
    this.#width = other.values.length + 1;
  }

  /** Whether it counts pairs with an index: the field may have another index in a later version of the rows. */
  isWith(other: FieldIndex): boolean {
    return this.#other.deref() === other;
  }

  get isMade(): boolean {
    return this.#table !== undefined;
  }

  get bytes(): number {
    return this.#table?.byteLength ?? 0;
  }

  /** Whether the table is small compared with the number of rows it counts. */
  static isSmall(one: FieldIndex, other: FieldIndex): boolean {
    const numbers = one.values.length * (other.values.length + 1);
    return numbers * tuning.pairPart <= one.rows && numbers * 32 <= tuning.mostKeptBytes;
  }

  /**
   * The same with the table: reads the codes of all rows.
   *
   * @throws DeadlineError; the next call continues
   */
  made(one: FieldIndex, other: FieldIndex, deadline: Deadline | undefined): PairCounts {
    const made = new PairCounts(other);
    made.#table = this.#making.finish(() => this.#counting(one, other), deadline);
    return made;
  }

  *#counting(one: FieldIndex, other: FieldIndex): Steps<Uint32Array> {
    const width = this.#width;
    const table = new Uint32Array(one.values.length * width);
    const [codes, others] = [one.codes, other.codes];
    yield* inSteps(
      codes.length,
      (from, to) => {
        for (let row = from; row < to; row++) table[codes[row]! * width + others[row]! + 1]!++;
      },
      STEP,
    );
    for (let i = 0; i < table.length; i++) if (i % width > 0) table[i]! += table[i - 1]!;
    return table;
  }

  /** How many rows have a code in each of two sets. */
  count(set: CodeSet, others: CodeSet): number {
    const [table, width] = [this.#table!, this.#width];
    let count = 0;
    forEachRange(set, (low, high) => {
      for (let at = low * width; at < high * width; at += width) {
        forEachRange(others, (from, to) => (count += table[at + to]! - table[at + from]!));
      }
    });
    return count;
  }
}
