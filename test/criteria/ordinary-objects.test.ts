// Predicates on ordinary objects, in wire form or input form (rule C12).

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compileCriteria,
  Contact,
  createCollection,
  createService,
  File,
  InputError,
  int,
  string,
} from "../../src/index.ts";
import { criteria as anyCriteria, inputRecord } from "../../src/testing/index.ts";
import { settings } from "../property.ts";
import { aContact, thrownBy, untyped } from "../rules/fixtures.ts";
import { wireSchema } from "../wire-schema.ts";

const Thing = wireSchema({
  n: int(),
  count: int({ default: 0 }),
  maybe: int({ nullable: true }),
  text: string({ default: "" }),
  kind: string({ oneOf: ["red", "blue"], default: "red" }),
});

const select = (criterion: readonly unknown[], record: object) =>
  compileCriteria(Thing, [criterion])(untyped(record));

describe("C12 a predicate takes a record in input form", () => {
  test.each<[criterion: unknown[], record: object]>([
    [["n", "exactly", 5], { n: 5 }],
    [["n", "exactly", "5"], { n: 5n }],
    [["n", "exactly", 0], { n: -0 }],
    [["n", "greater_than", 4], { n: 5 }],
    [["n", "less_than", 6], { n: 5n }],
    [["n", "in", [4, 5]], { n: 5 }],
    [["n", "contains", 5], { n: 150 }],
    [["count", "exactly", 0], { n: 1 }],
    [["maybe", "exactly", null], { n: 1 }],
    [["maybe", "exactly", null], { n: 1, maybe: undefined }],
    [["kind", "exactly", "red"], { n: 1 }],
    [["text", "contains", ""], { n: 1 }],
    [["n", "exactly", 5], { n: "5" }],
  ])("%j selects %o", (criterion, record) => {
    expect(select(criterion, record)).toBe(true);
  });

  test("it answers like a collection of the record", () => {
    fc.assert(
      fc.property(inputRecord(Thing), anyCriteria(Thing), (record, criteria) => {
        const things = createCollection(Thing, [record]);
        const selects = compileCriteria(Thing, criteria);
        const expected = things.count(criteria) === 1;
        for (const each of [record, ...things]) expect(selects(each)).toBe(expected);
      }),
      settings(300),
    );
  });

  test("a File may omit what follows from its name", () => {
    const isPng = compileCriteria(File, [
      ["extension", "exactly", ".png"],
      ["basename", "exactly", "logo"],
    ]);
    expect(isPng(untyped({ id: 1, folder_id: 7, name: "logo.png" }))).toBe(true);
    expect(isPng(untyped({ id: 1, folder_id: 7, basename: "logo", extension: "png" }))).toBe(true);
    expect(isPng(untyped({ id: 1, folder_id: 7, name: "logo.svg" }))).toBe(false);
  });

  test("a Contact of a Batch may have its List Fields nested or beside its other fields", () => {
    const contacts = [{ ...aContact(1), fields: { Age: 44 } }];
    const lists = [{ id: 2, fields: { Age: "int" as const }, contacts }];
    const { schema } = createService({ batches: [{ id: 1, lists }] }).batches["1"]?.contacts ?? {
      schema: Contact,
    };
    const isOld = compileCriteria(schema, untyped([["Age", "greater_than", 40]]));
    expect(isOld(untyped({ ...aContact(1), list: 2, fields: { Age: 44n } }))).toBe(true);
    expect(isOld(untyped({ ...aContact(1), Age: "44" }))).toBe(true);
    expect(isOld(untyped({ ...aContact(1), fields: {} }))).toBe(false);
  });

  test("a member of a Contact's List Fields is never one of its other fields", () => {
    const lists = [{ id: 2, fields: { Age: "int" as const }, contacts: [] }];
    const schema = createService({ batches: [{ id: 1, lists }] }).batches["1"]?.contacts.schema;
    const strange = { ...aContact(1), fields: { Age: 44, send_id: 9 } };
    const isNine = compileCriteria(schema ?? Contact, [["send_id", "exactly", 9]]);
    expect(isNine(untyped(strange))).toBe(false);
    expect(schema?.["~standard"].validate(strange).issues).toEqual([
      { message: "is not a field", path: ["fields.send_id"] },
    ]);
  });
});

describe("C12 a record that the schema would reject is an error, never false", () => {
  test.each<[criterion: unknown[], record: unknown, message: RegExp]>([
    [["n", "exactly", 5], { n: 5.5 }, /^record\.n: must be an integer .*, not 5\.5$/],
    [
      ["n", "greater_than", 5],
      { n: "05" },
      /^record\.n: must be an integer .*, not "05"; write 5 or "5"$/,
    ],
    [["n", "exactly", null], { n: null }, /^record\.n: must not be null$/],
    [["n", "exactly", 5], {}, /^record\.n: is missing$/],
    [["n", "exactly", 5], Object.create({ n: 5 }), /^record\.n: is missing$/],
    [["n", "exactly", 5], { n: true }, /^record\.n: .*, not true$/],
    [["text", "contains", "a"], { text: 5 }, /^record\.text: must be a string, not 5; write "5"$/],
    [["text", "contains", "a"], { text: "\ud83d" }, /^record\.text: .* lone surrogate$/],
    [["kind", "exactly", "green"], { kind: "green" }, /^record\.kind: must be "red" or "blue"/],
    [["n", "exactly", 5], null, /^record: must be an object, not null$/],
    [["n", "exactly", 5], [5], /^record: must be an object, not an array$/],
  ])("%j of %o", (criterion, record, message) => {
    const selects = compileCriteria(Thing, [criterion]);
    const error = thrownBy(InputError, () => selects(untyped(record)));
    expect(error.message).toMatch(message);
  });

  test("every field that the criteria name is checked, whichever criterion decides", () => {
    const selects = compileCriteria(Thing, [["n", "exactly", 1], "OR", ["count", "exactly", 1]]);
    const error = thrownBy(InputError, () => selects(untyped({ n: 1, count: 1.5 })));
    expect(error.path).toBe("record.count");
  });

  test("other fields are not checked", () => {
    expect(select(["n", "exactly", 1], { n: 1, count: 1.5, other: 5 })).toBe(true);
  });

  test("a getter that throws is an InputError with its cause", () => {
    const thrown = new Error("no");
    const record = {
      get n() {
        throw thrown;
      },
    };
    const selects = compileCriteria(Thing, [["n", "exactly", 1]]);
    const error = thrownBy(InputError, () => selects(untyped(record)));
    expect(error.message).toBe("record: could not be read");
    expect(error.cause).toBe(thrown);
  });
});
