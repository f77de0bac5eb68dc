// TanStack DB: a local-only collection keyed by the id, B-tree indexes on what is matched and sorted by, and
// `queryOnce`. It keeps no file.

import type { Collection, Query } from "@tanstack/db";
import { FOUND, PAGE, type Order, type Summed } from "./orders.ts";
import type { OwnEntry } from "./peer.ts";

export const tanstack: OwnEntry = {
  async create() {
    const db = await import("@tanstack/db");
    const { eq } = db;
    const collectionOf = (initialData: readonly Order[]): Collection<Order> =>
      db.createCollection(
        db.localOnlyCollectionOptions({
          getKey: ({ id }) => String(id),
          defaultStringCollation: { stringSort: "lexical" },
          initialData,
        }),
      );
    let orders = collectionOf([]);
    const ask = <Answer>(query: (from: Query<Order>) => Query<Answer>) =>
      db.queryOnce((start) => query(start.from({ contact: orders })));
    return {
      load(given) {
        orders = collectionOf(given);
        for (const field of ["id", "state", "country", "quantity"] as const) {
          orders.createIndex((order) => order[field], {
            indexType: db.BTreeIndex,
            options: {
              compareOptions: { direction: "asc", nulls: "first", stringSort: "lexical" },
            },
          });
        }
      },
      lookup: (id) => [{ ...orders.get(String(id)) }],
      page: (state, country) =>
        ask((from) =>
          from
            .where(({ contact }) => eq(contact.state, state))
            .where(({ contact }) => eq(contact.country, country))
            .orderBy(({ contact }) => contact.quantity, "desc")
            .orderBy(({ contact }) => contact.total, "desc")
            .limit(PAGE.limit)
            .offset(PAGE.offset),
        ),
      search: (text) =>
        ask((from) =>
          from
            .where(({ contact }) => db.ilike(contact.title, `%${text}%`))
            .orderBy(({ contact }) => contact.id, "asc")
            .limit(FOUND),
        ),
      async summary(state) {
        const [summed] = await ask((from) =>
          from
            .where(({ contact }) => eq(contact.state, state))
            .select<Summed>(({ contact: { total } }) => ({
              count: db.count(total),
              sum: db.sum(total),
              minimum: db.min(total),
              maximum: db.max(total),
            })),
        );
        return summed ?? { count: 0, sum: 0, minimum: NaN, maximum: NaN };
      },
      async update(id, total) {
        const change = orders.update(String(id), (draft) => {
          draft.total = total;
        });
        await change.isPersisted.promise;
      },
      async watch(id, tell) {
        const query = db.createLiveQueryCollection((start) =>
          start.from({ contact: orders }).where(({ contact }) => eq(contact.id, id)),
        );
        await query.preload();
        query.subscribeChanges(tell);
      },
    };
  },
};
