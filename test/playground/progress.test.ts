// The progress of a load over all of its steps.

import { expect, test } from "vitest";
import { Account } from "../../src/playground/engine/progress.ts";
import type { Progress } from "../../src/playground/messages.ts";

function accountOf() {
  const reported: Progress[] = [];
  const account = new Account((progress) => void reported.push(progress));
  return { account, shares: () => reported.map(({ share }) => share) };
}

test("each step goes on where the one before it ended, by what they take", () => {
  const { account, shares } = accountOf();
  account.expect({ infer: 4, read: 5, count: 1 });
  account.at("infer", { phase: "Finding the types", done: 0, total: 8 });
  account.at("infer", { phase: "Finding the types", done: 4, total: 8 });
  account.at("read", { phase: "Reading", done: 0, total: 8 });
  account.at("read", { phase: "Reading", done: 8, total: 8 });
  account.at("count", { phase: "Counting", done: 0, total: undefined });
  expect(shares()).toEqual([0, 0.2, 0.4, 0.9, 0.9]);
});

test("a step that is repeated, or that nobody expected, takes nothing back", () => {
  const { account, shares } = accountOf();
  account.at("read", { phase: "Reading", done: 1, total: 2 });
  account.expect({ read: 3, sort: 1 });
  account.at("read", { phase: "Reading", done: 1, total: 2 });
  account.at("sort", { phase: "Sorting", done: 0, total: undefined });
  account.at("read", { phase: "Reading", done: 0, total: 2 });
  account.at("index", { phase: "Indexing", done: 1, total: 2 });
  expect(shares()).toEqual([0, 0.375, 0.75, 0.75, 0.75]);
});
