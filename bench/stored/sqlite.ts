// SQLite by better-sqlite3: one file in WAL mode, as durable as tercet's store (synchronous=FULL). It imports by a
// prepared statement in one transaction, and has indexes for every question, of trigrams too. An index with the field
// to sort by, descending, makes a page a walk along it.

import { createReadStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { keyOf, PAGE, type StoredPeer } from "./peer.ts";

const name = (field: string) => `"${field}"`;

async function databaseIn(folder: string) {
  const { default: Sqlite } = await import("better-sqlite3");
  mkdirSync(folder, { recursive: true });
  const database = new Sqlite(join(folder, "rows.db"));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  return database;
}

export const bySqlite: StoredPeer = {
  load: () => import("better-sqlite3"),

  async import(csv, table, folder) {
    const { fields, key, page, pair, text } = table;
    const database = await databaseIn(folder);
    const columns = Array.from(
      fields,
      ([field, type]) => `${name(field)} ${type === "int" ? "INTEGER" : "TEXT"}`,
    );
    database.exec(`CREATE TABLE rows (${columns.join(", ")}); BEGIN`);
    const insert = database.prepare(
      `INSERT INTO rows VALUES (${columns.map(() => "?").join(", ")})`,
    );
    const types = [...fields.values()];
    let isHeader = true;
    for await (const line of createInterface({ input: createReadStream(csv) })) {
      const values = line.split(",");
      if (!isHeader) {
        const typed = values.map((value, i) =>
          value === "" ? null : types[i] === "int" ? Number(value) : value,
        );
        insert.run(...typed);
      }
      isHeader = false;
    }
    database.exec("COMMIT");
    database.exec(`
      CREATE UNIQUE INDEX by_key ON rows (${name(key)});
      CREATE INDEX by_page ON rows (${name(page.field)}, ${name(page.sortBy)} DESC);
      CREATE INDEX by_pair ON rows (${pair.map(name).join(", ")});
      CREATE VIRTUAL TABLE grams USING fts5(
        ${name(text.field)}, content = 'rows', tokenize = 'trigram case_sensitive 1', detail = 'none'
      );
      INSERT INTO grams (grams) VALUES ('rebuild');
      ANALYZE;
      PRAGMA wal_checkpoint(TRUNCATE);
    `);
    database.close();
    return undefined;
  },

  async open(table, folder) {
    const { key, page, pair, text, changed } = table;
    const database = await databaseIn(folder);
    const lookup = database.prepare(`SELECT * FROM rows WHERE ${name(key)} = ?`);
    const paged = database.prepare(
      `SELECT * FROM rows WHERE ${name(page.field)} = ?
       ORDER BY ${name(page.sortBy)} DESC, rowid LIMIT ${PAGE} OFFSET ?`,
    );
    const contains = database.prepare(
      `SELECT count(*) AS n FROM rows WHERE instr(${name(text.field)}, ?) > 0
       AND rowid IN (SELECT rowid FROM grams WHERE ${name(text.field)} LIKE ? ESCAPE '\\')`,
    );
    const count = database.prepare(
      `SELECT count(*) AS n FROM rows WHERE ${pair.map((field) => `${name(field)} = ?`).join(" AND ")}`,
    );
    const change = database.prepare(`UPDATE rows SET ${name(changed)} = ? WHERE ${name(key)} = ?`);
    return {
      lookup: (given) => lookup.all(keyOf(table, given)),
      page: (value, offset) => paged.all(value, offset),
      // LIKE with six characters takes the trigrams of an index without positions.
      contains: (value) => numberOf(contains.get(value, `%${value.replace(/[%_\\]/g, "\\$&")}%`)),
      count: (one, other) => numberOf(count.get(one, other)),
      change: (given, value) => void change.run(value, keyOf(table, given)),
      checkpoint: () => void database.exec("PRAGMA wal_checkpoint(TRUNCATE)"),
      close: () => void database.close(),
    };
  },
};

const numberOf = (row: unknown) => (row as { readonly n: number }).n;
