// A compiled predicate, record by record: AND within a group, OR between groups (rules C1 to C3).

import fc from "fast-check";
import { expect, test } from "vitest";
import { compileCriteria, string } from "../../src/index.ts";
import { settings } from "../property.ts";
import { wireSchema } from "../wire-schema.ts";

const Bits = wireSchema({ a: string(), b: string(), c: string() });

const NAMES = ["a", "b", "c"] as const;
type Name = (typeof NAMES)[number];
type Bits = Readonly<Record<Name, "0" | "1">>;

/** All eight records of three bits. */
const ALL: readonly Bits[] = Array.from({ length: 8 }, (_, i) => ({
  a: i & 4 ? "1" : "0",
  b: i & 2 ? "1" : "0",
  c: i & 1 ? "1" : "0",
}));

const selected = (criteria: unknown): string[] =>
  ALL.filter(compileCriteria(Bits, criteria)).map(({ a, b, c }) => a + b + c);

const is = (name: Name) => [name, "exactly", "1"];

test.each<[what: string, criteria: unknown, records: string[]]>([
  ["no criteria", [], ALL.map(({ a, b, c }) => a + b + c)],
  ["one criterion", [is("a")], ["100", "101", "110", "111"]],
  ["two criteria", [is("a"), is("b")], ["110", "111"]],
  ["three criteria", [is("a"), is("b"), is("c")], ["111"]],
  ["two groups", [is("a"), "OR", is("b")], ["010", "011", "100", "101", "110", "111"]],
  ["AND before OR", [is("a"), is("b"), "OR", is("c")], ["001", "011", "101", "110", "111"]],
  [
    "three groups",
    [is("a"), "OR", is("b"), "OR", is("c")],
    ["001", "010", "011", "100", "101", "110", "111"],
  ],
])("%s", (_what, criteria, records) => {
  expect(selected(criteria)).toEqual(records);
});

test("any criteria are a disjunction of conjunctions", () => {
  const groups = fc.array(fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(groups, (given) => {
      const criteria = given.flatMap((group, i) => [...(i > 0 ? ["OR"] : []), ...group.map(is)]);
      const expected = ALL.filter((record) =>
        given.some((group) => group.every((name) => record[name] === "1")),
      );
      expect(ALL.filter(compileCriteria(Bits, criteria))).toEqual(expected);
    }),
    settings(200),
  );
});

test("what is no record throws, whatever is asked", () => {
  for (const criteria of [[], [is("a")], [is("a"), is("b")]]) {
    const predicate = compileCriteria(Bits, criteria) as (record: unknown) => boolean;
    for (const given of [5, null, [], "a"]) expect(() => predicate(given)).toThrow(/^record: /);
  }
});

test("an unknown operator is `exactly` if the options say so", () => {
  const criteria = [
    ["a", "equals", "1"],
    ["b", "", "1"],
  ];
  const predicate = compileCriteria(Bits, criteria, { unknownOperator: "exactly" });
  expect(ALL.filter(predicate).map(({ a, b, c }) => a + b + c)).toEqual(["110", "111"]);
});
