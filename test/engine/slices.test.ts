// A query without a deadline builds for a while only, and the next ones continue: none takes many steps of building, results
// are right meanwhile, and whatever is due is there after a while.

import { describe, expect, test } from "vitest";
import { createCollection, defineSchema, float, int, string, strings } from "../../src/index.ts";
import { tuned, usual } from "../tuned.ts";

const Row = defineSchema({
  id: int({ unique: true }),
  size: float(),
  name: string(),
  tags: strings(),
});
const SIZE = 20_000;
const records = Array.from({ length: SIZE }, (_, id) => ({
  id,
  size: ((id * 7919) % SIZE) / 4,
  name: `${(id * 7919) % SIZE} person`,
  tags: [`tag ${id % 1000}`, `tag ${(id * 31) % 1013}`],
}));
const rows = () => createCollection(Row, records);
type Rows = ReturnType<typeof rows>;

/** Counts readings: two for each time that something is built, and one for each of its steps. */
function countingClock() {
  const clock = { readings: 0 };
  return { clock, read: () => ++clock.readings * STEP };
}

/** In milliseconds: so little that no scan seems to take longer than estimated. */
const STEP = 0.2;

/** How many steps a query builds: more than half of what a scan costs. */
const STEPS = 5;

const question: Readonly<
  Record<string, { readonly ask: (some: Rows, i: number) => unknown; readonly index: string }>
> = {
  "a count by a number": {
    ask: (some, i) => some.count([["size", "exactly", i / 4]]),
    index: "ordered(size)",
  },
  "a count by a range": {
    ask: (some, i) => some.count([["size", "less_than", i]]),
    index: "ordered(size)",
  },
  "a count by a string": {
    ask: (some, i) => some.count([["name", "exactly", `${i} person`]]),
    index: "ordered(name)",
  },
  "a count by a text": {
    ask: (some, i) => some.count([["name", "contains", `${i}9 p`]]),
    index: "trigram(name)",
  },
  "a count by an element": {
    ask: (some, i) => some.count([["tags", "has", `tag ${i}`]]),
    index: "ordered(tags)",
  },
  "a page in an order": {
    ask: (some, i) => some.query({ criteria: [["id", "at_least", i]], sortBy: "name", limit: 3 }),
    index: "ordered(name)",
  },
  "sums by an element": {
    ask: (some, i) =>
      some.groupBy({
        by: "tags",
        measures: { sum: ["sum", "size"] },
        criteria: [["id", "at_least", i]],
      }),
    index: "ordered(tags)",
  },
};

describe.each(Object.entries(question))("%s", (_, { ask, index }) => {
  test("is held up for a few steps each time, until the index is there", () => {
    const { clock, read } = countingClock();
    using __ = tuned({ ...usual, clock: read, longestBuilding: STEPS * STEP });
    const some = rows();
    const expected = createCollection(Row, records, { indexes: "none" });
    const has = () => some.indexes().some(({ kind, field }) => `${kind}(${field})` === index);
    let asked = 0;
    let held = 0;
    for (; !has(); asked++) {
      if (asked % 10 === 0) expect(ask(some, asked)).toEqual(ask(expected, asked));
      const before = clock.readings;
      ask(some, asked);
      const readings = clock.readings - before;
      if (readings > STEPS) held++;
      // Scans, and structures that get no time, read the clock as well. All at once, there would be a hundred steps.
      expect(readings).toBeLessThan(8 * STEPS);
      if (asked > 20_000) throw new Error(`no ${index} after ${asked} questions`);
    }
    expect(held).toBeGreaterThan(1);
    for (let i = 0; i < 5; i++) expect(ask(some, i)).toEqual(ask(expected, i));
  });
});

test("a change looks for values without waiting for a table", () => {
  const { clock, read } = countingClock();
  using _ = tuned({ ...usual, clock: read, longestBuilding: STEPS * STEP });
  let some = rows();
  for (let id = 0; id < 20; id++) {
    const before = clock.readings;
    some = some.update([["id", "exactly", id]], { name: "changed" });
    expect(clock.readings - before).toBeLessThan(10 * STEPS);
  }
  expect(some.count([["name", "exactly", "changed"]])).toBe(20);
});

test.each(Object.entries(question))(
  "%s: merged rows hold it up for a few steps each time",
  (_, { ask }) => {
    using _usual = tuned({ ...usual });
    const indexed = rows().prepare({
      sort: ["id", "name"],
      match: ["size", "name", "tags"],
      contains: ["name"],
    });
    const { clock, read } = countingClock();
    using __ = tuned({ clock: read, longestBuilding: STEPS * STEP });
    // So many that they are merged with the others.
    const change = { size: 0.5, name: "changed", tags: ["changed"] };
    const some = indexed.update([["id", "less_than", SIZE / 4]], change);
    const changed = records.map((record) =>
      record.id < SIZE / 4 ? { ...record, ...change } : record,
    );
    const expected = createCollection(Row, changed, { indexes: "none" });
    let held = 0;
    let last = 0;
    for (let i = 0; i < 300; i++) {
      if (i % 20 === 0) expect(ask(some, i)).toEqual(ask(expected, i));
      const before = clock.readings;
      ask(some, i);
      last = clock.readings - before;
      if (last > STEPS) held++;
      expect(last).toBeLessThan(8 * STEPS);
    }
    // All at once, nothing would read the clock.
    expect(held).toBeGreaterThan(1);
    expect(last).toBeLessThanOrEqual(STEPS);
  },
);
