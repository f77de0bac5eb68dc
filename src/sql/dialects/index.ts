// The dialects by name.

import { alternatives, describe, InputError } from "../../schema/errors.ts";
import type { Dialect, DialectName } from "../dialect.ts";
import { clickhouse, clickhouse18 } from "./clickhouse.ts";
import { duckdb } from "./duckdb.ts";
import { mariadb } from "./mariadb.ts";
import { postgres } from "./postgres.ts";
import { sqlite } from "./sqlite.ts";

const dialects: Readonly<Record<DialectName, Dialect>> = {
  postgres,
  clickhouse,
  clickhouse18,
  duckdb,
  sqlite,
  mariadb,
};

export const dialectNames: readonly string[] = Object.keys(dialects);

/** @throws InputError where there is none of that name */
export function dialectOf(name: unknown, path: string): Dialect {
  if (typeof name === "string" && isDialectName(name)) return dialects[name];
  throw new InputError(path, `must be ${alternatives(dialectNames)}, not ${describe(name)}`);
}

function isDialectName(name: string): name is DialectName {
  return Object.hasOwn(dialects, name);
}
