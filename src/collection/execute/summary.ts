// Sums up a field of numbers in the selected records: from the codes of its index, or from their values.

import { parseNumber } from "../../schema/numbers.ts";
import { ExactSum } from "../algorithms/exact-sum.ts";
import { numberReader, rowNumberReader } from "../cache/numbers.ts";
import type { FieldIndex } from "../index/field-index.ts";
import type { ParsedQuery } from "../plan/query.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { answerSegment } from "./answer.ts";
import { execute, type SegmentAnswer } from "./execute.ts";
import { countBuckets, readValues } from "./tally.ts";

/** The numbers of a field in the selected records. */
export interface Summary {
  /** How many records have a number. */
  readonly count: number;
  /** How many have `null`. */
  readonly nulls: number;
  /**
   * The exact sum, rounded once to the nearest number: in an int field it is exact up to 2^53. It is infinite
   * if it is beyond all numbers.
   */
  readonly sum: number;
  /** The lowest number; `null` if there is none. */
  readonly minimum: number | null;
  /** The highest number; `null` if there is none. */
  readonly maximum: number | null;
  /** The exact sum divided by the count, rounded once to the nearest number; `null` if there is none. */
  readonly mean: number | null;
}

/** The numbers of a field in the selected rows. */
export function summary({ segments }: Snapshot, query: ParsedQuery, field: string): Summary {
  const total = new Total();
  for (const segment of segments) {
    const index = segment.ordered(field, query.deadline);
    if (index !== undefined) addCodes(total, answerSegment(segment, query), index);
    else {
      readValues(segment, query, field, (value) => {
        if (value === null) total.nulls++;
        else total.add(parseNumber(value), 1);
      });
    }
  }
  return total.finish();
}

/** Adds the numbers of the rows of an answer, from the codes of an index. */
function addCodes(total: Total, answer: SegmentAnswer, index: FieldIndex): void {
  if (answer.plan.rows < index.values.length) {
    const numberAt = rowNumberReader(index);
    execute(answer, (rows, from, to) => {
      for (let i = from; i < to; i++) {
        const number = numberAt(rows[i]!);
        if (Number.isNaN(number)) total.nulls++;
        else total.add(number, 1);
      }
    });
    return;
  }
  const numberOf = numberReader(index);
  const counts = countBuckets(answer, { index });
  total.nulls += counts[0]!;
  for (let code = 1; code < counts.length; code++) {
    const count = counts[code]!;
    if (count > 0) total.add(numberOf(code), count);
  }
}

/** Numbers that are added one after the other. */
export class Total {
  nulls = 0;
  #count = 0;
  #minimum = Infinity;
  #maximum = -Infinity;
  readonly #sum = new ExactSum();

  add(number: number, times: number): void {
    this.#count += times;
    if (number < this.#minimum) this.#minimum = number;
    if (number > this.#maximum) this.#maximum = number;
    this.#sum.add(number, times);
  }

  finish(): Summary {
    const { nulls } = this;
    const count = this.#count;
    if (count === 0) return { count, nulls, sum: 0, minimum: null, maximum: null, mean: null };
    return {
      count,
      nulls,
      sum: this.#sum.dividedBy(1),
      minimum: this.#minimum,
      maximum: this.#maximum,
      mean: this.#sum.dividedBy(count),
    };
  }
}
