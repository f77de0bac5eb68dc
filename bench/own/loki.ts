// LokiJS: its unique index on the id, binary indices on what is matched and sorted by, kept up to date by
// updates; a case-insensitive regular expression, for which it has no index; its structured adapter for files.

import type { Collection } from "lokijs";
import { called, inFile } from "../peers/lokijs.ts";
import { FOUND, PAGE, type Order } from "./orders.ts";
import type { OwnEntry } from "./peer.ts";

export const loki: OwnEntry = {
  async create(path) {
    const { default: Loki } = await import("lokijs");
    const database = new Loki(path, await inFile());
    const orders: Collection<Order> = database.addCollection<Order>("orders", {
      unique: ["id"],
      indices: ["state", "country", "quantity"],
      adaptiveBinaryIndices: false,
      disableMeta: true,
    });
    return {
      load(given) {
        orders.insert(given);
        orders.ensureAllIndexes();
        orders.adaptiveBinaryIndices = true;
      },
      lookup: (id) => [{ ...orders.by("id", id) }],
      page: (state, country) =>
        orders
          .chain()
          .find({ state })
          .find({ country })
          .compoundsort([
            ["quantity", true],
            ["total", true],
          ])
          .offset(PAGE.offset)
          .limit(PAGE.limit)
          .data(),
      search: (text) =>
        orders
          .chain()
          .find({ title: { $regex: [text, "i"] } })
          .limit(FOUND)
          .data(),
      summary(state) {
        const found = orders.chain().find({ state }).data();
        const totals = found.map(({ total }) => total);
        return {
          count: totals.length,
          sum: totals.reduce((sum, total) => sum + total, 0),
          minimum: totals.reduce((least, total) => Math.min(least, total), Infinity),
          maximum: totals.reduce((most, total) => Math.max(most, total), -Infinity),
        };
      },
      update(id, total) {
        const order = orders.by("id", id);
        if (order === undefined) return;
        order.total = total;
        orders.update(order);
      },
      save: () =>
        called((done) => {
          database.saveDatabase(done);
        }),
    };
  },
  async open(path) {
    const { default: Loki } = await import("lokijs");
    const database = new Loki(path, await inFile());
    await called((done) => {
      database.loadDatabase({}, done);
    });
    const orders = database.getCollection<Order>("orders");
    return { lookup: (id) => [{ ...orders?.by("id", id) }] };
  },
};
