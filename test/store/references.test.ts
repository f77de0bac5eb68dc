// References between the collections of a store (C21): valid at every commit, after reopening, migrations and imports.

import { join } from "node:path";
import { expect, test } from "vitest";
import { createCollection, createDatabase, defineSchema, int, string } from "../../src/index.ts";
import { createStore, importCollection, openStore } from "../../src/store/index.ts";
import { newFolder } from "./fixtures.ts";

const Customer = defineSchema({ id: int({ unique: true }), country: string() });
const Order = defineSchema({
  id: int({ unique: true }),
  customer: int({ references: ["customers", "id"], onRemove: "remove" }),
});
const schemas = { customers: Customer, orders: Order };

function made() {
  const directory = join(newFolder(), "store");
  const db = createDatabase({
    customers: createCollection(Customer, [
      { id: 1, country: "AU" },
      { id: 2, country: "NZ" },
    ]),
    orders: createCollection(Order, [
      { id: 1, customer: 1 },
      { id: 2, customer: 2 },
    ]),
  });
  createStore(directory, db, { lock: false }).close();
  return directory;
}

test("a store answers questions by paths, and removes records with those they refer to", () => {
  const directory = made();
  const store = openStore(directory, schemas, { lock: false });
  const inNz = () => store.count("orders", [["customer.country", "exactly", "NZ"]]);
  expect(inNz()).toBe(1);
  store.update((draft) => {
    draft.customers = draft.customers.remove([["id", "exactly", 2]]);
  });
  expect(() =>
    store.update((draft) => {
      draft.orders = draft.orders.insert({ id: 3, customer: 2 });
    }),
  ).toThrow('record "3" refers by "customer" to "2"');
  store.close();
  const again = openStore(directory, schemas, { lock: false });
  expect([...again.orders]).toEqual([{ id: 1, customer: 1 }]);
  expect(again.count("customers", [["orders", "some", []]])).toBe(1);
  again.close();
});

test("a migration that leaves a reference to nothing is refused", () => {
  const directory = made();
  const migrate = {
    orders: { 1: (order: Readonly<Record<string, unknown>>) => ({ ...order, customer: 9 }) },
  };
  const noted = defineSchema({ ...Order.fields, note: string({ nullable: true }) });
  const changed = { customers: Customer, orders: noted };
  expect(() => openStore(directory, changed, { lock: false, migrate })).toThrow(
    'record "1" refers by "customer" to "9"',
  );
  openStore(directory, schemas, { lock: false }).close();
});

test("an imported collection refers to records that are there", async () => {
  const directory = join(newFolder(), "store");
  const db = createDatabase({ customers: createCollection(Customer, [{ id: 1, country: "AU" }]) });
  createStore(directory, db, { lock: false }).close();
  const load = (customer: number) => () => createCollection(Order, [{ id: 1, customer }]);
  await expect(importCollection(directory, "orders", load(2), { lock: false })).rejects.toThrow(
    'record "1" refers by "customer" to "2"',
  );
  expect(await importCollection(directory, "orders", load(1), { lock: false })).toBe(1);
  const store = openStore(directory, schemas, { lock: false });
  expect(store.count("orders", [["customer.country", "exactly", "AU"]])).toBe(1);
  store.close();
});
