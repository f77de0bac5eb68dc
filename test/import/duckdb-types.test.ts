// Parquet as written by DuckDB: the values of typed columns equal those that DuckDB shows, to the last digit, and sort
// like DuckDB's.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import * as hyparquet from "hyparquet";
import * as writer from "hyparquet-writer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inferSchema, loadCollection, readParquet, writeParquet } from "../../src/import/index.ts";
import { defineSchema, int, strings, time, type Schema } from "../../src/index.ts";
import { settings } from "../property.ts";

let folder: string;
let path: string;
let duckdb: Awaited<ReturnType<DuckDBInstance["connect"]>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tercet-duckdb-"));
  path = join(folder, "table.parquet");
  duckdb = await (await DuckDBInstance.create(":memory:")).connect();
  // It takes a file that was written in the same second, with the same length, for the one that it knows.
  await duckdb.run("SET enable_external_file_cache = false");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The records of a table that DuckDB writes, in the order of a column, and what DuckDB shows of them. */
async function written(type: string, texts: readonly string[]) {
  const rows = texts.map((text, id) => `(${id}, '${text}'::${type})`).join(", ");
  const table = `(VALUES ${rows}) t(id, v)`;
  await duckdb.run(`COPY (SELECT * FROM ${table}) TO '${path}' (FORMAT parquet)`);
  const shown = await duckdb.runAndReadAll(`SELECT id, v::VARCHAR FROM ${table} ORDER BY v, id`);
  const bytes = new Uint8Array(readFileSync(path));
  const schema = await inferSchema(readParquet(hyparquet, bytes));
  const records = await loadCollection(schema, readParquet(hyparquet, bytes, { schema }));
  const sort = schema.fields.v === undefined ? {} : { sort: [["v", "ASC"]] };
  const sorted = records.query(sort as object) as { id: number; v: unknown }[];
  return { type: schema.fields.v?.type, sorted, shown: shown.getRowsJson() };
}

const digits = fc.array(fc.nat(9), { minLength: 1, maxLength: 38 }).map((all) => all.join(""));

/** The digits that the nearest double shows, written out with this many after the point at least. */
function shortest(text: string, scale: number): string {
  const [mantissa = "", exponent] = Number(text).toExponential().split("e");
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d)\.?(\d*)$/.exec(mantissa) ?? [];
  const point = 1 + Number(exponent);
  const digits = (whole + fraction).padStart(1 - point + whole.length + fraction.length, "0");
  const at = Math.max(point, 1);
  return `${sign}${digits.padEnd(at, "0").slice(0, at)}.${digits.slice(at).padEnd(scale, "0")}`;
}

/** A decimal without its point, which two of one scale are compared by. */
const scaledInteger = (text: string): bigint => BigInt(text.replace(".", ""));

test("decimals are floats that show their digits, or else texts of them", async () => {
  const column = fc.record({
    precision: fc.integer({ min: 1, max: 38 }),
    scaled: fc.nat(38),
    values: fc.array(fc.tuple(fc.constantFrom("", "-"), digits), { minLength: 1, maxLength: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(column, async ({ precision, scaled, values }) => {
      const scale = scaled % (precision + 1);
      const texts = values.map(([sign, digits]) => {
        const all = digits.slice(0, precision).padStart(scale + 1, "0");
        const whole = all.slice(0, all.length - scale);
        return `${sign}${whole.length + scale > precision ? "0" : whole}.${all.slice(all.length - scale)}`;
      });
      const { type, sorted, shown } = await written(`DECIMAL(${precision},${scale})`, texts);
      const isFloat = texts.every(
        (text) => scaledInteger(text) === scaledInteger(shortest(text, scale)),
      );
      expect(type).toBe(isFloat ? "float" : "string");
      const byId = new Map(sorted.map(({ id, v }) => [id, v]));
      // DuckDB writes no zero before the point if the type has no digit there.
      const full = (text: unknown) => String(text).replace(/^(-?)\./, "$10.");
      for (const [id, text] of shown) {
        const value = byId.get(Number(id));
        if (isFloat) expect(value).toEqual(Number(text) + 0);
        else expect(value).toBe(full(text));
      }
    }),
    settings(60),
  );
});

const second = fc.integer({ min: -62_000_000_000, max: 253_000_000_000 });
const fraction = fc.nat(999_999_999);

test.each([
  ["TIMESTAMP_MS", 3],
  ["TIMESTAMP", 6],
  ["TIMESTAMP_NS", 9],
  ["TIMESTAMPTZ", 6],
] as const)("%s: texts with the digits of the unit, which sort by time", async (type, unit) => {
  await duckdb.run("SET TimeZone = 'UTC'");
  const most = unit === 9 ? 9_000_000_000 : Infinity;
  const values = fc.array(fc.tuple(second, fraction), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(values, async (all) => {
      const texts = all.map(([seconds, nanoseconds]) => {
        const within = Math.max(-most, Math.min(most, seconds));
        const time = new Date(within * 1000).toISOString().slice(0, 19);
        return `${time}.${String(nanoseconds).padStart(9, "0").slice(0, unit)}`;
      });
      const found = await written(type, texts);
      const zone = type === "TIMESTAMPTZ" ? "Z" : "";
      expect(found.type).toBe(zone === "" ? "string" : "time");
      for (const { id, v } of found.sorted) expect(v).toBe(`${texts[id]}${zone}`);
      // Sorted as texts, they are in the order of DuckDB.
      const values = found.shown.map(([id]) => `${texts[Number(id)]}${zone}`);
      expect(found.sorted.map(({ v }) => v)).toEqual(values);
    }),
    settings(20),
  );
});

test("time fields are timestamps in UTC, and times again when they are read", async () => {
  const Event = defineSchema({
    id: int(),
    at: time({ nullable: true }),
    exact: time({ nullable: true, precision: "microseconds" }),
    tags: strings({ nullable: true }),
  });
  const millisecond = fc.oneof(
    fc.constantFrom(-62_167_219_200_000, 253_402_300_799_999, -1, 0),
    fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
  );
  const event = fc.record({
    at: fc.option(millisecond.map((at) => new Date(at).toISOString())),
    exact: fc.option(
      fc.tuple(millisecond, fc.nat(999)).map(([at, micros]) => {
        const text = new Date(at).toISOString();
        return `${text.slice(0, -1)}${String(micros).padStart(3, "0")}Z`;
      }),
    ),
    tags: fc.option(fc.array(fc.constantFrom("", "a", "__proto__", "null", "\u{1f986}"))),
  });
  /** Microseconds since 1970. */
  const epoch = (text: string | null) =>
    text &&
    String(
      BigInt(Date.parse(`${text.slice(0, 23)}Z`)) * 1000n +
        BigInt(text.slice(23, -1).padEnd(3, "0")),
    );
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 20 }), async (given) => {
      const events = given.map((each, id) => ({ id, ...each }));
      const bytes = writeParquet(writer, events, { schema: Event });
      const found = await inferSchema(readParquet(hyparquet, bytes));
      expect(found.fields.at).toMatchObject({ type: "time", precision: "milliseconds" });
      expect(found.fields.exact).toMatchObject({ type: "time", precision: "microseconds" });
      expect(found.fields.tags?.type).toBe("strings");
      expect(await readParquet(hyparquet, bytes).collect()).toEqual(events);
      for (const schema of [found, Event]) {
        const reading = readParquet(hyparquet, bytes, { schema });
        expect((await loadCollection(schema as Schema, reading)).query()).toEqual(events);
      }
      writeFileSync(path, bytes);
      const rows = await duckdb.runAndReadAll(
        `SELECT epoch_us("at")::VARCHAR, epoch_us(exact)::VARCHAR, to_json(tags)::VARCHAR, typeof("at"), typeof(exact) FROM '${path}' ORDER BY id`,
      );
      const zoned = "TIMESTAMP WITH TIME ZONE";
      expect(rows.getRowsJson()).toEqual(
        events.map(({ at, exact, tags }) => {
          const json = tags && JSON.stringify(tags);
          return [epoch(at), epoch(exact), json, zoned, zoned];
        }),
      );
    }),
    settings(60),
  );
});

test("dates and times, which sort as they follow each other", async () => {
  const day = fc.integer({ min: -719_528, max: 2_932_896 });
  await fc.assert(
    fc.asyncProperty(fc.array(day, { minLength: 1, maxLength: 20 }), async (days) => {
      const texts = days.map((each) => new Date(each * 86_400_000).toISOString().slice(0, 10));
      // DuckDB has no year 0.
      const dates = texts.filter((text) => !text.startsWith("0000"));
      if (dates.length === 0) return;
      const found = await written("DATE", dates);
      expect(found.sorted.map(({ v }) => v)).toEqual(found.shown.map(([, text]) => text));
    }),
    settings(20),
  );
  const times = ["00:00:09", "12:30:00.5", "09:05:00", "23:59:59.999999"];
  const { sorted } = await written("TIME", times);
  const all = ["00:00:09.000000", "09:05:00.000000", "12:30:00.500000", "23:59:59.999999"];
  expect(sorted.map(({ v }) => v)).toEqual(all);
});

test("years that texts would sort wrongly make milliseconds, or are left out, with a notice", async () => {
  const [early, late] = ["0044-03-15 (BC)", "12024-02-29"];
  const { type, sorted } = await written("DATE", [late, "2024-02-29", early]);
  expect(type).toBe("int");
  expect(sorted.map(({ id }) => id)).toEqual([2, 1, 0]);
  const { type: none, sorted: others } = await written("TIMESTAMP", [
    "12024-02-29 00:00:00.000001",
  ]);
  expect(none).toBeUndefined();
  expect(others).toEqual([{ id: 0 }]);
});

test("variants, as bytes and in columns", async () => {
  const read = async (values: readonly string[], options = "") => {
    const rows = values.map((value, id) => `SELECT ${id} AS id, (${value})::VARIANT AS v`);
    const table = rows.join(" UNION ALL ");
    await duckdb.run(`COPY (${table} ORDER BY id) TO '${path}' (FORMAT parquet${options})`);
    const records = await readParquet(hyparquet, new Uint8Array(readFileSync(path))).collect();
    return records.map(({ v }) => v);
  };
  expect(
    await read([
      "TIME '07:08:09.000010'",
      "TIMESTAMPTZ '2023-05-06 07:08:09+00'",
      "TIMESTAMP '2023-05-06 07:08:09'",
      "9007199254740993",
      "1.10::DECIMAL(38, 2)",
      "12345678901234567890.10::DECIMAL(38, 2)",
      "UUID '00112233-4455-6677-8899-aabbccddeeff'",
      "BLOB '\\x00\\xFF'",
      "[NULL::VARIANT, 1::VARIANT, 'x'::VARIANT, (DATE '2024-02-29')::VARIANT]",
    ]),
  ).toEqual([
    "07:08:09.000010",
    "2023-05-06T07:08:09.000000Z",
    "2023-05-06T07:08:09.000000",
    "9007199254740993",
    1.1,
    "12345678901234567890.10",
    "00112233-4455-6677-8899-aabbccddeeff",
    "00ff",
    [null, 1, "x", "2024-02-29"],
  ]);
  const shredding = ", SHREDDING {v: 'STRUCT(u INTEGER, w VARCHAR)[]'}";
  const partly = [
    "[{'u': 1, 'w': 'p'}]",
    "[{'u': 3, 'w': 'q', 'more': 'kept'}]",
    "[{'w': 5}]",
    "7",
  ];
  expect(await read(partly, shredding)).toEqual([
    [{ u: 1, w: "p" }],
    [{ u: 3, w: "q", more: "kept" }],
    [{ w: 5 }],
    7,
  ]);
});
