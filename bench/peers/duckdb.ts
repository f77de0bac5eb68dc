// DuckDB by @duckdb/node-api: a typed table in memory, loaded by data chunks, an
// index on the email; it scans columns for the rest, and its top-N needs no index. Prepared statements.
// Without a sort field there is no ORDER BY: `preserve_insertion_order`, on by default, keeps the order
// and lets a page stop early.

import type { DuckDBConnection } from "@duckdb/node-api";
import { valueOf } from "../value-of.ts";
import type { Peer } from "./peer.ts";
import { selectOf } from "./sql.ts";

const name = (field: string) => `"${field}"`;
/** Rows of a data chunk: the standard vector size, which is also the most. */
const CHUNK = 2048;
const INDEX = "CREATE UNIQUE INDEX by_email ON contacts (contact_email)";

export async function createDuckdb(): Promise<Peer> {
  const { BIGINT, DuckDBDataChunk, DuckDBInstance, VARCHAR } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:");
  const connection: DuckDBConnection = await instance.connect();
  return {
    async load(contacts, fields) {
      const entries = [...fields];
      const types = entries.map(([, type]) => (type === "int" ? BIGINT : VARCHAR));
      const columns = entries.map(
        ([field, type]) => `${name(field)} ${type === "int" ? "BIGINT" : "VARCHAR"}`,
      );
      await connection.run(`CREATE TABLE contacts (${columns.join(", ")})`);
      const appender = await connection.createAppender("contacts");
      for (let from = 0; from < contacts.length; from += CHUNK) {
        const rows = contacts.slice(from, from + CHUNK);
        const chunk = DuckDBDataChunk.create(types, rows.length);
        chunk.setColumns(
          entries.map(([field, type]) =>
            rows.map((contact) => {
              const value = valueOf(contact, field);
              return value !== null && type === "int" ? BigInt(value) : value;
            }),
          ),
        );
        appender.appendDataChunk(chunk);
      }
      appender.closeSync();
    },

    async prepare() {
      await connection.run(INDEX);
    },

    async compile(query) {
      const { criteria, sort, limit } = query;
      const conditions = criteria.map(({ field, operator }) =>
        operator === "exactly" ? `${name(field)} = ?` : `contains(${name(field)}, ?)`,
      );
      const nulls = sort?.order === "DESC" ? "NULLS LAST" : "NULLS FIRST";
      const order =
        sort === undefined ? [] : [`${name(sort.field)} ${sort.order} ${nulls}`, "rowid"];
      const select = await connection.prepare(
        selectOf("* FROM contacts", conditions, order, query),
      );
      return async ({ values, offset }) => {
        for (const [i, value] of values.entries()) select.bindVarchar(i + 1, value);
        if (limit < Infinity) select.bindBigInt(values.length + 1, BigInt(offset));
        return (await select.runAndReadAll()).getRowObjectsJS();
      };
    },
  };
}
