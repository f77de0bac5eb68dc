// Paths keep every law of collections (C20): a collection whose records have all of their values by another one answers
// as one that has them itself.

import { expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  defineSchema,
  int,
  type InputOf,
  type Schema,
} from "../../src/index.ts";
import {
  checkCollection,
  collectionLaws,
  formatReport,
  type CheckedCollection,
  type MakeCollection,
} from "../../src/testing/index.ts";
import { isComputed } from "../../src/testing/arbitraries/computed.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";
import { smallest, tuned } from "../tuned.ts";
import { named } from "./caught.ts";

const { numRuns, seed } = settings(3);

/** The unique field to which references lead. */
const KEY = "key of the other record";

type Given = Readonly<Record<string, unknown>>;

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isGiven = (value: unknown): value is Given =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const pathOf = (name: unknown): unknown => (typeof name === "string" ? `of.${name}` : name);
/** In a parameter where the empty string means that it is omitted. */
const pathIn = (name: unknown): unknown => (name === "" ? name : pathOf(name));
const eachOf = (list: unknown, map: (each: unknown) => unknown): unknown =>
  isList(list) ? list.map(map) : list;

const criterion = (part: unknown): unknown => {
  if (!isList(part)) return part;
  const [first, second] = part;
  const isGroup = typeof first !== "string" || (first === "NOT" && Array.isArray(second));
  return isGroup ? part.map(criterion) : [pathOf(first), ...part.slice(1)];
};
const criteriaOf = (list: unknown): unknown => eachOf(list, criterion);
const pairOf = (pair: unknown): unknown =>
  isList(pair) ? [pathOf(pair[0]), ...pair.slice(1)] : pair;

/** The members of a query that name fields, by paths. */
const MEMBERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  criteria: criteriaOf,
  sortBy: pathIn,
  sort: (pairs) => eachOf(pairs, pairOf),
  select: (names) => eachOf(names, pathOf),
  summarize: (names) => (isList(names) ? names.map(pathOf) : pathOf(names)),
  measures: (measures) =>
    isGiven(measures)
      ? Object.fromEntries(
          Object.entries(measures).map(([name, each]) => [
            name,
            isList(each) ? [each[0], pathOf(each[1]), ...each.slice(2)] : each,
          ]),
        )
      : measures,
  by: (keys) => (isList(keys) ? keys.map(keyOf) : keyOf(keys)),
};
const keyOf = (key: unknown): unknown =>
  isGiven(key)
    ? { as: key.field, ...key, field: pathOf(key.field) }
    : { field: pathOf(key), as: key };

function byPaths(query: unknown, without: readonly string[] = []): unknown {
  if (!isGiven(query)) return query;
  const members = Object.entries(query).map(([name, value]) => [
    name,
    without.includes(name) ? value : (MEMBERS[name]?.(value) ?? value),
  ]);
  return Object.fromEntries(members) as unknown;
}

/** @param otherOf the number of the other record to which one refers, of so many */
function madeOver(otherOf: (i: number, count: number) => number): MakeCollection {
  return (schema: Schema, records: InputOf<Schema>[]): CheckedCollection => {
    using _ = tuned(smallest);
    const fields = Object.entries(schema.fields);
    const Other = defineSchema(
      {
        ...Object.fromEntries(fields.filter(([, field]) => !isComputed(field))),
        [KEY]: int({ unique: true }),
      },
      {
        computed: untyped(Object.fromEntries(fields.filter(([, field]) => isComputed(field)))),
        unique: untyped(schema.unique),
      },
    );
    const Row = defineSchema({ of: int({ references: ["others", KEY] }) });
    const others = records.map((record, i) => ({ ...record, [KEY]: i }));
    const db = createDatabase({
      others: createCollection(Other, untyped(others)),
      rows: createCollection(
        Row,
        records.map((_, i) => ({ of: otherOf(i, records.length) })),
      ),
    });
    const stored = schema.places.filter(({ field }) => field.stored);
    const all = stored.length === 0 ? ["of"] : stored.map(({ name }) => `of.${name}`);
    const selecting = (query: unknown) => {
      const asked = byPaths(query ?? {});
      return isGiven(asked) ? untyped({ ...asked, select: asked.select ?? all }) : untyped(asked);
    };
    const recordOf = (found: object): object => {
      const members = Object.entries<unknown>({ ...found });
      return Object.freeze(
        Object.fromEntries(
          members.flatMap(([name, value]) => (name === "of" ? [] : [[name.slice(3), value]])),
        ),
      );
    };
    const current = (ask: object): unknown => db.live("rows", untyped(ask)).current;
    return {
      query: (query?: unknown) => db.query("rows", selecting(query)).map(recordOf),
      page: (query?: unknown) => {
        const { records: found, ...page } = db.page("rows", selecting(query));
        return { ...page, records: found.map(recordOf) };
      },
      count: (criteria?: unknown) => db.count("rows", untyped(criteriaOf(criteria))),
      countBy: (field: unknown, criteria: unknown, options: object = {}) =>
        current({
          ...(byPaths(options) as object),
          countBy: pathOf(field),
          criteria: criteriaOf(criteria),
        }),
      histogram: (field: unknown, options: object) =>
        current({ ...(byPaths(options) as object), histogram: pathOf(field) }),
      summary: (field: unknown, criteria: unknown, options: object = {}) =>
        current({ ...options, summary: pathOf(field), criteria: criteriaOf(criteria) }),
      groupBy: (query: unknown) => db.groupBy("rows", untyped(byPaths(query, ["sort"]))),
    };
  };
}

test("a collection that has its values by another one keeps the laws", async () => {
  const report = await checkCollection(
    madeOver((i) => i),
    { seed, numRuns },
  );
  expect(report.passed, formatReport(report)).toBe(true);
  expect(report.laws.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
});

test.each(["every record that was given is there, in the form and the order given"])(
  "a record that refers to another one breaks the law: %s",
  async (law) => {
    const { outcome } = await named(collectionLaws)(law).report(
      madeOver((i, count) => (i + 1) % count),
      { seed, shrink: false },
    );
    expect(outcome).toBe("failed");
  },
);
