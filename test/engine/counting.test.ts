// countBy and histogram, compared with counting the records that the predicate accepts one by one.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collect } from "../../src/collection/create.ts";
import { planning } from "../../src/engine/execution/planning.ts";
import { Codec } from "../../src/engine/columns/codec.ts";
import {
  compileCriteria,
  createCollection,
  createService,
  CriteriaError,
  defineSchema,
  formatPlan,
  InputError,
  int,
  string,
  type CountQueryPlan,
  type Criteria,
  type ValueCount,
} from "../../src/index.ts";
import { criteria } from "../../src/testing/index.ts";
import { compareTextForms } from "../../src/testing/reference-page.ts";
import { reopened, reopenings } from "../arrow/reopened.ts";
import { settings } from "../property.ts";
import { aContact, aFile, untyped } from "../rules/fixtures.ts";
import { tuned, usual } from "../tuned.ts";
import { wireSchema } from "../wire-schema.ts";

const Row = wireSchema({
  id: int({ unique: true }),
  text: string({ nullable: true }),
  number: int({ nullable: true }),
  group: string(),
  ["__proto__"]: string({ default: "constructor" }),
  "2024": int({ default: 0 }),
});
const fields = ["id", "text", "number", "group", "__proto__", "2024"] as const;
const ints = ["id", "number", "2024"] as const;

const words = fc.oneof(
  fc.constantFrom("", "a", "ab", "abc", "0", "__proto__", "constructor", "\uffff", "\u{10000}"),
  fc.string({ unit: fc.constantFrom("a", "b", "\u{1f600}"), maxLength: 4 }),
);
const numbers = fc.oneof(
  fc.integer({ min: -12, max: 12 }),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 2 ** 32),
);
const row = fc.record({
  text: fc.option(words),
  number: fc.option(numbers),
  group: fc.constantFrom("x", "y", ""),
  "2024": fc.constantFrom(0, 1, -1),
});
/** Few, many alike, all distinct, one value. */
const rows = fc
  .oneof(
    fc.array(row, { maxLength: 40 }),
    fc
      .array(row, { minLength: 1, maxLength: 6 })
      .map((few) =>
        Array.from(
          { length: 300 },
          (_, i) => few[(i * 7) % few.length] ?? { text: null, number: null, group: "", "2024": 0 },
        ),
      ),
    fc.constant(
      Array.from({ length: 200 }, (_, i) => ({
        text: `a${(i * 31) % 200}`,
        number: ((i * 77) % 200) - 100,
        group: i % 2 === 0 ? "x" : "y",
        "2024": 0,
      })),
    ),
    fc
      .nat({ max: 200 })
      .map((length) =>
        Array.from({ length }, () => ({ text: null, number: null, group: "", "2024": 1 })),
      ),
  )
  .map((some) => some.map((each, id) => ({ ...each, id })));

const scenario = rows.chain((given) =>
  fc.record({
    given: fc.constant(given),
    asked: criteria(Row, { records: given }),
    prepared: fc.subarray([...fields]),
    indexes: fc.constantFrom("auto" as const, "none" as const),
    fewRows: fc.constantFrom(0, 64),
    opening: fc.option(fc.constantFrom(...reopenings), { nil: undefined }),
    removed: fc.array(fc.nat({ max: 300 }), { maxLength: 30 }),
    changed: fc.array(fc.nat({ max: 300 }), { maxLength: 20 }),
    inserted: fc.array(row, { maxLength: 20 }),
    limit: fc.option(fc.nat({ max: 6 }), { nil: undefined }),
    bins: fc.integer({ min: 1, max: 30 }),
    range: fc.option(fc.tuple(numbers, numbers), { nil: undefined }),
  }),
);

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

function collectionOf({ given, prepared, opening, ...more }: Scenario) {
  const { indexes, removed, changed, inserted } = more;
  const options = { indexes, maxCriteria: 1000, maxValues: 1000, finder: planning } as const;
  const made = collect(new Codec(Row), { ...options, unknownOperator: "error" }, (loader) =>
    loader.add(given),
  );
  return (opening === undefined ? made : reopened(made, opening))
    .prepare({ sort: prepared, contains: prepared })
    .remove([["id", "in", removed]])
    .update([["id", "in", changed]], (draft) => {
      draft.text = `new ${draft.id}`;
      draft.number = draft.number === null ? "5" : null;
    })
    .insert(inserted.map((each, i) => ({ ...each, id: 1000 + i })));
}

test("count gives how many records the predicate accepts", () => {
  fc.assert(
    fc.property(scenario, words, numbers, fc.boolean(), (drawn, text, number, isEmpty) => {
      // A compound index is built at the second count, or never.
      const { fewRows } = drawn;
      using _ = tuned({
        fewRows,
        fewValues: 3,
        rarePart: 2,
        leastCharged: 0,
        compoundShare: isEmpty ? 0 : 1e9,
      });
      const collection = collectionOf(drawn);
      const whole = collection.compact();
      const groups = isEmpty ? ["", "y"] : ["x"];
      // Two fields, each with an index if it is among those prepared: one value, several, ranges, none.
      const pairs = [
        [
          ["group", "in", groups],
          ["2024", "in", [0, 1]],
        ],
        [
          ["group", "exactly", "x"],
          ["text", "not", text],
        ],
        [
          ["number", "less_than", number],
          ["group", "exactly", "y"],
        ],
        [
          ["text", "starts_with", "a"],
          ["number", "greater_than", number],
          ["group", "not", "x"],
        ],
        [["text", "contains", `${text}00`], "NOT", ["text", "ends_with", text]],
        [["group", "exactly", "x"], "OR", ["number", "less_than", number]],
        [
          ["group", "in", groups],
          "OR",
          ["2024", "exactly", 1],
          "OR",
          ["number", "less_than", number],
        ],
        [
          ["number", "not", number],
          [["group", "exactly", "y"], "OR", ["2024", "exactly", 0]],
          "NOT",
          [
            ["group", "exactly", "y"],
            ["2024", "exactly", 0],
          ],
        ],
        [["group", "exactly", "x"], "OR", ["text", "contains", text]],
      ];
      for (const given of [drawn.asked, ...pairs]) {
        const asked = untyped(given);
        const selected = [...collection].filter(compileCriteria(Row, asked));
        const opposite = untyped(["NOT", given]);
        // In both orders: each may use what the search of the other has cached.
        const inOrder = isEmpty ? [asked, opposite] : [opposite, asked];
        for (const each of [collection, whole, whole]) {
          for (const some of inOrder) {
            const isAsked = some === asked;
            const others = collection.size - selected.length;
            expect(each.count(some)).toBe(isAsked ? selected.length : others);
          }
        }
      }
    }),
    settings(60),
  );
});

test("a count is explained as it is made, which has no effect", () => {
  using _ = tuned({ ...usual });
  const Item = defineSchema({ id: int({ unique: true }), a: int(), b: int(), text: string() });
  const items = createCollection(
    Item,
    Array.from({ length: 20_000 }, (_, id) => ({
      id,
      a: id % 100,
      b: id % 7000,
      text: `item ${(id * 7919) % 20_000}`,
    })),
    { indexes: "none" },
  );
  const scanned = { path: "rows", rows: { access: { path: "scan" } } };
  expect(items.explainCount([["a", "exactly", 1]])).toMatchObject(scanned);
  const prepared = items.prepare({ match: ["a", "b"], contains: ["text"] });
  const changed = prepared.update([["id", "exactly", 5]], { a: 1000 });
  const a = ["a", "at_least", 50] as const;
  const few = ["b", "exactly", 7] as const;
  const expected: readonly (readonly [Criteria<typeof Item>, path: string])[] = [
    [[], "known"],
    [[a], "codes a"],
    [["NOT", [a]], "codes a"],
    [[a, few], "lookup b a"],
    [[a, ["b", "less_than", 6000]], "columns a b"],
    [[a, "OR", few], "either codes a, codes b, lookup b a"],
    [["NOT", [a, few]], "complement lookup b a"],
    [[["text", "contains", "7"]], "short-text text"],
    [[["text", "contains", "item 7"], a], "rows"],
    [["NOT", ["text", "contains", "item 7"]], "complement rows"],
  ];
  const shown = ({ path, fields, parts }: CountQueryPlan): string =>
    [path, ...fields, parts.map(shown).join(", ")].filter(Boolean).join(" ");
  for (const [criteria, path] of expected) {
    expect(shown(prepared.explainCount(criteria))).toBe(path);
    const plan = changed.explainCount(criteria);
    expect(shown(plan)).toBe(path);
    expect(plan.changes.map((each) => each.path)).toEqual([path === "known" ? path : "rows"]);
    expect(formatPlan(plan)).toMatch(
      /^count: estimated .*\n {2}[a-z][^]*\n {2}add what was changed since\n {4}[a-z]/,
    );
    expect(changed.count(criteria)).toBe(
      [...changed].filter(compileCriteria(Item, criteria)).length,
    );
  }
});

const key = ({ value, count }: ValueCount<unknown>) => `${count} ${JSON.stringify(value)}`;

test("countBy gives each value of the selected records in order, and how many have it", () => {
  fc.assert(
    fc.property(scenario, (drawn) => {
      using _ = tuned({ fewRows: drawn.fewRows });
      const collection = collectionOf(drawn);
      const accepts = compileCriteria(Row, untyped(drawn.asked));
      const selected = [...collection].filter(accepts);
      // Asked twice: the second time an index may have become due.
      for (const field of [...fields, ...fields]) {
        const counts = new Map<string | null, number>();
        for (const record of selected) {
          counts.set(record[field], (counts.get(record[field]) ?? 0) + 1);
        }
        const { type } = Row.fields[field];
        const byValue = Array.from(counts, ([value, count]) => ({ value, count })).sort((a, b) =>
          compareTextForms(a.value, b.value, type),
        );
        const byCount = byValue.toSorted((a, b) => b.count - a.count);
        const { limit } = drawn;
        const asked = untyped(drawn.asked);
        expect(collection.countBy(field, asked)).toEqual(byValue);
        expect(collection.countBy(field, asked, { limit })).toEqual(byValue.slice(0, limit));
        expect(collection.countBy(field, asked, { limit, order: "count" }).map(key)).toEqual(
          byCount.slice(0, limit).map(key),
        );
      }
    }),
    settings(30),
  );
});

test("the bins of a histogram follow each other, and every selected record is counted once", () => {
  fc.assert(
    fc.property(scenario, (drawn) => {
      using _ = tuned({ fewRows: drawn.fewRows });
      const collection = collectionOf(drawn);
      const asked = untyped(drawn.asked);
      const selected = [...collection].filter(compileCriteria(Row, asked));
      const { bins, range } = drawn;
      const [from, to] = range?.toSorted((a, b) => a - b) ?? [];
      for (const field of [...ints, ...ints]) {
        const all = [...collection].flatMap(({ [field]: value }) =>
          value === null ? [] : [Number(value)],
        );
        const values = selected.map(({ [field]: value }) =>
          value === null ? null : Number(value),
        );
        const found = collection.histogram(field, { bins, criteria: asked, from, to });
        const within = (low: number, high: number) =>
          values.filter((value) => value !== null && value >= low && value <= high).length;
        expect(found.nulls).toBe(values.filter((value) => value === null).length);
        expect(found.bins.map(({ count }) => count)).toEqual(
          found.bins.map(({ from: low, to: high }) => within(low, high)),
        );
        expect(found.bins.length).toBeLessThanOrEqual(bins);
        const low = from ?? Math.min(...all);
        const high = to ?? Math.max(...all);
        if (found.bins.length === 0) expect(low).toBe(Infinity);
        else {
          expect([found.bins[0]?.from, found.bins.at(-1)?.to]).toEqual([low, high]);
          expect(found.below).toBe(within(-Infinity, low - 1));
          expect(found.above).toBe(within(high + 1, Infinity));
        }
        for (const [i, bin] of found.bins.entries()) {
          const before = found.bins[i - 1];
          if (before !== undefined) expect(bin.from - before.to).toBe(1);
        }
        // The distance of two safe integers need not be one.
        const widths = found.bins.map((bin) => BigInt(bin.to) - BigInt(bin.from) + 1n);
        expect(new Set(widths.slice(0, -1)).size).toBeLessThanOrEqual(1);
        const [first = 0n] = widths;
        expect((widths.at(-1) ?? 0n) <= first).toBe(true);
        const sum = found.bins.reduce((sum, { count }) => sum + count, 0);
        expect(sum + found.below + found.above + found.nulls).toBe(collection.count(asked));
      }
    }),
    settings(30),
  );
});

describe("counting", () => {
  const Ticket = wireSchema({
    id: int({ unique: true }),
    state: string({ oneOf: ["open", "closed"] }),
    votes: int({ nullable: true, searchable: false }),
  });
  const tickets = createCollection(Ticket, [
    { id: 1, state: "open", votes: 9 },
    { id: 2, state: "closed" },
    { id: 3, state: "open", votes: 10 },
  ]);

  test("takes any field, searchable or not, and null as a value", () => {
    expect(tickets.countBy("votes")).toEqual([
      { value: null, count: 1 },
      { value: "9", count: 1 },
      { value: "10", count: 1 },
    ]);
    expect(tickets.countBy("state", [["id", "less_than", 3]], { limit: 1 })).toEqual([
      { value: "closed", count: 1 },
    ]);
    expect(tickets.countBy("state", null, { order: "count", limit: 1 })).toEqual([
      { value: "open", count: 2 },
    ]);
    expect(tickets.countBy("state", [["id", "exactly", 9]])).toEqual([]);
    expect(tickets.countBy("state", [], { limit: 0 })).toEqual([]);
  });

  test("has no bins where no record has a value, unless they are given", () => {
    const none = createCollection(Ticket, [{ id: 1, state: "open" }]);
    expect(none.histogram("votes", { bins: 3 })).toEqual({
      bins: [],
      below: 0,
      above: 0,
      nulls: 1,
    });
    expect(none.histogram("votes", { bins: 2, from: 0, to: 2 }).bins).toEqual([
      { from: 0, to: 1, count: 0 },
      { from: 2, to: 2, count: 0 },
    ]);
    expect(tickets.histogram("votes", { bins: 3, from: 11 })).toEqual({
      bins: [],
      below: 2,
      above: 0,
      nulls: 1,
    });
    expect(tickets.histogram("votes", { bins: 3, to: 8 })).toEqual({
      bins: [],
      below: 0,
      above: 2,
      nulls: 1,
    });
  });

  test("refuses invalid input, and names it", () => {
    const reasons = [
      () => tickets.countBy(untyped("vote")),
      () => tickets.countBy(untyped("constructor")),
      () => tickets.countBy(untyped(5)),
      () => tickets.countBy("state", null, { limit: -1 }),
      () => tickets.countBy("state", null, { limit: untyped("2") }),
      () => tickets.countBy("state", null, { order: untyped("DESC") }),
      () => tickets.countBy("state", null, untyped({ most: 1 })),
      () => tickets.histogram(untyped("state"), { bins: 2 }),
      () => tickets.histogram("id", { bins: 0 }),
      () => tickets.histogram("id", { bins: 10_001 }),
      () => tickets.histogram("id", { bins: 1.5 }),
      () => tickets.histogram("id", untyped({})),
      () => tickets.histogram("id", { bins: 2, from: 2 ** 53 }),
      () => tickets.histogram("id", { bins: 2, from: 3, to: 2 }),
      () => tickets.histogram("id", untyped({ bins: 2, width: 5 })),
      () => tickets.countBy("state", null, untyped({ order: "sum" })),
      () => tickets.countBy("state", null, untyped({ order: "sum", summarize: "state" })),
      () => tickets.countBy("state", null, untyped({ summarize: "constructor" })),
      () => tickets.countBy("state", null, untyped({ ascending: 1 })),
      () => tickets.countBy("state", null, { prefix: 0 }),
      () => tickets.countBy("votes", null, untyped({ prefix: 1 })),
      () => tickets.histogram("id", untyped({ bins: 2, step: "day" })),
      () => tickets.histogram("id", untyped({ bins: 2, unit: "seconds" })),
      () => tickets.histogram("id", untyped({ step: "hour" })),
      () => tickets.histogram("id", untyped({ step: "day", unit: "minutes" })),
      () => tickets.histogram("id", untyped({ bins: 1, summarize: 5 })),
      () => tickets.histogram("id", { step: "day", from: 0, to: Number.MAX_SAFE_INTEGER }),
      () =>
        tickets.histogram("id", {
          step: "year",
          unit: "seconds",
          from: Number.MAX_SAFE_INTEGER - 1,
          to: Number.MAX_SAFE_INTEGER,
        }),
      () => tickets.histogram("id", { step: "day", from: 0, to: 10_000 * 86_400_000 }),
    ].map((attempt) => {
      try {
        return attempt();
      } catch (error) {
        return error instanceof InputError ? error.message : error;
      }
    });
    expect(reasons).toEqual([
      'field: unknown field "vote"; did you mean "votes"?',
      'field: unknown field "constructor"',
      "field: unknown field 5",
      "options.limit: must be a non-negative integer, not -1",
      'options.limit: must be a non-negative integer, not "2"',
      'options.order: must be "value", "count", "sum", "minimum", "maximum" or "mean", not "DESC"',
      'options: has no member "most"; use "limit", "order", "ascending", "summarize" or "prefix"',
      'field: must be an int or float field, not "state"',
      "options.bins: must be an integer from 1 to 10000, not 0",
      "options.bins: must be an integer from 1 to 10000, not 10001",
      "options.bins: must be an integer from 1 to 10000, not 1.5",
      "options.bins: must be an integer from 1 to 10000, unless options.step is given",
      "options.from: must be a safe integer, not 9007199254740992",
      "options.to: must not be below options.from, which is 3",
      'options: has no member "width"; use "bins", "step", "unit", "zone", "criteria", "from", "to" or "summarize"',
      'options.order: "sum" needs options.summarize, the name of an int or float field',
      'options.summarize: must be an int or float field, not "state"',
      'options.summarize: unknown field "constructor"',
      "options.ascending: must be true or false, not 1",
      "options.prefix: must be a positive integer, not 0",
      'options.prefix: must be omitted: "votes" is not a string field',
      "options.bins: must be omitted if options.step is given",
      "options.unit: needs options.step",
      'options.step: must be "day", "week", "month", "quarter" or "year", not "hour"',
      'options.unit: must be "seconds" or "milliseconds", not "minutes"',
      "options.summarize: unknown field 5",
      "options.step: from 0 to 9007199254740991 milliseconds, there are more than 10000 bins; use a longer step, or options.from and options.to",
      "options.step: from 9007199254740990 to 9007199254740991 seconds after the start of 1970 is outside the range of JavaScript dates; use another unit, or options.from and options.to",
      "options.step: from 0 to 864000000000 milliseconds, there are more than 10000 bins; use a longer step, or options.from and options.to",
    ]);
    const unsearchable = untyped([["votes", "exactly", 1]]);
    expect(() => tickets.countBy("id", unsearchable)).toThrow(CriteriaError);
    expect(() => tickets.histogram("id", { bins: 1, criteria: unsearchable })).toThrow(
      CriteriaError,
    );
  });

  test("builds the index that it lacks once reading values has cost as much", () => {
    const many = createCollection(
      Ticket,
      Array.from({ length: 2000 }, (_, id) => ({ id, state: "open" as const, votes: id % 7 })),
    );
    many.countBy("state");
    expect(many.indexes()).toEqual([]);
    for (let i = 0; i < 20; i++) many.countBy("state");
    for (let i = 0; i < 20; i++) many.histogram("votes", { bins: 3 });
    const ordered = many.indexes().filter(({ kind }) => kind === "ordered");
    expect(ordered.map(({ field }) => field)).toEqual(["state", "votes"]);
  });

  const manyTickets = createCollection(
    Ticket,
    Array.from({ length: 2000 }, (_, id) => ({ id, state: "open" as const, votes: id % 7 })),
  ).prepare({ match: ["id", "state", "votes"] });

  test("of all records is done once; the kept result can't be changed", () => {
    const [values, histogram] = [
      manyTickets.countBy("state"),
      manyTickets.histogram("votes", { bins: 3 }),
    ];
    expect(values).toEqual([{ value: "open", count: 2000 }]);
    expect(manyTickets.countBy("state")).toBe(values);
    expect(manyTickets.countBy("state", null)).toBe(values);
    expect(manyTickets.histogram("votes", { bins: 3, criteria: null })).toBe(histogram);
    for (const given of [values, values[0], histogram, histogram.bins, histogram.bins[0]]) {
      expect(Object.isFrozen(given)).toBe(true);
    }
  });

  test("of all records gives no other question the same answer", () => {
    manyTickets.countBy("state");
    expect(manyTickets.countBy("state", null, { prefix: 1, summarize: "votes" })).toEqual([
      { value: "o", count: 2000, sum: 5995, minimum: 0, maximum: 6, mean: 2.9975 },
    ]);
    manyTickets.histogram("id", { bins: 1 });
    expect(manyTickets.histogram("id", { bins: 1, summarize: "votes" }).bins).toEqual([
      { from: 0, to: 1999, count: 2000, sum: 5995, minimum: 0, maximum: 6, mean: 2.9975 },
    ]);
    expect(manyTickets.histogram("id", { step: "day", unit: "seconds" }).bins).toEqual([
      { from: 0, to: 86_399, count: 2000 },
    ]);
    expect(manyTickets.histogram("id", { step: "day" }).bins).toEqual([
      { from: 0, to: 86_399_999, count: 2000 },
    ]);
    manyTickets.summary("id");
    expect(manyTickets.summary("id", null, { quantiles: [0.5] }).quantiles).toEqual([999]);
    const few = [["id", "less_than", 3]] as const;
    expect(manyTickets.countBy("state", few)).toEqual([{ value: "open", count: 3 }]);
    expect(manyTickets.countBy("state", null, { limit: 0 })).toEqual([]);
    expect(manyTickets.countBy("votes")).toHaveLength(7);
    const edges = (options: { bins: number; from?: number; to?: number; criteria?: typeof few }) =>
      manyTickets
        .histogram("votes", options)
        .bins.map(({ from, to, count }) => [from, to, count].join(" "));
    expect(edges({ bins: 2 })).toEqual(["0 3 1144", "4 6 856"]);
    expect(edges({ bins: 1 })).toEqual(["0 6 2000"]);
    expect(edges({ bins: 1, from: 3 })).toEqual(["3 6 1142"]);
    expect(edges({ bins: 1, to: 3 })).toEqual(["0 3 1144"]);
    expect(edges({ bins: 1, criteria: few })).toEqual(["0 6 3"]);
    expect(edges({ bins: 1 })).toEqual(["0 6 2000"]);
    expect(() => manyTickets.histogram("votes", untyped({ bins: 1, width: 7 }))).toThrow(
      'options: has no member "width"',
    );
    const broken = {
      get bins(): number {
        throw new Error("no");
      },
    };
    expect(() => manyTickets.histogram("votes", broken)).toThrow("options: could not be read");
    expect(() => manyTickets.histogram("votes", untyped(null))).toThrow(InputError);
    expect(manyTickets.histogram("id", { bins: 1 }).bins).toEqual([
      { from: 0, to: 1999, count: 2000 },
    ]);
  });

  test("in the same bins again and again, as under a brush, follows the criteria each time", () => {
    const Point = wireSchema({ x: int(), y: int() });
    const points = createCollection(
      Point,
      Array.from({ length: 2000 }, (_, x) => ({ x, y: (x * 7919) % 1009 })),
    ).prepare({ match: ["x", "y"] });
    const changed = points.update([["x", "less_than", 9]], (draft) => void (draft.y = "5"));
    for (const collection of [points, changed]) {
      const records = [...collection].map(({ x, y }) => ({ x: Number(x), y: Number(y) }));
      // As many bins elsewhere, and more than a byte has values.
      for (const [bins, from] of [
        [3, 0],
        [3, 500],
        [7, 0],
        [400, 0],
      ] as const) {
        for (const most of [900, 600, 300, 20]) {
          const { bins: found } = collection.histogram("x", {
            bins,
            from,
            criteria: [["y", "less_than", most]],
          });
          const selected = records.filter(({ x, y }) => x >= from && y < most);
          const counts = found.map(() => 0);
          for (const { x } of selected) {
            const at = found.findIndex(({ to }) => x <= to);
            counts[at] = (counts[at] ?? 0) + 1;
          }
          expect(found.map(({ count }) => count)).toEqual(counts);
        }
      }
    }
  });

  test("of all records follows a change, and long results are not kept", () => {
    using _ = tuned({ ...usual, mostKeptBytes: 2 ** 20 });
    manyTickets.countBy("state");
    const changed = manyTickets.update(
      [["id", "less_than", 5]],
      (draft) => void (draft.state = "closed"),
    );
    expect(changed.countBy("state")).toEqual([
      { value: "closed", count: 5 },
      { value: "open", count: 1995 },
    ]);
    expect(manyTickets.countBy("state")).toEqual([{ value: "open", count: 2000 }]);
    const [long, again] = [manyTickets.countBy("id"), manyTickets.countBy("id")];
    expect(long).toHaveLength(2000);
    expect(again).not.toBe(long);
    const [fine, anew] = [1, 2].map(() => manyTickets.histogram("id", { bins: 1001 }));
    expect(fine?.bins).toHaveLength(1000);
    expect(anew).toBe(fine);
    const finer = [1, 2].map(() => manyTickets.histogram("id", { bins: 2000 }));
    expect(finer[0]?.bins).toHaveLength(2000);
    expect(finer[0]).not.toBe(finer[1]);
  });

  test("works on the Files and the Batches of a service, List Fields included", () => {
    const service = createService({
      files: [1, 2, 3].map((id) => aFile(id, { size: id * 10 })),
      batches: [
        {
          id: 7,
          lists: [
            {
              id: 1,
              fields: ["City"],
              contacts: [1, 2].map((id) => ({ ...aContact(id), fields: { City: "Bern" } })),
            },
            { id: 2, contacts: [{ ...aContact(3), open_count: 4 }] },
          ],
        },
      ],
    });
    expect(service.files.histogram("size", { bins: 2 }).bins).toEqual([
      { from: 10, to: 20, count: 2 },
      { from: 21, to: 30, count: 1 },
    ]);
    const contacts = service.batches["7"]?.contacts;
    expect(contacts?.countBy(untyped("City"))).toEqual([
      { value: null, count: 1 },
      { value: "Bern", count: 2 },
    ]);
    expect(contacts?.countBy("open_count", [["open_count", "greater_than", 0]])).toEqual([
      { value: "4", count: 1 },
    ]);
  });
});
