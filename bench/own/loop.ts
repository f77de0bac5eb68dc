// A loop over an array: filter, sort and slice. Its file is JSON.

import { readFileSync, writeFileSync } from "node:fs";
import { FOUND, PAGE, type Order } from "./orders.ts";
import type { OwnEntry } from "./peer.ts";

export const loop: OwnEntry = {
  create(path) {
    let orders: Order[] = [];
    return {
      load: (given) => void (orders = [...given]),
      lookup: (id) => orders.filter((order) => order.id === id),
      page: (state, country) =>
        orders
          .filter((order) => order.state === state && order.country === country)
          .sort((a, b) => b.quantity - a.quantity || b.total - a.total)
          .slice(PAGE.offset, PAGE.offset + PAGE.limit),
      search(text) {
        const lower = text.toLowerCase();
        const found: Order[] = [];
        for (const order of orders) {
          if (found.length === FOUND) break;
          if (order.title.toLowerCase().includes(lower)) found.push(order);
        }
        return found;
      },
      summary(state) {
        let count = 0;
        let sum = 0;
        let minimum = Infinity;
        let maximum = -Infinity;
        for (const order of orders) {
          if (order.state !== state) continue;
          count++;
          sum += order.total;
          minimum = Math.min(minimum, order.total);
          maximum = Math.max(maximum, order.total);
        }
        return { count, sum, minimum, maximum };
      },
      update(id, total) {
        const order = orders.find((each) => each.id === id);
        if (order !== undefined) order.total = total;
      },
      save() {
        writeFileSync(path, JSON.stringify(orders));
      },
    };
  },
  open(path) {
    const orders = JSON.parse(readFileSync(path, "utf8")) as Order[];
    return { lookup: (id) => orders.filter((order) => order.id === id) };
  },
};
