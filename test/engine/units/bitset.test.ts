// A set of row numbers, beside the Set of the language.

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addRows,
  createBitset,
  intersectInto,
  type Bitset,
} from "../../../src/collection/algorithms/bitset.ts";
import { BitsetSource } from "../../../src/collection/pipeline/source.ts";
import { settings } from "../../property.ts";

function bitsetOf(size: number, rows: Iterable<number>): Bitset {
  const bits = createBitset(size);
  addRows(bits, Uint32Array.from(rows));
  return bits;
}

function rowsOf(bits: Bitset): number[] {
  const batch = new Uint32Array(32 * bits.length + 1);
  return Array.from(batch.subarray(0, new BitsetSource([bits]).next(batch, batch.length)));
}

const ascending = (rows: Iterable<number>): number[] => [...new Set(rows)].sort((a, b) => a - b);

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
    settings(200),
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
    settings(200),
  );
});
