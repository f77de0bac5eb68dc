// Queries under a deadline make progress: if a query is fast enough with its indexes, repeating it succeeds after a
// number of tries that is bounded by the work to be done and the work per try.

import { describe, expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  DeadlineError,
  defineSchema,
  float,
  int,
  string,
  type IndexBuilding,
} from "../../src/index.ts";
import { tuning } from "../../src/engine/tuning.ts";
import { tuned, usual } from "../tuned.ts";
import { workClock } from "../work-clock.ts";

const Row = defineSchema({
  id: int(),
  size: float(),
  kind: string(),
  name: string(),
  note: string(),
});
const SIZE = 5_000;

const recordsOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => {
    const id = from + i;
    return {
      id,
      size: ((id * 7919) % SIZE) / 4,
      kind: `kind ${id % 7}`,
      name: `${(id * 7919) % SIZE} person`,
      note: `note ${(id * 31) % SIZE}`,
    };
  });

const collectionOf = (indexes: IndexBuilding, isChanged: boolean) => {
  const rows = createCollection(Row, recordsOf(0, SIZE), { indexes });
  return isChanged ? rows.insert(recordsOf(SIZE, 1000)).remove([["id", "less_than", 500]]) : rows;
};
type Rows = ReturnType<typeof collectionOf>;

const questions: Readonly<Record<string, (rows: Rows) => unknown>> = {
  "a count by one value": (rows) => rows.count([["name", "exactly", "77 person"]]),
  "a count by a text": (rows) => rows.count([["name", "contains", "777 per"]]),
  "a page of matches": (rows) =>
    rows.query({ criteria: [["note", "exactly", "note 31"]], limit: 3 }),
  "a page in the order of strings": (rows) => rows.query({ sortBy: "name", limit: 3 }),
  "a page in the order of numbers": (rows) => rows.query({ sortBy: "size", limit: 3, offset: 9 }),
  "a page of matches in an order": (rows) =>
    rows.query({ criteria: [["kind", "exactly", "kind 5"]], sortBy: "note", limit: 3 }),
  "a page of rare matches, found early in an order": (rows) =>
    rows.query({ criteria: [["size", "less_than", 2]], sortBy: "name", limit: 3 }),
  "a page in two orders": (rows) =>
    rows.query({
      sort: [
        ["kind", "ASC"],
        ["name", "DESC"],
      ],
      limit: 3,
    }),
  "a page of either": (rows) =>
    rows.query({
      criteria: [["name", "exactly", "9 person"], "OR", ["note", "exactly", "note 9"]],
      limit: 3,
    }),
  "a deep page of matches in an order": (rows) =>
    rows.query({
      criteria: [["kind", "exactly", "kind 5"]],
      sortBy: "name",
      offset: 1000,
      limit: 2,
    }),
  "counts by few values": (rows) => rows.countBy("kind"),
  "the first counts by many values": (rows) => rows.countBy("name", null, { limit: 3 }),
  "the largest counts of many values": (rows) =>
    rows.countBy("note", null, { limit: 3, order: "count" }),
  "counts of matches": (rows) => rows.countBy("kind", [["size", "at_least", 1245]]),
  "a histogram": (rows) => rows.histogram("size", { bins: 10 }),
  "a histogram of matches": (rows) =>
    rows.histogram("id", { bins: 3, criteria: [["kind", "exactly", "kind 6"]] }),
  "the largest sums of many values": (rows) =>
    rows.countBy("note", null, { summarize: "size", order: "sum", limit: 3 }),
  "sums of matches by first characters": (rows) =>
    rows.countBy("name", [["size", "at_least", 1245]], { prefix: 2, summarize: "id" }),
  "a summary": (rows) => rows.summary("size"),
  "the different texts": (rows) => rows.summary("name"),
  "quantiles of matches": (rows) =>
    rows.summary("size", [["kind", "exactly", "kind 6"]], { quantiles: [0.5, 0.99] }),
  "a summary of matches": (rows) => rows.summary("id", [["name", "starts_with", "77"]]),
};

/** How many steps of work something takes. */
function stepsOf(run: () => unknown): number {
  using clock = workClock();
  run();
  return clock.now;
}

const withLimit = (rows: Rows, milliseconds: number) =>
  createDatabase({ rows }, { limits: { milliseconds } });

const UNLIMITED = 1e12;
const both = ["auto", "deferred"] as const;

/** With every index that it may want, as the first query of a collection finds it. */
function stepsWithIndexes(ask: (rows: Rows) => unknown, isChanged: boolean): number {
  const rows = collectionOf("none", isChanged).prepare({
    match: ["name", "note", "kind"],
    sort: ["id", "size", "name", "note", "kind"],
    contains: ["name"],
  });
  const db = withLimit(rows, UNLIMITED);
  return stepsOf(() => ask(db.rows));
}

/** All that asking, and building what that makes due, can take. */
function allSteps(ask: (rows: Rows) => unknown, isChanged: boolean): number {
  const db = withLimit(collectionOf("auto", isChanged), UNLIMITED);
  return stepsOf(() => {
    for (let i = 0; i < 20; i++) ask(db.rows);
  });
}

describe.each([
  ["of one load", false],
  ["with changes", true],
])("records %s", (_, isChanged) => {
  test.each(Object.entries(questions))("%s", (_, ask) => {
    using _thresholds = tuned({ ...usual, fewValues: 1000, fewToSearch: 1000 });
    const expected = ask(collectionOf("none", isChanged));
    const least = stepsWithIndexes(ask, isChanged);
    const all = allSteps(ask, isChanged);
    const { largestBatch, smallestBatch } = tuning;
    for (const [milliseconds, smaller] of [
      // Too little for more than the first batch of rows, which is small: so are the steps.
      [least, largestBatch / smallestBatch],
      [least + 8, 1],
      [4 * least + 8, 1],
    ] as const) {
      const most = 10 + (4 * smaller * all) / milliseconds;
      for (const indexes of milliseconds === least ? ["auto" as const] : both) {
        using _clock = workClock();
        const db = withLimit(collectionOf(indexes, isChanged), milliseconds);
        let tries = 0;
        let found: unknown;
        while (found === undefined) {
          if (++tries > most)
            throw new Error(`${tries} tries of ${milliseconds} steps, ${indexes}`);
          if (indexes === "deferred") db.buildDue({ milliseconds });
          try {
            found = ask(db.rows);
          } catch (error) {
            expect(error).toBeInstanceOf(DeadlineError);
          }
        }
        expect(found).toEqual(expected);
      }
    }
  });
});
