// Rows that trigrams find and that are dead in the snapshot, in a collection of real size.

import { expect, test } from "vitest";
import { parseQuery } from "../../src/collection/plan/query.ts";
import { createCollection, defineSchema, formatPlan, int, string } from "../../src/index.ts";
import { lazily } from "../lazily.ts";
import { answersOfEveryPlan } from "../engine/plans.ts";
import { tuned } from "../tuned.ts";

const Item = defineSchema({ id: int(), name: string() }, { form: "wire" });
const items = lazily(() => {
  const records = Array.from({ length: 5000 }, (_, id) => ({ id, name: `item ${id} of many` }));
  return createCollection(Item, records).prepare({ contains: ["name"] });
});
const changed = lazily(() =>
  items()
    .remove([["id", "exactly", 1234]])
    .update([["id", "exactly", 2234]], (item) => void (item.name = "another")),
);
const query = { criteria: [["name", "contains", "234 of"]] } as const;

test("removed and changed rows are not found by substrings", () => {
  // A search that is repeated would read the rows of the first.
  using _ = tuned({ mostRowSets: 0 });
  expect(changed().explain(query).access.path).toBe("trigrams");
  expect(formatPlan(changed().explain(query))).toContain(
    "\n    keep what has not changed since — about 14 rows\n",
  );
  const idsIn = (collection: ReturnType<typeof items>) =>
    collection.query(query).map(({ id }) => id);
  expect(idsIn(items())).toEqual(["234", "1234", "2234", "3234", "4234"]);
  expect(idsIn(changed())).toEqual(["234", "3234", "4234"]);
  expect(changed().count(query.criteria)).toBe(3);
});

test("rows found by substrings are sorted", () => {
  // A search that is repeated would read the rows of the first.
  using _ = tuned({ mostRowSets: 0 });
  const sorted = { ...query, sortBy: "id", sortOrder: "DESC" } as const;
  expect(changed().explain(sorted).access.path).toBe("trigrams");
  expect(
    changed()
      .query(sorted)
      .map(({ id }) => id),
  ).toEqual(["4234", "3234", "234"]);
});

test("a text that nearly all rows have is found by sets of rows, by whatever plan", () => {
  const criteria = [["name", "contains", "of many"]];
  const options = { maxCriteria: 1, maxValues: 1, unknownOperator: "error" } as const;
  const plans = answersOfEveryPlan(
    changed().state.snapshot,
    parseQuery(Item, { criteria }, options),
  );
  expect(plans.map(({ plans }) => plans.at(-1)?.source.step.path)).toEqual(["scan", "trigrams"]);
  for (const { records } of plans) {
    expect(records).toHaveLength(4998);
    expect(records[1234]?.id).toBe("1235");
    expect(records.some(({ id }) => id === "1234" || id === "2234")).toBe(false);
  }
});

test("compact() makes the index of substrings anew", () => {
  const kindsOf = (collection: ReturnType<typeof items>) =>
    collection.indexes().map(({ kind }) => kind);
  expect(kindsOf(changed().compact())).toEqual(["ordered", "trigram"]);
});
