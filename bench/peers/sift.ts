// sift: a predicate from a MongoDB query, given to the array's own `filter`. It has no index, no sort
// and no page, so the array does those too. Substrings are regular expressions, MongoDB's idiom; the
// values are letters, digits and dots, and dots are escaped.

import type { FlatContact } from "../contacts.ts";
import { orders } from "./loop.ts";
import type { Peer } from "./peer.ts";

export async function createSift(): Promise<Peer> {
  const { default: sift } = await import("sift");
  let contacts: readonly FlatContact[] = [];
  return {
    load: (given) => void (contacts = given),

    compile({ id, criteria, offset, limit }) {
      if (criteria.length === 0) return { cannot: "it filters, and nothing else" };
      const compare = orders[id];
      return (values) => {
        const found = contacts.filter(sift(mongoQuery(criteria, values)));
        return (compare === undefined ? found : found.sort(compare)).slice(offset, offset + limit);
      };
    },
  };
}

/** Criteria as MongoDB's query language has them. */
export function mongoQuery(
  criteria: readonly { readonly field: string; readonly operator: string }[],
  values: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    criteria.map(({ field, operator }, i) => {
      const value = values[i] ?? "";
      const pattern = value.replaceAll(".", "\\.");
      return [field, operator === "exactly" ? value : { $regex: new RegExp(pattern) }];
    }),
  );
}
