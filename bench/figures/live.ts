// Live queries: what they cost to set up, and an update with 10, 100 and 1,000 of them, over 100,000 tickets, beside
// LokiJS, TanStack DB and crossfilter. Each peer runs in a process of its own; at the end, all answers are checked.

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
import { clock, timingOf } from "../measure.ts";
import { OWNERS, STATES, ticketsOf, type Ticket } from "../own/tickets.ts";
import { createCollection, createDatabase } from "../../src/index.ts";
import { TicketSchema } from "../own/tercet.ts";

const TICKETS = 100_000;
const QUERIES = [10, 100, 1000];
const QUICK_QUERIES = [10, 100];
/** How many updates of one ticket, and of many at once. */
const UPDATES = 100;
const BULKS = 15;
const BULK = 1000;
const PAGE = 10;
/** The milliseconds after which nothing is repeated, and no more queries are set up. */
const TIME = 3000;
const PATIENCE = 10_000;

/** The questions of a peer, each with the answer that it holds at the end. */
type Question =
  | { readonly kind: "count"; readonly state: string; readonly least: number }
  | { readonly kind: "page"; readonly owner: number }
  | { readonly kind: "sums"; readonly least: number };

/** Of each kind as many, but for `only`. */
const questionsOf = (queries: number, only?: Question["kind"]): Question[] =>
  Array.from({ length: queries }, (_, i): Question => {
    const least = (i * 7919) % 10_000;
    const kind = only ?? (["count", "page", "sums"] as const)[i % 3] ?? "count";
    if (kind === "page") return { kind, owner: i % OWNERS };
    return kind === "sums"
      ? { kind, least }
      : { kind, state: STATES[i % STATES.length] ?? "", least };
  });

/** Tickets with live queries. */
interface Follower {
  /** Starts a live query. @returns a function that returns its answer: a count, sums by state, or ids */
  readonly watch: (question: Question) => Promise<() => unknown> | (() => unknown);
  /** Sets the votes of tickets, as one change. */
  readonly update: (votes: ReadonlyMap<number, number>) => unknown;
}

function byTercet(tickets: readonly Ticket[]): Follower {
  const db = createDatabase({ tickets: createCollection(TicketSchema, tickets) });
  db.tickets.prepare({ match: ["id", "state", "owner", "votes"] });
  const held = (answer: { now: unknown }) => () => answer.now;
  return {
    watch(question) {
      const answer: { now: unknown } = { now: undefined };
      if (question.kind === "count") {
        const { state, least } = question;
        const criteria = [
          ["state", "exactly", state],
          ["votes", "at_least", least],
        ] as const;
        db.watch("tickets", { count: criteria }, (now) => (answer.now = now));
      } else if (question.kind === "page") {
        const criteria = [["owner", "exactly", question.owner]] as const;
        const sort = [
          ["votes", "DESC"],
          ["id", "ASC"],
        ] as const;
        db.watch("tickets", { criteria, sort, limit: PAGE }, (now) => {
          answer.now = now.map(({ id }) => id);
        });
      } else {
        const criteria = [["votes", "at_least", question.least]] as const;
        const sums = { groupBy: "state", measures: { sum: ["sum", "votes"] }, criteria } as const;
        db.watch("tickets", sums, (now) => {
          answer.now = now.map(({ state, sum }) => [state, sum]);
        });
      }
      return held(answer);
    },
    update: (votes) =>
      db.update((draft) => {
        const ids = [...votes.keys()];
        draft.tickets = draft.tickets.update([["id", "in", ids]], (ticket) => {
          ticket.votes = votes.get(ticket.id) ?? ticket.votes;
        });
      }),
  };
}

/** Sums by state, those of the lowest first. */
const inOrder = (sums: Iterable<readonly [state: string, sum: number]>) =>
  [...sums].sort(([a], [b]) => (a < b ? -1 : 1));

async function byLoki(tickets: readonly Ticket[]): Promise<Follower> {
  const { default: Loki } = await import("lokijs");
  const documents = new Loki("live.db", {}).addCollection<Ticket>("tickets", {
    unique: ["id"],
    indices: ["state", "owner", "votes"],
    adaptiveBinaryIndices: false,
    disableMeta: true,
  });
  documents.insert(tickets.map((ticket) => ({ ...ticket })));
  documents.ensureAllIndexes();
  documents.adaptiveBinaryIndices = true;
  let views = 0;
  return {
    watch(question) {
      const view = documents.addDynamicView(`view ${views++}`);
      if (question.kind === "page") {
        view.applyFind({ owner: question.owner });
        view.applySortCriteria([
          ["votes", true],
          ["id", false],
        ]);
        return () =>
          view
            .data()
            .slice(0, PAGE)
            .map(({ id }) => id);
      }
      view.applyFind({ votes: { $gte: question.least } });
      if (question.kind === "count") {
        view.applyFind({ state: question.state });
        return () => view.count();
      }
      return () => {
        const sums = new Map<string, number>();
        for (const { state, votes } of view.data()) sums.set(state, (sums.get(state) ?? 0) + votes);
        return inOrder(sums);
      };
    },
    update(votes) {
      for (const [id, next] of votes) {
        const ticket = documents.by("id", id);
        if (ticket !== undefined) documents.update(Object.assign(ticket, { votes: next }));
      }
    },
  };
}

async function byTanstack(tickets: readonly Ticket[]): Promise<Follower> {
  const db = await import("@tanstack/db");
  const { and, eq, gte, sum } = db;
  const collection = db.createCollection<Ticket>(
    db.localOnlyCollectionOptions({
      getKey: ({ id }: Ticket) => String(id),
      defaultStringCollation: { stringSort: "lexical" },
      initialData: tickets,
    }),
  );
  for (const field of ["id", "state", "owner", "votes"] as const) {
    collection.createIndex((ticket) => ticket[field], {
      indexType: db.BTreeIndex,
      options: { compareOptions: { direction: "asc", nulls: "first", stringSort: "lexical" } },
    });
  }
  return {
    async watch(question) {
      if (question.kind === "count") {
        const live = db.createLiveQueryCollection((start) =>
          start
            .from({ contact: collection })
            .where(({ contact: ticket }) =>
              and(eq(ticket.state, question.state), gte(ticket.votes, question.least)),
            )
            .select<{ id: number }>(({ contact: ticket }) => ({ id: ticket.id })),
        );
        await live.preload();
        live.subscribeChanges(() => undefined);
        return () => live.size;
      }
      if (question.kind === "page") {
        const live = db.createLiveQueryCollection((start) =>
          start
            .from({ contact: collection })
            .where(({ contact: ticket }) => eq(ticket.owner, question.owner))
            .orderBy(({ contact: ticket }) => ticket.votes, "desc")
            .orderBy(({ contact: ticket }) => ticket.id, "asc")
            .limit(PAGE),
        );
        await live.preload();
        live.subscribeChanges(() => undefined);
        return () => live.toArray.map(({ id }) => id);
      }
      const live = db.createLiveQueryCollection((start) =>
        start
          .from({ contact: collection })
          .where(({ contact: ticket }) => gte(ticket.votes, question.least))
          .groupBy(({ contact: ticket }) => ticket.state)
          .select<{ state: string; sum: number }>(({ contact: ticket }) => ({
            state: ticket.state,
            sum: sum(ticket.votes),
          })),
      );
      await live.preload();
      live.subscribeChanges(() => undefined);
      return () => inOrder(live.toArray.map((each) => [each.state, each.sum]));
    },
    async update(votes) {
      const keys = Array.from(votes.keys(), String);
      const change = collection.update(keys, (drafts) => {
        for (const draft of drafts) Object.assign(draft, { votes: votes.get(draft.id) });
      });
      await change.isPersisted.promise;
    },
  };
}

/** Its groups follow added and removed records; it has no pages of several selections. */
async function byCrossfilter(tickets: readonly Ticket[]): Promise<Follower> {
  const { default: crossfilter } = await import("crossfilter2");
  const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  const all = crossfilter(tickets);
  const states = all.dimension(({ state }) => state);
  return {
    watch(question) {
      if (question.kind === "page") throw new Error("keeps no page of each owner");
      const { least } = question;
      if (question.kind === "count") {
        const selects = (ticket: Ticket) =>
          Number(ticket.state === question.state && ticket.votes >= least);
        const group = all.groupAll().reduce(
          (found, ticket) => found + selects(ticket),
          (found, ticket) => found - selects(ticket),
          () => 0,
        );
        return () => group.value();
      }
      const votesOf = ({ votes }: Ticket) => (votes >= least ? votes : 0);
      const group = states.group().reduceSum(votesOf);
      return () => inOrder(group.all().map(({ key, value }) => [String(key), value]));
    },
    update(votes) {
      const changed = [...votes].map(([id, next]) => ({
        ...(byId.get(id) ?? missing(id)),
        votes: next,
      }));
      all.remove((ticket) => votes.has(ticket.id));
      for (const ticket of changed) byId.set(ticket.id, ticket);
      all.add(changed);
    },
  };
}

function missing(id: number): never {
  throw new Error(`there is no ticket ${id}`);
}

const PEERS: Readonly<
  Record<string, (tickets: readonly Ticket[]) => Follower | Promise<Follower>>
> = {
  tercet: byTercet,
  lokijs: byLoki,
  "@tanstack/db": byTanstack,
  crossfilter2: byCrossfilter,
};

/** In nanoseconds. */
interface Costs {
  readonly setUp: number;
  readonly update: number;
  readonly bulk: number;
}
type Followed = Readonly<Record<string, Costs>>;

const KINDS = ["count", "page", "sums", undefined] as const;
const nameOf = (kind: Question["kind"] | undefined) =>
  kind === undefined ? "of each kind" : { count: "counts", page: "pages", sums: "sums" }[kind];
const key = (kind: Question["kind"] | undefined, queries: number) => `${kind ?? "all"} ${queries}`;

const fresh = (tickets: readonly Ticket[], question: Question): unknown => {
  if (question.kind === "count") {
    const { state, least } = question;
    return tickets.filter((ticket) => ticket.state === state && ticket.votes >= least).length;
  }
  if (question.kind === "page") {
    const own = tickets.filter(({ owner }) => owner === question.owner);
    return own
      .sort((a, b) => b.votes - a.votes || a.id - b.id)
      .slice(0, PAGE)
      .map(({ id }) => id);
  }
  const sums = new Map<string, number>();
  for (const { state, votes } of tickets) {
    if (votes >= question.least) sums.set(state, (sums.get(state) ?? 0) + votes);
  }
  return inOrder(sums);
};

/** Runs a task so many times, or for as long as its time lasts. */
async function repeated(times: number, run: (round: number) => Promise<number>) {
  const all: number[] = [];
  const end = performance.now() + TIME;
  while (all.length < times && (all.length === 0 || performance.now() < end)) {
    all.push(await run(all.length));
  }
  return all;
}

const tasks = {
  async live({ quick }: Plan, name: string): Promise<Followed> {
    const create = PEERS[name];
    if (create === undefined) throw new Error(`${name} does not take part`);
    const followed: [string, Costs][] = [];
    for (const kind of KINDS) {
      if (name === "crossfilter2" && (kind === undefined || kind === "page")) continue;
      for (const queries of quick ? QUICK_QUERIES : QUERIES) {
        const tickets = ticketsOf(TICKETS);
        const follower = await create(tickets);
        const questions = questionsOf(queries, kind);
        const answers: (() => unknown)[] = [];
        const end = performance.now() + PATIENCE;
        const setUp = await clock(async () => {
          for (const question of questions) {
            if (performance.now() > end) return;
            const answer = await follower.watch(question);
            // Some peers begin when they are read.
            answer();
            answers.push(answer);
          }
        });
        // It would take minutes.
        if (answers.length < queries) continue;
        const change = (round: number, length: number) =>
          new Map(
            Array.from({ length }, (_, i) => {
              const id = (round * 7919 + i * 31) % TICKETS;
              return [id, (round * 131 + i * 17) % 10_000] as const;
            }),
          );
        const all = new Map<number, number>();
        const updating = async (round: number, length: number) => {
          const votes = change(round, length);
          votes.forEach((each, id) => all.set(id, each));
          return clock(() => {
            const done = follower.update(votes);
            // A view that is sorted or summed up when it is read is read.
            const read = () => answers.map((answer) => answer());
            return done instanceof Promise ? done.then(read) : read();
          });
        };
        const updates = await repeated(UPDATES, (round) => updating(round, 1));
        const bulks = await repeated(BULKS, (round) => updating(UPDATES + round, BULK));
        const now = tickets.map((ticket) => ({
          ...ticket,
          votes: all.get(ticket.id) ?? ticket.votes,
        }));
        for (const [i, question] of questions.entries()) {
          // Each takes milliseconds.
          if (i % Math.ceil(queries / 50) > 0) continue;
          const [found, expected] = [answers[i]?.(), fresh(now, question)].map((each) =>
            JSON.stringify(each),
          );
          if (found !== expected) {
            throw new Error(`${JSON.stringify(question)}: ${found}, not ${expected}`);
          }
        }
        followed.push([
          key(kind, queries),
          { setUp, update: timingOf(updates).median, bulk: timingOf(bulks).median },
        ]);
      }
    }
    return Object.fromEntries(followed);
  },
};

const labels = {
  setUp: "set up",
  update: "an update of one ticket",
  bulk: `an update of ${count(BULK)} tickets`,
} as const satisfies Record<keyof Costs, string>;

const rowsOf = ({ peers }: OfPeers<Followed>) =>
  KINDS.flatMap((kind) =>
    QUERIES.flatMap((queries) =>
      (Object.keys(labels) as (keyof Costs)[]).flatMap((part) =>
        rowsOfEach(peers, [
          [
            `${count(queries)} live ${nameOf(kind)}: ${labels[part]}`,
            (followed) => followed[key(kind, queries)]?.[part],
          ],
        ]),
      ),
    ),
  );

export const live = figure<OfPeers<Followed>>({
  name: "live",
  what: "live queries over 100,000 tickets: setting up 10, 100 and 1,000 of them, and updates with them",
  tasks,
  measure: (run) => measureEach(run, "live", Object.keys(PEERS), 20 * run.plan.limits.load),
  rows: rowsOf,
  sections: (result) => [
    {
      title: "Live queries",
      note: [
        `${count(TICKETS)} tickets with indexes of id, state, owner and votes. Counts are of a state and at least so many votes; pages are the ${PAGE} tickets of an owner with the most votes; sums are of votes by state, of tickets with at least so many. Set up, and read once. Each update sets votes, and all answers are read after it; medians of at most ${UPDATES} single and ${BULKS} large updates. LokiJS sums up a dynamic view when it is read. crossfilter has one state of filters, so counts and sums are reductions of its own, and it has no pages; its updates remove and add tickets.`,
        missingNote(result.peers),
      ]
        .filter(Boolean)
        .join(" "),
      ...tableOfRows(
        rowsOf(result).filter(({ values }) => Object.keys(values).length > 0),
        result.peers,
      ),
    },
  ],
});
