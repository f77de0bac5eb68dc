// The strings with a prefix are a range, from the prefix to the lowest string above all of them.

import fc from "fast-check";
import { expect, test } from "vitest";
import { compareCodePoints } from "../../src/schema/order.ts";
import { afterPrefix } from "../../src/sql/condition.ts";
import { dateForm, rangeOf, timeForm, timestampForm } from "../../src/sql/own-form.ts";
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

test("dates and times that begin with a part are in its range, which a whole part makes", () => {
  const unused = { text: String, bind: String };
  const [least, most] = [-62_135_596_800, 253_402_300_799];
  const near = ["2024-02-29T23:59:59Z", "0001-01-01T00:00:00Z", "9999-12-31T09:09:09Z"];
  const seconds = fc.oneof(
    fc.constantFrom(...near.map((each) => Date.parse(each) / 1000)),
    fc.integer({ min: least, max: most }),
  );
  // Neighbours in the next or the last second, minute, hour, day, month or year.
  const step = fc.constantFrom(
    ...[1, 60, 3600, 86_400, 86_400 * 31, 86_400 * 366].flatMap((each) => [each, -each]),
  );
  const stampOf = (second: number) =>
    `${new Date(1000 * Math.min(most, Math.max(least, second))).toISOString().slice(0, 19)}Z`;
  for (const [form, from, to] of [
    [timestampForm(0, "Z"), 0, 20],
    [dateForm, 0, 10],
    [timeForm(0), 11, 19],
  ] as const) {
    fc.assert(
      fc.property(seconds, step, fc.nat({ max: 20 }), (second, step, length) => {
        const text = stampOf(second).slice(from, to);
        const given = stampOf(second + step).slice(from, to);
        const part = text.slice(0, length);
        const range = rangeOf({ ...form, ...unused }, part);
        const isWithin = (each: string) =>
          (range.from === undefined || each >= range.from) &&
          (range.until === undefined || each < range.until);
        expect(isWithin(text)).toBe(true);
        if (form.cuts?.includes(part.length)) expect(isWithin(given)).toBe(given.startsWith(part));
      }),
      settings(300),
    );
  }
});
