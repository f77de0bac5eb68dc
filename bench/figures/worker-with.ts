import { connect } from "../../src/worker/index.ts";
import type { OrdersDb } from "./worker-orders.ts";
import { expose, show } from "./worker-page.ts";
import { asked, byState, latest } from "./worker-questions.ts";

expose((size) => {
  const db = connect<OrdersDb>(new Worker(`worker.js?size=${size}`, { type: "module" }));
  db.watch("orders", latest, (rows) => show("latest", rows));
  db.watch("orders", byState, (counts) => show("states", counts));
  return {
    count: () => db.count("orders"),
    query: (number) => db.query("orders", asked(number)),
    insert: (id) =>
      db.update((draft) => {
        draft.orders = draft.orders.insert({ id, customer: "new", state: "open", total: 1 });
      }),
  };
});
