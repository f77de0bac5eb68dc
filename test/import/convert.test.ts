// The option `convert` of all readers: its result is treated as if the source contained it.

import * as flechette from "@uwdata/flechette";
import * as hyparquet from "hyparquet";
import * as writer from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import {
  inferSchema,
  loadCollection,
  readArrow,
  readCsv,
  readNdjson,
  readParquet,
  readRecords,
  writeArrow,
  writeCsv,
  writeJson,
  writeNdjson,
  writeParquet,
  type ImportOf,
  type Reading,
} from "../../src/import/index.ts";
import { float, int, defineSchema, readSchema, string } from "../../src/index.ts";

const rows = [
  { id: 1, placed: "2024-03-05", price: "0,50", name: "a" },
  { id: 2, placed: null, price: "1.234,5", name: "0,50" },
  { id: 3, placed: "1969-12-31", price: "-7", name: "" },
];
const Order = defineSchema({
  id: int(),
  placed: int({ nullable: true }),
  price: float(),
  name: string(),
});
const convert = {
  placed: (value: unknown) => {
    const time = Date.parse(String(value));
    if (Number.isNaN(time)) throw new Error(`must be a date, not ${JSON.stringify(value)}`);
    return time;
  },
  price: (value: unknown) => Number(String(value).replaceAll(".", "").replace(",", ".")),
};
const expected = [
  { id: 1, placed: Date.UTC(2024, 2, 5), price: 0.5, name: "a" },
  { id: 2, placed: null, price: 1234.5, name: "0,50" },
  { id: 3, placed: -86_400_000, price: -7, name: "" },
];

type Options = { readonly schema: typeof Order; readonly convert: typeof convert };
type Read = (from: typeof rows, options: Options) => Reading<ImportOf<typeof Order>>;

const text = (pieces: Iterable<string>) => [...pieces].join("");
const readers: Readonly<Record<string, Read>> = {
  csv: (from, options) => readCsv(text(writeCsv(from)), options),
  ndjson: (from, options) => readNdjson(text(writeNdjson(from)), options),
  json: (from, options) => readRecords(text(writeJson(from)), { ...options, format: "json" }),
  arrow: (from, options) => readArrow(flechette, writeArrow(from), options),
  parquet: (from, options) => readParquet(hyparquet, writeParquet(writer, from), options),
};

describe.each(Object.entries(readers))("%s", (_, read) => {
  test("records and collections hold what the functions return", async () => {
    const options = { schema: Order, convert };
    const loaded = await loadCollection(Order, read(rows, options));
    expect(loaded.query()).toEqual(expected);
    const records = await read(rows, options).collect();
    expect(records.map(({ placed }) => placed ?? null)).toEqual(
      expected.map(({ placed }) => placed),
    );
  });

  test("what a function throws refuses the value, with its place", async () => {
    const bad = rows.with(1, { id: 2, placed: "yesterday", price: "1", name: "b" });
    const options = { schema: Order, convert };
    const loading = async () => await loadCollection(Order, read(bad, options));
    await expect(loading()).rejects.toThrow(
      /^(?:line [23]|records\[1\]|row 2)\.placed: must be a date, not "yesterday"$/,
    );
  });
});

test("types are inferred of what the functions return", () => {
  const { fields } = inferSchema(readCsv(text(writeCsv(rows)), { convert }));
  expect(Object.values(fields).map(({ type }) => type)).toEqual(["int", "int", "float", "string"]);
});

test("a line that is no record keeps its own error, and options are checked", () => {
  const schema = readSchema({ fields: { id: { type: "int" } } });
  const options = { schema, convert: { id: Number } };
  expect(() => [...readNdjson('{"id":"7"}\n{"id":\n', options)]).toThrow("line 2: is not JSON");
  expect([...readNdjson('{"id":"7"}\n', options)]).toEqual([{ id: 7 }]);
  const wrong = { convert: { id: "Number" } } as never;
  expect(() => [...readCsv("id\n1\n", wrong)]).toThrow("options.convert.id: must be a function");
});
