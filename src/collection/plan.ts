// The planner: from parsed criteria, a sort and a page to every plan that answers them, each with
// what it is estimated to cost. All of them give the predicate's answer; the cheapest is run.

import { predicateOf } from "../criteria/compile.ts";
import type { ParsedCriteria, ParsedCriterion } from "../criteria/parse.ts";
import type { WireValue } from "../schema/field.ts";
import { addRows, createBitset, intersectInto, type Bitset } from "./bitset.ts";
import { costs } from "./costs.ts";
import { runUnordered } from "./execute.ts";
import type { CodeRanges, FieldIndex } from "./field-index.ts";
import { bitsetFilter, codeFilter, predicateFilter, testFilter, type Filter } from "./filter.ts";
import type { Indexes, IndexKind } from "./indexes.ts";
import type { ParsedQuery } from "./query.ts";
import {
  BitsetSource,
  bitsetsOf,
  DescendingSource,
  ListSource,
  ScanSource,
  type Source,
} from "./source.ts";
import {
  intersectLists,
  TRIGRAM_LENGTH,
  type Posting,
  type TrigramIndex,
} from "./trigram-index.ts";

/** What plans are made from. */
export interface PlanContext {
  /** How many rows the collection has. */
  readonly size: number;
  readonly readerOf: (field: string) => (row: number) => WireValue;
  readonly indexes: Indexes;
}

/**
 * How a source comes by its rows: all rows; the run of one value; the runs of several; candidates
 * by trigrams; an index in its order; the union of other plans; or nothing, because a criterion
 * holds for no value of its field.
 */
export type SourcePath = "scan" | "run" | "runs" | "trigrams" | "walk" | "union" | "nothing";

export interface SourcePlan {
  readonly path: SourcePath;
  /** The field whose index it uses. */
  readonly field: string | undefined;
  /** The criteria that it answers or, by trigrams, narrows. */
  readonly criteria: readonly ParsedCriterion[];
  /** The plans that it unites. */
  readonly parts: readonly Plan[];
  /** How many rows it has, at most. */
  readonly rows: number;
  /** Nanoseconds before its first row, and for each row. */
  readonly setUp: number;
  readonly perRow: number;
  readonly open: () => Source;
}

/**
 * How a filter judges a row: by the code of its value; by having the trigrams of a text; by testing
 * its value; by the predicate of all criteria; by being in the union of other plans.
 */
export type FilterPath = "codes" | "trigrams" | "test" | "predicate" | "union";

export interface FilterPlan {
  readonly path: FilterPath;
  readonly criteria: readonly ParsedCriterion[];
  readonly selectivity: number;
  readonly setUp: number;
  /** Nanoseconds a row, where rows come one after the other. */
  readonly perRow: number;
  /** Nanoseconds more for rows that come from all over the collection. */
  readonly scattered: number;
  /** The indexes that would have saved its work. */
  readonly missing: readonly Missing[];
  /** @param scatteredRows how many rows from all over the collection it will have to judge */
  readonly open: (scatteredRows: number) => Filter;
}

export interface Missing {
  readonly kind: IndexKind;
  readonly field: string;
}

/**
 * How the rows come into the order asked for: they are in it as they come; a page of them is
 * selected by the codes of an index; or their values are sorted.
 */
export type OrderPath = "source" | "select" | "sort";

export interface Plan {
  readonly source: SourcePlan;
  readonly filters: readonly FilterPlan[];
  readonly order: OrderPath;
  readonly sort: ParsedQuery["sort"];
  /** How many rows its filters will have to judge that come from all over the collection. */
  readonly scatteredRows: number;
  readonly offset: number;
  readonly limit: number;
  /** How many rows are estimated to match, before paging. */
  readonly rows: number;
  /** Estimated nanoseconds. */
  readonly cost: number;
}

type Page = Pick<ParsedQuery, "sort" | "offset" | "limit">;

const EVERYTHING: Page = { sort: undefined, offset: 0, limit: Infinity };

/** The cheapest plan. */
export function planQuery(context: PlanContext, query: ParsedQuery): Plan {
  return cheapest(plansOf(context, query));
}

/** Every plan that answers the query. */
export function plansOf(context: PlanContext, query: ParsedQuery): Plan[] {
  const { groups } = query.criteria;
  const [group] = groups;
  return groups.length === 1 && group !== undefined
    ? plansOfGroup(context, group, query)
    : plansOfUnion(context, query.criteria, query);
}

function cheapest(plans: readonly Plan[]): Plan {
  let best = plans[0]!;
  for (const plan of plans) if (plan.cost < best.cost) best = plan;
  return best;
}

// One group: all its criteria must hold.

function plansOfGroup(context: PlanContext, group: readonly ParsedCriterion[], page: Page): Plan[] {
  const sortIndex = page.sort === undefined ? undefined : context.indexes.sort(page.sort.field);
  const accesses = group.map((criterion) => accessOf(context, criterion, page));
  const impossible = accesses.find(({ codes }) => codes?.rows === 0);
  if (impossible !== undefined) {
    return [finish(context, nothing(impossible.criterion), [], page, true, sortIndex)];
  }

  const filtersBut = (without: Access | undefined) =>
    accesses.flatMap((access) => (access === without ? [] : access.filters));
  const plans = [
    finish(context, scan(context), filtersBut(undefined), page, page.sort === undefined, sortIndex),
  ];
  for (const access of accesses) {
    if (access.codes === undefined) continue;
    const source = runsSource(context, access.criterion, access.codes);
    plans.push(
      finish(context, source, filtersBut(access), page, page.sort === undefined, sortIndex),
    );
  }
  const bySubstring = accesses.filter(({ postings }) => postings !== undefined);
  if (bySubstring.length > 0) {
    const source = trigramSource(bySubstring);
    const verifying = filtersBut(undefined).filter(({ path }) => path !== "trigrams");
    plans.push(finish(context, source, verifying, page, page.sort === undefined, sortIndex));
  }
  if (page.sort !== undefined && sortIndex !== undefined) {
    const { field, order } = page.sort;
    // A stretch of the sort index that a criterion on the same field selects is all there is to walk.
    const restricting = accesses.find(
      ({ criterion, codes }) => criterion.field === field && codes?.ranges.length === 2,
    );
    const source = walk(field, order === "DESC", sortIndex, restricting);
    plans.push(finish(context, source, filtersBut(restricting), page, true, sortIndex));
  }
  return plans;
}

/** How a criterion can be answered. */
interface Access {
  readonly criterion: ParsedCriterion;
  readonly filters: readonly FilterPlan[];
  /** The codes of the values for which it holds. */
  readonly codes?: CodeSet | undefined;
  /** The postings of which its rows are in all. */
  readonly postings?: readonly Posting[] | undefined;
}

interface CodeSet {
  readonly index: FieldIndex;
  readonly ranges: CodeRanges;
  readonly rows: number;
}

/** What share of the rows that have all trigrams of a text is taken to have the text. */
const TRUE_CANDIDATES = 0.8;

/** What share of the rows a criterion is taken to select where no index can tell. */
const GUESS = 0.1;

function accessOf(context: PlanContext, criterion: ParsedCriterion, page: Page): Access {
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
    if (index.values.length * costs.distinctTest > scanned * costs.valueTest) {
      const missing =
        text.length < TRIGRAM_LENGTH ? undefined : { kind: "contains" as const, field };
      return { criterion, filters: [testPlan(context, criterion, GUESS, missing)] };
    }
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
    open: () => testFilter(context.readerOf(criterion.field), criterion.test),
  };
}

// Several groups: one of them must hold.

function plansOfUnion(context: PlanContext, criteria: ParsedCriteria, page: Page): Plan[] {
  const sortIndex = page.sort === undefined ? undefined : context.indexes.sort(page.sort.field);
  const parts = criteria.groups.map((group) => cheapest(plansOfGroup(context, group, EVERYTHING)));
  const all = criteria.groups.flat();
  const share = 1 - parts.reduce((none, { rows }) => none * (1 - rows / (context.size || 1)), 1);

  const predicate: FilterPlan = {
    path: "predicate",
    criteria: all,
    selectivity: share,
    setUp: 0,
    perRow: criteria.groups.length * costs.valueTest,
    scattered: criteria.groups.length * costs.scatteredTest,
    missing: parts.flatMap(({ filters }) => filters.flatMap(({ missing }) => missing)),
    open: () => predicateFilter(predicateOf(criteria, context.readerOf)),
  };
  const unite = (): Bitset => {
    const bits = createBitset(context.size);
    for (const part of parts) {
      runUnordered(context, part, (rows, from, to) => addRows(bits, rows.subarray(from, to)));
    }
    return bits;
  };
  const setUp = parts.reduce(
    (sum, { cost, rows }) => sum + cost + rows * costs.codeTest,
    context.size * costs.bitsetRow,
  );
  const union: SourcePlan = {
    path: "union",
    field: undefined,
    criteria: all,
    parts,
    rows: Math.min(
      context.size,
      parts.reduce((sum, { source }) => sum + source.rows, 0),
    ),
    setUp,
    perRow: costs.scanRow,
    open: () => new BitsetSource([unite()]),
  };

  const plans = [
    finish(context, scan(context), [predicate], page, page.sort === undefined, sortIndex),
    finish(context, union, [], page, page.sort === undefined, sortIndex),
  ];
  if (page.sort !== undefined && sortIndex !== undefined) {
    const source = walk(page.sort.field, page.sort.order === "DESC", sortIndex, undefined);
    const inUnion: FilterPlan = {
      path: "union",
      criteria: all,
      selectivity: share,
      setUp,
      perRow: costs.codeTest,
      scattered: 0,
      missing: [],
      open: () => bitsetFilter(unite()),
    };
    plans.push(
      finish(context, source, [predicate], page, true, sortIndex),
      finish(context, source, [inUnion], page, true, sortIndex),
    );
  }
  return plans;
}

// Sources.

function scan({ size }: PlanContext): SourcePlan {
  return {
    path: "scan",
    field: undefined,
    criteria: [],
    parts: [],
    rows: size,
    setUp: 0,
    perRow: costs.scanRow,
    open: () => new ScanSource(size),
  };
}

function nothing(criterion: ParsedCriterion): SourcePlan {
  return {
    path: "nothing",
    field: criterion.field,
    criteria: [criterion],
    parts: [],
    rows: 0,
    setUp: 0,
    perRow: 0,
    open: () => new ScanSource(0),
  };
}

function runsSource(
  { size }: PlanContext,
  criterion: ParsedCriterion,
  { index, ranges, rows }: CodeSet,
): SourcePlan {
  const isRun = isOneCode(ranges);
  return {
    path: isRun ? "run" : "runs",
    field: criterion.field,
    criteria: [criterion],
    parts: [],
    rows,
    setUp: isRun
      ? 0
      : Math.min(rows * costs.gatherRow * 8, rows * costs.gatherRow + size * costs.bitsetRow),
    perRow: costs.scanRow,
    open: () => openRuns(index, ranges, rows),
  };
}

function isOneCode(ranges: CodeRanges): boolean {
  const [low = 0, high = 0] = ranges;
  return ranges.length === 2 && high === low + 1;
}

/** From this share of the rows on, a bitset puts them in order faster than a sort. */
const DENSE = 1 / 64;

function openRuns(index: FieldIndex, ranges: CodeRanges, rows: number): Source {
  if (isOneCode(ranges)) return new ListSource(runsOf(index, ranges)[0]!);
  if (rows > index.rows * DENSE) return new BitsetSource([bitsetOfRuns(index, ranges)]);
  const list = new Uint32Array(rows);
  let length = 0;
  for (const run of runsOf(index, ranges)) {
    list.set(run, length);
    length += run.length;
  }
  return new ListSource(list.sort());
}

function runsOf({ order, starts }: FieldIndex, ranges: CodeRanges): Uint32Array[] {
  const runs: Uint32Array[] = [];
  for (let i = 0; i < ranges.length; i += 2) {
    runs.push(order.subarray(starts[ranges[i]!], starts[ranges[i + 1]!]));
  }
  return runs;
}

function bitsetOfRuns(index: FieldIndex, ranges: CodeRanges): Bitset {
  const bits = createBitset(index.rows);
  for (const run of runsOf(index, ranges)) addRows(bits, run);
  return bits;
}

function trigramSource(accesses: readonly Access[]): SourcePlan {
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
    setUp: shortest.rows === undefined ? 0 : shortest.count * costs.trigramRow,
    perRow: costs.trigramRow,
    open: () =>
      shortest.bits === undefined
        ? new ListSource(intersectLists(postings))
        : new BitsetSource([shortest.bits, ...bitsetsOf(postings.slice(1))]),
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

function walk(
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
    rows: index.count([from, to]),
    setUp: 0,
    perRow: costs.walkRow,
    open: () =>
      descending
        ? new DescendingSource(index, from, to)
        : new ListSource(index.order.subarray(index.starts[from], index.starts[to])),
  };
}

/** Puts a plan together and estimates its cost. */
function finish(
  context: PlanContext,
  source: SourcePlan,
  unordered: readonly FilterPlan[],
  { sort, offset, limit }: Page,
  inOrder: boolean,
  sortIndex: FieldIndex | undefined,
): Plan {
  const filters = unordered.length < 2 ? unordered : [...unordered].sort(byRank);
  const selectivity = filters.reduce((product, filter) => product * filter.selectivity, 1);
  const rows = source.rows * selectivity;
  const order: OrderPath = inOrder ? "source" : sortIndex === undefined ? "sort" : "select";
  let visited = source.rows;
  if (inOrder) {
    const need = filters.length === 0 ? limit : (offset + limit) / Math.max(selectivity, 1e-9);
    visited = Math.min(visited, need);
  }
  let cost = source.setUp + visited * source.perRow;
  let reaching = visited;
  for (const filter of filters) {
    const isScattered = source.path === "walk" || reaching * 8 < context.size;
    cost += filter.setUp + reaching * (filter.perRow + (isScattered ? filter.scattered : 0));
    reaching *= filter.selectivity;
  }
  if (!inOrder) cost += rows * (order === "select" ? costs.selectRow : costs.sortRow);
  const scatteredRows = source.path === "walk" ? visited : 0;
  return { source, filters, order, sort, scatteredRows, offset, limit, rows, cost };
}

/** Filters that remove much for little come first. */
function byRank(a: FilterPlan, b: FilterPlan): number {
  return rank(a) - rank(b);
}

function rank({ perRow, selectivity }: FilterPlan): number {
  return perRow / Math.max(1 - selectivity, 1e-9);
}
