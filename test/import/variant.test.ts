// Variants of Parquet, written by an encoder of their own: each value is read back, whatever its columns are, and damaged
// bytes are refused.

import fc from "fast-check";
import * as hyparquet from "hyparquet";
import * as writer from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import { inferSchema, readParquet, type ParquetOptions } from "../../src/import/index.ts";
import { defineSchema, InputError, json as jsonField, type Schema } from "../../src/index.ts";
import { like } from "../likeness.ts";
import { settings } from "../property.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Bytes = readonly number[];

const utf8 = (text: string): Bytes => [...new TextEncoder().encode(text)];
/** An unsigned integer, the lowest byte first. */
const unsigned = (value: number, width: number): Bytes =>
  Array.from({ length: width }, (_, i) => Math.floor(value / 256 ** i) % 256);
const little = (value: bigint, width: number): Bytes =>
  Array.from({ length: width }, (_, i) => Number((value >> BigInt(8 * i)) & 255n));
const widthOf = (value: number) => (value < 2 ** 8 ? 1 : value < 2 ** 16 ? 2 : 3);

/** The offsets of parts that follow each other, and of their end. */
function offsetsOf(parts: readonly Bytes[]): number[] {
  let end = 0;
  return [0, ...parts.map(({ length }) => (end += length))];
}

/** A variant's metadata. @param extra how many bytes a number has more than it needs */
function metadataOf(names: readonly string[], extra = 0): Bytes {
  const parts = names.map(utf8);
  const offsets = offsetsOf(parts);
  const width = Math.min(4, widthOf(Math.max(names.length, ...offsets)) + extra);
  const numbers = [names.length, ...offsets].flatMap((each) => unsigned(each, width));
  return [1 | ((width - 1) << 6), ...numbers, ...parts.flat()];
}

const primitive = (id: number, ...bytes: Bytes): Bytes => [id << 2, ...bytes];
const float64 = (value: number) => [...new Uint8Array(Float64Array.of(value).buffer)];

/** An array, or an object whose members have names with these numbers. */
function container(values: readonly Bytes[], extra = 0, ids?: readonly number[]): Bytes {
  const offsets = offsetsOf(values);
  const [width, idWidth] = [Math.max(...offsets), Math.max(0, ...(ids ?? []))].map((most) =>
    Math.min(4, widthOf(most) + extra),
  ) as [number, number];
  const isLarge = values.length > 255 || extra > 0 ? 1 : 0;
  const header =
    ids === undefined
      ? 3 | ((width - 1) << 2) | (isLarge << 4)
      : 2 | ((width - 1) << 2) | ((idWidth - 1) << 4) | (isLarge << 6);
  return [
    header,
    ...unsigned(values.length, isLarge === 1 ? 4 : 1),
    ...(ids ?? []).flatMap((id) => unsigned(id, idWidth)),
    ...offsets.flatMap((each) => unsigned(each, width)),
    ...values.flat(),
  ];
}

function valueOf(value: Json, names: readonly string[], extra = 0): Bytes {
  if (value === null) return primitive(0);
  if (typeof value === "boolean") return primitive(value ? 1 : 2);
  if (typeof value === "string") {
    const bytes = utf8(value);
    return bytes.length < 64 && extra === 0
      ? [1 | (bytes.length << 2), ...bytes]
      : primitive(16, ...unsigned(bytes.length, 4), ...bytes);
  }
  if (typeof value === "number") {
    const width = [1, 2, 4, 8].findIndex((size) => Math.abs(value) < 2 ** (8 * size - 1));
    return Number.isSafeInteger(value)
      ? primitive(3 + width, ...little(BigInt(value), 2 ** width))
      : primitive(7, ...float64(value));
  }
  if (Array.isArray(value))
    return container(
      value.map((each) => valueOf(each, names, extra)),
      extra,
    );
  const members = Object.entries(value);
  return container(
    members.map(([, each]) => valueOf(each, names, extra)),
    extra,
    members.map(([name]) => names.indexOf(name)),
  );
}

function namesIn(value: Json): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(namesIn)];
}

/** Columns for values of one type, besides the one for bytes. */
type Shape =
  | { readonly kind: "bytes" | "text" | "double" | "integer" | "boolean" }
  | { readonly kind: "list"; readonly of: Shape }
  | { readonly kind: "object"; readonly members: readonly (readonly [string, Shape])[] };

const LEAVES = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  double: { type: "DOUBLE" },
  integer: { type: "INT64" },
  boolean: { type: "BOOLEAN" },
} as const;

const optional = { repetition_type: "OPTIONAL" } as const;
const required = { repetition_type: "REQUIRED" } as const;

function columnsOf(shape: Shape): writer.SchemaElement[] {
  const bytes = { name: "value", ...optional, type: "BYTE_ARRAY" } as const;
  const typed = { name: "typed_value", ...optional };
  const group = (name: string, of: Shape): writer.SchemaElement[] => [
    { name, ...required, num_children: of.kind === "bytes" ? 1 : 2 },
    ...columnsOf(of),
  ];
  switch (shape.kind) {
    case "bytes":
      return [bytes];
    case "list": {
      const level = { name: "list", repetition_type: "REPEATED", num_children: 1 } as const;
      const list = { ...typed, num_children: 1, converted_type: "LIST" } as const;
      return [bytes, list, level, ...group("element", shape.of)];
    }
    case "object":
      return [
        bytes,
        { ...typed, num_children: shape.members.length },
        ...shape.members.flatMap(([name, of]) => group(name, of)),
      ];
    default:
      return [bytes, { ...typed, ...LEAVES[shape.kind] }];
  }
}

/** A value in its columns: as far as it has their types, in those, and the rest as bytes. */
function inColumns(value: Json | undefined, shape: Shape, encode: (value: Json) => Uint8Array) {
  const typed = typedValue(value, shape, encode);
  if (typed === undefined) return value === undefined ? {} : { value: encode(value) };
  if (shape.kind !== "object") return { typed_value: typed };
  const names = new Set(shape.members.map(([name]) => name));
  const rest = Object.entries(value as object).filter(([name]) => !names.has(name));
  return {
    typed_value: typed,
    ...(rest.length > 0 && { value: encode(Object.fromEntries(rest)) }),
  };
}

function typedValue(value: Json | undefined, shape: Shape, encode: (value: Json) => Uint8Array) {
  switch (shape.kind) {
    case "bytes":
      return undefined;
    case "text":
      return typeof value === "string" ? value : undefined;
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "double":
      return typeof value === "number" ? value : undefined;
    case "integer":
      return Number.isSafeInteger(value) ? BigInt(value as number) : undefined;
    case "list":
      return Array.isArray(value)
        ? value.map((each): object => inColumns(each, shape.of, encode))
        : undefined;
    case "object": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
      const own = (name: string) => (Object.hasOwn(value, name) ? value[name] : undefined);
      return Object.fromEntries(
        shape.members.map(([name, of]): [string, object] => [
          name,
          inColumns(own(name), of, encode),
        ]),
      );
    }
  }
}

type Row = {
  readonly metadata?: Uint8Array;
  readonly value?: Uint8Array;
  readonly typed_value?: unknown;
} | null;

/** A file with a variant in each row, and the package that reads it. The writer makes variants of its own, if asked to. */
function fileOf(
  rows: readonly Row[],
  columns: readonly writer.SchemaElement[],
  isRequired = false,
) {
  const file = writer.parquetWriteBuffer({
    columnData: [{ name: "v", data: [...rows] }],
    schema: [
      { name: "root", num_children: 1 },
      {
        name: "v",
        ...(isRequired ? required : optional),
        num_children: columns.length === 1 ? 2 : 3,
      },
      { name: "metadata", ...optional, type: "BYTE_ARRAY" },
      ...columns,
    ],
  });
  const declaring = {
    ...hyparquet,
    async parquetMetadataAsync(bytes: hyparquet.AsyncBuffer) {
      const { schema, ...metadata } = await hyparquet.parquetMetadataAsync(bytes);
      const declared = schema.map((element, i) =>
        i === 1 ? { ...element, logical_type: { type: "VARIANT" as const } } : element,
      );
      return { ...metadata, schema: declared };
    },
  };
  return <S extends Schema | undefined = undefined>(options: ParquetOptions<S> = {}) =>
    readParquet(declaring, file, options);
}

const BYTES = columnsOf({ kind: "bytes" });
const bytes = (...parts: readonly number[]) => Uint8Array.from(parts);

const names = fc.oneof(
  fc.constantFrom(
    "0",
    "2024",
    "__proto__",
    "",
    "a",
    "a.b",
    "b",
    "value",
    "typed_value",
    "metadata",
  ),
  fc.string({ unit: "binary", maxLength: 3 }),
);
const objectOf = <Value>(value: fc.Arbitrary<Value>) =>
  fc
    .array(fc.tuple(names, value), { maxLength: 4 })
    .map((members): Record<string, Value> => Object.fromEntries(members));
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false),
    fc.maxSafeInteger(),
    fc.integer({ min: -300, max: 300 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.string({ unit: "binary", maxLength: 80 }),
    fc.array(tie("json"), { maxLength: 4 }),
    objectOf(tie("json")),
  ),
}));

/** A shape that fits some of a value, such as one that is in another row. */
function shapesFor(value: Json): fc.Arbitrary<Shape> {
  const bytes = fc.constant<Shape>({ kind: "bytes" });
  if (typeof value === "boolean") return fc.constant({ kind: "boolean" });
  if (typeof value === "string") return fc.constant({ kind: "text" });
  if (typeof value === "number")
    return fc.constant({ kind: Number.isSafeInteger(value) ? "integer" : "double" });
  if (value === null) return bytes;
  if (Array.isArray(value)) {
    const of = fc.oneof(bytes, ...value.map(shapesFor));
    return fc.oneof(
      bytes,
      of.map((of): Shape => ({ kind: "list", of })),
    );
  }
  const members = Object.entries(value).map(([name, each]) =>
    fc.tuple(fc.constant(name), shapesFor(each)),
  );
  if (members.length === 0) return bytes;
  const some = fc.tuple(...members).chain((all) => fc.subarray(all, { minLength: 1 }));
  return fc.oneof(
    bytes,
    some.map((members): Shape => ({ kind: "object", members })),
  );
}

describe("values are read back", () => {
  const rows = fc.array(fc.option(json, { nil: undefined }), { minLength: 1, maxLength: 6 });
  const columns = rows.chain((values) =>
    fc.record({
      values: fc.constant(values),
      shape: fc.oneof(
        fc.constant<Shape>({ kind: "bytes" }),
        ...values.map((each) => shapesFor(each ?? null)),
      ),
      extra: fc.nat(3),
      unused: fc.array(names, { maxLength: 3 }),
    }),
  );

  test("from bytes and from columns, in any mixture", async () => {
    await fc.assert(
      fc.asyncProperty(columns, async ({ values, shape, extra, unused }) => {
        const known = [...new Set([...unused, ...namesIn(values.map((each) => each ?? null))])];
        const encode = (value: Json) => bytes(...valueOf(value, known, extra));
        const metadata = bytes(...metadataOf(known, extra));
        const read = fileOf(
          values.map((value) =>
            value === undefined ? null : { metadata, ...inColumns(value, shape, encode) },
          ),
          columnsOf(shape),
        );
        const expected = values.map((value) => value ?? null);
        expect((await read().collect()).map(({ v }) => v)).toEqual(expected);
        const { v: field } = (await inferSchema(read())).fields;
        expect(field).toMatchObject({ type: "json", nullable: expected.includes(null) });
      }),
      settings(100),
    );
  });

  const one = async (value: Bytes, metadata: Bytes = metadataOf([])) => {
    const row = { metadata: Uint8Array.from(metadata), value: Uint8Array.from(value) };
    const [record] = await fileOf([row], BYTES)().collect();
    return record?.v;
  };

  test.each<[string, unknown, Bytes]>([
    ["an integer beyond 2^53", "9007199254740993", primitive(6, ...little(2n ** 53n + 1n, 8))],
    ["the lowest integer", "-9223372036854775808", primitive(6, ...little(-(2n ** 63n), 8))],
    ["a decimal", 12.34, primitive(8, 2, ...little(1234n, 4))],
    ["a negative decimal", -0.5, primitive(9, 1, ...little(-5n, 8))],
    [
      "a decimal that a number can't represent",
      "-0.12345678901234567890123456789012345678",
      primitive(10, 38, ...little(-12345678901234567890123456789012345678n, 16)),
    ],
    ["a date", "1969-12-31", primitive(11, ...little(-1n, 4))],
    ["a timestamp in UTC", "1970-01-01T00:00:00.000001Z", primitive(12, ...little(1n, 8))],
    ["a timestamp without a zone", "1970-01-01T00:00:00.000001", primitive(13, ...little(1n, 8))],
    ["nanoseconds in UTC", "1970-01-01T00:00:00.000000001Z", primitive(18, ...little(1n, 8))],
    ["nanoseconds", "1969-12-31T23:59:59.999999999", primitive(19, ...little(-1n, 8))],
    ["a time", "07:08:09.000010", primitive(17, ...little(25_689_000_010n, 8))],
    ["a float", 1.5, primitive(14, ...new Uint8Array(Float32Array.of(1.5).buffer))],
    ["NaN", null, primitive(7, ...float64(NaN))],
    ["bytes", "00ff", primitive(15, ...unsigned(2, 4), 0, 255)],
    [
      "a UUID",
      "00112233-4455-6677-8899-aabbccddeeff",
      primitive(20, ...Array.from({ length: 16 }, (_, i) => i * 17)),
    ],
    [
      "an object whose values are in another order",
      { a: 1, b: 2 },
      [2, 2, 0, 1, 2, 0, 4, 12, 2, 12, 1],
    ],
  ])("%s: %j", async (_, expected, value) => {
    expect(await one(value, metadataOf(["a", "b"]))).toEqual(expected);
  });

  test("as deep as a json field may be", async () => {
    // An array in each array, of which it is the only element, with offsets of four bytes.
    const nested = (depth: number): Bytes => [
      ...Array.from({ length: depth }, (_, i) => {
        return [3 | (3 << 2), 1, ...unsigned(0, 4), ...unsigned((depth - i - 1) * 10 + 1, 4)];
      }).flat(),
      ...primitive(0),
    ];
    expect(JSON.stringify(await one(nested(500)))).toBe(`${"[".repeat(500)}null${"]".repeat(500)}`);
    await expect(one(nested(501))).rejects.toThrow("it is nested more than 500 deep");
    await expect(one(nested(20_000))).rejects.toThrow("it is nested more than 500 deep");
  });
});

describe("a variant that is damaged", () => {
  const names = ["a", "bc", "é"];
  const value: Json = {
    a: [1, 70_000, 1.5, "text", "x".repeat(70), null, true],
    bc: {},
    é: [{ a: 2 ** 40 }],
  };
  const intact = [metadataOf(names), valueOf(value, names)] as const;
  const decimals = container([
    primitive(10, 2, ...little(-5n, 16)),
    primitive(17, ...little(9n, 8)),
  ]);

  /** The records of a file with these rows, and why the others are refused. */
  async function outcomes(rows: readonly (readonly [Bytes, Bytes])[]) {
    const file = rows.map(([metadata, value]) => ({
      metadata: bytes(...metadata),
      value: bytes(...value),
    }));
    const reasons: string[] = [];
    const skipInvalid = ({ reason }: { reason: string }) => void reasons.push(reason);
    const records = await fileOf(file, BYTES)({ skipInvalid }).collect();
    return { records, reasons };
  }

  test("is refused if it is truncated anywhere", async () => {
    const [metadata, whole] = intact;
    const rows = [
      ...whole.map((_, length) => [metadata, whole.slice(0, length)] as const),
      ...metadata.map((_, length) => [metadata.slice(0, length), whole] as const),
      ...decimals.map((_, length) => [metadata, decimals.slice(0, length)] as const),
    ];
    const { records, reasons } = await outcomes([...rows, intact]);
    expect(records).toEqual([{ v: value }]);
    expect(reasons).toHaveLength(rows.length);
    for (const reason of reasons) expect(reason).toMatch(/^v: is a variant that can't be read: /);
  });

  test("is read or refused if a byte is another one", async () => {
    const others = (all: Bytes) =>
      all.flatMap((byte, at) =>
        [1, 2, 4, 8, 16, 32, 64, 128, 255].map((bits) => all.with(at, byte ^ bits)),
      );
    const [metadata, whole] = intact;
    const rows = [
      ...others(whole).map((changed) => [metadata, changed] as const),
      ...others(metadata).map((changed) => [changed, whole] as const),
      ...others(decimals).map((changed) => [metadata, changed] as const),
    ];
    const { records, reasons } = await outcomes(rows);
    expect(records.length + reasons.length).toBe(rows.length);
    for (const { v } of records) expect(JSON.parse(JSON.stringify(v))).toEqual(v);
  });

  const most = unsigned(2 ** 32 - 1, 4);
  const one = primitive(3, 1);
  /** Arrays within each other, whose 255 elements are all the next array. */
  let bomb = one;
  for (let i = 0; i < 20; i++) {
    const offsets = Array.from({ length: 255 * 4 }, () => 0);
    bomb = [3 | (3 << 2), 255, ...offsets, ...unsigned(bomb.length, 4), ...bomb];
  }

  test.each<[string, Bytes, Bytes?]>([
    ["its metadata has version 2, not 1", one, [2, 0, 0]],
    ["its metadata has version 0, not 1", one, []],
    ["its metadata is truncated", one, [1 | (3 << 6), ...most, ...most]],
    ["it has 2 names, but refers to number 2", container([one], 0, [2])],
    ["it has 2 names, but refers to number 4294967295", container([one], 3, [2 ** 32 - 1])],
    ["its name number 0 is damaged", container([one], 0, [0]), [1, 1, 0, 1, 0xff]],
    ["its name number 0 is damaged", container([one], 0, [0]), [1, 1, 0, 2, 0x61]],
    ["its name number 0 is damaged", container([one], 0, [0]), [1, 1, 1, 0, 0x61]],
    ['an object has two members "a"', container([one, one], 0, [0, 0])],
    ['an object has two members "a"', container([one, one], 0, [0, 1]), metadataOf(["a", "a"])],
    ["it has the unknown type 21", primitive(21, 0, 0, 0, 0)],
    ["a decimal has the scale 39", primitive(8, 39, 0, 0, 0, 0)],
    ["a value is truncated", []],
    ["a value is truncated", primitive(16, ...most)],
    ["a value is truncated", primitive(15, ...most)],
    ["a value is truncated", [3 | (1 << 4), ...most]],
    ["a value is truncated", [2 | (1 << 6), ...most, ...most, ...most]],
    ["a value is truncated", [3, 1, 1, 1, 0]],
    ["a value is truncated", [3, 1, 0, 255, 0]],
    ["its values overlap", [3, 2, 0, 0, 1, 0]],
    ["its values overlap", bomb],
  ])("says so: %s", async (reason, value, metadata = metadataOf(["a", "b"])) => {
    const { records, reasons } = await outcomes([[metadata, value], intact]);
    expect(reasons).toEqual([`v: is a variant that can't be read: ${reason}`]);
    expect(records).toHaveLength(1);
  });

  test("is refused with its row and column", async () => {
    const errorOf = async (row: Row) => {
      const reading = fileOf([null, row], BYTES)({ schema }).collect();
      return await reading.catch((thrown: unknown) => thrown);
    };
    const schema = defineSchema({ v: jsonField({ nullable: true }) });
    const refused = (reason: string) => like(new InputError("row 2.v", reason));
    const reason = "is a variant that can't be read: its metadata";
    expect(await errorOf({ metadata: bytes(2), value: bytes(0) })).toEqual(
      refused(`${reason} has version 2, not 1`),
    );
    expect(await errorOf({ value: bytes(0) })).toEqual(refused(`${reason} is missing`));
    expect(await errorOf({ metadata: bytes(1, 0, 0), value: bytes(5, 255) })).toEqual(
      refused("is declared to be text, but its bytes are not UTF-8"),
    );
  });
});

describe("columns", () => {
  const shape: Shape = {
    kind: "object",
    members: [
      ["a", { kind: "text" }],
      ["b", { kind: "bytes" }],
    ],
  };
  const metadata = bytes(...metadataOf(["a", "b", "c"]));
  const encode = (value: Json) => bytes(...valueOf(value, ["a", "b", "c"]));
  const reading = async (row: object, of: Shape = shape) => {
    const [record] = await fileOf([{ metadata, ...row }], columnsOf(of))().collect();
    return record?.v;
  };

  test("without a value are null, except in objects", async () => {
    expect(await reading({})).toBe(null);
    expect(await reading({ typed_value: { a: {}, b: {} } })).toEqual({});
    const isNull = { typed_value: { a: {}, b: { value: encode(null) } } };
    expect(await reading(isNull)).toEqual({ b: null });
    const list: Shape = { kind: "list", of: { kind: "boolean" } };
    expect(await reading({ typed_value: [{}, { typed_value: true }] }, list)).toEqual([null, true]);
    expect(await reading({ typed_value: [] }, list)).toEqual([]);
  });

  const both = "it has a value as bytes and another one in a column";
  const twice = 'an object has the member "a" as bytes, not in its column';
  test.each<[string, object, Shape?]>([
    [both, { value: encode(1), typed_value: "x" }, { kind: "text" }],
    [both, { value: encode({}), typed_value: [] }, { kind: "list", of: { kind: "text" } }],
    [both, { value: encode(null), typed_value: { a: {}, b: {} } }],
    [both, { value: encode([]), typed_value: { a: {}, b: {} } }],
    [both, { typed_value: { a: { value: encode("x"), typed_value: "x" }, b: {} } }],
    [twice, { value: encode({ a: "x" }), typed_value: { a: { typed_value: "x" }, b: {} } }],
    [twice, { value: encode({ a: "x", c: 1 }), typed_value: { a: {}, b: {} } }],
  ])("that contradict each other are refused: %s, %#", async (reason, row, of) => {
    const refused = `row 1: v: is a variant that can't be read: ${reason}`;
    await expect(reading(row, of)).rejects.toThrow(refused);
  });

  const value = { name: "value", ...optional, type: "BYTE_ARRAY" } as const;
  const typed = { name: "typed_value", ...optional, num_children: 1 } as const;
  const item = { name: "item", repetition_type: "REPEATED", num_children: 1 } as const;
  test.each<[string, writer.SchemaElement[]]>([
    ["no bytes", [{ ...value, type: "INT32" }]],
    ["text", [{ ...value, converted_type: "UTF8" }]],
    ["another name", [{ ...value, name: "bytes" }]],
    ["a member without columns of its own", [value, typed, { ...value, name: "a" }]],
    [
      "a member with other columns",
      [value, typed, { ...typed, name: "a" }, { ...value, name: "a" }],
    ],
    ["repeated members", [value, typed, item, value]],
    ["a list of bytes", [value, { ...typed, converted_type: "LIST" }, item, value]],
  ])("of another form are left out: %s", async (_, columns) => {
    const notices: string[] = [];
    const onNotice = ({ reason }: { reason: string }) => void notices.push(reason);
    const read = fileOf([null, null], columns);
    expect((await inferSchema(read({ onNotice }))).fields).toEqual({});
    expect(notices).toEqual([
      "is left out: it is a variant in columns of another form, which no field can hold",
    ]);
    expect(await read().collect()).toEqual([{}, {}]);
  });
});
