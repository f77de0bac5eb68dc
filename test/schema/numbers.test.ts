// Numbers in wire form (rules V2 and V10): which texts and values have one, and what number a text is.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isCanonicalInteger,
  parseNumber,
  toFloatText,
  toIntegerText,
} from "../../src/schema/numbers.ts";
import { settings } from "../property.ts";

const { MAX_SAFE_INTEGER: MOST, MIN_SAFE_INTEGER: LEAST } = Number;

/** Around every digit, length and bound that could be a special case. */
const INTEGERS = [0, 1, 9, 10, 99, 100, 1e15 - 1, 1e15, MOST - 1, MOST].flatMap((n) => [n, -n]);

describe("an integer", () => {
  test("has the text that String gives, from a number, a bigint or that text", () => {
    for (const n of [...INTEGERS, LEAST]) {
      const text = String(n);
      expect(isCanonicalInteger(text)).toBe(true);
      expect([n, BigInt(n), text].map(toIntegerText)).toEqual([text, text, text]);
    }
    fc.assert(
      fc.property(fc.maxSafeInteger(), (n) => {
        expect([n, BigInt(n), `${n}`].map(toIntegerText)).toEqual([`${n}`, `${n}`, `${n}`]);
      }),
      settings(100),
    );
  });

  test.each([
    ...["", "-", "--1", "-0", "00", "01", "-01", "+1", " 1", "1 ", "1a", "a1", "1/", "1:", "1.0"],
    ...["1e3", "0x1", "１", "1\0", String(MOST + 1), String(LEAST - 1), "9007199254740993"],
    ...["9".repeat(16), `-${"9".repeat(16)}`, "1".repeat(17), `${"0".repeat(16)}1`],
  ])("%j is not the text of one", (text) => {
    expect(isCanonicalInteger(text)).toBe(false);
    expect(toIntegerText(text)).toBeUndefined();
  });

  test.each([
    ...[0.5, MOST + 1, LEAST - 1, NaN, Infinity, BigInt(MOST) + 1n, BigInt(LEAST) - 1n],
    ...[null, undefined, true, {}, ["1"], Symbol("1")],
  ])("%o is none", (value) => {
    expect(toIntegerText(value)).toBeUndefined();
  });
});

describe("a finite number", () => {
  test("has the text that String gives, from itself or that text, and no other", () => {
    const numbers = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(numbers, (n) => {
        expect([toFloatText(n), toFloatText(String(n))]).toEqual([String(n), String(n)]);
        expect(toFloatText(` ${n}`)).toBeUndefined();
      }),
      settings(200),
    );
    expect([toFloatText(-0), toFloatText("-0")]).toEqual(["0", undefined]);
  });

  test.each([NaN, Infinity, -Infinity, "NaN", "Infinity", "", "1.0", "1e3", 1n, null, true, [1]])(
    "%o is none",
    (value) => {
      expect(toFloatText(value)).toBeUndefined();
    },
  );
});

test("the number of a text is the one that Number gives, whatever its length and form", () => {
  const texts = fc.oneof(
    fc.maxSafeInteger().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    // Of 16 and 17 digits, most of them not safe.
    fc.double({ min: 1e15, max: 1e17, noNaN: true }).map((n) => String(Math.round(n))),
    fc.constantFrom(...INTEGERS.map(String), String(LEAST)),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(parseNumber(text)).toBe(Number(text));
    }),
    settings(500),
  );
});
