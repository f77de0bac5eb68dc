// Updates followed by queries, over contacts that have all their indexes: one at a time, many in a row, many at once.
// The results of the queries are checked; a wrong one ends the measurement.

import { pointsChart } from "../charts.ts";
import { flatten, wireContacts, type FlatContact } from "../contacts.ts";
import {
  contacts,
  figure,
  measureEach,
  missingNote,
  present,
  rowsOfEach,
  tableOfRows,
  type OfPeers,
  type Plan,
  type RowNumber,
} from "../figure.ts";
import { count, megabytes, time } from "../format.ts";
import { flatContacts, latestOpening, loadPeer, spreadOver } from "../load.ts";
import { clock, heapInUse, once, timingOf } from "../measure.ts";
import { PAGE, type Updater } from "../peers/peer.ts";
import type { Missing, Timing } from "../results.ts";

/** Updates of a peer's contacts; each is followed by queries. */
interface Updates {
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
/** Those that can change a record. */
const PEERS = ["tercet", "loop", "lokijs", "@tanstack/db", "better-sqlite3"];
/** The most updates in a row, and contacts inserted at once. */
const MANY = 10_000;
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

const tasks = {
  async updates(plan: Plan, name: string): Promise<Updates | Missing> {
    const { size } = plan;
    const most = mostOf(plan);
    const events = eventsOf(size, Math.min(MANY, size / 10));
    const { peer } = await loadPeer(name, size);
    await peer.prepare?.();
    const updater = await peer.updates?.();
    if (updater === undefined) return { cannot: "it has no updates here" };

    let opened = 0;
    const open = async (email: string) => {
      opened++;
      await updater.open(email, events.lastOpened + opened);
    };
    const single = await singleUpdates(updater, events, most, open);
    const row = await updatesInARow(updater, events, most, open);
    const { added, removed } = events;
    const insert = await inBulk(updater, added.flat.length, added.flat[0]?.contact_email, () =>
      updater.insert(added),
    );
    expect((await updater.lookup(removed.email)) !== undefined, "a contact is lost");
    const remove = await inBulk(updater, removed.count, events.emails[0], () =>
      updater.removeWithStatus(REMOVED),
    );
    expect((await updater.lookup(removed.email)) === undefined, "a removed contact is there");
    return { single, row, insert, remove };
  },
};

export const updates = figure<OfPeers<Updates>>({
  name: "updates",
  what: "changes, and the queries right after them",
  tasks,
  measure(run) {
    const seconds = 2 * run.plan.limits.load + (4 * mostOf(run.plan)) / 1000;
    return measureEach(run, "updates", PEERS, seconds);
  },
  rows: ({ peers }) => rowsOfEach(peers, NUMBERS),
  charts: ({ size, peers }) => [
    pointsChart("updates", rowsOfEach(peers, NUMBERS), {
      what: "kinds of update and query after it",
      field: "what",
      labels: NUMBERS.map(([name]) => name),
      subtitle: `Time over ${contacts(size)}`,
      step: 34,
    }),
  ],
  sections: ({ size, peers }) => [
    {
      title: `Updates of ${contacts(size)}`,
      note: [
        'All indexes exist. Times of one update or one query, each of another contact; of "many at once", the time of all of them. tercet makes a new record and a new collection, and the old one still answers as before; the others change records in place, but for SQLite.',
        missingNote(peers) ?? "",
      ]
        .join(" ")
        .trim(),
      ...tableOfRows(rowsOfEach(peers, NUMBERS), peers),
      chart: "updates",
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
  const asked = emails.slice(SINGLE);
  const heapBefore = heapInUse();
  const end = performance.now() + most;
  let done = 0;
  const time = await clock(async () => {
    for (const email of asked) {
      await open(email);
      const found = await updater.lookup(email);
      expect(found?.contact_email === email, "a lookup in a row finds another");
      done++;
      if (performance.now() > end) break;
    }
  });
  return { asked: asked.length, done, time, heapBefore, heapAfter: heapInUse() };
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
  const textForm = Array.from(wireContacts(many), (contact, i) => {
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
    /** Of contacts that open: those of single updates first. */
    emails: spreadOver(kept, SINGLE + many).map(({ contact_email }) => contact_email),
    /** No contact opened later. */
    lastOpened: latestOpening(all),
    added: { textForm, flat: textForm.map(flatten) },
    removed: { count: size - kept.length, email: all.find(isRemoved)?.contact_email ?? "" },
  };
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(`wrong: ${otherwise}`);
}
