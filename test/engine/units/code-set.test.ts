// Sets of codes, of few ranges and of many, compared with sets of numbers.

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  CodeSetBuilder,
  complement,
  forEachRange,
  intersect,
  onlyCode,
  onlyRange,
  setOfCodes,
  unite,
  type CodeSet,
} from "../../../src/collection/index/code-set.ts";
import { settings } from "../../property.ts";
import { ascending } from "./ascending.ts";

/** More than twice as many codes as a set of ranges has ranges. */
const END = 5000;

const codesIn = (set: CodeSet): number[] => {
  const codes: number[] = [];
  forEachRange(set, (low, high) => {
    for (let code = low; code < high; code++) codes.push(code);
  });
  return codes;
};

/** Few codes, stretches of them, or every second or third one: of that there are too many ranges. */
const someCodes = fc.oneof(
  fc.uniqueArray(fc.nat({ max: END - 1 }), { maxLength: 40 }),
  fc
    .tuple(fc.nat({ max: END - 1 }), fc.nat({ max: END }))
    .map(([low, length]) => [...Array(END).keys()].slice(low, low + length)),
  fc
    .tuple(fc.constantFrom(2, 3), fc.nat({ max: 3 }), fc.nat({ max: END }))
    .map(([step, from, to]) =>
      [...Array(END).keys()].filter((code) => code % step === from && code <= to),
    ),
);

test("a set has the codes that it is made of, however it is made", () => {
  fc.assert(
    fc.property(someCodes, (codes) => {
      const expected = ascending(codes);
      expect(codesIn(setOfCodes([...codes, ...codes], END))).toEqual(expected);
      const builder = new CodeSetBuilder(END);
      for (const code of expected) {
        builder.add(code);
        builder.add(code);
      }
      expect(codesIn(builder.finish())).toEqual(expected);
    }),
    settings(100),
  );
});

test("complement, intersection and union are those of sets", () => {
  fc.assert(
    fc.property(someCodes, someCodes, (a, b) => {
      const [one, other] = [setOfCodes([...a], END), setOfCodes([...b], END)];
      const all = [...Array(END).keys()];
      const [inA, inB] = [new Set(a), new Set(b)];
      expect(codesIn(complement(one, END))).toEqual(all.filter((code) => !inA.has(code)));
      expect(codesIn(intersect(one, other, END))).toEqual(
        all.filter((code) => inA.has(code) && inB.has(code)),
      );
      expect(codesIn(unite(one, other, END))).toEqual(
        all.filter((code) => inA.has(code) || inB.has(code)),
      );
    }),
    settings(100),
  );
});

test("many ranges take a bit a code, few take a pair of numbers each", () => {
  const everySecond = Array.from({ length: END / 2 }, (_, i) => 2 * i);
  expect(setOfCodes(everySecond, END)).toHaveLength(Math.ceil(END / 32));
  expect(complement(setOfCodes(everySecond, END), END)).toHaveLength(Math.ceil(END / 32));
  expect(setOfCodes([7, 3, 4], END)).toEqual([3, 5, 7, 8]);
});

test("neighbouring codes are one range", () => {
  expect(onlyRange(setOfCodes([4, 3, 5], END))).toEqual([3, 6]);
  expect(onlyRange(setOfCodes([3, 5], END))).toBeUndefined();
  expect(onlyRange(setOfCodes([], END))).toBeUndefined();
  expect([[3], [3, 4], [3, 5], []].map((codes) => onlyCode(setOfCodes(codes, END)))).toEqual([
    ...[3, undefined, undefined, undefined],
  ]);
});

test("sets that only touch have no code in common", () => {
  expect(intersect([0, 2, 5, 6], [2, 4, 6, 9], END)).toEqual([]);
  expect(intersect([0, 3], [2, 4], END)).toEqual([2, 3]);
});
