// The reference of all answers: the plain predicate over every contact, a stable sort, a slice. It
// reads the query and shares no code with any peer.

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
  const compare = types.get(field) === "int" ? compareInts : compareText;
  return matches
    .map((contact) => ({ contact, key: valueOf(contact, field) ?? "" }))
    .sort((a, b) => sign * compare(a.key, b.key))
    .slice(offset, offset + limit)
    .map(({ contact }) => contact);
}

function compareInts(a: string, b: string): number {
  return Number(a) - Number(b);
}

/** All of it is ASCII, where the order of code units is that of code points; null is lowest. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
