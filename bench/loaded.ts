// Peers in separate processes, each of which keeps its records while its queries run one by one.

import { orMissing, Worker, type Tasks } from "./host.ts";
import type { Limits } from "./figure.ts";
import { timingOf, type Rounds } from "./measure.ts";
import { isMissing, type Missing, type Outcome } from "./results.ts";

/** A worker that holds a peer; after it had to be stopped, the peer is loaded again before its next call. */
export class LoadedWorker<Own extends Tasks> {
  readonly name: string;
  readonly #load: (worker: Worker<Own>, seconds: number) => Promise<unknown>;
  readonly #limits: Limits;
  #worker: Worker<Own> | undefined;
  #loadSeconds = 0;
  #notLoaded: Missing | undefined;

  /** @param load calls the task that loads the peer */
  constructor(
    name: string,
    limits: Limits,
    load: (worker: Worker<Own>, seconds: number) => Promise<unknown>,
  ) {
    this.name = name;
    this.#limits = limits;
    this.#load = load;
  }

  async load(): Promise<Missing | undefined> {
    const start = performance.now();
    this.#worker = new Worker();
    const result = await orMissing(this.#load(this.#worker, this.#limits.load));
    this.#loadSeconds = (performance.now() - start) / 1000;
    this.#notLoaded = isLost(result) ? result : undefined;
    return this.#notLoaded;
  }

  async call<Name extends keyof Own & string>(
    task: Name,
    parameters: Parameters<Own[Name]>,
  ): Promise<Awaited<ReturnType<Own[Name]>> | Missing> {
    if (this.#notLoaded !== undefined) return this.#notLoaded;
    if (this.#worker === undefined) throw new Error(`${this.name} is not loaded`);
    if (this.#worker.ended) {
      if (this.#loadSeconds > this.#limits.again) {
        return { unasked: "it was stopped at an earlier question, and takes long to load" };
      }
      const why = await this.load();
      if (why !== undefined) return why;
    }
    return orMissing(this.#worker.call(task, parameters, this.#limits.query));
  }

  close(): void {
    this.#worker?.close();
  }
}

const isLost = (result: unknown): result is Missing =>
  typeof result === "object" && result !== null && isMissing(result);

/** How a query is run in a worker. */
export interface Asked<Own extends Tasks> {
  /** Compares the first answers, and warms up. */
  readonly check: (worker: LoadedWorker<Own>) => Promise<Missing | "right">;
  readonly sample: (worker: LoadedWorker<Own>, round: number) => Promise<Missing | number[]>;
}

/** Times a question: those with right answers take turns, round after round. */
export async function timeInRounds<Own extends Tasks>(
  workers: readonly LoadedWorker<Own>[],
  { check, sample }: Asked<Own>,
  { rounds }: Rounds,
): Promise<Record<string, Outcome>> {
  const missing = new Map<LoadedWorker<Own>, Missing>();
  const samples = new Map<LoadedWorker<Own>, number[][]>();
  for (const worker of workers) {
    const checked = await check(worker);
    if (checked === "right") samples.set(worker, []);
    else missing.set(worker, checked);
  }
  for (let round = 0; round < rounds; round++) {
    for (const [worker, taken] of samples) {
      const more = await sample(worker, round);
      if (Array.isArray(more)) {
        taken.push(more);
      } else {
        missing.set(worker, more);
        samples.delete(worker);
      }
    }
  }
  const outcomeOf = (worker: LoadedWorker<Own>) =>
    missing.get(worker) ?? timingOf(samples.get(worker)?.flat() ?? []);
  return Object.fromEntries(workers.map((worker) => [worker.name, outcomeOf(worker)]));
}
