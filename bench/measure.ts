// Timing. Every call of a measurement gets its own item (a key, a string, a page), so that no query is repeated; calls
// too short for the clock are timed in batches.

import { setTimeout } from "node:timers/promises";
import type { Timing } from "./results.ts";

export interface Rounds {
  readonly rounds: number;
  /** About how long each is run in a round. */
  readonly milliseconds: number;
  /** For how long before the first round. */
  readonly warmUp: number;
}

/** What can be sampled for as long as there is something left to ask. */
export type Sampled = Pick<Asking<unknown>, "left" | "sample">;

/** A function, and the items that it is called with, one after the other, each once. */
export class Asking<Item> {
  readonly #run: (item: Item) => unknown;
  readonly #items: readonly Item[];
  #next = 0;

  constructor(run: (item: Item) => unknown, items: readonly Item[]) {
    this.#run = run;
    this.#items = items;
  }

  get left(): number {
    return this.#items.length - this.#next;
  }

  /** Samples in nanoseconds, of calls for about this time, and of at most so many. */
  async sample(milliseconds: number, most: number): Promise<number[]> {
    const end = performance.now() + milliseconds;
    const last = this.#next + Math.min(most, this.left);
    const samples: number[] = [];
    let batch = 1;
    while (this.#next < last) {
      const size = Math.min(batch, last - this.#next);
      const from = this.#next;
      const start = performance.now();
      const pending = this.#batch(from + size);
      if (pending !== undefined) await pending;
      const now = performance.now();
      samples.push(((now - start) * 1e6) / (this.#next - from));
      if (now >= end) break;
      if (now - start < SHORTEST) batch = Math.min(2 * batch, LARGEST);
    }
    return samples;
  }

  /** Calls until `end`, or until a call returns a promise, which is returned. */
  #batch(end: number): Promise<unknown> | undefined {
    const [run, items] = [this.#run, this.#items];
    for (let i = this.#next; i < end; i++) {
      kept = run(items[i] as Item);
      if (kept instanceof Promise) {
        this.#next = i + 1;
        return kept;
      }
    }
    this.#next = end;
    return undefined;
  }
}

/** In milliseconds: the clock reads to about a microsecond. */
const SHORTEST = 0.1;
const LARGEST = 4096;

/** The last result, so that no call can be optimised away. */
export let kept: unknown;

/** The share of the items that a warm-up may use. */
const WARM = 0.25;

/**
 * Times several things in one process in rounds, alternating between them, so that a slow minute of the machine, and
 * garbage collection, affect all of them alike.
 */
export async function timeInTurns<Name extends string>(
  runs: Readonly<Record<Name, Sampled>>,
  rounds: Rounds,
): Promise<Record<Name, Timing>> {
  const entries = Object.entries<Sampled>(runs).map(([name, asking]) => ({
    name,
    asking,
    samples: [] as number[],
  }));
  for (const { asking } of entries) await warmUp(asking, rounds);
  for (let round = 0; round < rounds.rounds; round++) {
    collectGarbage();
    // Each round starts with a different one, so that none is always the first after garbage collection.
    for (let i = 0; i < entries.length; i++) {
      const each = entries[(i + round) % entries.length];
      if (each !== undefined) each.samples.push(...(await sampleRound(each.asking, rounds, round)));
    }
  }
  const timings = entries.map(({ name, samples }) => [name, timingOf(samples)]);
  return Object.fromEntries(timings) as Record<Name, Timing>;
}

/** V8 compiles code once it is called often. */
export async function warmUp(asking: Sampled, { warmUp: milliseconds }: Rounds) {
  await asking.sample(milliseconds, Math.ceil(WARM * asking.left));
}

/** The samples of a round, which leaves the later rounds as many items as it uses. */
export function sampleRound(
  asking: Sampled,
  { rounds, milliseconds }: Rounds,
  round: number,
): Promise<number[]> {
  return asking.sample(milliseconds, Math.floor(asking.left / (rounds - round)));
}

export function timingOf(samples: readonly number[]): Timing {
  const sorted = Float64Array.from(samples).sort();
  const at = (share: number) => {
    const position = share * (sorted.length - 1);
    const below = sorted[Math.floor(position)] ?? NaN;
    const above = sorted[Math.ceil(position)] ?? NaN;
    return below + (above - below) * (position % 1);
  };
  return { p25: at(0.25), median: at(0.5), p75: at(0.75) };
}

/** How long one run took, in nanoseconds. */
export async function clock(run: () => unknown): Promise<number> {
  const start = performance.now();
  await run();
  return (performance.now() - start) * 1e6;
}

/** Like {@link clock}, after garbage collection; for work that can be done only once. */
export async function once(run: () => unknown): Promise<number> {
  collectGarbage();
  // What other threads have not swept by then, the first code that V8 deoptimises sweeps: 50 ms of 400 MB.
  await setTimeout(SWEEPING);
  return clock(run);
}

/** How long V8 sweeps a large heap at most, in milliseconds. */
const SWEEPING = 250;

/** Also ends a running marking phase, which would slow down every allocation. */
export function collectGarbage(): void {
  globalThis.gc?.();
}

/** Bytes of V8's heap with array buffers, after garbage collection. */
export function heapInUse(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Resident bytes, without the pages that V8 keeps after garbage collection: includes native memory. */
export function residentInUse(): number {
  const heap = heapInUse();
  const { heapTotal, external, rss } = process.memoryUsage();
  return rss - heapTotal + heap - external;
}

/**
 * Measures the turns of the event loop.
 *
 * @returns a function that ends this, and resolves to the longest turn in nanoseconds
 */
export function longestTurn(): () => Promise<number> {
  let last = performance.now();
  let longest = 0;
  let isOver = false;
  const over = new Promise<number>((resolve) => {
    const next = () => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      if (isOver) resolve(longest * 1e6);
      else setImmediate(next);
    };
    setImmediate(next);
  });
  return () => {
    isOver = true;
    return over;
  };
}
