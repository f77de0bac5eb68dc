// Groups by several keys with any measures, compared with a plain computation over the records that the predicate
// accepts: in objects, columns and opened files, after changes.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  boolean,
  compileCriteria,
  createCollection,
  createDatabase,
  defineSchema,
  float,
  InputError,
  int,
  string,
  strings,
  time,
  type GroupColumns,
  type GroupQuery,
  type Measure,
} from "../../src/index.ts";
import { criteria } from "../../src/testing/index.ts";
import {
  compareFound,
  referenceGroups,
  type ReferenceKey,
  type ReferenceMeasure,
} from "../../src/testing/reference-groups.ts";
import { reopened, reopenings } from "../arrow/reopened.ts";
import { settings } from "../property.ts";
import { textFormOf } from "../reference-page.ts";
import { untyped } from "../rules/fixtures.ts";
import { smallest, tuned } from "../tuned.ts";
import { fewOrMany } from "./few-or-many.ts";
import { parts, wholes } from "./numbers.ts";

const Row = defineSchema({
  id: int({ unique: true }),
  text: string({ nullable: true }),
  whole: int({ nullable: true }),
  part: float({ nullable: true }),
  kind: string({ ignoreCase: true }),
  flag: boolean({ nullable: true }),
  tags: strings({ nullable: true }),
  at: int({ nullable: true }),
  ["__proto__"]: string({ default: "constructor" }),
  "2024": int({ default: 0 }),
});
type Row = typeof Row;
const names = Object.keys(Row.fields) as (keyof typeof Row.fields)[];

const texts = fc.oneof(
  fc.constantFrom("", "a", "ab", "abc", "0", "__proto__", "constructor", "\uffff", "\u{10000}"),
  fc.string({ unit: fc.constantFrom("a", "b", "\u{1f600}", "\uffff"), maxLength: 4 }),
);
const row = fc.record({
  text: fc.option(texts),
  whole: fc.option(wholes),
  part: fc.option(parts),
  kind: fc.constantFrom("x", "X", "y", ""),
  flag: fc.option(fc.boolean()),
  tags: fc.option(fc.array(texts, { maxLength: 3 })),
  at: fc.option(fc.integer({ min: -5e9, max: 5e9 })),
  "2024": fc.constantFrom(0, 1, -1),
});
const rows = fewOrMany(row).map((some) => some.map((each, id) => ({ ...each, id })));

/** A key as a query names it, and as the reference does. */
interface DrawnKey {
  readonly asked: object;
  readonly reference: ReferenceKey;
}

const DAY = 86_400;
const whole = fc.constantFrom(...names).map((field): DrawnKey => {
  const { type } = Row.fields[field];
  return { asked: { field }, reference: { field, type } };
});
const prefix = fc.integer({ min: 1, max: 3 }).map((most): DrawnKey => {
  const cut = (value: string | number) => Array.from(String(value)).slice(0, most).join("");
  return {
    asked: { field: "text", prefix: most },
    reference: { field: "text", type: "string", cut },
  };
});
const edges = fc
  .uniqueArray(fc.constantFrom(-1e9, -2, 0, 0.5, 1, 3, 1e300), { minLength: 1, maxLength: 4 })
  .map((some): DrawnKey => {
    const sorted = some.sort((a, b) => a - b);
    const cut = (value: string | number) =>
      sorted.findLast((edge) => edge <= Number(value)) ?? -Infinity;
    return {
      asked: { field: "part", edges: sorted },
      reference: { field: "part", type: "float", cut },
    };
  });
/** Widths with which no quotient is rounded. */
const width = fc.constantFrom(1, 2, 7, 1e6).map((own): DrawnKey => {
  const cut = (value: string | number) => Math.floor(Number(value) / own) * own;
  return { asked: { field: "at", width: own }, reference: { field: "at", type: "int", cut } };
});
const steps: Readonly<Record<string, (seconds: number) => number>> = {
  minute: (time) => Math.floor(time / 60) * 60,
  hour: (time) => Math.floor(time / 3600) * 3600,
  day: (time) => Math.floor(time / DAY) * DAY,
  week: (time) => (Math.floor((time / DAY + 3) / 7) * 7 - 3) * DAY,
  month: (time) => Date.parse(new Date(time * 1000).toISOString().slice(0, 7)) / 1000,
  year: (time) => Date.parse(new Date(time * 1000).toISOString().slice(0, 4)) / 1000,
  weekday: (time) => ((new Date(time * 1000).getUTCDay() + 6) % 7) + 1,
  hourOfDay: (time) => new Date(time * 1000).getUTCHours(),
};
const step = fc.constantFrom(...Object.entries(steps)).map(([name, of]): DrawnKey => {
  const asked = { field: "at", step: name, unit: "seconds" };
  return { asked, reference: { field: "at", type: "int", cut: (value) => of(Number(value)) } };
});
const keys = fc
  .array(fc.oneof(whole, prefix, edges, width, step), { minLength: 1, maxLength: 3 })
  .filter((some) => some.filter(({ reference }) => reference.type === "strings").length < 2);

const shares = fc.constantFrom(0, 0.07, 0.29, 0.5, 0.999, 1);
const numeric = fc.constantFrom("id", "whole", "part", "at", "2024");
const ordered = fc.constantFrom(...names.filter((name) => name !== "tags"));
const measure: fc.Arbitrary<unknown> = fc.oneof(
  fc.constant("count"),
  fc.tuple(fc.constantFrom("sum", "mean", "variance", "deviation"), numeric),
  fc.tuple(fc.constantFrom("minimum", "maximum"), ordered),
  fc.tuple(fc.constantFrom("count", "distinct"), fc.constantFrom(...names)),
  fc.tuple(fc.constant("quantile"), numeric, shares),
);

const scenario = rows.chain((given) =>
  fc.record({
    given: fc.constant(given),
    asked: fc.oneof(fc.constant(null), criteria(Row, { records: given })),
    prepared: fc.subarray([...names]),
    indexes: fc.constantFrom("auto" as const, "none" as const),
    opening: fc.option(fc.constantFrom(...reopenings), { nil: undefined }),
    isSmall: fc.boolean(),
    removed: fc.array(fc.nat({ max: 100 }), { maxLength: 10 }),
    changed: fc.array(fc.nat({ max: 100 }), { maxLength: 10 }),
    inserted: fc.array(row, { maxLength: 10 }),
    keys,
    measures: fc.array(measure, { minLength: 1, maxLength: 4 }),
    least: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
    sort: fc.array(fc.tuple(fc.nat(), fc.constantFrom("ASC", "DESC")), { maxLength: 2 }),
    limit: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
    offset: fc.nat({ max: 2 }),
  }),
);

test("equals the groups of the records that the predicate accepts", () => {
  fc.assert(
    fc.property(scenario, (drawn) => {
      using _ = tuned(drawn.isSmall ? smallest : {});
      const { given, indexes, opening, removed, changed, inserted, prepared } = drawn;
      const made = createCollection(Row, given, { indexes });
      const collection = (opening === undefined ? made : reopened(made, opening))
        .prepare({ match: prepared })
        .remove([["id", "in", removed]])
        .update([["id", "in", changed]], { text: "new", whole: 7, part: null, tags: ["new", "a"] })
        .insert(inserted.map((each, i) => ({ ...each, id: 1000 + i })));
      const accepts = compileCriteria(Row, untyped(drawn.asked));
      const selected = [...collection]
        .filter((record) => accepts(untyped(record)))
        .map((record) => ({ values: new Map(Object.entries(textFormOf(Row, record))) }));

      const typeOf = (field: string) => Row.fields[field as keyof typeof Row.fields].type;
      const measures = drawn.measures.map((each): ReferenceMeasure => {
        if (!Array.isArray(each)) return "count";
        const [aggregate, field, share] = each as [string, string, number | undefined];
        return [aggregate, field, typeOf(field), share];
      });
      const isKind = ({ reference }: DrawnKey) => reference.field === "kind";
      const references = drawn.keys.map((key) =>
        isKind(key)
          ? { ...key.reference, cut: (value: string | number) => String(value).toLowerCase() }
          : key.reference,
      );
      const folded = selected.map(({ values }) => ({
        values: new Map([...values, ["kind", values.get("kind")?.toLowerCase() ?? null]]),
      }));
      const columns = drawn.keys.length + measures.length;
      const sort = new Map(drawn.sort.map(([place, order]) => [place % columns, order]));
      const groups = referenceGroups(folded, references, ["count", ...measures])
        .filter(({ found }) => drawn.least === undefined || Number(found[0]) >= drawn.least)
        .map(({ keys: own, found }) => [...own, ...found.slice(1)]);
      const compare = (a: (typeof groups)[number], b: (typeof groups)[number]) => {
        for (const [place, order] of sort) {
          const by = compareFound(a[place] ?? null, b[place] ?? null);
          if (by !== 0) return order === "ASC" ? by : -by;
        }
        return 0;
      };
      const { limit = Infinity, offset } = drawn;
      const expected = groups.sort(compare).slice(offset, offset + limit);

      const nameOf = (place: number) =>
        place < drawn.keys.length ? `key ${place}` : `found ${place - drawn.keys.length}`;
      const query = {
        by: drawn.keys.map(({ asked }, i) => ({ ...asked, as: nameOf(i) })),
        measures: {
          ...Object.fromEntries(drawn.measures.map((each, i) => [`found ${i}`, each])),
          ...(drawn.least === undefined ? {} : { all: "count" }),
        },
        criteria: drawn.asked,
        having: drawn.least === undefined ? undefined : [["all", "at_least", drawn.least]],
        sort: Array.from(sort, ([place, order]) => [nameOf(place), order]),
        limit: drawn.limit,
        offset,
      };
      const found = collection.groupBy(untyped(query));
      const textOf = (value: unknown) => (typeof value === "boolean" ? String(value) : value);
      expect(
        found.map((group: object) =>
          Array.from({ length: columns }, (_, i) => textOf(Reflect.get(group, nameOf(i)))),
        ),
      ).toEqual(expected);

      const asColumns: GroupColumns = collection.groupColumns(untyped(query));
      expect(Array.from({ length: asColumns.size }, (_, i) => asColumns.at(i))).toEqual(found);
      // All groups, each of whose records is in no other.
      const all: GroupColumns = collection.groupColumns(
        untyped({ ...query, having: undefined, limit: undefined, offset: 0 }),
      );
      const areApart = drawn.keys.every(({ reference }) => reference.type !== "strings");
      const [whole] = referenceGroups(folded, [], measures);
      measures.forEach((measure, i) => {
        const name = nameOf(drawn.keys.length + i);
        const [aggregate, , type = "int"] = measure;
        const isValue = aggregate === "minimum" || aggregate === "maximum";
        if (isValue && type !== "int" && type !== "float") {
          expect(() => asColumns.numbers(name)).toThrow(InputError);
          expect(() => asColumns.total(name)).toThrow(InputError);
          return;
        }
        const numbers = found.map((group) => Number(Reflect.get(group, name) ?? NaN));
        expect([...asColumns.numbers(name)]).toEqual(numbers);
        if (areApart && whole !== undefined) expect(all.total(name)).toEqual(whole.found[i]);
      });
    }),
    settings(250),
  );
});

const Sale = defineSchema({
  id: int({ unique: true }),
  shop: string(),
  net: float({ nullable: true }),
  tags: strings(),
  labels: strings(),
  at: int(),
});
const sales = createCollection(Sale, [
  { id: 1, shop: "N", net: 10, tags: ["a", "b"], labels: [], at: 0 },
  { id: 2, shop: "N", net: null, tags: ["a"], labels: [], at: 3_600_000 },
  { id: 3, shop: "S", net: 4, tags: [], labels: [], at: -1 },
]);

test("the default is to count the records of each group", () => {
  expect(sales.groupBy({ by: "shop" })).toEqual([
    { shop: "N", count: 2 },
    { shop: "S", count: 1 },
  ]);
  const [group] = sales.groupBy({ by: ["tags", "shop"], summarize: ["net"] });
  expect(group).toEqual({
    tags: "a",
    shop: "N",
    net: { sum: 10, minimum: 10, maximum: 10, mean: 10 },
  });
  expect(Object.isFrozen(group)).toBe(true);
});

test("groups as columns", () => {
  const measures = { records: "count", net: ["sum", "net"], first: ["minimum", "net"] } as const;
  const shops = sales.groupColumns({ by: "shop", measures, sort: [["net", "ASC"]] });
  expect([shops.size, shops.at(0)]).toEqual([2, { shop: "S", records: 1, net: 4, first: 4 }]);
  expect(shops.numbers("net")).toEqual(Float64Array.of(4, 10));
  expect([shops.total("records"), shops.total("net"), shops.total("first")]).toEqual([3, 14, 4]);
  // A record counts for each of its tags.
  const tags = sales.groupColumns({ by: "tags", measures });
  expect([...tags.numbers("records")]).toEqual([2, 1]);
  expect([tags.total("records"), tags.total("net")]).toEqual([3, 20]);
  const none = sales.groupColumns({ by: "shop", measures, criteria: [["id", "exactly", 9]] });
  expect([none.size, none.total("records"), none.total("net"), none.total("first")]).toEqual([
    ...[0, 0, 0, null],
  ]);
  for (const position of [2, -1, 0.5, NaN]) {
    expect(() => shops.at(position)).toThrow("position: must be an integer from 0 to 1");
  }
  expect(() => none.at(0)).toThrow("position: there are no groups");
  expect(() => shops.numbers(untyped("shop"))).toThrow(
    'name: must be that of a measure of numbers, not "shop"',
  );
});

test("what repeats is found by ranges or one by one, whatever clocks do", () => {
  const Visit = defineSchema({ at: int() });
  // Half an hour is repeated, and in 1900 zones were no whole minutes apart.
  const starts = ["2025-04-05T12:00:00Z", "2025-10-04T12:00:00Z", "1900-01-01T00:00:00Z"];
  const visits = starts.flatMap((start) =>
    Array.from({ length: 24 * 12 }, (_, i) => ({ at: Date.parse(start) + i * 300_000 })),
  );
  const zone = "Australia/Lord_Howe";
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone: zone, weekday: "short", hour: "numeric", hourCycle: "h23" },
  });
  const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
  const plain = new Map<string, number>();
  for (const { at } of visits) {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const day = days.indexOf(parts.get("weekday") ?? "") + 1;
    const name = JSON.stringify([day, Number(parts.get("hour"))]);
    plain.set(name, (plain.get(name) ?? 0) + 1);
  }
  const scanned = createCollection(Visit, visits, { indexes: "none" });
  for (const collection of [scanned, scanned.prepare({ sort: ["at"] })]) {
    const found = collection.groupBy({
      by: [
        { field: "at", step: "weekday", zone, as: "day" },
        { field: "at", step: "hourOfDay", zone, as: "hour" },
      ],
    });
    expect(
      new Map(found.map(({ day, hour, count }) => [JSON.stringify([day, hour]), count])),
    ).toEqual(plain);
  }
});

test("a histogram's bins in a zone are the groups of the same step (G3)", () => {
  const Visit = defineSchema({ at: int() });
  const start = fc.constantFrom(
    // Clocks change by an hour, by half an hour, at midnight, and a day is skipped.
    ...[
      ["Europe/Berlin", "2025-03-29T12:00Z"],
      ["Europe/Berlin", "2025-10-25T12:00Z"],
      ["Australia/Lord_Howe", "2025-04-05T06:00Z"],
      ["America/Sao_Paulo", "2018-11-03T18:00Z"],
      ["Africa/Cairo", "2024-10-31T12:00Z"],
      ["Pacific/Apia", "2011-12-29T12:00Z"],
      ["Asia/Kathmandu", "1985-12-31T12:00Z"],
      ["UTC", "2024-02-28T12:00Z"],
    ],
  );
  const hours = fc.array(fc.double({ min: 0, max: 72, noNaN: true }), { minLength: 1 });
  const step = fc.constantFrom("day", "week", "month", "quarter", "year");
  const unit = fc.constantFrom("seconds", "milliseconds");
  fc.assert(
    fc.property(start, hours, step, unit, ([zone = "", first = ""], hours, step, unit) => {
      const scale = unit === "seconds" ? 1000 : 1;
      const visits = createCollection(
        Visit,
        hours.map((each) => ({ at: Math.floor((Date.parse(first) + each * 3_600_000) / scale) })),
      );
      const { bins, below, above } = visits.histogram("at", { step, unit, zone });
      const groups = visits.groupBy({ by: { field: "at", step, unit, zone } });
      expect(bins.filter(({ count }) => count > 0).map(({ from, count }) => [from, count])).toEqual(
        groups.map(({ at, count }) => [at, count]),
      );
      expect([below, above]).toEqual([0, 0]);
      for (const [i, { to }] of bins.entries()) {
        const next = bins[i + 1];
        if (next !== undefined) expect(to + 1).toBe(next.from);
      }
    }),
    settings(150),
  );
});

describe("steps of the calendar in a zone", () => {
  const Visit = defineSchema({ at: int() });
  const by = (
    step: "day" | "hour" | "month" | "hourOfDay" | "weekday",
    zone: string,
    times: string[],
  ) =>
    createCollection(
      Visit,
      times.map((at) => ({ at: Date.parse(at) })),
    )
      .groupBy({ by: { field: "at", step, zone } })
      .map(({ at, count }) => [
        step.length > 5 || step === "weekday" ? at : new Date(at).toISOString(),
        count,
      ]);

  test("days of 23 and 25 hours", () => {
    const spring = [
      "2025-03-30T00:30:00+01:00",
      "2025-03-30T23:30:00+02:00",
      "2025-03-31T00:30:00+02:00",
    ];
    expect(by("day", "Europe/Berlin", spring)).toEqual([
      ["2025-03-29T23:00:00.000Z", 2],
      ["2025-03-30T22:00:00.000Z", 1],
    ]);
    const autumn = [
      "2025-10-26T00:00:00+02:00",
      "2025-10-26T23:59:00+01:00",
      "2025-10-27T00:00:00+01:00",
    ];
    expect(by("day", "Europe/Berlin", autumn)).toEqual([
      ["2025-10-25T22:00:00.000Z", 2],
      ["2025-10-26T23:00:00.000Z", 1],
    ]);
  });

  test("a day that begins at one o'clock, since clocks skipped midnight", () => {
    expect(
      by("day", "America/Sao_Paulo", ["2018-11-04T03:00:00Z", "2018-11-04T02:59:59Z"]),
    ).toEqual([
      ["2018-11-03T03:00:00.000Z", 1],
      ["2018-11-04T03:00:00.000Z", 1],
    ]);
  });

  test("hours of a zone that is half an hour off, and what repeats", () => {
    expect(by("hour", "Asia/Kolkata", ["2025-01-01T00:29:59Z", "2025-01-01T00:30:00Z"])).toEqual([
      ["2024-12-31T23:30:00.000Z", 1],
      ["2025-01-01T00:30:00.000Z", 1],
    ]);
    expect(
      by("hourOfDay", "Asia/Kolkata", ["2025-01-01T18:29:59Z", "2025-01-01T18:30:00Z"]),
    ).toEqual([
      [0, 1],
      [23, 1],
    ]);
    // A Monday in Auckland, still a Sunday in UTC.
    expect(by("weekday", "Pacific/Auckland", ["2025-01-05T12:00:00Z"])).toEqual([[1, 1]]);
  });
});

test("criteria on measures of times compare times, however they are written", () => {
  const visits = createCollection(defineSchema({ id: int(), at: time() }), [
    { id: 1, at: "2024-03-01T12:00:00Z" },
    { id: 2, at: "2024-03-02T12:00:00Z" },
  ]);
  const measures = { last: ["maximum", "at"] } as const;
  const last = "2024-03-02T12:00:00.000Z";
  for (const bound of ["2024-03-02T12:00:00Z", "2024-03-02T13:00+01:00", "2024-03-02"]) {
    const having = untyped([["last", "at_least", bound]]);
    expect(visits.groupBy({ by: "id", measures, having })).toEqual([{ id: 2, last }]);
  }
});

test("a late question goes on", () => {
  const many = createCollection(
    Sale,
    Array.from({ length: 3000 }, (_, id) => ({
      id,
      shop: `shop ${id % 7}`,
      net: id / 3,
      tags: [`t${id % 50}`],
      labels: [],
      at: id * 1e7,
    })),
  );
  const db = createDatabase({ many }, { limits: { milliseconds: 1e9 } });
  const query = {
    by: ["shop", { field: "at", step: "month" }],
    measures: { sum: ["sum", "net"], middle: ["quantile", "net", 0.5] },
  } as const;
  expect(db.many.groupBy(query)).toEqual(many.groupBy(query));
});

describe("refuses", () => {
  const refused: readonly (readonly [query: unknown, message: string])[] = [
    [undefined, "query: must be an object, not undefined"],
    [{}, "query.by: unknown field undefined"],
    [{ by: [] }, "query.by: must have at least one key"],
    [{ by: "shops" }, 'query.by: unknown field "shops"; did you mean "shop"?'],
    [{ by: ["shop", "shop"] }, 'query.by[1]: "shop" is already the name of another member'],
    [{ by: ["tags", "labels"] }, "query.by[1]: may not be a strings field"],
    [{ by: Array(9).fill("shop") }, "query.by: may have at most 8 elements, not 9"],
    [{ by: { field: "shop", width: 2 } }, "query.by.field: must be an int or float field"],
    [{ by: { field: "net", prefix: 2 } }, "query.by.field: must be a string field"],
    [{ by: { field: "net", width: 0 } }, "query.by.width: must be a finite number greater than 0"],
    [{ by: { field: "net", edges: [1, 1] } }, "query.by.edges[1]: must be greater than"],
    [
      { by: { field: "net", edges: [1], width: 2 } },
      "query.by.edges: must be omitted if width is given",
    ],
    [{ by: { field: "at", unit: "seconds" } }, "query.by.unit: needs step"],
    [
      { by: { field: "at", step: "day", zone: "Mars" } },
      "query.by.zone: must be a zone of the IANA database",
    ],
    [{ by: { field: "at", step: "dy" } }, "query.by.step: must be"],
    [
      { by: "shop", measures: { a: ["sum", "shop"] } },
      "query.measures.a[1]: must be an int or float field",
    ],
    [{ by: "shop", measures: { a: ["total", "net"] } }, "query.measures.a[0]: must be"],
    [
      { by: "shop", measures: { a: ["quantile", "net", 2] } },
      "query.measures.a[2]: must be a number from 0 to 1",
    ],
    [
      { by: "shop", measures: { a: ["sum", "net", 2] } },
      'query.measures.a[2]: must be omitted for "sum"',
    ],
    [
      { by: "shop", measures: { shop: "count" } },
      'query.measures.shop: "shop" is already the name',
    ],
    [
      { by: "shop", having: [["counts", "at_least", 1]] },
      'query.having[0]: unknown field "counts"',
    ],
    [{ by: "shop", sort: [["net", "ASC"]] }, "sort: element 0: unknown field"],
    [{ by: "shop", limit: -1 }, "query.limit: must be a non-negative integer"],
  ];
  test.each(refused)("%j", (query, message) => {
    expect(() => sales.groupBy(untyped(query))).toThrow(message);
  });

  test("times outside the calendar, unless criteria leave them out", () => {
    const far = sales.update([["id", "exactly", 1]], { at: Number.MAX_SAFE_INTEGER });
    const criteria = [["id", "greater_than", 1]] as const;
    for (const collection of [far, far.prepare({ match: ["at"] })]) {
      for (const step of ["year", "hour", "hourOfDay"] as const) {
        const by = { field: "at", step } as const;
        expect(() => collection.groupBy({ by })).toThrow(InputError);
        expect(collection.groupBy({ by, criteria })).toEqual(sales.groupBy({ by, criteria }));
      }
    }
  });
});

test("no number is below the lowest edge that there can be", () => {
  const Part = defineSchema({ part: float(), kind: string() });
  const lowest = [-Number.MAX_VALUE, -1e308].map((part) => ({ part, kind: "a" }));
  const by = [{ field: "part", edges: [-Number.MAX_VALUE, 0] }, "kind"] as const;
  const collection = createCollection(Part, lowest).prepare({ match: ["part"] });
  expect(collection.groupBy({ by })).toEqual([{ part: -Number.MAX_VALUE, kind: "a", count: 2 }]);
});

test("a measure fits its field", () => {
  // @ts-expect-error: the sum of strings
  const wrong: Measure<typeof Sale> = ["sum", "shop"];
  expect(wrong).toHaveLength(2);
});

test("a query that was made elsewhere is taken", () => {
  const query: GroupQuery<typeof Sale> = {
    by: ["shop"],
    summarize: ["net"],
    sort: [["shop", "DESC"]],
  };
  expect(sales.groupBy(query)).toHaveLength(2);
});
