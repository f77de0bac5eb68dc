// Is a collection the same after saving and opening it?

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collectionPieces, openCollection, saveCollection } from "../../src/arrow/index.ts";
import {
  createCollection,
  defineSchema,
  int,
  string,
  strings,
  type Field,
  type Schema,
} from "../../src/index.ts";
import { inputRecords } from "../../src/testing/index.ts";
import { settings } from "../property.ts";
import { columnsOf, Nasty, nastyCollection, Tagged, taggedCollection } from "./fixtures.ts";
import { wireSchema } from "../wire-schema.ts";

describe.each(["used", "all", "none"] as const)("with orders: %s", (orders) => {
  test.each([0, 1, 2, 255, 600])("arrays of strings of %i records are what they were", (count) => {
    const collection = taggedCollection(count).prepare({ match: ["tags"] });
    const opened = openCollection(saveCollection(collection, { orders }), {
      schema: Tagged,
      verify: true,
    });
    expect([...opened]).toEqual([...collection]);
    expect(columnsOf(opened)).toEqual(columnsOf(collection));
    expect(saveCollection(opened, { orders: "none" })).toEqual(
      saveCollection(collection, { orders: "none" }),
    );
    const changed = opened
      .update([["tags", "has", "a"]], (draft) => {
        draft.tags = ["new", "a"];
        draft.again = null;
      })
      .remove([["again", "has_any", ["", "10"]]])
      .insert([{ id: 2_000_000, tags: ["x"], name: "" }]);
    const again = openCollection(saveCollection(changed, { orders }), { verify: true });
    expect([...again]).toEqual([...changed]);
    expect(columnsOf(again)).toEqual(columnsOf(changed));
  });

  test.each([0, 1, 2, 255, 256, 257, 600])("%i records are what they were", (count) => {
    const collection = nastyCollection(count).prepare({ sort: ["text", "number"] });
    const opened = openCollection(saveCollection(collection, { orders }), { schema: Nasty });
    expect(opened.schema).toBe(Nasty);
    expect([...opened]).toEqual([...collection]);
    expect(columnsOf(opened)).toEqual(columnsOf(collection));
    expect(saveCollection(opened, { orders: "none" })).toEqual(
      saveCollection(collection, { orders: "none" }),
    );
  });
});

test("records of any schema are what they were", () => {
  const names = fc.constantFrom("a", "b", "2024", "0", "__proto__", "constructor", "é", "");
  const options = fc.record({ nullable: fc.boolean(), stored: fc.boolean(), unique: fc.boolean() });
  const schemas = fc
    .uniqueArray(fc.tuple(names, fc.nat({ max: 2 }), options), {
      minLength: 1,
      selector: ([name]) => name,
    })
    .map((given) => {
      const fields = Object.fromEntries(
        given.map(([name, kind, { unique, ...options }]): [string, Field] => {
          if (kind === 2) return [name, strings(options)];
          return [name, kind === 1 ? int({ ...options, unique }) : string({ ...options, unique })];
        }),
      );
      // Records in wire form have no arrays.
      return given.some(([, kind]) => kind === 2) ? defineSchema(fields) : wireSchema(fields);
    });
  fc.assert(
    fc.property(
      schemas.chain((schema: Schema) => fc.tuple(fc.constant(schema), inputRecords(schema))),
      ([schema, records]) => {
        const collection = createCollection(schema, records);
        const opened = openCollection(saveCollection(collection), { verify: true });
        expect(opened.schema.fields).toEqual(schema.fields);
        expect(opened.schema.places).toEqual(schema.places);
        expect([...opened]).toEqual([...collection]);
        expect(columnsOf(opened)).toEqual(columnsOf(collection));
      },
    ),
    settings(60),
  );
});

test("the pieces, put together, are the bytes", () => {
  const collection = nastyCollection(700);
  const pieces = [...collectionPieces(collection, { orders: "all" })];
  expect(Buffer.concat(pieces)).toEqual(Buffer.from(saveCollection(collection, { orders: "all" })));
  expect(pieces.length).toBeGreaterThan(50);
});

test("a collection that was changed is saved as it is", () => {
  const collection = nastyCollection(400)
    .remove([["positive", "less_than", 100]])
    .update([["positive", "greater_than", 390]], (draft) => {
      draft.text = "changed";
    })
    .insert([{ id: 5_000_000, positive: 1, constructor: null }]);
  const opened = openCollection(saveCollection(collection));
  expect([...opened]).toEqual([...collection]);
  expect(columnsOf(opened)).toEqual(columnsOf(collection));
});

test("rows keep their keys, and new ones get others", () => {
  const before = nastyCollection(20).remove([["positive", "less_than", 5]]);
  const opened = openCollection(saveCollection(before), { schema: Nasty });
  const recipe = (draft: { text: string | null }) => {
    draft.text = "changed";
  };
  const select = [["positive", "exactly", 7]] as const;
  const { patches } = opened.withPatches((all) => all.update(select, recipe));
  expect(patches).toEqual(before.withPatches((all) => all.update(select, recipe)).patches);
  expect([...before.applyPatches(patches)]).toEqual([...opened.applyPatches(patches)]);
  const more = [{ id: 2_000_000, positive: 1, constructor: null }];
  expect(opened.withPatches((all) => all.insert(more)).patches).toEqual(
    before.withPatches((all) => all.insert(more)).patches,
  );
});

test("a schema that is not the file's is refused, and the field named", () => {
  const bytes = saveCollection(createCollection(wireSchema({ a: int(), b: string() }), []));
  const open = (schema: Schema) => () => openCollection(bytes, { schema });
  expect(open(wireSchema({ a: int() }))).toThrow(
    "options.schema.fields.b: is missing from the schema; the file has it",
  );
  expect(open(wireSchema({ a: int(), b: string(), c: int() }))).toThrow(
    "options.schema.fields.c: is not in the file",
  );
  expect(open(wireSchema({ a: string(), b: string() }))).toThrow(
    'options.schema.fields.a: has type "string", in the file "int"',
  );
  expect(open(wireSchema({ a: int(), b: string({ nullable: true }) }))).toThrow(
    "options.schema.fields.b: has nullable true, in the file false",
  );
});

test("values that are not options are refused", () => {
  const collection = nastyCollection(1);
  expect(() => saveCollection(collection, { orders: "some" as "all" })).toThrow(
    'options.orders: must be "used", "all" or "none", not "some"',
  );
  const bytes = saveCollection(collection);
  expect(() => openCollection(bytes, { indexes: "some" as "none" })).toThrow("options.indexes");
  expect(() => openCollection("file" as unknown as Uint8Array)).toThrow(
    'bytes: must be a Uint8Array or a source of bytes, not "file"',
  );
});
