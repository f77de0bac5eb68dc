// The reference of all answers: the plain predicate over every contact, a stable sort in the order of
// the testing kit's reference, a slice. It reads the query and shares no code with any peer.

import { compareWire } from "../src/testing/reference-page.ts";
import { valueOf, type FieldTypes, type FlatContact } from "./contacts.ts";
import type { BenchQuery } from "./queries.ts";

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

/** The page: of contacts that match, in insertion order. */
export function pageOf(
  matches: readonly FlatContact[],
  { sort, offset, limit }: BenchQuery,
  types: FieldTypes,
): FlatContact[] {
  if (sort === undefined) return matches.slice(offset, offset + limit);
  const { field, order } = sort;
  const sign = order === "DESC" ? -1 : 1;
  const type = types.get(field) ?? "string";
  return matches
    .map((contact) => ({ contact, key: valueOf(contact, field) }))
    .sort((a, b) => sign * compareWire(a.key, b.key, type))
    .slice(offset, offset + limit)
    .map(({ contact }) => contact);
}
