// The comparison: each peer is loaded in its own process, its answers are compared with the reference's,
// and peers with correct answers are timed in rounds, in turns.

import { contacts, type Limits, type Run as Asked } from "./figure.ts";
import { callerOf, orMissing, Worker } from "./host.ts";
import { flatContacts, loadPeer, type LoadedPeer } from "./load.ts";
import {
  collectGarbage,
  heapInUse,
  inTurns,
  once,
  residentInUse,
  sample,
  timingOf,
  type Rounds,
} from "./measure.ts";
import { PEERS } from "./peers/index.ts";
import type { Row } from "./peers/peer.ts";
import { queriesFor, type BenchQuery } from "./queries.ts";
import { FIELD_TYPES } from "./contacts.ts";
import { fitted, matchesOf, pageOf } from "./reference.ts";
import { isMissing, type Missing, type Outcome } from "./results.ts";

/** The costs before the first fast query. */
export interface Loading {
  readonly load: number;
  readonly prepare: number;
  /** The growth of the process. */
  readonly records: number;
  readonly indexes: number;
  /** What was measured: V8's heap with array buffers, or for native code all resident memory. */
  readonly memory: "heap" | "resident";
}

/** Peers over the same contacts, each in its own process, in rounds. */
export interface Comparison {
  readonly size: number;
  readonly loading: Readonly<Record<string, Loading | Missing>>;
  readonly queries: readonly {
    readonly id: number;
    readonly label: string;
    readonly offset: number;
    /** How many contacts match, before paging. */
    readonly matching: number;
    /** By peer. */
    readonly outcomes: Readonly<Record<string, Outcome>>;
  }[];
}

/** A query with its correct answers. */
export interface Question {
  readonly query: BenchQuery;
  readonly matching: number;
  /** The ids of the page, for the first values. */
  readonly answers: readonly (readonly string[])[];
}

/** For how many of a query's values the answers are compared. */
const CHECKED = 3;
/** No further values are compared after this many milliseconds. */
const CHECKING = 1000;
/** How many times longer the first query is warmed up. */
const FIRST = 5;

let loaded: LoadedPeer | undefined;
const runs = new Map<number, () => unknown>();

export const tasks = {
  /** The queries with these numbers, fitted to the contacts, and their answers by the reference. */
  questions: (size: number, ids: readonly number[]): Question[] => {
    const all = flatContacts(size);
    const asked = queriesFor(all).filter(({ id }) => ids.includes(id));
    return asked.map((each) => {
      const { matching, ...query } = fitted(all, each);
      const answers = query.values
        .slice(0, CHECKED)
        .map((values) => pageOf(matchesOf(all, query, values), query).map(idOf));
      return { query, matching, answers };
    });
  },

  /** Loads this process's peer. */
  load: async (name: string, size: number): Promise<Loading> => {
    const memory = PEERS[name]?.native === true ? "resident" : "heap";
    const inUse = memory === "resident" ? residentInUse : heapInUse;
    const empty = inUse();
    const { peer, time } = await loadPeer(name, size);
    const full = inUse();
    const prepare = await once(() => peer.prepare?.());
    loaded = peer;
    return { load: time, prepare, records: full - empty, indexes: inUse() - full, memory };
  },

  /**
   * Compares the peer's answers with the correct ones; a query that passes is warm and can be sampled.
   */
  check: async ({ query, answers }: Question, warmUp: number): Promise<Missing | "right"> => {
    if (loaded === undefined) throw new Error("no peer is loaded");
    collectGarbage();
    const run = await loaded.compile(query);
    if ("cannot" in run) return run;
    const end = performance.now() + CHECKING;
    for (const [i, answer] of answers.entries()) {
      const wrong = differenceOf(await run(query.values[i] ?? []), answer);
      if (wrong !== undefined) return { wrong };
      if (performance.now() > end) break;
    }
    const runner = inTurns(run, query.values);
    runs.set(query.id, runner);
    // V8 compiles code once it is called often; the first query also compiles what all queries share.
    const longer = runs.size === 1 ? FIRST : 1;
    if (performance.now() < end) await sample(runner, longer * warmUp);
    return "right";
  },

  /** Samples of a checked query. */
  sample: (id: number, milliseconds: number): Promise<number[]> => {
    const run = runs.get(id);
    if (run === undefined) throw new Error(`query ${id} is not checked`);
    collectGarbage();
    return sample(run, milliseconds);
  },
};

const idOf = (row: Row): string => String(row.send_id);

/** A contact's fields; a peer may add its own. */
const FIELDS = FIELD_TYPES.size - 3;

function differenceOf(rows: readonly Row[], ids: readonly string[]): string | undefined {
  if (rows.length !== ids.length) return `${rows.length} rows for ${ids.length}`;
  const at = rows.findIndex((row, i) => idOf(row) !== ids[i]);
  if (at >= 0) return `row ${at} is ${idOf(rows[at] ?? {})}, should be ${ids[at] ?? ""}`;
  const fields = Object.keys(rows[0] ?? {}).length;
  return rows.length > 0 && fields < FIELDS ? `rows of ${fields} fields` : undefined;
}

/** The tasks, called from outside. */
export const call = callerOf<typeof tasks>();

const cost = {
  questions: (size: number) => 2 + size / 40_000,
  load: (size: number) => 0.5 + size / 40_000,
  query: (size: number, { rounds, milliseconds, warmUp }: Rounds) =>
    (warmUp + rounds * (milliseconds + 30)) / 1000 + (rounds + 1) * (size / 2e6),
};

/** About how many seconds a comparison takes. */
export const secondsOf = (size: number, peers: number, queries: number, rounds: Rounds) =>
  cost.questions(size) + peers * (cost.load(size) + queries * cost.query(size, rounds));

export async function compare(
  size: number,
  names: readonly string[],
  ids: readonly number[],
  { plan: { rounds, limits }, progress }: Asked,
): Promise<Comparison> {
  const at = contacts(size);
  progress.say(`${at}: the reference's answers`);
  const questions = await call("questions", [size, ids]);
  progress.advance(cost.questions(size));
  const peers = names.map((name) => new PeerProcess(name, size, limits));
  try {
    const loading: Record<string, Loading | Missing> = {};
    for (const peer of peers) {
      progress.say(`${at}: loading ${peer.name}`);
      loading[peer.name] = await peer.load();
      progress.advance(cost.load(size));
    }
    const asked = peers.filter(({ name }) => !isMissing(loading[name] ?? {}));
    const queries: Comparison["queries"][number][] = [];
    for (const question of questions) {
      const { id, label, offset } = question.query;
      progress.say(`${at}: query ${id}, ${label}`);
      const outcomes = await timeQuery(asked, question, rounds);
      queries.push({ id, label, offset, matching: question.matching, outcomes });
      progress.advance(peers.length * cost.query(size, rounds));
    }
    return { size, loading, queries };
  } finally {
    for (const peer of peers) peer.close();
  }
}

async function timeQuery(
  peers: readonly PeerProcess[],
  question: Question,
  { rounds, milliseconds, warmUp }: Rounds,
): Promise<Record<string, Outcome>> {
  const missing = new Map<PeerProcess, Missing>();
  const samples = new Map<PeerProcess, number[][]>();
  for (const peer of peers) {
    const checked = await peer.check(question, warmUp);
    if (checked === "right") samples.set(peer, []);
    else missing.set(peer, checked);
  }
  for (let round = 0; round < rounds; round++) {
    for (const [peer, taken] of samples) {
      const more = await peer.sample(question.query.id, milliseconds);
      if (Array.isArray(more)) {
        taken.push(more);
      } else {
        missing.set(peer, more);
        samples.delete(peer);
      }
    }
  }
  const outcomeOf = (peer: PeerProcess) =>
    missing.get(peer) ?? timingOf(samples.get(peer)?.flat() ?? []);
  return Object.fromEntries(peers.map((peer) => [peer.name, outcomeOf(peer)]));
}

/** A peer in its process; after it had to be stopped, it is loaded again before its next query. */
class PeerProcess {
  readonly name: string;
  readonly #size: number;
  readonly #limits: Limits;
  #worker: Worker<typeof tasks> | undefined;
  #loadSeconds = 0;

  constructor(name: string, size: number, limits: Limits) {
    this.name = name;
    this.#size = size;
    this.#limits = limits;
  }

  async load(): Promise<Loading | Missing> {
    const start = performance.now();
    const worker = (this.#worker = new Worker());
    const loading = await orMissing(
      worker.call("load", [this.name, this.#size], this.#limits.load),
    );
    this.#loadSeconds = (performance.now() - start) / 1000;
    return loading;
  }

  async check(question: Question, warmUp: number): Promise<Missing | "right"> {
    if (this.#loaded.ended) {
      if (this.#loadSeconds > this.#limits.again) {
        return { unasked: "it was stopped at an earlier query, and takes long to load" };
      }
      const again = await this.load();
      if (isMissing(again)) return again;
    }
    return orMissing(this.#loaded.call("check", [question, warmUp], this.#limits.query));
  }

  sample(id: number, milliseconds: number): Promise<Missing | number[]> {
    return orMissing(this.#loaded.call("sample", [id, milliseconds], this.#limits.query));
  }

  close(): void {
    this.#worker?.close();
  }

  get #loaded(): Worker<typeof tasks> {
    if (this.#worker === undefined) throw new Error(`${this.name} is not loaded`);
    return this.#worker;
  }
}
