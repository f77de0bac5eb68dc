// Fields with the same value in every row share one index, and one string in each record. When a
// change makes them differ, each has its own.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { createCollection, string, type Collection } from "../../src/index.ts";
import { Deadline, DeadlineError } from "../../src/engine/algorithms/deadline.ts";
import { Indexes } from "../../src/engine/indexes/indexes.ts";
import { ObjectRows } from "../../src/engine/columns/object-rows.ts";
import { wireSchema } from "../wire-schema.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const Person = wireSchema({
  id: string({ unique: true }),
  email: string({ nullable: true }),
  address: string({ nullable: true }),
  number: string(),
});
type People = Collection<typeof Person>;

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
    const different = changed({ address: "other@x.example" });
    expect(names(different)).toEqual(["ordered email: true", "ordered address: true"]);
    expect(different.count([["address", "exactly", "other@x.example"]])).toBe(
      Math.ceil((SIZE - 3) / 7),
    );
    expect(different.count([["email", "exactly", "other@x.example"]])).toBe(0);
  });

  test("share no index that lacks the records inserted since", () => {
    const people = createCollection(Person, many().slice(0, SIZE >> 1))
      .prepare({ match: ["email"] })
      .insert(many().slice(SIZE >> 1));
    people.prepare({ match: ["address"] });
    const last = people.at(-1)?.email ?? null;
    for (const field of ["address", "email"] as const) {
      expect(people.count([[field, "exactly", last]]), field).toBe(1);
    }
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
  const different = load((i) => textOf(i + 1));
  const alike = load(textOf);
  expect(alike.bytes).toBeLessThan(0.6 * different.bytes);
  expect(alike.collection.at(-1)).toEqual(record(2999, textOf(2999)));
  // One that differs keeps its own.
  expect(different.collection.at(-1)).toEqual(record(2999, textOf(3000)));
});

describe("a merge after updates", () => {
  test("keeps the indexes of fields that did not change", () => {
    const before = createCollection(Person, many()).prepare({
      match: ["id", "number"],
      contains: ["email", "address"],
    });
    const after = before.update([["number", "exactly", "3"]], { email: "new" }).compact();
    const of = (collection: People, kind: "ordered" | "trigram", field: string) =>
      collection.state.snapshot.segments[0].indexes.there(kind, field);
    for (const field of ["id", "number", "address"]) {
      expect(of(after, "ordered", field), field).toBe(of(before, "ordered", field));
    }
    expect(of(after, "trigram", "address")).toBe(of(before, "trigram", "address"));
    expect(of(after, "ordered", "email")).not.toBe(of(before, "ordered", "email"));
    for (const operator of ["exactly", "contains"] as const) {
      expect(after.count([["email", operator, "new"]])).toBe(Math.ceil((SIZE - 3) / 7));
    }
  });
  test("keeps none if other rows come in the place of removed ones", () => {
    const same = { email: "e", address: "a", number: "1" };
    const people = createCollection(
      Person,
      Array.from({ length: 100 }, (_, i) => ({ id: `p${i}`, ...same, address: `a${i % 3}` })),
    ).prepare({ match: ["id", "address"] });
    // The last two rows have the addresses that the last two had before.
    const after = people
      .remove([["id", "in", ["p0", "p50"]]])
      .insert(["a2", "a0"].map((address, i) => ({ ...same, id: `new${i}`, address })))
      .compact();
    for (const { id, address } of after) {
      expect(after.get("id", id)?.id).toBe(id);
      expect(
        after.count([
          ["id", "exactly", id],
          ["address", "exactly", address],
        ]),
      ).toBe(1);
    }
  });
});
