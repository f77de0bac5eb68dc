// Numbers as the values of an index: their texts, and the position of a text among them.

import fc from "fast-check";
import { expect, test } from "vitest";
import { NumberValues } from "../../../src/collection/index/number-values.ts";
import { settings } from "../../property.ts";

const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0);
/** Spread evenly, or in a way that every guess is far off. */
const numbers = fc.oneof(
  fc.uniqueArray(finite, { maxLength: 60 }),
  fc.uniqueArray(fc.integer({ min: -30, max: 30 }), { maxLength: 60 }),
  fc.nat(200).map((length) => Array.from({ length }, (_, i) => 2 ** i)),
  fc.constant([-Number.MAX_VALUE, -1, 0, Number.MIN_VALUE, 1, Number.MAX_VALUE]),
);
const texts = fc.oneof(
  finite.map(String),
  fc.integer({ min: -31, max: 31 }).map(String),
  fc.constantFrom("", "abc", "01", "1e0", "-0", "Infinity", "-Infinity"),
);

test("a text is found if it is that of a number, and otherwise its place is, from any code on", () => {
  fc.assert(
    fc.property(numbers, texts, fc.nat(5), (given, text, skipped) => {
      const sorted = given.toSorted((a, b) => a - b);
      const values = new NumberValues("float", Float64Array.of(0, ...sorted));
      expect(values).toHaveLength(sorted.length + 1);
      expect([values.at(0), values.at(sorted.length + 1)]).toEqual([null, undefined]);
      const from = Math.min(1 + skipped, values.length);
      sorted.forEach((number, i) => {
        expect([values.at(i + 1), values.numberAt(i + 1)]).toEqual([String(number), number]);
        if (i + 1 >= from) expect(values.search(String(number), from)).toBe(i + 1);
      });
      const place = values.search(text, from);
      if (place >= 0) expect(values.at(place)).toBe(text);
      else if (!Number.isNaN(Number(text)) && text !== "") {
        const lower = sorted.slice(from - 1).filter((number) => number < Number(text)).length;
        expect(~place).toBe(from + lower);
        expect(sorted.map(String).indexOf(text, from - 1)).toBe(-1);
      }
    }),
    settings(300),
  );
});
