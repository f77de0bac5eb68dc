// Types are inferred from the records: whatever is written and inferred reads back equal.

import * as flechette from "@uwdata/flechette";
import fc from "fast-check";
import * as hyparquet from "hyparquet";
import * as writer from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import { booleanOf } from "../../src/schema/boolean-words.ts";
import {
  inferSchema,
  loadCollection,
  readArrow,
  readCsv,
  readJson,
  readNdjson,
  readParquet,
  readRecords,
  writeArrow,
  writeCsv,
  writeJson,
  writeNdjson,
  writeParquet,
  type AnyRecord,
  type Reading,
} from "../../src/import/index.ts";
import {
  boolean,
  createCollection,
  defineSchema,
  float,
  InputError,
  int,
  json,
  readSchema,
  type Schema,
  string,
  strings,
  writeSchema,
} from "../../src/index.ts";
import { schemaOfEntries } from "../../src/schema/schema.ts";
import { inputRecords } from "../../src/testing/index.ts";
import { settings } from "../property.ts";
import { encode, pieces } from "./pieces.ts";
import { like } from "../likeness.ts";

const NAMES = ["a", "b", "0", "__proto__", "constructor", 'q"'];
const options = fc.record({ nullable: fc.boolean() });
const field = fc.oneof(
  options.map((given) => int(given)),
  options.map((given) => float(given)),
  options.map((given) => boolean(given)),
  options.map((given) => string(given)),
  options.map((given) => strings(given)),
  options.map((given) => json(given)),
);
const schemas = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), field), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 5,
  })
  .map((fields): Schema => defineSchema(Object.fromEntries(fields)));
const given = schemas
  .chain((schema) => fc.tuple(fc.constant(schema), inputRecords(schema, { maxLength: 8 })))
  .filter(([, records]) => records.length > 0)
  .map(([schema, records]) => {
    const collection = createCollection(schema, records);
    return { schema, records: collection.query() };
  });

const typesOf = (schema: Schema) =>
  Object.fromEntries(
    schema.places.map(({ name, field: { type, nullable } }) => [
      name,
      nullable ? `${type} or null` : type,
    ]),
  );
const inferred = (text: string) => typesOf(inferSchema(readCsv(text)));
const inferredJson = (...records: unknown[]) =>
  typesOf(inferSchema(readNdjson(records.map((each) => JSON.stringify(each)).join("\n"))));

describe("what was written and inferred reads back equal", () => {
  test("from NDJSON and JSON", () => {
    fc.assert(
      fc.property(given, fc.integer({ min: 1, max: 40 }), ({ records }, size) => {
        const ndjson = encode(writeNdjson(records));
        const schema = inferSchema(readNdjson(pieces(ndjson, size)));
        expect(loadCollection(schema, readNdjson(ndjson, { schema })).query()).toEqual(records);
        const array = encode(writeJson(records));
        const same = inferSchema(readJson(pieces(array, size)));
        expect(writeSchema(same)).toEqual(writeSchema(schema));
        expect(loadCollection(same, readJson(array, { schema: same })).query()).toEqual(records);
      }),
      settings(120),
    );
  });

  test("from CSV: the same texts, or the same numbers", () => {
    fc.assert(
      fc.property(given, fc.integer({ min: 1, max: 40 }), ({ schema, records }, size) => {
        // Null in the only column would be a blank line.
        const form = { nullText: schema.places.length === 1 ? "\\N" : "" };
        const csv = encode(writeCsv(records, { schema, ...form }));
        const texts = [...readCsv(csv, form)] as Record<string, string | null>[];
        const found = inferSchema(readCsv(pieces(csv, size), form));
        expect(found.places.map(({ name }) => name)).toEqual(Object.keys(texts[0] ?? {}));
        const read = loadCollection(found, readCsv(csv, { schema: found, ...form })).query();
        for (const [i, record] of read.entries()) {
          for (const { name, field } of found.places) {
            const text = texts[i]?.[name] ?? null;
            const value = record[name];
            if (text === null || (text === "" && field.type !== "string")) expect(value).toBeNull();
            else if (field.type === "string") expect(value).toBe(text);
            else if (field.type === "json" || field.type === "strings")
              expect(value).toEqual(JSON.parse(text));
            else if (field.type === "float") expect(value === Number(text)).toBe(true);
            else if (field.type === "boolean") expect(value).toBe(booleanOf(text));
            else expect(String(value)).toBe(text);
          }
        }
        // Once more, nothing changes.
        const again = encode(writeCsv(read, { schema: found, ...form }));
        const second = inferSchema(readCsv(again, form));
        const reread = loadCollection(second, readCsv(again, { schema: second, ...form })).query();
        expect(reread).toEqual(read);
      }),
      settings(120),
    );
  });

  test("from Arrow and Parquet, with the types of the file", async () => {
    await fc.assert(
      fc.asyncProperty(given, async ({ schema, records }) => {
        const arrow = writeArrow(records, { schema });
        const ours = inferSchema(readArrow(flechette, arrow));
        expect(writeSchema(ours)).toEqual(writeSchema(schema));
        expect(loadCollection(ours, readArrow(flechette, arrow, { schema: ours })).query()).toEqual(
          records,
        );
        const parquet = writeParquet(writer, records, { schema });
        const found = await inferSchema(readParquet(hyparquet, parquet));
        expect(found.places.map(({ field }) => field.type)).toEqual(
          schema.places.map(({ field }) => field.type),
        );
        const reading = readParquet(hyparquet, parquet, { schema: found });
        expect((await loadCollection(found, reading)).query()).toEqual(records);
      }),
      settings(50),
    );
  });
});

describe("columns have the order of the file, whatever their names are", () => {
  const name = fc.oneof(
    fc.constantFrom("a", "A", "__proto__", "constructor", " ", "2024", "0", "01", "4294967295"),
    fc.constantFrom("\u{1f986}", "-1", "1.5", 'q"', "\\", "toString", "9007199254740993"),
    fc.nat(3000).map(String),
  );
  const names = fc.uniqueArray(name, { minLength: 1, maxLength: 6 });

  const quotedCell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const separated = (all: readonly string[], delimiter: string) =>
    `${all.map(quotedCell).join(delimiter)}\n${all.map((_, i) => i).join(delimiter)}\n`;
  /** The text of a record of JSON, with a name as an escape if it is asked for. */
  const recordText = (all: readonly string[], isEscaped = false) => {
    const named = (text: string) =>
      isEscaped && /^\d/.test(text)
        ? `"\\u003${text.slice(0, 1)}${JSON.stringify(text).slice(2)}`
        : JSON.stringify(text);
    return `{${all.map((text, i) => `${named(text)}:${i}`).join(",")}}`;
  };
  const flat = (all: readonly string[]) =>
    schemaOfEntries(
      all.map((text) => [text, int()] as const),
      "values",
    );
  const valuesOf = (all: readonly string[]) => [
    Object.fromEntries(all.map((text, i) => [text, i] as const)),
  ];

  type Read = (file: string | Uint8Array, more: object) => Reading<AnyRecord>;
  const bytesOf = (file: string | Uint8Array) => (typeof file === "string" ? encode(file) : file);
  const text =
    (format: "csv" | "json" | "ndjson", others: object = {}): Read =>
    (file, more) =>
      readRecords(file, { format, ...others, ...more });
  const readers: Readonly<Record<string, Read>> = {
    csv: text("csv"),
    tsv: text("csv", { delimiter: "\t" }),
    json: text("json"),
    ndjson: text("ndjson"),
    flattened: text("ndjson", { flatten: true }),
    converted: text("json", { convert: { a: Number } }),
    arrow: (file, more) => readArrow(flechette, bytesOf(file), more),
    parquet: (file, more) => readParquet(hyparquet, bytesOf(file), more),
  };
  const inputs: Readonly<Record<string, (all: readonly string[]) => string | Uint8Array>> = {
    csv: (all) => separated(all, ","),
    tsv: (all) => separated(all, "\t"),
    json: (all) => `[${recordText(all)}]`,
    ndjson: (all) => recordText(all, true),
    flattened: (all) => recordText(all),
    converted: (all) => `[${recordText(all)}]`,
    arrow: (all) => writeArrow(valuesOf(all), { schema: flat(all) }),
    parquet: (all) => new Uint8Array(writeParquet(writer, valuesOf(all), { schema: flat(all) })),
  };
  type Write = (records: Iterable<AnyRecord>, schema: Schema) => string | Uint8Array;
  const outputs: Readonly<Record<string, Write>> = {
    csv: (records, schema) => [...writeCsv(records, { schema })].join(""),
    tsv: (records, schema) => [...writeCsv(records, { schema, delimiter: "\t" })].join(""),
    json: (records, schema) => [...writeJson(records, { schema })].join(""),
    ndjson: (records, schema) => [...writeNdjson(records, { schema })].join(""),
    arrow: (records, schema) => writeArrow(records, { schema }),
    parquet: (records, schema) => new Uint8Array(writeParquet(writer, records, { schema })),
  };

  test("from any format to any", async () => {
    await fc.assert(
      fc.asyncProperty(
        names,
        fc.constantFrom(...Object.keys(inputs)),
        fc.constantFrom(...Object.keys(outputs)),
        async (all, from, to) => {
          const file = inputs[from]?.(all) ?? "";
          const read = readers[from] ?? text("csv");
          const reread = readers[to] ?? text("csv");
          const schema = await inferSchema(read(file, {}));
          expect(schema.places.map((place) => place.name)).toEqual(all);
          const loaded = await loadCollection(schema, read(file, { schema }));
          const written = outputs[to]?.(loaded.query(), schema) ?? "";
          if (to === "ndjson") expect(written).toBe(`${recordText(all)}\n`);
          if (to === "json") expect(written).toBe(`[\n${recordText(all)}\n]\n`);
          const again = await inferSchema(reread(written, {}));
          expect(again.places.map((place) => place.name)).toEqual(all);
        },
      ),
      settings(100),
    );
  });
});

describe("the type of a column of CSV", () => {
  test.each([
    ["int", ["1", "-20", "0", "9007199254740991"]],
    ["float", ["19.90", "-0.5", ".5", "1", "1e+21", "1.5e-07", "-0"]],
    ["boolean", ["true", "false"]],
    ["json", ["{}", '"[1,{""a"":null}]"']],
    // Numbers that lose something as numbers.
    ["string", ["007"]],
    ["string", ["1", "007.5"]],
    ["string", ["1", "9007199254740993"]],
    ["string", ["1.5", "100000000000000000000"]],
    ["string", ["0.5", "2.000000000000000017"]],
    ["string", ["12345678901234.567", "12345678901234.568"]],
    ["string", ["1e-400"]],
    // Doubles as programs print them, with more digits than they need.
    [
      "float",
      ["0.10000000000000001", "1.000000000000000056e-01", "0.1000000000000000055511151231"],
    ],
    ["string", ["12e4567", "1e5"]],
    ["string", ["1e+999"]],
    ["string", ["+5"]],
    ["string", ["1 "]],
    ["string", ["NaN"]],
    // Texts of several types.
    ["string", ["1", "true"]],
    ["string", ["{}", "[1"]],
    // Words that may mean something else, such as Norway, and those of several pairs.
    ["string", ["no"]],
    ["string", ["F", "F"]],
    ["string", ["yes", "f"]],
    ["string", ["true", "no"]],
    ["string", ["tRUE"]],
    ["boolean", ["True", "FALSE", "false"]],
    ["boolean", ["yes", "No"]],
    ["boolean", ["t", "F"]],
    ["string", ["2024-05-01", "2024-05-02T10:00:00Z"]],
  ])("%s: %j", (type, cells) => {
    const column = cells.map((cell) => `x,${cell}\n`).join("");
    expect(inferred(`a,b\n${column}`)).toEqual({ a: "string", b: type });
    expect(inferred(`a,b\n${column}x,\n`)).toEqual({ a: "string", b: `${type} or null` });
  });

  test("an empty text in quotes is a value of a string only", () => {
    expect(inferred('a,b\nx,5\n"",""\n')).toEqual({ a: "string", b: "int or null" });
    expect(inferred('a,b\n"",\n"",\n')).toEqual({ a: "string", b: "string or null" });
    expect(inferred("a,b\n")).toEqual({ a: "string", b: "string" });
  });

  test("follows the options of the reader", () => {
    const text = "a;b;c\n1;NULL;x\n";
    const columns = { a: "id", c: null };
    const reading = readCsv(text, { delimiter: ";", nullText: "NULL", columns });
    expect(typesOf(inferSchema(reading))).toEqual({ id: "int", b: "string or null" });
  });
});

describe("the type of a member in JSON", () => {
  test("is that of its values; several types make JSON", () => {
    expect(
      inferredJson(
        { i: 1, f: 1, b: true, s: "1", j: {}, m: 1, n: null },
        { i: -2, f: 1e300, b: false, s: "x", j: [1], m: "2", n: null, late: 1 },
      ),
    ).toEqual({
      i: "int",
      f: "float",
      b: "boolean",
      s: "string",
      j: "json",
      m: "json",
      n: "string or null",
      late: "int or null",
    });
    expect(inferredJson({ f: Number("12345678901234567890") }, { f: 0.5 })).toEqual({ f: "float" });
  });

  test("is string, if a number would be rounded and all are numbers or strings", () => {
    const typeOf = (...values: string[]) =>
      inferSchema(readNdjson(values.map((value) => `{"a":${value}}\n`).join(""))).fields.a?.type;
    expect(typeOf("1", "9007199254740993")).toBe("string");
    expect(typeOf("0.5", "0.1234567890123456789012")).toBe("string");
    expect(typeOf("9007199254740993", '"x"')).toBe("string");
    expect(typeOf("1", "9007199254740993", '"x"')).toBe("json");
    expect(typeOf("9007199254740993", "true")).toBe("json");
    expect(typeOf("[9007199254740993]")).toBe("json");
  });
});

describe("what can't be inferred", () => {
  test.each<[string, () => unknown, string]>([
    [
      "nothing",
      () => inferSchema(readNdjson("")),
      "source: has no columns from which to infer a schema",
    ],
    ["no object", () => inferSchema(readNdjson("5")), "line 1: must be an object"],
    [
      "a row that is too long",
      () => inferSchema(readCsv("a\n1\n1,2\n")),
      "line 3: has 2 values, but there is 1 column",
    ],
    [
      "damaged JSON",
      () => inferSchema(readJson("[{}")),
      "records[1]: is not JSON: unexpected end at byte 3",
    ],
  ])("%s is an error with its place", (_, infer, message) => {
    expect(infer).toThrow(message);
  });

  test("ever more fields are refused, and what skipInvalid skips is left out", () => {
    const many = function* () {
      for (let i = 0; ; i++) yield Buffer.from(`{"f${i}":1}\n`);
    };
    expect(() => inferSchema(readNdjson(many()))).toThrow(
      like(new InputError("line 10001", "has a field beyond the limit of 10000")),
    );
    const reading = readCsv("a\n1\nx,y\n", { skipInvalid: () => undefined });
    expect([typesOf(inferSchema(reading)), reading.refused]).toEqual([{ a: "int" }, 1]);
    expect(() =>
      inferSchema(readCsv("a\n", { schema: defineSchema({ a: int() }) }) as never),
    ).toThrow(like(new InputError("reading", "must come from a reader without a schema")));
  });
});

test("a Parquet file says of its columns whether integers are too large, and what is null", async () => {
  const file = writer.parquetWriteBuffer({
    columnData: [
      { name: "id", data: [1n, 9007199254740993n], type: "INT64" },
      { name: "n", data: [1n, null], type: "INT64" },
      { name: "small", data: [1, 2], type: "INT32" },
      { name: "when", data: [new Date(0), new Date(1)], type: "TIMESTAMP" },
      { name: "x", data: [0.5, 2], type: "DOUBLE" },
      { name: "tags", data: [[1, 2], []] },
    ],
  });
  const schema = await inferSchema(readParquet(hyparquet, file));
  expect(typesOf(schema)).toMatchObject({
    id: "string",
    n: "int or null",
    small: "int",
    when: "time",
    x: "float",
  });
  const loaded = await loadCollection(schema, readParquet(hyparquet, file, { schema }));
  expect(loaded.at(1)).toEqual({
    id: "9007199254740993",
    n: null,
    small: 2,
    when: "1970-01-01T00:00:00.001Z",
    x: 2,
    tags: [],
  });
});

describe("a schema as JSON", () => {
  const Order = defineSchema({
    id: int({ unique: true }),
    total: float({ default: 0 }),
    state: string({ oneOf: ["open", "closed"], default: "open" }),
    note: string({ nullable: true, searchable: false, stored: false }),
    city: string({ ignoreCase: true }),
    paid: boolean({ default: false }),
    meta: json({ default: { a: [1] } }),
  });

  test("reads back as it was, without the options that have their defaults", () => {
    const written = writeSchema(Order);
    expect(written).toEqual({
      fields: {
        id: { type: "int", unique: true },
        total: { type: "float", default: 0 },
        state: { type: "string", oneOf: ["open", "closed"], default: "open" },
        note: { type: "string", nullable: true, searchable: false, stored: false },
        city: { type: "string", ignoreCase: true },
        paid: { type: "boolean", default: false },
        meta: { type: "json", default: { a: [1] } },
      },
    });
    expect(readSchema(JSON.parse(JSON.stringify(written))).fields).toEqual(Order.fields);
  });

  test.each([
    [5, "schema: must be an object, not 5"],
    [{}, "schema.fields: must be an object, not undefined"],
    [{ fields: {} }, "schema.fields: needs at least one field"],
    [{ fields: { a: 1 } }, "schema.fields.a: must be an object, not 1"],
    [
      { fields: { a: { type: "integer" } } },
      'schema.fields.a.type: must be "int", "float", "boolean", "string", "strings", "json" or "time", not "integer"',
    ],
    [
      { fields: { "a b": { type: "int", uniqe: true } } },
      'schema.fields["a b"]: int(): has no member "uniqe"',
    ],
    [
      { fields: { a: { type: "int", default: "x" } } },
      "schema.fields.a: default: must be an integer",
    ],
    [{ fields: { a: { type: "int" } }, extra: 1 }, 'schema: has no member "extra"'],
    [{ fields: { a: { type: "int" } }, form: "wire" }, 'schema: has no member "form"'],
  ])("%j is refused: %s", (given, message) => {
    expect(() => readSchema(given)).toThrow(message);
  });
});
