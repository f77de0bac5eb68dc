// A page of rows in the order of integers without an index.

import fc from "fast-check";
import { expect, test } from "vitest";
import { selectByIntegers } from "../../../src/collection/algorithms/select-integers.ts";
import { settings } from "../../property.ts";

const integers = fc.constantFrom(
  null,
  "0",
  "1",
  "-1",
  "7",
  "10",
  "9007199254740991",
  "-9007199254740991",
);

test("is what a stable sort puts there", () => {
  fc.assert(
    fc.property(
      fc.array(integers, { minLength: 1, maxLength: 60 }),
      fc.boolean(),
      fc.nat(60),
      fc.nat(60),
      (values, descending, a, b) => {
        const [from, to] = [a, b].map((n) => n % (values.length + 1)).sort((x, y) => x - y);
        if (from === undefined || to === undefined) throw new Error("there are two");
        const rows = Uint32Array.from(values.keys(), (i) => 3 * i + 1);
        const valueOf = (row: number) => values[(row - 1) / 3] ?? null;
        const key = (row: number) => BigInt(valueOf(row) ?? -(2n ** 60n));
        const read = (row: number) => Number(valueOf(row) ?? -Infinity);
        const sorted = [...rows].sort((x, y) => {
          const difference = descending ? key(y) - key(x) : key(x) - key(y);
          return Number(difference) || x - y;
        });
        const places = selectByIntegers(
          Float64Array.from(rows, read),
          descending,
          from,
          to,
          undefined,
        );
        expect(Array.from(places, (place) => rows[place])).toEqual(sorted.slice(from, to));
      },
    ),
    settings(500),
  );
});
