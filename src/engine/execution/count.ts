// How many rows a query selects. Some plans have the count without running. If the codes of some indexes answer the
// query, either the rows of one index are looked up in the codes of the other, or the codes of all rows are read in
// sequence, or a cached table has the counts of all pairs of codes. Any other plan is run, and its rows are counted.

import { positiveOf } from "../../criteria/bounds.ts";
import { criteriaIn, onlyCriterion, oppositeOf } from "../../criteria/tree.ts";
import { bitAt, type Bitset } from "../algorithms/bitset.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { finish, inSteps } from "../algorithms/steps.ts";
import { PairCounts } from "../cache/pair-counts.ts";
import { bitsOf, forEachRange } from "../indexes/code-set.ts";
import type { SelectedCodes } from "../operators/operator.ts";
import type { Plan } from "../operators/plan.ts";
import { codesOf, knownRows } from "../operators/table.ts";
import type { ParsedQuery } from "../query.ts";
import { testsOfRows } from "../operators/test-values.ts";
import { DeadRows } from "../versions/dead-rows.ts";
import type { Segment } from "../versions/segment.ts";
import { tuning } from "../tuning.ts";
import { execute, answerSegment, type SegmentAnswer } from "./execute.ts";
import type { Codes } from "../indexes/field-index.ts";
import { countDead, countingColumns } from "./count-columns.ts";

/** How many rows of some segments the criteria of a query select. @throws DeadlineError */
export function countRows(segments: readonly Segment[], query: ParsedQuery): number {
  return segments.reduce((sum, segment) => sum + countIn(segment, query), 0);
}

const countIn = (segment: Segment, query: ParsedQuery): number =>
  countShortText(segment, query) ?? countSelected(answerSegment(segment, query));

/** How many rows contain, or do not contain, a string of one or two characters, if an index has counted them. */
function countShortText(segment: Segment, { criteria, deadline }: ParsedQuery): number | undefined {
  const criterion = onlyCriterion(criteria.groups);
  const bounds = criterion && positiveOf(criterion.bounds);
  if (bounds?.kind !== "substring" || bounds.text.length > 2 || segment.isTiny) return undefined;
  const { indexes, schema, rows, dead, live, size } = segment;
  const count = indexes.of("trigram", criterion!.field, deadline)?.countOf(bounds.text);
  if (count === undefined || dead.count * DEAD_PART > size) return undefined;
  const isNegation = criterion!.bounds !== bounds;
  const accepts = testsOfRows(schema, rows)(isNegation ? oppositeOf(criterion!) : criterion!);
  const containing = count - dead.difference(DeadRows.EMPTY).filter(accepts).length;
  return isNegation ? live - containing : containing;
}

/** Up to one in so many rows that are dead, their values are tested. */
const DEAD_PART = 64;

function countSelected(answer: SegmentAnswer): number {
  const { segment, plan, deadline } = answer;
  const known = knownRows(plan, segment);
  if (known !== undefined) return known;
  const sets = setsOf(plan);
  if (sets !== undefined) return countSets(segment, sets, deadline);
  const opposite = oppositePlan(plan);
  if (opposite !== undefined) {
    // What late queries found out is about the criteria, not about their opposite.
    return segment.live - countSelected({ ...answer, plan: opposite, decided: undefined });
  }
  let count = 0;
  execute(answer, (_, from, to) => (count += to - from));
  return count;
}

/** The plan of all live rows that a plan does not select, if it is a part of it. */
function oppositePlan({ source: { step }, filters }: Plan): Plan | undefined {
  const isWhole = filters.every((filter) => filter.step.path === "live");
  return step.path === "complement" && isWhole ? step.part : undefined;
}

/** Some sets of codes, if a plan selects the live rows in all of them. */
interface Sets {
  /** Those that the rows are read by; `undefined` for all rows. */
  readonly source: SelectedCodes | undefined;
  readonly filters: readonly [SelectedCodes, ...SelectedCodes[]];
  /** The field of the first filter. */
  readonly field: string;
}

function setsOf({ source: { step }, filters }: Plan): Sets | undefined {
  const codes: SelectedCodes[] = [];
  let field = "";
  for (const filter of filters) {
    if (filter.step.path === "live") continue;
    if (filter.step.path !== "codes") return undefined;
    if (codes.length === 0) field = criteriaIn(filter.step.groups)[0]?.field ?? "";
    codes.push(filter.step);
  }
  const [first, ...others] = codes;
  if (first === undefined) return undefined;
  const source = step.path === "scan" ? undefined : codesOf(step, first.index);
  // An index in pieces is not read completely just for a count.
  if (source?.index.isInPieces === true || (source === undefined && step.path !== "scan")) {
    return undefined;
  }
  return { source, filters: [first, ...others], field };
}

/** @throws DeadlineError */
function countSets(segment: Segment, sets: Sets, deadline: Deadline | undefined): number {
  const { dead, size } = segment;
  const { source, filters } = sets;
  const [filter, ...others] = filters;
  const isByOrder = source !== undefined && others.length === 0 && isCheapByOrder(source);
  const all = source === undefined ? filters : [source, ...filters];
  const [one = filter, other] = all;
  if (other !== undefined && all.length === 2) {
    const counts = tableOf(segment, one, other, sets.field, isByOrder, deadline);
    if (counts !== undefined) return counts.count(one.set, other.set) - countDead(dead, all);
  }
  if (isByOrder) return countBoth(source, filter, dead, deadline);
  return finish(countingColumns(all, size), deadline) - countDead(dead, all);
}

/** Whether to look up the rows of some codes one by one: reading the codes of all rows takes longer. */
function isCheapByOrder({ index, set }: SelectedCodes): boolean {
  return index.hasOrder && index.count(set) * ROW_IN_ORDER <= index.rows;
}

/** How many rows are read in sequence in the time it takes to look up one in the order of an index. */
const ROW_IN_ORDER = 4;

/**
 * The table of all pairs of codes, if it is made already, or due. It is due if the codes of all rows have to be read
 * anyway; otherwise once counts have cost about as much as making it, but never while a deadline runs.
 */
function tableOf(
  { cache, dead, options }: Segment,
  { index, set }: SelectedCodes,
  other: SelectedCodes,
  field: string,
  isByOrder: boolean,
  deadline: Deadline | undefined,
): PairCounts | undefined {
  const rows = index.count(set);
  // Dead rows have to be subtracted one by one.
  if (!PairCounts.isSmall(index, other.index) || dead.count > rows) return undefined;
  let counts = cache.get(PairCounts, index, field, "");
  if (counts?.isWith(other.index) !== true) {
    counts = new PairCounts(other.index);
    cache.put(counts, index, field, "");
  }
  if (counts.isMade) return counts;
  counts.read += rows;
  const { indexes = "auto" } = options;
  const isAllowed = isByOrder ? indexes === "auto" && deadline === undefined : indexes !== "none";
  const isDue = !isByOrder || counts.read >= index.rows * tuning.pairShare;
  if (!isDue || !isAllowed) return undefined;
  const made = counts.made(index, other.index, deadline);
  // If there is no room for the table, counts must reach its cost again.
  counts.read = 0;
  cache.put(made, index, field, "");
  return made;
}

/** @throws DeadlineError */
function countBoth(
  source: SelectedCodes,
  filter: SelectedCodes,
  dead: DeadRows,
  deadline: Deadline | undefined,
): number {
  const { order, starts } = source.index;
  const { codes, values } = filter.index;
  const selectedCodes = bitsOf(filter.set, values.length);
  let count = 0;
  forEachRange(source.set, (low, high) => {
    const start = starts[low]!;
    const add = (from: number, to: number) => {
      count += countInOrder(order, start + from, start + to, codes, selectedCodes, dead);
    };
    finish(inSteps(starts[high]! - start, add), deadline);
  });
  return count;
}

/** How many live rows in a range of an order have one of the given codes. */
function countInOrder(
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
