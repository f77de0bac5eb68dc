// A set of row numbers, compared with JavaScript's Set.

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addRows,
  bitAt,
  createBitset,
  forEachDifference,
  forEachRun,
  highestBit,
  intersectInto,
  type Bitset,
} from "../../../src/engine/algorithms/bitset.ts";
import { BitsetSource } from "../../../src/engine/operators/source.ts";
import { settings } from "../../property.ts";
import { ascending } from "./ascending.ts";

function bitsetOf(size: number, rows: Iterable<number>): Bitset {
  const bits = createBitset(size);
  addRows(bits, Uint32Array.from(rows));
  return bits;
}

function rowsOf(bits: Bitset): number[] {
  const batch = new Uint32Array(32 * bits.length + 1);
  return Array.from(batch.subarray(0, new BitsetSource([bits]).next(batch, batch.length)));
}

test.each([
  [0, 0],
  [1, 4],
  [31, 4],
  [32, 4],
  [33, 8],
  [64, 8],
  [65, 12],
])("a set of %d rows takes %d bytes", (size, bytes) => {
  expect(createBitset(size).byteLength).toBe(bytes);
});

test("holds what was added, once, in ascending order", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 199 })), fc.array(fc.nat({ max: 199 })), (some, more) => {
      const bits = bitsetOf(200, some);
      expect(rowsOf(bits)).toEqual(ascending(some));
      addRows(bits, Uint32Array.from(more));
      expect(rowsOf(bits)).toEqual(ascending([...some, ...more]));
    }),
    settings(100),
  );
});

test("an intersection holds what both hold, and leaves the other set alone", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 99 })), fc.array(fc.nat({ max: 99 })), (some, more) => {
      const bits = bitsetOf(100, some);
      const other = bitsetOf(100, more);
      intersectInto(bits, other);
      const both = new Set(more);
      expect(rowsOf(bits)).toEqual(ascending(some.filter((row) => both.has(row))));
      expect(rowsOf(other)).toEqual(ascending(more));
    }),
    settings(100),
  );
});

test("says of each row whether it is there, what another set lacks, and in which runs they stand", () => {
  // Whole words too, which are passed over as one.
  const stretch = fc
    .tuple(fc.nat({ max: 199 }), fc.nat({ max: 99 }))
    .map(([from, length]) =>
      Array.from({ length: Math.min(length, 200 - from) }, (_, i) => from + i),
    );
  const some = fc.array(stretch, { maxLength: 4 }).map((stretches) => new Set(stretches.flat()));
  fc.assert(
    fc.property(some, some, (rows, others) => {
      const [bits, other] = [rows, others].map((each) => bitsetOf(200, each));
      const all = [...Array(200).keys()];
      expect(all.filter((row) => bitAt(bits ?? createBitset(0), row) === 1)).toEqual(
        ascending(rows),
      );
      const missing: number[] = [];
      forEachDifference(bits ?? createBitset(0), other, (row) => missing.push(row));
      expect(missing).toEqual(ascending(rows).filter((row) => !others.has(row)));
      const runs: number[] = [];
      forEachRun(bits ?? createBitset(0), (low, high) => runs.push(low, high));
      const isEdge = (row: number) => rows.has(row) !== rows.has(row - 1);
      // Where the set ends, its last run goes on to the end of the word.
      expect(runs.map((row) => Math.min(row, 200))).toEqual([...all, 200].filter(isEdge));
    }),
    settings(100),
  );
});

test("the highest bit is the logarithm to the base 2, rounded down", () => {
  const numbers = Array.from({ length: 31 }, (_, bit) => 2 ** bit);
  expect(numbers.map(highestBit)).toEqual([...numbers.keys()]);
  expect(numbers.slice(1).map((each) => highestBit(2 * each - 1))).toEqual(
    [...numbers.keys()].slice(1),
  );
});
