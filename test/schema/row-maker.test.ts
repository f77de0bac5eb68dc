// Records and copies of JSON are plain objects, whatever their names are and however many.

import { describe, expect, test } from "vitest";
import { createCollection, defineSchema, int, json, string } from "../../src/index.ts";
import { rowMaker } from "../../src/schema/row-maker.ts";

describe("an object of a maker is what a literal would be", () => {
  test.each<[what: string, names: readonly string[]]>([
    ["few members", ["id", "name"]],
    ["no members", []],
    ["as many as V8 puts into an object, and more", Array.from({ length: 60 }, (_, i) => `f${i}`)],
    ["names that look like indexes", ["b", "1", "0", "a"]],
    ["the names of its own code", ["a", "x", "values", "name"]],
    ["a name that assignment would not make", ["id", "__proto__", "name"]],
    ["names that all objects inherit", ["constructor", "toString", "hasOwnProperty"]],
  ])("with %s", (_, names) => {
    const make = rowMaker<number>(names);
    const values = names.map((_, i) => 10 * i);
    const expected = Object.fromEntries(names.map((name, i) => [name, 10 * i]));
    for (let round = 0; round < 20; round++) {
      const row = make(values);
      expect(row).toStrictEqual(expected);
      expect(Object.keys(row)).toEqual(Object.keys(expected));
      expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
      expect(Object.isExtensible(row)).toBe(true);
    }
  });

  test("takes values from their places, and null for what is missing", () => {
    const make = rowMaker<string>(["a", "b", "c"], [2, 0, 5]);
    expect(make(["x", "y", "z"])).toStrictEqual({ a: "z", b: "x", c: null });
  });
});

test("a record that is changed has the members of the others, in their order", () => {
  const Row = defineSchema({ id: int(), constructor: string(), tags: json(), "1": int() });
  const rows = [1, 2].map((id) => ({ id, constructor: "c", tags: [id], "1": id }));
  const changed = createCollection(Row, rows).update([["id", "exactly", 2]], { constructor: "d" });
  const [first, second] = changed.query();
  expect(second).toStrictEqual({ id: 2, constructor: "d", tags: [2], "1": 2 });
  expect(Object.keys(second ?? {})).toEqual(Object.keys(first ?? {}));
  expect(Object.isFrozen(second)).toBe(true);
});

test("JSON of many objects and of many shapes is copied and frozen throughout", () => {
  const Row = defineSchema({ id: int(), value: json() });
  const valueOf = (i: number) => ({
    always: i,
    nested: [{ sku: i, count: 1 }, { count: 2, sku: i }, {}],
    [`only ${i}`]: { ["__proto__"]: i, "0": "index", toString: "own" },
    absent: undefined,
  });
  const given = Array.from({ length: 5000 }, (_, id) => ({ id, value: valueOf(id) }));
  const records = createCollection(Row, given as never[]).query();
  for (const [i, { value }] of records.entries()) {
    const { absent, ...expected } = valueOf(i);
    expect(absent).toBeUndefined();
    expect(JSON.stringify(value)).toBe(JSON.stringify(expected));
    if (i % 100 !== 0) continue;
    expect(value).toStrictEqual(expected);
    const inner = (value as Readonly<Record<string, object>>)[`only ${i}`] ?? {};
    expect(Object.hasOwn(inner, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(inner)).toBe(Object.prototype);
    const { nested } = value as { readonly nested: readonly object[] };
    expect([value, inner, nested, ...nested].every((each) => Object.isFrozen(each))).toBe(true);
  }
});
