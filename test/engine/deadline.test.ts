// A query with a deadline: every long step checks it, and an interrupted query leaves nothing
// half-done.

import { describe, expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  defineSchema,
  float,
  int,
  string,
  strings,
  type Collection,
  type Query,
} from "../../src/index.ts";
import { Deadline, DeadlineError, within } from "../../src/engine/algorithms/deadline.ts";
import { pageOf } from "../../src/engine/execution/page.ts";
import { parseQuery } from "../../src/engine/query.ts";
import { openCollection, saveCollection } from "../../src/arrow/index.ts";
import { onDisk } from "../arrow/reopened.ts";
import { lazily } from "../lazily.ts";
import { untyped } from "../rules/fixtures.ts";
import { tuned } from "../tuned.ts";
import { workClock } from "../work-clock.ts";
import { wireSchema } from "../wire-schema.ts";

/** Passes at the n-th time that it is asked. */
class CountedDeadline extends Deadline {
  asked = 0;
  readonly #passesAt: number;

  constructor(passesAt = Infinity) {
    super(Infinity);
    this.#passesAt = passesAt;
  }

  override check(): number {
    if (++this.asked > this.#passesAt) throw new DeadlineError("took longer than it was given");
    return Infinity;
  }
}

const Row = wireSchema({ id: int(), kind: string(), name: string(), note: string() });
const SIZE = 50_000;
const STEP = 1 << 14;

const make = () =>
  createCollection(
    Row,
    Array.from({ length: SIZE }, (_, id) => ({
      id,
      kind: `kind ${id % 5000}`,
      name: `${(id * 7919) % SIZE} person`,
      note: `note ${(id * 31) % SIZE}`,
    })),
    { indexes: "none" },
  );
const bare = lazily(make);
const prepared = lazily(() =>
  make().prepare({ match: ["kind"], sort: ["id"], contains: ["name"] }),
);

const strict = { maxCriteria: 1000, maxValues: Infinity, unknownOperator: "error" } as const;
const ask = (rows: ReturnType<typeof make>, query: Query<typeof Row>, deadline?: Deadline) =>
  within(deadline, () =>
    pageOf(rows.state.snapshot, { ...parseQuery(Row, query, strict), deadline }),
  );

/** Queries by the long step that each has, and how often it must ask at least. */
const queries: readonly [
  step: string,
  rows: () => ReturnType<typeof make>,
  Query<typeof Row>,
  number,
][] = [
  ["a scan", bare, { criteria: [["note", "contains", "77"]] }, SIZE / 4096],
  ["all rows", prepared, { sortBy: "id" }, SIZE / 4096],
  ["sorting without an index", bare, { sortBy: "note", limit: 5 }, (4 * SIZE) / STEP],
  [
    "ties within a page",
    prepared,
    {
      sort: [
        ["kind", "ASC"],
        ["note", "ASC"],
      ],
    },
    SIZE / 4096 + (4 * SIZE) / STEP,
  ],
  [
    "tests of distinct values",
    prepared,
    { criteria: [["kind", "contains", "7"]] },
    SIZE / 4096 / 4,
  ],
  [
    "a union",
    prepared,
    { criteria: [["kind", "contains", "7"], "OR", ["note", "ends_with", "5"]] },
    SIZE / 4096,
  ],
  [
    "trigrams",
    prepared,
    {
      criteria: [
        ["name", "contains", "77 per"],
        ["name", "contains", "person"],
      ],
    },
    4,
  ],
  [
    "selecting a page by the index",
    prepared,
    {
      criteria: [
        ["kind", "not", "kind 7"],
        ["note", "contains", "7"],
      ],
      sortBy: "id",
      offset: 9000,
      limit: 9000,
    },
    SIZE / 4096,
  ],
  [
    "many values of in",
    prepared,
    { criteria: [["kind", "in", Array.from({ length: 50_000 }, (_, i) => `kind ${i}`)]] },
    3,
  ],
];

describe.each(queries)("%s", (_, rows, query, least) => {
  test("asks the deadline again and again", () => {
    const deadline = new CountedDeadline();
    const expected = ask(rows(), query);
    expect(ask(rows(), query, deadline)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
    expect(deadline.asked).toBeGreaterThanOrEqual(least);
  });

  test("stops wherever the deadline passes, and the next query has its answer", () => {
    const counting = new CountedDeadline();
    const expected = ask(rows(), query, counting);
    const places = [0, 1, Math.floor(counting.asked / 2), counting.asked - 1];
    for (const place of places) {
      expect(() => ask(rows(), query, new CountedDeadline(place))).toThrow(DeadlineError);
      expect(ask(rows(), query)).toEqual(expected);
    }
  });
});

test("many criteria make batches smaller, so that the deadline is asked as often", () => {
  const criteria: Query<typeof Row>["criteria"] = Array.from(
    { length: 1000 },
    (_, i) => ["note", "not", `x${i}`] as const,
  );
  const deadline = new CountedDeadline();
  ask(bare(), { criteria, limit: 10_000 }, deadline);
  expect(deadline.asked).toBeGreaterThanOrEqual(10_000 / 64);
});

test("a real deadline says how long it was", () => {
  const deadline = new Deadline(0);
  expect(() => {
    for (;;) deadline.check();
  }).toThrow("exceeded its time limit of 0 ms");
});

test("a file is read in steps, and a query goes on where the one before was interrupted", () => {
  using _ = tuned({ smallSection: 0, wholeSection: 0 });
  const file = onDisk(saveCollection(bare()));
  const query = { criteria: [["note", "contains", "77"]], sortBy: "id", limit: 5 } as const;
  const expected = ask(bare(), query);
  const counting = new CountedDeadline();
  expect(ask(openCollection(file, { schema: Row }), query, counting)).toEqual(expected);
  expect(counting.asked).toBeGreaterThan((2 * SIZE) / 4096);
  const rows = openCollection(file, { schema: Row });
  let asked = 0;
  let found: unknown;
  while (found === undefined) {
    try {
      found = ask(rows, query, new CountedDeadline((asked += 8)));
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(DeadlineError);
    }
  }
  expect(found).toEqual(expected);
  // It would be as often if nothing that was read had stayed.
  expect(asked).toBeLessThan(counting.asked);
});

test("what an interrupted query has cost is charged to the index that would have saved it", () => {
  const rows = createCollection(
    Row,
    Array.from({ length: SIZE }, (_, id) => ({ id, kind: "k", name: `${id}`, note: "n" })),
  );
  const query = { criteria: [["name", "contains", "77"]] } as const;
  for (let round = 0; round < 50; round++) {
    expect(() => ask(rows, query, new CountedDeadline(10))).toThrow(DeadlineError);
  }
  ask(rows, query);
  expect(rows.indexes().map(({ field }) => field)).toContain("name");
});

test("an index is built in the time that answers leave, however many that takes", () => {
  using clock = workClock();
  const rows = createCollection(
    Row,
    Array.from({ length: SIZE }, (_, id) => ({ id, kind: "k", name: `${id}`, note: "n" })),
  );
  const query = { sortBy: "name", limit: 3 } as const;
  const before = clock.now;
  const expected = ask(rows, query, new Deadline(Infinity));
  const needed = clock.now - before;
  // Two sorts cost what the index costs. The next ones are answered without it, and have time for a part of it.
  ask(rows, query);
  let tries = 0;
  for (; rows.indexes().length === 0 && tries < 100; tries++) {
    const deadline = new Deadline(needed + 40);
    expect(deadline.spend(() => ask(rows, query, deadline))).toEqual(expected);
  }
  expect(rows.indexes().map(({ field }) => field)).toEqual(["name"]);
  expect(tries).toBeGreaterThan(3);
  expect(tries).toBeLessThan(30);
  expect(ask(rows, query)).toEqual(expected);
});

test("an index for lack of which an answer was late is built before the next, in half of its time", () => {
  using clock = workClock();
  const built: number[] = [];
  let isUrgent = false;
  const work = {
    get isUrgent() {
      return isUrgent;
    },
    hurry: () => void (isUrgent = true),
    build: (deadline: Deadline) => {
      const start = clock.now;
      try {
        for (;;) deadline.check();
      } finally {
        built.push(clock.now - start);
      }
    },
  };
  const answer = (steps: number) => {
    const deadline = new Deadline(100);
    return deadline.spend(() => {
      deadline.postpone(work);
      for (let step = 0; step < steps; step++) deadline.check();
      return "answer";
    });
  };
  expect(answer(60)).toBe("answer");
  expect(built.splice(0)[0]).toBeGreaterThan(30);
  expect(() => answer(200)).toThrow(DeadlineError);
  expect([built, isUrgent]).toEqual([[], true]);
  expect(answer(30)).toBe("answer");
  const [first = 0, second = 0] = built;
  expect(first).toBeGreaterThan(40);
  expect(first).toBeLessThanOrEqual(52);
  expect(first + second).toBeGreaterThan(60);
  // Other failures are not held back, and nothing is built after them.
  built.splice(0);
  const deadline = new Deadline(100);
  const fail = () => {
    deadline.postpone({ ...work, isUrgent: false });
    throw new Error("of the answer");
  };
  expect(() => deadline.spend(fail)).toThrow("of the answer");
  expect(built).toEqual([]);
});

describe("a question that is asked again is answered in the end", () => {
  const Part = defineSchema({
    id: int({ unique: true }),
    label: string(),
    kind: string({ ignoreCase: true }),
    size: float({ nullable: true }),
    tags: strings(),
  });
  const SIZE = 12_000;
  const records = lazily(() =>
    Array.from({ length: SIZE }, (_, id) => ({
      id,
      label: `part ${(id * 7919) % SIZE} 😀`,
      kind: `Kind ${id % 2500}`,
      size: id % 3 === 0 ? null : id / 7,
      tags: [`t${id % 50}`, `u${id % 3000}`],
    })),
  );
  const many = (length: number, of: (i: number) => unknown) =>
    Array.from({ length }, (_, i) => of(i));
  const anyOf = (parts: unknown[]) => parts.flatMap((part, i) => (i === 0 ? [part] : ["OR", part]));
  const contains = (field: string) => many(12, (i) => [field, "contains", `${i}3`]);
  const criteria: Record<string, unknown[] | null> = {
    "every record": null,
    "has_any of many": [["tags", "has_any", many(2000, (i) => `u${2 * i}`)]],
    "any of many contains": anyOf(contains("label")),
    groups: many(8, (i) =>
      anyOf([
        ["label", "contains", `${i}`],
        ["kind", "ends_with", `${i}`],
      ]),
    ),
    "none of many": many(36, (i) => ["NOT", ["label", "ends_with", `${i}`]]).flat(),
    "no record": [
      ["label", "contains", "none"],
      ["kind", "contains", "none"],
    ],
  };
  type Parts = Collection<typeof Part>;
  const results: Record<string, (parts: Parts, criteria: never) => unknown> = {
    count: (parts, criteria) => parts.count(criteria),
    "a page": (parts, criteria) => parts.query({ criteria, limit: 5, offset: 90 }),
    "a sorted page": (parts, criteria) => parts.query({ criteria, sortBy: "label", limit: 5 }),
    "all, sorted": (parts, criteria) => parts.query({ criteria, sortBy: "label" }),
    ties: (parts, criteria) =>
      parts.query({
        criteria,
        sort: [
          ["kind", "ASC"],
          ["label", "DESC"],
        ],
        limit: 5,
      }),
    "a page with a cursor": (parts, criteria) =>
      parts.page({ criteria, sortBy: "size", limit: 5 }).records,
    "counts of values": (parts, criteria) => parts.countBy("label", criteria, { limit: 5 }),
    "counts of all values": (parts, criteria) => parts.countBy("label", criteria),
    "counts by prefix": (parts, criteria) => parts.countBy("label", criteria, { prefix: 9 }),
    "counts of elements": (parts, criteria) => parts.countBy("tags", criteria, { limit: 5 }),
    "sums by prefix": (parts, criteria) =>
      parts.countBy("label", criteria, { prefix: 6, summarize: "size", order: "sum" }),
    "groups of two keys": (parts, criteria) =>
      parts.groupBy({
        by: ["kind", { field: "size", width: 100 }],
        measures: { sum: ["sum", "size"], middle: ["quantile", "id", 0.5] },
        criteria,
        limit: 9,
      }),
    "a summary": (parts, criteria) => parts.summary("size", criteria, { quantiles: [0.5] }),
    "a summary of text": (parts, criteria) => parts.summary("label", criteria),
    "a summary of strings": (parts, criteria) => parts.summary("tags", criteria),
    "a histogram": (parts, criteria) => parts.histogram("size", { bins: 5, criteria }),
  };

  test.each([
    ...Object.keys(criteria).map((name) => [name, "auto"] as const),
    ["every record", "none"],
    ["has_any of many", "none"],
  ] as const)("%s, indexes: %s", (name, indexes) => {
    const asked = untyped(criteria[name]);
    const expected = createCollection(Part, records());
    for (const [what, run] of Object.entries(results)) {
      const right = run(expected, asked);
      expectAnswer(createCollection(Part, records(), { indexes }), what, right, (parts) =>
        run(parts, asked),
      );
    }
  });

  test("more values than can be listed at once", () => {
    const Label = defineSchema({ label: string() });
    const labels = Array.from({ length: 40_000 }, (_, id) => ({ label: `${id} parts` }));
    const right = createCollection(Label, labels).countBy("label");
    const asked = () => createCollection(Label, labels);
    expectAnswer(asked(), "values", right, (all) => all.countBy("label"));
    expectAnswer(asked(), "prefixes", right, (all) => all.countBy("label", null, { prefix: 20 }));
    const few = { prefix: 20, limit: 3 };
    expectAnswer(asked(), "first", right.slice(0, 3), (all) => all.countBy("label", null, few));
  });

  /** Asks again and again, each time with so little time that the question is late at first. */
  function expectAnswer<Asked extends Collection>(
    collection: Asked,
    what: string,
    right: unknown,
    ask: (asked: Asked) => unknown,
  ): void {
    using _ = workClock();
    const { asked } = createDatabase({ asked: collection }, { limits: { milliseconds: 45 } });
    let found: unknown;
    let tries = 0;
    while (found === undefined && ++tries <= 80) {
      try {
        found = ask(asked);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(DeadlineError);
      }
    }
    expect({ what, found }).toEqual({ what, found: right });
  }
});
