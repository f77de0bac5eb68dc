// tercet: a database with a collection of orders, prepared queries, and a store.

import {
  boolean,
  createCollection,
  createDatabase,
  defineSchema,
  float,
  int,
  json,
  parameter,
  string,
} from "../../src/index.ts";
import { createStore, openStore } from "../../src/store/index.ts";
import { FOUND, PAGE, type Order } from "./orders.ts";
import type { OwnEntry } from "./peer.ts";

const Orders = defineSchema({
  id: int({ unique: true }),
  customer: int(),
  quantity: int(),
  placed: int(),
  total: float(),
  discount: float(),
  gift: boolean(),
  state: string(),
  title: string({ ignoreCase: true }),
  email: string(),
  country: string(),
  lines: json<Order["lines"]>(),
});

export const tercet: OwnEntry = {
  create(path) {
    let db = createDatabase({ orders: createCollection(Orders) });
    const { orders: none } = db;
    const page = none.prepareQuery({
      criteria: [
        ["state", "exactly", parameter("state")],
        ["country", "exactly", parameter("country")],
      ],
      sort: [
        ["quantity", "DESC"],
        ["total", "DESC"],
      ],
      ...PAGE,
    });
    const search = none.prepareQuery({
      criteria: [["title", "contains", parameter("text")]],
      limit: FOUND,
    });
    return {
      load(given) {
        const orders = createCollection(Orders, given).prepare({
          match: ["id", "state", "country"],
          sort: ["quantity", "total"],
          contains: ["title"],
        });
        db = createDatabase({ orders });
      },
      lookup: (id) => [db.orders.get("id", id) ?? {}],
      page: (state, country) => page.run(db.orders, { state, country }),
      search: (text) => search.run(db.orders, { text }),
      summary(state) {
        const { count, sum, minimum, maximum } = db.orders.summary("total", [
          ["state", "exactly", state],
        ]);
        return { count, sum, minimum: minimum ?? NaN, maximum: maximum ?? NaN };
      },
      update(id, total) {
        db.update((draft) => {
          draft.orders = draft.orders.update([["id", "exactly", id]], { total });
        });
      },
      watch(id, tell) {
        db.watch("orders", { criteria: [["id", "exactly", id]] }, tell);
      },
      save: () => createStore(path, db).close(),
    };
  },
  open(path) {
    const { orders } = openStore(path, { orders: Orders });
    return { lookup: (id) => [orders.get("id", id) ?? {}] };
  },
};
