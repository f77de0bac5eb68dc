// Sorting row numbers: the same order as the engine's own stable sort with an obvious comparison.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sortNumbers, sortStrings } from "../../../src/engine/algorithms/radix-sort.ts";
import { finish } from "../../../src/engine/algorithms/steps.ts";
import { compareTextForms } from "../../../src/testing/reference-page.ts";
import { float } from "../../../src/testing/arbitraries/values.ts";
import { settings } from "../../property.ts";
import { stepsOf } from "./built.ts";

function expectSorted<Value>(
  values: readonly Value[],
  positions: readonly number[],
  order: (a: Value, b: Value) => number,
  sort: (positions: Uint32Array) => Uint8Array,
): void {
  const valueAt = (position: number) => values[position] as Value;
  const expected = positions.toSorted((a, b) => order(valueAt(a), valueAt(b)));
  const sorted = Uint32Array.from(positions);
  const repeated = sort(sorted);
  expect(Array.from(sorted)).toEqual(expected);
  expect(Array.from(repeated)).toEqual(
    expected.map((position, i) =>
      i > 0 && valueAt(position) === valueAt(expected[i - 1] ?? -1) ? 1 : 0,
    ),
  );
}

const expectStringsSorted = (values: readonly (string | null)[]): void => {
  const positions = [...values.keys()].filter((position) => values[position] !== null);
  const order = (a: string | null, b: string | null) => compareTextForms(a, b, "string");
  expectSorted(values, positions, order, (sorted) => finish(sortStrings(values, sorted)));
};

const expectNumbersSorted = (values: readonly number[], areIntegers: boolean): void => {
  const numbers = Float64Array.from(values);
  const order = (a: number, b: number) => Math.sign(a - b);
  expectSorted(values, [...values.keys()], order, (sorted) =>
    finish(sortNumbers(numbers, sorted, areIntegers)),
  );
};
const expectIntegersSorted = (values: readonly number[]): void => {
  expectNumbersSorted(values, true);
  expectNumbersSorted(values, false);
};

/** `count` numbers in a fixed order that looks like none. */
const shuffled = (count: number): number[] =>
  Array.from({ length: count }, (_, i) => (i * 7919) % count);

/** Enough elements for radix passes, and for groups of equal windows that are themselves many. */
const MANY = 1201;

describe("integers", () => {
  test.each([0, 1, 2, 3, MANY])("%d integers are sorted", (count) => {
    expectIntegersSorted(shuffled(count).map((number) => number - count / 2));
  });

  test("the ends of the range, and what differs in one digit only", () => {
    const powers = Array.from({ length: 53 }, (_, bit) => 2 ** bit);
    const edges = [0, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1];
    const positive = [...edges, ...powers, ...powers.map((power) => power - 1)];
    const all = [...positive, ...positive.map((number) => 0 - number)];
    expectIntegersSorted([...all, ...all.toReversed()]);
  });

  test("equal integers keep their order", () => {
    expectIntegersSorted(shuffled(MANY).map((number) => (number % 5) - 2));
  });

  test("any integers are sorted", () => {
    const integers = fc.array(fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -9, max: 9 })));
    fc.assert(fc.property(integers, expectIntegersSorted), settings(200));
  });

  test("any finite numbers are sorted", () => {
    // Of −0 and 0 a collection has one.
    const floats = fc.array(float().map((number) => number + 0));
    const sorted = (numbers: readonly number[]) => expectNumbersSorted(numbers, false);
    fc.assert(fc.property(floats, sorted), settings(200));
    sorted(shuffled(MANY).map((number) => Math.sin(number) * 10 ** (number % 7)));
  });

  test("positions that are not given stay out", () => {
    const positions = Uint32Array.of(4, 0, 2);
    const repeated = finish(sortNumbers(Float64Array.of(7, -1, -7, -1, 7), positions, true));
    expect(Array.from(positions)).toEqual([2, 4, 0]);
    expect(Array.from(repeated)).toEqual([0, 0, 1]);
  });
});

describe("strings", () => {
  const letters = {
    "of one byte": ["a", "b", "\u0000", "\u007f", "é", "\u00fd"],
    "of the last bytes that a narrow key holds and the first that it does not": ["þ", "ÿ", "a"],
    "of two bytes": ["a", "Ā", "λ", "\ud7ff", "\ue000", "\ue001", "\uffff"],
    "above the basic plane": ["a", "\u{10000}", "\u{1f600}", "\u{10ffff}", "\ue000"],
    "at the ends of the surrogates": [
      "\u{10000}",
      "\u{10001}",

      "\u{10ffff}",
      "\u{10fffe}",
      "\u{1f3ff}",
      "\u{1f3fe}",
      "\uffff",
    ],
  };

  describe.each(Object.entries(letters))("with characters %s", (_, alphabet) => {
    const word = (number: number, length: number): string =>
      Array.from(
        { length },
        (_each, i) => alphabet[Math.floor(number / alphabet.length ** i) % alphabet.length] ?? "",
      ).join("");

    test.each([0, 1, 2, 23, 24, 25, 399, 400, 401, MANY])("%d strings are sorted", (count) => {
      expectStringsSorted(shuffled(count).map((number) => word(number, number % 9)));
    });

    test.each([1, 3, 4, 7, 8, 15, 16, 17, 33])(
      "strings that are equal in the first %d characters are sorted",
      (depth) => {
        const prefix = (alphabet[1] ?? "").repeat(depth);
        expectStringsSorted(shuffled(MANY).map((number) => prefix + word(number, number % 6)));
      },
    );

    test("strings that are prefixes of others, many times each", () => {
      const longest = word(987_654_321, 40);
      expectStringsSorted(shuffled(MANY).map((number) => longest.slice(0, number % 41)));
    });
  });

  test("equal strings keep their order, whether they end within a window or at its end", () => {
    for (const length of [0, 7, 8, 15, 16, 17, 32]) {
      expectStringsSorted(shuffled(MANY).map((number) => "x".repeat(length + (number % 2))));
    }
  });

  test("characters beyond a byte that come only late", () => {
    expectStringsSorted(
      shuffled(MANY).map(
        (number) => "y".repeat(20) + (number % 2 === 0 ? "λ" : "l") + String(number),
      ),
    );
  });

  test("long common prefixes", () => {
    const prefix = "p".repeat(700);
    expectStringsSorted(shuffled(450).map((number) => prefix + String(number)));
  });

  test("positions of null stay out", () => {
    expectStringsSorted(shuffled(MANY).map((number) => (number % 3 === 0 ? null : String(number))));
  });

  test("any well-formed strings are sorted", () => {
    const unit = fc.constantFrom(
      "a",
      "b",
      "\u0000",
      "é",
      "ÿ",
      "λ",
      "\ue000",
      "\uffff",
      "\u{1f600}",
    );
    const few = fc.array(fc.string({ unit, maxLength: 20 }), { minLength: 1, maxLength: 40 });
    const many = few.map((values) => shuffled(MANY).map((i) => values[i % values.length] ?? ""));
    fc.assert(fc.property(fc.oneof(few, many), expectStringsSorted), settings(200));
  });
});

describe("the steps", () => {
  const stringSteps = (values: readonly string[]) =>
    stepsOf(sortStrings(values, Uint32Array.from(values.keys())));
  const integerSteps = (values: readonly number[]) =>
    stepsOf(sortNumbers(Float64Array.from(values), Uint32Array.from(values.keys()), true));

  test("a digit that is the same in all integers costs no pass", () => {
    const one = integerSteps(shuffled(MANY));
    expect(integerSteps(shuffled(MANY).map((number) => number + 2 ** 40))).toBe(one);
    expect(integerSteps(shuffled(MANY).map((number) => number * 2 ** 11))).toBe(one);
    expect(integerSteps(shuffled(MANY).map((number) => number * 2 ** 6))).toBe(one + 2);
    expect(integerSteps(shuffled(MANY).map((number) => number * (1 + 2 ** 30)))).toBe(one + 4);
    expect(integerSteps(Array<number>(MANY).fill(7))).toBe(one - 2);
  });

  test("each is of some thousand rows: three times as many take three times as many", () => {
    const rows = 16_384;
    expect(integerSteps(shuffled(3 * rows))).toBe(3 * integerSteps(shuffled(rows)));
  });

  test("few strings are compared, more go by their characters", () => {
    const distinct = (count: number) => shuffled(count).map((number) => `${number} of many`);
    expect(stringSteps(distinct(400))).toBe(0);
    expect(stringSteps(distinct(401))).toBeGreaterThan(0);
    // So do those of a group that has more characters in common.
    const grouped = (count: number) => [
      ...distinct(count).map((text) => "a common prefix, then " + text),
      ...distinct(450).map((text) => `another ${text}`),
    ];
    expect(stringSteps(grouped(401))).toBeGreaterThan(stringSteps(grouped(400)) + 2);
  });

  /** Passes depend on the characters: these differ in one of the last alone. */
  const alike = (prefix: string, length: number) => {
    const common = prefix.repeat(length).slice(0, length);
    return shuffled(1000).map((number) => common + (number % 2 === 0 ? "x" : "y"));
  };

  test("sixteen characters of a byte are read at a time, eight of others", () => {
    const [none = 0, one = 0, two = 0] = [0, 16, 32].map((length) =>
      stringSteps(alike("þ", length)),
    );
    expect(two - one).toBe(one - none);
    // If their ends fit as well, they are distinguished at once.
    expect(stringSteps(alike("þ", 14))).toBeLessThanOrEqual(none + 1);
    expect(stringSteps(alike("þ", 15))).toBeGreaterThan(none + 1);
    expect(stringSteps(alike("λ", 6))).toBeLessThanOrEqual(none + 3);
    expect(stringSteps(alike("λ", 7))).toBeGreaterThan(none + 3);
    expect(stringSteps(alike("þ", 1600))).toBeLessThan(1000);
    expect(stringSteps(alike("ÿ", 800))).toBe(stringSteps(alike("λ", 800)));
  });

  test("strings that are equal altogether are not read again, wherever they end", () => {
    const equal = (text: string) => stringSteps(shuffled(1000).map(() => text));
    const steps = [0, 1, 14, 15].map((length) => equal("e".repeat(length)));
    expect(new Set(steps).size).toBe(1);
    expect(equal("e".repeat(16))).toBeGreaterThan(steps[0] ?? 0);
  });

  test("none of them takes more than some thousand rows", () => {
    const many = Array.from({ length: 50_000 }, (_, i) => ((i * 7919) % 50_000).toString(36));
    const passes = stringSteps(many.slice(0, 10_000));
    expect(stringSteps(many) - passes).toBeGreaterThanOrEqual(6);
  });
});
