// Runs inside a fresh process: it loads a peer in memory with contacts from a file, and makes its first updates or runs
// its first queries. No code of tercet may run before it is measured, so the contacts, the types of their fields and
// the expected results come from another process.

import { readFileSync } from "node:fs";
import type { Question } from "./compare.ts";
import type { FieldTypes } from "./contacts.ts";
import type { LoadedPeer } from "./load.ts";
import { clock } from "./measure.ts";
import type { Awaitable, Peer, Run } from "./peers/peer.ts";

/** The contacts as JSON, in both forms. */
export interface Files {
  readonly wire: string;
  readonly flat: string;
}

/** What a process did until it could be asked. */
export interface Beginning {
  /** Of importing the peer's package. */
  readonly imported: number;
  readonly load: number;
  readonly index: number;
}

export interface Updated extends Beginning {
  /** Updates of one contact each, and the lookup right after each. */
  readonly updates: readonly number[];
  readonly lookups: readonly number[];
}

export interface Asked extends Beginning {
  /** By the number of the query: the time of its first call. */
  readonly queries: Readonly<Record<number, number>>;
}

/** The contacts that open, in sequence. */
export interface Openings {
  readonly emails: readonly string[];
  /** No contact opened later. */
  readonly lastOpened: number;
}

interface MemoryPeer {
  readonly needsIndexes: boolean;
  /** Imports the package itself: the cost before a program can load anything. */
  readonly load: () => Promise<unknown>;
  /** The peer without contacts, and what loads them. */
  readonly begin: (files: Files, types: FieldTypes) => Promise<readonly [LoadedPeer, Loads]>;
}

type Loads = () => Awaitable<void>;

function memoryPeer<Input>(
  form: keyof Files,
  load: MemoryPeer["load"],
  on: () => Promise<() => Awaitable<Peer<Input>>>,
  needsIndexes = false,
): MemoryPeer {
  return {
    needsIndexes,
    load,
    async begin(files, types) {
      const create = await on();
      const contacts = JSON.parse(readFileSync(files[form], "utf8")) as Input[];
      const peer = await create();
      return [peer, () => peer.load(contacts, types)];
    },
  };
}

/** The peers that hold objects in memory, and change or filter them. */
const MEMORY_PEERS: Readonly<Record<string, MemoryPeer>> = {
  tercet: memoryPeer(
    "wire",
    () => import("../src/index.ts"),
    async () => (await import("./peers/tercet.ts")).createTercet,
  ),
  loop: memoryPeer(
    "flat",
    () => Promise.resolve(),
    async () => (await import("./peers/loop.ts")).createLoop,
  ),
  lokijs: memoryPeer(
    "flat",
    () => import("lokijs"),
    async () => (await import("./peers/lokijs.ts")).createLoki,
    true,
  ),
  crossfilter2: memoryPeer(
    "flat",
    () => import("crossfilter2"),
    async () => (await import("./peers/crossfilter.ts")).createCrossfilter,
    true,
  ),
  "@tanstack/db": memoryPeer(
    "flat",
    () => import("@tanstack/db"),
    async () => (await import("./peers/tanstack.ts")).createTanstack,
  ),
};

export const fewTasks = {
  /** Loads and indexes contacts, then changes them one by one, and looks each up. */
  fewUpdated: async (
    name: string,
    files: Files,
    types: FieldTypes,
    { emails, lastOpened }: Openings,
  ): Promise<Updated> => {
    const [peer, beginning] = await begun(name, files, types, true);
    const updater = await peer.updates?.();
    const updates: number[] = [];
    const lookups: number[] = [];
    for (const [i, email] of updater === undefined ? [] : emails.entries()) {
      updates.push(await clock(() => updater?.open(email, lastOpened + 1 + i)));
      let found: unknown;
      lookups.push(
        await clock(async () => void (found = (await updater?.lookup(email))?.contact_email)),
      );
      if (found !== email) throw new Error("the lookup after an update finds another");
    }
    return { ...beginning, updates, lookups };
  },

  /** Loads contacts, and runs each query for the first time. Only peers that need indexes have them. */
  fewAsked: async (
    name: string,
    files: Files,
    types: FieldTypes,
    questions: readonly Question[],
  ): Promise<Asked> => {
    const [peer, beginning] = await begun(name, files, types, false);
    const queries: Record<number, number> = {};
    for (const question of questions) {
      queries[question.query.id] = await answerTo(question, peer);
    }
    return { ...beginning, queries };
  },
};

async function begun(
  name: string,
  files: Files,
  types: FieldTypes,
  isIndexed: boolean,
): Promise<readonly [LoadedPeer, Beginning]> {
  const entry = MEMORY_PEERS[name];
  if (entry === undefined) throw new Error(`${name} is not among those of few contacts`);
  const imported = await clock(entry.load);
  const [peer, loads] = await entry.begin(files, types);
  const load = await clock(loads);
  const isDue = isIndexed || entry.needsIndexes;
  const index = isDue ? await clock(() => peer.prepare?.()) : 0;
  return [peer, { imported, load, index }];
}

/** How long a result takes, including the peer's preparation of the query. */
async function answerTo(
  { query, answers }: Question,
  { compile }: Pick<Peer, "compile">,
): Promise<number> {
  let rows: Awaited<Awaitable<ReturnType<Run>>> = [];
  const time = await clock(async () => {
    const run = await compile(query);
    const [first] = query.calls;
    if (!("cannot" in run) && first !== undefined) rows = await run(first);
  });
  const ids = rows.map(({ send_id }) => String(send_id));
  if (ids.join() !== answers[0]?.ids.join())
    throw new Error(`query ${query.id} is answered wrongly`);
  return time;
}
