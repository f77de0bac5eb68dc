// Updates followed by queries, over contacts that have all their indexes: one at a time, many in a row,
// many at once. What the queries answer is checked; a wrong answer ends the measurement.

import { pointsChart } from "../charts.ts";
import { flatten, wireContacts, type FlatContact } from "../contacts.ts";
import {
  contacts,
  figureOfPeers,
  present,
  rowsOfEach,
  type Plan,
  type Reasons,
  type RowNumber,
} from "../figure.ts";
import { count, digits, megabytes, time } from "../format.ts";
import { flatContacts, latestOpening, loadPeer, spreadOver } from "../load.ts";
import { clock, heapInUse, once, timeInTurns, timingOf, turns } from "../measure.ts";
import { PAGE, type Updater } from "../peers/peer.ts";
import type { Missing, Timing } from "../results.ts";
import { COLD_LOOKUP } from "./queries.ts";

/** Updates of a peer's contacts; each is followed by queries. */
interface Updates {
  /** The queries, repeated after a number of updates; the first is before all updates. */
  readonly queries: readonly {
    readonly updates: number;
    readonly lookup: Timing;
    readonly page: Timing;
  }[];
  /** One update, and each query right after it. */
  readonly single: Readonly<Record<"update" | "lookup" | "page", Timing>>;
  /** Updates in a row, each followed by a lookup; `done` is less than `asked` if time ran out. */
  readonly row: {
    readonly asked: number;
    readonly done: number;
    readonly time: number;
    /** Heap after garbage collection. */
    readonly heapBefore: number;
    readonly heapAfter: number;
  };
  /** Many at once, and the lookup and page right after. */
  readonly insert: Bulk;
  readonly remove: Bulk;
}

type Bulk = Readonly<Record<"count" | "time" | "lookup" | "page", number>>;

/** Single updates, each timed with the queries after it. */
const SINGLE = 100;
/** The contacts with this status are removed at once: about one in a hundred. */
const REMOVED = "split_sms";
const SQLITE = ["better-sqlite3", "node:sqlite"];
/** Milliseconds after which single updates, and those in a row, stop. */
const mostOf = ({ quick }: Plan) => (quick ? 700 : 30_000);

const NUMBERS: readonly RowNumber<Updates>[] = [
  ["one update", ({ single }) => single.update.median],
  ["lookup after one update", ({ single }) => single.lookup.median],
  ["page after one update", ({ single }) => single.page.median],
  ["update and lookup, in a row", ({ row }) => row.time / row.done],
  ["many inserted at once", ({ insert }) => insert.time],
  ["page after inserting", ({ insert }) => insert.page],
  ["many removed at once", ({ remove }) => remove.time],
  ["page after removing", ({ remove }) => remove.page],
];

const reasons: Reasons = {
  [COLD_LOOKUP]: { "lookup after one update": ["lokijs", "@tanstack/db"] },
  "It changes the record in place, so everything that holds the record sees the change. tercet makes a new record and a new collection; the old one still answers as before. Of its parts, in the table below, none has more than a fifth. A hundred updates end before V8 has compiled their code: among 10,000 contacts they take 18 to 21 µs each, and the last hundred of 5,000 take 6 to 9. Tried, among 50,000: up to 128 changed records in a segment without an index instead of 64, one update 23 to 25 µs instead of 24 to 28, but 10,000 in a row 595 to 642 ms of processor time instead of 536 to 587; up to 32, 26 to 28 µs and 514 to 571 ms; segments merged at a sixteenth instead of an eighth, 26 to 29 µs and 622 to 664 ms.":
    { "one update": [...SQLITE, "lokijs", "loop"] },
  "It changes the record in place, so everything that holds the record sees the change. tercet makes a new record and a new collection; the old one still answers as before. An update and its lookup take the main thread 35 to 40 µs in the first thousand, and 14 after five thousand, while V8 compiles for 300 ms on other threads; among 10,000, an update and its lookup take 18 µs once they are compiled, of which garbage collection has a tenth and no function a twentieth. Tried, and in use: texts of indexes compared by the engine (an eighth less), and finding few rows of one value without a plan.":
    { "update and lookup, in a row": [...SQLITE, "lokijs", "loop"] },
  "The statement is prepared and native, and an update has changed its indexes in place. tercet asks the base and the segments of changed records, here for the first time after each update, when its code and data are cold: a repeated lookup takes a few microseconds.":
    { "lookup after one update": SQLITE },
  "It appends references to the caller's objects. tercet checks and copies each of them, makes the digests that find them, and makes a new collection. Meanwhile V8's threads occupy one of the two cores: they compile code that has not run for so many rows before.":
    { "many inserted at once": ["loop", "immer"] },
  "It is one pass over an array that has no index.": { "many removed at once": ["loop", "immer"] },
  "Its page is a live query, which every update pays to keep current; reading it is a copy.": {
    "page after one update": ["@tanstack/db"],
    "page after inserting": ["@tanstack/db"],
    "page after removing": ["@tanstack/db"],
  },
};

export const updates = figureOfPeers("updates", {
  reasons,
  peers: ["tercet", "loop", "immer", "lokijs", "@tanstack/db", ...SQLITE],
  seconds: (plan) => 2 * plan.limits.load + (4 * mostOf(plan)) / 1000,
  async task(plan, name): Promise<Updates | Missing> {
    const { size, rounds } = plan;
    const most = mostOf(plan);
    const events = eventsOf(size, plan.many);
    const { peer } = await loadPeer(name, size);
    await peer.prepare?.();
    const updater = await peer.updates?.();
    if (updater === undefined) return { cannot: "it has no updates here" };

    const emails = turns(events.emails);
    let opened = 0;
    const open = async (email: string) => {
      opened++;
      await updater.open(email, events.lastOpened + opened);
    };
    const queries: Updates["queries"][number][] = [];
    const timeQueries = async () => {
      const runs = { lookup: () => updater.lookup(emails()), page: () => updater.page() };
      queries.push({ updates: opened, ...(await timeInTurns(runs, rounds)) });
    };

    await timeQueries();
    await open(emails());
    await timeQueries();
    const single = await singleUpdates(updater, events, most, open);
    await timeQueries();
    const row = await updatesInARow(updater, events, most, open);
    await timeQueries();
    const { added, removed } = events;
    const insert = await inBulk(updater, added.flat.length, added.flat[0]?.contact_email, () =>
      updater.insert(added),
    );
    expect((await updater.lookup(removed.email)) !== undefined, "a contact is lost");
    const remove = await inBulk(updater, removed.count, events.emails[0], () =>
      updater.removeWithStatus(REMOVED),
    );
    expect((await updater.lookup(removed.email)) === undefined, "a removed contact is there");
    return { queries, single, row, insert, remove };
  },
  numbers: () => NUMBERS,
  charts: ({ size, peers }) => [
    pointsChart("updates", rowsOfEach(size, peers, NUMBERS), {
      what: "kinds of update and query after it",
      field: "what",
      labels: NUMBERS.map(([name]) => name),
      subtitle: `Time over ${contacts(size)}`,
      step: 34,
    }),
  ],
  sections: ({ size, peers }, cells) => [
    {
      title: `Updates of ${contacts(size)}`,
      note: 'All indexes exist. Times of one update or one query; of "many at once", the time of all of them.',
      head: ["", ...Object.keys(peers)],
      rows: cells,
      chart: "updates",
    },
    {
      title: "Queries before and after updates",
      note: "Median time of a repeated query after a number of updates, and its ratio to the time before them.",
      head: ["peer", "updates", "lookup", "ratio", "page", "ratio"],
      rows: present(peers).flatMap(([name, { queries }]) =>
        queries.map(({ updates, lookup, page }) => [
          name,
          count(updates),
          time(lookup.median),
          digits(lookup.median / (queries[0]?.lookup.median ?? NaN)),
          time(page.median),
          digits(page.median / (queries[0]?.page.median ?? NaN)),
        ]),
      ),
    },
    {
      title: "Updates in a row, each followed by a lookup",
      note: "Heap after garbage collection. A row with fewer updates than requested ran out of time.",
      head: ["peer", "updates", "in all", "heap before, MB", "heap after, MB"],
      rows: present(peers).map(([name, { row }]) => [
        name,
        row.done < row.asked ? `${count(row.done)} of ${count(row.asked)}` : count(row.done),
        time(row.time),
        megabytes(row.heapBefore),
        megabytes(row.heapAfter),
      ]),
    },
  ],
});

type Open = (email: string) => Promise<void>;
type Events = ReturnType<typeof eventsOf>;

async function singleUpdates(
  updater: Updater,
  { emails }: Events,
  most: number,
  open: Open,
): Promise<Updates["single"]> {
  const samples = { update: [] as number[], lookup: [] as number[], page: [] as number[] };
  const end = performance.now() + most;
  for (const email of emails.slice(0, SINGLE)) {
    samples.update.push(await clock(() => open(email)));
    let found: Awaited<ReturnType<Updater["lookup"]>>;
    samples.lookup.push(await clock(async () => void (found = await updater.lookup(email))));
    expect(found?.contact_email === email, "the lookup after an update finds another");
    let page: Awaited<ReturnType<Updater["page"]>> = [];
    samples.page.push(await clock(async () => void (page = await updater.page())));
    expect(page[0]?.contact_email === email, "the page after an update is another");
    if (performance.now() > end) break;
  }
  return {
    update: timingOf(samples.update),
    lookup: timingOf(samples.lookup),
    page: timingOf(samples.page),
  };
}

async function updatesInARow(
  updater: Updater,
  { emails }: Events,
  most: number,
  open: Open,
): Promise<Updates["row"]> {
  const heapBefore = heapInUse();
  const end = performance.now() + most;
  let done = 0;
  const time = await clock(async () => {
    for (const email of emails) {
      await open(email);
      const found = await updater.lookup(email);
      expect(found?.contact_email === email, "a lookup in a row finds another");
      done++;
      if (performance.now() > end) break;
    }
  });
  return { asked: emails.length, done, time, heapBefore, heapAfter: heapInUse() };
}

async function inBulk(
  updater: Updater,
  count: number,
  email: string | undefined,
  change: () => Promise<void> | void,
): Promise<Bulk> {
  const time = await once(change);
  let found: unknown;
  const lookup = await clock(async () => void (found = await updater.lookup(email ?? "")));
  expect(found !== undefined, "the lookup after many changes finds nothing");
  let rows = 0;
  const page = await clock(async () => void (rows = (await updater.page()).length));
  expect(rows === PAGE, "the page after many changes is short");
  return { count, time, lookup, page };
}

/** What is done to the contacts. A function of its own, so that they are garbage when it returns. */
function eventsOf(size: number, many: number) {
  const all = flatContacts(size);
  const later = String(all.reduce((most, c) => Math.max(most, Number(c.send_time)), 0) + 1);
  const wire = Array.from(wireContacts(many), (contact, i) => {
    const email = `new.${contact.contact_email}`;
    return {
      ...contact,
      send_id: String(Number(contact.send_id) + 10 * size + i),
      contact_id: String(Number(contact.contact_id) + 10 * size + i),
      contact_email: email,
      send_time: later,
      send_status: "completed" as const,
      fields: { ...contact.fields, Email: email },
    };
  });
  const isRemoved = (contact: FlatContact) => contact.send_status === REMOVED;
  const kept = all.filter((contact) => !isRemoved(contact));
  return {
    /** Of contacts that open. */
    emails: spreadOver(kept, many).map(({ contact_email }) => contact_email),
    /** No contact opened later. */
    lastOpened: latestOpening(all),
    added: { wire, flat: wire.map(flatten) },
    removed: { count: size - kept.length, email: all.find(isRemoved)?.contact_email ?? "" },
  };
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(`wrong: ${otherwise}`);
}
