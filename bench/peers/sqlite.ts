// SQLite by better-sqlite3: a typed table in memory, an index for each field used (those for sorting
// DESC, where the rowid that ends every index entry keeps ties in insertion order), an FTS5 trigram
// index for substrings of the email, ANALYZE, prepared statements. Substrings are `instr`: LIKE ignores
// case. Where both a trigram search and a scan are possible, the faster of the two is taken: for
// `gmail`, in every third address, it is the scan.

import type Database from "better-sqlite3";
import type { BenchQuery } from "../queries.ts";
import { fastest, type Peer, type Run } from "./peer.ts";
import { typedValueOf } from "./typed.ts";

const name = (field: string) => `"${field}"`;
const GRAMS = "contact_email";

export async function createSqlite(): Promise<Peer> {
  const { default: Sqlite } = await import("better-sqlite3");
  const database: Database = new Sqlite(":memory:");

  const statement = (query: BenchQuery, useTrigrams: boolean) => (): Run => {
    const { criteria, sort, offset, limit } = query;
    const inTrigrams = criteria.map(
      ({ field, operator }) => useTrigrams && operator === "contains" && field === GRAMS,
    );
    const conditions = criteria.map(({ field, operator }, i) => {
      if (inTrigrams[i]) return "rowid IN (SELECT rowid FROM grams WHERE grams MATCH ?)";
      return operator === "exactly" ? `${name(field)} = ?` : `instr(${name(field)}, ?) > 0`;
    });
    const select = database.prepare(
      [
        "SELECT * FROM contacts",
        conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`,
        `ORDER BY ${sort === undefined ? "" : `${name(sort.field)} ${sort.order}, `}rowid`,
        `LIMIT ${limit === Infinity ? -1 : limit} OFFSET ${offset}`,
      ].join(" "),
    );
    return (values) => select.all(values.map((v, i) => (inTrigrams[i] ? `"${v}"` : v)));
  };

  return {
    name: "better-sqlite3",

    load(contacts, fields) {
      const columns = Array.from(
        fields,
        ([field, type]) => `${name(field)} ${type === "int" ? "INTEGER" : "TEXT"}`,
      );
      database.exec(`CREATE TABLE contacts (${columns.join(", ")})`);
      const places = columns.map(() => "?").join(", ");
      const insert = database.prepare(`INSERT INTO contacts VALUES (${places})`);
      const names = [...fields.keys()];
      database.exec("BEGIN");
      for (const contact of contacts) {
        insert.run(names.map((field) => typedValueOf(contact, field, fields)));
      }
      database.exec("COMMIT");
    },

    prepare() {
      database.exec(`
        CREATE UNIQUE INDEX by_email ON contacts (contact_email);
        CREATE INDEX by_status ON contacts (send_status);
        CREATE INDEX by_type ON contacts (open_type, "Email");
        CREATE INDEX by_list_email ON contacts ("Email");
        CREATE INDEX by_send_time ON contacts (send_time DESC);
        CREATE INDEX by_last_open ON contacts (last_open_time DESC);
        CREATE VIRTUAL TABLE grams USING fts5(
          ${GRAMS}, content = 'contacts', tokenize = 'trigram case_sensitive 1'
        );
        INSERT INTO grams (grams) VALUES ('rebuild');
        ANALYZE;
      `);
    },

    compile(query) {
      const hasTrigrams = query.criteria.some(
        ({ field, operator }) => operator === "contains" && field === GRAMS,
      );
      const scan = statement(query, false);
      return fastest(hasTrigrams ? [scan, statement(query, true)] : [scan], query);
    },
  };
}
