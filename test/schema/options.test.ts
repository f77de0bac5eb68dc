// The options of int() and string(): each is checked, and a default has wire form whatever form it was given in.

import { describe, expect, test } from "vitest";
import { openCollection, saveCollection } from "../../src/arrow/index.ts";
import { createCollection, defineSchema, int, SchemaError, string } from "../../src/index.ts";
import { grouped, thrownBy, untyped } from "../rules/fixtures.ts";

describe("the default of an int field", () => {
  test.each([[0], [0n], ["0"], [-0]])("%o is the text 0, and the number in a record", (given) => {
    const Thing = defineSchema({ id: int(), n: int({ default: given }) });
    expect(Thing.fields.n.default).toBe("0");
    expect(createCollection(Thing, [{ id: 1 }]).at(0)).toEqual({ id: 1, n: 0 });
  });

  test("records that leave the field out sort by number among the others", () => {
    const Thing = defineSchema({ id: int(), n: int({ default: 5 }) });
    const things = createCollection(Thing, [{ id: 1, n: 10 }, { id: 2 }, { id: 3, n: -1 }]);
    const sorted = things.query({ sortBy: "n", sortOrder: "ASC" });
    expect(sorted.map(({ n }) => n)).toEqual([-1, 5, 10]);
    expect(things.count([["n", "exactly", 5]])).toBe(1);
  });

  test("null is one where the field may be null", () => {
    expect(int(untyped({ nullable: true, default: null })).default).toBeNull();
    expect(int({ nullable: true, default: 7n }).default).toBe("7");
    expect(int({ nullable: true }).default).toBeNull();
    expect(int().default).toBeUndefined();
  });
});

const MAKERS = "must be made by int(), float(), boolean(), string(), strings(), json() or time()";
const INTEGER =
  "must be an integer of magnitude at most 2^53 − 1, as a number, a bigint or a canonical decimal string";

test.each(
  grouped<() => unknown>({
    "default: must not be null": { "a default of null": () => int(untyped({ default: null })) },
    [`default: ${INTEGER}, not 1.5`]: {
      "a default that is no integer": () => int({ default: 1.5 }),
    },
    [`default: ${INTEGER}, not "01"; write 1 or "1"`]: {
      "a default with a leading zero": () => int({ default: "01" }),
    },
    'default: must be a string, not 5; write "5"': {
      "a number for a string": () => string(untyped({ default: 5 })),
    },
    'default: must be well-formed Unicode; "\\ud83d" holds a lone surrogate': {
      "half a character": () => string({ default: "\ud83d" }),
    },
    'default: must be "a" or "b", not "c"': {
      "a default that is none of the values": () => string({ oneOf: ["a", "b"], default: "c" }),
    },
    ...Object.fromEntries(
      ["nullable", "searchable", "stored", "unique"].map((name) => [
        `${name}: must be true or false, not "yes"`,
        { [`a word for ${name}`]: () => int(untyped({ [name]: "yes" })) },
      ]),
    ),
    "unique: must be true or false, not null": {
      "null for unique": () => int(untyped({ unique: null })),
    },
    'oneOf: must be an array, not "ab"': {
      "oneOf that is a word": () => string(untyped({ oneOf: "ab" })),
    },
    "oneOf: needs at least one value": { "oneOf of nothing": () => string({ oneOf: [] }) },
    "oneOf: must hold strings of well-formed Unicode, not 5": {
      "oneOf with a number": () => string(untyped({ oneOf: ["a", 5] })),
    },
    'oneOf: must hold strings of well-formed Unicode, not "\\ud83d"': {
      "oneOf with half a character": () => string({ oneOf: ["\ud83d"] }),
    },
    'oneOf: has "a" twice': { "oneOf with a value twice": () => string({ oneOf: ["a", "a"] }) },
    'int(): has no member "oneOf"; use "nullable", "searchable", "stored", "unique", "default", "path", "compute", "references" or "onRemove"':
      {
        "oneOf for an int field": () => int(untyped({ oneOf: ["1"] })),
      },
    'string(): has no member "optional"; use "nullable", "searchable", "stored", "unique", "default", "path", "compute", "references", "onRemove", "oneOf", "ignoreCase" or "ignoreAccents"':
      { "an option that is not there": () => string(untyped({ optional: true })) },
    "int(): must be an object, not null": { "options that are none": () => int(untyped(null)) },
    "int(): could not be read": {
      "options that can't be read": () =>
        int({
          get nullable(): boolean {
            throw new Error("no");
          },
        }),
    },
    "fields: must be an object, not null": {
      "fields that are none": () => defineSchema(untyped(null)),
    },
    "a schema needs at least one field": { "no field": () => defineSchema({}) },
    [`fields.a: ${MAKERS}, not "int"`]: {
      "a field that is none": () => defineSchema(untyped({ a: "int" })),
    },
    [`fields.a: ${MAKERS}, not an object of another copy of tercet; load the package either with import or with require`]:
      { "a field of another copy": () => defineSchema(untyped({ a: { ...int() } })) },
  }),
)("%s makes no schema", (_what, make, message) => {
  expect(thrownBy(SchemaError, make).message).toBe(message);
});

test("an option that is not what it has to be is refused in the same words by all who read options", () => {
  const things = createCollection(defineSchema({ id: int() }), [{ id: 1 }]);
  const bytes = saveCollection(things);
  const readers: [read: () => unknown, message: string][] = [
    [() => things.explain({}, untyped({ analyze: 1 })), "options.analyze: must be true or false"],
    [() => openCollection(bytes, untyped({ verify: 1 })), "options.verify: must be true or false"],
    [() => openCollection(bytes, untyped({ shared: 1 })), "options.shared: must be true or false"],
    [() => saveCollection(things, untyped({ orders: null })), 'options.orders: must be "used", '],
    [() => things.countBy("id", [], untyped({ limit: 1.5 })), "options.limit: must be a non-neg"],
  ];
  for (const [read, message] of readers) expect(read).toThrow(message);
});
