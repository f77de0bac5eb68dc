// Compares the results of collections of any schema with the independent reference of tercet/testing. The service and
// the reference are compared in test/testing/reference.test.ts.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  boolean,
  createCollection,
  defineSchema,
  float,
  int,
  json,
  string,
  type Query,
  type Schema,
} from "../src/index.ts";
import { inputRecords, query } from "../src/testing/index.ts";
import { settings } from "./property.ts";
import { referencePage, textFormOf } from "./reference-page.ts";
import { untyped } from "./rules/fixtures.ts";
import { wireSchema } from "./wire-schema.ts";

// Names of which an object has members, or which it puts first.
const NAMES = ["a", "b", "0", "2024", "", "__proto__", "constructor", "toString"];

const options = fc.record({
  nullable: fc.boolean(),
  stored: fc.boolean(),
  searchable: fc.constantFrom(true, true, true, false),
});
const field = fc.oneof(
  options.map((given) => int(given)),
  options.map((given) => float(given)),
  options.map((given) => boolean(given)),
  options.map((given) => string(given)),
  fc
    .tuple(options, fc.boolean())
    .map(([options, ignoreCase]) => string({ ...options, ignoreCase })),
);
const carried = fc.record({ nullable: fc.boolean() }).map((options) => json(options));

/** Fields of any name and kind, and `n`, which is a record's position. */
const schema = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), field), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 5,
  })
  .chain((fields) =>
    fc.oneof(
      fc.constant(defineSchema(Object.fromEntries([...fields, ["n", int()]]))),
      carried.map((note) =>
        defineSchema(Object.fromEntries([...fields, ["note", note], ["n", int()]])),
      ),
      fc.constant(wireSchema(Object.fromEntries([...fields, ["n", int()]]))),
    ),
  )
  .map((schema): Schema => schema);

/** Records of a schema, numbered; repeated where there are to be many, so that values are too. */
const recordsOf = (of: Schema, times: fc.Arbitrary<number>) =>
  fc.tuple(inputRecords(of, { maxLength: 20 }), times).map(([records, count]) =>
    Array.from({ length: count }, () => records)
      .flat()
      .map((record, n) => ({ ...record, n })),
  );

const TYPES = {
  int: "number",
  float: "number",
  boolean: "boolean",
  string: "string",
  time: "string",
} as const;

/** Whether the values of a record have the types of its schema's form. */
const isInForm = (of: Schema, record: object) =>
  Object.entries(record).every(([name, value]) => {
    const { type } = of.fields[name] ?? int();
    if (type === "strings") return value === null || Array.isArray(value);
    const held = of.form === "wire" ? "string" : type === "json" ? typeof value : TYPES[type];
    return value === null || typeof value === held;
  });

const storedOf = (of: Schema, record: object) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => of.fields[name]?.stored));

function expectSame(of: Schema, given: readonly object[], queries: readonly Query[]): void {
  const collection = createCollection(of, untyped(given));
  const records = given.map((each) => textFormOf(of, each));
  // The second time, whatever the first made the collection build is there.
  for (const asked of [...queries, ...queries]) {
    const page = collection.query(asked);
    const found = referencePage(of, records, asked);
    expect(page.map(({ n }) => String(n))).toEqual(found.map(({ n }) => n));
    // Each record holds what was put in (V1, V10). One expectation for all: each takes a tenth of a millisecond.
    expect(page.map((record) => storedOf(of, textFormOf(of, record)))).toEqual(
      page.map(({ n }) => storedOf(of, records[Number(n)] ?? {})),
    );
    expect(page.filter((record) => !isInForm(of, record))).toEqual([]);
    const { criteria } = asked;
    expect(collection.count(criteria)).toBe(referencePage(of, records, { criteria }).length);
  }
}

describe("a collection of any schema answers as the reference", () => {
  const asked = (times: fc.Arbitrary<number>, most: number) =>
    schema.chain((of) =>
      recordsOf(of, times).chain((records) =>
        fc.tuple(
          fc.constant(of),
          fc.constant(records),
          fc.array(query(of, { records }), { minLength: 1, maxLength: most, size: "max" }),
        ),
      ),
    );
  const agrees = ([of, records, queries]: readonly [Schema, readonly object[], readonly Query[]]) =>
    expectSame(of, records, queries);

  test("with few records", () => {
    fc.assert(fc.property(asked(fc.constant(1), 8), agrees), settings(120));
  });

  test("with some hundred records", () => {
    fc.assert(fc.property(asked(fc.integer({ min: 5, max: 20 }), 12), agrees), settings(10));
  });

  test("with thousands of records that are asked hundreds of questions", () => {
    fc.assert(fc.property(asked(fc.constant(200), 100), agrees), settings(1));
  });
});
