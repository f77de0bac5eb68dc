// The product, the reference, and the models in which the tests plant mistakes keep every law: services, collections of
// the schemas that the laws make, and collections of any other schema. Each run draws new cases; TERCET_SEED repeats
// those of a failure, which names its seed.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  boolean,
  createCollection,
  createService,
  defineSchema,
  float,
  int,
  json,
  string,
  strings,
  type Field,
  type Schema,
} from "../../src/index.ts";
import {
  checkCollection,
  checkService,
  formatReport,
  referenceCollection,
  referenceService,
  rulesOf,
} from "../../src/testing/index.ts";
import { COLLECTION_RULES } from "../../src/testing/laws/rules.ts";
import { settings } from "../property.ts";
import { unbrokenCollection } from "./broken-collections.ts";
import { unbroken } from "./broken.ts";

const { numRuns, seed } = settings(2);

describe.each([
  ["createService", createService],
  ["referenceService", referenceService],
  ["the model of a service", unbroken],
])("%s", (_, make) => {
  test("keeps the laws", async () => {
    const report = await checkService(make, { seed, numRuns });
    expect(report.passed, formatReport(report)).toBe(true);
  });
});

/** The options of a field; every field can be combined with every other. */
const options = <Default>(given: Default, extra: object = {}) =>
  fc
    .record({
      nullable: fc.boolean(),
      stored: fc.boolean(),
      searchable: fc.boolean(),
      otherwise: fc.constantFrom<{ default?: Default | (() => Default) }[]>(
        {},
        { default: given },
        { default: () => given },
      ),
      isUnique: fc.nat({ max: 3 }).map((number) => number === 3),
    })
    .map(({ otherwise, isUnique, ...flags }) => {
      // A unique value that several records may share is in none of them.
      const more = isUnique && !Array.isArray(given) ? { unique: true } : otherwise;
      return { ...flags, ...extra, ...more };
    });

const anyField: fc.Arbitrary<Field> = fc.oneof(
  options(0).map((given) => int(given)),
  options(0.5).map((given) => float(given)),
  options(false).map((given) => boolean(given)),
  options("").map((given) => string(given)),
  options("a", { ignoreCase: true, ignoreAccents: true }).map((given) => string(given)),
  options("a", { oneOf: ["a", "B", "b ", ""] }).map((given) => string(given)),
  options(["a"]).map((given) => strings(given)),
  fc.record({ nullable: fc.boolean() }).map((given) => json(given)),
);

const NAMES = ["id", "word", "", "0", "2024", "__proto__", "constructor", "NOT", "OR", "Word"];

/** One to six fields, of any kinds and with any options. */
const anyFields = fc.record({
  names: fc.shuffledSubarray(NAMES, { minLength: 6, maxLength: 6 }),
  fields: fc
    .array(anyField, { minLength: 1, maxLength: 6, size: "max" })
    .filter((fields) => fields.some(({ searchable }) => searchable)),
  isCombined: fc.boolean(),
});

type FieldsDrawn = typeof anyFields extends fc.Arbitrary<infer Drawn> ? Drawn : never;

function schemaOf({ names, fields, isCombined }: FieldsDrawn): Schema {
  const all = fields.map((field, i): [string, Field] => [names[i] ?? "", field]);
  const [first, second] = all.flatMap(([name, { type }]) => (type === "json" ? [] : [name]));
  const isPossible = isCombined && first !== undefined && second !== undefined;
  return defineSchema(Object.fromEntries<Field>(all), {
    unique: isPossible ? [[first, second]] : [],
  });
}

describe.each([
  ["createCollection", createCollection],
  ["referenceCollection", referenceCollection],
  ["the model of a collection", unbrokenCollection],
])("%s", (_, make) => {
  test("keeps the laws, and each rule is asked about", async () => {
    const report = await checkCollection(make, { seed, numRuns });
    expect(report.passed, formatReport(report)).toBe(true);
    expect(rulesOf(report).filter(({ outcome }) => outcome !== "held")).toEqual([]);
    expect(rulesOf(report).map(({ rule }) => rule)).toEqual(COLLECTION_RULES);
  });

  test("keeps the laws for any schema", async () => {
    await fc.assert(
      fc.asyncProperty(anyFields, fc.integer(), async (fields, seed) => {
        const schema = schemaOf(fields);
        const report = await checkCollection(make, { schema, seed, numRuns: 1, shrink: false });
        expect(report.passed, formatReport(report)).toBe(true);
      }),
      { ...settings(4), endOnFailure: true },
    );
  });
});
