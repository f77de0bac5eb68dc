import type Database from "better-sqlite3";
import { placeOfP99, type OwnPeer, type Top } from "./questions.ts";
import { BY_VOTES, COLUMNS, groupOf, RANGE, TOP, totaled } from "./sql.ts";
import type { Ticket } from "./tickets.ts";

const INDEXES = {
  by_state: "tickets (state)",
  by_owner: "tickets (owner)",
  by_votes: "tickets (votes)",
  most_votes: "tickets (votes DESC, id)",
  latest: "tickets (opened DESC, id)",
  // Everything that totals read, without a look into the table.
  totals: "tickets (state, id, owner, votes)",
};

/** @param indexes the columns of each index by its name */
export function loadInto(
  database: Database,
  tickets: readonly Ticket[],
  indexes: Readonly<Record<string, string>>,
): void {
  database.exec(`CREATE TABLE tickets (${COLUMNS.replace("INTEGER", "INTEGER PRIMARY KEY")})`);
  database.exec(
    "CREATE TABLE tagged (tag TEXT, id INTEGER, PRIMARY KEY (tag, id)) WITHOUT ROWID; BEGIN",
  );
  const insert = database.prepare("INSERT INTO tickets VALUES (?, ?, ?, ?, ?, ?, ?)");
  const insertTag = database.prepare("INSERT INTO tagged VALUES (?, ?)");
  for (const { id, state, owner, votes, note, opened, tags } of tickets) {
    insert.run(id, state, owner, votes, note, opened, JSON.stringify(tags));
    for (const tag of tags) insertTag.run(tag, id);
  }
  database.exec("COMMIT");
  for (const [name, columns] of Object.entries(indexes)) {
    database.exec(`CREATE INDEX ${name} ON ${columns}`);
  }
  database.exec("ANALYZE");
}

export async function bySqlite(tickets: readonly Ticket[]): Promise<OwnPeer> {
  const { default: Sqlite } = await import("better-sqlite3");
  const database = new Sqlite(":memory:");
  loadInto(database, tickets, INDEXES);
  const group = database.prepare(groupOf("instr(note, ?) > 0"));
  const range = database.prepare(RANGE);
  const tagged = database.prepare(
    `SELECT tickets.* FROM tagged JOIN tickets USING (id) WHERE tag = ? ${BY_VOTES} OFFSET ?`,
  );
  // An index has its rows from the first of the same votes on.
  const next = database.prepare(
    `SELECT * FROM tickets WHERE votes <= ? AND (votes < ? OR id > ?) ${BY_VOTES}`,
  );
  const top = database.prepare(TOP);
  const count = database.prepare(totaled("count(*) AS count"));
  const p99 = database.prepare(`${totaled("votes")} ORDER BY votes LIMIT 1 OFFSET ?`);
  return {
    group: ({ state, owners, votes, text }) => group.all(state, ...owners, votes, text),
    range: ({ from, to, offset }) => range.all(from, to, offset),
    tag: ({ tag, offset }) => tagged.all(tag, offset),
    after: ({ votes, id }) => next.all(votes, votes, id),
    // The columns are those of `Top`.
    top: ({ state, from }) => top.all(state, from) as unknown[] as Top[],
    p99({ state, from }) {
      const { count: all } = count.get(state, from) as { count: number };
      return (p99.get(state, from, placeOfP99(all)) as { votes: number } | undefined)?.votes;
    },
  };
}
