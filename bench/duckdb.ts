// Prepared statements of DuckDB, for the peers that use it.

import type { DuckDBConnection } from "@duckdb/node-api";

/** Prepares a statement. @returns a function that runs it with values and returns its rows */
export async function prepared(connection: DuckDBConnection, sql: string) {
  const statement = await connection.prepare(sql);
  return async (...values: readonly (string | number)[]) => {
    values.forEach((value, i) => {
      if (typeof value === "string") statement.bindVarchar(i + 1, value);
      else statement.bindBigInt(i + 1, BigInt(value));
    });
    return (await statement.runAndReadAll()).getRowObjectsJS();
  };
}
