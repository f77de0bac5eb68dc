// Where the time goes of the calls in which a peer is ahead: V8's sampling profiler notes the stack, and
// the innermost function on it that has a name here tells the part.

import { Session, type Profiler } from "node:inspector";
import { createService, type Collection } from "../../src/index.ts";
import { batchOf, wireContacts } from "../contacts.ts";
import { flatContacts, loadPeer } from "../load.ts";
import { collectGarbage, turns } from "../measure.ts";
import type { Updater } from "../peers/peer.ts";
import { collectionOf } from "../peers/tercet.ts";
import { keyedRun, preparedRun } from "../peers/tercet-prepared.ts";
import { prepareAll, tercetRun } from "../peers/tercet-run.ts";
import { fitOffset, queriesFor } from "../queries.ts";
import { sharesOf } from "../profile-shares.ts";
import type { Profile } from "../results.ts";

/** Queries that a plain loop answers sooner while tercet has no index. */
const SCANNED = [1, 3, 5];
/** Microseconds between samples. */
const INTERVAL = 100;
/** Milliseconds for which a query is asked again and again. */
const ASKING = 1500;
/** How many times many are inserted and others removed: a page after it is over in a few samples. */
const BULKS = 5;
/** Queries that a peer answers sooner. */
const ASKED = [1, 8, 11];

export async function profiles(size: number, updates: number): Promise<Profile[]> {
  // Before anything is compiled: only then does V8 note which functions it compiles into others.
  const profiler = new SamplingProfiler();
  await profiler.enable();
  try {
    const queries = await ofQueries(profiler, size);
    const changes = await ofUpdates(profiler, size, updates);
    return [...queries, ...changes, ...(await ofLoading(profiler, size))];
  } finally {
    profiler.close();
  }
}

async function ofQueries(profiler: SamplingProfiler, size: number): Promise<Profile[]> {
  const collection = collectionOf(createService({ batches: [batchOf(wireContacts(size))] }));
  prepareAll(collection);
  const queries = queriesFor(flatContacts(size));
  const found: Profile[] = [];
  for (const each of queries.filter(({ id }) => ASKED.includes(id))) {
    const query = fitOffset(each, size);
    const run = preparedRun(collection, query);
    const values = turns(query.values);
    found.push(await again(profiler, `query ${query.id}, ${query.label}`, () => run(values())));
  }
  const { values = [] } = queries.find(({ id }) => id === 1) ?? {};
  const [run, next] = [keyedRun(collection), turns(values)];
  return [...found, await again(profiler, "query 12, lookup by key", () => run(next()))];
}

/** A call again and again, warm. */
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
  return {
    label,
    ...(await profiler.profile(() => {
      ask(ASKING);
    })),
  };
}

async function ofUpdates(
  profiler: SamplingProfiler,
  size: number,
  updates: number,
): Promise<Profile[]> {
  const contacts = flatContacts(size);
  const place = (i: number) => Math.floor((((i * (Math.sqrt(5) - 1)) / 2) % 1) * size);
  const emailAt = (i: number) => contacts[place(i)]?.contact_email ?? "";
  const emails = Array.from({ length: updates }, (_, i) => emailAt(i));
  const updater = await updaterOf(size);
  await updater.page();
  collectGarbage();
  let opened = 4_000_000_000;
  const open = (email: string) => updater.open(email, opened++);
  const row = await profiler.profile(async () => {
    for (const email of emails) {
      await open(email);
      await updater.lookup(email);
    }
  });
  const pages = await profiler.profile(async () => {
    for (const email of emails) {
      await open(email);
      await updater.page();
    }
  });
  return [
    { label: "update and lookup, in a row", ...row },
    { label: "update and page, in a row", ...pages },
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
  const samplePage = () =>
    profiler.sample(async () => {
      await updater.page();
    });
  for (let bulk = 1; bulk <= BULKS; bulk++) {
    const wire = Array.from(wireContacts(count), (contact, i) => ({
      ...contact,
      send_id: String(Number(contact.send_id) + 10 * bulk * size + i),
      contact_email: `new.${bulk}.${contact.contact_email}`,
    }));
    collectGarbage();
    inserted.push(await profiler.sample(() => updater.insert({ wire, flat: [] })));
    afterInserting.push(await samplePage());
    await updater.removeWithStatus("split_sms");
    afterRemoving.push(await samplePage());
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
  const asked = queriesFor(flatContacts(size)).filter(({ id }) => SCANNED.includes(id));
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
  const index = await profiler.profile(() => {
    if (collection !== undefined) prepareAll(collection);
  });
  return [{ label: "loading", ...load }, { label: "indexing", ...index }, ...scans];
}

class SamplingProfiler {
  readonly #session = new Session();

  async enable(): Promise<void> {
    this.#session.connect();
    await this.#post("Profiler.enable");
    await this.#post("Profiler.setSamplingInterval", { interval: INTERVAL });
    await this.profile(() => undefined);
  }

  async profile(run: () => Promise<void> | void): Promise<Omit<Profile, "label">> {
    return sharesOf(await this.sample(run));
  }

  async sample(run: () => Promise<void> | void): Promise<Profiler.Profile> {
    await this.#post("Profiler.start");
    await run();
    const { profile } = (await this.#post("Profiler.stop")) as Profiler.StopReturnType;
    return profile;
  }

  close(): void {
    this.#session.disconnect();
  }

  #post(method: string, parameters?: object): Promise<object> {
    return new Promise((resolve, reject) => {
      this.#session.post(method, parameters, (error, result) => {
        if (error === null) resolve(result ?? {});
        else reject(error);
      });
    });
  }
}
