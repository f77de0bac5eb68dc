// Counts what a facet shows, among the records that all other criteria select.

import type { Collection, Histogram, ValueCount } from "../../index.ts";
import { chosenIn, wireOf, withoutFacet } from "../criteria-list.ts";
import type {
  CriteriaList,
  FacetCounts,
  RangeFacet,
  Scalar,
  Searches,
  ValuesFacet,
} from "../messages.ts";

/** How many values a search lists. */
const MOST_LISTED = 200;

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
