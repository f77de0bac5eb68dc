// Columns of strings that are written as dates, local times and decimals: what DuckDB, polars, flechette and apache-arrow
// read is what the strings say, and tercet reads the strings again.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import * as flechette from "@uwdata/flechette";
import { DataType, tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import * as hyparquet from "hyparquet";
import * as writer from "hyparquet-writer";
import polars from "nodejs-polars";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCollection } from "../../src/arrow/index.ts";
import { readArrow, readParquet, writeArrow, writeParquet } from "../../src/import/index.ts";
import type { ColumnType } from "../../src/import/index.ts";
import { defineSchema, int, string, time } from "../../src/index.ts";
import { settings } from "../property.ts";

let folder: string;
let path: string;
let duckdb: Awaited<ReturnType<DuckDBInstance["connect"]>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tercet-types-"));
  path = join(folder, "table.parquet");
  duckdb = await (await DuckDBInstance.create(":memory:")).connect();
  // It takes a file that was written in the same second, with the same length, for the one that it knows.
  await duckdb.run("SET enable_external_file_cache = false");
});
afterAll(() => {
  duckdb.closeSync();
  rmSync(folder, { recursive: true });
});

const Row = defineSchema({
  id: int(),
  day: string({ nullable: true }),
  local: string({ nullable: true }),
  fine: string({ nullable: true, ignoreCase: true }),
  price: string({ nullable: true }),
  large: string({ nullable: true }),
  __proto: string({ nullable: true }),
});
const types: Readonly<Record<string, ColumnType>> = {
  day: "date",
  local: "timestamp(3)",
  fine: "timestamp(6)",
  price: "decimal(18,2)",
  large: "decimal(38,20)",
};

const moment = fc.oneof(
  fc.date({
    min: new Date("0001-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  }),
  fc.constantFrom(new Date(0), new Date(-1), new Date("2024-02-29T00:00:00Z")),
);
const digits = (most: number) =>
  fc.array(fc.nat(9), { minLength: 1, maxLength: most }).map((all) => String(BigInt(all.join(""))));
const decimal = (whole: number, scale: number) =>
  fc
    .tuple(fc.constantFrom("", "-"), digits(whole), digits(scale))
    .map(([sign, a, b]) => `${sign}${a}.${b.padStart(scale, "0")}`)
    // 0 has no sign.
    .map((text) => (/[1-9]/.test(text) ? text : text.replace("-", "")));
const row = fc.record({
  day: fc.option(moment.map((at) => at.toISOString().slice(0, 10))),
  local: fc.option(moment.map((at) => at.toISOString().slice(0, 23))),
  fine: fc.option(
    fc.tuple(moment, fc.nat(999)).map(([at, rest]) => {
      return `${at.toISOString().slice(0, 23)}${String(rest).padStart(3, "0")}`;
    }),
  ),
  price: fc.option(decimal(16, 2)),
  large: fc.option(decimal(18, 20)),
  __proto: fc.option(fc.constantFrom("", "2024-01-01", "1.50")),
});
const table = fc
  .array(row, { minLength: 1, maxLength: 20 })
  .map((rows) => rows.map((each, id) => ({ ...each, id })));

test("Parquet: DuckDB has the types and the values, and tercet the strings", async () => {
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const bytes = writeParquet(writer, rows, { schema: Row, types });
      writeFileSync(path, bytes);
      const shown = await duckdb.runAndReadAll(
        `SELECT id, day::VARCHAR, strftime(local, '%Y-%m-%dT%H:%M:%S.%g'), strftime(fine, '%Y-%m-%dT%H:%M:%S.%f'),
           price::VARCHAR, large::VARCHAR, __proto FROM '${path}' ORDER BY id`,
      );
      expect(shown.getRowsJson().map((each) => each.map((value) => value ?? null))).toEqual(
        rows.map(({ id, day, local, fine, price, large, __proto }) => [
          ...[String(id), day, local, fine, price, large, __proto],
        ]),
      );
      const described = await duckdb.runAndReadAll(`DESCRIBE FROM '${path}'`);
      expect(described.getRowsJson().map(([name, type]) => [name, type])).toEqual([
        ["id", "BIGINT"],
        ["day", "DATE"],
        ["local", "TIMESTAMP"],
        ["fine", "TIMESTAMP"],
        ["price", "DECIMAL(18,2)"],
        ["large", "DECIMAL(38,20)"],
        ["__proto", "VARCHAR"],
      ]);
      const read = await readParquet(hyparquet, bytes, { schema: Row }).collect();
      expect(read).toEqual(rows.map((each) => expect.objectContaining(each) as unknown));
    }),
    settings(40),
  );
});

const integer = (text: string | null) => (text === null ? null : BigInt(text.replace(".", "")));
const micros = (text: string | null) =>
  text === null
    ? null
    : BigInt(Date.parse(`${text.slice(0, 23)}Z`)) * 1000n + BigInt(text.slice(23, 26));
const millis = (text: string | null) => (text === null ? null : Date.parse(`${text}Z`));
const days = (text: string | null) => (text === null ? null : Date.parse(text));

test("Arrow: other readers have the types and the values, and tercet the same strings", () => {
  fc.assert(
    fc.property(table, (rows) => {
      const bytes = writeArrow(rows, { schema: Row, types });
      const known = tableFromIPC(bytes).schema.fields.map(({ name, type }) => {
        const coded: unknown = type;
        return [name, DataType.isDictionary(coded) ? String(coded.dictionary) : ""];
      });
      expect(Object.fromEntries(known)).toMatchObject({
        day: "Date32<DAY>",
        local: "Timestamp<MILLISECOND>",
        fine: "Timestamp<MICROSECOND>",
        price: "Decimal[18e+2]",
        large: "Decimal[38e+20]",
        __proto: "Utf8",
      });
      const options = { useBigInt: true, useBigIntTimestamp: true, useDecimalInt: true } as const;
      const read = flechette.tableFromIPC(bytes, options);
      const column = (name: string) => {
        const all: unknown[] = [...read.getChild(name)];
        return all;
      };
      expect(column("day")).toEqual(rows.map(({ day }) => days(day)));
      expect(column("fine")).toEqual(rows.map(({ fine }) => micros(fine)));
      expect(column("price")).toEqual(rows.map(({ price }) => integer(price)));
      expect(column("large")).toEqual(rows.map(({ large }) => integer(large)));
      const frame = polars.readIPC(Buffer.from(bytes));
      const timesIn = (name: string) =>
        frame
          .getColumn(name)
          .toArray()
          .map((each: unknown) => (each instanceof Date ? each.getTime() : each));
      expect(timesIn("day")).toEqual(rows.map(({ day }) => days(day)));
      expect(timesIn("local")).toEqual(rows.map(({ local }) => millis(local)));
      const opened = openCollection(bytes, { schema: Row, verify: true });
      expect(opened.query()).toEqual(rows.map((each) => expect.objectContaining(each) as unknown));
      expect(opened.count([["day", "at_least", "2000"]])).toBe(
        rows.filter(({ day }) => day !== null && day >= "2000").length,
      );
      const again = [...readArrow(flechette, bytes, { schema: Row })];
      expect(again).toHaveLength(rows.length);
    }),
    settings(40),
  );
});

describe("what is not of the type is refused", () => {
  const write = (type: ColumnType, text: string, format: "parquet" | "arrow") => {
    const options = { types: { v: type } };
    const records = [{ v: null }, { v: text }];
    return format === "parquet"
      ? writeParquet(writer, records, options)
      : writeArrow(records, options);
  };
  const cases: readonly (readonly [ColumnType, readonly string[]])[] = [
    [
      "date",
      ["", "2024", "2024-02-30", "2024-13-01", "2024-02-29T00:00", " 2024-02-29", "24-02-29"],
    ],
    ["timestamp(3)", ["2024-02-29T24:00", "2024-02-29T10:00:00Z", "2024-02-29T10:00:00.0001", "x"]],
    ["timestamp(6)", ["2024-02-29T10:60:00", "2024-02-29T10:00:00.1234567", "2023-02-29 10:00"]],
    ["decimal(4,2)", ["", "100.00", "1.234", "1e1", "+1", "1.", ".5", "1,5", "NaN", "--1", "0x1"]],
  ];
  test.each(cases.flatMap(([type, texts]) => texts.map((text) => [type, text] as const)))(
    "as %s: %j",
    (type, text) => {
      for (const format of ["parquet", "arrow"] as const) {
        expect(() => write(type, text, format)).toThrow(
          `records[1].v: can't be written as ${type}: ${JSON.stringify(text)}`,
        );
      }
    },
  );

  test("what is written with fewer digits is the same value", async () => {
    const records = [{ a: "1", b: "2024-02-29", c: "-0", d: "12.340" }];
    const bytes = writeParquet(writer, records, {
      types: { a: "decimal(4,2)", b: "timestamp(3)", c: "decimal(1,0)", d: "decimal(4,2)" },
    });
    expect(await readParquet(hyparquet, bytes).collect()).toEqual([
      { a: 1, b: "2024-02-29T00:00:00.000", c: 0, d: 12.34 },
    ]);
  });

  test("types that are none, and columns that are no strings", () => {
    const typed = (types: unknown) => () =>
      writeParquet(writer, [{ id: 1, at: 0 }], {
        schema: defineSchema({ id: int(), at: time(), text: string({ default: "" }) }),
        types: types as Record<string, ColumnType>,
      });
    for (const type of [
      "DATE",
      "decimal(39,2)",
      "decimal(2,3)",
      "decimal(0,0)",
      "timestamp",
      3,
      null,
    ]) {
      expect(typed({ text: type })).toThrow('options.types.text: must be "date"');
    }
    expect(typed({ at: "date" })).toThrow("must be a column of strings, not time");
    expect(typed({ x: "date" })).toThrow("is no column");
    expect(typed([])).toThrow("must be an object");
  });
});
