import { loadInto } from "../own/sqlite.ts";
import { TicketSchema } from "../own/tercet.ts";
import type { Ticket } from "../own/tickets.ts";
import { createCollection } from "../../src/index.ts";
import { PAGE, type SmallPeer, type StateCount } from "./questions.ts";

/** Makes a peer that holds some tickets. */
export type CreatePeer = (tickets: readonly Ticket[]) => SmallPeer;

const tercet: CreatePeer = (tickets) => {
  const collection = createCollection(TicketSchema, tickets);
  return {
    count: ({ state, votes }) =>
      collection.count([
        ["state", "exactly", state],
        ["votes", "greater_than", votes],
      ]),
    page: ({ owner }) =>
      collection.query({
        criteria: [["owner", "at_most", owner]],
        sortBy: "votes",
        limit: PAGE,
      }),
    text: ({ text }) => collection.query({ criteria: [["note", "contains", text]], limit: PAGE }),
    tag: ({ tag, votes }) =>
      collection.count([
        ["tags", "has", tag],
        ["votes", "greater_than", votes],
      ]),
    group: ({ votes }) =>
      collection
        .countBy("state", [["votes", "greater_than", votes]])
        .map(({ value, count }) => ({ state: value, count }))
        .sort(byState),
  };
};

const byState = (a: StateCount, b: StateCount) => (a.state < b.state ? -1 : 1);
const mostVotes = (a: Ticket, b: Ticket) => b.votes - a.votes || a.id - b.id;

function countsOf(tickets: Iterable<Ticket>): StateCount[] {
  const counts = new Map<string, number>();
  for (const { state } of tickets) counts.set(state, (counts.get(state) ?? 0) + 1);
  return Array.from(counts, ([state, count]) => ({ state, count })).sort(byState);
}

/** Its results are the correct ones. */
export const loop: CreatePeer = (tickets) => ({
  count({ state, votes }) {
    let count = 0;
    for (const ticket of tickets) if (ticket.state === state && ticket.votes > votes) count++;
    return count;
  },
  page: ({ owner }) =>
    tickets
      .filter((ticket) => ticket.owner !== null && ticket.owner <= owner)
      .sort(mostVotes)
      .slice(0, PAGE),
  text({ text }) {
    const page: Ticket[] = [];
    for (const ticket of tickets) {
      if (!ticket.note.includes(text)) continue;
      page.push(ticket);
      if (page.length === PAGE) break;
    }
    return page;
  },
  tag({ tag, votes }) {
    let count = 0;
    for (const ticket of tickets) if (ticket.votes > votes && ticket.tags.includes(tag)) count++;
    return count;
  },
  group: ({ votes }) => countsOf(tickets.filter((ticket) => ticket.votes > votes)),
});

async function bySift(): Promise<CreatePeer> {
  const { default: sift } = await import("sift");
  return (tickets) => ({
    count: ({ state, votes }) => tickets.filter(sift({ state, votes: { $gt: votes } })).length,
    page: ({ owner }) =>
      tickets
        .filter(sift({ owner: { $lte: owner, $ne: null } }))
        .sort(mostVotes)
        .slice(0, PAGE),
    text: ({ text }) => tickets.filter(sift({ note: { $regex: text } })).slice(0, PAGE),
    tag: ({ tag, votes }) => tickets.filter(sift({ tags: tag, votes: { $gt: votes } })).length,
    group: ({ votes }) => countsOf(tickets.filter(sift({ votes: { $gt: votes } }))),
  });
}

async function byMingo(): Promise<CreatePeer> {
  const { Query, aggregate } = await import("mingo");
  return (tickets) => ({
    count: ({ state, votes }) =>
      new Query({ state, votes: { $gt: votes } }).find(tickets).all().length,
    page: ({ owner }) =>
      new Query({ owner: { $lte: owner, $ne: null } })
        .find(tickets)
        .sort({ votes: -1, id: 1 })
        .limit(PAGE)
        .all(),
    text: ({ text }) => new Query({ note: { $regex: text } }).find(tickets).limit(PAGE).all(),
    tag: ({ tag, votes }) =>
      new Query({ tags: tag, votes: { $gt: votes } }).find(tickets).all().length,
    group: ({ votes }) =>
      aggregate(tickets, [
        { $match: { votes: { $gt: votes } } },
        { $group: { _id: "$state", count: { $sum: 1 } } },
        { $sort: { _id: 1 } },
      ]).map(({ _id, count }) => ({ state: _id, count })),
  });
}

const INDEXES = {
  by_state_and_votes: "tickets (state, votes)",
  most_votes: "tickets (votes DESC, id)",
};

async function bySqlite(): Promise<CreatePeer> {
  const { default: Sqlite } = await import("better-sqlite3");
  // Loading 100,000 tickets takes a second, and nothing of a database depends on earlier questions.
  const loaded = new WeakMap<readonly Ticket[], ReturnType<typeof load>>();
  function load(tickets: readonly Ticket[]) {
    const database = new Sqlite(":memory:");
    loadInto(database, tickets, INDEXES);
    loaded.set(tickets, database);
    return database;
  }
  return (tickets) => {
    const database = loaded.get(tickets) ?? load(tickets);
    // Prepared at its first call, like a statement of a program.
    const prepared = (sql: string) => {
      let statement: ReturnType<typeof database.prepare> | undefined;
      return () => (statement ??= database.prepare(sql));
    };
    const count = prepared("SELECT count(*) AS count FROM tickets WHERE state = ? AND votes > ?");
    const page = prepared(
      `SELECT * FROM tickets WHERE owner <= ? ORDER BY votes DESC, id LIMIT ${PAGE}`,
    );
    const text = prepared(
      `SELECT * FROM tickets WHERE instr(note, ?) > 0 ORDER BY id LIMIT ${PAGE}`,
    );
    const tagged = prepared(
      "SELECT count(*) AS count FROM tagged JOIN tickets USING (id) WHERE tag = ? AND votes > ?",
    );
    const group = prepared(
      "SELECT state, count(*) AS count FROM tickets WHERE votes > ? GROUP BY state ORDER BY state",
    );
    return {
      count: ({ state, votes }) => Number(count().get(state, votes)?.count),
      page: ({ owner }) => page().all(owner),
      text: (call) => text().all(call.text),
      tag: ({ tag, votes }) => Number(tagged().get(tag, votes)?.count),
      // The columns are those of `StateCount`.
      group: ({ votes }) => group().all(votes) as unknown[] as StateCount[],
    };
  };
}

/** What makes each peer; those that are packages are imported first. */
export const SMALL_PEERS = {
  tercet: () => tercet,
  loop: () => loop,
  sift: bySift,
  mingo: byMingo,
  "better-sqlite3": bySqlite,
} as const satisfies Record<string, () => CreatePeer | Promise<CreatePeer>>;

export type SmallPeerName = keyof typeof SMALL_PEERS;
