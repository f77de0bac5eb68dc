// What questions that cross collections hold counts among the bytes of indexes, and makes room for others.

import fc from "fast-check";
import { expect, test } from "vitest";
import { createCollection, createDatabase, defineSchema, int, string } from "../../src/index.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";
import { tuned } from "../tuned.ts";

const Customer = defineSchema({ id: int({ unique: true }), name: string(), country: string() });
const Order = defineSchema({
  id: int({ unique: true }),
  customer: int({ references: ["customers", "id"] }),
  total: int(),
});
const CUSTOMERS = 60;
const ORDERS = 500;

function databaseOf(options: object = {}) {
  const customers = Array.from({ length: CUSTOMERS }, (_, id) => ({
    id,
    name: `name ${(id * 7) % 50}`,
    country: `country ${id % 4}`,
  }));
  const orders = Array.from({ length: ORDERS }, (_, id) => ({
    id,
    customer: (id * 31) % CUSTOMERS,
    total: (id * 7919) % 101,
  }));
  return createDatabase({
    customers: createCollection(Customer, customers, options),
    orders: createCollection(Order, orders, options),
  });
}
type Db = ReturnType<typeof databaseOf>;

const KINDS = ["page", "count", "groups", "holders", "own"] as const;

/** Another question each time: a result that is kept needs no index. */
function ask(db: Db, kind: (typeof KINDS)[number], time: number): unknown {
  const country = `country ${time % 4}`;
  switch (kind) {
    case "page":
      return db.query("orders", { sortBy: "customer.name", offset: time % 100, limit: 5 });
    case "count":
      return db.count("orders", [
        ["customer.country", "exactly", country],
        ["total", "at_least", time % 101],
      ]);
    case "groups":
      return db.groupBy("orders", {
        by: "customer.country",
        criteria: [["total", "at_most", time % 101]],
      });
    case "holders":
      return db.query("customers", {
        criteria: [["orders", time % 2 === 0 ? "some" : "none", [["total", "at_most", time % 9]]]],
        limit: 7,
      });
    case "own":
      return db.orders.query({ sortBy: "total", offset: time % 400, limit: 3 });
  }
}

function change(db: Db, time: number): void {
  db.update((draft) => {
    draft.customers = draft.customers.update([["id", "exactly", time % CUSTOMERS]], {
      country: `country ${(time * 3) % 4}`,
    });
    draft.orders = draft.orders.update([["id", "exactly", (time * 5) % ORDERS]], {
      customer: (time * 11) % CUSTOMERS,
    });
  });
}

const budgetOf = ({ state }: Db["orders"] | Db["customers"]) => state.options.budget;

test("a question that crosses collections keeps to the bytes of both, and means the same", () => {
  using _ = tuned({ fewRows: 8, fewValues: 16, fewToSearch: 16 });
  const step = fc.record({
    kind: fc.constantFrom(...KINDS, "change" as const),
    times: fc.integer({ min: 1, max: 12 }),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 12, size: "max" }),
      fc.integer({ min: 0, max: 30_000 }),
      fc.boolean(),
      (steps, indexBytes, isPrepared) => {
        const bound = databaseOf({ indexBytes });
        const plain = databaseOf();
        if (isPrepared) {
          bound.customers.prepare({ match: ["country", "name"] });
          bound.orders.prepare({ match: ["customer", "total"] });
        }
        let time = 0;
        for (const { kind, times } of steps) {
          for (let i = 0; i < times; i++) {
            time++;
            if (kind === "change") for (const db of [bound, plain]) change(db, time);
            else expect(ask(bound, kind, time)).toEqual(ask(plain, kind, time));
            for (const budget of [budgetOf(bound.customers), budgetOf(bound.orders)]) {
              const left = budget?.left ?? NaN;
              // What was named or is required is never evicted; then nothing else is left.
              if (left < 0) expect(budget?.canHold(left + 1)).toBe(false);
            }
          }
        }
      },
    ),
    settings(25),
  );
});

test("an index of a field of other records makes room, and is made again once queries have cost its price", () => {
  using _ = tuned({ fewRows: 8 });
  const db = databaseOf({ indexBytes: 1_000_000 });
  db.customers.prepare({ match: ["country", "name"] });
  db.orders.prepare({ match: ["customer", "total"] });
  const budget = budgetOf(db.orders);
  const left = () => budget?.left ?? NaN;
  const full = left();
  const path = () =>
    db.explain("orders", untyped({ sortBy: "customer.name", limit: 5 })).access.path;
  ask(db, "page", 1);
  const held = full - left();
  expect(held).toBeGreaterThan(4 * CUSTOMERS);
  ask(db, "groups", 1);
  // The code of each order.
  expect(full - left()).toBeGreaterThanOrEqual(held + ORDERS);
  expect(path()).toBe("index-scan");
  // Room for something else. Which customer is whose is kept with the named index of the references.
  const rest = full - 4 * (CUSTOMERS + 1);
  expect(budget?.makeRoom(rest)).toBe(true);
  expect(left()).toBe(rest);
  expect(path()).not.toBe("index-scan");
  for (let time = 0; time < 50; time++) ask(db, "page", time);
  expect(path()).toBe("index-scan");
  expect(left()).toBeLessThan(rest);
});
