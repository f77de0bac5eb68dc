// Durable changes: 100 that arrive at once, each acknowledged once it is on disk. `updateAsync` of a store commits them
// as a group; `update`, and a transaction of SQLite (WAL, synchronous=FULL), sync one at a time. While the process is
// blocked, its other requests wait.

import { join } from "node:path";
import { createCollection, createDatabase, defineSchema, int, string } from "../../src/index.ts";
import { createStore } from "../../src/store/index.ts";
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
import { clock, longestTurn, timingOf } from "../measure.ts";
import type { Missing, Timing } from "../results.ts";

interface Durable {
  /** All of them at once, until each is durable. */
  readonly atOnce: Timing;
  /** The longest time in which nothing else could run. */
  readonly blocked: Timing;
  /** All of them one after the other, each durable before the next. */
  readonly inTurn: Timing;
}

/** How many changes arrive at once. */
const CHANGES = 100;
const RECORDS = 10_000;
const PEERS = ["tercet", "better-sqlite3"];

const NUMBERS: readonly RowNumber<Durable>[] = [
  [`${CHANGES} durable changes at once`, ({ atOnce }) => atOnce.median],
  [`${CHANGES} at once, longest block`, ({ blocked }) => blocked.median],
  [`${CHANGES} one after the other`, ({ inTurn }) => inTurn.median],
];

/** Changes the title of a record, durably. */
interface Changer {
  /** Returns once it is durable. */
  readonly now: (id: number, title: string) => void;
  /** Resolves once it is durable; `undefined` if the peer can only wait. */
  readonly later?: (id: number, title: string) => Promise<unknown>;
  readonly close: () => void;
}

const records = () =>
  Array.from({ length: RECORDS }, (_, id) => ({ id, title: `Ticket ${id}`, votes: id % 100 }));

function storeIn(folder: string): Changer {
  const Ticket = defineSchema({ id: int({ unique: true }), title: string(), votes: int() });
  const tickets = createCollection(Ticket, records());
  const store = createStore(join(folder, "store"), createDatabase({ tickets }));
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
  const change = database.prepare("UPDATE tickets SET title = ? WHERE id = ?");
  return {
    now: (id, title) => void change.run(title, id),
    close: () => void database.exec("PRAGMA wal_checkpoint(TRUNCATE)"),
  };
}

const tasks = {
  async durable({ quick }: Plan, name: string): Promise<Durable | Missing> {
    return withFolder(async (folder) => {
      const changer = name === "tercet" ? storeIn(folder) : await sqliteIn(folder);
      const { now, later } = changer;
      const samples = { atOnce: [] as number[], blocked: [] as number[], inTurn: [] as number[] };
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
      changer.close();
      return {
        atOnce: timingOf(samples.atOnce),
        blocked: timingOf(samples.blocked),
        inTurn: timingOf(samples.inTurn),
      };
    });
  },
};

export const durable = figure<OfPeers<Durable>>({
  name: "durable",
  what: "changes that are on disk when they are acknowledged, 100 at once",
  tasks,
  measure: (run) => measureEach(run, "durable", PEERS, 120),
  rows: ({ peers }) => rowsOfEach(peers, NUMBERS),
  sections: ({ peers }) => [
    {
      title: `${CHANGES} durable changes of a store of ${RECORDS} records`,
      note: [
        "At once, tercet uses updateAsync, which commits them as groups; one after the other, update. SQLite (WAL, synchronous=FULL) has a transaction for each change. The longest block is what another request would wait.",
        missingNote(peers) ?? "",
      ]
        .join(" ")
        .trim(),
      ...tableOfRows(rowsOfEach(peers, NUMBERS), peers),
    },
  ],
});
