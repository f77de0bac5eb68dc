import { makeOrders } from "./worker-orders.ts";
import { expose, show } from "./worker-page.ts";
import { asked, byState, latest } from "./worker-questions.ts";

expose((size) => {
  const db = makeOrders(size);
  db.watch("orders", latest, (rows) => show("latest", rows));
  db.watch("orders", byState, (counts) => show("states", counts));
  return {
    count: () => db.orders.count(),
    query: (number) => db.orders.query(asked(number)),
    insert: (id) =>
      db.update((draft) => {
        draft.orders = draft.orders.insert({ id, customer: "new", state: "open", total: 1 });
      }),
  };
});
