// Live queries of every kind, and subscribers, after any changes (rules U3 and U4): the last reported result is that of
// a fresh query, no result is reported twice in a row, and a change without an effect is not reported.

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { Collection } from "../../src/collection/collection.ts";
import {
  createCollection,
  createDatabase,
  DeadlineError,
  defineSchema,
  float,
  int,
  json,
  string,
  strings,
  type DatabaseChange,
  type Live,
} from "../../src/index.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";

const Row = defineSchema({
  id: int({ unique: true }),
  state: string({ ignoreCase: true }),
  n: int({ nullable: true }),
  f: float(),
  tags: json({ default: [] }),
  words: strings({ nullable: true }),
});
type Rows = Collection<typeof Row>;

const values = {
  state: fc.constantFrom("open", "Open", "OPEN", "paid"),
  n: fc.option(fc.integer({ min: -3, max: 9 })),
  f: fc.constantFrom(0, 0.5, 1, 2.25, 1000),
  tags: fc.constantFrom<object>([], { a: 1, b: [2] }, { b: [2], a: 1 }),
  words: fc.option(fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 })),
};
const id = fc.nat({ max: 8 });
const record = fc.record({ id, ...values });
const changes = fc.record(values, { requiredKeys: [] });

const criterion = fc.oneof(
  values.state.map((state) => ["state", "exactly", state]),
  values.state.map((state) => ["state", "starts_with", state.slice(0, 2)]),
  fc.array(values.state, { maxLength: 2 }).map((states) => ["state", "in", states]),
  id.map((value) => ["id", "exactly", value]),
  fc.array(id, { minLength: 1, maxLength: 3 }).map((ids) => ["id", "in", ids]),
  fc.nat({ max: 9 }).map((n) => ["n", "greater_than", n]),
  fc.constant(["n", "not", null]),
  fc.constantFrom("a", "b").map((word) => ["words", "has", word]),
  fc
    .tuple(fc.constantFrom("has_any", "has_all"), fc.subarray(["b", "a", "c"]))
    .map(([operator, words]) => ["words", operator, words]),
  fc.constantFrom("exactly", "not").map((operator) => ["words", operator, []]),
);
const criteria = fc.option(fc.array(criterion, { maxLength: 2 }), { nil: undefined });

const range = fc.record(
  { from: fc.integer({ min: -2, max: 1 }), to: fc.integer({ min: 2, max: 6 }) },
  { requiredKeys: [] },
);
const summarize = fc.constantFrom("n", "f");
type Ask = Readonly<Record<string, unknown>>;
const fields = fc.constantFrom("n", "f", "state");
const ask: fc.Arbitrary<Ask> = fc.oneof(
  fc.record(
    {
      criteria,
      limit: fc.nat({ max: 3 }),
      offset: fc.nat({ max: 2 }),
      sortBy: fields,
    },
    { requiredKeys: [] },
  ),
  fc
    .record(
      {
        criteria,
        limit: fc.integer({ min: 1, max: 3 }),
        sort: fc.uniqueArray(fc.tuple(fields, fc.constantFrom("ASC", "DESC")), {
          selector: ([field]) => field,
          minLength: 1,
          maxLength: 2,
        }),
        after: fc.nat({ max: 2 }),
      },
      { requiredKeys: ["limit", "after"] },
    )
    .map((page) => ({ page })),
  criteria.map((count) => ({ count })),
  fc.record(
    {
      countBy: fc.constantFrom("state", "n", "f", "words"),
      criteria,
      limit: fc.constantFrom(1, 2),
      order: fc.constantFrom("value", "count"),
      ascending: fc.boolean(),
      summarize,
    },
    { requiredKeys: ["countBy"] },
  ),
  fc.record(
    {
      countBy: fc.constantFrom("state", "words"),
      criteria,
      order: fc.constantFrom("sum", "minimum", "maximum", "mean"),
      summarize,
      prefix: fc.integer({ min: 1, max: 3 }),
    },
    { requiredKeys: ["countBy", "summarize"] },
  ),
  fc
    .tuple(
      fc.constantFrom("n", "f"),
      criteria,
      fc.oneof(
        fc.record({ bins: fc.integer({ min: 1, max: 4 }) }),
        fc.record({ step: fc.constantFrom("day", "week"), unit: fc.constant("seconds") }),
      ),
      range,
      fc.record({ summarize }, { requiredKeys: [] }),
    )
    .map(([histogram, criteria, bins, range, totals]) => ({
      ...{ histogram, criteria },
      ...bins,
      ...range,
      ...totals,
    })),
  fc.record(
    {
      summary: fc.constantFrom("n", "f"),
      criteria,
      quantiles: fc.array(fc.constantFrom(0, 0.5, 1), { maxLength: 2 }),
    },
    { requiredKeys: ["summary"] },
  ),
  fc.record({ summary: fc.constantFrom("state", "words"), criteria }),
  fc.record(
    {
      groupBy: fc.constantFrom<unknown>(
        "state",
        ["words", "n"],
        { field: "n", width: 2 },
        ["state", { field: "n", edges: [0, 3] }],
        [
          { field: "f", width: 0.3, origin: 0.1, as: "bin" },
          { field: "state", prefix: 1 },
          "words",
        ],
      ),
      criteria,
      measures: fc.constantFrom<object>(
        { c: "count" },
        { c: "count", m: ["mean", "n"] },
        { c: "count", s: ["sum", "f"], lowest: ["minimum", "n"], highest: ["maximum", "f"] },
        { c: "count", v: ["variance", "f"], k: ["count", "n"] },
        { c: "count", d: ["distinct", "state"] },
        { c: "count", v: ["deviation", "n"], s: ["sum", "n"] },
      ),
      sort: fc.constantFrom([["c", "DESC"]], [["c", "ASC"]]),
      summarize: fc.constant(["f"]),
      having: fc.constant([["c", "at_least", 2]]),
      limit: fc.nat({ max: 2 }),
    },
    { requiredKeys: ["groupBy", "measures", "criteria"] },
  ),
);

/** What is asked, with a cursor in the place of the number of pages before it. Elements have no prefix. */
function prepared(rows: Rows, { page, prefix, ...others }: Ask): Ask {
  if (page === undefined) {
    return others.countBy === "words" || prefix === undefined ? others : { ...others, prefix };
  }
  const { after: pages, ...query } = page as Ask;
  let after: string | null = null;
  for (let i = 0; i < Number(pages); i++) after = rows.page(untyped({ ...query, after })).next;
  if (Number(pages) % 2 === 1) return { page: { ...query, last: true, cursors: true } };
  return { page: { ...query, after } };
}

/** What a live query of this kind asks, asked once. */
function answerTo(rows: Rows, ask: Ask): unknown {
  const { page, count, countBy, histogram, summary, groupBy, ...others } = ask;
  if (page !== undefined) return rows.page(untyped(page));
  if (countBy !== undefined) {
    const { criteria, ...options } = others;
    return rows.countBy(untyped(countBy), untyped(criteria), untyped(options));
  }
  if (histogram !== undefined) return rows.histogram(untyped(histogram), untyped(others));
  if (summary !== undefined) {
    const { criteria, ...options } = others;
    return rows.summary(untyped(summary), untyped(criteria), untyped(options));
  }
  if (groupBy !== undefined) return rows.groupBy(untyped({ by: groupBy, ...others }));
  if ("count" in ask) return rows.count(untyped(count));
  return rows.query(untyped(others));
}

const stop = fc.record({ after: fc.nat({ max: 3 }), which: fc.nat({ max: 7 }) });
/** Before which update a live query begins. */
const begins = fc.nat({ max: 2 });
const watches = fc.array(fc.record({ ask, begins, stops: fc.array(stop, { maxLength: 2 }) }), {
  minLength: 1,
  maxLength: 6,
});

type Do = (rows: Rows, other: Rows) => Rows;
const one = (id: number) => [["id", "exactly", id]] as const;
const free = (rows: Rows, all: readonly { readonly id: number }[]) =>
  [...new Map(all.map((each) => [each.id, each])).values()].filter(
    (each) => rows.get("id", each.id) === undefined,
  );
const step: fc.Arbitrary<Do> = fc.oneof(
  fc.array(record, { maxLength: 3 }).map((some) => (rows: Rows) => {
    return rows.insert(untyped(free(rows, some)));
  }),
  fc.tuple(criteria, changes).map(([criteria, change]) => (rows: Rows) => {
    return rows.update(untyped(criteria), untyped(change));
  }),
  fc.tuple(id, changes).map(([id, change]) => (rows: Rows) => {
    return rows.update(one(id), (draft) => void Object.assign(draft, change));
  }),
  record.map((each) => (rows: Rows) => rows.upsert(untyped(each), "id")),
  fc.tuple(record, changes).map(
    ([{ id }, some]) =>
      (rows: Rows) =>
        rows.get("id", id) === undefined
          ? rows
          : rows.upsert(untyped({ ...some, id }), "id", { merge: true }),
  ),
  criteria.map((criteria) => (rows: Rows) => rows.remove(untyped(criteria ?? one(0)))),
  // It goes, and comes back as the last one.
  id.map((id) => (rows: Rows) => {
    const there = rows.get("id", id);
    return there === undefined ? rows : rows.remove(one(id)).insert(untyped(there));
  }),
  // Nothing in the end.
  id.map((id) => (rows: Rows) => {
    const there = rows.get("id", id);
    if (there === undefined) return rows.insert(untyped({ ...row, id })).remove(one(id));
    return rows.update(one(id), { f: there.f + 1 }).update(one(id), { f: there.f });
  }),
  fc.constant((rows: Rows) => rows.compact()),
  fc.constant((_: Rows, other: Rows) => other),
);
const row = { state: "x", n: 1, f: 1, tags: [], words: ["a", "b"] };
const updates = fc.array(
  fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 3 }),
    isUndone: fc.boolean(),
    isLate: fc.boolean(),
  }),
  { maxLength: 8 },
);

test("each live query has the answer of a fresh one, once, or says that it is late, and subscribers know of changes only (U3, U4)", () => {
  using clock = steppedClock();
  fc.assert(
    fc.property(fc.array(record, { maxLength: 8 }), watches, updates, (records, drawn, updates) => {
      const initial = createCollection(Row, untyped(free(createCollection(Row, []), records)));
      const watches = drawn.map((each) => ({ ...each, ask: prepared(initial, each.ask) }));
      const thrown: unknown[] = [];
      const limits = { milliseconds: 1000 };
      const db = createDatabase(
        { rows: initial },
        { limits, onError: (each) => thrown.push(each) },
      );
      let notified = 0;
      db.subscribe(() => void notified++);
      const live = watches.map(() => ({ answers: [] as unknown[], isStopped: false }));
      const ends: (() => void)[] = [];
      /** Ends a live query. More often than once, as a cleanup may. */
      const end = (which: number) => {
        const at = which % watches.length;
        const ended = live[at];
        if (ended === undefined || ends[at] === undefined) return;
        ended.isStopped = true;
        ends[at]();
        ends[at]();
      };
      const begin = ({ ask, stops }: (typeof watches)[number], i: number) => {
        const own = live[i];
        if (own === undefined) return;
        const listener = (answer: unknown) => {
          expect(own.isStopped).toBe(false);
          expect(answer).not.toEqual(own.answers.at(-1) ?? NO_ANSWER);
          own.answers.push(structuredClone(answer));
          // The arrays are the listener's own.
          if (Array.isArray(answer) && !Object.isFrozen(answer)) answer.length = 0;
          for (const { after, which } of stops) if (own.answers.length > after) end(which);
        };
        ends[i] = db.watch("rows", untyped(ask), listener);
        // Every other one has a subscriber.
        const result: Live<unknown> = db.live("rows", untyped(ask));
        results.push({ ask, result, last: result.current });
        if (i % 2 === 1) result.subscribe((now) => expect(now).toBe(result.current));
      };
      const results: { ask: Ask; result: Live<unknown>; last: unknown }[] = [];
      const checkResults = () => {
        for (const each of results) {
          const { current } = each.result;
          expect(current, JSON.stringify(each.ask)).toEqual(answerTo(db.rows, each.ask));
          expect(current === each.last).toBe(isDeepStrictEqual(current, each.last));
          expect(each.result.current).toBe(current);
          each.last = current;
        }
      };
      // While others do not know of a change yet, each result has it.
      db.subscribe(() => {
        if (clock.step === 0) checkResults();
      });
      /** Whether every run was late after the last change: what was reported may be outdated until the next one. */
      let isOutdated = false;
      const check = () => {
        checkResults();
        let outdated = 0;
        for (const [i, { ask }] of watches.entries()) {
          const own = live[i];
          if (own?.isStopped !== false || ends[i] === undefined) continue;
          const fresh = answerTo(db.rows, ask);
          if (isOutdated && !isDeepStrictEqual(own.answers.at(-1), fresh)) outdated++;
          else expect(own.answers.at(-1), JSON.stringify(ask)).toEqual(fresh);
        }
        return outdated;
      };
      for (const [at, { steps, isUndone, isLate }] of updates.entries()) {
        watches.forEach((each, i) => {
          if (each.begins === at) begin(each, i);
        });
        check();
        const run = (make: () => DatabaseChange) => {
          const [before, calls] = [db.rows, notified];
          clock.step = isLate ? 10_000 : 0;
          const change = make();
          clock.step = 0;
          const isChanged = !isDeepStrictEqual([...before], [...db.rows]);
          const { patches } = change;
          expect(notified - calls).toBe(patches.length > 0 ? 1 : 0);
          // A record that goes and comes back is another one, even where it is the last one again.
          const isBack = ["add", "remove"].every((op) => patches.some((each) => each.op === op));
          if (isChanged || !isBack) expect(patches.length > 0).toBe(isChanged);
          if (patches.length > 0) isOutdated = isLate;
          const outdated = check();
          // What a listener expects, it throws. Each result that is late is an error, after each change.
          const late = thrown.splice(0);
          expect(late.filter((each) => !isLate || !(each instanceof DeadlineError))).toEqual([]);
          if (patches.length > 0) expect(late.length).toBeGreaterThanOrEqual(outdated);
          return change;
        };
        const { inversePatches } = run(() =>
          db.update((draft) => {
            for (const each of steps) draft.rows = each(draft.rows, initial);
          }),
        );
        if (isUndone) run(() => db.applyPatches(inversePatches));
      }
    }),
    settings(60),
  );
});

const NO_ANSWER = Symbol("no answer");

/** A clock that each reading moves on by the step: 0 is fast, more than a time limit makes everything late. */
function steppedClock(): Disposable & { step: number } {
  let now = 0;
  const clock = { step: 0, [Symbol.dispose]: () => spy.mockRestore() };
  const spy = vi.spyOn(performance, "now").mockImplementation(() => (now += clock.step));
  return clock;
}

describe("a live result", () => {
  const make = (limits = {}) => {
    const thrown: unknown[] = [];
    const rows = createCollection(Row, [
      { ...row, id: 1 },
      { ...row, id: 2, state: "y" },
    ]);
    const db = createDatabase({ rows }, { limits, onError: (each) => thrown.push(each) });
    const set = (id: number, change: object) =>
      db.update((draft) => void (draft.rows = draft.rows.update(one(id), change)));
    return { db, set, thrown };
  };
  const x = { criteria: [["state", "exactly", "x"]] } as const;

  test("is the same frozen object until the result changes, with and without subscribers", () => {
    const { db, set } = make();
    const live = db.live("rows", x);
    const first = live.current;
    expect(first).toEqual(db.rows.query(x));
    expect(Object.isFrozen(first)).toBe(true);
    set(2, { n: 9 });
    expect(live.current).toBe(first);
    const stop = live.subscribe(() => undefined);
    set(2, { n: 8 });
    expect(live.current).toBe(first);
    set(1, { n: 7 });
    const second = live.current;
    expect(second).toEqual([{ ...first[0], n: 7 }]);
    stop();
    set(2, { n: 9 });
    expect(live.current).toBe(second);
    set(1, { state: "y" });
    expect(live.current).toEqual([]);
    expect(db.live("rows", { count: x.criteria }).current).toBe(0);
  });

  test("asks once when it is made, and then only if the collection has changed", () => {
    const { db, set } = make();
    const query = vi.spyOn(Collection.prototype, "query");
    try {
      const live = db.live("rows", x);
      const [a, b] = [vi.fn(), vi.fn()];
      const stops = [live.subscribe(a), live.subscribe(b)];
      expect([live.current, live.current]).toEqual([a.mock.calls[0]?.[0], b.mock.calls[0]?.[0]]);
      expect(query).toHaveBeenCalledTimes(1);
      // With listeners, it follows changes.
      set(1, { n: 2 });
      expect(query).toHaveBeenCalledTimes(1);
      set(2, { n: 2 });
      expect(live.current).toBe(a.mock.lastCall?.[0]);
      expect(query).toHaveBeenCalledTimes(1);
      expect([a, b].map((each) => each.mock.calls.length)).toEqual([2, 2]);
      for (const stop of [...stops, ...stops]) stop();
      set(1, { n: 3 });
      expect(query).toHaveBeenCalledTimes(1);
      expect(live.current).toEqual([{ ...row, id: 1, n: 3 }]);
      expect(query).toHaveBeenCalledTimes(2);
      expect([a, b].map((each) => each.mock.calls.length)).toEqual([2, 2]);
    } finally {
      query.mockRestore();
    }
  });

  test("is as it is now to a listener that comes before those of the query", () => {
    const { db, set, thrown } = make();
    const seen: number[] = [];
    const mistake = new Error("of a listener");
    db.subscribe(() => void seen.push(live.current));
    const live = db.live("rows", { count: x.criteria });
    live.subscribe((now) => {
      seen.push(now);
      if (now === 2) throw mistake;
    });
    set(2, { state: "x" });
    set(1, { state: "y" });
    expect(seen).toEqual([1, 2, 2, 1, 1]);
    // What a listener throws stops nothing (U5).
    expect(thrown).toEqual([mistake]);
  });

  test("is current although a run was late, with and without subscribers, and each late run is an error", () => {
    using clock = steppedClock();
    const { db, set, thrown } = make({ milliseconds: 1000 });
    // Distinct values are asked for again, at each change that may alter them.
    const measures = { count: ["distinct", "id"] } as const;
    const watched = db.live("rows", { ...x, groupBy: "state", measures });
    const idle = db.live("rows", x);
    const seen: number[] = [];
    watched.subscribe(([group]) => seen.push(group?.count ?? 0));
    const late = (id: number, change: object) => {
      clock.step = 10_000;
      set(id, change);
      expect(() => watched.current).toThrow(DeadlineError);
      clock.step = 0;
      return thrown.length;
    };
    expect(late(2, { state: "x" })).toBe(1);
    expect(late(1, { state: "y" })).toBe(2);
    expect(late(1, { state: "x" })).toBe(3);
    expect([watched.current[0]?.count, idle.current.length]).toEqual([2, 2]);
    // Not a change of what the query selects.
    set(2, { n: 9 });
    expect([seen, thrown.length]).toEqual([[1, 2], 3]);
    late(1, { n: 5 });
    set(1, { n: 6 });
    expect([seen, watched.current[0]?.count, thrown.length]).toEqual([[1, 2], 2, 4]);
  });

  test("refuses what watch refuses, at once", () => {
    const { db } = make();
    expect(() => db.live("row" as never, {} as never)).toThrow('name: must be "rows", not "row"');
    expect(() => db.live("rows", { count: [["m", "exactly", 1]] as never })).toThrow("criteria[0]");
    expect(() => db.live("rows", { histogram: "id" } as never)).toThrow("ask.bins");
    expect(() => db.live("rows", {}).subscribe(5 as never)).toThrow("listener: must be a function");
    expect(() => createDatabase({ live: db.rows } as never)).toThrow('"live" is reserved');
  });
});

test("compacting a collection is no change, and takes effect (U3)", () => {
  const many = Array.from({ length: 3000 }, (_, id) => ({ ...row, id }));
  const db = createDatabase({ rows: createCollection(Row, many) });
  db.update((draft) => void (draft.rows = draft.rows.update(one(7), { f: 9 })));
  const calls: unknown[] = [];
  db.subscribe((change) => calls.push(change));
  expect(db.rows.explain().delta).toBeDefined();
  const { patches } = db.update((draft) => void (draft.rows = draft.rows.compact()));
  expect([patches, calls]).toEqual([[], []]);
  expect(db.rows.explain().delta).toBeUndefined();
});
