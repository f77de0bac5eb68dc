// The reference of all answers: the plain predicate over every contact, a stable sort in the order of
// the testing kit's reference, a slice. It reads the query and shares no code with any peer.

import { compareWire } from "../src/testing/reference-page.ts";
import { FIELD_TYPES, type FlatContact } from "./contacts.ts";
import { queriesFor, type BenchQuery } from "./queries.ts";
import { valueOf } from "./value-of.ts";

export function matchesOf(
  contacts: readonly FlatContact[],
  { criteria }: BenchQuery,
  values: readonly string[],
): FlatContact[] {
  return contacts.filter((contact) =>
    criteria.every(({ field, operator }, i) => {
      const [value, wanted = ""] = [valueOf(contact, field), values[i]];
      return operator === "exactly" ? value === wanted : value?.includes(wanted) === true;
    }),
  );
}

/** The page: matching contacts, in insertion order. */
export function pageOf(
  matches: readonly FlatContact[],
  { sort, offset, limit }: BenchQuery,
): FlatContact[] {
  if (sort === undefined) return matches.slice(offset, offset + limit);
  const { field, order } = sort;
  const sign = order === "DESC" ? -1 : 1;
  const type = FIELD_TYPES.get(field) ?? "string";
  return matches
    .map((contact) => ({ contact, key: valueOf(contact, field) }))
    .sort((a, b) => sign * compareWire(a.key, b.key, type))
    .slice(offset, offset + limit)
    .map(({ contact }) => contact);
}

/** The query with an offset that leaves rows, at least half of the matching ones. */
export function fitted(contacts: readonly FlatContact[], query: BenchQuery) {
  const matching = matchesOf(contacts, query, query.values[0] ?? []).length;
  return { ...query, offset: Math.min(query.offset, Math.floor(matching / 2)), matching };
}

/** Those of these numbers that are queries everywhere. A key is looked up in memory only, beside peers. */
export function fittedQueries(
  contacts: readonly FlatContact[],
  ids: readonly number[],
): BenchQuery[] {
  return queriesFor(contacts)
    .filter(({ id, isKeyed }) => ids.includes(id) && isKeyed !== true)
    .map((query) => fitted(contacts, query));
}
