// A schema in a file reads back unchanged, also in the formats of earlier files.

import { describe, expect, test } from "vitest";
import { boolean, defineSchema, File, float, int, json, string, strings } from "../../src/index.ts";
import { schemaOfEntries } from "../../src/schema/schema.ts";
import { readSavedSchema, writeSavedSchema } from "../../src/schema/schema-json.ts";
import { wireSchema } from "../wire-schema.ts";

const Order = defineSchema({
  id: int({ unique: true, default: 7 }),
  total: float({ default: 0.5 }),
  state: string({ oneOf: ["open", "closed"], default: "open" }),
  note: string({ nullable: true, searchable: false, stored: false }),
  city: string({ ignoreCase: true }),
  paid: boolean({ default: true }),
  tags: strings({ default: ["a", "a"] }),
  words: strings({ nullable: true, searchable: false, stored: false }),
  meta: json({ default: { a: [1] } }),
  text: json({ default: "1" }),
  any: json({ nullable: true }),
});

const reread = (json: unknown) => readSavedSchema(JSON.parse(JSON.stringify(json)));

test.each([
  ["all options", Order],
  ["texts", wireSchema({ a: int({ default: "0" }) })],
  ["Files", File],
  [
    "names like numbers",
    schemaOfEntries([...["b", "2", "1"].map((name) => [name, int()] as const)], "values"),
  ],
])("with %s", (_, schema) => {
  const { form, places } = reread(writeSavedSchema(schema));
  expect(form).toBe(schema.form);
  expect(places).toEqual(schema.places);
});

describe("of earlier files", () => {
  const fields = [
    {
      ...{ name: "id", type: "int", nullable: false, searchable: true, stored: true, unique: true },
      default: "7",
    },
    {
      ...{ name: "note", type: "string", nullable: true, searchable: false, stored: false },
      ...{ unique: false, default: null },
    },
  ];
  const declared = { id: Order.fields.id, note: Order.fields.note };

  test("each field has all of its options", () => {
    const meta = { name: "meta", type: "json", nullable: false, default: '{"a":[1]}' };
    const schema = reread({ form: "values", fields: [...fields, meta] });
    expect(schema.fields).toEqual({ ...declared, meta: Order.fields.meta });
  });

  test("before there were forms, the schema is the list of its fields", () => {
    const schema = reread(fields);
    expect([schema.form, schema.fields]).toEqual(["wire", declared]);
  });
});

test.each([
  [5, "schema: must be an object, not 5"],
  [{ fields: {} }, "schema.fields: must be a list of fields, not an object"],
  [[5], "schema.fields: has undefined as the name of a field"],
  [[], "schema.fields: needs at least one field"],
  [[{ name: "a", type: "int" }, { name: "a" }], 'schema.fields: has "a" as the name of a field'],
  [
    { fields: [{ name: "a", type: "json", default: "{" }] },
    "schema.fields.a: a json field has a string that is not JSON",
  ],
])("%j is refused: %s", (given, message) => {
  expect(() => readSavedSchema(given)).toThrow(message);
});
