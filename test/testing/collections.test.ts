// Each of a set of broken collections is caught by the law that names its mistake. kept.test.ts has the collections that
// keep the laws.
//
// TERCET_RUNS sets how many cases each law is run on, TERCET_SEED their seed. TERCET_SEEDS sets in how
// many seeds each mistake must be found, and prints after how many cases it was.

import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  boolean,
  createCollection,
  defineSchema,
  File,
  float,
  InputError,
  int,
  json,
  string,
  type InputOf,
  type Query,
} from "../../src/index.ts";
import {
  checkCollection,
  checkService,
  collectionLaws,
  formatReport,
  referenceCollection,
  rulesOf,
  type MakeCollection,
} from "../../src/testing/index.ts";
import { COLLECTION_RULES, RULES } from "../../src/testing/laws/rules.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";
import { brokenCollections } from "./broken-collections.ts";
import { named, testCaught } from "./caught.ts";

const { numRuns, seed = 20261121 } = settings(5);

const lawOf = named(collectionLaws);

describe("a mistake is caught by its law, in each seed, with as many cases as there are by default:", () => {
  testCaught(brokenCollections, lawOf, 2);

  test("for each rule that services lack there are two, of which each breaks a law about it", () => {
    for (const { law, rule, mistake } of brokenCollections) {
      expect(lawOf(law).rules, mistake).toContain(rule);
    }
    const few = COLLECTION_RULES.filter(
      (rule) =>
        !RULES.includes(rule) && brokenCollections.filter((each) => each.rule === rule).length < 2,
    );
    expect(few).toEqual([]);
  });
});

describe("a report of collections", () => {
  const law = "sorting orders: null first, numbers by number, text by code point";
  const broken = (wanted: string) => {
    const found = brokenCollections.find(({ mistake }) => mistake === wanted);
    if (found === undefined) throw new Error(`there is no mistake: ${wanted}`);
    return found.make;
  };

  test("shows the smallest case as code, the answer that is wrong, and the call that shows it again", async () => {
    const make = broken("the second field is ignored");
    const report = await lawOf(law).report(make, { seed: 36 });
    const { counterexample, call, expected, received, path, again } = report;
    // Fields and members that the failure does not need are gone.
    expect([...(counterexample ?? "").split("\n"), call, expected, received]).toEqual([
      'schema: defineSchema({ "id": int({ unique: true }), "count": int({ stored: false, default: "0" }), "when": time({ nullable: true, precision: "microseconds", default: "2024-02-29T00:00:00.000000Z" }) })',
      'records: [{"id":0},{"id":1,"when":0}]',
      'asked: [{"criteria":null,"sort":[["count","ASC"],["when","ASC"]]}]',
      'query({"criteria":null,"sort":[["count","ASC"],["when","ASC"]]})',
      '[{"id":1,"when":"1970-01-01T00:00:00.000000Z"},{"id":0,"when":"2024-02-29T00:00:00.000000Z"}]',
      '[{"id":0,"when":"2024-02-29T00:00:00.000000Z"},{"id":1,"when":"1970-01-01T00:00:00.000000Z"}]',
    ]);
    expect(again).toBe(
      `await checkCollection(make, { seed: 36, path: ${JSON.stringify(path)}, law: ${JSON.stringify(law)} })`,
    );
    expect((await checkCollection(make, { seed: 36, path, law })).laws[0]?.reason).toBe(
      report.reason,
    );
  });

  test("names the field of a record that was returned with a bigint, as it was given", async () => {
    const make: MakeCollection = (_schema, records) => ({ query: () => records });
    const { reason } = await lawOf("no criteria select every record").report(make, { seed: 1 });
    expect(reason).toMatch(/^a record has the bigint -?\d+n in "/);
  });

  test("says which rules of collections failed, and has none of the envelope", async () => {
    const rules = rulesOf(
      await checkCollection(broken("true sorts before false"), { seed: 1, law }),
    );
    const failed = rules.filter(({ outcome }) => outcome === "failed").map(({ rule }) => rule);
    expect(failed).toEqual(["V10", "V11", "P3", "P4", "P9"]);
    expect(rules.filter(({ rule }) => rule.startsWith("E"))).toEqual([]);
  });

  test("passes over laws of what is not there", async () => {
    const make = (...given: Parameters<typeof createCollection>) => {
      const collection = createCollection(...given);
      return { query: collection.query.bind(collection) };
    };
    const { passed, laws } = await checkCollection(make, { seed, numRuns: 1 });
    const missing = laws.filter(({ outcome }) => outcome === "not applicable");
    expect(passed).toBe(true);
    expect(missing.map(({ reason }) => reason)).toEqual([
      ...Array.from({ length: 4 }, () => "needs page"),
      "needs count",
      ...["needs countBy", "needs countBy", "needs countBy", "needs histogram"],
      ...["needs countBy", "needs countBy", "needs histogram", "needs summary", "needs summary"],
      ...["needs groupBy", "needs groupBy", "needs groupBy"],
    ]);
  });

  test("fails where nothing can be queried, or no collection be made", async () => {
    const fail = () => {
      throw new Error("no memory");
    };
    for (const [make, reason] of [
      [() => untyped({}), "the collection has no query"],
      [fail, "the collection could not be made: no memory"],
    ] as const) {
      const { passed, laws } = await checkCollection(make, { seed, numRuns: 1 });
      expect(passed).toBe(false);
      expect(new Set(laws.map((each) => each.reason))).toEqual(new Set([reason]));
    }
  });
});

describe("a check", () => {
  const Ticket = defineSchema({
    key: string({ oneOf: ["a", "b"] }),
    votes: float({ nullable: true }),
    open: boolean({ stored: false }),
    notes: json({ nullable: true }),
  });

  test("of one schema draws that schema's records, and passes over laws about fields that it lacks", async () => {
    const { passed, laws } = await checkCollection(
      (schema, records) => {
        expect(schema).toBe(Ticket);
        return createCollection(schema, records);
      },
      { schema: Ticket, seed, numRuns },
    );
    const missing = laws.filter(({ outcome }) => outcome === "not applicable");
    expect(passed, formatReport({ about: "collection", passed, laws })).toBe(true);
    expect(missing.map(({ reason }) => reason)).toEqual([
      "needs a searchable field of any text",
      ...["needs a searchable field of strings", "needs a searchable field of strings"],
      ...Array.from({ length: 4 }, () => "needs a searchable field of any text"),
      "needs a schema that makes something unique",
      ...["needs schemas that the laws make", "needs schemas that the laws make"],
      ...["needs an int field", "needs an int field", "needs an int field"],
    ]);
    const ofTickets = (_: typeof Ticket, records: InputOf<typeof Ticket>[]) =>
      createCollection(Ticket, records);
    // @ts-expect-error: without the option it is given records of any schema
    expect((await checkCollection(ofTickets, { seed, numRuns: 1 })).passed).toBe(false);
    const fewer = (_: typeof Ticket, records: InputOf<typeof Ticket>[]) =>
      createCollection(Ticket, records.slice(1));
    const failed = await checkCollection(fewer, {
      schema: Ticket,
      seed: 1,
      law: "no criteria select every record",
    });
    expect(failed.laws[0]?.again).toMatch(/, schema }\)$/);
    expect(failed.laws[0]?.counterexample).toContain(
      'schema: defineSchema({ "key": string({ oneOf: ["a","b"] }), "votes": float({ nullable: true }), ' +
        '"open": boolean({ stored: false }), "notes": json({ nullable: true }) })',
    );
  });

  test("awaits answers that are promises, and closes what it has made", async () => {
    let open = 0;
    const make = async (...given: Parameters<typeof createCollection>) => {
      const collection = createCollection(...given);
      open += 1;
      await setImmediate();
      return {
        query: async (asked: Query) => (await setImmediate(), collection.query(asked)),
        count: async (criteria: null) => (await setImmediate(), collection.count(criteria)),
        close: () => void (open -= 1),
      };
    };
    const report = await checkCollection(make, { seed, numRuns: 1 });
    expect(report.passed, formatReport(report)).toBe(true);
    expect(open).toBe(0);
  });

  test("refuses options of services, and schemas of which it can make no questions", async () => {
    const check = (options: object) => checkCollection(createCollection, untyped(options));
    await expect(check({ apiKey: "key" })).rejects.toThrow(/has no member "apiKey"; use .*schema/);
    const others = untyped({ schema: Ticket });
    await expect(checkService({}, others)).rejects.toThrow(/has no member "schema"/);
    const hidden = defineSchema({ id: int({ searchable: false }) });
    for (const schema of [File, hidden, {}, 1]) {
      await expect(check({ schema })).rejects.toThrow(/options\.schema.*with a searchable field/);
    }
  });
});

test("the reference refuses the records that createCollection refuses", () => {
  const schema = defineSchema({
    id: int({ unique: true }),
    price: float({ default: 1 }),
    done: boolean({ nullable: true }),
    note: json({ nullable: true }),
  });
  const isRefused = (make: typeof createCollection, records: readonly object[]) => {
    try {
      make(schema, untyped(records));
      return false;
    } catch (error) {
      return error instanceof InputError;
    }
  };
  for (const [record, refused] of [
    [{ id: 1, price: "0.5", done: "true", note: [null, { a: [-0] }] }, false],
    [{ id: 1n, price: -0, done: null, note: { a: undefined } }, false],
    [{ id: "1" }, false],
    [{ id: 2 }, true],
    [{}, true],
    [{ id: null }, true],
    [{ id: 1.5 }, true],
    [{ id: 1, price: NaN }, true],
    [{ id: 1, price: "1.0" }, true],
    [{ id: 1, done: 1 }, true],
    [{ id: 1, note: [NaN] }, true],
    [{ id: 1, note: new Date(0) }, true],
    [{ id: 1, note: ["\ud83d"] }, true],
    [{ id: 1, colour: "red" }, true],
  ] as const) {
    const records = [{ id: 2 }, record];
    expect(isRefused(createCollection, records), fc.stringify(record)).toBe(refused);
    expect(isRefused(untyped(referenceCollection), records), fc.stringify(record)).toBe(refused);
  }
});
