// How each criterion can be answered: by the codes of an index, by trigrams, or by testing values;
// and the filter that does so for rows that come from elsewhere.

import type { ParsedCriterion } from "../criteria/parse.ts";
import { addRows, createBitset, intersectInto, type Bitset } from "./bitset.ts";
import { costs } from "./costs.ts";
import type { CodeRanges, FieldIndex } from "./field-index.ts";
import { bitsetFilter, codeFilter, testFilter } from "./filter.ts";
import type { FilterPlan, Missing, Page, PlanContext } from "./plan.ts";
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
export function accessOf(context: PlanContext, criterion: ParsedCriterion, page: Page): Access {
  const { indexes, size } = context;
  const { field, reach } = criterion;
  const index = indexes.sort(field);
  if (index === undefined) {
    return { criterion, filters: [testPlan(context, criterion, GUESS, { kind: "sort", field })] };
  }
  let ranges = index.reach(criterion);
  if (ranges === undefined) {
    const text = reach.kind === "substring" || reach.kind === "prefix" ? reach.text : "";
    const trigrams = text.length < TRIGRAM_LENGTH ? undefined : indexes.contains(field);
    if (trigrams !== undefined) return substringAccess(context, criterion, trigrams, text);
    const need = page.sort === undefined ? page.offset + page.limit : Infinity;
    const scanned = Math.min(size, need / GUESS);
    const testing = index.values.length * costs.distinctTest;
    const missing = text.length < TRIGRAM_LENGTH ? undefined : { kind: "contains" as const, field };
    // In sort order values are scattered in memory: it pays to test them where they are much fewer.
    if (testing * 4 > scanned * costs.valueTest) {
      return { criterion, filters: [testPlan(context, criterion, GUESS, missing)] };
    }
    if (missing !== undefined) indexes.charge("contains", field, testing);
    ranges = index.test(criterion);
  }
  const codes: CodeSet = { index, ranges, rows: index.count(ranges) };
  return { criterion, codes, filters: [codePlan(context, criterion, codes)] };
}

function substringAccess(
  context: PlanContext,
  criterion: ParsedCriterion,
  trigrams: TrigramIndex,
  text: string,
): Access {
  const postings = trigrams.postings(text);
  const { count, rows } = postings[0]!;
  const narrowing: FilterPlan = {
    path: "trigrams",
    criteria: [criterion],
    selectivity: count / Math.max(1, context.size),
    setUp:
      (rows === undefined ? 0 : count * costs.trigramRow) +
      postings.length * context.size * costs.bitsetRow,
    perRow: costs.codeTest,
    scattered: 0,
    missing: [],
    open: () => bitsetFilter(candidates(context, postings)),
  };
  const verifying = testPlan(context, criterion, TRUE_CANDIDATES, undefined);
  return { criterion, postings, filters: [narrowing, verifying] };
}

function codePlan(context: PlanContext, criterion: ParsedCriterion, codes: CodeSet): FilterPlan {
  return {
    path: "codes",
    criteria: [criterion],
    selectivity: codes.rows / Math.max(1, context.size),
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
  context: PlanContext,
  criterion: ParsedCriterion,
  selectivity: number,
  missing: Missing | undefined,
): FilterPlan {
  return {
    path: "test",
    criteria: [criterion],
    selectivity,
    setUp: 0,
    perRow: costs.valueTest,
    scattered: costs.scatteredTest,
    missing: missing === undefined ? [] : [missing],
    open: () => testFilter(context.schema, context.rows, criterion),
  };
}

/** The rows that are in all postings, or a few more, as a set. */
function candidates({ size }: PlanContext, postings: readonly Posting[]): Bitset {
  const { bits } = postings[0]!;
  const set = bits?.slice() ?? createBitset(size);
  if (bits === undefined) addRows(set, intersectLists(postings));
  else for (const other of bitsetsOf(postings)) intersectInto(set, other);
  return set;
}
