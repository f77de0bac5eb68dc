// Reads the rows of an index's order that a compound index selects, forwards or backwards by value. Ranks give the start
// of a page at any depth, so the rows before it are not read.

import type { CriteriaGroup } from "../../criteria/tree.ts";
import { bisect } from "../algorithms/bisect.ts";
import type { Gaps } from "../algorithms/gaps.ts";
import { holdHiddenClassOf } from "../algorithms/hidden-class.ts";
import { CompoundPositions, FAR, NO_POSITIONS } from "../indexes/compound-index.ts";
import { FieldIndex } from "../indexes/field-index.ts";
import { DeadRows } from "../versions/dead-rows.ts";
import { costs } from "./costs.ts";
import { stretchOf, type Restricting } from "./index-scan.ts";
import { ownField, type SourceOperator } from "./operator.ts";
import { type IndexOrder, type SourcePlan, withCost } from "./plan.ts";
import type { Source } from "./source.ts";
import { indexOfNulls } from "../indexes/memory-index.ts";

/** The rows at some positions of an index, or of a range of it. */
export function compoundScan(
  groups: readonly CriteriaGroup[],
  { field, descending, index }: IndexOrder,
  restricting: Restricting | undefined,
  selected: CompoundPositions,
): SourcePlan {
  const [low, high] = stretchOf(index, restricting);
  const [from, to] = [index.startOf(low), index.startOf(high)];
  const rows = selected.rank(to) - selected.rank(from);
  const stretch = { index, groups, field, low, high, descending };
  const step = { path: "compound-scan", ...stretch, selected } as const;
  const perRow =
    costs.indexScanRow + Math.min(FAR, (to - from) / Math.max(1, rows)) * costs.scanRow;
  return withCost(step, rows, perRow, costs.rankedPage);
}

export const compoundScanOperator: SourceOperator<"compound-scan"> = {
  words: "compound index scan",
  field: ownField,
  // Dead rows are not subtracted until it runs.
  isEstimated: true,
  open: ({ index, selected, low, high, descending }, { segment: { dead } }) =>
    new CompoundSource(index, selected, low, high, descending, dead),
};

/**
 * The live rows of a range of codes that are selected, by ascending or descending value; rows of one value in
 * insertion order.
 */
export class CompoundSource implements Source {
  readonly #index: FieldIndex;
  readonly #selected: CompoundPositions;
  readonly #dead: DeadRows;
  /** The start of the range, and the part being read forwards: all of it, or the run of a value. */
  readonly #first: number;
  #from: number;
  #position: number;
  #to: number;

  /** @param selected the positions of live and dead rows in the order of the index */
  constructor(
    index: FieldIndex,
    selected: CompoundPositions,
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
    const dead = this.#dead.gaps(this.#index).filter((position) => selected.has(position));
    /** How many live rows come before a position. */
    const before = (position: number) => selected.rank(position) - bisect(dead, position);
    const at = before(this.#position);
    const left = before(this.#to) - at;
    if (count < left) {
      this.#position = this.#select(at + count, dead);
      return;
    }
    // What remains of the range after the skipped rows, counted from its low end.
    const first = before(this.#first);
    const rest = before(this.#from) - first - (count - left);
    if (rest <= 0) {
      this.#from = this.#position = this.#to = this.#first;
      return;
    }
    // The last of the remaining rows is in the next run.
    const code = this.#codeAt(this.#select(first + rest - 1, dead));
    this.#from = this.#index.startOf(code);
    this.#to = this.#index.startOf(code + 1);
    const passed = before(this.#to) - first - rest;
    this.#position = this.#select(before(this.#from) + passed, dead);
  }

  /** The position of a live row, by how many come before it. @param dead the positions of the dead ones */
  #select(live: number, dead: Gaps): number {
    const selected = this.#selected;
    let low = 0;
    let high = dead.length;
    // Invariant: at most so many live rows come before the dead ones left of `low`, and more before those from `high` on.
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (selected.rank(dead[middle]!) - middle <= live) low = middle + 1;
      else high = middle;
    }
    return selected.select(live + low);
  }

  #codeAt(position: number): number {
    return this.#index.codeAt(this.#index.rowAt(position));
  }
}

const EMPTY = indexOfNulls("int", 0);
holdHiddenClassOf(new CompoundSource(EMPTY, NO_POSITIONS, 0, 0, false, DeadRows.EMPTY));
