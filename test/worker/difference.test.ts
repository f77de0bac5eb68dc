// Differences between results, and the keys by which live queries are shared.

import fc from "fast-check";
import { expect, test } from "vitest";
import { isEqualJson } from "../../src/schema/json.ts";
import { changedBy } from "../../src/worker/changed-by.ts";
import { differenceOf } from "../../src/worker/difference.ts";
import { keyOf } from "../../src/worker/live-key.ts";

const hostile = fc.constantFrom("__proto__", "0", "", "😀", "constructor");
const row = fc.oneof(
  fc.record({ id: fc.nat(9), name: hostile }),
  fc.constantFrom(null, 0, 1, "", "0"),
);
/** Two lists with objects in common, as two results have them, and others that are equal only. */
const two = fc
  .tuple(fc.array(row, { maxLength: 12 }), fc.array(row, { maxLength: 4 }))
  .chain(([shared, others]) => {
    const list = fc.array(fc.constantFrom(null, ...shared, ...others, ...structuredClone(shared)), {
      maxLength: 14,
    });
    return fc.tuple(list, list);
  });
const result = two.chain(([before, after]) =>
  fc.constantFrom<[unknown, unknown]>(
    [before, after],
    [
      { records: before, next: "a", __proto__: null },
      { records: after, next: "b", __proto__: null },
    ],
    [before, { records: after }],
    [{ ["__proto__"]: before }, { ["__proto__"]: after }],
    [before.length, after.length],
  ),
);

test("a difference leads from one result to the other, after it was sent; what is in both stays the same object", () => {
  fc.assert(
    fc.property(result, ([before, after]) => {
      // The page has copies of the rows.
      const copy = structuredClone(before);
      const sent = structuredClone(differenceOf(before, after));
      const changed = changedBy(copy, sent);
      expect(changed).toEqual(structuredClone(after));
      if (!Array.isArray(before) || !Array.isArray(after) || !Array.isArray(changed)) return;
      const kept = new Set<unknown>(copy as unknown[]);
      // Of rows that are equal, any may be taken.
      const equalIn = (rows: readonly unknown[], row: unknown) =>
        rows.filter((each) => isEqualJson(each, row)).length;
      const isShared = (each: unknown) =>
        before.includes(each) && equalIn(before, each) === 1 && equalIn(after, each) === 1;
      for (const [i, each] of after.entries()) {
        if (isShared(each)) expect(kept.has(changed[i])).toBe(true);
      }
    }),
  );
});

test("a row that changes, moves, comes or goes is all that is sent", () => {
  const rows = Array.from({ length: 1000 }, (_, id) => ({ id }));
  const other = { id: 5000 };
  const sent = (after: readonly unknown[]) => JSON.stringify(differenceOf(rows, after));
  expect(sent(rows)).toBe('{"rows":[[0,1000]]}');
  expect(sent(rows.with(5, other))).toBe('{"rows":[[0,5],{"added":[{"id":5000}]},[6,1000]]}');
  expect(sent([other, ...rows])).toBe('{"rows":[{"added":[{"id":5000}]},[0,1000]]}');
  expect(sent(rows.toSpliced(7, 1))).toBe('{"rows":[[0,7],[8,1000]]}');
  const moved = [...rows.slice(1, 400), { id: 0 }, ...rows.slice(400)];
  expect(sent(moved)).toBe('{"rows":[[1,400],{"added":[{"id":0}]},[400,1000]]}');
  expect(sent([])).toBe('{"rows":[]}');
});

test("equal queries have one key, others have another, and what is no data has none", () => {
  const values: readonly unknown[] = [
    {},
    { limit: null },
    { limit: undefined },
    { limit: NaN },
    { limit: Infinity },
    { limit: "NaN" },
    { limit: 0 },
    { limit: "0" },
    { criteria: [["at", "exactly", new Date(0)]] },
    { criteria: [["at", "exactly", new Date(0).toISOString()]] },
    { criteria: [["at", "exactly", 0]] },
    { criteria: [["at", "exactly", undefined]] },
    { criteria: [["at", "exactly", null]] },
    { criteria: [["at", "exactly", "null"]] },
  ];
  const keys = values.map((value) => keyOf(value));
  expect(keys).not.toContain(undefined);
  expect(new Set(keys).size).toBe(values.length);
  expect(values.map((value) => keyOf(structuredClone(value)))).toEqual(keys);
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  for (const none of [5n, new Map(), () => 0, Symbol("x"), new Set(), { "~": "NaN" }, cyclic]) {
    expect(keyOf([none])).toBe(undefined);
  }
});
