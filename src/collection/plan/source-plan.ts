// The possible sources of a plan's rows, with their estimated costs, and which of them the planner compares for
// the criteria of a group.

import type { ParsedCriteria } from "../../criteria/parse.ts";
import type { WireValue } from "../../schema/field.ts";
import type { AnyRecord } from "../../schema/schema.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { RankedBits } from "../algorithms/ranked-bits.ts";
import type { Splice } from "../algorithms/splice.ts";
import { isSearch, type KeptRows, type Search } from "../cache/results.ts";
import { areSame } from "../cache/row-sets.ts";
import type { Sort } from "../cache/top-rows.ts";
import { onlyCode, onlyRange } from "../index/code-set.ts";
import type { FieldIndex } from "../index/field-index.ts";
import { joinPostings } from "../index/trigram-index.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import type { Access, CodeAccess, PostingAccess, Selection } from "./access.ts";
import { costs } from "../pipeline/costs.ts";
import { tuning } from "../tuning.ts";
import type {
  AccessPath,
  FilterPlan,
  Group,
  IndexOrder,
  OrderStep,
  Plan,
  SourcePlan,
  SourceStep,
} from "./plan.ts";

const NONE: readonly never[] = [];

const SCAN: SourceStep<"scan"> = { path: "scan", groups: NONE };

/**
 * A source with its estimated costs, as whole numbers: with fractions in some plans V8 would hold plans in two shapes,
 * and move every new plan of the first shape to the second.
 */
function sourceOf<Path extends AccessPath>(
  step: SourceStep<Path>,
  rows: number,
  perRow: number,
  setUp = 0,
): SourcePlan<Path> {
  return { step, rows, setUp: Math.round(setUp), perRow: Math.round(perRow) };
}

/** All live rows. */
export function scan({ live }: Segment): SourcePlan {
  return sourceOf(SCAN, live, costs.scanRow);
}

/** No row. */
export function nothing(groups: readonly Group[]): SourcePlan {
  return sourceOf({ path: "nothing", groups }, 0, 0);
}

/** The rows of a value. @throws DeadlineError */
export function rowsOfValue(
  segment: Segment,
  groups: readonly Group[],
  index: FieldIndex,
  value: WireValue,
  deadline: Deadline | undefined,
): SourcePlan {
  const code = index.codeOf(value, deadline);
  return code < 0 ? nothing(groups) : rowsOfCode(segment, groups, index, code);
}

function rowsOfCode(
  { dead }: Segment,
  groups: readonly Group[],
  index: FieldIndex,
  code: number,
): SourcePlan {
  const from = index.startOf(code);
  const to = index.startOf(code + 1);
  if (from === to) return nothing(groups);
  const live = dead.liveIn(index, from, to);
  return sourceOf({ path: "index-lookup", index, groups, code, live }, live, costs.scanRow);
}

/** The rows of some values. */
export function rowsOfCodes(
  segment: Segment,
  groups: readonly Group[],
  { index, set, rows }: Selection,
): SourcePlan {
  const code = onlyCode(set);
  if (code !== undefined) return rowsOfCode(segment, groups, index, code);
  const { size } = segment;
  const sorting = Math.min(rows * costs.bitmapRow * 7, size * costs.bitsetRow);
  const step = { path: "bitmap-scan", index, groups, set, rows } as const;
  return sourceOf(step, rows, costs.scanRow, rows * costs.bitmapRow + sorting);
}

/** The criteria of accesses that must all hold; only a single one may have several groups. */
function groupsOfAll(accesses: readonly Access[]): readonly Group[] {
  const [only] = accesses;
  return only !== undefined && accesses.length === 1
    ? only.groups
    : [accesses.flatMap((access) => access.groups.flat())];
}

/** The live rows in the order of an index, or of the stretch of it selected by an access. */
export function indexScan(
  { dead }: Segment,
  { field, descending, index }: IndexOrder,
  restricting?: Access,
): SourcePlan {
  const [low, high] = stretchOf(index, restricting);
  const groups = restricting?.groups ?? [];
  const live = dead.liveIn(index, index.startOf(low), index.startOf(high));
  const step = { path: "index-scan", index, groups, field, low, high, descending } as const;
  return sourceOf(step, live, costs.indexScanRow);
}

function stretchOf(index: FieldIndex, restricting: Access | undefined): readonly [number, number] {
  return (restricting?.codes && onlyRange(restricting.codes.set)) ?? [0, index.values.length];
}

/** The rows of a value, among rows with digests of its field. */
export function rowsOfDigest(
  { size }: Segment,
  groups: readonly Group[],
  field: string,
  value: WireValue,
): SourcePlan {
  const step = { path: "digest-lookup", field, value, groups } as const;
  return sourceOf(step, Math.min(size, 1), costs.valueTest, size * costs.codeTest);
}

/** Those of a few rows that the predicate accepts. */
export function checked({ live }: Segment, { groups }: ParsedCriteria): SourcePlan {
  return sourceOf({ path: "predicate", groups }, live, costs.valueTest);
}

/** Rows found before. */
export function keptRows(groups: readonly Group[], rows: ArrayLike<number>): SourcePlan {
  return sourceOf({ path: "kept-rows", rows, groups }, rows.length, costs.scanRow);
}

/** The page of a snapshot in the order of a field. */
export function keptPage(
  { size }: Snapshot,
  field: string,
  records: readonly AnyRecord[],
): SourcePlan<"kept-page"> {
  return sourceOf({ path: "kept-page", groups: NONE, field, records }, size, costs.scanRow);
}

/** All rows in an order, from those kept before a change. */
export function resortedRows(
  { size }: Segment,
  sort: Sort,
  { rows }: KeptRows,
  splice: Splice,
): SourcePlan {
  const step = { path: "resorted-rows", groups: NONE, sort, rows, splice } as const;
  return sourceOf(step, size, costs.scanRow, splice.at.length * costs.sortRow);
}

/** The rows of several plans. @param setUp the cost of running them */
export function union(
  { size }: Segment,
  groups: readonly Group[],
  parts: readonly Plan[],
  setUp: number,
): SourcePlan {
  const rows = parts.reduce((sum, { source }) => sum + source.rows, 0);
  return sourceOf({ path: "union", parts, groups }, Math.min(size, rows), costs.scanRow, setUp);
}

/** The criteria of a group, to be answered in an order. */
export interface Asked {
  readonly segment: Segment;
  readonly accesses: readonly Access[];
  /** How rows read in insertion order get into the order. */
  readonly order: OrderStep;
  /** What the criteria say about the index of the order, if there is one. */
  readonly inOrder: InOrder | undefined;
}

/** What the criteria of a group say about an index to be read in order. */
export interface InOrder {
  readonly order: IndexOrder;
  /** The criteria on its own field, if they select a stretch of it: only this has to be read. */
  readonly restricting: Access | undefined;
  /** The positions selected by the other criteria, if they are codes and the positions known. */
  readonly selected: RankedBits | undefined;
}

/** The ways in which a path answers: a source, and what is left to be done with its rows. */
export type Proposing = (asked: Asked) => readonly Pick<Plan, "source" | "filters" | "order">[];

export const AS_READ: OrderStep = { path: "source", missing: undefined };

/** All live rows. */
export const everyRow: Proposing = ({ segment, accesses, order }) => [
  { source: scan(segment), filters: filtersOf(accesses), order },
];

/** All rows, in the order of a field of numbers that has digests. */
export const byDigest: Proposing = ({ segment: { size, dead }, accesses, order }) => {
  if (order.path !== "digests" || accesses.length > 0 || dead.count > 0) return NONE;
  const { field, descending } = order;
  const step = { path: "digest-sort", groups: NONE, field, descending } as const;
  const source = sourceOf(step, size, 0, size * costs.codeTest);
  return [{ source, filters: NONE, order: AS_READ }];
};

/** The rows of some values of a field. */
export const byCodes: Proposing = ({ segment, accesses, order }) =>
  mostSelective(accesses).map((access) => ({
    source: rowsOfCodes(segment, access.groups, access.codes),
    filters: filtersOf(accesses, access),
    order,
  }));

/** The rows with all trigrams of some texts. */
export const byTrigrams: Proposing = ({ accesses, order }) => {
  const bySubstring = accesses.filter(isByPostings);
  if (bySubstring.length === 0) return NONE;
  const postings = joinPostings(bySubstring.map(({ postings }) => postings));
  const shortest = postings[0]!;
  const step = { path: "trigrams", postings, groups: groupsOfAll(bySubstring) } as const;
  const setUp = shortest.bits === undefined ? shortest.count * costs.trigramRow : 0;
  const source = sourceOf(step, shortest.count, costs.trigramRow, setUp);
  const filters = filtersOf(accesses).filter(({ step }) => step.path !== "trigrams");
  return [{ source, filters, order }];
};

/** The rows of a search that was answered whole, if they are all that a search of the group has, or around them. */
export const bySet: Proposing = ({ segment, accesses, order }) => {
  if (segment.rowSets.isEmpty) return NONE;
  return accesses.flatMap((access) => {
    const search = onlySearch(access);
    const set = search && segment.rowSets.around(search);
    if (search === undefined || set === undefined) return [];
    const step = { path: "row-set", groups: [[set.search]], bits: set.bits } as const;
    const source = sourceOf(step, set.count, costs.scanRow, segment.size * costs.bitsetRow);
    const isWhole = areSame(set.search, search);
    return [{ source, filters: filtersOf(accesses, isWhole ? access : undefined), order }];
  });
};

/** The search that groups of criteria are, if they are nothing else. */
export function onlySearch({ groups }: Pick<Access, "groups">): Search | undefined {
  const group = groups[0];
  const criterion = group?.[0];
  if (criterion === undefined || groups.length > 1 || group!.length > 1) return undefined;
  return isSearch(criterion) ? criterion : undefined;
}

/** The live rows in the order of an index, or of the stretch of it that an access selects. */
export const inOrderOfIndex: Proposing = ({ segment, accesses, inOrder }) => {
  if (inOrder === undefined) return NONE;
  const { order, restricting } = inOrder;
  const source = indexScan(segment, order, restricting);
  const asRead: OrderStep = { path: "source", missing: order.missing };
  return [{ source, filters: filtersOf(accesses, restricting), order: asRead }];
};

/** Only the rows at selected positions. */
export const bySelection: Proposing = ({ accesses, inOrder }) => {
  if (inOrder?.selected === undefined) return NONE;
  const { order, restricting, selected } = inOrder;
  const { field, descending, index } = order;
  const [low, high] = stretchOf(index, restricting);
  const [from, to] = [index.startOf(low), index.startOf(high)];
  const rows = selected.rank(to) - selected.rank(from);
  const groups = groupsOfAll(accesses);
  const step = {
    path: "selected-scan",
    index,
    groups,
    field,
    low,
    high,
    descending,
    selected,
  } as const;
  const perRow = costs.indexScanRow + ((to - from) * costs.bitsetRow) / Math.max(1, rows);
  const source = sourceOf(step, rows, perRow, costs.rankedPage);
  return [{ source, filters: NONE, order: AS_READ }];
};

/** The filters of all accesses, or of all except the source. */
function filtersOf(accesses: readonly Access[], source?: Access): FilterPlan[] {
  const filters: FilterPlan[] = [];
  for (const access of accesses) if (access !== source) filters.push(...access.filters);
  return filters;
}

/** The accesses by codes that select the fewest rows. */
function mostSelective(accesses: readonly Access[]): CodeAccess[] {
  const byCodes = accesses.filter(isByCodes);
  return byCodes.length <= tuning.mostSources
    ? byCodes
    : byCodes.sort((a, b) => a.codes.rows - b.codes.rows).slice(0, tuning.mostSources);
}

export function isByCodes(access: Access): access is CodeAccess {
  return access.codes !== undefined;
}

function isByPostings(access: Access): access is PostingAccess {
  return access.postings !== undefined;
}
