// Repeated parts of a request are evaluated once: equal criteria are merged, and the criteria of a
// group on one indexed field become one set of codes.

import { expect, test } from "vitest";
import { createCollection, int, string } from "../../src/index.ts";
import { distinct } from "../../src/criteria/distinct.ts";
import type { Criteria } from "../../src/criteria/criteria.ts";
import { parseCriteria } from "../../src/criteria/parse.ts";
import { criteriaIn } from "../../src/criteria/tree.ts";
import { lazily } from "../lazily.ts";
import { wireSchema } from "../wire-schema.ts";

const Row = wireSchema({ id: int(), name: string(), note: string() });
type Given = Criteria<typeof Row>;

const SIZE = 10_000;
const rows = lazily(() =>
  createCollection(
    Row,
    Array.from({ length: SIZE }, (_, id) => ({ id, name: `name ${id}`, note: `note ${id % 10}` })),
    { indexes: "none" },
  ).prepare({ match: ["name", "note"], contains: ["name"] }),
);

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** The steps of the plan of a group, without those of what it unites. */
function stepsOf(criteria: Given) {
  const { access, filters } = rows().explain({ criteria });
  return [access, ...filters].map(({ path, criteria: texts }) => [path, texts]);
}

test("1,000 times the same contains are one", () => {
  const criteria = times(1000, () => ["name", "contains", "me 77"] as const);
  expect(stepsOf(criteria)).toEqual(stepsOf([["name", "contains", "me 77"]]));
  expect(rows().count(criteria)).toBe(111);
});

test("1,000 times the same group are one", () => {
  const criteria = times(999, (i): Given[number] =>
    i % 2 === 0 ? ["name", "contains", "me 77"] : "OR",
  );
  expect(stepsOf(criteria)).toEqual(stepsOf([["name", "contains", "me 77"]]));
  expect(rows().count(criteria)).toBe(111);
});

test("1,000 nots of existing values are one set of codes", () => {
  const criteria = times(1000, (i) => ["name", "not", `name ${2 * i}`] as const);
  expect(stepsOf(criteria)).toEqual([
    ["scan", []],
    ["codes", [`${times(8, (i) => `name not "name ${2 * i}"`).join(" and ")} and … 992 more`]],
  ]);
  expect(rows().count(criteria)).toBe(SIZE - 1000);
  expect(
    rows()
      .query({ criteria, limit: 3 })
      .map(({ id }) => id),
  ).toEqual(["1", "3", "5"]);
});

test("1,000 different substrings of an indexed field are one search for candidates", () => {
  const criteria = times(
    1000,
    (i) => ["name", "contains", `name 77${i % 10}`.slice(i % 5)] as const,
  );
  const distinctTexts = new Set(criteria.map(([, , text]) => text)).size;
  const [access, ...filters] = stepsOf(criteria);
  expect(access?.[0]).toBe("trigrams");
  expect(filters.map(([path]) => path)).toEqual(times(distinctTexts, () => "test"));
  expect(rows().count(criteria)).toBe(0);
});

test("groups on one indexed field are one set of codes, whatever each asks", () => {
  const criteria = times(1999, (i): Given[number] =>
    i % 2 === 1 ? "OR" : ["note", i % 3 === 0 ? "exactly" : "contains", `note ${i % 4}`],
  );
  expect(stepsOf(criteria).map(([path]) => path)).toEqual(["bitmap-scan"]);
  expect(rows().count(criteria)).toBe(SIZE / 5);
});

test("criteria are equal where field, operator and value are, and keep their order", () => {
  const parsed = parseCriteria(Row, [
    ["name", "exactly", "5"],
    ["name", "exactly", 5],
    ["name", "not", "5"],
    ["note", "exactly", "5"],
    ["name", "in", ["5", "6"]],
    ["name", "in", "5,6"],
    "OR",
    ["name", "in", ["6", "5"]],
    "OR",
    ["name", "in", "6,5"],
  ]);
  expect(
    distinct(parsed).groups.map((group) =>
      criteriaIn([group]).map(({ field, operator, value }) => [field, operator, value]),
    ),
  ).toEqual([
    [
      ["name", "exactly", "5"],
      ["name", "not", "5"],
      ["note", "exactly", "5"],
      ["name", "in", ["5", "6"]],
    ],
    [["name", "in", ["6", "5"]]],
  ]);
});

test("groups are equal in any order of their criteria, and the first stays", () => {
  const parsed = parseCriteria(Row, [
    ["name", "exactly", "5"],
    ["note", "exactly", "6"],
    "OR",
    ["note", "exactly", "6"],
    ["name", "exactly", "5"],
  ]);
  expect(
    distinct(parsed).groups.map((group) => criteriaIn([group]).map(({ field }) => field)),
  ).toEqual([["name", "note"]]);
});

test("of two equal criteria one is left, and of two that differ in one part both", () => {
  const countOf = (...criteria: Given) =>
    distinct(parseCriteria(Row, criteria)).groups.map((group) => group.length);
  expect(countOf(["name", "exactly", "5"], ["name", "exactly", "5"])).toEqual([1]);
  expect(countOf(["name", "exactly", "5"], ["note", "exactly", "5"])).toEqual([2]);
  expect(countOf(["name", "exactly", "5"], ["name", "not", "5"])).toEqual([2]);
});
