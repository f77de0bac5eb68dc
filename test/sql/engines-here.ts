// The engines that run in the process of the tests.

import { start as startDuckdb } from "../engines/duckdb.ts";
import type { Engine } from "../engines/engine.ts";
import { start as startSqlite } from "../engines/sqlite.ts";

export const enginesHere: readonly (readonly [name: string, start: () => Promise<Engine>])[] = [
  ["SQLite", startSqlite],
  ["DuckDB", startDuckdb],
];
