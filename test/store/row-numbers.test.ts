// Row numbers as strings: they read back as written, and nothing else is accepted.

import fc from "fast-check";
import { expect, test } from "vitest";
import { readRowNumbers, writeRowNumbers } from "../../src/store/row-numbers.ts";
import { settings } from "../property.ts";

test("they come back, and no others do", () => {
  const rows = fc.uniqueArray(fc.oneof(fc.nat({ max: 300 }), fc.nat()), { maxLength: 40 });
  fc.assert(
    fc.property(rows, (given) => {
      const sorted = given.sort((a, b) => a - b);
      const text = writeRowNumbers(sorted);
      const size = (sorted.at(-1) ?? -1) + 1;
      expect([...(readRowNumbers(text, size) ?? [-1])]).toEqual(sorted);
      // One row less: the last one does not exist.
      if (size > 0) expect(readRowNumbers(text, size - 1)).toBeUndefined();
    }),
    settings(200),
  );
});

test("a text that ends within a number is none", () => {
  expect(readRowNumbers(Buffer.of(0x81).toString("base64"), 1000)).toBeUndefined();
  expect(readRowNumbers(Buffer.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff).toString("base64"), 10)).toBe(
    undefined,
  );
});

test("most rows take one byte", () => {
  const rows = Uint32Array.from({ length: 3000 }, (_, i) => 8 * i);
  expect(Buffer.from(writeRowNumbers(rows), "base64")).toHaveLength(3000);
});
