// What a change costs, on average and at worst: a call can be far slower than the others where a structure is merged or
// grown. Over tickets with five indexes, beside SQLite and LokiJS in memory, each peer in a process of its own.

import {
  figure,
  measureEach,
  missingNote,
  rowsOfEach,
  tableOfRows,
  type OfPeers,
  type Plan,
} from "../figure.ts";
import { count } from "../format.ts";
import { collectGarbage } from "../measure.ts";
import { COLUMNS } from "../own/sql.ts";
import { STATES, ticketsOf, type Ticket } from "../own/tickets.ts";
import { createCollection } from "../../src/index.ts";
import { TicketSchema } from "../own/tercet.ts";

const SIZES = [1000, 100_000];
const CALLS = 20_000;
const QUICK_CALLS = 2000;
/** How often a field is set in a third of the tickets. */
const BULK_CALLS = 9;
const INDEXED = ["id", "state", "owner", "votes", "opened"] as const;

/** Each call makes one change. */
interface Writer {
  readonly update: (id: number, votes: number) => unknown;
  readonly insert: (ticket: Ticket) => unknown;
  readonly remove: (id: number) => unknown;
  /** Sets the owner of all tickets of a state. */
  readonly assign: (state: string, owner: number) => unknown;
  readonly size: () => number;
}

/** In nanoseconds. */
interface Writes {
  readonly mean: number;
  readonly worst: number;
}
type Written = Readonly<Record<string, Readonly<Record<Exclude<keyof Writer, "size">, Writes>>>>;

const labels = {
  update: "update by key",
  insert: "insert one",
  remove: "remove by key",
  assign: "set a field in a third",
} as const satisfies Partial<Record<keyof Writer, string>>;

function byTercet(tickets: readonly Ticket[]): Writer {
  let collection = createCollection(TicketSchema, tickets).prepare({ match: INDEXED });
  return {
    update: (id, votes) => (collection = collection.update([["id", "exactly", id]], { votes })),
    insert: (ticket) => (collection = collection.insert([ticket])),
    remove: (id) => (collection = collection.remove([["id", "exactly", id]])),
    assign: (state, owner) =>
      (collection = collection.update([["state", "exactly", state]], { owner })),
    size: () => collection.size,
  };
}

async function bySqlite(tickets: readonly Ticket[]): Promise<Writer> {
  const { default: Sqlite } = await import("better-sqlite3");
  const database = new Sqlite(":memory:");
  database.exec(`CREATE TABLE tickets (${COLUMNS.replace("INTEGER", "INTEGER PRIMARY KEY")})`);
  for (const column of INDEXED.slice(1)) {
    database.exec(`CREATE INDEX by_${column} ON tickets (${column})`);
  }
  const into = database.prepare("INSERT INTO tickets VALUES (?, ?, ?, ?, ?, ?, ?)");
  const insert = ({ id, state, owner, votes, note, opened, tags }: Ticket) =>
    into.run(id, state, owner, votes, note, opened, JSON.stringify(tags));
  database.exec("BEGIN");
  tickets.forEach(insert);
  database.exec("COMMIT");
  const update = database.prepare("UPDATE tickets SET votes = ? WHERE id = ?");
  const remove = database.prepare("DELETE FROM tickets WHERE id = ?");
  const assign = database.prepare("UPDATE tickets SET owner = ? WHERE state = ?");
  const size = database.prepare("SELECT count(*) AS count FROM tickets");
  return {
    update: (id, votes) => update.run(votes, id),
    insert,
    remove: (id) => remove.run(id),
    assign: (state, owner) => assign.run(owner, state),
    size: () => Number(size.get()?.count),
  };
}

async function byLoki(tickets: readonly Ticket[]): Promise<Writer> {
  const { default: Loki } = await import("lokijs");
  const documents = new Loki("writes.db", {}).addCollection<Ticket>("tickets", {
    unique: ["id"],
    indices: [...INDEXED.slice(1)],
    // Otherwise each insert moves half of the entries of each index: loading 100,000 tickets takes minutes.
    adaptiveBinaryIndices: false,
    disableMeta: true,
  });
  documents.insert(tickets.map((ticket) => ({ ...ticket })));
  return {
    update(id, votes) {
      const ticket = documents.by("id", id);
      if (ticket !== undefined) documents.update(Object.assign(ticket, { votes }));
    },
    insert: (ticket) => documents.insert([{ ...ticket }]),
    remove(id) {
      const ticket = documents.by("id", id);
      if (ticket !== undefined) documents.remove(ticket);
    },
    assign: (state, owner) =>
      documents
        .chain()
        .find({ state })
        .update((ticket) => Object.assign(ticket, { owner })),
    size: () => documents.count(),
  };
}

const PEERS: Readonly<Record<string, (tickets: readonly Ticket[]) => Writer | Promise<Writer>>> = {
  tercet: byTercet,
  "better-sqlite3": bySqlite,
  lokijs: byLoki,
};

/** Makes a call with each item, and times each. */
function timed<Item>(items: readonly Item[], call: (item: Item) => unknown): Writes {
  collectGarbage();
  let worst = 0;
  let sum = 0;
  for (const item of items) {
    const start = performance.now();
    call(item);
    const time = performance.now() - start;
    sum += time;
    if (time > worst) worst = time;
  }
  return { mean: (sum / items.length) * 1e6, worst: worst * 1e6 };
}

const tasks = {
  async writes({ quick }: Plan, name: string): Promise<Written> {
    const create = PEERS[name];
    if (create === undefined) throw new Error(`${name} does not take part`);
    const calls = quick ? QUICK_CALLS : CALLS;
    const written: [string, Written[string]][] = [];
    for (const size of SIZES) {
      const all = ticketsOf(size + calls);
      const writer = await create(all.slice(0, size));
      const numbers = Array.from({ length: calls }, (_, i) => i);
      const update = timed(numbers, (i) => writer.update((i * 7919) % size, i));
      const insert = timed(all.slice(size), writer.insert);
      // Others than those that came last.
      const removed = numbers.slice(0, size >> 1);
      const remove = timed(removed, (i) => writer.remove(2 * i));
      const assign = timed(numbers.slice(0, BULK_CALLS), (i) =>
        writer.assign(STATES[i % STATES.length] ?? "", 2000 + i),
      );
      const left = size + calls - removed.length;
      if (writer.size() !== left) throw new Error(`${writer.size()} tickets are left, not ${left}`);
      written.push([String(size), { update, insert, remove, assign }]);
    }
    return Object.fromEntries(written);
  },
};

const rowsOf = ({ peers }: OfPeers<Written>) =>
  SIZES.flatMap((size) =>
    (Object.keys(labels) as (keyof typeof labels)[]).flatMap((kind) =>
      (["mean", "worst"] as const).flatMap((part) =>
        rowsOfEach(peers, [
          [
            `${labels[kind]}, ${part}, ${count(size)} tickets`,
            (written) => written[String(size)]?.[kind][part],
          ],
        ]),
      ),
    ),
  );

export const writes = figure<OfPeers<Written>>({
  name: "writes",
  what: "changes of 1,000 and 100,000 tickets: mean and worst call, beside SQLite and LokiJS in memory",
  tasks,
  measure: (run) => measureEach(run, "writes", Object.keys(PEERS), 4 * run.plan.limits.load),
  rows: rowsOf,
  sections: (result) => [
    {
      title: "Writes",
      note: [
        `Tickets with indexes of ${INDEXED.join(", ")}; each call changes other tickets or values. tercet keeps every version that is still referred to; SQLite and LokiJS change in place, and LokiJS sorts an index again at the next question that uses it.`,
        missingNote(result.peers),
      ]
        .filter(Boolean)
        .join(" "),
      ...tableOfRows(rowsOf(result), result.peers),
    },
  ],
});
