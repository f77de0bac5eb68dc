// Fields with the same value in every row share one index, and one string in each record. When a
// change makes them differ, each has its own.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCollection, defineSchema, string, type Collection } from "../../src/index.ts";
import { Deadline, DeadlineError } from "../../src/collection/algorithms/deadline.ts";
import { Indexes } from "../../src/collection/index/indexes.ts";
import { ObjectRows } from "../../src/collection/records/object-rows.ts";
import { settings } from "../property.ts";
import { predicatePage } from "../reference-page.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const Person = defineSchema(
  {
    id: string({ unique: true }),
    email: string({ nullable: true }),
    address: string({ nullable: true }),
    number: string(),
  },
  { form: "wire" },
);
type People = Collection<typeof Person>;

const emails = fc.option(
  fc.constantFrom("", "a", "ab@x.example", "b@x.example", "\u{1f600}@x.example", "\uffff"),
);
const people = fc
  .array(emails, { minLength: 1, maxLength: 120 })
  .map((all) => all.map((email, i) => ({ id: String(i), email, address: email, number: "0" })));

const names = (collection: People) =>
  collection.indexes().map(({ field, kind, bytes }) => `${kind} ${field}: ${bytes > 0}`);

const SIZE = 10_000;
const many = () =>
  Array.from({ length: SIZE }, (_, i) => {
    const email = `person ${(i * 7919) % SIZE}@x.example`;
    return { id: String(i), email, address: email, number: String(i % 7) };
  });

describe("fields with equal values", () => {
  test("share their indexes, whose bytes count once", () => {
    const collection = createCollection(Person, many()).prepare({
      match: ["email", "address", "number"],
      contains: ["email", "address"],
    });
    expect(names(collection)).toEqual([
      "ordered email: true",
      "ordered address: false",
      "ordered number: true",
      "trigram email: true",
      "trigram address: false",
    ]);
    expect(collection.query({ criteria: [["address", "contains", "person 17@"]] })).toHaveLength(1);
  });

  test("share the merged index, too, as long as both change alike", () => {
    const changed = (fields: object) =>
      createCollection(Person, many())
        .prepare({ match: ["email", "address"] })
        .update([["number", "exactly", "3"]], (draft) => void Object.assign(draft, fields))
        .compact();
    const alike = { email: "same@x.example", address: "same@x.example" };
    expect(names(changed(alike))).toEqual(["ordered email: true", "ordered address: false"]);
    const apart = changed({ address: "other@x.example" });
    expect(names(apart)).toEqual(["ordered email: true", "ordered address: true"]);
    expect(apart.count([["address", "exactly", "other@x.example"]])).toBe(
      Math.ceil((SIZE - 3) / 7),
    );
    expect(apart.count([["email", "exactly", "other@x.example"]])).toBe(0);
  });

  test.each([0, SIZE >> 1, SIZE - 1])("do not share where row %d differs", (row) => {
    const records = many().map((each, i) =>
      i === row ? { ...each, address: "elsewhere@x.example" } : each,
    );
    const collection = createCollection(Person, records);
    collection.prepare({ match: ["email", "address"], contains: ["email", "address"] });
    expect(names(collection)).toEqual([
      "ordered email: true",
      "ordered address: true",
      "trigram email: true",
      "trigram address: true",
    ]);
    const query = { criteria: [["address", "exactly", "elsewhere@x.example"]] } as const;
    expect(collection.query(query).map(({ id }) => id)).toEqual([String(row)]);
  });

  test("are compared in steps: who has no time goes on later", () => {
    const rows = new ObjectRows(Person, createCollection(Person, many()).query(), new Map());
    const indexes = new Indexes(Person, rows, {});
    const email = indexes.buildOrdered("email");
    expect(() => indexes.buildOrdered("address", new Deadline(0))).toThrow(DeadlineError);
    expect(indexes.buildOrdered("address")).toBe(email);
    expect(indexes.bytes).toBe(email.mostBytes);
  });

  test("answer like a plain filter, whatever changes one of them or both", () => {
    const change = fc.record({
      ids: fc.array(fc.nat({ max: 119 }), { maxLength: 30 }),
      email: fc.option(emails, { nil: undefined }),
      address: fc.option(emails, { nil: undefined }),
      isCompacted: fc.boolean(),
    });
    const fields = ["email", "address"] as const;
    fc.assert(
      fc.property(people, fc.array(change, { maxLength: 4 }), emails, (records, changes, asked) => {
        let expected = records.map((record) => ({ ...record }));
        let collection = createCollection(Person, records).prepare({ match: fields, sort: fields });
        for (const { ids, email, address, isCompacted } of changes) {
          const given = {
            ...(email === undefined ? {} : { email }),
            ...(address === undefined ? {} : { address }),
          };
          const chosen = ids.map(String);
          expected = expected.map((row) => (chosen.includes(row.id) ? { ...row, ...given } : row));
          collection = collection.update(
            [["id", "in", chosen]],
            (draft) => void Object.assign(draft, given),
          );
          if (isCompacted) collection = collection.compact();
          for (const field of fields) {
            for (const operator of ["exactly", "not"] as const) {
              const query = { criteria: [[field, operator, asked]], sortBy: field } as const;
              expect(collection.query(query)).toEqual(predicatePage(Person, expected, query));
            }
            const sorted = { sortBy: field, sortOrder: "ASC" } as const;
            expect(collection.query(sorted)).toEqual(predicatePage(Person, expected, sorted));
          }
        }
      }),
      settings(150),
    );
  });
});

test("a text that stands in two fields of a record is held once", () => {
  const textOf = (i: number) => `${i} `.repeat(1000);
  const heap = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  /** Flat strings, each made for its own field. */
  const record = (i: number, address: string) =>
    JSON.parse(JSON.stringify({ id: String(i), email: textOf(i), address, number: "0" })) as {
      id: string;
      email: string;
      address: string;
      number: string;
    };
  const load = (addressOf: (i: number) => string) => {
    const before = heap();
    const records = function* () {
      for (let i = 1000; i < 3000; i++) yield record(i, addressOf(i));
    };
    const collection = createCollection(Person, records());
    return { collection, bytes: heap() - before };
  };
  const apart = load((i) => textOf(i + 1));
  const alike = load(textOf);
  expect(alike.bytes).toBeLessThan(0.6 * apart.bytes);
  expect(alike.collection.at(-1)).toEqual(record(2999, textOf(2999)));
  // One that differs keeps its own.
  expect(apart.collection.at(-1)).toEqual(record(2999, textOf(3000)));
});
