// A field may have any name, even one like an array index, which JavaScript puts before all others, or
// one that every object inherits. Each value stays with its field.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compileCriteria,
  createCollection,
  createService,
  defineSchema,
  InputError,
  int,
  readSchema,
  SchemaError,
  string,
  writeSchema,
  type ListFieldType,
  type Schema,
} from "../../src/index.ts";
import { schemaOf } from "../../src/schema/schema.ts";
import { settings } from "../property.ts";
import { aContact, CONTACT_FIELDS, thrownBy, untyped } from "../rules/fixtures.ts";
import { wireSchema } from "../wire-schema.ts";

const NAMES = [
  ...["0", "7", "2024", "4294967294", "4294967295", "01", "-1", "1e3", "", " ", "a", "A", "é"],
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "then", "length", "fields", "list"],
];

/** Own members all, `__proto__` included. */
const own = <Value>(entries: Iterable<readonly [string, Value]>) => Object.fromEntries(entries);

describe("List Fields of any name", () => {
  const listFields = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom(...NAMES),
      type: fc.constantFrom<ListFieldType>("int", "string"),
      value: fc.constantFrom("1", "2", "33"),
    }),
    { selector: ({ name }) => name, minLength: 1, maxLength: 6 },
  );
  const textForm = own(
    Object.entries<unknown>({ ...aContact(1) }).map(([name, value]) => [
      name,
      typeof value === "number" ? `${value}` : value,
    ]),
  );

  test("a List Field called 2024 leaves the Contact fields where they are", () => {
    const contact = { send_id: 11, contact_id: 12, contact_email: "a@b.c", fields: { 2024: "x" } };
    const lists = [{ id: 1, fields: { 2024: "string" as const }, contacts: [contact] }];
    const service = createService({ batches: [{ id: 1, lists }] });
    expect(service.getBatchContacts(1, [["2024", "exactly", "x"]])["1"]).toEqual([
      expect.objectContaining({
        send_id: "11",
        contact_id: "12",
        contact_email: "a@b.c",
        send_status: "pending",
      }),
    ]);
  });

  test("records keep the contract's fields, their order and their values, through updates too", () => {
    fc.assert(
      fc.property(listFields, (given) => {
        const fields = own(given.map(({ name, type }) => [name, type]));
        const values = own(given.map(({ name, value }) => [name, value]));
        const service = createService({
          batches: [
            { id: 1, lists: [{ id: 1, fields, contacts: [{ ...aContact(1), fields: values }] }] },
          ],
        });
        const found = (name: string, value: string) =>
          service.getBatchContacts(1, [[name, "exactly", value]], null, null, name)["1"];
        const check = (expected: Readonly<Record<string, unknown>>) => {
          for (const { name, value } of given) {
            expect(found(name, value)).toEqual([expect.objectContaining(expected)]);
            expect(found(name, `${value}0`)).toEqual([]);
          }
          const [record] = service.getBatchContacts(1)["1"] ?? [];
          expect(Object.keys(record ?? {})).toEqual(CONTACT_FIELDS.map(([name]) => name));
        };
        check(textForm);
        const { inversePatches } = service.update((draft) => {
          const batch = draft.batches["1"];
          if (batch === undefined) return;
          batch.contacts = batch.contacts.update(null, (contact) => {
            contact.links_clicked = "77";
          });
        });
        check({ ...textForm, links_clicked: "77" });
        service.applyPatches(inversePatches);
        check(textForm);
      }),
      settings(200),
    );
  });

  test("a recipe reads and changes each of them under its own name", () => {
    fc.assert(
      fc.property(listFields, (given) => {
        const fields = own(given.map(({ name, type }) => [name, type]));
        const values = own(given.map(({ name, value }) => [name, value]));
        const contacts = [{ ...aContact(1), fields: values }];
        const batches = [{ id: 1, lists: [{ id: 1, fields, contacts }] }];
        for (const { name, value } of given) {
          const service = createService({ batches });
          service.update((draft) => {
            const batch = draft.batches["1"];
            if (batch === undefined) return;
            batch.contacts = batch.contacts.update(null, (contact) => {
              const own: Record<string, unknown> = contact.fields ?? {};
              expect(own[name]).toBe(value);
              own[name] = "5";
            });
          });
          for (const other of given) {
            const expected = other.name === name ? "5" : other.value;
            expect(
              service.getBatchContacts(1, [[other.name, "exactly", expected]])["1"],
            ).toHaveLength(1);
          }
        }
      }),
      settings(100),
    );
  });
});

describe("a schema with fields of any name", () => {
  interface Given {
    readonly name: string;
    readonly type: ListFieldType;
    readonly stored: boolean;
    readonly value: string;
  }
  const given = fc.uniqueArray(
    fc.record<Given>({
      name: fc.constantFrom(...NAMES),
      type: fc.constantFrom<ListFieldType>("int", "string"),
      stored: fc.boolean(),
      value: fc.constantFrom("1", "2", "33"),
    }),
    { selector: ({ name }) => name, minLength: 1, maxLength: 8 },
  );
  const schemaFor = (fields: readonly Given[]): Schema =>
    wireSchema(
      own(
        fields.map(({ name, type, stored }) => [
          name,
          type === "int" ? int({ stored }) : string({ stored }),
        ]),
      ),
    );
  const recordOf = (fields: readonly Given[]) =>
    own(fields.map(({ name, value }) => [name, value]));

  test("each value is held, found and sorted by under its own name", () => {
    fc.assert(
      fc.property(given, (fields) => {
        const schema = schemaFor(fields);
        const record = recordOf(fields);
        const collection = createCollection(schema, [untyped(record)]);
        const stored = own(
          fields.filter((field) => field.stored).map(({ name, value }) => [name, value]),
        );
        const entries = (from: object | undefined) => Object.entries(from ?? {}).sort();
        expect(entries(collection.at(0))).toEqual(entries(stored));
        for (const { name, value } of fields) {
          expect(collection.count([[name, "exactly", value]])).toBe(1);
          expect(collection.count([[name, "not", value]])).toBe(0);
          expect(compileCriteria(schema, [[name, "exactly", value]])(record)).toBe(true);
          expect(compileCriteria(schema, [[name, "not", value]])(record)).toBe(false);
          expect(collection.query({ sortBy: name })).toHaveLength(1);
        }
      }),
      settings(300),
    );
  });

  test("a recipe changes one, its patches undo it, and no other field moves", () => {
    fc.assert(
      fc.property(given, fc.nat(), (fields, pick) => {
        const { name = "" } = fields[pick % fields.length] ?? {};
        const before = createCollection(schemaFor(fields), [untyped(recordOf(fields))]);
        const { collection, inversePatches } = before.withPatches((all) =>
          all.update(null, (draft) => {
            draft[name] = "5";
          }),
        );
        const undone = collection.applyPatches(inversePatches);
        for (const { name: other, value } of fields) {
          const expected = other === name ? "5" : value;
          expect(collection.count([[other, "exactly", expected]])).toBe(1);
          expect(undone.count([[other, "exactly", value]])).toBe(1);
        }
      }),
      settings(300),
    );
  });
});

describe("the order of fields", () => {
  const ordered = fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 });

  test("is what the option says, and JSON keeps it", () => {
    fc.assert(
      fc.property(ordered, (order) => {
        const fields = own(order.map((name) => [name, string()]));
        const schema = defineSchema(fields, { order });
        const json: unknown = JSON.parse(JSON.stringify(writeSchema(schema)));
        for (const { places } of [schema, readSchema(json)]) {
          expect(places.map(({ name }) => name)).toEqual(order);
        }
      }),
      settings(100),
    );
  });

  test("JSON has no order where the object keeps it", () => {
    expect(writeSchema(defineSchema({ 7: int(), a: int() }))).not.toHaveProperty("order");
    const given = defineSchema({ 7: int(), a: int() }, { order: ["a", "7"] });
    expect(writeSchema(given)).toHaveProperty("order", ["a", "7"]);
  });

  test.each([
    ["a", 'order: must be a list of the names of fields, not "a"'],
    [["a", "b", "a"], 'order[2]: repeats "a"'],
    [["a"], 'order: lacks the field "b"'],
    [["b", "c"], 'order[1]: unknown field "c"'],
    [["b", 1], "order[1]: unknown field 1"],
    [new Array(2), "order[0]: unknown field undefined"],
  ])("%j names not each field once", (order, message) => {
    const wrong = thrownBy(SchemaError, () =>
      defineSchema({ a: int(), b: int() }, untyped({ order })),
    );
    expect(wrong.message).toBe(message);
    const read = thrownBy(InputError, () =>
      readSchema({ fields: { a: { type: "int" }, b: { type: "int" } }, order }),
    );
    expect(read.message).toBe(`schema.${message}`);
  });
});

test("a function that puts a value under another field's name makes no schema", () => {
  const wrong = thrownBy(SchemaError, () =>
    schemaOf(
      { a: int(), b: int() },
      { form: "wire", create: ([a = null, b = null]) => ({ a: b, b: a }) },
    ),
  );
  expect(wrong.message).toBe("fields.a: its value is stored under another name");
});
