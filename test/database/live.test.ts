// Live queries of every kind, and subscribers, after any changes (rules U3 and U4): the last reported answer is that of
// a fresh query, no answer is reported twice in a row, and a change that changes nothing is none.

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  defineSchema,
  float,
  int,
  json,
  string,
  type Collection,
  type DatabaseChange,
} from "../../src/index.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";

const Row = defineSchema({
  id: int({ unique: true }),
  state: string({ ignoreCase: true }),
  n: int({ nullable: true }),
  f: float(),
  tags: json({ default: [] }),
});
type Rows = Collection<typeof Row>;

const values = {
  state: fc.constantFrom("open", "Open", "OPEN", "paid"),
  n: fc.option(fc.integer({ min: -3, max: 9 })),
  f: fc.constantFrom(0, 0.5, 1, 2.25, 1000),
  tags: fc.constantFrom<object>([], { a: 1, b: [2] }, { b: [2], a: 1 }),
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
);
const criteria = fc.option(fc.array(criterion, { maxLength: 2 }), { nil: undefined });

const range = fc.record(
  { from: fc.integer({ min: -2, max: 1 }), to: fc.integer({ min: 2, max: 6 }) },
  { requiredKeys: [] },
);
type Ask = Readonly<Record<string, unknown>>;
const ask: fc.Arbitrary<Ask> = fc.oneof(
  fc.record(
    {
      criteria,
      limit: fc.nat({ max: 3 }),
      offset: fc.nat({ max: 2 }),
      sortBy: fc.constantFrom("n", "f", "state"),
    },
    { requiredKeys: [] },
  ),
  criteria.map((count) => ({ count })),
  fc.record(
    {
      countBy: fc.constantFrom("state", "n", "f"),
      criteria,
      limit: fc.constantFrom(1, 2),
      order: fc.constantFrom("value", "count"),
    },
    { requiredKeys: ["countBy"] },
  ),
  fc
    .tuple(fc.constantFrom("n", "f"), criteria, fc.integer({ min: 1, max: 4 }), range)
    .map(([histogram, criteria, bins, range]) => ({ histogram, criteria, bins, ...range })),
  fc.record({ summary: fc.constantFrom("n", "f"), criteria }),
);

/** What a live query of this kind asks, asked once. */
function answerTo(rows: Rows, ask: Ask): unknown {
  const { count, countBy, histogram, summary, ...others } = ask;
  if (countBy !== undefined) {
    const { criteria, ...options } = others;
    return rows.countBy(untyped(countBy), untyped(criteria), options);
  }
  if (histogram !== undefined) return rows.histogram(untyped(histogram), untyped(others));
  if (summary !== undefined) return rows.summary(untyped(summary), untyped(others.criteria));
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
const row = { state: "x", n: 1, f: 1, tags: [] };
const updates = fc.array(
  fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 3 }), isUndone: fc.boolean() }),
  { maxLength: 8 },
);

test("each live query has the answer of a fresh one, once, and subscribers know of changes only (U3, U4)", () => {
  fc.assert(
    fc.property(
      fc.array(record, { maxLength: 8 }),
      watches,
      updates,
      (records, watches, updates) => {
        const initial = createCollection(Row, untyped(free(createCollection(Row, []), records)));
        const thrown: unknown[] = [];
        const db = createDatabase({ rows: initial }, { onError: (each) => thrown.push(each) });
        let told = 0;
        db.subscribe(() => void told++);
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
            expect(answer).not.toEqual(own.answers.at(-1) ?? NONE);
            own.answers.push(structuredClone(answer));
            // The arrays are the listener's own.
            if (Array.isArray(answer) && !Object.isFrozen(answer)) answer.length = 0;
            for (const { after, which } of stops) if (own.answers.length > after) end(which);
          };
          ends[i] = db.watch("rows", untyped(ask), listener);
        };
        const check = () => {
          // What a listener expects, it throws.
          expect(thrown).toEqual([]);
          for (const [i, { ask }] of watches.entries()) {
            const own = live[i];
            if (own?.isStopped !== false || ends[i] === undefined) continue;
            expect(own.answers.at(-1), JSON.stringify(ask)).toEqual(answerTo(db.rows, ask));
          }
        };
        for (const [at, { steps, isUndone }] of updates.entries()) {
          watches.forEach((each, i) => {
            if (each.begins === at) begin(each, i);
          });
          check();
          const run = (make: () => DatabaseChange) => {
            const [before, calls] = [db.rows, told];
            const change = make();
            const isChanged = !isDeepStrictEqual([...before], [...db.rows]);
            const { patches } = change;
            expect(told - calls).toBe(patches.length > 0 ? 1 : 0);
            // A record that goes and comes back is another one, even where it is the last one again.
            const isBack = ["add", "remove"].every((op) => patches.some((each) => each.op === op));
            if (isChanged || !isBack) expect(patches.length > 0).toBe(isChanged);
            check();
            return change;
          };
          const { inversePatches } = run(() =>
            db.update((draft) => {
              for (const each of steps) draft.rows = each(draft.rows, initial);
            }),
          );
          if (isUndone) run(() => db.applyPatches(inversePatches));
        }
      },
    ),
    settings(60),
  );
});

const NONE = Symbol("no answer");

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
