// The order in which the rows of several segments are merged: by value, then by key.

import { describe, expect, test } from "vitest";
import { Order, type Entry, type SortValue } from "../../../src/collection/snapshot/sort-order.ts";
import { createCollection, defineSchema, int, string } from "../../../src/index.ts";

const Row = defineSchema(
  { number: int({ nullable: true }), text: string({ nullable: true }) },
  { form: "wire" },
);

const orderBy = (order: "ASC" | "DESC") => new Order({ sort: { field: "number", order } });

const entries = (values: readonly SortValue[]): Entry[] =>
  values.map((value, key) => ({ value, key }));

test.each([
  ["numbers", [-Infinity, -3, 0, 7, 10]],
  ["texts", [null, "", "a", "b", "ba", "\uffff", "\u{10000}"]],
])(
  "%s come after null, which is −Infinity among numbers, and the other way round in descending order",
  (_, values) => {
    const all = entries(values);
    for (const [i, a] of all.entries()) {
      for (const [j, b] of all.entries()) {
        expect(Math.sign(orderBy("ASC").compare(a, b))).toBe(Math.sign(i - j));
        expect(Math.sign(orderBy("DESC").compare(a, b))).toBe(i === j ? 0 : Math.sign(j - i));
      }
    }
  },
);

test("equal rows stay in the order of keys in both directions, and so do rows that are not sorted", () => {
  const [a, b] = [
    { value: "x", key: 1 },
    { value: "x", key: 2 },
  ];
  for (const order of [orderBy("ASC"), orderBy("DESC"), new Order({ sort: undefined })]) {
    expect(order.compare(a, b)).toBeLessThan(0);
    expect(order.compare(b, a)).toBeGreaterThan(0);
  }
});

describe("the rows of a segment", () => {
  const [segment] = createCollection(Row, [
    { number: 10, text: "10" },
    { number: null, text: "9" },
    { number: 9, text: null },
    { number: 10, text: "" },
  ]).state.snapshot.segments;

  test.each([
    ["number", "ASC", [1, 2, 0, 3]],
    ["number", "DESC", [0, 3, 2, 1]],
    ["text", "ASC", [2, 3, 0, 1]],
    ["text", "DESC", [1, 0, 3, 2]],
  ] as const)("by %s %s", (field, order, expected) => {
    expect(new Order({ sort: { field, order } }).sorted(segment, [0, 1, 2, 3])).toEqual(expected);
  });
});
