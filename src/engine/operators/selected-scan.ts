// Reads the rows at selected positions of an index's order, forwards or backwards by value. Ranks give the start of a
// page at any depth, so the rows before it are not read.

import type { CriteriaGroup } from "../../criteria/tree.ts";
import { filledIn, passFilled } from "../algorithms/gaps.ts";
import { holdHiddenClassOf } from "../algorithms/hidden-class.ts";
import { RankBitmap } from "../algorithms/rank-bitmap.ts";
import { FieldIndex } from "../indexes/field-index.ts";
import { DeadRows } from "../versions/dead-rows.ts";
import { costs } from "./costs.ts";
import { stretchOf, type Restricting } from "./index-scan.ts";
import { ownField, type SourceOperator } from "./operator.ts";
import { type IndexOrder, type SourcePlan, withCost } from "./plan.ts";
import type { Source } from "./source.ts";
import { indexOfNulls } from "../indexes/memory-index.ts";

/** The rows at selected positions of an index, or of a range of it. */
export function selectedScan(
  groups: readonly CriteriaGroup[],
  { field, descending, index }: IndexOrder,
  restricting: Restricting | undefined,
  selected: RankBitmap,
): SourcePlan {
  const [low, high] = stretchOf(index, restricting);
  const [from, to] = [index.startOf(low), index.startOf(high)];
  const rows = selected.rank(to) - selected.rank(from);
  const stretch = { index, groups, field, low, high, descending };
  const step = { path: "selected-scan", ...stretch, selected } as const;
  const perRow = costs.indexScanRow + ((to - from) * costs.bitsetRow) / Math.max(1, rows);
  return withCost(step, rows, perRow, costs.rankedPage);
}

export const selectedScanOperator: SourceOperator<"selected-scan"> = {
  words: "index scan by rank",
  field: ownField,
  // Dead rows are not subtracted until it runs.
  isEstimated: true,
  open: ({ index, selected, low, high, descending }, { segment: { dead } }) =>
    new SelectedSource(index, selected, low, high, descending, dead),
};

/**
 * The live rows of a range of codes that are selected, by ascending or descending value; rows of one value in
 * insertion order.
 */
export class SelectedSource implements Source {
  readonly #index: FieldIndex;
  readonly #selected: RankBitmap;
  readonly #dead: DeadRows;
  /** The start of the range, and the part being read forwards: all of it, or the run of a value. */
  readonly #first: number;
  #from: number;
  #position: number;
  #to: number;

  /** @param selected positions of live and dead rows in the order of the index */
  constructor(
    index: FieldIndex,
    selected: RankBitmap,
    low: number,
    high: number,
    descending: boolean,
    dead: DeadRows,
  ) {
    this.#index = index;
    this.#selected = selected;
    this.#dead = dead;
    this.#first = index.startOf(low);
    this.#to = index.startOf(high);
    this.#from = this.#position = descending ? this.#to : this.#first;
  }

  next(batch: Uint32Array, capacity: number): number {
    let length = 0;
    for (;;) {
      length = this.#readStretch(batch, length, capacity);
      if (length === capacity) return length;
      // The current part is used up: continue with the run before it.
      const last = this.#selected.previous(this.#from);
      if (last < this.#first) return length;
      this.#from = this.#position = this.#index.startOf(this.#codeAt(last));
      this.#to = last + 1;
    }
  }

  #readStretch(batch: Uint32Array, from: number, capacity: number): number {
    const index = this.#index;
    const order = index.isInPieces ? undefined : index.order;
    const selected = this.#selected;
    const dead = this.#dead.count === 0 ? undefined : this.#dead;
    const to = this.#to;
    let position = selected.next(this.#position, to);
    let length = from;
    while (position < to && length < capacity) {
      const row = order === undefined ? index.rowAt(position) : order[position]!;
      batch[length] = row;
      if (dead?.has(row) !== true) length++;
      position = selected.next(position + 1, to);
    }
    this.#position = position;
    return length;
  }

  skip(count: number): void {
    const selected = this.#selected;
    const gaps = this.#dead.gaps(this.#index, selected);
    const at = selected.rank(this.#position);
    const left = filledIn(gaps, at, selected.rank(this.#to));
    if (count < left) {
      this.#position = selected.select(passFilled(gaps, at, count));
      return;
    }
    // What remains of the range after the skipped rows, counted from its low end.
    const first = selected.rank(this.#first);
    const rest = filledIn(gaps, first, selected.rank(this.#from)) - (count - left);
    if (rest <= 0) {
      this.#from = this.#position = this.#to = this.#first;
      return;
    }
    // The last of the remaining rows is in the next run.
    const code = this.#codeAt(selected.select(passFilled(gaps, first, rest - 1)));
    this.#from = this.#index.startOf(code);
    this.#to = this.#index.startOf(code + 1);
    const passed = filledIn(gaps, first, selected.rank(this.#to)) - rest;
    this.#position = selected.select(passFilled(gaps, selected.rank(this.#from), passed));
  }

  #codeAt(position: number): number {
    return this.#index.codeAt(this.#index.rowAt(position));
  }
}

const EMPTY = indexOfNulls("int", 0);
holdHiddenClassOf(
  new SelectedSource(EMPTY, new RankBitmap(new Uint32Array()), 0, 0, false, DeadRows.EMPTY),
);
