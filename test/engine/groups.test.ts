// How nested groups and NOT are run (rule C3a), according to `explain`.

import { expect, test } from "vitest";
import { createCollection, defineSchema, formatPlan, int, string } from "../../src/index.ts";
import { untyped } from "../rules/fixtures.ts";

const Ticket = defineSchema({
  id: int({ unique: true }),
  state: string(),
  owner: int({ nullable: true }),
  note: string(),
});

const made = () =>
  createCollection(
    Ticket,
    Array.from({ length: 2000 }, (_, id) => ({
      id,
      state: id % 2 === 0 ? "open" : "closed",
      owner: id % 10 === 0 ? null : id % 50,
      note: `note ${id}`,
    })),
  );
const tickets = made();
const indexed = made().prepare({ match: ["state", "owner"] });

/** The steps of a plan, without its estimates. */
const stepsOf = (of: typeof tickets, criteria: unknown, more: object = {}) =>
  formatPlan(of.explain({ criteria: untyped(criteria) as [], ...more }))
    .split("\n")
    .slice(1)
    .map((line) => line.trim().replace(/ — .*?(?=;|$)/, ""));

const example = [
  ["state", "exactly", "open"],
  [["owner", "exactly", 7], "OR", ["owner", "exactly", null]],
  "NOT",
  ["note", "contains", "9"],
];

test("without indexes, groups are tested; each index that would help is named once", () => {
  expect(stepsOf(tickets, example)).toEqual([
    'keep by testing the value: not note contains "9"; no index ordered(note)',
    'keep what any group accepts: owner exactly "7" | owner exactly null; no index ordered(owner)',
    'keep by testing the value: state exactly "open"; no index ordered(state)',
    "scan every row",
  ]);
});

test("groups on one index are codes of it, negated ones the other codes", () => {
  expect(stepsOf(indexed, example)).toContain(
    'bitmap scan of several values of owner: owner exactly "7" | owner exactly null',
  );
  const neither = ["NOT", [["state", "exactly", "open"], "OR", ["state", "exactly", "new"]]];
  expect(stepsOf(indexed, neither).join()).toContain(
    'not state exactly "open" and not state exactly "new"',
  );
  expect(stepsOf(indexed, ["NOT", ["state", "not", "open"]])).toEqual([
    'index lookup of state: not state not "open"',
  ]);
});

test("groups in groups are written in parentheses", () => {
  const deep = [
    ["note", "contains", "9"],
    "OR",
    "NOT",
    [
      ["state", "exactly", "open"],
      [["owner", "exactly", 3], ["note", "contains", "1"], "OR", ["owner", "exactly", 4]],
    ],
  ];
  expect(stepsOf(tickets, deep).join("\n")).toContain(
    'note contains "9" | not state exactly "open" | (not owner exactly "3" or not note contains "1") and not owner exactly "4"',
  );
  const or = [
    [example, "OR", ["id", "exactly", 1]],
    ["note", "not", ""],
  ];
  expect(stepsOf(tickets, or).join("\n")).toContain(
    'state exactly "open" and (owner exactly "7" or owner exactly null) and not note contains "9" | id exactly "1"',
  );
});

test("what no record can satisfy reads nothing, and what each does reads all", () => {
  expect(stepsOf(indexed, ["NOT", []])).toEqual(["read nothing, no row can match"]);
  expect(stepsOf(indexed, [[], "OR", ["id", "exactly", 1]])).toEqual(["scan every row"]);
});
