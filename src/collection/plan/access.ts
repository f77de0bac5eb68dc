// The ways to answer the criteria of a group, those on one field together: by the codes of its index, by
// trigrams, or by testing values; and the filter that does so for rows from another source.

import type { Deadline } from "../algorithms/deadline.ts";
import { requiredText } from "../../criteria/operators.ts";
import type { ParsedCriterion } from "../../criteria/parse.ts";
import { forEachRange, intersect, onlyRange, unite, type CodeSet } from "../index/code-set.ts";
import { costs } from "../pipeline/costs.ts";
import type { FieldIndex } from "../index/field-index.ts";
import type { IndexName } from "../index/indexes.ts";
import { kindNames, type IndexKind, type IndexOf } from "../index/kinds.ts";
import { isToldByDigests, searchFilter } from "../pipeline/filter.ts";
import type { FilterPlan, Group, Page } from "./plan.ts";
import type { Segment } from "../snapshot/segment.ts";
import { TRIGRAM_LENGTH, type Posting } from "../index/postings.ts";
import { joinPostings, type TrigramIndex } from "../index/trigram-index.ts";

/** How some criteria on one field can be answered together. */
export interface Access {
  /** At least one of the groups must hold completely. */
  readonly groups: readonly Group[];
  readonly filters: readonly FilterPlan[];
  /** The codes of the values that satisfy them. */
  readonly codes?: Selection | undefined;
  /** Each row that satisfies them is in every posting. */
  readonly postings?: readonly Posting[] | undefined;
}

export type CodeAccess = Access & { readonly codes: Selection };

export type PostingAccess = Access & { readonly postings: readonly Posting[] };

/** Some codes of an index. */
export interface Selection {
  readonly index: FieldIndex;
  readonly set: CodeSet;
  readonly rows: number;
}

/** The assumed share of rows with all trigrams of a text that have the text. */
const TRUE_CANDIDATES = 0.95;

/** The assumed share of rows that a criterion selects, if no index tells. */
const GUESS = 0.1;

/** Among how many rows a text is looked for before all values are searched. */
const FIRST_ROWS = 1024;

/** How much less than that search a scan must take, since other rows may have the text more rarely than the first. */
const CAUTION = 4;

/**
 * The ways to answer the criteria of a group with the indexes that exist or are due.
 *
 * @throws DeadlineError
 */
export function accessesOf(
  segment: Segment,
  group: readonly ParsedCriterion[],
  page: Page,
): Access[] {
  if (group.length === 1) return accessesOfField(segment, group, page);
  const byField = new Map<string, ParsedCriterion[]>();
  for (const criterion of group) {
    const criteria = byField.get(criterion.field);
    if (criteria === undefined) byField.set(criterion.field, [criterion]);
    else criteria.push(criterion);
  }
  const accesses: Access[] = [];
  for (const criteria of byField.values())
    accesses.push(...accessesOfField(segment, criteria, page));
  return accesses;
}

/** @param criteria those of a group on one field; never empty */
function accessesOfField(
  segment: Segment,
  criteria: readonly ParsedCriterion[],
  page: Page,
): Access[] {
  const { field } = criteria[0]!;
  const { deadline } = page;
  const index = segment.indexes.ordered(field, deadline);
  if (index === undefined) {
    return criteria.map((criterion) => testAccess(segment, criterion, { kind: "ordered", field }));
  }
  if (criteria.length === 1) {
    // The most frequent case by far: nothing to combine.
    const set = index.codesFor(criteria[0]!, deadline);
    if (set !== undefined) return [codeAccess(segment, [criteria], index, set)];
  }
  const accesses: Access[] = [];
  const told: ParsedCriterion[] = [];
  const untold: ParsedCriterion[] = [];
  let set: CodeSet | undefined;
  for (const criterion of criteria) {
    const own = index.codesFor(criterion, deadline);
    if (own === undefined) {
      untold.push(criterion);
      continue;
    }
    told.push(criterion);
    set = set === undefined ? own : intersect(set, own, index.values.length);
    deadline?.check();
  }
  if (untold.length > 0) {
    const { tested, others } = accessesOfTexts(segment, index, set, untold, page);
    accesses.push(...others);
    if (tested.length > 0) {
      set = index.test(tested, set, deadline);
      told.push(...tested);
    }
  }
  if (set !== undefined) accesses.push(codeAccess(segment, [told], index, set));
  return accesses;
}

/**
 * The way to answer criteria that the order of an index does not determine: by an index of another kind, by
 * testing each distinct value, or by testing the value of each row.
 *
 * @param among the codes left by other criteria
 */
function accessesOfTexts(
  segment: Segment,
  index: FieldIndex,
  among: CodeSet | undefined,
  criteria: readonly ParsedCriterion[],
  { sort, offset, limit, deadline }: Page,
): { tested: readonly ParsedCriterion[]; others: readonly Access[] } {
  const { indexes, size } = segment;
  const { field } = criteria[0]!;
  const others: Access[] = [];
  let rest = criteria;
  for (const kind of narrowingKinds) {
    const narrow = rest.filter(narrowings[kind].narrows);
    const access = narrow.length === 0 ? undefined : accessBy(kind, segment, narrow, deadline);
    if (access === undefined) continue;
    others.push(access);
    rest = rest.filter((criterion) => !narrow.includes(criterion));
  }

  if (rest.length === 0) return { tested: rest, others };

  const need = sort === undefined ? offset + limit : Infinity;
  const { findsTexts } = index;
  const testing =
    codesIn(index.candidates(criteria, among)) *
    (findsTexts ? costs.textSearch : costs.distinctTest);
  const isCheaper = (share: number) => {
    const scanned = Math.min(size, need / share) * costs.valueTest;
    // In sort order values are scattered in memory: testing them pays if they are much fewer.
    return findsTexts ? testing <= scanned * CAUTION : testing * 4 <= scanned;
  };
  const share = findsTexts && !isCheaper(1) ? shareOfFirst(size, index, rest) : GUESS;
  if (isCheaper(share)) {
    for (const criterion of rest) {
      const kind = kindFor(criterion);
      if (kind !== undefined) indexes.charge(kind, field, testing);
    }
    return { tested: rest, others };
  }
  for (const criterion of rest) {
    const kind = kindFor(criterion);
    others.push(
      testAccess(segment, criterion, kind && { kind, field }, findsTexts ? { index, share } : {}),
    );
  }
  return { tested: [], others };
}

/** Which share of the first rows satisfies some criteria: a page that ends among them needs no search of all values. */
function shareOfFirst(
  size: number,
  index: FieldIndex,
  criteria: readonly ParsedCriterion[],
): number {
  const first = Uint32Array.from({ length: Math.min(size, FIRST_ROWS) }, (_, row) => row);
  const kept = criteria.reduce(
    (length, criterion) => searchFilter(index, criterion).keep(first, length),
    first.length,
  );
  return kept / Math.max(1, first.length);
}

/** A kind of index for criteria that the order of values does not determine. */
type NarrowingKind = Exclude<IndexKind, "ordered">;

/** How criteria use an index of a kind. */
interface Narrowing<Kind extends NarrowingKind> {
  /** Whether the index narrows the rows of a criterion. */
  readonly narrows: (criterion: ParsedCriterion) => boolean;
  readonly access: (
    segment: Segment,
    criteria: readonly ParsedCriterion[],
    index: IndexOf<Kind>,
  ) => Access;
}

const narrowings: { readonly [Kind in NarrowingKind]: Narrowing<Kind> } = {
  trigram: {
    narrows: ({ bounds }) => requiredText(bounds).length >= TRIGRAM_LENGTH,
    access: substringAccess,
  },
};

const narrowingKinds = kindNames.filter((kind) => kind !== "ordered");

/** The kind of index that narrows a criterion; the first of several. */
const kindFor = (criterion: ParsedCriterion) =>
  narrowingKinds.find((kind) => narrowings[kind].narrows(criterion));

/** The way to answer criteria by an index of a kind, if it exists or is due. @throws DeadlineError */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it ties the index to its kind
function accessBy<Kind extends NarrowingKind>(
  kind: Kind,
  segment: Segment,
  criteria: readonly ParsedCriterion[],
  deadline: Deadline | undefined,
): Access | undefined {
  const index = segment.indexes.of(kind, criteria[0]!.field, deadline);
  return index && narrowings[kind].access(segment, criteria, index);
}

function codesIn(set: CodeSet): number {
  let count = 0;
  forEachRange(set, (low, high) => (count += high - low));
  return count;
}

/** Accesses by codes of one index, of which one must hold, as a single access. */
export function uniteAccesses(segment: Segment, accesses: readonly CodeAccess[]): Access {
  const { index } = accesses[0]!.codes;
  const set = accesses
    .map(({ codes }) => codes.set)
    .reduce((united, each) => unite(united, each, index.values.length));
  return codeAccess(
    segment,
    accesses.flatMap(({ groups }) => groups),
    index,
    set,
  );
}

function codeAccess(
  segment: Segment,
  groups: readonly Group[],
  index: FieldIndex,
  set: CodeSet,
): Access {
  const codes: Selection = { index, set, rows: index.count(set) };
  return { groups, codes, filters: [codePlan(segment, groups, codes)] };
}

function substringAccess(
  segment: Segment,
  criteria: readonly ParsedCriterion[],
  trigrams: TrigramIndex,
): Access {
  const postings = joinPostings(
    criteria.map((criterion) => trigrams.postings(requiredText(criterion.bounds))),
  );
  const { count, bits } = postings[0]!;
  const narrowing: FilterPlan = {
    step: { path: "trigrams", postings, groups: [criteria] },
    missing: [],
    selectivity: count / Math.max(1, segment.size),
    setUp:
      (bits === undefined ? count * costs.trigramRow : 0) +
      postings.length * segment.size * costs.bitsetRow,
    perRow: costs.codeTest,
    scattered: 0,
  };
  const verifying = criteria.map((criterion) =>
    testPlan(segment, criterion, TRUE_CANDIDATES, undefined),
  );
  return { groups: [criteria], postings, filters: [narrowing, ...verifying] };
}

function codePlan(
  segment: Segment,
  groups: readonly Group[],
  { index, set, rows }: Selection,
): FilterPlan {
  return {
    step: { path: "codes", index, groups, set, rows },
    missing: [],
    selectivity: rows / Math.max(1, segment.size),
    setUp: onlyRange(set) === undefined ? index.values.length * costs.bitsetRow : 0,
    perRow: costs.codeTest,
    scattered: 0,
  };
}

function testAccess(
  segment: Segment,
  criterion: ParsedCriterion,
  missing: IndexName | undefined,
  { share = GUESS, index }: { readonly share?: number; readonly index?: FieldIndex } = {},
): Access {
  const filter = testPlan(segment, criterion, share, missing, index);
  return { groups: [[criterion]], filters: [filter] };
}

function testPlan(
  { rows }: Segment,
  criterion: ParsedCriterion,
  selectivity: number,
  missing: IndexName | undefined,
  searched?: FieldIndex,
): FilterPlan {
  const isTold = isToldByDigests(rows, criterion);
  return {
    step: { path: "test", groups: [[criterion]], criterion, searched },
    missing: missing === undefined ? [] : [missing],
    selectivity,
    setUp: 0,
    perRow: isTold ? costs.codeTest : costs.valueTest,
    scattered: isTold ? 0 : costs.scatteredTest,
  };
}
