// TanStack DB: a local-only collection keyed by the email, so that a lookup is its `get`; B-tree indexes
// on what is matched and sorted by; text sorted by code unit. A query is `queryOnce`, its way to query
// once. Ties and insertion order need a field to sort by: ints have a stored key of value and row, and
// the row is indexed. The page after updates is a live query, which each of them maintains: the purpose
// of the library.

import type { Collection, Query } from "@tanstack/db";
import type { FieldTypes } from "../contacts.ts";
import type { BenchQuery } from "../queries.ts";
import { USES } from "./uses.ts";
import { PAGE, type Peer } from "./peer.ts";
import { descendingKey, documentOf, keyOf, type Document } from "./typed.ts";

export async function createTanstack(): Promise<Peer> {
  const {
    BTreeIndex,
    createCollection,
    createLiveQueryCollection,
    eq,
    like,
    localOnlyCollectionOptions,
    queryOnce,
  } = await import("@tanstack/db");
  const collectionOf = (initialData: readonly Document[]): Collection<Document> =>
    createCollection(
      localOnlyCollectionOptions({
        getKey: ({ contact_email: email }) => String(email),
        defaultStringCollation: { stringSort: "lexical" },
        initialData,
      }),
    );
  let contacts = collectionOf([]);
  let fields: FieldTypes = new Map();

  const orderOf = (sort: BenchQuery["sort"]) => {
    if (sort === undefined) return { field: "row", order: "asc" } as const;
    const isInt = fields.get(sort.field) === "int";
    if (isInt && sort.order === "ASC") return undefined;
    return isInt
      ? ({ field: keyOf(sort.field), order: "desc" } as const)
      : ({ field: sort.field, order: sort.order === "DESC" ? "desc" : "asc" } as const);
  };

  const live = (query: (start: Query<Document>) => Query<Document>) =>
    createLiveQueryCollection((start) => query(start.from({ contact: contacts })));
  /** Those that opened last. */
  const livePage = (limit: number) =>
    live((from) =>
      from.orderBy(({ contact }) => contact[keyOf("last_open_time")], "desc").limit(limit),
    );
  /** Without a subscriber, a live query is dropped after a while. */
  const subscribe = async (query: ReturnType<typeof live>) => {
    await query.preload();
    query.subscribeChanges(() => undefined);
  };
  const open = async (email: string, time: number) => {
    const change = contacts.update(email, (draft) => {
      draft.last_open_time = time;
      draft.last_open_time_key = descendingKey(time, draft.row);
    });
    await change.isPersisted.promise;
  };

  return {
    load(given, types) {
      fields = types;
      contacts = collectionOf(given.map(documentOf));
    },

    prepare() {
      const sorted = [...USES.sortInts.map(keyOf), ...USES.sortStrings, "row"];
      for (const field of new Set([...USES.match, ...sorted])) {
        contacts.createIndex((contact) => contact[field], {
          indexType: BTreeIndex,
          // The options of a query; an index with other options is not used for its order.
          options: { compareOptions: { direction: "asc", nulls: "first", stringSort: "lexical" } },
        });
      }
    },

    compile({ criteria, sort, limit, isKeyed }) {
      if (isKeyed === true) {
        return ({ values: [email = ""] }) => {
          const found = contacts.get(email);
          return found === undefined ? [] : [found];
        };
      }
      const order = orderOf(sort);
      if (order === undefined) return { cannot: "its keys are for DESC" };
      return ({ values, offset }) =>
        queryOnce((start) => {
          let query: Query<Document> = start.from({ contact: contacts });
          for (const [i, { field, operator }] of criteria.entries()) {
            const value = values[i] ?? "";
            query = query.where(({ contact }) =>
              operator === "exactly"
                ? eq(contact[field], value)
                : like(contact[field], `%${value}%`),
            );
          }
          query = query.orderBy(({ contact }) => contact[order.field], order.order);
          return limit === Infinity ? query : query.limit(limit).offset(offset);
        });
    },

    async updates() {
      const lastOpened = livePage(PAGE);
      await subscribe(lastOpened);
      let { size } = contacts;
      return {
        lookup: (email) => contacts.get(email),
        page: () => lastOpened.toArray,
        open,
        async insert({ flat }) {
          const documents = flat.map((contact) => documentOf(contact, size++));
          await contacts.insert(documents).isPersisted.promise;
        },
        async removeWithStatus(status) {
          const found = await queryOnce((start) =>
            start
              .from({ contact: contacts })
              .where(({ contact }) => eq(contact.send_status, status)),
          );
          const emails = found.map((contact) => String(contact.contact_email));
          await contacts.delete(emails).isPersisted.promise;
        },
      };
    },
  };
}
