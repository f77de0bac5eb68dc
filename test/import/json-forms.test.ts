// JSON as other programs write it: the same records in an array, on lines, in sequence, or within an object.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  inferSchema,
  loadCollection,
  readJson,
  readNdjson,
  readRecords,
  type FoundFormat,
  type Refused,
} from "../../src/import/index.ts";
import { float, InputError, int, defineSchema } from "../../src/index.ts";
import { settings } from "../property.ts";
import { thrownBy } from "../rules/fixtures.ts";
import { pieceSize } from "./nasty.ts";
import { encode, pieces } from "./pieces.ts";

const name = fc.constantFrom("a", "b", "id", "__proto__", "x y", "é");
const leaf = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.boolean());
const record = fc
  .dictionary(name, fc.oneof(leaf, fc.array(leaf, { maxLength: 3 })), {
    minKeys: 1,
    noNullPrototype: true,
  })
  .map((each) => JSON.parse(JSON.stringify(each)) as Record<string, unknown>);
const records = fc.array(record, { minLength: 2, maxLength: 6 });

type Write = (all: readonly object[]) => string;
const forms: Readonly<Record<string, Write>> = {
  array: (all) => JSON.stringify(all),
  pretty: (all) => JSON.stringify(all, null, 2),
  lines: (all) => all.map((each) => JSON.stringify(each)).join("\n"),
  concatenated: (all) => all.map((each) => JSON.stringify(each)).join(""),
  prettyValues: (all) => all.map((each) => JSON.stringify(each, null, 2)).join("\n"),
  arrays: (all) => all.map((each) => JSON.stringify([each], null, 1)).join(" \n"),
  within: (all) =>
    JSON.stringify({ status: "ok", data: { count: all.length, items: all }, tags: ["x"] }),
  withinPretty: (all) => JSON.stringify({ items: all, more: {} }, null, 1),
};

test("the same records are read in each form, whatever the name, and wherever the text is cut", () => {
  fc.assert(
    fc.property(records, fc.constantFrom(...Object.keys(forms)), pieceSize, (all, form, size) => {
      const bytes = encode(forms[form]?.(all) ?? "");
      const isWithin = form.startsWith("within");
      for (const file of isWithin ? ["x.json"] : ["x.json", "x.ndjson", "x", ""]) {
        const read = [...readRecords(pieces(bytes, size), { name: file })];
        expect(read).toStrictEqual(all);
      }
      expect([...readJson(pieces(bytes, size))]).toStrictEqual(all);
      const schema = inferSchema(readJson(bytes));
      expect(loadCollection(schema, readJson(pieces(bytes, size), { schema })).size).toBe(
        all.length,
      );
    }),
    settings(300),
  );
});

describe("an array within an object", () => {
  const text = '{"data":{"items":[{"id":1},{"id":2}],"other":[{"x":1}]},"n":[1]}';
  const foundIn = (json: string) => {
    let found: FoundFormat = {};
    const all = [...readJson(json, { onFormat: (part) => (found = { ...found, ...part }) })];
    return { all, ...found };
  };

  test("is found by its name, or as the only member; others are named", () => {
    expect(foundIn('{"n":[1],"data":{"items":[{"id":1}]}}')).toMatchObject({
      ...{ all: [{ id: 1 }], at: "data.items" },
    });
    expect(foundIn('{"users":{"all":[{"id":1}]}}')).toMatchObject({
      ...{ all: [{ id: 1 }], at: "users.all" },
    });
    expect(foundIn(text)).toMatchObject({ all: [{ id: 1 }, { id: 2 }], at: "data.items" });
    const order = { id: 1, lines: [{ sku: "a" }], data: { none: null, some: [{}] } };
    expect(foundIn(JSON.stringify(order))).toMatchObject({
      ...{ all: [order], arrays: ["lines", "data.some"] },
    });
    expect([...readJson(text, { at: "data.other" })]).toEqual([{ x: 1 }]);
    expect([...readJson(text, { at: "" })]).toEqual([JSON.parse(text)]);
    const ambiguous = '{"items":[{"id":1}],"total":1,"results":[]}';
    expect(thrownBy(InputError, () => [...readJson(ambiguous)]).reason).toBe(
      'has several arrays that may be the records; set the option at to "items" or "results", or to "" if the object is one record',
    );
    expect([...readJson(ambiguous, { at: "results" })]).toEqual([]);
    expect([...readRecords(`${text}\n${text}`, { at: "data.items" })]).toHaveLength(4);
  });

  const anyName = fc.constantFrom("data", "items", "value", "errors", "notes", "0", "__proto__");
  const some = fc.array(fc.record({ id: fc.nat() }), { maxLength: 2 });
  const shape = fc.dictionary(
    anyName,
    fc.oneof(
      fc.constant("array" as const),
      fc.constant("leaf" as const),
      fc.dictionary(anyName, fc.constant("array" as const), { maxKeys: 2 }),
    ),
    { minKeys: 1, maxKeys: 3 },
  );

  test("is another one only if the names are others, however many records there are", () => {
    fc.assert(
      fc.property(shape, fc.infiniteStream(some), fc.infiniteStream(some), (made, one, two) => {
        const textOf = (arrays: Iterator<object[]>) =>
          JSON.stringify(made, (_, value: unknown) =>
            value === "array" ? (arrays.next().value as object[]) : value,
          );
        const placeIn = (json: string) => {
          try {
            return foundIn(json).at;
          } catch (thrown) {
            return String(thrown);
          }
        };
        expect(placeIn(textOf(one))).toBe(placeIn(textOf(two)));
      }),
      settings(200),
    );
  });

  test("is looked for in bounded time", () => {
    const depth = 200_000;
    const deep = `${'{"data":'.repeat(depth)}[{"a":1}]${"}".repeat(depth)}`;
    expect(foundIn(deep).at).toBeUndefined();
  });

  test("has its path in errors, and must be there", () => {
    const schema = defineSchema({ id: int() });
    const json = '{"data":{"items":[{"id":1},{"id":"x"}]}}';
    expect(thrownBy(InputError, () => [...readJson(json, { schema })]).path).toBe(
      "data.items[1].id",
    );
    for (const at of ["items", "data", "data.items.id"]) {
      expect(thrownBy(InputError, () => [...readJson(json, { at })]).reason).toContain(
        `has no array at ${at}`,
      );
    }
  });
});

describe("NaN and infinities", () => {
  const line = '{"a":NaN,"b":"NaN, \\"Infinity\\"","c":[-Infinity,Infinity,1]}';
  const expected = { a: null, b: 'NaN, "Infinity"', c: [null, null, 1] };

  test("are null if an option says so, in each form", () => {
    const nonFinite = "null";
    for (const text of [line, `[${line}]`, `{"items":[${line}]}`, `${line}${line}`]) {
      expect([...readJson(text, { nonFinite })][0]).toEqual(expected);
      expect(() => [...readJson(text)]).toThrow(/is not JSON: unexpected/);
    }
    expect([...readNdjson(`${line}\n`, { nonFinite })]).toEqual([expected]);
    const schema = defineSchema({ a: float({ nullable: true }) });
    for (const read of [
      readJson('[{"a":NaN},{"a":1}]', { schema, nonFinite }),
      readNdjson('{"a":NaN}\n{"a":1}', { schema, nonFinite }),
    ]) {
      expect(loadCollection(schema, read).query()).toEqual([{ a: null }, { a: 1 }]);
    }
  });

  test("keep the place of another fault", () => {
    const bad = '[{"a":NaN,"b":-Infinity},{"a":1 2}]';
    expect(thrownBy(InputError, () => [...readJson(bad, { nonFinite: "null" })]).message).toBe(
      `records[1]: is not JSON: unexpected '2' at byte ${bad.indexOf("2}")}`,
    );
  });
});

describe("flattened records", () => {
  const nested = fc.letrec<{ value: unknown; object: object }>((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(leaf, { maxLength: 2 }), tie("object")),
    object: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  })).object;

  const flat = (value: unknown, path: readonly string[]): [string, unknown][] =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([key, each]) => flat(each, [...path, key]))
      : [[path.join("."), value]];

  test("have a member for each leaf, named by its path", () => {
    fc.assert(
      fc.property(fc.array(nested, { minLength: 2 }), pieceSize, (all, size) => {
        const text = encode(JSON.stringify(all));
        const read = [...readJson(pieces(text, size), { flatten: true })];
        expect(read).toEqual(all.map((each) => Object.fromEntries(flat(each, []))));
      }),
      settings(200),
    );
  });

  test("must not have two of one name", () => {
    const text = '{"a.b":1,"a":{"b":2}}\n{"a":{"b":3}}\n';
    const refused: Refused[] = [];
    const skipInvalid = (each: Refused) => refused.push(each);
    expect([...readNdjson(text, { flatten: true, skipInvalid })]).toEqual([{ "a.b": 3 }]);
    expect(refused).toMatchObject([
      { place: "line 1", reason: 'has two values for "a.b" when it is flattened' },
    ]);
  });
});
