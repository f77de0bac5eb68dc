// LokiJS: documents with its unique index on the email and its binary indices on what is matched and
// sorted by. Binary indices are built at once after loading (`adaptiveBinaryIndices: false`), which is
// many times faster than updating them during it; for updates they are kept up to date. Sorting by an
// index in descending order reverses ties, so ints are sorted by a stored key of value and row.
// `$contains` scans; there is no index for it.

import { USES } from "./uses.ts";
import { PAGE, type Peer } from "./peer.ts";
import { descendingKey, documentOf, keyOf, type Document } from "./typed.ts";

export async function createLoki(): Promise<Peer> {
  const { default: Loki } = await import("lokijs");
  const documents = new Loki("bench.db", {}).addCollection<Document>("contacts", {
    unique: [...USES.unique],
    indices: [...USES.match, ...USES.sortStrings, ...USES.sortInts.map(keyOf)],
    adaptiveBinaryIndices: false,
    disableMeta: true,
  });
  let size = 0;
  return {
    load(contacts) {
      size = contacts.length;
      documents.insert(contacts.map(documentOf));
    },

    prepare: () => documents.ensureAllIndexes(),

    compile(query) {
      const { criteria, sort, limit } = query;
      const [first] = criteria;
      if (query.isKeyed === true && first !== undefined) {
        return ({ values: [value = ""] }) => {
          const found = documents.by(first.field, value);
          return found === undefined ? [] : [found];
        };
      }
      const sortsByKey = USES.sortInts.some((field) => field === sort?.field);
      if (sortsByKey && sort?.order === "ASC") return { cannot: "its keys are for DESC" };
      return ({ values, offset }) => {
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

    updates() {
      documents.adaptiveBinaryIndices = true;
      return {
        lookup: (email) => documents.by("contact_email", email),
        page: () =>
          documents.chain().simplesort(keyOf("last_open_time"), { desc: true }).limit(PAGE).data(),
        open(email, time) {
          const document = documents.by("contact_email", email);
          if (document === undefined) return;
          document.last_open_time = time;
          document.last_open_time_key = descendingKey(time, document.row);
          documents.update(document);
        },
        insert({ flat }) {
          documents.insert(flat.map((contact) => documentOf(contact, size++)));
        },
        removeWithStatus(status) {
          documents.chain().find({ send_status: status }).remove();
        },
      };
    },
  };
}
