// Sums by group, calendar bins, summaries and quantiles, compared with plain computations over the records that the
// predicate accepts: in objects, columns and opened files, after changes.

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  compileCriteria,
  createCollection,
  defineSchema,
  float,
  InputError,
  int,
  string,
  strings,
  boolean,
  type Schema,
} from "../../src/index.ts";
import { criteria } from "../../src/testing/index.ts";
import { groupsOf, stepOf, summaryOf, totalsOf } from "../../src/testing/reference-aggregates.ts";
import { storedForm } from "../../src/testing/arbitraries/values.ts";
import { reopened, reopenings } from "../arrow/reopened.ts";
import { settings } from "../property.ts";
import { textFormOf } from "../reference-page.ts";
import { untyped } from "../rules/fixtures.ts";
import { tuned } from "../tuned.ts";
import { wireSchema } from "../wire-schema.ts";
import { fewOrMany } from "./few-or-many.ts";
import { parts, wholes } from "./numbers.ts";

const fields = {
  id: int({ unique: true }),
  text: string({ nullable: true }),
  whole: int({ nullable: true }),
  part: float({ nullable: true }),
  group: string(),
  flag: boolean({ nullable: true }),
  ["__proto__"]: string({ default: "constructor" }),
  "2024": int({ default: 0 }),
};
const Row = defineSchema(fields);
const WireRow = wireSchema(fields);
const names = ["id", "text", "whole", "part", "group", "flag", "__proto__", "2024"] as const;
const numeric = ["id", "whole", "part", "2024"] as const;

const texts = fc.oneof(
  fc.constantFrom("", "a", "ab", "abc", "abcd", "0", "__proto__", "constructor", "\uffff", "\0"),
  fc.constantFrom("2024-01-31", "2024-02-01T00:00:00Z", "2024-02", "2024", "\u{10000}", "a\0b"),
  fc.string({ unit: fc.constantFrom("a", "b", "\u{1f600}", "\uffff"), maxLength: 5 }),
);
const row = fc.record({
  text: fc.option(texts),
  whole: fc.option(wholes),
  part: fc.option(parts),
  group: fc.constantFrom("x", "y", ""),
  flag: fc.option(fc.boolean()),
  "2024": fc.constantFrom(0, 1, -1),
});
/** Few, many alike, all distinct, one value. */
const rows = fc
  .oneof(
    { weight: 3, arbitrary: fewOrMany(row) },
    fc.record({ some: row, length: fc.nat({ max: 200 }) }).map(({ some, length }) =>
      Array.from({ length }, (_, i) => ({
        ...some,
        text: `a${(i * 31) % 200}`,
        whole: ((i * 77) % 200) - 100,
      })),
    ),
  )
  .map((some) => some.map((each, id) => ({ ...each, id })));

const shares = fc.oneof(
  fc.constantFrom(0, 0.07, 0.1, 0.29, 0.5, 0.99, 0.999, 1, 5e-324, 1 - 2 ** -53),
  fc.double({ min: 0, max: 1, noNaN: true }),
);

const scenario = rows.chain((given) =>
  fc.record({
    given: fc.constant(given),
    schema: fc.constantFrom(Row, WireRow),
    asked: fc.oneof(fc.constant(null), criteria(Row, { records: given })),
    prepared: fc.subarray([...names]),
    indexes: fc.constantFrom("auto" as const, "none" as const),
    fewRows: fc.constantFrom(0, 64),
    sparsePart: fc.constantFrom(0, 1, 32, 1e9),
    opening: fc.option(fc.constantFrom(...reopenings), { nil: undefined }),
    removed: fc.array(fc.nat({ max: 300 }), { maxLength: 30 }),
    changed: fc.array(fc.nat({ max: 300 }), { maxLength: 20 }),
    inserted: fc.array(row, { maxLength: 20 }),
    listing: fc.record(
      {
        limit: fc.nat({ max: 6 }),
        order: fc.constantFrom("value", "count", "sum", "minimum", "maximum", "mean"),
        ascending: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    summarize: fc.constantFrom(...numeric),
    prefix: fc.integer({ min: 1, max: 8 }),
    quantiles: fc.array(shares, { maxLength: 4 }),
    bins: fc.integer({ min: 1, max: 9 }),
  }),
);

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

function collectionOf({ given, schema, prepared, opening, ...more }: Scenario) {
  const { indexes, removed, changed, inserted } = more;
  const made = createCollection(schema, given, { indexes });
  return (opening === undefined ? made : reopened(made, opening))
    .prepare({ sort: prepared })
    .remove([["id", "in", removed]])
    .update([["id", "in", changed]], { text: "new", whole: 7, part: null })
    .insert(inserted.map((each, i) => ({ ...each, id: 1000 + i })));
}

/** The records that the predicate accepts, in wire form. */
function selectedOf(collection: Iterable<object> & { schema: Schema }, asked: unknown) {
  const accepts = compileCriteria(collection.schema, untyped(asked));
  return [...collection]
    .filter((record) => accepts(untyped(record)))
    .map((record) => ({
      values: new Map(Object.entries(textFormOf(collection.schema, record))),
    }));
}

/** @param check gets a collection, and the records in it that the criteria select */
function inEachScenario(
  runs: number,
  check: (
    drawn: Scenario,
    collection: ReturnType<typeof collectionOf>,
    selected: ReturnType<typeof selectedOf>,
  ) => void,
): void {
  fc.assert(
    fc.property(scenario, (drawn) => {
      using _ = tuned({ fewRows: drawn.fewRows, sparsePart: drawn.sparsePart });
      const collection = collectionOf(drawn);
      check(drawn, collection, selectedOf(collection, drawn.asked));
    }),
    settings(runs),
  );
}

test("countBy gives the totals of each value, or of each prefix, in any order", () => {
  inEachScenario(30, (drawn, collection, selected) => {
    // Asked twice: the second time an index may have become due.
    for (const name of [...names, ...names]) {
      const field = Row.fields[name];
      const isPrefixed = field.type === "string";
      for (const prefix of [undefined, ...(isPrefixed ? [drawn.prefix] : [])]) {
        const options = { ...drawn.listing, summarize: drawn.summarize, prefix };
        const expected = groupsOf(selected, name, field.type, untyped(options));
        const found = collection.countBy(name, untyped(drawn.asked), untyped(options));
        expect(found).toEqual(
          expected.map((each) => ({
            ...each,
            value: storedForm(drawn.schema, field, each.value),
          })),
        );
      }
    }
  });
});

test("a record is in the totals of each of its elements, once, whatever the numbers", () => {
  const Tagged = defineSchema({
    id: int({ unique: true }),
    tags: strings({ nullable: true }),
    whole: int({ nullable: true }),
    part: float({ nullable: true }),
  });
  const tagged = fc.record({
    tags: fc.option(fc.array(fc.constantFrom("a", "b", "", "\u{10000}"), { maxLength: 4 })),
    whole: fc.option(wholes),
    part: fc.option(parts),
  });
  fc.assert(
    fc.property(
      fc.array(tagged, { maxLength: 60, size: "max" }),
      fc.constantFrom("whole" as const, "part" as const),
      fc.constantFrom("value", "count", "sum", "minimum", "maximum", "mean"),
      fc.constantFrom(0, 1e9),
      fc.option(fc.constantFrom(...reopenings), { nil: undefined }),
      (records, summarize, order, sparsePart, opening) => {
        using _ = tuned({ sparsePart });
        const made = createCollection(
          Tagged,
          records.map((each, id) => ({ ...each, id })),
        );
        const opened = opening === undefined ? made : reopened(made, opening);
        for (const rows of [opened, opened.prepare({ match: ["tags"] })]) {
          for (const asked of [null, [["tags", "has", "a"]]] as const) {
            const options = { order, summarize };
            expect(rows.countBy("tags", untyped(asked), untyped(options))).toEqual(
              groupsOf(selectedOf(rows, asked), "tags", "strings", untyped(options)),
            );
          }
        }
      },
    ),
    settings(60),
  );
});

test("prefixes are counted without a field to summarize, too", () => {
  inEachScenario(30, (drawn, collection, selected) => {
    const { prefix } = drawn;
    for (const order of ["value", "count"] as const) {
      const options = { ...drawn.listing, order, prefix };
      for (const name of ["text", "group", "__proto__", "text"] as const) {
        expect(collection.countBy(name, untyped(drawn.asked), options)).toEqual(
          groupsOf(selected, name, "string", options),
        );
      }
    }
  });
});

test("a summary has the distinct values, and each quantile", () => {
  inEachScenario(30, (drawn, collection, selected) => {
    for (const name of [...names, ...names]) {
      const { type } = Row.fields[name];
      const { quantiles } = drawn;
      const options = type === "int" || type === "float" ? { quantiles } : undefined;
      expect(collection.summary(name, untyped(drawn.asked), untyped(options))).toEqual(
        summaryOf(selected, name, type, options?.quantiles),
      );
    }
  });
});

test("the bins of a histogram have the totals of their records", () => {
  inEachScenario(20, (drawn, collection, selected) => {
    const { bins, summarize } = drawn;
    for (const name of ["id", "whole", "2024", "whole"] as const) {
      const options = { bins, summarize, criteria: untyped(drawn.asked) };
      for (const { from, to, count, ...totals } of collection.histogram(name, options).bins) {
        const within = selected.filter(({ values }) => {
          const value = values.get(name) ?? null;
          return value !== null && Number(value) >= from && Number(value) <= to;
        });
        const numbers = within.flatMap(({ values }) => {
          const value = values.get(summarize) ?? null;
          return value === null ? [] : [Number(value)];
        });
        expect({ count, ...totals }).toEqual({ count: within.length, ...totalsOf(numbers) });
      }
    }
  });
});

const STEPS = ["day", "week", "month", "quarter", "year"] as const;

test("a calendar step has the records of its days in UTC, and begins where they do", () => {
  const time = fc.oneof(
    fc.integer({ min: Date.UTC(1996, 1, 20), max: Date.UTC(2004, 2, 5) }),
    fc.constantFrom(0, -1, 1, Date.UTC(2000, 1, 29), Date.UTC(2000, 2, 1) - 1),
    fc.constantFrom(Date.UTC(1999, 11, 31), Date.UTC(2000, 0, 3), Date.UTC(2000, 0, 3) - 1),
    fc
      .date({ min: new Date("0001-01-05"), max: new Date("0130-01-01"), noInvalidDate: true })
      .map(Number),
  );
  const Event = defineSchema({ at: int({ nullable: true }), seconds: float(), n: int() });
  fc.assert(
    fc.property(
      fc.record({
        times: fc.array(time, { minLength: 1, maxLength: 30 }),
        step: fc.constantFrom(...STEPS),
        spread: fc.constantFrom(1, 3),
        isPrepared: fc.boolean(),
        range: fc.option(fc.tuple(fc.nat({ max: 40 }), fc.nat({ max: 40 })), { nil: undefined }),
      }),
      ({ times, step, spread, isPrepared, range }) => {
        // No more days than there may be bins.
        const [first = 0] = times;
        const near = times.map((each) => first + Math.trunc((each - first) / 128 / spread));
        const records = near.map((at, n) => ({ at, seconds: at / 1000, n }));
        const events = createCollection(Event, [
          ...records,
          { at: null, seconds: first / 1000, n: 0 },
        ]);
        if (isPrepared) events.prepare({ sort: ["at", "seconds"] });
        for (const [field, unit] of [
          ["at", undefined],
          ["seconds", "seconds"],
        ] as const) {
          const scale = unit === "seconds" ? 1000 : 1;
          const DAY = 86_400_000 / scale;
          const [low, length] = range ?? [];
          const from = low === undefined ? undefined : Math.floor(first / scale - low * DAY);
          const to = from === undefined ? undefined : from + (length ?? 0) * DAY;
          const options = { step, unit, summarize: "n" as const, from, to };
          const found = events.histogram(field, options);
          const own = [...events].flatMap(({ [field]: at, n }) => (at === null ? [] : [{ at, n }]));
          let [next, total] = [found.bins[0]?.from, found.below + found.above + found.nulls];
          for (const [i, bin] of found.bins.entries()) {
            const label = stepOf(step, bin.from * scale);
            expect(bin.from).toBe(next);
            expect(stepOf(step, (bin.from - 1) * scale)).not.toBe(label);
            next = field === "at" ? bin.to + 1 : bin.to;
            const within = own.filter(({ at }) => stepOf(step, Math.floor(at * scale)) === label);
            const { count, ...totals } = { ...bin, from: 0, to: 0 };
            expect(totals).toEqual({ from: 0, to: 0, ...totalsOf(within.map(({ n }) => n)) });
            expect(count).toBe(within.length);
            if (i === 0 && from !== undefined) expect(label).toBe(stepOf(step, from * scale));
            total += count;
          }
          const last = found.bins.at(-1);
          if (to !== undefined && last !== undefined)
            expect(stepOf(step, last.from * scale)).toBe(stepOf(step, to * scale));
          expect(total).toBe(events.size);
        }
      },
    ),
    settings(60),
  );
});

test("columns have the values of the selected records, and codes in the order of values", () => {
  inEachScenario(30, (drawn, collection, selected) => {
    const { schema } = drawn;
    // Asked twice: the second time an index may have become due.
    for (const listed of [names, names.toReversed()]) {
      const columns = collection.columns(listed, untyped(drawn.asked));
      const read = columns.map((column) =>
        Array.from(column.codes, (code): unknown => column.valueAt(code)),
      );
      const records = selected.map((_, i) => read.map((values) => values[i]));
      const expected = selected.map(({ values }) =>
        listed.map((name) => storedForm(schema, Row.fields[name], values.get(name) ?? null)),
      );
      const inOrder = (some: readonly unknown[]) => some.map((each) => JSON.stringify(each)).sort();
      expect(inOrder(records)).toEqual(inOrder(expected));
      for (const [at, column] of columns.entries()) {
        const { codes, distinct, numbers } = column;
        const values = Array.from({ length: distinct }, (_, code): unknown => column.valueAt(code));
        const name = listed[at] ?? "id";
        expect(values).toEqual(
          collection.countBy(name, untyped(drawn.asked)).map(({ value }) => value),
        );
        expect(new Set(codes).size).toBe(distinct);
        const isNumeric = numeric.some((each) => each === name);
        expect(numbers && [...numbers]).toEqual(
          isNumeric ? values.map((value) => (value === null ? NaN : Number(value))) : undefined,
        );
      }
    }
  });
});

test("columns refuse what is no list of fields, and codes that they do not have", () => {
  const collection = createCollection(Row, []);
  expect(() => collection.columns(untyped("text"))).toThrow("fields: must be an array of names");
  expect(() => collection.columns(["id", untyped("txt")])).toThrow("fields[1]");
  const [column] = collection.columns(["id"]);
  expect(column.codes).toHaveLength(0);
  for (const code of [0, -1, 0.5, NaN]) expect(() => column.valueAt(code)).toThrow(InputError);
});
