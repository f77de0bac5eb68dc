// The reference of all answers: the plain predicate over every contact, a stable sort in the order of
// the testing kit's reference, a slice. It reads the query and shares no code with any peer.

import { compareTextForms } from "../src/testing/reference-page.ts";
import { FIELD_TYPES, type FlatContact } from "./contacts.ts";
import type { BenchQuery, Call } from "./queries.ts";
import { valueOf } from "./value-of.ts";

/** How many contacts match, and the ids of the page. */
export interface ReferencePage {
  readonly matching: number;
  readonly ids: readonly string[];
}

export function pageOf(
  contacts: readonly FlatContact[],
  { criteria, sort, limit }: BenchQuery,
  { values, offset }: Call,
): ReferencePage {
  const matches = contacts.filter((contact) =>
    criteria.every(({ field, operator }, i) => {
      const [value, wanted = ""] = [valueOf(contact, field), values[i]];
      return operator === "exactly" ? value === wanted : value?.includes(wanted) === true;
    }),
  );
  const page = sorted(matches, sort).slice(offset, offset + limit);
  return { matching: matches.length, ids: page.map(({ send_id }) => send_id) };
}

function sorted(matches: readonly FlatContact[], sort: BenchQuery["sort"]) {
  if (sort === undefined) return matches;
  const { field, order } = sort;
  const sign = order === "DESC" ? -1 : 1;
  const type = FIELD_TYPES.get(field) ?? "string";
  return matches
    .map((contact) => ({ contact, key: valueOf(contact, field) }))
    .sort((a, b) => sign * compareTextForms(a.key, b.key, type))
    .map(({ contact }) => contact);
}
