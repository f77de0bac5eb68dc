// SQLite, by better-sqlite3: a typed table in memory; an index for each field used (those for sorting DESC, where the rowid at the end of every
// index entry keeps ties in insertion order); an FTS5 trigram index for substrings of the email, updated
// by triggers; ANALYZE; prepared statements. Substrings are `instr`, since LIKE ignores case. If both a
// trigram search and a scan are possible, the faster of the two is used: for `gmail`, in every third
// address, that is the scan.

import type { FieldTypes, FlatContact } from "../contacts.ts";
import type { BenchQuery } from "../queries.ts";
import { faster, PAGE, type Peer, type Run } from "./peer.ts";
import { selectOf } from "./sql.ts";
import { typedValueOf } from "./typed.ts";

const name = (field: string) => `"${field}"`;
const GRAMS = "contact_email";

export async function createSqlite(): Promise<Peer> {
  const { default: Sqlite } = await import("better-sqlite3");
  const database = new Sqlite(":memory:");
  let fields: FieldTypes = new Map();

  const insert = (contacts: readonly FlatContact[]) => {
    const names = [...fields.keys()];
    const places = names.map(() => "?").join(", ");
    const statement = database.prepare(`INSERT INTO contacts VALUES (${places})`);
    database.exec("BEGIN");
    for (const contact of contacts) {
      statement.run(...names.map((field) => typedValueOf(contact, field, fields)));
    }
    database.exec("COMMIT");
  };

  const select = (query: BenchQuery, useTrigrams: boolean): Run => {
    const { criteria, sort, limit } = query;
    const inTrigrams = criteria.map(
      ({ field, operator }) => useTrigrams && operator === "contains" && field === GRAMS,
    );
    const conditions = criteria.map(({ field, operator }, i) => {
      if (inTrigrams[i]) return "rowid IN (SELECT rowid FROM grams WHERE grams MATCH ?)";
      return operator === "exactly" ? `${name(field)} = ?` : `instr(${name(field)}, ?) > 0`;
    });
    const order = sort === undefined ? [] : [`${name(sort.field)} ${sort.order}`];
    const statement = database.prepare(
      selectOf("* FROM contacts", conditions, [...order, "rowid"], query),
    );
    return ({ values, offset }) => {
      const given = values.map((value, i) => (inTrigrams[i] ? `"${value}"` : value));
      return limit === Infinity ? statement.all(...given) : statement.all(...given, offset);
    };
  };

  return {
    load(contacts, types) {
      fields = types;
      const columns = Array.from(
        types,
        ([field, type]) => `${name(field)} ${type === "int" ? "INTEGER" : "TEXT"}`,
      );
      database.exec(`CREATE TABLE contacts (${columns.join(", ")})`);
      insert(contacts);
    },

    prepare() {
      database.exec(`
        CREATE UNIQUE INDEX by_email ON contacts (contact_email);
        CREATE INDEX by_status ON contacts (send_status);
        CREATE INDEX by_country ON contacts (open_country);
        CREATE INDEX by_type ON contacts (open_type, "Email");
        CREATE INDEX by_list_email ON contacts ("Email");
        CREATE INDEX by_send_time ON contacts (send_time DESC);
        CREATE INDEX by_last_open ON contacts (last_open_time DESC);
        CREATE VIRTUAL TABLE grams USING fts5(
          ${GRAMS}, content = 'contacts', tokenize = 'trigram case_sensitive 1'
        );
        INSERT INTO grams (grams) VALUES ('rebuild');
        CREATE TRIGGER inserted AFTER INSERT ON contacts BEGIN
          INSERT INTO grams (rowid, ${GRAMS}) VALUES (new.rowid, new.${GRAMS});
        END;
        CREATE TRIGGER deleted AFTER DELETE ON contacts BEGIN
          INSERT INTO grams (grams, rowid, ${GRAMS}) VALUES ('delete', old.rowid, old.${GRAMS});
        END;
        ANALYZE;
      `);
    },

    compile(query) {
      const hasTrigrams = query.criteria.some(
        ({ field, operator }) => operator === "contains" && field === GRAMS,
      );
      const scan = select(query, false);
      return hasTrigrams ? faster([scan, select(query, true)], query) : scan;
    },

    updates() {
      const lookup = database.prepare("SELECT * FROM contacts WHERE contact_email = ?");
      const page = database.prepare(
        `SELECT * FROM contacts ORDER BY last_open_time DESC, rowid LIMIT ${PAGE}`,
      );
      const open = database.prepare(
        "UPDATE contacts SET last_open_time = ? WHERE contact_email = ?",
      );
      const remove = database.prepare("DELETE FROM contacts WHERE send_status = ?");
      return {
        lookup: (email) => lookup.get(email),
        page: () => page.all(),
        open: (email, time) => void open.run(time, email),
        insert: ({ flat }) => insert(flat),
        removeWithStatus: (status) => void remove.run(status),
      };
    },
  };
}
