// What is known of the steps of a plan without running it.

import { expect, test } from "vitest";
import {
  groupsOf,
  handsOutDead,
  missingIndexes,
  type FilterStep,
  type SourceStep,
} from "../../../src/collection/plan/plan.ts";
import { defineSchema, parseCriteria, string } from "../../../src/index.ts";
import { fieldIndexOf } from "./built.ts";

const { groups } = parseCriteria(defineSchema({ text: string() }), [["text", "exactly", "a"]]);
const index = fieldIndexOf("string", 0, () => null);
const set = [0, 1];

const sources: readonly SourceStep[] = [
  { path: "scan" },
  { path: "nothing", groups },
  { path: "index-lookup", index, groups, code: 0 },
  { path: "bitmap-scan", index, groups, set, rows: 0 },
  { path: "trigrams", postings: [], groups },
  { path: "index-scan", index, groups, field: "text", low: 0, high: 1, descending: true },
  { path: "union", parts: [], groups },
];

test("only what takes rows from an index as they stand there hands out dead ones", () => {
  expect(sources.map((step) => [step.path, handsOutDead(step)])).toEqual([
    ["scan", false],
    ["nothing", false],
    ["index-lookup", false],
    ["bitmap-scan", true],
    ["trigrams", true],
    ["index-scan", false],
    ["union", false],
  ]);
});

test("a step has the criteria that it answers", () => {
  expect(sources.map((step) => groupsOf(step).length)).toEqual([0, 1, 1, 1, 1, 1, 1]);
});

test("a test and a predicate miss the indexes that would have saved them, other filters none", () => {
  const missing = { kind: "ordered", field: "text" } as const;
  const [criterion] = groups.flat();
  if (criterion === undefined) throw new Error("there is one criterion");
  const filters: readonly FilterStep[] = [
    { path: "test", criterion, missing },
    { path: "test", criterion, missing: undefined },
    { path: "predicate", criteria: { groups }, missing: [missing, missing] },
    { path: "codes", index, groups, set, rows: 0 },
    { path: "live" },
  ];
  expect(filters.map((step) => missingIndexes(step).length)).toEqual([1, 0, 2, 0, 0]);
  expect(filters.map((step) => groupsOf(step).length)).toEqual([1, 1, 1, 1, 0]);
});
