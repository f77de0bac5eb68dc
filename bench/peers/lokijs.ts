// LokiJS: documents with its unique index on the email and its binary indices on what is matched and
// sorted by. Binary indices are built at once after loading (`adaptiveBinaryIndices: false`), which is
// many times faster than keeping them up during it. Sorting by an index in descending order reverses
// ties, so ints are sorted by a stored key of value and row. `$contains` scans; there is no index for it.

import type { Collection } from "lokijs";
import type { FlatContact } from "../contacts.ts";
import { USES } from "../queries.ts";
import type { Peer } from "./peer.ts";
import { descendingKey, valueOf } from "./typed.ts";

const keyOf = (field: string) => `${field}_key`;

export async function createLoki(): Promise<Peer> {
  const { default: Loki } = await import("lokijs");
  let collection: Collection | undefined;
  return {
    name: "lokijs",
    most: { contacts: 100_000, reason: "loading more takes many minutes" },

    load(contacts, fields) {
      collection = new Loki("bench.db", {}).addCollection("contacts", {
        unique: [...USES.unique],
        indices: [...USES.match, ...USES.sortStrings, ...USES.sortInts.map(keyOf)],
        adaptiveBinaryIndices: false,
        disableMeta: true,
      });
      const document = (contact: FlatContact, row: number) =>
        Object.fromEntries<string | number | null>([
          ...Array.from(fields.keys(), (field) => [field, valueOf(contact, field)] as const),
          ...USES.sortInts.map((f) => [keyOf(f), descendingKey(contact, f, row)] as const),
        ]);
      collection.insert(contacts.map(document));
    },

    prepare: () => collection?.ensureAllIndexes(),

    compile(query) {
      const { criteria, sort, offset, limit } = query;
      const documents = collection;
      if (documents === undefined) return { cannot: "not loaded" };
      const [first] = criteria;
      if (first?.operator === "exactly" && USES.unique.some((field) => field === first.field)) {
        return ([value = ""]) => {
          const found = documents.by(first.field, value);
          return found === undefined ? [] : [found];
        };
      }
      const sortsByKey = USES.sortInts.some((field) => field === sort?.field);
      if (sortsByKey && sort?.order === "ASC") return { cannot: "its keys are for DESC" };
      return (values) => {
        let found = documents.chain();
        for (const [i, { field, operator }] of criteria.entries()) {
          found = found.find({
            [field]: operator === "exactly" ? values[i] : { $contains: values[i] },
          });
        }
        if (sort !== undefined) {
          const field = sortsByKey ? keyOf(sort.field) : sort.field;
          found = found.simplesort(field, { desc: sort.order === "DESC" });
        }
        if (offset > 0) found = found.offset(offset);
        if (limit < Infinity) found = found.limit(limit);
        return found.data();
      };
    },
  };
}
