// Counts what a facet shows, among the records that all other criteria select.

import type { Collection, Histogram, ValueCount } from "../../index.ts";
import { chosenIn, facetChoice, wireOf, withFacet, withoutFacet } from "../criteria-list.ts";
import type {
  CriteriaList,
  Facet,
  FacetCounts,
  RangeFacet,
  Scalar,
  Searches,
  ValuesFacet,
} from "../messages.ts";

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

/** The counts after a step. A chart counts what all others select, so that its own brush changes nothing in it. */
export function countsAfter(
  { brushed, pieces }: Step,
  before: FacetCounts,
  collection: Collection,
  facet: ValuesFacet | RangeFacet,
): FacetCounts {
  if (facet.field === brushed.field) return before;
  return pieces.reduce(
    (counts, { criteria, sign }) =>
      sumOf(counts, countsOf(collection, criteria, facet, new Map()), sign),
    before,
  );
}

function sumOf(a: FacetCounts, b: FacetCounts, sign: 1 | -1): FacetCounts {
  if ("bars" in a) {
    if (!("bars" in b)) return a;
    const bars = a.bars.map((count, i) => count + sign * (b.bars[i] ?? 0));
    return { ...a, bars, above: a.above + sign * b.above, nulls: a.nulls + sign * b.nulls };
  }
  if ("bars" in b) return a;
  const counts = new Map(a.values.map(({ value, count }) => [value, count]));
  for (const { value, count } of b.values)
    counts.set(value, (counts.get(value) ?? 0) + sign * count);
  const values = Array.from(counts, ([value, count]) => ({ value, count }));
  return { ...a, values, total: a.total + sign * b.total };
}

export function countsOf(
  collection: Collection,
  criteria: CriteriaList,
  facet: ValuesFacet | RangeFacet,
  searches: Searches,
): FacetCounts {
  const { field } = facet;
  const others = withoutFacet(criteria, facet) as never;
  if (facet.kind === "range") {
    const { from, end, bins, step } = facet;
    const options = { bins, from, to: end - step, criteria: others };
    const counted = collection.histogram(field, options);
    const { above, nulls } = counted;
    return { field, bars: barsOf(facet, counted), above, nulls };
  }
  // JSON fields can't be counted by.
  const counts = collection.countBy(field, others) as ValueCount<Scalar>[];
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const chosen = new Set(chosenIn(criteria, facet).keys());
  const search = searches.get(field);
  if (search === undefined) {
    const wanted = new Set([...facet.values.map(wireOf), ...chosen]);
    const values = counts.filter(({ value }) => wanted.has(wireOf(value)));
    return { field, values, found: facet.distinct, total };
  }
  const found = valuesWith(collection, field, search, counts);
  const values = [
    ...found.slice(0, MOST_LISTED),
    ...counts.filter(({ value }) => chosen.has(wireOf(value))),
  ];
  return { field, values, found: found.length, total };
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

/** The values of a field that contain a text in any case, most frequent first. Some may count 0. */
function valuesWith(
  collection: Collection,
  field: string,
  text: string,
  counts: readonly ValueCount<Scalar>[],
): ValueCount<Scalar>[] {
  const countOf = new Map(counts.map(({ value, count }) => [wireOf(value), count]));
  const wanted = text.toLowerCase();
  const all = collection.countBy(field) as ValueCount<Scalar>[];
  return all
    .filter(({ value }) => String(value).toLowerCase().includes(wanted))
    .map(({ value }) => ({ value, count: countOf.get(wireOf(value)) ?? 0 }))
    .sort((a, b) => b.count - a.count);
}
