// Reads the live rows of a range of an index, in the order of their values, ascending or descending.

import type { CriteriaGroup } from "../../criteria/tree.ts";
import { filledIn, passFilled } from "../algorithms/gaps.ts";
import { holdHiddenClassOf } from "../algorithms/hidden-class.ts";
import { onlyRange } from "../indexes/code-set.ts";
import { FieldIndex } from "../indexes/field-index.ts";
import { DeadRows } from "../versions/dead-rows.ts";
import { tuning } from "../tuning.ts";
import type { Segment } from "../versions/segment.ts";
import { costs } from "./costs.ts";
import { ownField, type SelectedCodes, type SourceOperator } from "./operator.ts";
import { type IndexOrder, type SourcePlan, withCost } from "./plan.ts";
import type { Source } from "./source.ts";
import { indexOfNulls } from "../indexes/memory-index.ts";

/** Criteria that select a range of an index. */
export interface Restricting {
  readonly groups: readonly CriteriaGroup[];
  readonly codes?: SelectedCodes | undefined;
}

/** The live rows in the order of an index, or of the range of it that criteria select. */
export function indexScan(
  { dead }: Segment,
  { field, descending, index }: IndexOrder,
  restricting?: Restricting,
): SourcePlan {
  const [low, high] = stretchOf(index, restricting);
  const groups = restricting?.groups ?? [];
  const live = dead.liveIn(index, index.startOf(low), index.startOf(high));
  const step = { path: "index-scan", index, groups, field, low, high, descending } as const;
  return withCost(step, live, index.isInPieces ? costs.fileScanRow : costs.indexScanRow);
}

/** The codes of the range of an index that criteria select; all codes if there are none. */
export function stretchOf(
  index: FieldIndex,
  restricting: Restricting | undefined,
): readonly [number, number] {
  return (restricting?.codes && onlyRange(restricting.codes.set)) ?? [0, index.values.length];
}

export const indexScanOperator: SourceOperator<"index-scan"> = {
  words: "index scan",
  field: ownField,
  open: ({ index, low, high, descending }, { segment: { dead } }) =>
    descending
      ? new DescendingSource(index, low, high, dead)
      : new StretchSource(index, index.startOf(low), index.startOf(high), dead),
};

/** The live rows of a range of an index, in its order. */
export class StretchSource implements Source {
  readonly #index: FieldIndex;
  #position: number;
  readonly #end: number;
  readonly #dead: DeadRows;

  constructor(index: FieldIndex, from: number, to: number, dead: DeadRows) {
    this.#index = index;
    this.#position = from;
    this.#end = to;
    this.#dead = dead;
  }

  next(batch: Uint32Array, capacity: number): number {
    const dead = this.#dead;
    const end = this.#end;
    let position = this.#position;
    let length = 0;
    while (position < end && length < capacity) {
      const stop = Math.min(end, position + capacity - length);
      this.#index.copyRows(position, stop, batch, length);
      const read = length + stop - position;
      position = stop;
      length = dead.count === 0 ? read : keepLive(batch, length, read, dead);
    }
    this.#position = position;
    return length;
  }

  /** The position of the next row. */
  get position(): number {
    return this.#position;
  }

  skip(count: number): void {
    const gaps = this.#dead.gaps(this.#index);
    this.#position = Math.min(this.#end, passFilled(gaps, this.#position, count));
  }
}

/** Moves the live rows of a part of a batch to its front; returns their end. */
function keepLive(batch: Uint32Array, from: number, to: number, dead: DeadRows): number {
  let length = from;
  for (let i = from; i < to; i++) {
    const row = batch[i]!;
    batch[length] = row;
    length += dead.has(row) ? 0 : 1;
  }
  return length;
}

/**
 * The live rows of a range of codes in descending order of value; rows of one value in insertion order.
 */
export class DescendingSource implements Source {
  readonly #index: FieldIndex;
  readonly #low: number;
  readonly #dead: DeadRows;
  /** The code whose run is being read, and the next position in it. */
  #code: number;
  #position: number;
  /** The runs that were read last, of an index that is not in memory, and how many are read at most the next time. */
  #runs: Runs | undefined;
  #mostRuns = tuning.smallestBatch;

  constructor(index: FieldIndex, low: number, high: number, dead = DeadRows.EMPTY) {
    this.#index = index;
    this.#low = low;
    this.#dead = dead;
    this.#code = high - 1;
    this.#position = index.startOf(Math.max(low, high - 1));
  }

  next(batch: Uint32Array, capacity: number): number {
    if (this.#index.isInPieces) return this.#nextInPieces(batch, capacity);
    const { order, starts } = this.#index;
    const dead = this.#dead;
    const low = this.#low;
    let code = this.#code;
    let position = this.#position;
    let length = 0;
    while (code >= low) {
      const end = starts[code + 1]!;
      while (position < end && length < capacity) {
        const stop = Math.min(end, position + capacity - length);
        let read = length;
        while (position < stop) batch[read++] = order[position++]!;
        length = dead.count === 0 ? read : keepLive(batch, length, read, dead);
      }
      if (length === capacity) break;
      if (--code >= low) position = starts[code]!;
    }
    this.#code = code;
    this.#position = position;
    return length;
  }

  /** Like `next`, for an index that is not in memory: reads several short runs at once. */
  #nextInPieces(batch: Uint32Array, capacity: number): number {
    let length = 0;
    while (this.#code >= this.#low && length < capacity) {
      const runs = (this.#runs = this.#runs?.has(this.#code) ? this.#runs : this.#readRuns());
      const end = runs.startOf(this.#code + 1);
      const stop = Math.min(end, this.#position + capacity - length);
      const read = runs.copyRows(this.#position, stop, batch, length);
      this.#position = stop;
      length = this.#dead.count === 0 ? read : keepLive(batch, length, read, this.#dead);
      if (stop < end || --this.#code < this.#low) continue;
      this.#position = runs.has(this.#code)
        ? runs.startOf(this.#code)
        : this.#index.startOf(this.#code);
    }
    return length;
  }

  /** The run of the current code, and as many before it as are short together. */
  #readRuns(): Runs {
    const high = this.#code + 1;
    const first = Math.max(this.#low, high - this.#mostRuns);
    const mostRows = this.#mostRuns * (MOST_ROWS / MOST_RUNS);
    this.#mostRuns = Math.min(2 * this.#mostRuns, MOST_RUNS);
    const starts = this.#index.startsOf(first, high);
    let low = high - 1;
    const end = starts[high - first]!;
    while (low > first && end - starts[low - 1 - first]! <= mostRows) low--;
    return new Runs(this.#index, low, starts.slice(low - first));
  }

  skip(count: number): void {
    if (this.#code < this.#low) return;
    const index = this.#index;
    const starts = index.isInPieces ? undefined : index.starts;
    const startOf = (code: number) => (starts === undefined ? index.startOf(code) : starts[code]!);
    const gaps = this.#dead.gaps(index);
    const left = filledIn(gaps, this.#position, startOf(this.#code + 1));
    if (count < left) {
      this.#position = passFilled(gaps, this.#position, count);
      return;
    }
    // What remains of the range after the skipped rows, counted from its low end.
    const first = startOf(this.#low);
    const rest = filledIn(gaps, first, startOf(this.#code)) - (count - left);
    // The run with the last remaining row: the last run that is not skipped completely. If no row remains, the lowest
    // run, which is skipped completely.
    let low = this.#low;
    let high = this.#code - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (filledIn(gaps, first, startOf(middle)) < rest) low = middle;
      else high = middle - 1;
    }
    this.#code = low;
    const passed = filledIn(gaps, first, startOf(low + 1)) - rest;
    this.#position = passFilled(gaps, startOf(low), passed);
  }
}

/** How many runs are read at once, and up to how many rows. */
const MOST_RUNS = 1024;
const MOST_ROWS = 1 << 14;

/** The runs of some consecutive codes: their rows in memory, unless it is one long run. */
class Runs {
  readonly #index: FieldIndex;
  readonly #low: number;
  readonly #starts: Uint32Array;
  readonly #rows: Uint32Array | undefined;

  /** @param starts of the codes from `low` on, and the end of the last */
  constructor(index: FieldIndex, low: number, starts: Uint32Array) {
    this.#index = index;
    this.#low = low;
    this.#starts = starts;
    const [from, to] = [starts[0]!, starts[starts.length - 1]!];
    if (to - from > MOST_ROWS) return;
    this.#rows = new Uint32Array(to - from);
    index.copyRows(from, to, this.#rows);
  }

  has(code: number): boolean {
    return code >= this.#low && code < this.#low + this.#starts.length - 1;
  }

  startOf(code: number): number {
    return this.#starts[code - this.#low]!;
  }

  /** Copies the rows at some positions. @returns the position after them in the target */
  copyRows(from: number, to: number, target: Uint32Array, at: number): number {
    const first = this.#starts[0]!;
    if (this.#rows === undefined) this.#index.copyRows(from, to, target, at);
    else
      for (let i = from - first; i < to - first; i++)
        target[at + i + first - from] = this.#rows[i]!;
    return at + to - from;
  }
}

/** An index without rows. */
const EMPTY = indexOfNulls("int", 0);

holdHiddenClassOf(
  new StretchSource(EMPTY, 0, 0, DeadRows.EMPTY),
  new DescendingSource(EMPTY, 0, 0),
);
