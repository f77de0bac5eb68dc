// Plain JSON records and plain CSV rows go from bytes into columns, without parsing values or making records. Tests
// which are plain, what they become, and that all others are left to the reader, which reports what is wrong with them.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collectionOf } from "../../src/collection/create.ts";
import { Codec } from "../../src/engine/columns/codec.ts";
import { readFormat } from "../../src/import/csv-format.ts";
import { RowsBuilder } from "../../src/engine/columns/columns/rows-builder.ts";
import { readSettings } from "../../src/engine/settings.ts";
import { CsvRows, type RowTaker } from "../../src/import/csv-rows.ts";
import { formRows } from "../../src/import/form-rows.ts";
import { RecordForm } from "../../src/import/form.ts";
import { JsonRows } from "../../src/import/json-rows.ts";
import { refusals } from "../../src/import/reading.ts";
import { lineWith, type Convert } from "../../src/import/sink.ts";
import {
  boolean,
  defineSchema,
  float,
  InputError,
  int,
  json,
  string,
  type Schema,
} from "../../src/index.ts";
import { settings } from "../property.ts";
import { thrownBy } from "../rules/fixtures.ts";

const encode = (text: string) => new TextEncoder().encode(text);

const Thing = defineSchema({
  id: int(),
  price: float({ default: 0.5 }),
  on: boolean({ nullable: true }),
  name: string({ default: "none" }),
  state: string({ nullable: true, oneOf: ["open", "shut"] }),
  note: json({ nullable: true }),
});
const LEFT_OUT = { price: 0.5, on: null, name: "none", state: null, note: null };

function rowsFor(schema: Schema) {
  const rows = formRows(new RecordForm(schema), refusals(undefined, undefined), new Codec(schema));
  const loaded = () => collectionOf(new Codec(schema), readSettings({}), rows.finish()).query();
  return { rows, loaded };
}

/** What becomes of a text as a record: the record, or `undefined` if it is not plain. */
function plain(text: string): unknown {
  const { rows, loaded } = rowsFor(Thing);
  if (rows.json?.readWhole(encode(text), 1, lineWith) !== true) {
    expect(rows.size()).toBe(0);
    return undefined;
  }
  return loaded()[0];
}

describe("a plain record of JSON", () => {
  test.each<[string, object]>([
    ['{"id":7}', {}],
    [
      '{"id":7,"price":19.9,"on":true,"name":"a","state":"open","note":[1]}',
      { price: 19.9, on: true, name: "a", state: "open", note: [1] },
    ],
    ['{"note":{"a":"}"},"name":"","id":7}', { note: { a: "}" }, name: "" }],
    [' \t{ "id" :\n7 ,\r"on" : false } \n', { on: false }],
    ['{"id":"7","on":"false","price":"2.5"}', { on: false, price: 2.5 }],
    ['{"id":7,"price":1E2}', { price: 100 }],
    ['{"id":7,"price":-0}', { price: 0 }],
    ['{"id":7,"name":"é\u{1f600}\\u00e9\\n\\"\\\\"}', { name: 'é\u{1f600}é\n"\\' }],
    ['{"id":7,"name":"\x7f "}', { name: "\x7f " }],
    ['{"id":7,"state":null,"on":null,"note":null}', {}],
    ['{"id":7,"state":"sh\\u0075t"}', { state: "shut" }],
    ['{"id":7,"note":"x"}', { note: "x" }],
    ['{"id":7,"note":1e2}', { note: 100 }],
  ])("%s", (text, expected) => {
    expect(plain(text)).toEqual({ id: 7, ...LEFT_OUT, ...expected });
  });
});

describe("not a plain record of JSON", () => {
  test.each([
    ...["", " ", "5", "null", '"id"', "[]", '[{"id":7}]', "{", "{}", "{]", "{,}", "{7}"],
    ...['{"id"}', '{"id" 7}', '{"id":}', '{"id":7', '{"id":7,', '{"id":7,}', '{"id":7 "on":true}'],
    ...['{"id":7}x', '{"id":7}{"id":7}', '{"id":7},', '{"id":7,7}', "{id:7}", '{"id";7}'],
    // Names: unknown, written otherwise, twice.
    ...['{"id":7,"other":1}', '{"i":7}', '{"idd":7}', '{"\\u0069d":7}', '{"id":7,"id":7}'],
    ...['{"id":7,"name":"a","name":"b"}', '{"name":"a"}'],
    // Values that the field does not take.
    ...[
      '{"id":7.5}',
      '{"id":1e2}',
      '{"id":007}',
      '{"id":true}',
      '{"id":"x"}',
      '{"id":null}',
      '{"id":[7]}',
    ],
    ...[
      '{"id":9007199254740993}',
      '{"id":7,"price":x}',
      '{"id":7,"price":"1.50"}',
      '{"id":7,"price":null}',
    ],
    ...[
      '{"id":7,"on":1}',
      '{"id":7,"on":tru}',
      '{"id":7,"on":nul}',
      '{"id":7,"on":nulL}',
      '{"id":7,"on":n}',
    ],
    ...['{"id":7,"name":true}', '{"id":7,"name":null}', '{"id":7,"name":["a"]}'],
    ...['{"id":7,"state":"ajar"}', '{"id":7,"state":"aj\\u0061r"}', '{"id":7,"price":[1]}'],
    // Texts that are not JSON.
    ...['{"id":7,"name":"a', '{"id":7,"name":"a}', '{"id":7,"name":"\n"}', '{"id":7,"name":"\\x"}'],
    ...[
      '{"id":7,"name":"\\ud83d"}',
      '{"id":7,"note":{a}}',
      '{"id":7,"note":{"a":1}',
      '{"id":7,"note":"\\ud83d"}',
    ],
    ...['{"id":7,"note":x}', '{"id":7,"name":"a\\"}'],
  ])("%s", (text) => {
    expect(plain(text)).toBeUndefined();
  });

  test("bytes that are not UTF-8", () => {
    const bytes = encode('{"id":7,"name":"?"}');
    bytes[bytes.indexOf(0x3f)] = 0xff;
    const { rows } = rowsFor(Thing);
    expect(rows.json?.readWhole(bytes, 1, lineWith)).toBe(false);
  });
});

describe("records one after the other", () => {
  const records = fc.array(
    fc.record(
      {
        id: fc.integer(),
        price: fc.double({ noNaN: true, noDefaultInfinity: true }),
        on: fc.option(fc.boolean()),
        name: fc.string({ unit: "grapheme", maxLength: 4 }),
        state: fc.constantFrom("open", "shut", null),
        note: fc.jsonValue({ maxDepth: 1 }),
      },
      { requiredKeys: ["id"] },
    ),
    { maxLength: 8 },
  );
  const shuffled = records.chain((all) =>
    fc.tuple(
      ...all.map((record) => {
        const entries = Object.entries(record);
        return fc
          .shuffledSubarray(entries, { minLength: entries.length })
          .map((each) => Object.fromEntries(each));
      }),
    ),
  );
  const space = fc.constantFrom("", " ", "\n ");

  test("are all plain, in any order of their members, and those that are not are passed on in their turn", () => {
    fc.assert(
      fc.property(shuffled, fc.array(fc.nat({ max: 8 })), space, (given, others, blank) => {
        const all = given.map((record, i) =>
          others.includes(i) ? { ...record, other: i } : record,
        );
        const bytes = encode(
          blank + all.map((each) => JSON.stringify(each) + blank).join(`,${blank}`),
        );
        const { rows, loaded } = rowsFor(Thing);
        const passed: unknown[] = [];
        rows.json?.readAll({ bytes, offset: 0, first: 5 }, lineWith, (record, number, placeOf) => {
          passed.push([record, placeOf(number)]);
        });
        const isOther = (record: object) => "other" in record;
        expect(passed).toEqual(
          // As JSON has it: 0 for −0.
          all.flatMap((record, i) =>
            isOther(record) ? [[JSON.parse(JSON.stringify(record)), `line ${5 + i}`]] : [],
          ),
        );
        expect(loaded()).toEqual(
          all
            .filter((record) => !isOther(record))
            .map((record) => ({ ...LEFT_OUT, ...(JSON.parse(JSON.stringify(record)) as object) })),
        );
      }),
      settings(100),
    );
  });

  test("that are not JSON are an error with the place and the byte", () => {
    const { rows } = rowsFor(Thing);
    const bytes = encode('{"id":1},{"id":?}');
    const error = thrownBy(InputError, () =>
      rows.json?.readAll({ bytes, offset: 100, first: 5 }, lineWith, () => undefined),
    );
    expect(error.path).toBe("line 6");
    expect(error.reason).toContain(`at byte ${100 + bytes.indexOf(0x3f)}`);
  });
});

describe("members within a member", () => {
  const schema = defineSchema({
    id: int(),
    age: int({ default: 1 }),
    city: string({ nullable: true }),
  });
  const { fields } = schema;
  const columns = [
    { position: 0, field: fields.id, path: ["id"] },
    { position: 1, field: fields.age, path: ["fields", "age"] },
    { position: 2, field: fields.city, path: ["fields", "city"] },
  ] as const;

  function nested(text: string): unknown {
    const codec = new Codec<Schema>(schema);
    const builder = new RowsBuilder(codec);
    const numbers: number[] = [];
    const rows = new JsonRows(builder, columns, [undefined, "1", null], (each) =>
      numbers.push(each),
    );
    if (!rows.readWhole(encode(text), 9, lineWith)) return undefined;
    expect(numbers).toEqual([9]);
    return collectionOf(codec, readSettings({}), builder.finish(codec)).query()[0];
  }

  test.each([
    ['{"fields":{"age":5,"city":"x"},"id":7}', { id: 7, age: 5, city: "x" }],
    ['{"id":7,"fields":{ "city" : "x" } }', { id: 7, age: 1, city: "x" }],
    ['{"id":7,"fields":{}}', { id: 7, age: 1, city: null }],
    ['{"id":7}', { id: 7, age: 1, city: null }],
    ['{"id":7,"fields":[]}', undefined],
    ['{"id":7,"fields":5}', undefined],
    ['{"id":7,"fields":{"id":5}}', undefined],
    ['{"id":7,"age":5}', undefined],
    ['{"id":7,"fields":{"age":5}', undefined],
    ['{"id":7,"fields":{"age":5},"fields":{}}', undefined],
  ])("%s", (text, expected) => {
    expect(nested(text)).toEqual(expected);
  });
});

describe("a row of CSV", () => {
  interface Reading {
    readonly header?: readonly (keyof typeof Thing.fields)[];
    readonly nullText?: string;
    readonly convert?: Readonly<Partial<Record<string, Convert>>>;
  }

  /** What becomes of a row: the record, or `undefined` if it is not plain. */
  function row(
    text: string,
    { header = ["id", "name"], nullText, convert = {} }: Reading,
  ): unknown {
    const format = readFormat({ nullText: nullText ?? false });
    const { rows, loaded } = rowsFor(Thing);
    const columns = header.map((name, index) => ({
      ...{ name, index, field: Thing.fields[name], path: [name] as const },
      convert: convert[name],
    }));
    const fill = rows.createFiller(columns, format);
    const filled: (number | undefined)[] = [];
    const taker: RowTaker = {
      rows: (block) => void filled.push(fill?.(block, 0, block.rows)),
      malformed: () => undefined,
    };
    new CsvRows(format, taker).take(encode(text), true);
    expect(filled[0] ?? 0).toBe(rows.size());
    return rows.size() === 1 ? loaded()[0] : undefined;
  }

  test.each<[string, Reading, object | undefined]>([
    ["7,a", {}, { name: "a" }],
    ['"7","a"', {}, { name: "a" }],
    ['7,"a""b"', {}, { name: 'a"b' }],
    ["7,é", {}, { name: "é" }],
    // Nothing is the empty text, or if the field takes none, its default or null.
    ["7,", {}, { name: "" }],
    ["7,", { header: ["id", "price"] }, {}],
    ["7,", { header: ["id", "on"] }, {}],
    [",a", {}, undefined],
    ['7,""', { nullText: "" }, { name: "" }],
    ["7,", { nullText: "" }, { name: "" }],
    // Another text for null, and then nothing is the empty text.
    ["7,NULL", { nullText: "NULL", header: ["id", "on"] }, {}],
    ["7,", { nullText: "NULL" }, { name: "" }],
    ["7,NULLS", { nullText: "NULL" }, { name: "NULLS" }],
    ["7,NULL", { nullText: "NULL" }, undefined],
    ['7,"NULL"', { nullText: "NULL" }, { name: "NULL" }],
    ["NULL,a", { nullText: "NULL" }, undefined],
    // Values by their type.
    ["7,1.50", { header: ["id", "price"] }, { price: 1.5 }],
    ["7,2.5", { header: ["id", "price"] }, { price: 2.5 }],
    ["7,x", { header: ["id", "price"] }, undefined],
    ["7.5,a", {}, undefined],
    ["07,a", {}, undefined],
    ["7,yes", { header: ["id", "on"] }, { on: true }],
    ["7,0", { header: ["id", "on"] }, { on: false }],
    ["7,maybe", { header: ["id", "on"] }, undefined],
    ["7,true", { header: ["id", "on"] }, { on: true }],
    ["7,open", { header: ["id", "state"] }, { state: "open" }],
    ["7,ajar", { header: ["id", "state"] }, undefined],
    ['7,"{""a"":1}"', { header: ["id", "note"] }, { note: { a: 1 } }],
    ["7,{", { header: ["id", "note"] }, undefined],
    // A function makes something else of a value.
    ["5,a", { convert: { id: (value) => Number(value) + 2 } }, { name: "a" }],
    ["7,a", { convert: { name: () => 5 } }, { name: "5" }],
    ["7,a", { convert: { name: () => true } }, undefined],
    // A field that must be there.
    ["a,true", { header: ["name", "on"] }, undefined],
  ])("%s by %o", (text, reading, expected) => {
    expect(row(text, reading)).toEqual(expected && { id: 7, ...LEFT_OUT, ...expected });
  });

  test("is not plain if a field ignores case, or records are completed as a whole", () => {
    const schema = defineSchema({ name: string({ ignoreCase: true }) });
    expect(rowsFor(schema).rows.json).toBeUndefined();
  });
});

test("a value that occurs twice in a unique field is an error with both places", () => {
  const schema = defineSchema({ id: int({ unique: true }), n: int({ default: 0 }) });
  const { rows } = rowsFor(schema);
  const lines = [2, 3, 7, 8, 20];
  for (const [i, line] of lines.entries()) {
    rows.json?.readWhole(encode(`{"id":${[1, 2, 3, 4, 2][i]}}`), line, lineWith);
  }
  expect(rows.size()).toBe(5);
  const error = thrownBy(InputError, () => rows.finish());
  expect([error.path, error.reason]).toEqual(["line 20.id", '"2" is already used by line 3']);
});
