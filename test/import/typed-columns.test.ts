// Columns of Parquet whose values are not determined by their declaration: the inferred field accepts every record,
// whatever the footer says.

import fc from "fast-check";
import * as hyparquet from "hyparquet";
import * as writer from "hyparquet-writer";
import { expect, test } from "vitest";
import { inferSchema, readParquet } from "../../src/import/index.ts";
import { defineSchema, float, InputError, string } from "../../src/index.ts";
import { like } from "../likeness.ts";
import { settings } from "../property.ts";

const some = <Value>(value: fc.Arbitrary<Value>) =>
  fc.array(fc.option(value, { freq: 4 }), { minLength: 1, maxLength: 12 });

const columns = fc.oneof(
  fc.record({ type: fc.constant("DOUBLE" as const), data: some(fc.double()) }),
  fc.record({ type: fc.constant("FLOAT" as const), data: some(fc.float()) }),
  fc.record({
    type: fc.constant("INT64" as const),
    data: some(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)),
  }),
  fc.record({
    type: fc.constant("BYTE_ARRAY" as const),
    data: some(fc.uint8Array({ maxLength: 9 })),
  }),
  fc.record({ type: fc.constant("STRING" as const), data: some(fc.string()) }),
  fc.record({ type: fc.constant("BOOLEAN" as const), data: some(fc.boolean()) }),
  fc.record({
    type: fc.constant("TIMESTAMP" as const),
    data: some(fc.date({ noInvalidDate: true })),
  }),
);

test("the inferred field takes every value of its column, and is nullable if it has to be", async () => {
  await fc.assert(
    fc.asyncProperty(columns, async ({ type, data }) => {
      const file = writer.parquetWriteBuffer({
        columnData: [{ name: "v", type, data: [...data] }],
      });
      const schema = await inferSchema(readParquet(hyparquet, file));
      const records = await readParquet(hyparquet, file, { schema }).collect();
      const isNull = (value: unknown) =>
        value === null || (typeof value === "number" && !Number.isFinite(value));
      expect(records.map(({ v }) => v === null)).toEqual(data.map(isNull));
      expect(schema.fields.v?.nullable).toBe(data.some(isNull));
    }),
    settings(200),
  );
});

const fileOf = (data: unknown[], type: "DOUBLE" | "BYTE_ARRAY") =>
  writer.parquetWriteBuffer({ columnData: [{ name: "v", data, type }] });

test("NaN is null, an error, or text", async () => {
  const file = fileOf([1.5, NaN], "DOUBLE");
  const read = (options: object) => readParquet(hyparquet, file, options).collect();
  expect(await read({})).toEqual([{ v: 1.5 }, { v: null }]);
  expect(await read({ schema: defineSchema({ v: string() }) })).toEqual([
    { v: "1.5" },
    { v: "NaN" },
  ]);
  await expect(read({ schema: defineSchema({ v: float() }) })).rejects.toThrow(
    "row 2.v: is NaN; to read it as null, make the field nullable",
  );
  const schema = defineSchema({ v: float({ nullable: true }) });
  await expect(read({ schema, nonFinite: "refuse" })).rejects.toThrow(
    'row 2.v: is NaN; to read it as null, set the option nonFinite to "null"',
  );
});

test("coordinates of a geometry may be NaN, too", async () => {
  const point = { type: "Point", coordinates: [1, NaN] };
  const file = writer.parquetWriteBuffer({
    columnData: [{ name: "v", data: [point], type: "GEOMETRY" }],
  });
  const read = { type: "Point", coordinates: [1, null] };
  expect(await readParquet(hyparquet, file).collect()).toEqual([{ v: read }]);
  await expect(readParquet(hyparquet, file, { nonFinite: "refuse" }).collect()).rejects.toThrow(
    'row 1: v: is NaN; to read it as null, set the option nonFinite to "null"',
  );
});

test("geometries nested more deeply than a json field are refused", async () => {
  const collection = [1, 7, 0, 0, 0, 1, 0, 0, 0];
  const point = [1, 1, 0, 0, 0, ...new Uint8Array(16)];
  const nested = (depth: number) =>
    Uint8Array.from([...Array.from({ length: depth }, () => collection).flat(), ...point]);
  const declared = {
    ...hyparquet,
    parquetMetadataAsync: async (bytes: hyparquet.AsyncBuffer) => {
      const { schema, ...metadata } = await hyparquet.parquetMetadataAsync(bytes);
      const logical_type = { type: "GEOMETRY" } as const;
      return {
        ...metadata,
        schema: schema.map((each, i) => (i === 1 ? { ...each, logical_type } : each)),
      };
    },
  };
  const read = (depth: number) =>
    readParquet(declared, fileOf([nested(depth)], "BYTE_ARRAY")).collect();
  expect(await read(200)).toHaveLength(1);
  await expect(read(1000)).rejects.toThrow("row 1: v: is a geometry nested more than 500 deep");
  await expect(read(100_000)).rejects.toThrow(InputError);
});

test("bytes are hexadecimal, or text if all of them are", async () => {
  const text = Buffer.from("é");
  const notices: string[] = [];
  const inferred = async (data: unknown[]) => {
    const file = fileOf(data, "BYTE_ARRAY");
    await inferSchema(
      readParquet(hyparquet, file, { onNotice: (each) => notices.push(each.reason) }),
    );
    return (await readParquet(hyparquet, file).collect()).map(({ v }) => v);
  };
  expect(await inferred([text, Uint8Array.of(0, 255)])).toEqual(["c3a9", "00ff"]);
  expect(await inferred([text, Buffer.from("x\n")])).toEqual(["é", "x\n"]);
  expect(notices).toEqual(["holds bytes, which are read as hexadecimal digits"]);
});

test("members have their values, whatever their names are", async () => {
  const names = fc.constantFrom("0", "10", "__proto__", "", "a", "a.b", "b", "key", "constructor");
  const members = fc.uniqueArray(fc.tuple(names, fc.boolean()), {
    minLength: 1,
    selector: ([name]) => name,
  });
  await fc.assert(
    fc.asyncProperty(members, async (members) => {
      const leaf = { repetition_type: "OPTIONAL", type: "DOUBLE" } as const;
      const group = { repetition_type: "REQUIRED", num_children: 1 } as const;
      const value = Object.fromEntries(
        members.map(([name, isStruct], i) => [name, isStruct ? { b: i } : i]),
      );
      const file = writer.parquetWriteBuffer({
        columnData: ["v", "v.0"].map((name) => ({ name, data: [value, value] })),
        schema: [
          { name: "root", num_children: 2 },
          ...["v", "v.0"].flatMap((name) => [
            { ...group, name, num_children: members.length },
            ...members.flatMap(([name, isStruct]) =>
              isStruct
                ? [
                    { ...group, name },
                    { ...leaf, name: "b" },
                  ]
                : [{ ...leaf, name }],
            ),
          ]),
        ],
      });
      const row = { v: value, "v.0": value };
      expect(await readParquet(hyparquet, file).collect()).toEqual([row, row]);
    }),
    settings(50),
  );
});

test("a struct with two members of one name is left out", async () => {
  const leaf = { name: "a", repetition_type: "OPTIONAL", type: "DOUBLE" } as const;
  const group = { name: "v", repetition_type: "REQUIRED", num_children: 2 } as const;
  const file = writer.parquetWriteBuffer({
    columnData: [{ name: "v", data: [{ a: 1 }] }],
    schema: [{ name: "root", num_children: 1 }, group, leaf, leaf],
  });
  const notices: string[] = [];
  const read = readParquet(hyparquet, file, { onNotice: ({ reason }) => notices.push(reason) });
  expect((await inferSchema(read)).fields).toEqual({});
  expect(notices).toEqual([
    "is left out: it is a struct with two members of the same name, which no field can hold",
  ]);
});

test("columns nested more deeply than a json field are refused", async () => {
  const group = { name: "g", repetition_type: "OPTIONAL", num_children: 1 } as const;
  const deep = (depth: number) => ({
    ...hyparquet,
    parquetMetadataAsync: async (bytes: hyparquet.AsyncBuffer) => {
      const { schema, ...metadata } = await hyparquet.parquetMetadataAsync(bytes);
      const groups = Array.from({ length: depth }, () => group);
      return { ...metadata, schema: [schema[0], ...groups, schema[1]].filter((each) => !!each) };
    },
  });
  const file = fileOf([1], "DOUBLE");
  expect(await readParquet(deep(400), file).collect()).toHaveLength(1);
  await expect(readParquet(deep(2000), file).collect()).rejects.toThrow(
    like(new InputError("source", "has columns that are nested more than 500 deep")),
  );
});

const PHYSICAL = {
  BOOLEAN: true,
  INT32: -1,
  INT64: -1n,
  FLOAT: 1.5,
  DOUBLE: 1.5,
  BYTE_ARRAY: Uint8Array.of(0xff),
  FIXED_LEN_BYTE_ARRAY: Uint8Array.of(1, 2, 3),
} as const;
const CONVERTED =
  "UTF8 ENUM JSON BSON DECIMAL DATE TIME_MILLIS TIME_MICROS TIMESTAMP_MILLIS TIMESTAMP_MICROS INTERVAL UINT_8 UINT_32 UINT_64 INT_64";
const LOGICAL =
  "STRING ENUM JSON BSON DECIMAL DATE TIME TIMESTAMP INTEGER UUID FLOAT16 GEOMETRY GEOGRAPHY NULL VARIANT MAP LIST";

test("a value is read or refused, whatever the annotation of its physical type is", async () => {
  for (const [type, value] of Object.entries(PHYSICAL)) {
    const file = writer.parquetWriteBuffer({
      columnData: [{ name: "v", data: [value, null] }],
      schema: [
        { name: "root", num_children: 1 },
        {
          name: "v",
          repetition_type: "OPTIONAL",
          type: type as keyof typeof PHYSICAL,
          type_length: 3,
        },
      ],
    });
    const annotations = [
      ...CONVERTED.split(" ").map((converted_type) => ({ converted_type })),
      { converted_type: "DECIMAL", scale: 2 ** 31 - 1 },
      { converted_type: "DECIMAL", scale: -(2 ** 31) },
      ...LOGICAL.split(" ").map((type) => ({
        logical_type: { type, unit: "MICROS", bitWidth: 32 },
      })),
    ];
    for (const annotation of annotations) {
      const annotated = {
        ...hyparquet,
        parquetMetadataAsync: async (bytes: hyparquet.AsyncBuffer) => {
          const { schema, ...metadata } = await hyparquet.parquetMetadataAsync(bytes);
          const [root, column] = schema as [hyparquet.SchemaElement, hyparquet.SchemaElement];
          return { ...metadata, schema: [root, { ...column, ...(annotation as object) }] };
        },
      };
      const place = `${type} ${JSON.stringify(annotation)}`;
      try {
        const schema = await inferSchema(readParquet(annotated, file));
        const records = await readParquet(annotated, file, { schema }).collect();
        expect(records, place).toHaveLength(2);
        expect(Object.values(records[1] ?? {}), place).toEqual(schema.fields.v ? [null] : []);
      } catch (error) {
        expect(error, place).toBeInstanceOf(InputError);
      }
    }
  }
});

test("a footer that contradicts the values is not believed", async () => {
  const file = fileOf([1, null, 3], "DOUBLE");
  const saying = (rows: bigint) => ({
    ...hyparquet,
    parquetMetadataAsync: async (bytes: hyparquet.AsyncBuffer) => {
      const metadata = await hyparquet.parquetMetadataAsync(bytes);
      for (const { columns } of metadata.row_groups) {
        const { statistics } = columns[0]?.meta_data ?? {};
        if (statistics !== undefined) statistics.null_count = 0n;
      }
      return { ...metadata, num_rows: rows };
    },
  });
  const fewer = readParquet(saying(0n), file);
  expect(await fewer.collect()).toHaveLength(3);
  expect((await inferSchema(readParquet(saying(3n), file))).fields.v?.nullable).toBe(true);
  const reason = "can't be read as Parquet: its footer has 4 rows, but its row groups have 3";
  await expect(readParquet(saying(4n), file).collect()).rejects.toThrow(
    like(new InputError("source", reason)),
  );
});
