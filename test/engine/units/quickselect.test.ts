// Selection: the range that a full sort would put there, with smaller keys to its left and larger ones
// to its right.

import fc from "fast-check";
import { expect, test } from "vitest";
import { settings } from "../../property.ts";
import { withLowestInTheMiddle } from "../adversaries.ts";
import { selectingRange } from "../../../src/engine/algorithms/quickselect.ts";
import { selectRange, stepsOf } from "./built.ts";

function expectSelected(keys: readonly number[], from: number, to: number): void {
  const sorted = keys.toSorted((a, b) => a - b);
  const selected = Float64Array.from(keys);
  selectRange(selected, from, to);
  expect(Array.from(selected.subarray(from, to))).toEqual(sorted.slice(from, to));
  if (from >= Math.min(to, keys.length)) return;
  expect(Array.from(selected.subarray(0, from)).toSorted((a, b) => a - b)).toEqual(
    sorted.slice(0, from),
  );
  expect(Array.from(selected.subarray(to)).toSorted((a, b) => a - b)).toEqual(sorted.slice(to));
}

const ARRANGEMENTS: readonly (readonly number[])[] = [
  [],
  [1],
  [2, 1],
  [1, 2, 3, 4, 5, 6, 7, 8],
  [8, 7, 6, 5, 4, 3, 2, 1],
  [5, 1, 4, 2, 3],
  [3, 1, 2],
  [2, 3, 1],
  [1, 3, 2],
  [-3, 7, 0, -9, 2 ** 53 - 1, 4],
];

test.each(ARRANGEMENTS.map((keys) => [keys]))("every stretch of %j", (keys) => {
  for (let from = 0; from <= keys.length + 1; from++) {
    for (let to = 0; to <= keys.length + 1; to++) expectSelected(keys, from, to);
  }
});

test("any stretch of any distinct keys", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.maxSafeInteger(), { maxLength: 200 }),
      fc.nat({ max: 210 }),
      fc.nat({ max: 210 }),
      expectSelected,
    ),
    settings(300),
  );
});

test("an empty stretch leaves the keys as they are", () => {
  const keys = Float64Array.of(3, 1, 2);
  for (const [from, to] of [
    [1, 1],
    [2, 1],
    [3, 9],
    [7, 9],
  ] as const)
    selectRange(keys, from, to);
  expect(Array.from(keys)).toEqual([3, 1, 2]);
});

test("all of very many keys, in no order", () => {
  const count = 2 ** 16 + 500;
  expectSelected(
    Array.from({ length: count }, (_, i) => (i * 7919) % count),
    0,
    count,
  );
});

test("a stretch of many keys that are sorted already", () => {
  expectSelected([...Array(20_000).keys()], 7_000, 7_010);
});

test("keys in an order in which each pivot is the lowest of what is left", () => {
  const keys = withLowestInTheMiddle(5_000);
  expectSelected(keys, 4_900, 4_910);
  expectSelected(keys, 4_990, 5_000);
  const descending = withLowestInTheMiddle(5_000, 50);
  expectSelected(descending, 60, 70);
  expectSelected(descending, 4_900, 4_910);
});

/** How many passes over keys a selection takes, beside those of a sort. */
const passes = (keys: readonly number[], from: number, to: number) =>
  stepsOf(selectingRange(Float64Array.from(keys), from, to));

test("a selection takes a few passes, and no more where the keys were arranged to be slow", () => {
  const random = Array.from({ length: 10_000 }, (_, i) => (i * 7919) % 10_007);
  for (const [from, to] of [
    [0, 10],
    [5000, 5010],
    [9990, 10_000],
  ] as const) {
    expect(passes(random, from, to)).toBeGreaterThan(2);
    expect(passes(random, from, to)).toBeLessThan(60);
    expect(passes(withLowestInTheMiddle(5000), from / 2, to / 2)).toBeLessThan(60);
  }
  // Many passes are allowed before that: these take as many as budgeted.
  expect(passes(withLowestInTheMiddle(5000), 4900, 5000)).toBeGreaterThanOrEqual(12);
});

test("the last key that is left needs no pass, and all keys need none but the sort", () => {
  expect(passes([2, 1], 0, 1)).toBe(1);
  expect(passes([2, 1], 1, 2)).toBe(1);
  expect(passes([3, 1, 2], 0, 3)).toBe(0);
  const whole = (count: number) => passes([...Array(count).keys()].toReversed(), 0, count);
  expect(whole(2 ** 16)).toBe(0);
  // More are sorted by their digits, in steps.
  expect(whole(2 ** 16 + 1)).toBeGreaterThan(4);
});
