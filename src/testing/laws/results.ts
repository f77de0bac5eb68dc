// The laws of what comes out and what goes in (rules V1, C11, P7, P8, R1, R2).

import fc from "fast-check";
import { Contact, File } from "../../index.ts";
import { referenceService } from "../reference.ts";
import { difference, expect, expectSame, listed } from "./compare.ts";
import { anyQuery } from "./draw.ts";
import { defineLaw, type Law } from "./law.ts";
import { membersOf } from "./members.ts";
import { type CheckedData } from "./checked.ts";
import { Subject } from "./subject.ts";
import { listIdsOf, Table, type Asked, type Setting } from "./table.ts";

const oneQuery = (setting: Setting): fc.Arbitrary<{ readonly query: Asked }> =>
  fc.record({ query: anyQuery(setting) });

const PARAMETERS = ["criteria", "limit", "offset", "sortBy", "sortOrder"] as const;

/** The same Batches without List Fields. */
const withoutListFields = (batches: CheckedData["batches"]): CheckedData["batches"] =>
  batches.map((batch) => ({
    ...batch,
    lists: batch.lists.map(({ id, contacts }) => ({
      id,
      contacts: contacts.map((contact) => ({ ...contact, fields: {} })),
    })),
  }));

/** Takes everything out of an array or an object, and out of what is in it, as a caller may. */
function empty(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  for (const name of Object.keys(value)) empty(Reflect.get(value, name));
  if (Array.isArray(value)) value.length = 0;
  else for (const name of Object.keys(value)) Reflect.deleteProperty(value, name);
}

/** Not `structuredClone`: in Jest it makes objects of another realm, which are printed otherwise. */
function copyOf<Value>(value: Value): Value;
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => copyOf(each));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyOf(each)]));
}

export const resultLaws: readonly Law[] = [
  defineLaw({
    name: "every record that was given is there, in wire form and in the order given",
    rules: ["V1", "V2", "V4", "V5", "V6", "V7", "C1", "P2", "P7", "P8"],
    needs: ["a function that makes it"],
    draw: () => fc.constant({}),
    *holds(table, _, { apiKey }) {
      const model = new Subject(referenceService(table.setting.data), { apiKey });
      const reference = yield* Table.of(model, table.setting);
      expectSame("all records", table.all, reference.all);
      expectSame("one by one", yield* table.askOneByOne({}), yield* reference.askOneByOne({}));
    },
  }),
  defineLaw({
    name: "records are plain, and have the contract's fields in wire form",
    rules: ["V1", "P8", "R1"],
    draw: oneQuery,
    *holds(table, { query }) {
      const { fields } = table.setting.operation === "searchFiles" ? File : Contact;
      const names = Object.keys(fields).join(", ");
      for (const { record } of yield* table.ask(query)) {
        const own = Object.keys(record).join(", ");
        expect(own === names, () => `fields: expected ${names}, found ${own}`);
        for (const [name, value] of Object.entries(record)) {
          const isWire = typeof value === "string" || value === null;
          expect(isWire, () => `${name} is of type ${typeof value}`);
        }
        const prototype: unknown = Object.getPrototypeOf(record);
        expect(prototype === Object.prototype || prototype === null, () => "a record is not plain");
      }
    },
  }),
  defineLaw({
    name: "records are frozen",
    rules: ["R1"],
    needs: ["answers that are not sent as JSON"],
    draw: oneQuery,
    *holds(table, { query }) {
      for (const found of yield* table.ask(query)) {
        expect(Object.isFrozen(found.record), () => `not frozen: ${listed([found])}`);
      }
    },
  }),
  defineLaw({
    name: "List Fields leave the Contact fields as they are, whatever their names",
    rules: ["P8", "E11"],
    about: "getBatchContacts",
    needs: ["a function that makes it"],
    draw: () => fc.constant({}),
    *holds({ setting, all }, _, { make }) {
      const data = { ...setting.data, batches: withoutListFields(setting.data.batches) };
      const bare = yield* Table.of(yield* make(copyOf(data)), { ...setting, data });
      const differs = difference(all, bare.all);
      expect(differs === undefined, () => `beside List Fields, ${differs}`);
    },
  }),
  defineLaw({
    name: "every List has its key",
    rules: ["P7"],
    about: "getBatchContacts",
    draw: oneQuery,
    *holds(table, { query }) {
      const result = membersOf(yield* table.result(query), "the result");
      const expected = listIdsOf(table.setting).toSorted().join(", ");
      const keys = Object.keys(result).sort().join(", ");
      expect(keys === expected, () => `keys: expected ${expected}, found ${keys}`);
    },
  }),
  defineLaw({
    name: "an answer does not depend on earlier queries",
    rules: ["R2"],
    draw: (setting) =>
      fc.record({
        query: anyQuery(setting),
        others: fc.array(anyQuery(setting), { minLength: 1, maxLength: 4 }),
      }),
    *holds(table, { query, others }, { make }) {
      const fresh = yield* make(copyOf(table.setting.data));
      const first = yield* (yield* Table.of(fresh, table.setting)).ask(query);
      // The same with one part changed: what a cache with a careless key takes for the same query.
      const varied = others.flatMap((other) =>
        PARAMETERS.map((name) => ({ ...query, [name]: other[name] })),
      );
      for (const other of [...others, ...varied]) yield* table.ask(other);
      expectSame("after other queries", yield* table.ask(query), first);
    },
  }),
  defineLaw({
    name: "a result is the caller's own",
    rules: ["R1", "R2"],
    draw: oneQuery,
    *holds(table, { query }) {
      const before = yield* table.ask(query);
      empty(yield* table.result(query));
      expectSame("after the caller emptied a result", yield* table.ask(query), before);
      expectSame("without criteria, after that", yield* table.ask({}), table.all);
    },
  }),
  defineLaw({
    name: "a query changes nothing that is passed in, and keeps nothing of it",
    rules: ["C11", "R2"],
    draw: oneQuery,
    *holds(table, { query }) {
      const given = copyOf(query);
      const before = yield* table.ask(given);
      expect(fc.stringify(given) === fc.stringify(query), () => `became ${fc.stringify(given)}`);
      empty(given.criteria);
      expectSame("after the criteria were emptied", yield* table.ask(query), before);
    },
  }),
  defineLaw({
    name: "a service neither changes nor keeps the data that it is made of",
    rules: ["R2"],
    needs: ["a function that makes it"],
    draw: oneQuery,
    *holds({ setting }, { query }, { make }) {
      const data = copyOf(setting.data);
      const table = yield* Table.of(yield* make(data), setting);
      const before = yield* table.ask(query);
      const isSame = fc.stringify(data) === fc.stringify(setting.data);
      expect(isSame, () => `the data became ${fc.stringify(data)}`);
      empty(data);
      expectSame("after the data was emptied", yield* table.ask(query), before);
    },
  }),
];
