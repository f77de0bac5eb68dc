// Durable changes: 100 that arrive at once, each acknowledged once it is on disk. `updateAsync` of a store commits them
// as a group; `update`, and a transaction of SQLite (WAL, synchronous=FULL), sync one at a time. While the process is
// blocked, its other requests wait. Then changes of a thousand records each, and opening a copy whose journal or WAL has
// them all, as after a crash.

import { cpSync } from "node:fs";
import { join } from "node:path";
import { createCollection, createDatabase, defineSchema, int, string } from "../../src/index.ts";
import { createStore, openStore } from "../../src/store/index.ts";
import {
  figure,
  measureEach,
  missingNote,
  rowsOfEach,
  tableOfRows,
  type OfPeers,
  type Plan,
  type RowNumber,
} from "../figure.ts";
import { withFolder } from "../files.ts";
import { count } from "../format.ts";
import { clock, longestTurn, timingOf } from "../measure.ts";
import type { Missing, Timing } from "../results.ts";

interface Durable {
  /** All of them at once, until each is durable. */
  readonly atOnce: Timing;
  /** The longest time in which nothing else could run. */
  readonly blocked: Timing;
  /** All of them one after the other, each durable before the next. */
  readonly inTurn: Timing;
  /** A change of {@link MANY} records. */
  readonly updates: Timing;
  /** As many new records. */
  readonly inserts: Timing;
  /** Opening and counting the records, with the changes in the journal. */
  readonly open: Timing;
}

/** How many changes arrive at once. */
const CHANGES = 100;
const RECORDS = 10_000;
/** How many records a large change has. */
const MANY = 1000;
const PEERS = ["tercet", "better-sqlite3"];

const NUMBERS: readonly RowNumber<Durable>[] = [
  [`${CHANGES} durable changes at once`, ({ atOnce }) => atOnce.median],
  [`${CHANGES} at once, longest block`, ({ blocked }) => blocked.median],
  [`${CHANGES} one after the other`, ({ inTurn }) => inTurn.median],
  [`an update of ${count(MANY)} records`, ({ updates }) => updates.median],
  [`an insert of ${count(MANY)} records`, ({ inserts }) => inserts.median],
  ["opening with all changes in the journal", ({ open }) => open.median],
];

/** Changes the title of a record, durably. */
interface Changer {
  /** Returns once it is durable. */
  readonly now: (id: number, title: string) => void;
  /** Resolves once it is durable; `undefined` if the peer can only wait. */
  readonly later?: (id: number, title: string) => Promise<unknown>;
  /** Changes the titles of many, as one change. */
  readonly updates: (ids: readonly number[], title: string) => void;
  readonly inserts: (tickets: readonly Ticket[]) => void;
  readonly close: () => void;
}

interface Ticket {
  readonly id: number;
  readonly title: string;
  readonly votes: number;
}

const TicketSchema = defineSchema({ id: int({ unique: true }), title: string(), votes: int() });

const ticketsFrom = (start: number, length: number): readonly Ticket[] =>
  Array.from({ length }, (_, i) => ({
    id: start + i,
    title: `Ticket ${start + i}`,
    votes: i % 100,
  }));
const records = () => ticketsFrom(0, RECORDS);

function storeIn(folder: string): Changer {
  const tickets = createCollection(TicketSchema, records());
  const options = { checkpointRatio: Infinity };
  const store = createStore(join(folder, "store"), createDatabase({ tickets }), options);
  const change =
    (id: number, title: string): Parameters<typeof store.update>[0] =>
    (draft) => {
      draft.tickets = draft.tickets.update([["id", "exactly", id]], (each) => {
        each.title = title;
      });
    };
  return {
    now: (id, title) => void store.update(change(id, title)),
    later: (id, title) => store.updateAsync(change(id, title)),
    updates: (ids, title) =>
      void store.update((draft) => {
        draft.tickets = draft.tickets.update([["id", "in", ids]], { title });
      }),
    inserts: (added) =>
      void store.update((draft) => {
        draft.tickets = draft.tickets.insert(added);
      }),
    close: () => store.close(),
  };
}

async function sqliteIn(folder: string): Promise<Changer> {
  const { default: Sqlite } = await import("better-sqlite3");
  const database = new Sqlite(join(folder, "tickets.db"));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec("CREATE TABLE tickets (id INTEGER PRIMARY KEY, title TEXT, votes INTEGER)");
  const insert = database.prepare("INSERT INTO tickets VALUES (?, ?, ?)");
  database.exec("BEGIN");
  for (const { id, title, votes } of records()) insert.run(id, title, votes);
  database.exec("COMMIT");
  // Like the journal, the WAL keeps everything until the copies are opened.
  database.exec("PRAGMA wal_autocheckpoint = 0");
  const change = database.prepare("UPDATE tickets SET title = ? WHERE id = ?");
  const together = (run: () => void) => {
    database.exec("BEGIN");
    run();
    database.exec("COMMIT");
  };
  return {
    now: (id, title) => void change.run(title, id),
    updates: (ids, title) =>
      together(() => {
        for (const id of ids) change.run(title, id);
      }),
    inserts: (added) =>
      together(() => {
        for (const { id, title, votes } of added) insert.run(id, title, votes);
      }),
    close: () => void database.exec("PRAGMA wal_checkpoint(TRUNCATE)"),
  };
}

/** Opens a folder, and counts its records. */
async function countIn(name: string, folder: string): Promise<number> {
  if (name === "tercet") {
    const store = openStore(join(folder, "store"), { tickets: TicketSchema });
    const { size } = store.tickets;
    store.close();
    return size;
  }
  const { default: Sqlite } = await import("better-sqlite3");
  const database = new Sqlite(join(folder, "tickets.db"));
  const counted = database.prepare("SELECT count(*) AS count FROM tickets").get();
  // Without close(), which would move the WAL into the file, at the cost of a commit.
  return Number(counted?.count);
}

const tasks = {
  async durable({ quick }: Plan, name: string): Promise<Durable | Missing> {
    return withFolder(async (folder) => {
      const changer = name === "tercet" ? storeIn(folder) : await sqliteIn(folder);
      const { now, later, updates, inserts } = changer;
      const samples = { atOnce: [] as number[], blocked: [] as number[], inTurn: [] as number[] };
      const large = { updates: [] as number[], inserts: [] as number[], open: [] as number[] };
      const rounds = quick ? 5 : 30;
      const ids = Array.from({ length: CHANGES }, (_, i) => (i * 97) % RECORDS);
      for (let round = 0; round < rounds; round++) {
        const all = async () => {
          // As requests do, each change comes in a turn of its own.
          const changes = ids.map(async (id) => {
            await new Promise((resolve) => setImmediate(resolve));
            if (later === undefined) now(id, `at once ${round}`);
            else await later(id, `at once ${round}`);
          });
          await Promise.all(changes);
        };
        const longest = longestTurn();
        samples.atOnce.push(await clock(all));
        samples.blocked.push(await longest());
        samples.inTurn.push(
          await clock(() => {
            for (const id of ids) now(id, `in turn ${round}`);
          }),
        );
      }
      for (let round = 0; round < rounds; round++) {
        const many = Array.from({ length: MANY }, (_, i) => (i * 7 + round) % RECORDS);
        const added = ticketsFrom(RECORDS + round * MANY, MANY);
        large.updates.push(await clock(() => updates(many, `round ${round}`)));
        large.inserts.push(await clock(() => inserts(added)));
      }
      for (let round = 0; round < 5; round++) {
        await withFolder(async (copy) => {
          const filter = (path: string) => !path.endsWith("-shm");
          cpSync(folder, copy, { recursive: true, filter });
          let found = 0;
          const open = async () => {
            found = await countIn(name, copy);
          };
          large.open.push(await clock(open));
          const expected = RECORDS + rounds * MANY;
          if (found !== expected) throw new Error(`${found} records are there, not ${expected}`);
        });
      }
      changer.close();
      return {
        atOnce: timingOf(samples.atOnce),
        blocked: timingOf(samples.blocked),
        inTurn: timingOf(samples.inTurn),
        updates: timingOf(large.updates),
        inserts: timingOf(large.inserts),
        open: timingOf(large.open),
      };
    });
  },
};

export const durable = figure<OfPeers<Durable>>({
  name: "durable",
  what: "changes that are on disk when they are acknowledged, 100 at once or 1,000 records each, and opening with them",
  tasks,
  measure: (run) => measureEach(run, "durable", PEERS, 120),
  rows: ({ peers }) => rowsOfEach(peers, NUMBERS),
  sections: ({ peers }) => [
    {
      title: `${CHANGES} durable changes of a store of ${RECORDS} records`,
      note: [
        "At once, tercet uses updateAsync, which commits them as groups; one after the other, update. SQLite (WAL, synchronous=FULL) has a transaction for each change. The longest block is what another request would wait. A large change is one update, or one transaction; then a copy of the files is opened, whose journal or WAL has all of these changes.",
        missingNote(peers) ?? "",
      ]
        .join(" ")
        .trim(),
      ...tableOfRows(rowsOfEach(peers, NUMBERS), peers),
    },
  ],
});
