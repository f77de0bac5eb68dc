// ClickHouse embedded, by chdb: a MergeTree table in a temporary session, its primary key the row, so
// that it stays in insertion order, and data-skipping indexes: a bloom filter for the lookup, n-grams for
// substrings of the email. It reads columns in granules of 8,192 rows. The package is large (half a
// gigabyte), so it is installed only when asked for by name.

import type { Session } from "chdb";
import { valueOf } from "../value-of.ts";
import type { Peer } from "./peer.ts";
import { selectOf } from "./sql.ts";

const name = (field: string) => `\`${field}\``;
const EMAIL = "contact_email";
/** Contacts of one insert. */
const BLOCK = 20_000;

export async function createChdb(): Promise<Peer> {
  const { Session: Chdb } = await import("chdb");
  const session: Session = new Chdb();
  return {
    load(contacts, fields) {
      const columns = Array.from(fields, ([field, type]) => {
        const column = type === "int" ? "Int64" : "String";
        // An n-gram index takes no column that may be null.
        return `${name(field)} ${field === EMAIL ? column : `Nullable(${column})`}`;
      });
      session.query("CREATE DATABASE bench");
      session.query(
        `CREATE TABLE bench.contacts (row UInt32, ${columns.join(", ")}) ENGINE = MergeTree ORDER BY row`,
      );
      for (let from = 0; from < contacts.length; from += BLOCK) {
        const lines = contacts.slice(from, from + BLOCK).map((contact, i) => {
          const values = Array.from(fields, ([field]) => [field, valueOf(contact, field)] as const);
          return JSON.stringify({ row: from + i, ...Object.fromEntries(values) });
        });
        session.query(`INSERT INTO bench.contacts FORMAT JSONEachRow ${lines.join("\n")}`);
      }
    },

    prepare() {
      for (const index of [
        `by_email ${name(EMAIL)} TYPE bloom_filter(0.001) GRANULARITY 1`,
        `by_gram ${name(EMAIL)} TYPE ngrambf_v1(4, 65536, 3, 0) GRANULARITY 1`,
      ]) {
        session.query(`ALTER TABLE bench.contacts ADD INDEX ${index}`);
      }
      session.query("OPTIMIZE TABLE bench.contacts FINAL");
      for (const index of ["by_email", "by_gram"]) {
        session.query(
          `ALTER TABLE bench.contacts MATERIALIZE INDEX ${index} SETTINGS mutations_sync = 2`,
        );
      }
    },

    compile({ criteria, sort, ...page }) {
      const conditions = criteria.map(({ field, operator }, i) => {
        const value = `{v${i}:String}`;
        return operator === "exactly"
          ? `${name(field)} = ${value}`
          : `${name(field)} LIKE concat('%', ${value}, '%')`;
      });
      const nulls = sort?.order === "DESC" ? "NULLS LAST" : "NULLS FIRST";
      const order = sort === undefined ? [] : [`${name(sort.field)} ${sort.order} ${nulls}`];
      const sql = selectOf("* EXCEPT row FROM bench.contacts", conditions, [...order, "row"], page);
      return (values) => {
        const parameters = Object.fromEntries(values.map((value, i) => [`v${i}`, value]));
        const text = session.queryBind(sql, parameters, "JSONEachRow");
        return text
          .split("\n")
          .filter((line) => line !== "")
          .map((line): Record<string, unknown> => JSON.parse(line) as Record<string, unknown>);
      };
    },
  };
}
