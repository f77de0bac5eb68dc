// How each criterion can be answered: by the codes of an index, by trigrams, or by testing values;
// and the filter that does so for rows that come from elsewhere.

import type { ParsedCriterion } from "../criteria/parse.ts";
import { addRows, createBitset, intersectInto, type Bitset } from "./bitset.ts";
import { costs } from "./costs.ts";
import type { CodeRanges, FieldIndex } from "./field-index.ts";
import { bitsetFilter, codeFilter, testFilter } from "./filter.ts";
import type { IndexName } from "./indexes.ts";
import type { FilterPlan, Page } from "./plan.ts";
import type { Segment } from "./segment.ts";
import { bitsetOfRuns } from "./source.ts";
import {
  intersectLists,
  TRIGRAM_LENGTH,
  bitsetsOf,
  type Posting,
  type TrigramIndex,
} from "./trigram-index.ts";

/** How a criterion can be answered. */
export interface Access {
  readonly criterion: ParsedCriterion;
  readonly filters: readonly FilterPlan[];
  /** The codes of the values for which it holds. */
  readonly codes?: CodeSet | undefined;
  /** The postings of which its rows are in all. */
  readonly postings?: readonly Posting[] | undefined;
}

export interface CodeSet {
  readonly index: FieldIndex;
  readonly ranges: CodeRanges;
  readonly rows: number;
}

/** What share of the rows that have all trigrams of a text is taken to have the text. */
const TRUE_CANDIDATES = 0.95;

/** What share of the rows a criterion is taken to select where no index can tell. */
const GUESS = 0.1;

/** How a criterion can be answered with the indexes that there are, or that are due. */
export function accessOf(segment: Segment, criterion: ParsedCriterion, page: Page): Access {
  const { indexes, size } = segment;
  const { field, reach } = criterion;
  const index = indexes.sort(field);
  if (index === undefined) {
    return { criterion, filters: [testPlan(segment, criterion, GUESS, { kind: "sort", field })] };
  }
  let ranges = index.reach(criterion);
  if (ranges === undefined) {
    const text = reach.kind === "substring" || reach.kind === "prefix" ? reach.text : "";
    const trigrams = text.length < TRIGRAM_LENGTH ? undefined : indexes.contains(field);
    if (trigrams !== undefined) return substringAccess(segment, criterion, trigrams, text);
    const need = page.sort === undefined ? page.offset + page.limit : Infinity;
    const scanned = Math.min(size, need / GUESS);
    const testing = index.values.length * costs.distinctTest;
    const missing = text.length < TRIGRAM_LENGTH ? undefined : { kind: "contains" as const, field };
    // In sort order values are scattered in memory: it pays to test them where they are much fewer.
    if (testing * 4 > scanned * costs.valueTest) {
      return { criterion, filters: [testPlan(segment, criterion, GUESS, missing)] };
    }
    if (missing !== undefined) indexes.charge("contains", field, testing);
    ranges = index.test(criterion);
  }
  const codes: CodeSet = { index, ranges, rows: index.count(ranges) };
  return { criterion, codes, filters: [codePlan(segment, criterion, codes)] };
}

function substringAccess(
  segment: Segment,
  criterion: ParsedCriterion,
  trigrams: TrigramIndex,
  text: string,
): Access {
  const postings = trigrams.postings(text);
  const { count, rows } = postings[0]!;
  const narrowing: FilterPlan = {
    path: "trigrams",
    criteria: [criterion],
    selectivity: count / Math.max(1, segment.size),
    setUp:
      (rows === undefined ? 0 : count * costs.trigramRow) +
      postings.length * segment.size * costs.bitsetRow,
    perRow: costs.codeTest,
    scattered: 0,
    missing: [],
    open: () => bitsetFilter(candidates(segment, postings)),
  };
  const verifying = testPlan(segment, criterion, TRUE_CANDIDATES, undefined);
  return { criterion, postings, filters: [narrowing, verifying] };
}

function codePlan(segment: Segment, criterion: ParsedCriterion, codes: CodeSet): FilterPlan {
  return {
    path: "codes",
    criteria: [criterion],
    selectivity: codes.rows / Math.max(1, segment.size),
    setUp: codes.ranges.length > 2 ? codes.index.values.length * costs.bitsetRow : 0,
    perRow: costs.codeTest,
    scattered: 0,
    missing: [],
    open: (scatteredRows) =>
      // A bitset stays in the nearest cache where the codes of all rows do not.
      scatteredRows > codes.rows
        ? bitsetFilter(bitsetOfRuns(codes.index, codes.ranges))
        : codeFilter(codes.index, codes.ranges),
  };
}

function testPlan(
  segment: Segment,
  criterion: ParsedCriterion,
  selectivity: number,
  missing: IndexName | undefined,
): FilterPlan {
  return {
    path: "test",
    criteria: [criterion],
    selectivity,
    setUp: 0,
    perRow: costs.valueTest,
    scattered: costs.scatteredTest,
    missing: missing === undefined ? [] : [missing],
    open: () => testFilter(segment.schema, segment.rows, criterion),
  };
}

/** The rows that are in all postings, or a few more, as a set. */
function candidates({ size }: Segment, postings: readonly Posting[]): Bitset {
  const { bits } = postings[0]!;
  const set = bits?.slice() ?? createBitset(size);
  if (bits === undefined) addRows(set, intersectLists(postings));
  else for (const other of bitsetsOf(postings)) intersectInto(set, other);
  return set;
}
