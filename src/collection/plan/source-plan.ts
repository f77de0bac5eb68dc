// The possible sources of a plan's rows, with their estimated costs.

import type { ParsedCriteria } from "../../criteria/parse.ts";
import type { WireValue } from "../../schema/field.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { RankedBits } from "../algorithms/ranked-bits.ts";
import type { Splice } from "../algorithms/splice.ts";
import type { KeptRows } from "../cache/results.ts";
import type { Sort } from "../cache/top-rows.ts";
import { onlyCode, onlyRange } from "../index/code-set.ts";
import type { FieldIndex } from "../index/field-index.ts";
import { joinPostings } from "../index/trigram-index.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { Access, PostingAccess, Selection } from "./access.ts";
import { costs } from "./costs.ts";
import type { Group, IndexOrder, Plan, SourcePlan, ValueOrder } from "./plan.ts";

/** All live rows. */
export function scan({ live }: Segment): SourcePlan {
  return { step: { path: "scan" }, rows: live, setUp: 0, perRow: costs.scanRow };
}

/** No row. */
export function nothing(groups: readonly Group[]): SourcePlan {
  return { step: { path: "nothing", groups }, rows: 0, setUp: 0, perRow: 0 };
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
  return {
    step: { path: "index-lookup", index, groups, code },
    rows: dead.liveIn(index, from, to),
    setUp: 0,
    perRow: costs.scanRow,
  };
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
  return {
    step: { path: "bitmap-scan", index, groups, set, rows },
    rows,
    setUp: Math.min(rows * costs.bitmapRow * 8, rows * costs.bitmapRow + size * costs.bitsetRow),
    perRow: costs.scanRow,
  };
}

/** The rows with all trigrams of some texts. */
export function rowsOfTrigrams(accesses: readonly PostingAccess[]): SourcePlan {
  const postings = joinPostings(accesses.map(({ postings }) => postings));
  const shortest = postings[0]!;
  return {
    step: { path: "trigrams", postings, groups: groupsOfAll(accesses) },
    rows: shortest.count,
    setUp: shortest.bits === undefined ? shortest.count * costs.trigramRow : 0,
    perRow: costs.trigramRow,
  };
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
  return {
    step: { path: "index-scan", index, groups, field, low, high, descending },
    rows: dead.liveIn(index, index.startOf(low), index.startOf(high)),
    setUp: 0,
    perRow: costs.indexScanRow,
  };
}

function stretchOf(index: FieldIndex, restricting: Access | undefined): readonly [number, number] {
  return (restricting?.codes && onlyRange(restricting.codes.set)) ?? [0, index.values.length];
}

/** The live rows at selected positions of an index, or of the stretch of it selected by an access. */
export function selectedScan(
  { field, descending, index }: IndexOrder,
  accesses: readonly Access[],
  selected: RankedBits,
  restricting: Access | undefined,
): SourcePlan {
  const [low, high] = stretchOf(index, restricting);
  const [from, to] = [index.startOf(low), index.startOf(high)];
  const rows = selected.rank(to) - selected.rank(from);
  const groups = groupsOfAll(accesses);
  return {
    step: { path: "selected-scan", index, groups, field, low, high, descending, selected },
    rows,
    setUp: costs.rankedPage,
    perRow: costs.indexScanRow + ((to - from) * costs.bitsetRow) / Math.max(1, rows),
  };
}

/** The rows of a value, among rows with digests of its field. */
export function rowsOfDigest(
  { size }: Segment,
  groups: readonly Group[],
  field: string,
  value: WireValue,
): SourcePlan {
  return {
    step: { path: "digest-lookup", field, value, groups },
    rows: Math.min(size, 1),
    setUp: size * costs.codeTest,
    perRow: costs.valueTest,
  };
}

/** All rows, in the order of a field of numbers that has digests. */
export function sortByDigest({ size }: Segment, { field, descending }: ValueOrder): SourcePlan {
  return {
    step: { path: "digest-sort", field, descending },
    rows: size,
    setUp: size * costs.codeTest,
    perRow: 0,
  };
}

/** Those of a few rows that the predicate accepts. */
export function judged({ live }: Segment, criteria: ParsedCriteria): SourcePlan {
  return { step: { path: "judge", criteria }, rows: live, setUp: 0, perRow: costs.valueTest };
}

/** Rows found before. */
export function keptRows(groups: readonly Group[], rows: ArrayLike<number>): SourcePlan {
  return {
    step: { path: "kept-rows", rows, groups },
    rows: rows.length,
    setUp: 0,
    perRow: costs.scanRow,
  };
}

/** All rows in an order, from those kept before a change. */
export function resortedRows(
  { size }: Segment,
  sort: Sort,
  { rows }: KeptRows,
  splice: Splice,
): SourcePlan {
  return {
    step: { path: "resorted-rows", sort, rows, splice },
    rows: size,
    setUp: splice.at.length * costs.sortRow,
    perRow: costs.scanRow,
  };
}

/** The rows of several plans. @param setUp the cost of running them */
export function union(
  { size }: Segment,
  groups: readonly Group[],
  parts: readonly Plan[],
  setUp: number,
): SourcePlan {
  return {
    step: { path: "union", parts, groups },
    rows: Math.min(
      size,
      parts.reduce((sum, { source }) => sum + source.rows, 0),
    ),
    setUp,
    perRow: costs.scanRow,
  };
}
