// The bucket of each row: computed at the second request for the same bounds, and correct from then
// on.

import { describe, expect, test } from "vitest";
import { bucketsOfCodes, bucketsOfRows } from "../../../src/collection/cache/bins.ts";
import { fieldIndexOf } from "./built.ts";

/** Values from 1 to 600, so that the code of a row is its value; null is 0. */
const valueOf = (row: number) => (row * 7) % 601;
const index = () =>
  fieldIndexOf("int", 700, (row) => (valueOf(row) === 0 ? null : String(valueOf(row))));

const bounds = (...inner: number[]) => Uint32Array.of(0, ...inner, 601);

describe("the buckets of rows", () => {
  test("are those of their codes, a byte each for up to 256 of them", () => {
    for (const [count, bytes] of [
      [3, 1],
      [256, 1],
      [257, 2],
      [600, 2],
    ] as const) {
      const of = index();
      const inner = Array.from({ length: count - 1 }, (_, i) => i + 1);
      expect(bucketsOfRows(of, bounds(...inner))).toBeUndefined();
      const buckets = bucketsOfRows(of, bounds(...inner));
      expect(buckets).toHaveLength(700);
      expect(buckets?.BYTES_PER_ELEMENT).toBe(bytes);
      expect(Array.from(buckets ?? [])).toEqual(
        Array.from({ length: 700 }, (_, row) => Math.min(valueOf(row), count - 1)),
      );
    }
  });

  test("are made the second time in a row that the same bounds are asked for, and kept", () => {
    const of = index();
    expect(bucketsOfRows(of, bounds(1, 300))).toBeUndefined();
    const buckets = bucketsOfRows(of, bounds(1, 300));
    expect(buckets).toBeDefined();
    expect(bucketsOfRows(of, bounds(1, 300))).toBe(buckets);
    // Other bounds, more of them, and fewer, begin anew.
    for (const others of [bounds(1, 301), bounds(1, 301, 302), bounds(1, 301), bounds(1)]) {
      expect(bucketsOfRows(of, others)).toBeUndefined();
    }
    expect(bucketsOfRows(of, bounds(1))).toBeDefined();
    expect(bucketsOfRows(index(), bounds(1))).toBeUndefined();
  });
});

test("the bucket of a code is the stretch that it is in, empty stretches passed over", () => {
  expect(Array.from(bucketsOfCodes(6, Uint32Array.of(0, 1, 1, 4, 6, 6)))).toEqual([
    ...[0, 2, 2, 2, 3, 3],
  ]);
});
