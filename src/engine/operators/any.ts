// Keeps the rows that the filters of at least one alternative keep. Nothing is read before the first batch, so a page
// that is full early costs no more than the rows up to its end.

import { costs } from "./costs.ts";
import type { Filter } from "./filter.ts";
import type { CriteriaGroup } from "../../criteria/tree.ts";
import type { FilterOperator } from "./operator.ts";
import type { FilterPlan } from "./plan.ts";

/** @param alternatives the filters of each of the groups; at least one group must hold */
export function keepAny(
  groups: readonly CriteriaGroup[],
  alternatives: readonly (readonly FilterPlan[])[],
  selectivity: number,
): FilterPlan {
  const filters = alternatives.flat();
  return {
    step: { path: "any", groups, alternatives },
    unbuiltIndexes: filters.flatMap(({ unbuiltIndexes }) => unbuiltIndexes),
    selectivity,
    setUp: sumOf(filters, ({ setUp }) => setUp),
    perRow: Math.round(sumOf(alternatives, costOfAll)),
    randomAccessCost: sumOf(filters, ({ randomAccessCost }) => randomAccessCost),
  };
}

/** The cost of copying a row, passing it through some filters, and checking whether it is left. */
function costOfAll(filters: readonly FilterPlan[]): number {
  let cost = 2 * costs.scanRow;
  let reaching = 1;
  for (const { perRow, selectivity } of filters) {
    cost += reaching * perRow;
    reaching *= selectivity;
  }
  return cost;
}

const sumOf = <T>(all: readonly T[], of: (each: T) => number): number =>
  all.reduce((sum, each) => sum + of(each), 0);

export const anyFilter: FilterOperator<"any"> = {
  words: "keep what any group accepts",
  open: ({ alternatives }, opening, scatteredRows, openFilter) =>
    new AnyFilter(
      alternatives.map((filters) =>
        filters.map(({ step }) => openFilter(step, opening, scatteredRows)),
      ),
    ),
};

class AnyFilter implements Filter {
  readonly #alternatives: readonly (readonly Filter[])[];
  /** The rows that no alternative has kept so far, and those being passed through the next one. */
  #rest = new Uint32Array();
  #passed = new Uint32Array();

  constructor(alternatives: readonly (readonly Filter[])[]) {
    this.#alternatives = alternatives;
  }

  keep(batch: Uint32Array, length: number): number {
    if (this.#rest.length < length) {
      this.#rest = new Uint32Array(length);
      this.#passed = new Uint32Array(length);
    }
    const [rest, passed] = [this.#rest, this.#passed];
    copy(batch, rest, length);
    let left = length;
    for (const filters of this.#alternatives) {
      copy(rest, passed, left);
      let kept = left;
      for (const filter of filters) kept = filter.keep(passed, kept);
      left = without(rest, left, passed, kept);
    }
    return without(batch, length, rest, left);
  }
}

function copy(from: Uint32Array, to: Uint32Array, length: number): void {
  for (let i = 0; i < length; i++) to[i] = from[i]!;
}

/** Removes some rows; both lists are in the same order. Returns how many are left. */
function without(rows: Uint32Array, length: number, some: Uint32Array, count: number): number {
  if (count === 0) return length;
  let left = 0;
  let next = 0;
  for (let i = 0; i < length; i++) {
    const row = rows[i]!;
    if (next < count && row === some[next]) next++;
    else rows[left++] = row;
  }
  return left;
}
