// Different criteria are not merged; `test/engine/equal-criteria.test.ts` covers equal ones.

import { expect, test } from "vitest";
import { distinct } from "../../src/criteria/distinct.ts";
import { File, parseCriteria } from "../../src/index.ts";

const parsed = (criteria: unknown) => parseCriteria(File, criteria);

test("a few with different fields, or one field and different operators, stay the same object", () => {
  const different = parsed([
    ["size", "greater_than", 1],
    ["size", "less_than", 9],
    ["id", "greater_than", 1],
    ["id", "less_than", 9],
    ["name", "contains", "a"],
    ["name", "starts_with", "a"],
    ["extension", "contains", "a"],
    ["extension", "starts_with", "a"],
  ]);
  expect(distinct(different)).toBe(different);
  const alone = parsed([["size", "not", 1]]);
  expect(distinct(alone)).toBe(alone);
  const groups = parsed([["size", "less_than", 1], "OR", ["size", "greater_than", 9]]);
  expect(distinct(groups)).toBe(groups);
});

test("more than a few are compared by their texts", () => {
  const many = parsed([
    ["size", "greater_than", 1],
    ["size", "less_than", 9],
    ["size", "not", 5],
    ["id", "greater_than", 1],
    ["id", "less_than", 9],
    ["id", "not", 5],
    ["name", "contains", "a"],
    ["name", "starts_with", "a"],
    ["name", "not", "a"],
  ]);
  expect(distinct(many)).not.toBe(many);
  expect(distinct(many)).toEqual(many);
});
