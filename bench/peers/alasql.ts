// AlaSQL: a table over documents given to it as `data`, its documented way to load many; statements
// compiled once, with parameters. Substrings use INSTR, since its LIKE ignores case, and INSTR throws at
// null. No index is built: in this version indexes only serve joins, and a WHERE over one table scans.

import { createRequire } from "node:module";
import type { Peer, Row } from "./peer.ts";
import { selectOf } from "./sql.ts";
import { documentOf } from "./typed.ts";

/**
 * The part of it in use. Not in modules.d.ts: alasql's own types are an ambient module too, and if it is
 * installed, both would merge.
 */
interface Alasql {
  readonly Database: new (name: string) => {
    readonly tables: Readonly<Record<string, { data: readonly object[] }>>;
    exec(sql: string): unknown;
  };
  compile(sql: string, database: string): (parameters: readonly string[]) => Row[];
}

const DATABASE = "bench";
const name = (field: string) => `\`${field}\``;

export function createAlasql(): Peer {
  const alasql = createRequire(import.meta.url)("alasql") as Alasql;
  const database = new alasql.Database(DATABASE);
  database.exec("CREATE TABLE contacts");
  return {
    load(contacts) {
      const table = database.tables.contacts;
      if (table === undefined) throw new Error("alasql made no table");
      table.data = contacts.map(documentOf);
    },

    compile({ criteria, sort, ...page }) {
      const conditions = criteria.map(({ field, operator }) =>
        operator === "exactly"
          ? `${name(field)} = ?`
          : `${name(field)} IS NOT NULL AND INSTR(${name(field)}, ?) > 0`,
      );
      const order = sort === undefined ? [] : [`${name(sort.field)} ${sort.order}`, name("row")];
      const sql = selectOf("* FROM contacts", conditions, order, page);
      const select = alasql.compile(sql, DATABASE);
      return (values) => select([...values]);
    },
  };
}
