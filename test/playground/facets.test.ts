// Which facets a table gets, whatever its numbers are, and that each can be counted.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCollection, defineSchema, float, int, string } from "../../src/index.ts";
import type { Collection, Field } from "../../src/index.ts";
import { withFacet } from "../../src/playground/criteria-list.ts";
import { countsOf } from "../../src/playground/engine/counts.ts";
import { facetsOf } from "../../src/playground/engine/facets.ts";
import { fieldsOf } from "../../src/playground/engine/fields.ts";
import { TABLE } from "../../src/playground/engine/hints.ts";
import type { Facet, RangeFacet, Scalar } from "../../src/playground/messages.ts";
import { settings } from "../property.ts";

/** The facets of a column. */
function facetsIn(field: Field, values: readonly Scalar[], name = "v") {
  const schema = defineSchema({ [name]: field });
  const records = values.map((value) => ({ [name]: value }));
  const collection = createCollection(schema, records as never) as unknown as Collection;
  return { collection, facets: facetsOf(collection, TABLE, fieldsOf(collection, TABLE)) };
}

const kindsIn = (...given: Parameters<typeof facetsIn>) =>
  facetsIn(...given).facets.map(({ kind }) => kind);

const upTo = (length: number) => Array.from({ length }, (_, i) => i);

describe("facets follow from types and values", () => {
  test.each([
    ["few texts", string(), upTo(100).map((i) => `state ${i % 5}`), ["values"]],
    ["many texts", string(), upTo(100).map((i) => `name ${i}`), ["search"]],
    ["one text", string(), upTo(100).map(() => "same"), []],
    ["nothing but null", string({ nullable: true }), upTo(9).map(() => null), []],
    ["few numbers", int(), upTo(100).map((i) => (i % 5) - 2), ["values"]],
    ["many numbers", int(), upTo(100).map((i) => i * i), ["range"]],
    ["running numbers", int(), upTo(100).map((i) => 100 - i), []],
    ["fractions", float(), upTo(100).map((i) => i / 7), ["range"]],
    ["no records", int(), [], []],
  ] as const)("%s", (_, field, values, kinds) => {
    expect(kindsIn(field, values)).toEqual(kinds);
  });

  test.each([
    ["sent_at", 1_700_000_000_000, "milliseconds"],
    ["send_time", 1_700_000_000, "seconds"],
    // Minutes of a day.
    ["pickup_time", 600, undefined],
    ["total", 1_700_000_000, undefined],
  ] as const)("%s of %d is a time in %s", (name, start, unit) => {
    const values = upTo(100).map((i) => start + i * i);
    const [facet] = facetsIn(int(), values, name).facets as RangeFacet[];
    expect(facet?.unit).toBe(unit);
    // A time begins near its lowest value, whatever else there is.
    if (unit !== undefined) expect(facet?.from).toBeGreaterThan(start / 2);
  });
});

test("a wide table gets all its facets, charts first", () => {
  const texts = upTo(9).map((i) => [`text ${i}`, string()] as const);
  const numbers = upTo(20).map((i) => [`number ${i}`, int()] as const);
  const schema = defineSchema(Object.fromEntries<Field>([...texts, ...numbers]));
  const records = upTo(100).map((i) =>
    Object.fromEntries<string | number>([
      ...texts.map(([name]) => [name, `value ${i}`] as const),
      ...numbers.map(([name]) => [name, i % 3] as const),
    ]),
  );
  const collection = createCollection(schema, records as never) as unknown as Collection;
  const facets = facetsOf(collection, TABLE, fieldsOf(collection, TABLE));
  expect(facets.map(({ field }) => field)).toEqual([
    ...numbers.map(([name]) => name),
    ...texts.map(([name]) => name),
  ]);
});

test("a histogram leaves out the highest 2 %, and brushing its last bin selects them too", () => {
  const values = upTo(1000).map((i) => (i < 990 ? i * 3 : 1_000_000 + i));
  const { collection, facets } = facetsIn(int(), values);
  const [facet] = facets as RangeFacet[];
  if (facet === undefined) throw new Error("there is no facet");
  const { from, end, bins } = facet;
  expect(end).toBeLessThan(4000);
  const { above } = collection.histogram("v", { bins, from, to: end - 1 });
  expect(above).toBeGreaterThanOrEqual(10);
  const last = withFacet([], facet, { from: end - (end - from) / bins, end: Infinity });
  expect(collection.count(last as never)).toBeGreaterThanOrEqual(above);
});

test.each([
  ["hour", 60, undefined],
  ["days", 40, "day"],
  ["weeks", 300, "week"],
  ["months", 1500, "month"],
  ["quarters", 4000, "quarter"],
  ["years", 9000, "year"],
] as const)("times have bars of %s", (name, days, calendar) => {
  const unit = name === "hour" ? 60_000 : 86_400_000;
  const start = Date.UTC(1999, 10, 17, 3);
  const times = upTo(500).map((i) => start + Math.floor((i * i * days * unit) / 250_000));
  const { collection, facets } = facetsIn(int(), times, "sent_at");
  const [facet] = facets as RangeFacet[];
  if (facet === undefined) throw new Error("there is no facet");
  expect(facet.calendar).toBe(calendar);
  const { edges } = facet;
  const { bars } = countsOf(collection, [], facet) as {
    readonly bars: readonly number[];
  };
  expect(bars).toEqual(
    edges
      .slice(1)
      .map((end, i) => times.filter((time) => time >= (edges[i] ?? 0) && time < end).length),
  );
  if (calendar === undefined || calendar === "day") return;
  // Weeks begin on Monday, all others on the first of a month.
  for (const edge of edges) {
    const date = new Date(edge);
    expect(edge % 86_400_000).toBe(0);
    expect(calendar === "week" ? date.getUTCDay() : date.getUTCDate()).toBe(1);
    if (calendar === "quarter") expect(date.getUTCMonth() % 3).toBe(0);
    if (calendar === "year") expect(date.getUTCMonth()).toBe(0);
  }
});

test("the highest fraction has a bar of its own where it is not far above the others", () => {
  const hundredths = upTo(310).map((i) => (i % 31) / 100);
  const { collection, facets } = facetsIn(float(), hundredths);
  const [facet] = facets as RangeFacet[];
  if (facet === undefined) throw new Error("there is no facet");
  expect(countsOf(collection, [], facet)).toMatchObject({
    bars: upTo(31).map(() => 10),
    above: 0,
  });
});

const extremes = [5e-324, 1.7e308, -1.7e308, 2 ** 53, -0, 0.1, 1e17, 1e-7];

test("a histogram of any numbers can be counted, and its bins are what criteria select", () => {
  const floats = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(...extremes),
    fc.integer({ min: -300, max: 300 }).map((cents) => cents / 100),
  );
  const ints = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -50, max: 5000 }));
  const columns = fc.oneof(
    fc.record({ field: fc.constant<Field>(int({ nullable: true })), values: column(ints) }),
    fc.record({ field: fc.constant<Field>(float({ nullable: true })), values: column(floats) }),
  );
  let ranges = 0;
  const holds = fc.property(columns, ({ field, values }) => {
    const { collection, facets } = facetsIn(field, values);
    for (const facet of facets.filter(
      (each): each is RangeFacet & Facet => each.kind === "range",
    )) {
      ranges++;
      const { from, end, bins, step } = facet;
      expect(from).toBeLessThan(end);
      const counted = collection.histogram("v", { bins, from, to: end - step });
      const numbers = values.filter((value) => value !== null);
      const total = counted.bins.reduce((sum, { count }) => sum + count, counted.above);
      expect(total + counted.below).toBe(numbers.length);
      if (step === 0) continue;
      expect(counted.below).toBe(0);
      expect(counted.bins).toHaveLength(bins);
      const [first] = counted.bins;
      const criteria = [["v", "less_than", from + (end - from) / bins]];
      expect(collection.count(criteria as never)).toBe(first?.count);
    }
  });
  fc.assert(holds, settings(300));
  expect(ranges).toBeGreaterThan(0);
});

const column = (numbers: fc.Arbitrary<number>) =>
  fc.array(fc.option(numbers, { freq: 8 }), { minLength: 13, maxLength: 80 });
