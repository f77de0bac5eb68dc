// Counts what a facet shows, among the records that all other criteria select.

import type { Collection, Histogram, ValueCount } from "../../index.ts";
import {
  chosenIn,
  facetChoice,
  isScalar,
  textFormOf,
  withFacet,
  withoutFacet,
} from "../criteria-list.ts";
import type {
  CriteriaList,
  Facet,
  FacetCounts,
  FacetValue,
  RangeFacet,
  Scalar,
  ValuesFacet,
} from "../messages.ts";
import { BARS } from "./facets.ts";

/** How many values a search lists. */
const MOST_LISTED = 200;

/** A step of a brush: what it selects more, and less. */
interface Step {
  readonly brushed: Facet;
  readonly pieces: readonly { readonly criteria: CriteriaList; readonly sign: 1 | -1 }[];
}

/** The step between criteria that differ in the range of one histogram, if these ranges meet. */
export function stepBetween(
  before: CriteriaList,
  after: CriteriaList,
  facets: readonly Facet[],
): Step | undefined {
  for (const brushed of facets) {
    const [a, b] = [before, after].map((list) => facetChoice(list, brushed));
    if (brushed.kind !== "range" || !a || !b || !("from" in a && "from" in b)) continue;
    const pieceOf = (from: number, end: number) => withFacet(before, brushed, { from, end });
    const isSame = (list: CriteriaList, { from, end }: typeof a) =>
      JSON.stringify(list) === JSON.stringify(pieceOf(from, end));
    if (a.from >= b.end || b.from >= a.end || !isSame(before, a) || !isSame(after, b)) continue;
    const pieces = (
      [
        [b.from, a.from, 1],
        [a.from, b.from, -1],
        [a.end, b.end, 1],
        [b.end, a.end, -1],
      ] as const
    ).flatMap(([from, end, sign]) => (from < end ? [{ criteria: pieceOf(from, end), sign }] : []));
    return { brushed, pieces };
  }
  return undefined;
}

/** What is counted for a facet: every value, or every bar. */
export type Counts = ValueCounts | Extract<FacetCounts, { readonly bars: unknown }>;

interface ValueCounts {
  readonly field: string;
  /** How many records are counted. Those with several elements of an array count for each of them. */
  readonly records: number;
  readonly counts: readonly ValueCount<Scalar>[];
}

/** The counts after a step. A chart counts what all others select, so that its own brush changes nothing in it. */
export function countsAfter(
  { brushed, pieces }: Step,
  before: Counts,
  collection: Collection,
  facet: ValuesFacet | RangeFacet,
): Counts {
  if (facet.field === brushed.field) return before;
  return pieces.reduce(
    (counts, { criteria, sign }) => sumOf(counts, countsOf(collection, criteria, facet), sign),
    before,
  );
}

function sumOf(a: Counts, b: Counts, sign: 1 | -1): Counts {
  if ("bars" in a) {
    if (!("bars" in b)) return a;
    const sum = (one: number, other = 0) => one + sign * other;
    const bars = a.bars.map((count, i) => sum(count, b.bars[i]));
    const [below, above, nulls] = [
      sum(a.below, b.below),
      sum(a.above, b.above),
      sum(a.nulls, b.nulls),
    ];
    return { ...a, bars, below, above, nulls };
  }
  if ("bars" in b) return a;
  const counts = new Map(a.counts.map(({ value, count }) => [value, count]));
  for (const { value, count } of b.counts)
    counts.set(value, (counts.get(value) ?? 0) + sign * count);
  return {
    ...a,
    records: a.records + sign * b.records,
    counts: Array.from(counts, ([value, count]) => ({ value, count })),
  };
}

export function countsOf(
  collection: Collection,
  criteria: CriteriaList,
  facet: ValuesFacet | RangeFacet,
): Counts {
  const { field } = facet;
  const others = withoutFacet(criteria, facet);
  if (facet.kind === "values") {
    const counts = scalarsIn(collection.countBy(field, others));
    const records =
      facet.areElements === true
        ? collection.count(others)
        : counts.reduce((sum, { count }) => sum + count, 0);
    return { field, records, counts };
  }
  if (facet.zone !== undefined) return byEdges(collection, others, facet);
  const { from, end, bins, step } = facet;
  const counted = collection.histogram(field, { bins, from, to: end - step, criteria: others });
  const { below, above, nulls } = counted;
  return { field, from, end, bars: barsOf(facet, counted), below, above, nulls };
}

/** The counts of bars that are not equally long. */
function byEdges(
  collection: Collection,
  criteria: CriteriaList,
  { field, from, end, edges }: RangeFacet,
): Counts {
  const found = collection.groupColumns({
    by: { field, edges, as: "key" },
    measures: { records: "count" },
    criteria: criteria.length === 0 ? null : criteria,
  });
  const counts = new Map<unknown, number>();
  for (const [place, count] of found.numbers("records").entries()) {
    counts.set(found.at(place).key, count);
  }
  const of = (key: number | null) => counts.get(key) ?? 0;
  const bars = edges.slice(0, -1).map(of);
  return { field, from, end, bars, below: of(-Infinity), above: of(end), nulls: of(null) };
}

/** JSON fields, whose values are none, can't be counted by. */
const scalarsIn = (counts: readonly ValueCount<unknown>[]): ValueCount<Scalar>[] =>
  counts.flatMap(({ value, count }) => (isScalar(value) ? [{ value, count }] : []));

/**
 * What a facet shows of its counts: few numbers in their order; or the chosen values, those that a search finds, and
 * those that most of the counted records have.
 */
export function shownOf(
  counted: Counts,
  collection: Collection,
  criteria: CriteriaList,
  facet: ValuesFacet | RangeFacet,
  search: string | undefined,
): FacetCounts {
  if ("bars" in counted || facet.kind === "range") {
    return "bars" in counted ? counted : { ...NOTHING, field: facet.field };
  }
  const { field, counts, records: total } = counted;
  const whole = wholeOf(collection, field);
  const selected = new Map(counts.map(({ value, count }) => [textFormOf(value), count]));
  const countOf = (value: Scalar): FacetValue => {
    const textForm = textFormOf(value);
    return { value, count: selected.get(textForm) ?? 0, all: whole.get(textForm)?.count ?? 0 };
  };
  const chosen = chosenIn(criteria, facet);
  const isOrdered = facet.isOrdered && search === undefined;
  const found = isOrdered
    ? facet.values.map(countOf)
    : valuesWith(search, [...whole.values()], countOf);
  const most = search === undefined ? Math.max(BARS, facet.values.length) : MOST_LISTED;
  const listed = found.slice(0, most);
  const others = [...chosen.values()].filter(
    (value) => !listed.some((each) => textFormOf(each.value) === textFormOf(value)),
  );
  const values = [...listed, ...others.map(countOf)];
  return { field, values, found: isOrdered ? facet.distinct : found.length, total };
}

const NOTHING = { from: 0, end: 0, bars: [], below: 0, above: 0, nulls: 0 };

type WholeCounts = ReadonlyMap<string | null, ValueCount<Scalar>>;

const wholes = new WeakMap<Collection, Map<string, WholeCounts>>();

/** How many of all records have each value. */
function wholeOf(collection: Collection, field: string): WholeCounts {
  let fields = wholes.get(collection);
  if (fields === undefined) wholes.set(collection, (fields = new Map<string, WholeCounts>()));
  let whole = fields.get(field);
  if (whole === undefined) {
    const counts = scalarsIn(collection.countBy(field));
    fields.set(field, (whole = new Map(counts.map((each) => [textFormOf(each.value), each]))));
  }
  return whole;
}

/** The counts of bins, summed up by bar. */
function barsOf({ from, end, bins, edges }: RangeFacet, counted: Histogram): number[] {
  const bars = edges.slice(1).map(() => 0);
  const width = (end - from) / bins;
  let bar = 0;
  for (const [i, { count }] of counted.bins.entries()) {
    // The middle of a bin is in its bar, whatever the rounding errors at its ends are.
    while (from + (i + 0.5) * width >= (edges[bar + 1] ?? Infinity)) bar++;
    bars[bar] = (bars[bar] ?? 0) + count;
  }
  return bars;
}

/** The values that contain a text in any case: those first that most of the counted records have, then of all. */
function valuesWith(
  text: string | undefined,
  all: readonly ValueCount<Scalar>[],
  countOf: (value: Scalar) => FacetValue,
): FacetValue[] {
  const wanted = text?.toLowerCase();
  return all
    .filter(({ value }) => wanted === undefined || String(value).toLowerCase().includes(wanted))
    .map(({ value }) => countOf(value))
    .sort((a, b) => b.count - a.count || b.all - a.all);
}
