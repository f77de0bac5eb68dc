// Answers that follow changes equal fresh ones after each: groups of every kind, and pages, wherever in the order they are
// and however few rows are kept around them.

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  defineSchema,
  float,
  int,
  string,
  type Patch,
} from "../../src/index.ts";
import { MaintainedRecords } from "../../src/engine/maintenance/maintained-page.ts";
import { parseQuery } from "../../src/engine/query.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";
import { tuned } from "../tuned.ts";

const Row = defineSchema({
  id: int({ unique: true }),
  n: int({ nullable: true }),
  f: float({ nullable: true }),
  text: string({ nullable: true, ignoreCase: true }),
  // No record has it.
  hidden: int({ nullable: true, stored: false }),
});

const values = {
  hidden: fc.option(fc.nat({ max: 2 })),
  n: fc.option(fc.integer({ min: -2, max: 4 })),
  f: fc.constantFrom(null, -0.5, 0, 2, 1e300, Number.MIN_VALUE),
  text: fc.constantFrom(null, "", "a", "A", "ab", "\u{1f600}", "\uffff"),
};
const id = fc.nat({ max: 40 });
const record = fc.record({ id, ...values });
const records = fc.uniqueArray(record, { selector: ({ id }) => id, maxLength: 40 });
const criteria = fc.constantFrom<unknown>(
  undefined,
  [["n", "at_least", 1]],
  [["text", "starts_with", "a"]],
  [["text", "in", ["A", "ab"]], "OR", ["f", "less_than", 1]],
  ["NOT", ["n", "exactly", 2]],
);
const sort = fc.uniqueArray(
  fc.tuple(fc.constantFrom("n", "f", "text", "id", "hidden"), fc.constantFrom("ASC", "DESC")),
  { selector: ([field]) => field, maxLength: 3 },
);
const limit = fc.constantFrom(0, 1, 2, 3, 5, null);
const select = fc.constantFrom(undefined, ["id"], ["text", "n"]);
const asked = fc.oneof(
  fc.record({ criteria, sort, limit, select, offset: fc.constantFrom(0, 1, 2, 5, 10, 30) }),
  fc.record({ criteria, sort, limit, select, pages: fc.nat({ max: 3 }) }),
);
type Step =
  | { readonly kind: "put"; readonly each: object }
  | { readonly kind: "remove"; readonly id: number }
  | { readonly kind: "set" | "range"; readonly id: number; readonly change: object }
  | { readonly kind: "undo" };
const step: fc.Arbitrary<Step> = fc.oneof(
  record.map((each) => ({ kind: "put" as const, each })),
  fc.record({ kind: fc.constant("remove" as const), id }),
  fc.record({
    kind: fc.constant("set" as const),
    id,
    change: fc.record(values, { requiredKeys: [] }),
  }),
  fc.record({
    kind: fc.constant("range" as const),
    id,
    change: fc.record(values, { requiredKeys: [] }),
  }),
  fc.constant({ kind: "undo" as const }),
);

/** A live query, and its answer asked for now. */
interface Watched {
  readonly ask: unknown;
  readonly fresh: () => unknown;
}

const make = (rows: unknown) => createDatabase({ rows: createCollection(Row, untyped(rows)) });
type Db = ReturnType<typeof make>;
const steps = fc.array(step, { minLength: 1, maxLength: 20 });

/** Makes changes, and compares the answers last reported with fresh ones after each. */
function followed(db: Db, watched: readonly Watched[], steps: readonly Step[]): void {
  const last: unknown[] = [];
  watched.forEach(({ ask }, i) => {
    db.watch("rows", untyped(ask), (answer: unknown) => {
      expect(answer).not.toEqual(last[i] ?? NO_ANSWER);
      last[i] = answer;
    });
  });
  let undo: readonly Patch[] = [];
  for (const each of steps) {
    const change =
      each.kind === "undo"
        ? db.applyPatches(undo)
        : db.update((draft) => {
            const { rows } = draft;
            if (each.kind === "put") draft.rows = rows.upsert(untyped(each.each), "id");
            else if (each.kind === "remove") {
              draft.rows = rows.remove([["id", "exactly", each.id]]);
            } else if (each.kind === "set") {
              draft.rows = rows.update([["id", "exactly", each.id]], each.change);
            } else draft.rows = rows.update([["id", "at_most", each.id]], each.change);
          });
    undo = each.kind === "undo" ? [] : change.inversePatches;
    for (const [i, { ask, fresh }] of watched.entries()) {
      expect(last[i], JSON.stringify(ask)).toEqual(fresh());
    }
  }
}

const NO_ANSWER = Symbol("no answer");

test("pages equal fresh ones after each change (U4)", () => {
  const spare = fc.nat({ max: 3 });
  const cases = fc.tuple(records, fc.array(asked, { minLength: 1, maxLength: 8 }), steps, spare);
  fc.assert(
    fc.property(cases, ([first, drawn, steps, spareRows]) => {
      using _ = tuned({ spareRows });
      const db = make(first);
      const pages = drawn.map((each) => {
        if (!("pages" in each)) return { ask: each, fresh: () => db.rows.query(untyped(each)) };
        const { pages, ...query } = each;
        let after: string | null = null;
        for (let i = 0; i < pages; i++) {
          after = db.rows.page(untyped({ ...query, after })).next;
        }
        const page = { ...query, after };
        return { ask: { page }, fresh: () => db.rows.page(untyped(page)) };
      });
      followed(db, pages, steps);
    }),
    settings(150),
  );
});

const key = fc.constantFrom<unknown>(
  "n",
  "text",
  { field: "n", width: 2 },
  { field: "f", width: 0.3, origin: 0.1 },
  { field: "n", edges: [0, 3] },
  { field: "text", prefix: 1 },
  ["text", { field: "n", edges: [-1, 2], as: "range" }],
  [{ field: "f", width: 0.7, as: "bin" }, { field: "text", prefix: 1 }, "n"],
);
const measures = fc.constantFrom<object>(
  { c: "count" },
  { c: "count", m: ["mean", "n"], s: ["sum", "f"] },
  { c: "count", s: ["sum", "n"], k: ["count", "f"] },
  { c: "count", lowest: ["minimum", "n"], highest: ["maximum", "f"] },
  { c: "count", v: ["variance", "f"] },
  { c: "count", v: ["deviation", "n"] },
  { c: "count", d: ["distinct", "text"], q: ["quantile", "n", 0.5] },
);
const groups = fc.oneof(
  fc.record(
    {
      by: key,
      criteria,
      measures,
      having: fc.constant([["c", "at_least", 2]]),
      sort: fc.constantFrom([["c", "DESC"]], [["c", "ASC"]]),
      limit: fc.nat({ max: 3 }),
    },
    { requiredKeys: ["by", "criteria", "measures"] },
  ),
  fc.record(
    {
      countBy: fc.constantFrom("n", "text", "f"),
      criteria,
      order: fc.constantFrom("value", "count", "sum", "maximum", "mean"),
      ascending: fc.boolean(),
      summarize: fc.constantFrom("n", "f"),
      limit: fc.nat({ max: 3 }),
    },
    { requiredKeys: ["countBy", "criteria", "summarize"] },
  ),
  fc.record(
    {
      histogram: fc.constant("n"),
      bins: fc.integer({ min: 1, max: 4 }),
      criteria,
      from: fc.integer({ min: -3, max: 0 }),
      to: fc.integer({ min: 1, max: 3 }),
      summarize: fc.constantFrom("n", "f"),
    },
    { requiredKeys: ["histogram", "bins"] },
  ),
  fc.record(
    {
      summary: fc.constantFrom("n", "f"),
      criteria,
      quantiles: fc.constantFrom([], [0.5], [0, 0.9, 1]),
    },
    { requiredKeys: ["summary"] },
  ),
  fc.record({ summary: fc.constant("text"), criteria }),
);

test("groups, counts by value, histograms and summaries equal fresh ones after each change (U4)", () => {
  const most = fc.constantFrom(3, 5000);
  const cases = fc.tuple(records, fc.array(groups, { minLength: 1, maxLength: 8 }), steps, most);
  fc.assert(
    fc.property(cases, ([first, drawn, steps, mostFollowedGroups]) => {
      using _ = tuned({ mostFollowedGroups });
      const db = make(first);
      const watched = drawn.map((asked): Watched => {
        if ("by" in asked) {
          const { by, ...query } = asked;
          return { ask: { groupBy: by, ...query }, fresh: () => db.rows.groupBy(untyped(asked)) };
        }
        if ("histogram" in asked) {
          const { histogram, ...options } = asked;
          const fresh = () => db.rows.histogram(untyped(histogram), untyped(options));
          return { ask: asked, fresh };
        }
        const { criteria, ...rest } = asked;
        if ("countBy" in rest) {
          const { countBy, ...options } = rest;
          const fresh = () =>
            db.rows.countBy(untyped(countBy), untyped(criteria), untyped(options));
          return { ask: asked, fresh };
        }
        const { summary, ...options } = rest;
        const fresh = () => db.rows.summary(untyped(summary), untyped(criteria), untyped(options));
        return { ask: asked, fresh };
      });
      followed(db, watched, steps);
    }),
    settings(150),
  );
});

test("a page is asked for again only if it runs short of rows", () => {
  using _ = tuned({ spareRows: 2 });
  const collection = createCollection(
    Row,
    Array.from({ length: 30 }, (_, id) => ({ id, n: 0, f: id, text: "" })),
  );
  const { snapshot, codec, options } = collection.state;
  const query = { sort: [["f", "ASC"]], offset: 10, limit: 3 };
  const parsed = parseQuery(codec.schema, query, options);
  const idsAfter = (...changes: readonly (readonly [before: number, after: number])[]) => {
    const page = new MaintainedRecords(snapshot, parsed);
    const differs = changes.map(([before, after]) =>
      page.change({
        key: before,
        before: { rows: snapshot.segments[0].rows, row: before },
        after: {
          rows: createCollection(Row, [{ id: before, n: 0, f: after, text: "" }]).state.snapshot
            .segments[0].rows,
          row: 0,
        },
      }),
    );
    return [differs, page.answer().map(({ id }) => id)];
  };
  expect(idsAfter()).toEqual([[], [10, 11, 12]]);
  // Far before the page, and far beyond it.
  expect(idsAfter([0, 1.5], [20, 21.5])).toEqual([
    [true, false],
    [10, 11, 12],
  ]);
  // From before the page to beyond it, until what is kept beyond it is used up.
  expect(idsAfter([0, 28.5], [9, 28.6])).toEqual([
    [true, true],
    [12, 13, 14],
  ]);
  expect(idsAfter([0, 28.5], [9, 28.6], [1, 28.7])[0]).toEqual([true, true, undefined]);
  // Within the page; out of it; into it.
  expect(idsAfter([10, 11.5])).toEqual([[true], [11, 10, 12]]);
  expect(idsAfter([11, 25.5])).toEqual([[true], [10, 12, 13]]);
  expect(idsAfter([25, 10.5])).toEqual([[true], [10, 25, 11]]);
});
