// Counts the rows with some codes of several indexes by a compound index of all. Dead rows are subtracted by their codes.

import type { Deadline } from "../../algorithms/deadline.ts";
import { slowness } from "../../indexes/account.ts";
import { rangesOf, type CodeRanges } from "../../indexes/code-set.ts";
import { combinationsOf, combined, compoundName } from "../../indexes/compound-index.ts";
import type { FieldIndex } from "../../indexes/field-index.ts";
import { tuning } from "../../tuning.ts";
import type { Segment } from "../../versions/segment.ts";
import { costs } from "../costs.ts";
import type { CodeLeaf } from "./code-tree.ts";
import { deadIn } from "./codes.ts";
import { countWith, type CountOperator, type CountPlan } from "./count-plan.ts";

/** The name of an index of some leaves in the order of a field, and the numbers that stand for their codes in it. */
interface Compound {
  readonly name: string;
  readonly ranges: CodeRanges;
}

/**
 * The compound index of some leaves, whichever their order; `undefined` if it would take more numbers than rows, or their
 * codes more ranges.
 *
 * @param by the last field, in whose order it is
 */
export function compoundOf(
  leaves: readonly CodeLeaf[],
  by: { readonly field: string; readonly index: FieldIndex },
  mostRanges: number,
): Compound | undefined {
  const fields = new Set([by, ...leaves].map(({ field }) => field));
  if (fields.size <= leaves.length) return undefined;
  const sorted = byValues(leaves);
  const indexes = sorted.map(({ index }) => index);
  if (leaves.length > 1 && combinationsOf(indexes) > by.index.rows) return undefined;
  const all: { readonly index: FieldIndex; readonly ranges: CodeRanges }[] = [];
  for (const { index, set } of sorted) {
    const ranges = rangesOf(set);
    if (ranges === undefined) return undefined;
    all.push({ index, ranges });
  }
  const ranges = combined(all, mostRanges);
  const name = compoundName([...sorted, by].map(({ field }) => field));
  return ranges && { name, ranges };
}

/** The leaves in an order that does not depend on the query: those of few values first. */
const byValues = (leaves: readonly CodeLeaf[]): CodeLeaf[] =>
  [...leaves].sort(
    (a, b) => a.index.values.length - b.index.values.length || (a.field < b.field ? -1 : 1),
  );

/**
 * The count of the rows in all of some leaves, if there is a compound index, or one is due; otherwise the name of the
 * missing index.
 *
 * @throws DeadlineError
 */
export function countOfCompound(
  { indexes, dead }: Segment,
  leaves: readonly CodeLeaf[],
  deadline: Deadline | undefined,
): { readonly plan?: CountPlan; readonly missing?: string | undefined } {
  let missing: string | undefined;
  // In the order of the most values: the numbers of the others take the fewest steps.
  for (const by of byValues(leaves).reverse()) {
    const others = rangesOf(by.set);
    const rest = leaves.filter((leaf) => leaf !== by);
    const compound = others && compoundOf(rest, by, tuning.mostRanges);
    if (compound === undefined) continue;
    const { name, ranges } = compound;
    const index =
      missing === undefined
        ? indexes.of("compound", name, deadline)
        : indexes.there("compound", name, deadline);
    missing ??= name;
    if (index === undefined) continue;
    const ranks = index.levels * ranges.length * others!.length;
    const cost = ranks * costs.rank + dead.count * costs.codeTest;
    return {
      plan: countWith({ path: "compound", index, leaves, by, ranges, others: others! }, cost),
    };
  }
  return { missing };
}

export const compoundOperator: CountOperator<"compound"> = {
  words: "count by a compound index",
  count({ index, leaves, by, ranges, others }, { segment: { dead } }) {
    return index.countBoth(ranges, by.index, others) - deadIn({ path: "all", parts: leaves }, dead);
  },
};

/**
 * Runs a count, and charges it to the compound index that would have avoided it.
 *
 * @param missing the name of that index, if there is one
 * @param estimate of what the count costs, in nanoseconds
 */
export function chargedCount(
  { indexes }: Segment,
  missing: string | undefined,
  estimate: number,
  count: () => number,
): number {
  if (missing === undefined) return count();
  const start = tuning.clock();
  try {
    return count();
  } finally {
    indexes.chargeCompound(missing, estimate * slowness(start, estimate));
  }
}
