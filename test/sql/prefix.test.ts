// The strings with a prefix are a range, from the prefix to the lowest string above all of them.

import fc from "fast-check";
import { expect, test } from "vitest";
import { compareCodePoints } from "../../src/schema/order.ts";
import { afterPrefix } from "../../src/sql/condition.ts";
import { settings } from "../property.ts";

const points = [
  "a",
  "b",
  "\0",
  "\ud7ff",
  "\ue000",
  "\uffff",
  "\u{10000}",
  "\u{10fffe}",
  "\u{10ffff}",
];
const text = fc.array(fc.constantFrom(...points), { maxLength: 4 }).map((all) => all.join(""));

test("a string is in the range of a prefix if and only if it begins with it", () => {
  fc.assert(
    fc.property(text, text, text, fc.boolean(), (prefix, rest, other, isWithin) => {
      const given = isWithin ? prefix + rest : other;
      const end = afterPrefix(prefix);
      const isBelow = end === undefined || compareCodePoints(given, end) < 0;
      expect(end?.isWellFormed()).not.toBe(false);
      expect(compareCodePoints(given, prefix) >= 0 && isBelow).toBe(given.startsWith(prefix));
    }),
    settings(500),
  );
});
