// The laws of results and arguments (rules V1, C11, P7, P8, R1, R2).

import * as fc from "fast-check";
import type { FieldType } from "../../index.ts";
import { isComputed, withComputed } from "../arbitraries/computed.ts";
import { storedForm, textFormFor } from "../arbitraries/values.ts";
import { difference, expect, expectSame, listed } from "./compare.ts";
import { anyQuery } from "./generate.ts";
import { defineLaw, type DefinedLaw } from "./law.ts";
import { membersOf } from "./members.ts";
import { type CheckedData } from "./checked.ts";
import { givenData, listIdsOf, ofService, withCopy, type Setting } from "./setting.ts";
import { Table, type QueryParameters } from "./table.ts";

const oneQuery = (setting: Setting): fc.Arbitrary<{ readonly query: QueryParameters }> =>
  fc.record({ query: anyQuery(setting) });

const PARAMETERS = ["criteria", "limit", "offset", "sortBy", "sortOrder", "sort"] as const;

/** Keeps only the sort by several fields, since giving both kinds of sort is an error. */
const withOneSort = ({ sortBy, sortOrder, ...query }: QueryParameters): QueryParameters =>
  query.sort === undefined ? { ...query, sortBy, sortOrder } : query;

/** The same Batches without List Fields. */
const withoutListFields = (batches: CheckedData["batches"]): CheckedData["batches"] =>
  batches.map((batch) => ({
    ...batch,
    lists: batch.lists.map(({ id, contacts }) => ({
      id,
      contacts: contacts.map((contact) => ({ ...contact, fields: {} })),
    })),
  }));

/** The values of each type of field in a record, except `null` (V10). */
const HELD: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  int: (value) => Number.isSafeInteger(value) && !Object.is(value, -0),
  float: (value) => Number.isFinite(value) && !Object.is(value, -0),
  boolean: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
  strings: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  json: () => true,
  time: (value) => typeof value === "string",
};

/** Deeply, since a value may be JSON. */
const isFrozen = (value: unknown): boolean =>
  typeof value !== "object" ||
  value === null ||
  (Object.isFrozen(value) && Object.values(value).every(isFrozen));

/** Empties an array or object and everything in it, as a caller may do. */
function empty(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  for (const name of Object.keys(value)) empty(Reflect.get(value, name));
  if (Array.isArray(value)) value.length = 0;
  else for (const name of Object.keys(value)) Reflect.deleteProperty(value, name);
}

const sortedByKey = (result: object): object =>
  Object.fromEntries(Object.entries(result).toSorted(([a], [b]) => Number(a) - Number(b)));

/** Not `structuredClone`: in Jest it makes objects of another realm, which print differently. */
function copyOf<Value>(value: Value): Value;
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => copyOf(each));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyOf(each)]));
}

export const resultLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "every record that was given is there, in the form and the order given",
    rules: ["V1", "V2", "V4", "V5", "V6", "V7", "C1", "P2", "P7", "P8"],
    ownRules: ["V10", "V12"],
    needs: ["a function that makes it"],
    generate: () => fc.constant({}),
    async holds(table) {
      const reference = await Table.ofModel(table.setting);
      expectSame("all records", table.all, reference.all);
      expectSame("one by one", await table.runOneByOne({}), await reference.runOneByOne({}));
    },
  }),
  defineLaw({
    name: "records are plain, and have the fields of their schema in its form",
    rules: ["V1", "P8", "R1"],
    ownRules: ["V10"],
    generate: oneQuery,
    async holds(table, { query }) {
      const { fields, form } = table.schema;
      const typeOf = (name: string) => (form === "values" ? fields[name]?.type : null) ?? "string";
      const names = Object.keys(fields)
        .filter((name) => fields[name]?.stored === true)
        .join(", ");
      for (const { record } of [...table.all, ...(await table.run(query))]) {
        const own = Object.keys(record).join(", ");
        expect(own === names, () => `fields: expected ${names}, found ${own}`);
        for (const [name, value] of Object.entries(record)) {
          const isHeld = value === null || HELD[typeOf(name)](value);
          expect(isHeld, () => `${name} is ${fc.stringify(value)}`);
        }
        const prototype: unknown = Object.getPrototypeOf(record);
        expect(prototype === Object.prototype || prototype === null, () => "a record is not plain");
      }
    },
  }),
  defineLaw({
    name: "a query that selects fields finds the same records, with only these, in the given order",
    rules: [],
    ownRules: ["C19", "V16"],
    about: "query",
    generate: (setting) =>
      fc.record({
        query: anyQuery(setting),
        picks: fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 4 }),
      }),
    async holds(table, { query, picks }) {
      const { schema } = table;
      const selectable = Object.entries(schema.fields).filter(
        ([, field]) => field.stored || isComputed(field),
      );
      const chosen = new Map(
        picks.flatMap((pick) => {
          const one = selectable[pick % selectable.length];
          return one === undefined ? [] : [one];
        }),
      );
      const select = [...chosen.keys()];
      // No field is stored.
      if (select.length === 0) return;
      const found = await table.run(query);
      const expected = found.map(({ record }) => {
        const values = withComputed(schema, record);
        const members = [...chosen].map(([name, field]): [string, unknown] => {
          const value = values.get(name);
          if (!isComputed(field)) return [name, value];
          return [name, storedForm(schema, field, textFormFor(field, value) ?? null)];
        });
        // Objects list names such as "0" first.
        return Object.entries(Object.fromEntries(members));
      });
      const { offset, ...page } = query;
      const asked: [string, unknown][] = [["query", await table.result({ ...query, select })]];
      if (table.service.has("page") && offset === undefined) {
        const result = await table.page({ ...page, select });
        asked.push(["page", membersOf(result, "the page").records]);
      }
      for (const [method, records] of asked) {
        const received = Array.isArray(records)
          ? records.map((record: unknown) => Object.entries(membersOf(record, "a record")))
          : records;
        expect(
          fc.stringify(received) === fc.stringify(expected),
          () =>
            `${method} of ${select.join()}: expected ${fc.stringify(expected)}, found ${fc.stringify(received)}`,
        );
      }
    },
  }),
  defineLaw({
    name: "records are frozen",
    rules: ["R1"],
    ownRules: ["V10"],
    needs: ["answers that are not sent as JSON"],
    generate: oneQuery,
    async holds(table, { query }) {
      for (const found of await table.run(query)) {
        expect(isFrozen(found.record), () => `not frozen: ${listed([found])}`);
      }
    },
  }),
  defineLaw({
    name: "List Fields leave the Contact fields as they are, whatever their names",
    rules: ["P8", "E11"],
    about: "getBatchContacts",
    needs: ["a function that makes it"],
    generate: () => fc.constant({}),
    async holds({ setting, all }, _, { make }) {
      const { data, ...others } = ofService(setting);
      const without = { ...others, data: { ...data, batches: withoutListFields(data.batches) } };
      const bare = await Table.of(await make(withCopy(without, copyOf)), without);
      const differs = difference(all, bare.all);
      expect(differs === undefined, () => `beside List Fields, ${differs}`);
    },
  }),
  defineLaw({
    name: "every List has its key",
    rules: ["P7"],
    about: "getBatchContacts",
    generate: oneQuery,
    async holds(table, { query }) {
      const result = membersOf(await table.result(query), "the result");
      const expected = listIdsOf(table.setting).toSorted().join(", ");
      const keys = Object.keys(result).sort().join(", ");
      expect(keys === expected, () => `keys: expected ${expected}, found ${keys}`);
    },
  }),
  defineLaw({
    name: "a Batch is an object by the ids of its Lists, whatever these are",
    rules: ["P7"],
    about: "getBatchContacts",
    needs: ["a function that makes it"],
    generate: () =>
      fc.record({
        // Some languages write an object without members, or with the keys 0 and 1, as an array.
        count: fc.nat({ max: 3 }),
        first: fc.constantFrom(0, 1, 7),
      }),
    async holds({ setting }, { count, first }, { make }) {
      const ids = Array.from({ length: count }, (_, i) => first + i);
      const batch = { id: 1, lists: ids.map((id) => ({ id, contacts: [] })) };
      const service = await make({
        ...ofService(setting),
        data: { files: [], batches: [batch] },
        subject: [1],
      });
      const result = await service.call("getBatchContacts", [1]);
      const isObject = typeof result === "object" && result !== null && !Array.isArray(result);
      const expected = fc.stringify(Object.fromEntries(ids.map((id) => [id, []])));
      expect(
        isObject && fc.stringify(sortedByKey(result)) === expected,
        () => `expected ${expected}, got ${fc.stringify(result)}`,
      );
    },
  }),
  defineLaw({
    name: "an answer does not depend on earlier queries",
    rules: ["R2"],
    generate: (setting) =>
      fc.record({
        query: anyQuery(setting),
        others: fc.array(anyQuery(setting), { minLength: 1, maxLength: 4 }),
      }),
    async holds(table, { query, others }, { make }) {
      const fresh = await make(withCopy(table.setting, copyOf));
      const first = await (await Table.of(fresh, table.setting)).run(query);
      // The same query with one part changed, which a cache with a careless key would confuse with
      // it.
      const varied = others.flatMap((other) =>
        PARAMETERS.map((name) => withOneSort({ ...query, [name]: other[name] })),
      );
      for (const other of [...others, ...varied]) await table.run(other);
      expectSame("after other queries", await table.run(query), first);
    },
  }),
  defineLaw({
    name: "a result is the caller's own",
    rules: ["R1", "R2"],
    needs: ["a call whose parameters and result are not text"],
    generate: oneQuery,
    async holds(table, { query }) {
      const before = await table.run(query);
      empty(await table.result(query));
      expectSame("after the caller emptied a result", await table.run(query), before);
      expectSame("without criteria, after that", await table.run({}), table.all);
    },
  }),
  defineLaw({
    name: "a query changes nothing that is passed in, and keeps nothing of it",
    rules: ["C11", "R2"],
    needs: ["a call whose parameters and result are not text"],
    generate: oneQuery,
    async holds(table, { query }) {
      const given = copyOf(query);
      const before = await table.run(given);
      expect(fc.stringify(given) === fc.stringify(query), () => `became ${fc.stringify(given)}`);
      empty(given);
      expectSame("after the query was emptied", await table.run(query), before);
    },
  }),
  defineLaw({
    name: "the data that it is made of is neither changed nor kept",
    rules: ["R2"],
    needs: ["a function that makes it"],
    generate: oneQuery,
    async holds({ setting }, { query }, { make }) {
      const given = withCopy(setting, copyOf);
      const data = givenData(given);
      const table = await Table.of(await make(given), setting);
      const before = await table.run(query);
      const isSame = fc.stringify(data) === fc.stringify(givenData(setting));
      expect(isSame, () => `the data became ${fc.stringify(data)}`);
      empty(data);
      expectSame("after the data was emptied", await table.run(query), before);
    },
  }),
];
