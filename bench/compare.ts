// The comparison: each peer is loaded in a process of its own, its answers are compared with the
// reference's, and those that are right are timed in rounds in which the peers take turns.

import type { Progress } from "../src/cli/progress.ts";
import { callOnce, orMissing, Worker } from "./host.ts";
import { timingOf, type Rounds } from "./measure.ts";
import {
  isMissing,
  type Comparison,
  type Loading,
  type Missing,
  type Outcome,
  type QueryResult,
} from "./results.ts";
import type { Question } from "./worker.ts";

/** Seconds after which a peer is stopped. */
export interface Limits {
  readonly load: number;
  /** Preparing a query and answering it up to three times. */
  readonly query: number;
  /** A peer that takes longer to load is not loaded again. */
  readonly again: number;
}

const NO_LIMIT = 3600;

/** About how many seconds a comparison takes: only for the estimate of the time left. */
export const cost = {
  questions: (size: number) => 2 + size / 40_000,
  load: (size: number) => 0.5 + size / 40_000,
  query: (size: number, { rounds, milliseconds, warmUp }: Rounds) =>
    (warmUp + rounds * (milliseconds + 30)) / 1000 + (rounds + 1) * (size / 2e6),
  compare: (size: number, peers: number, queries: number, rounds: Rounds) =>
    cost.questions(size) + peers * cost.load(size) + peers * queries * cost.query(size, rounds),
};

export async function compare(
  size: number,
  names: readonly string[],
  ids: readonly number[],
  rounds: Rounds,
  limits: Limits,
  progress: Progress,
): Promise<Comparison> {
  const at = `${size.toLocaleString("en-US")} contacts`;
  progress.say(`${at}: the reference's answers`);
  const questions = await callOnce("questions", [size, ids], NO_LIMIT);
  progress.advance(cost.questions(size));
  const peers = names.map((name) => new PeerProcess(name, size, limits));
  try {
    const loading: Record<string, Loading | Missing> = {};
    for (const peer of peers) {
      progress.say(`${at}: loading ${peer.name}`);
      loading[peer.name] = await peer.load();
      progress.advance(cost.load(size));
    }
    const loaded = peers.filter(({ name }) => !isMissing(loading[name] ?? {}));
    const queries: QueryResult[] = [];
    for (const question of questions) {
      const { query, matching } = question;
      progress.say(`${at}: query ${query.id}, ${query.label}`);
      queries.push({
        id: query.id,
        label: query.label,
        offset: query.offset,
        matching,
        outcomes: await timeQuery(loaded, question, rounds),
      });
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
  const outcomes: Record<string, Outcome> = {};
  const samples = new Map<PeerProcess, number[][]>();
  for (const peer of peers) {
    const checked = await peer.check(question, warmUp);
    if (checked === "right") samples.set(peer, []);
    else outcomes[peer.name] = checked;
  }
  for (let round = 0; round < rounds; round++) {
    for (const [peer, taken] of samples) {
      const more = await peer.sample(question.query.id, milliseconds);
      if (Array.isArray(more)) taken.push(more);
      else outcomes[peer.name] = more;
    }
  }
  for (const [{ name }, taken] of samples) outcomes[name] ??= timingOf(taken.flat());
  const inOrder = peers.map(({ name }) => [name, outcomes[name]] as const);
  return Object.fromEntries(inOrder.flatMap(([name, each]) => (each ? [[name, each]] : [])));
}

/** A peer in its process; one that had to be stopped is loaded again before its next query. */
class PeerProcess {
  readonly name: string;
  readonly #size: number;
  readonly #limits: Limits;
  #worker: Worker | undefined;
  #loadSeconds = 0;

  constructor(name: string, size: number, limits: Limits) {
    this.name = name;
    this.#size = size;
    this.#limits = limits;
  }

  async load(): Promise<Loading | Missing> {
    this.#worker = new Worker();
    const start = performance.now();
    const loading = await orMissing(
      this.#worker.call("load", [this.name, this.#size], this.#limits.load),
    );
    this.#loadSeconds = (performance.now() - start) / 1000;
    return loading;
  }

  async check(question: Question, warmUp: number): Promise<Missing | "right"> {
    if (this.#worker?.ended !== false) {
      if (this.#loadSeconds > this.#limits.again) {
        return { unasked: "it was stopped at a query before, and takes long to load" };
      }
      const again = await this.load();
      if (isMissing(again)) return again;
    }
    return orMissing(this.#loaded.call("check", [question, warmUp], this.#limits.query));
  }

  async sample(id: number, milliseconds: number): Promise<Missing | number[]> {
    return orMissing(this.#loaded.call("sample", [id, milliseconds], this.#limits.query));
  }

  close(): void {
    this.#worker?.close();
  }

  get #loaded(): Worker {
    if (this.#worker === undefined) throw new Error(`${this.name} is not loaded`);
    return this.#worker;
  }
}
