// The dialects by name.

import { oneOf, type ReadOption } from "../../schema/options.ts";
import type { Dialect, DialectName } from "../dialect.ts";
import { clickhouse } from "./clickhouse.ts";
import { duckdb } from "./duckdb.ts";
import { mariadb } from "./mariadb.ts";
import { postgres } from "./postgres.ts";
import { sqlite } from "./sqlite.ts";

const dialects: Readonly<Record<DialectName, Dialect>> = {
  postgres,
  clickhouse,
  duckdb,
  sqlite,
  mariadb,
};

const readName = oneOf(...(Object.keys(dialects) as DialectName[]));

/** @throws InputError if there is none of that name */
export const dialectOf: ReadOption<Dialect> = (name, path) => dialects[readName(name, path)];
