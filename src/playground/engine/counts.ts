// Counts what a facet shows: of the records that all other criteria select.

import type { Collection, ValueCount } from "../../index.ts";
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
    return { field, histogram: collection.histogram(field, options) };
  }
  // JSON fields can't be counted by.
  const counts = collection.countBy(field, others) as ValueCount<Scalar>[];
  const chosen = new Set(chosenIn(criteria, facet).keys());
  const search = searches.get(field);
  if (search === undefined) {
    const wanted = new Set([...facet.values.map(wireOf), ...chosen]);
    const values = counts.filter(({ value }) => wanted.has(wireOf(value)));
    return { field, values, found: facet.distinct };
  }
  const found = valuesWith(collection, field, search, counts);
  const values = [
    ...found.slice(0, MOST_LISTED),
    ...counts.filter(({ value }) => chosen.has(wireOf(value))),
  ];
  return { field, values, found: found.length };
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
