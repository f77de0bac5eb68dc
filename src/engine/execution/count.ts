// How many rows a query selects. Some plans have the count without running. If the codes of two indexes answer the
// query, the rows of one are looked up in the other, or a cached table has the counts of all pairs of codes. Any other
// plan is run, and its rows are counted.

import { criteriaIn } from "../../criteria/tree.ts";
import { bitAt, type Bitset } from "../algorithms/bitset.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { finish, inSteps } from "../algorithms/steps.ts";
import { PairCounts } from "../cache/pair-counts.ts";
import { bitsOf, forEachRange } from "../indexes/code-set.ts";
import type { SelectedCodes } from "../operators/operator.ts";
import type { Plan } from "../operators/plan.ts";
import { codesOf, knownRows } from "../operators/table.ts";
import type { ParsedQuery } from "../query.ts";
import type { DeadRows } from "../versions/dead-rows.ts";
import type { Segment } from "../versions/segment.ts";
import { tuning } from "../tuning.ts";
import { execute, answerSegment } from "./execute.ts";
import type { Codes } from "../indexes/field-index.ts";

/** How many rows of some segments the criteria of a query select. @throws DeadlineError */
export function countRows(segments: readonly Segment[], query: ParsedQuery): number {
  return segments.reduce((sum, segment) => sum + countIn(segment, query), 0);
}

function countIn(segment: Segment, query: ParsedQuery): number {
  const answer = answerSegment(segment, query);
  const { plan } = answer;
  const known = knownRows(plan, segment);
  if (known !== undefined) return known;
  const pair = pairOf(plan);
  if (pair !== undefined) {
    return countByTable(segment, pair, query.deadline) ?? countBoth(segment, pair, query.deadline);
  }
  let count = 0;
  execute(answer, (_, from, to) => (count += to - from));
  return count;
}

/** Two sets of codes, if a plan selects the live rows in both. */
interface Pair {
  /** The rows with these codes are read. */
  readonly source: SelectedCodes;
  readonly filter: SelectedCodes;
  /** The field of the filter. */
  readonly field: string;
}

function pairOf({ source: { step }, filters }: Plan): Pair | undefined {
  const [first, ...others] = filters.filter((filter) => filter.step.path !== "live");
  if (first?.step.path !== "codes" || others.length > 0) return undefined;
  const filter = first.step;
  const source = step.path === "scan" ? undefined : codesOf(step, filter.index);
  // An index in pieces is not read completely just for a count.
  if (source === undefined || source.index.isInPieces) return undefined;
  return { source, filter, field: criteriaIn(filter.groups)[0]?.field ?? "" };
}

/**
 * The number of rows according to a table of all pairs of codes. The table is made once counts have cost about as much
 * as making it, but never while a deadline runs.
 */
function countByTable(
  { cache, dead, options }: Segment,
  { source, filter, field }: Pair,
  deadline: Deadline | undefined,
): number | undefined {
  const { index } = source;
  // Dead rows have to be subtracted one by one.
  if (!PairCounts.isSmall(index, filter.index) || dead.count > 0) return undefined;
  let counts = cache.get(PairCounts, index, field, "");
  if (counts?.isWith(filter.index) !== true) {
    counts = new PairCounts(filter.index);
    cache.put(counts, index, field, "");
  }
  if (!counts.isMade) {
    counts.read += index.count(source.set);
    const isDue = counts.read >= index.rows * tuning.pairShare;
    const isAllowed = (options.indexes ?? "auto") === "auto" && deadline === undefined;
    if (!isDue || !isAllowed) return undefined;
    // If there is no room for the table, counts must reach its cost again.
    counts.read = 0;
    counts = new PairCounts(filter.index);
    counts.make(index, filter.index);
    cache.put(counts, index, field, "");
  }
  return counts.count(source.set, filter.set);
}

/** @throws DeadlineError */
function countBoth({ dead }: Segment, { source, filter }: Pair, deadline?: Deadline): number {
  const { order, starts } = source.index;
  const { codes, values } = filter.index;
  const selectedCodes = bitsOf(filter.set, values.length);
  let count = 0;
  forEachRange(source.set, (low, high) => {
    const start = starts[low]!;
    const add = (from: number, to: number) => {
      count += countSelected(order, start + from, start + to, codes, selectedCodes, dead);
    };
    finish(inSteps(starts[high]! - start, add), deadline);
  });
  return count;
}

/** How many live rows in a range of an order have one of the given codes. */
function countSelected(
  order: Uint32Array,
  from: number,
  to: number,
  codes: Codes,
  selectedCodes: Bitset,
  dead: DeadRows,
): number {
  let count = 0;
  if (dead.count === 0) {
    for (let i = from; i < to; i++) count += bitAt(selectedCodes, codes[order[i]!]!);
    return count;
  }
  for (let i = from; i < to; i++) {
    const row = order[i]!;
    if (bitAt(selectedCodes, codes[row]!) === 1 && !dead.has(row)) count++;
  }
  return count;
}
