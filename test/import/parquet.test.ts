// The columns declared in a Parquet file: the field for each, and the supported codecs. The package that reads such
// files is replaced by one that returns given declarations.

import * as hyparquet from "hyparquet";
import * as writer from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import {
  inferSchema,
  readParquet,
  writeParquet,
  type ParquetMetadata,
} from "../../src/import/index.ts";
import { InputError } from "../../src/index.ts";

const NO_FILE = new Uint8Array(0);

interface Declared {
  readonly type?: string;
  readonly converted_type?: string;
  readonly logical_type?: { readonly type: string };
  readonly repetition_type?: string;
}

interface Said {
  readonly null_count?: bigint;
  readonly min_value?: unknown;
  readonly max_value?: unknown;
}

/** A package that finds one column in each file, of which each part says something, compressed with a codec. */
function finding(
  column: Declared,
  parts: readonly (Said | undefined)[] = [],
  codec = "SNAPPY",
  rows = 0n,
) {
  const data = (name: string, statistics: Said | undefined) => ({
    meta_data: { codec, path_in_schema: [name], ...(statistics && { statistics }) },
  });
  const metadata: ParquetMetadata = {
    num_rows: rows,
    schema: [
      { name: "root", num_children: 1 },
      { name: "c", ...column },
    ],
    // What is said of other columns does not matter.
    row_groups: parts.map((part) => ({
      columns: [data("c", part), data("other", { max_value: 2n ** 60n })],
    })),
  };
  return {
    parquetMetadataAsync: () => Promise.resolve(metadata),
    parquetSchema: () => ({ children: [{ element: { name: "c", ...column }, children: [] }] }),
    parquetRead: () => Promise.resolve(),
  };
}

async function fieldOf(
  column: Declared,
  ...parts: (Said | undefined)[]
): Promise<string | undefined> {
  const { fields } = await inferSchema(readParquet(finding(column, parts), NO_FILE));
  const { c } = fields;
  return c && `${c.type}${c.nullable ? " or null" : ""}`;
}

describe("a column is a field", () => {
  test.each<[string, Declared]>([
    ["int", { type: "INT32" }],
    ["int", { type: "INT64" }],
    ["int", { type: "INT32", converted_type: "INT_8" }],
    ["int", { type: "INT64", converted_type: "UINT_64" }],
    ["int", { type: "INT64", converted_type: "OTHER", logical_type: { type: "INTEGER" } }],
    ["time", { type: "INT64", converted_type: "TIMESTAMP_MILLIS" }],
    ["string", { type: "INT64", logical_type: { type: "TIMESTAMP" } }],
    ["string", { type: "INT96" }],
    ["string", { type: "BYTE_ARRAY", converted_type: "UTF8" }],
    ["string", { type: "BYTE_ARRAY", converted_type: "INT_8" }],
    ["float", { type: "FLOAT" }],
    ["float", { type: "DOUBLE" }],
    ["float", { type: "INT32", converted_type: "DECIMAL" }],
    ["float", { type: "FIXED_LEN_BYTE_ARRAY", logical_type: { type: "FLOAT16" } }],
    ["boolean", { type: "BOOLEAN" }],
    ["json", { type: "BYTE_ARRAY", converted_type: "JSON" }],
    ["json", { type: "INT32", repetition_type: "REPEATED" }],
  ])("%s: %j", async (field, column) => {
    const repetition_type = column.repetition_type ?? "REQUIRED";
    expect(await fieldOf({ ...column, repetition_type })).toBe(field);
  });
});

describe("a codec", () => {
  const read = (codec: string, options: object = {}) =>
    readParquet(finding({ type: "INT32" }, [{}], codec), NO_FILE, options).collect();

  test.each(["UNCOMPRESSED", "SNAPPY"])("%s is read", async (codec) => {
    expect(await read(codec)).toEqual([]);
  });

  test("is read by the function of its name, or refused with the column and those that are known", async () => {
    const page = () => NO_FILE;
    expect(await read("ZSTD", { compressors: { ZSTD: page } })).toEqual([]);
    const refused = await read("ZSTD", { compressors: { GZIP: page } }).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(InputError);
    expect(refused).toMatchObject({
      path: "columns.c",
      reason:
        "is compressed with ZSTD, which is not supported; these codecs are: SNAPPY, LZ4, LZ4_RAW, GZIP",
    });
    // Of a column that is not read it does not matter.
    expect(await read("ZSTD", { columns: { c: null } })).toEqual([]);
    await expect(read("toString")).rejects.toThrow("toString");
  });
});

test("a file has as many rows as it says", async () => {
  const none = readParquet(finding({ type: "INT32" }, [], "SNAPPY", 3n), NO_FILE);
  const error: unknown = await none.collect().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "InputError", path: "source" });
});

test("no records without a schema are a file without columns", async () => {
  const bytes = writeParquet(writer, []);
  expect(await readParquet(hyparquet, bytes).collect()).toEqual([]);
});
