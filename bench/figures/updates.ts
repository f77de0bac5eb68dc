// Updates followed by queries, over contacts that have all their indexes: one at a time, many in a row,
// many at once. What the queries answer is checked; a wrong answer ends the measurement.

import { flatten, wireContacts, type Contacts, type FlatContact } from "../contacts.ts";
import { flatContacts, loadPeer } from "../load.ts";
import { clock, heapInUse, once, timeInTurns, timingOf, turns, type Rounds } from "../measure.ts";
import { PAGE, type Updater } from "../peers/peer.ts";
import type { Bulk, Missing, Updates } from "../results.ts";

/** How much is done of what. */
export interface Amounts extends Rounds {
  /** Single updates, each timed with the queries after it. */
  readonly single: number;
  /** Updates in a row. */
  readonly row: number;
  /** Contacts inserted at once; about as many are removed at once. */
  readonly bulk: number;
  /** Milliseconds after which single updates, and those in a row, end where they are. */
  readonly most: number;
}

/** What is done to the contacts. */
interface Events {
  /** Of contacts that open, spread over all. */
  readonly emails: readonly string[];
  /** No contact opened later. */
  readonly lastOpened: number;
  readonly added: Contacts;
  /** Of the contacts that are removed at once: about one in a hundred. */
  readonly removed: { readonly status: string; readonly count: number; readonly email: string };
}

export async function updates(
  name: string,
  size: number,
  amounts: Amounts,
): Promise<Updates | Missing> {
  const events = eventsOf(size, amounts);
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
    queries.push({ updates: opened, ...(await timeInTurns(runs, amounts)) });
  };

  await timeQueries();
  await open(emails());
  await timeQueries();
  const single = await singleUpdates(updater, events, amounts, open);
  await timeQueries();
  const row = await updatesInARow(updater, events, amounts, open);
  await timeQueries();
  const insert = await inBulk(
    updater,
    events.added.flat.length,
    events.added.flat[0]?.contact_email,
    () => updater.insert(events.added),
  );
  expect((await updater.lookup(events.removed.email)) !== undefined, "a contact is lost");
  const remove = await inBulk(updater, events.removed.count, events.emails[0], () =>
    updater.removeWithStatus(events.removed.status),
  );
  expect((await updater.lookup(events.removed.email)) === undefined, "a removed contact is there");
  return { queries, single, row, insert, remove };
}

type Open = (email: string) => Promise<void>;

async function singleUpdates(
  updater: Updater,
  { emails }: Events,
  { single, most }: Amounts,
  open: Open,
): Promise<Updates["single"]> {
  const samples = { update: [] as number[], lookup: [] as number[], page: [] as number[] };
  const end = performance.now() + most;
  for (const email of emails.slice(0, single)) {
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
  { row, most }: Amounts,
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
  return { asked: row, done, time, heapBefore, heapAfter: heapInUse() };
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

const REMOVED = "split_sms";

/** A function of its own, so that the contacts are garbage when it returns. */
function eventsOf(size: number, { row, bulk }: Amounts): Events {
  const contacts = flatContacts(size);
  const later = String(contacts.reduce((most, c) => Math.max(most, Number(c.send_time)), 0) + 1);
  const wire = Array.from(wireContacts(bulk), (contact, i) => {
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
  const kept = contacts.filter((contact) => !isRemoved(contact));
  return {
    // Any part of them is spread over all contacts: multiples of the golden ratio, modulo 1.
    emails: Array.from({ length: row }, (_, i) => {
      const place = (i * (Math.sqrt(5) - 1)) / 2;
      return kept[Math.floor((place % 1) * kept.length)]?.contact_email ?? "";
    }),
    lastOpened: contacts.reduce((most, c) => Math.max(most, Number(c.last_open_time)), 0),
    added: { wire, flat: wire.map(flatten) },
    removed: {
      status: REMOVED,
      count: size - kept.length,
      email: contacts.find(isRemoved)?.contact_email ?? "",
    },
  };
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(`wrong: ${otherwise}`);
}
