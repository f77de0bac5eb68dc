// The access paths, one row each: how explain words it, what is known of its rows, when the planner proposes
// it, and how it is opened. A plan is data; here it becomes a source that produces rows, and filters that keep
// some of them. CONTRIBUTING.md says what else a new path needs.

import { predicateOf } from "../../criteria/compile.ts";
import { addRows, createBitset, intersectInto, type Bitset } from "../algorithms/bitset.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { CodeSet } from "../index/code-set.ts";
import type { FieldIndex } from "../index/field-index.ts";
import type { Posting } from "../index/postings.ts";
import { bitsetsOf, intersectLists } from "../index/trigram-index.ts";
import { costs } from "../pipeline/costs.ts";
import { checkEach, lookUpByDigest, sortByDigest } from "../pipeline/few.ts";
import {
  bitsetFilter,
  codeFilter,
  predicateFilter,
  searchFilter,
  testFilter,
  type Filter,
} from "../pipeline/filter.ts";
import { SelectedSource } from "../pipeline/selected-source.ts";
import {
  BitsetSource,
  bitsetOfCodes,
  DescendingSource,
  ListSource,
  openBitmapScan,
  ScanSource,
  StretchSource,
  type Source,
} from "../pipeline/source.ts";
import type { DeadRows } from "../snapshot/dead-rows.ts";
import type { Segment } from "../snapshot/segment.ts";
import { Order } from "../snapshot/sort-order.ts";
import { tuning } from "../tuning.ts";
import type {
  AccessPath,
  FilterPath,
  FilterStep,
  OrderPath,
  Plan,
  SourcePath,
  SourceStep,
} from "./plan.ts";
import { UNLIMITED } from "./query.ts";
import {
  byCodes,
  byDigest,
  bySelection,
  bySet,
  byTrigrams,
  everyRow,
  inOrderOfIndex,
  type Proposing,
} from "./source-plan.ts";

/** What opening a step needs. */
export interface Opening {
  readonly segment: Segment;
  readonly deadline: Deadline | undefined;
  /** Runs the parts of a union: the rows of all of them, as a set. */
  unite(parts: readonly Plan[]): Bitset;
}

/** Rows in an array, from one position up to another. */
export interface List {
  readonly rows: ArrayLike<number>;
  readonly from: number;
  readonly to: number;
}

const whole = (rows: ArrayLike<number>): List => ({ rows, from: 0, to: rows.length });

const NOTHING: List = whole([]);

/** Some codes of an index. */
export interface SelectedCodes {
  readonly index: FieldIndex;
  readonly set: CodeSet;
}

interface AnySource<Path extends AccessPath> {
  /** How explain words it. */
  readonly words: string;
  /** The field whose index or digests it reads. */
  readonly field?: (step: SourceStep<Path>) => string | undefined;
  /** Whether it may produce dead rows. */
  readonly handsOutDead?: true;
  /** Whether it may have fewer rows than its plan says, even if none is filtered. */
  readonly isEstimated?: true;
  /**
   * The codes whose live rows are all its live rows: counts of a field then read no row.
   *
   * @param any any index, for a source that has every row
   */
  readonly codes?: (step: SourceStep<Path>, any: FieldIndex) => SelectedCodes;
  /** The plans of it for the criteria of a group; `undefined` if it is chosen without a comparison. */
  readonly propose: Proposing | undefined;
}

/** A source that produces batches of rows; of few rows perhaps a list. */
interface BatchSource<Path extends SourcePath> extends AnySource<Path> {
  readonly list?: ListRows<Path>;
  /** @throws DeadlineError */
  readonly open: (step: SourceStep<Path>, opening: Opening) => Source;
}

/** A source of few rows, or of rows already in an array. */
interface ListSourceRow<Path extends SourcePath> extends AnySource<Path> {
  readonly list: (...given: Parameters<ListRows<Path>>) => List;
  readonly open?: undefined;
}

/**
 * The rows as a list; `undefined` if they come in batches.
 *
 * @param wanted how many rows are needed at most
 * @throws DeadlineError
 */
type ListRows<Path extends SourcePath> = (
  step: SourceStep<Path>,
  segment: Segment,
  wanted: number,
  deadline: Deadline | undefined,
) => List | undefined;

const firstField = ({ groups }: SourceStep) => groups[0]?.[0]?.field;

const ownField = ({ field }: { readonly field: string }) => field;

export const sourcePaths: {
  readonly [Path in SourcePath]: BatchSource<Path> | ListSourceRow<Path>;
} = {
  scan: {
    words: "scan every row",
    propose: everyRow,
    codes: (_, any) => ({ index: any, set: [0, any.values.length] }),
    open: (_, { segment: { size, dead } }) => new ScanSource(size, dead),
  },
  "digest-sort": {
    words: "sort by digest",
    field: ownField,
    propose: byDigest,
    list: (step, segment, wanted, deadline) => whole(sortByDigest(segment, step, wanted, deadline)),
  },
  nothing: {
    words: "read nothing, no row can match",
    propose: undefined,
    field: firstField,
    list: () => NOTHING,
  },
  "index-lookup": {
    words: "index lookup",
    propose: undefined,
    field: firstField,
    codes: ({ index, code }) => ({ index, set: [code, code + 1] }),
    list({ index, code, live }, { dead }, wanted) {
      const from = index.startOf(code);
      const to = index.startOf(code + 1);
      if (index.isInPieces || to - from > tuning.largestBatch) return undefined;
      if (live === to - from) return { rows: index.order, from, to };
      // In a long run the position of a page is found without reading the rows before it.
      if (to - from > tuning.fewRows && wanted < UNLIMITED) return undefined;
      return whole(liveRows(index.order, from, to, dead));
    },
    open: ({ index, code }, { segment: { dead } }) =>
      new StretchSource(index, index.startOf(code), index.startOf(code + 1), dead),
  },
  "bitmap-scan": {
    words: "bitmap scan of several values",
    field: firstField,
    handsOutDead: true,
    propose: byCodes,
    codes: (step) => step,
    open: ({ index, set, rows }) => openBitmapScan(index, set, rows),
  },
  trigrams: {
    words: "find candidates by trigrams",
    handsOutDead: true,
    propose: byTrigrams,
    open({ postings }, { deadline }) {
      const { bits } = postings[0]!;
      return bits === undefined
        ? new ListSource(intersectLists(postings, deadline))
        : new BitsetSource([bits, ...bitsetsOf(postings.slice(1))]);
    },
  },
  "index-scan": {
    words: "index scan",
    field: ownField,
    propose: inOrderOfIndex,
    open: ({ index, low, high, descending }, { segment: { dead } }) =>
      descending
        ? new DescendingSource(index, low, high, dead)
        : new StretchSource(index, index.startOf(low), index.startOf(high), dead),
  },
  "selected-scan": {
    words: "index scan by rank",
    field: ownField,
    // Dead rows are not counted before it runs.
    isEstimated: true,
    propose: bySelection,
    open: ({ index, selected, low, high, descending }, { segment: { dead } }) =>
      new SelectedSource(index, selected, low, high, descending, dead),
  },
  union: {
    words: "unite",
    propose: undefined,
    isEstimated: true,
    open: ({ parts }, opening) => new BitsetSource([opening.unite(parts)]),
  },
  "digest-lookup": {
    words: "lookup by digest",
    propose: undefined,
    field: ownField,
    isEstimated: true,
    list: ({ field, value }, segment, wanted) =>
      whole(lookUpByDigest(segment, field, value, wanted)),
  },
  predicate: {
    words: "check each row with the predicate",
    propose: undefined,
    isEstimated: true,
    list: (step, segment, wanted) => whole(checkEach(segment, step, wanted)),
  },
  "kept-rows": {
    words: "hand out kept rows",
    propose: undefined,
    list: ({ rows }) => whole(rows),
  },
  "row-set": {
    words: "read a kept set of rows",
    field: firstField,
    handsOutDead: true,
    propose: bySet,
    open: ({ bits }) => new BitsetSource([bits]),
  },
  "resorted-rows": {
    words: "put what changed among kept rows",
    propose: undefined,
    list: (step, segment) => whole(new Order(step).resorted(segment, step.rows, step.splice)),
  },
};

/** All paths, also those that answer for a whole snapshot: these are not opened, `pageOf` copies their records. */
export const accessPaths: { readonly [Path in AccessPath]: AnySource<Path> } = {
  ...sourcePaths,
  "kept-page": { words: "copy a kept page", propose: undefined, field: ownField },
};

function liveRows(order: Uint32Array, from: number, to: number, dead: DeadRows): number[] {
  const rows: number[] = [];
  for (let at = from; at < to; at++) {
    const row = order[at]!;
    if (!dead.has(row)) rows.push(row);
  }
  return rows;
}

interface FilterRow<Path extends FilterPath> {
  /** How explain words it. */
  readonly words: string;
  /**
   * @param scatteredRows how many rows from all over the collection it will check
   * @throws DeadlineError
   */
  readonly open: (step: FilterStep<Path>, opening: Opening, scatteredRows: number) => Filter;
}

export const filterPaths: { readonly [Path in FilterPath]: FilterRow<Path> } = {
  codes: {
    words: "keep by code",
    // A bitset fits in the nearest cache when the codes of all rows do not.
    open: ({ index, set, rows }, _, scatteredRows) =>
      scatteredRows > rows ? bitsetFilter(bitsetOfCodes(index, set)) : codeFilter(index, set),
  },
  trigrams: {
    words: "keep by trigrams",
    open: ({ postings }, { segment, deadline }) =>
      bitsetFilter(candidates(segment, postings, deadline)),
  },
  test: {
    words: "keep by testing the value",
    open: ({ criterion, searched }, { segment: { schema, rows } }) =>
      searched === undefined
        ? testFilter(schema, rows, criterion)
        : searchFilter(searched, criterion),
  },
  predicate: {
    words: "keep by the predicate",
    open: (step, { segment }) => predicateFilter(predicateOf(step, segment.readerOf)),
  },
  union: {
    words: "keep what is in the union",
    open: ({ parts }, opening) => bitsetFilter(opening.unite(parts)),
  },
  live: {
    words: "keep what has not changed since",
    open: (_, { segment: { dead } }) => predicateFilter((row) => !dead.has(row)),
  },
};

/** How explain words an order, and what it costs for each row. */
export const orderPaths: Readonly<
  Record<OrderPath, { readonly words: string; readonly perRow: number }>
> = {
  source: { words: "in order as read", perRow: 0 },
  select: { words: "select the page by index codes", perRow: costs.selectRow },
  digests: { words: "select the page by digests", perRow: costs.codeTest },
  sort: { words: "sort the values, without an index", perRow: costs.sortRow },
};

/** The rows in all postings, and perhaps a few more, as a set. */
function candidates(
  { size }: Segment,
  postings: readonly Posting[],
  deadline: Deadline | undefined,
): Bitset {
  const { bits } = postings[0]!;
  const set = bits?.slice() ?? createBitset(size);
  if (bits === undefined) addRows(set, intersectLists(postings, deadline));
  else for (const other of bitsetsOf(postings)) intersectInto(set, other);
  return set;
}

/** The rows of a source as a list; `undefined` if they come in batches. @throws DeadlineError */
export function listOf<Path extends SourcePath>(
  step: SourceStep<Path>,
  segment: Segment,
  wanted: number,
  deadline: Deadline | undefined,
): List | undefined {
  return sourcePaths[step.path].list?.(step, segment, wanted, deadline);
}

/** @throws DeadlineError */
export function openSource<Path extends SourcePath>(
  step: SourceStep<Path>,
  opening: Opening,
): Source {
  const row = sourcePaths[step.path];
  if (row.open !== undefined) return row.open(step, opening);
  return new ListSource(row.list(step, opening.segment, UNLIMITED, opening.deadline).rows);
}

/** @throws DeadlineError */
export function openFilter<Path extends FilterPath>(
  step: FilterStep<Path>,
  opening: Opening,
  scatteredRows: number,
): Filter {
  return filterPaths[step.path].open(step, opening, scatteredRows);
}

/** The field whose index or digests a source reads. */
export function fieldOf<Path extends AccessPath>(step: SourceStep<Path>): string | undefined {
  return accessPaths[step.path].field?.(step);
}

/** The codes whose live rows are all live rows of a source, if it knows them. */
export function codesOf<Path extends SourcePath>(
  step: SourceStep<Path>,
  any: FieldIndex,
): SelectedCodes | undefined {
  return sourcePaths[step.path].codes?.(step, any);
}

/** How many rows a plan selects in a segment, if that is known before the run. */
export function knownRows({ source, filters }: Plan, { dead }: Segment): number | undefined {
  const { path } = source.step;
  if (filters.length === 0) {
    const { isEstimated = false } = sourcePaths[path];
    return isEstimated ? undefined : source.rows;
  }
  // The rows of codes are counted with the dead ones.
  const { step } = filters[0]!;
  const isByCodes = path === "scan" && filters.length === 1 && step.path === "codes";
  return isByCodes && dead.count === 0 ? step.rows : undefined;
}

/** The length of a plan's page, if it is known before the run; otherwise 0. */
export function knownLength(plan: Plan, segment: Segment): number {
  const { offset, limit } = plan;
  const rows = knownRows(plan, segment) ?? 0;
  return Math.min(limit, Math.max(0, rows - offset));
}
