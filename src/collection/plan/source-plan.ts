// Where the rows of a plan can come from, with what that is estimated to cost.

import type { Access, Selection } from "./access.ts";
import { isOneCode, onlyRange } from "../index/code-set.ts";
import { costs } from "./costs.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { FieldIndex } from "../index/field-index.ts";
import type { Group, SourcePlan } from "./plan.ts";
import type { Segment } from "../snapshot/segment.ts";
import {
  BitsetSource,
  DescendingSource,
  ListSource,
  openRuns,
  ScanSource,
  StretchSource,
} from "../pipeline/source.ts";
import { bitsetsOf, intersectLists } from "../index/trigram-index.ts";

/** All live rows, in insertion order. */
export function scan({ size, dead }: Segment): SourcePlan {
  return {
    path: "scan",
    field: undefined,
    groups: [],
    parts: [],
    rows: size - dead.count,
    hasDead: false,
    setUp: 0,
    perRow: costs.scanRow,
    open: () => new ScanSource(size, dead),
  };
}

/** No row: some criteria hold for no value of their field. */
export function nothing(groups: readonly Group[]): SourcePlan {
  return {
    path: "nothing",
    field: fieldOf(groups),
    groups,
    parts: [],
    rows: 0,
    hasDead: false,
    setUp: 0,
    perRow: 0,
    open: () => new ScanSource(0),
  };
}

function fieldOf(groups: readonly Group[]): string | undefined {
  return groups[0]?.[0]?.field;
}

/** The rows of some values, in insertion order. */
export function runsSource(
  { size, dead }: Segment,
  groups: readonly Group[],
  { index, set, rows }: Selection,
): SourcePlan {
  const range = onlyRange(set);
  if (range !== undefined && isOneCode(set)) {
    const from = index.starts[range[0]]!;
    const to = from + rows;
    return {
      path: "run",
      field: fieldOf(groups),
      groups,
      parts: [],
      rows: dead.liveIn(index, from, to),
      hasDead: false,
      setUp: 0,
      perRow: costs.scanRow,
      open: () => new StretchSource(index, from, to, dead),
    };
  }
  return {
    path: "runs",
    field: fieldOf(groups),
    groups,
    parts: [],
    rows,
    hasDead: true,
    setUp: Math.min(rows * costs.gatherRow * 8, rows * costs.gatherRow + size * costs.bitsetRow),
    perRow: costs.scanRow,
    open: () => openRuns(index, set, rows),
  };
}

/** The rows that have all trigrams of some texts, in insertion order. */
export function trigramSource(
  accesses: readonly Access[],
  deadline: Deadline | undefined,
): SourcePlan {
  const postings = accesses
    .flatMap(({ postings: own }) => own ?? [])
    .sort((a, b) => a.count - b.count);
  const shortest = postings[0]!;
  return {
    path: "trigrams",
    field: undefined,
    groups: [accesses.flatMap(({ groups }) => groups.flat())],
    parts: [],
    rows: shortest.count,
    hasDead: true,
    setUp: shortest.rows === undefined ? 0 : shortest.count * costs.trigramRow,
    perRow: costs.trigramRow,
    open: () =>
      shortest.bits === undefined
        ? new ListSource(intersectLists(postings, deadline))
        : new BitsetSource([shortest.bits, ...bitsetsOf(postings.slice(1))]),
  };
}

/** The live rows in the order of an index, or of the stretch of it that a criterion selects. */
export function walk(
  { dead }: Segment,
  field: string,
  descending: boolean,
  index: FieldIndex,
  restricting: Access | undefined,
): SourcePlan {
  const all = [0, index.values.length] as const;
  const [from, to] = (restricting?.codes && onlyRange(restricting.codes.set)) ?? all;
  return {
    path: "walk",
    field,
    groups: restricting?.groups ?? [],
    parts: [],
    rows: dead.liveIn(index, index.starts[from]!, index.starts[to]!),
    hasDead: false,
    setUp: 0,
    perRow: costs.walkRow,
    open: () =>
      descending
        ? new DescendingSource(index, from, to, dead)
        : new StretchSource(index, index.starts[from]!, index.starts[to]!, dead),
  };
}
