// mingo: MongoDB's find over an array: filter, sort, skip, limit, lazily, so that a page without a sort
// stops early. It has no index. Documents hold ints as numbers, as its sort compares numbers by value.

import type { Peer } from "./peer.ts";
import { mongoQuery } from "./sift.ts";
import { documentOf, type Document } from "./typed.ts";

export async function createMingo(): Promise<Peer> {
  const { find } = await import("mingo");
  let documents: Document[] = [];
  return {
    load: (contacts) => void (documents = contacts.map(documentOf)),

    compile({ criteria, sort, offset, limit }) {
      return (values) => {
        const found = find<Document>(documents, mongoQuery(criteria, values));
        if (sort !== undefined) found.sort({ [sort.field]: sort.order === "DESC" ? -1 : 1 });
        if (offset > 0) found.skip(offset);
        if (limit < Infinity) found.limit(limit);
        return found.all();
      };
    },
  };
}
