// Rules R1 and R2: what queries return, and that they change nothing.

import { describe, expect, test } from "vitest";
import { createCollection, int, string, type Service } from "../../src/index.ts";
import { ask, aService, CONTACT_FIELDS, FILE_FIELDS } from "./fixtures.ts";
import { wireSchema } from "../wire-schema.ts";

const Thing = wireSchema({ zebra: int(), apple: string(), mango: string({ nullable: true }) });

const aCollection = () =>
  createCollection(Thing, [
    { mango: "m", apple: "x", zebra: 2 },
    { apple: "y", zebra: 1 },
  ]);

const contactsOf = (service: Service) => Object.values(service.getBatchContacts(7)).flat();

describe("R1", () => {
  test("R1 records are plain, frozen objects", () => {
    const service = aService();
    const records: object[] = [
      ...aCollection().query(),
      ...service.searchFiles(),
      ...contactsOf(service),
    ];
    expect(records).toHaveLength(8);
    for (const record of records) {
      expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
      expect(Object.isFrozen(record)).toBe(true);
      for (const property of Object.values(Object.getOwnPropertyDescriptors(record))) {
        expect(property).toHaveProperty("value");
      }
    }
  });

  test("R1 fields stand in the contract's order, whatever the order of the input", () => {
    const service = aService();
    for (const file of service.searchFiles()) {
      expect(Object.keys(file)).toEqual(FILE_FIELDS.map(([name]) => name));
    }
    for (const contact of contactsOf(service)) {
      expect(Object.keys(contact)).toEqual(CONTACT_FIELDS.map(([name]) => name));
    }
    for (const record of aCollection().query()) {
      expect(Object.keys(record)).toEqual(["zebra", "apple", "mango"]);
    }
  });

  test("R1 the arrays returned are the caller's own", () => {
    const collection = aCollection();
    for (const query of [undefined, {}, { sortBy: "zebra" }, { limit: 0 }] as const) {
      const first = collection.query(query);
      const copy = [...first];
      first.push(...first);
      first.reverse();
      first.length = 0;
      expect(collection.query(query)).toEqual(copy);
    }

    const service = aService();
    const files = service.searchFiles();
    files.length = 0;
    expect(service.searchFiles()).toHaveLength(3);
    const lists = service.getBatchContacts(7);
    for (const contacts of Object.values(lists)) contacts.length = 0;
    lists["99"] = [];
    const again = service.getBatchContacts(7);
    expect(Object.keys(again)).toEqual(["10", "20"]);
    expect(Object.values(again).flat()).toHaveLength(3);
    const { result } = ask(service, "searchFiles");
    (result as unknown[]).length = 0;
    expect(ask(service, "searchFiles").result).toHaveLength(3);
  });
});

describe("R2", () => {
  test("R2 a query never changes a collection", () => {
    const collection = aCollection();
    const before = JSON.stringify([...collection]);
    collection.query({ sortBy: "zebra", sortOrder: "ASC", limit: 1, offset: 1 });
    collection.query({ criteria: [["mango", "exactly", null]], sortBy: "mango" });
    collection.count([["zebra", "greater_than", 1]]);
    expect(JSON.stringify([...collection])).toBe(before);
    expect(JSON.stringify(collection.query())).toBe(before);
    expect(collection.size).toBe(2);
  });

  test("R2 a collection never changes: neither it nor a record can be written to", () => {
    const collection = aCollection();
    const record = collection.at(0);
    expect(Object.isFrozen(collection)).toBe(true);
    expect(Reflect.set(record ?? {}, "apple", "z")).toBe(false);
    expect(Reflect.set(collection, "schema", null)).toBe(false);
    expect(Reflect.set(collection, "size", 0)).toBe(false);
    expect(collection.at(0)).toEqual({ zebra: "2", apple: "x", mango: "m" });
  });

  test("R2 a collection keeps nothing of its input", () => {
    const first = { zebra: 1, apple: "x" };
    const input = [first];
    const collection = createCollection(Thing, input);
    first.apple = "changed";
    input.push({ zebra: 2, apple: "y" });
    expect(collection.query()).toEqual([{ zebra: "1", apple: "x", mango: null }]);
  });

  test("R2 the same query gives the same answer again", () => {
    const service = aService();
    const asked = () => [
      ask(service, "searchFiles", [["size", "less_than", 100]], 2, 0, "size", "ASC"),
      ask(service, "getBatchContacts", 7, null, 2, 1, "Email", "ASC"),
    ];
    const first = JSON.stringify(asked());
    expect(JSON.stringify(asked())).toBe(first);
    expect(JSON.stringify(asked())).toBe(first);
  });
});
