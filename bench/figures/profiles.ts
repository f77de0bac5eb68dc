// Where calls spend their time in which a peer is ahead: V8's sampling profiler notes the stack, and the
// innermost function on it that profile-shares.ts names determines the part.

import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { createService, type Collection } from "../../src/index.ts";
import { batchOf, wireContacts } from "../contacts.ts";
import { contacts, figure } from "../figure.ts";
import { flatContacts, loadPeer, spreadOver } from "../load.ts";
import { collectGarbage, inTurns } from "../measure.ts";
import type { Updater } from "../peers/peer.ts";
import { collectionOf, serviceOf } from "../peers/tercet.ts";
import { keyedRun, preparedRun } from "../peers/tercet-prepared.ts";
import { prepareAll, tercetRun } from "../peers/tercet-run.ts";
import { sharesOf, type Shares } from "../profile-shares.ts";
import { fittedQueries } from "../reference.ts";

/** Where the time of calls goes. */
interface Profile extends Shares {
  readonly label: string;
}

interface Profiles {
  readonly size: number;
  readonly rows: readonly Profile[];
}

/** Queries that a peer answers sooner. */
const ASKED = [1, 8, 11];
/** Queries that a plain loop answers sooner while tercet has no index. */
const SCANNED = [1, 3, 5];
/** Microseconds between samples. */
const INTERVAL = 100;
/** Milliseconds for which a query is repeated. */
const ASKING = 1500;
/** How often many are inserted and others removed: a page after one such change takes only a few samples. */
const BULKS = 5;

export const profiles = figure("profiles", {
  isExtra: true,
  chapter: "appendix",
  async task({ size, many }): Promise<Profiles> {
    // Before anything is compiled: only then does V8 note which functions it inlines.
    const profiler = new SamplingProfiler();
    await profiler.enable();
    try {
      const queries = await ofQueries(profiler, size);
      const changes = await ofUpdates(profiler, size, many);
      return { size, rows: [...queries, ...changes, ...(await ofLoading(profiler, size))] };
    } finally {
      profiler.close();
    }
  },
  sections: ({ size, rows }) => [
    {
      title: `Where the time of these calls goes, ${contacts(size)}`,
      note: "Shares of the samples of V8's profiler, which takes time itself. Each sample belongs to the innermost function that `bench/profile-shares.ts` names. Parts below 1 % are left out.",
      head: ["row", "parts"],
      rows: rows.map(({ label, shares }) => [
        label,
        Object.entries(shares)
          .filter(([, share]) => share >= 0.01)
          .map(([part, share]) => `${part} ${Math.round(100 * share)} %`)
          .join(", "),
      ]),
    },
  ],
});

async function ofQueries(profiler: SamplingProfiler, size: number): Promise<Profile[]> {
  const collection = collectionOf(serviceOf(wireContacts(size)));
  prepareAll(collection);
  const asked = fittedQueries(flatContacts(size), ASKED);
  const found: Profile[] = [];
  for (const query of asked) {
    const run = inTurns(preparedRun(collection, query), query.values);
    found.push(await again(profiler, `query ${query.id}, ${query.label}`, run));
  }
  const keyed = inTurns(keyedRun(collection), asked[0]?.values ?? []);
  return [...found, await again(profiler, "query 12, lookup by key", keyed)];
}

/** A repeated call, warm. */
async function again(
  profiler: SamplingProfiler,
  label: string,
  call: () => unknown,
): Promise<Profile> {
  const ask = (milliseconds: number) => {
    const end = performance.now() + milliseconds;
    while (performance.now() < end) for (let i = 0; i < 1000; i++) call();
  };
  ask(ASKING / 3);
  return { label, ...(await profiler.profile(() => ask(ASKING))) };
}

async function ofUpdates(
  profiler: SamplingProfiler,
  size: number,
  updates: number,
): Promise<Profile[]> {
  const emails = spreadOver(flatContacts(size), updates).map(({ contact_email }) => contact_email);
  const updater = await updaterOf(size);
  await updater.page();
  collectGarbage();
  let opened = 4_000_000_000;
  const inARow = (query: (email: string) => unknown) =>
    profiler.profile(async () => {
      for (const email of emails) {
        await updater.open(email, opened++);
        await query(email);
      }
    });
  return [
    { label: "update and lookup, in a row", ...(await inARow((email) => updater.lookup(email))) },
    { label: "update and page, in a row", ...(await inARow(() => updater.page())) },
    ...(await ofBulks(profiler, updater, size, updates)),
  ];
}

async function ofBulks(
  profiler: SamplingProfiler,
  updater: Updater,
  size: number,
  count: number,
): Promise<Profile[]> {
  const inserted: Profiler.Profile[] = [];
  const afterInserting: Profiler.Profile[] = [];
  const afterRemoving: Profiler.Profile[] = [];
  for (let bulk = 1; bulk <= BULKS; bulk++) {
    const wire = Array.from(wireContacts(count), (contact, i) => ({
      ...contact,
      send_id: String(Number(contact.send_id) + 10 * bulk * size + i),
      contact_email: `new.${bulk}.${contact.contact_email}`,
    }));
    collectGarbage();
    inserted.push(await profiler.sample(() => updater.insert({ wire, flat: [] })));
    afterInserting.push(await profiler.sample(() => updater.page()));
    await updater.removeWithStatus("split_sms");
    afterRemoving.push(await profiler.sample(() => updater.page()));
  }
  return [
    { label: "many inserted at once", ...sharesOf(...inserted) },
    { label: "page after inserting", ...sharesOf(...afterInserting) },
    { label: "page after removing", ...sharesOf(...afterRemoving) },
  ];
}

async function updaterOf(size: number): Promise<Updater> {
  const { peer } = await loadPeer("tercet", size);
  await peer.prepare?.();
  const updater = await peer.updates?.();
  if (updater === undefined) throw new Error("tercet has no updates");
  return updater;
}

async function ofLoading(profiler: SamplingProfiler, size: number): Promise<Profile[]> {
  const asked = fittedQueries(flatContacts(size), SCANNED);
  const batch = batchOf([...wireContacts(size)]);
  let collection: Collection | undefined;
  const load = await profiler.profile(() => {
    collection = collectionOf(createService({ batches: [batch], indexes: "none" }));
  });
  const scans: Profile[] = [];
  for (const query of asked) {
    const first = await profiler.profile(async () => {
      const run = collection && tercetRun(collection, query);
      for (const values of query.values) await run?.(values);
    });
    scans.push({ label: `first query ${query.id}, ${query.label}`, ...first });
  }
  const index = await profiler.profile(() => collection && prepareAll(collection));
  return [{ label: "loading", ...load }, { label: "indexing", ...index }, ...scans];
}

class SamplingProfiler {
  readonly #session = new Session();

  async enable(): Promise<void> {
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("Profiler.setSamplingInterval", { interval: INTERVAL });
    await this.profile(() => undefined);
  }

  async profile(run: () => unknown): Promise<Shares> {
    return sharesOf(await this.sample(run));
  }

  async sample(run: () => unknown): Promise<Profiler.Profile> {
    await this.#session.post("Profiler.start");
    await run();
    return (await this.#session.post("Profiler.stop")).profile;
  }

  close(): void {
    this.#session.disconnect();
  }
}
