// The CSV files of the tables. They are written once and kept, since 100,000,000 rows take minutes.

import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { TABLES, type StoredTable, type TableName, type Value } from "./tables.ts";

/** A table as CSV, and the calls that are made. */
export interface StoredFile {
  readonly path: string;
  readonly calls: Calls;
}

/** No two calls of a question are alike. */
export interface Calls {
  readonly lookup: readonly string[];
  /** The offset differs as well. */
  readonly page: readonly string[];
  readonly contains: readonly string[];
  readonly count: readonly (readonly [string, string])[];
}

/** How many rows are looked at to choose values, at equal distances. */
const SAMPLE = 2000;
/** Bytes that are written at once. */
const CHUNK = 1 << 20;

/** Writes the file of a table unless it is there. */
export function csvOf(name: TableName, size: number, folder: string): StoredFile {
  const path = join(folder, `${name}-${size}.csv`);
  const calls = join(folder, `${name}-${size}.json`);
  if (!existsSync(calls)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      `${calls}.part`,
      JSON.stringify(callsOf(TABLES[name], writeRows(TABLES[name], size, path))),
    );
    renameSync(`${calls}.part`, calls);
  }
  return { path, calls: JSON.parse(readFileSync(calls, "utf8")) as Calls };
}

/** @returns rows at equal distances */
function writeRows({ fields, rows }: StoredTable, size: number, path: string) {
  const sample: (readonly Value[])[] = [];
  const step = Math.max(1, Math.floor(size / SAMPLE));
  const file = openSync(path, "w");
  let chunk = `${[...fields.keys()].join(",")}\n`;
  let row = 0;
  for (const values of rows(size)) {
    if (row++ % step === 0) sample.push(values);
    // `join` makes an empty text of null.
    chunk += `${values.join(",")}\n`;
    if (chunk.length < CHUNK) continue;
    writeSync(file, chunk);
    chunk = "";
  }
  writeSync(file, chunk);
  closeSync(file);
  return sample;
}

function callsOf(table: StoredTable, sample: readonly (readonly Value[])[]): Calls {
  const names = [...table.fields.keys()];
  const valuesOf = (field: string) => {
    const at = names.indexOf(field);
    return jumping(sample).flatMap((row) => (row[at] == null ? [] : [String(row[at])]));
  };
  const [one, other] = table.pair.map((field) => names.indexOf(field));
  const pairs = sample.flatMap((row) => {
    const [a, b] = [row[one ?? -1], row[other ?? -1]];
    return a == null || b == null ? [] : [JSON.stringify([String(a), String(b)])];
  });
  return {
    lookup: distinct(valuesOf(table.key)),
    page: distinct(valuesOf(table.page.field)),
    contains: distinct(valuesOf(table.text.field).map((text) => sixFrom(text, table.text.at))),
    count: distinct(pairs).map((pair) => JSON.parse(pair) as [string, string]),
  };
}

/** From an offset, which counts from the end if it is negative. */
const sixFrom = (text: string, at: number) => text.slice(at).slice(0, 6);

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** The same items in an order that jumps. */
const jumping = <T>(items: readonly T[]): T[] =>
  items.map((_, i) => items[(i * 7919) % items.length] as T);
