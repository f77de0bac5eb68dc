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
