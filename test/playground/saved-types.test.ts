// What the page saves as Parquet and Arrow has dates, local times and decimals for other programs, and the same values
// for the page.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { DataType, tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Session } from "../../src/playground/engine/session.ts";
import type { CriteriaList } from "../../src/playground/messages.ts";
import { ReadFile, readFilesAtOnce } from "./read-file.ts";

readFilesAtOnce();

let folder: string;
let duckdb: Awaited<ReturnType<DuckDBInstance["connect"]>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tercet-saved-"));
  duckdb = await (await DuckDBInstance.create(":memory:")).connect();
  // It takes a file that was written in the same second, with the same length, for the one that it knows.
  await duckdb.run("SET enable_external_file_cache = false");
});
afterAll(() => {
  duckdb.closeSync();
  rmSync(folder, { recursive: true });
});

const content = `day,local,minutes,fine,zoned,price,large,version
2024-02-29,2024-02-29 13:05:00,2024-02-29T13:05,2024-02-29T13:05:00.000001,2024-02-29T13:05:00Z,12.50,12345678901234567.10,1.10
,,,,,,,
1969-12-31,1969-12-31 23:59:59,1969-12-31T23:59,1969-12-31T23:59:59.999999,1969-12-31T23:59:59Z,0.05,-0.05,1.20
`;

async function loaded(bytes: Buffer<ArrayBuffer>, name: string) {
  const session = new Session(() => undefined);
  const file = new ReadFile(bytes, name);
  // A version is no number, although it looks like one.
  const types = name.endsWith("csv") ? [["version", "string"] as const] : [];
  await session.load({ file, name }, "auto", { types, text: {} });
  return session;
}

const save = async (session: Session, format: "parquet" | "arrow", criteria: CriteriaList = []) =>
  Buffer.from(await session.save({ criteria, sort: [] }, format).arrayBuffer());

async function duckdbTypes(bytes: Uint8Array) {
  const path = join(folder, "saved.parquet");
  writeFileSync(path, bytes);
  const types = (await duckdb.runAndReadAll(`DESCRIBE FROM '${path}'`)).getRowsJson();
  const sum = await duckdb.runAndReadAll(
    `SELECT sum(large)::VARCHAR, max(local)::VARCHAR FROM '${path}'`,
  );
  return {
    types: Object.fromEntries(types.map(([name, type]) => [name, type])) as object,
    sum: sum.getRowsJson(),
  };
}

function arrowTypes(bytes: Uint8Array): object {
  const { fields } = tableFromIPC(bytes).schema;
  return Object.fromEntries(
    fields.map(({ name, type }) => {
      const coded: unknown = type;
      return [name, DataType.isDictionary(coded) ? String(coded.dictionary) : ""];
    }),
  );
}

test("dates, local times and decimals are saved as such", async () => {
  const session = await loaded(Buffer.from(content), "bills.csv");
  const parquet = await save(session, "parquet");
  expect(await duckdbTypes(parquet)).toEqual({
    types: {
      day: "DATE",
      local: "TIMESTAMP",
      minutes: "TIMESTAMP",
      fine: "TIMESTAMP",
      zoned: "TIMESTAMP WITH TIME ZONE",
      price: "DOUBLE",
      large: "DECIMAL(19,2)",
      version: "VARCHAR",
    },
    sum: [["12345678901234567.05", "2024-02-29 13:05:00"]],
  });
  const arrow = await save(session, "arrow");
  expect(arrowTypes(arrow)).toEqual({
    day: "Date32<DAY>",
    local: "Timestamp<MILLISECOND>",
    minutes: "Timestamp<MILLISECOND>",
    fine: "Timestamp<MICROSECOND>",
    zoned: "Timestamp<MILLISECOND, UTC>",
    price: "Float64",
    large: "Decimal[19e+2]",
    version: "Utf8",
  });
  // The page shows and finds the same. Parquet has no forms of times, and a version is a string in any format.
  for (const [name, bytes] of Object.entries({ "a.parquet": parquet, "a.arrow": arrow })) {
    const again = await loaded(bytes, name);
    const { rows } = again.rows({ criteria: [], sort: [] }, 0, 10);
    expect(rows).toEqual(session.rows({ criteria: [], sort: [] }, 0, 10).rows);
  }
});

test("a date that was given a clock leaves its column one of strings", async () => {
  const session = await loaded(Buffer.from(content), "bills.csv");
  const asked = { criteria: [], sort: [] };
  const [row = []] = session.rows(asked, 0, 1).rows;
  const place = { asked, position: 0, row };
  const value = Date.UTC(2024, 1, 29, 10);
  session.change({ kind: "set", place, field: "day", value });
  const parquet = await duckdbTypes(await save(session, "parquet"));
  expect(parquet.types).toMatchObject({ day: "VARCHAR" });
  expect(arrowTypes(await save(session, "arrow"))).toMatchObject({ day: "Utf8" });
  // Fewer records have the same types.
  const few = await duckdbTypes(await save(session, "parquet", [["price", "less_than", 1]]));
  expect(few).toEqual({ types: parquet.types, sum: [["-0.05", "1969-12-31 23:59:59"]] });
});
