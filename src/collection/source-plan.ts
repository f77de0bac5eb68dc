// Where the rows of a plan can come from, with what that is estimated to cost.

import type { ParsedCriterion } from "../criteria/parse.ts";
import type { Access, CodeSet } from "./access.ts";
import { costs } from "./costs.ts";
import type { FieldIndex } from "./field-index.ts";
import type { SourcePlan } from "./plan.ts";
import type { Segment } from "./segment.ts";
import {
  BitsetSource,
  DescendingSource,
  isOneCode,
  ListSource,
  openRuns,
  ScanSource,
  StretchSource,
} from "./source.ts";
import { bitsetsOf, intersectLists } from "./trigram-index.ts";

/** All live rows, in insertion order. */
export function scan({ size, dead }: Segment): SourcePlan {
  return {
    path: "scan",
    field: undefined,
    criteria: [],
    parts: [],
    rows: size - dead.count,
    hasDead: false,
    setUp: 0,
    perRow: costs.scanRow,
    open: () => new ScanSource(size, dead),
  };
}

/** No row: a criterion holds for no value of its field. */
export function nothing(criterion: ParsedCriterion): SourcePlan {
  return {
    path: "nothing",
    field: criterion.field,
    criteria: [criterion],
    parts: [],
    rows: 0,
    hasDead: false,
    setUp: 0,
    perRow: 0,
    open: () => new ScanSource(0),
  };
}

/** The rows of some values, in insertion order. */
export function runsSource(
  { size, dead }: Segment,
  criterion: ParsedCriterion,
  { index, ranges, rows }: CodeSet,
): SourcePlan {
  if (isOneCode(ranges)) {
    const from = index.starts[ranges[0]!]!;
    const to = from + rows;
    return {
      path: "run",
      field: criterion.field,
      criteria: [criterion],
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
    field: criterion.field,
    criteria: [criterion],
    parts: [],
    rows,
    hasDead: true,
    setUp: Math.min(rows * costs.gatherRow * 8, rows * costs.gatherRow + size * costs.bitsetRow),
    perRow: costs.scanRow,
    open: () => openRuns(index, ranges, rows),
  };
}

/** The rows that have all trigrams of some texts, in insertion order. */
export function trigramSource(accesses: readonly Access[]): SourcePlan {
  const postings = accesses
    .flatMap(({ postings: own }) => own ?? [])
    .sort((a, b) => a.count - b.count);
  const shortest = postings[0]!;
  return {
    path: "trigrams",
    field: undefined,
    criteria: accesses.map(({ criterion }) => criterion),
    parts: [],
    rows: shortest.count,
    hasDead: true,
    setUp: shortest.rows === undefined ? 0 : shortest.count * costs.trigramRow,
    perRow: costs.trigramRow,
    open: () =>
      shortest.bits === undefined
        ? new ListSource(intersectLists(postings))
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
  const [low, high] = restricting?.codes?.ranges ?? [0, index.values.length];
  const from = low ?? 0;
  const to = high ?? 0;
  return {
    path: "walk",
    field,
    criteria: restricting === undefined ? [] : [restricting.criterion],
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
