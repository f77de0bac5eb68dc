// Timing: mitata takes the samples (it batches calls too short for the clock and keeps results alive);
// this file decides for how long and computes the quantiles.

import { setTimeout } from "node:timers/promises";
import type { Timing } from "./results.ts";

export interface Rounds {
  readonly rounds: number;
  /** About how long each is run in a round. */
  readonly milliseconds: number;
  /** For how long before the first round. */
  readonly warmUp: number;
}

/**
 * Times several things in one process in rounds, in turns, so that a slow minute of the machine, and all
 * garbage, affect each of them alike.
 */
export async function timeInTurns<Name extends string>(
  runs: Readonly<Record<Name, () => unknown>>,
  { rounds, milliseconds, warmUp }: Rounds,
): Promise<Record<Name, Timing>> {
  const entries = Object.entries<() => unknown>(runs).map(([name, run]) => ({
    name,
    run,
    samples: [] as number[][],
  }));
  for (const { run } of entries) await sample(run, warmUp);
  for (let round = 0; round < rounds; round++) {
    collectGarbage();
    // Each round begins with another one: none is always the first after garbage collection.
    for (let i = 0; i < entries.length; i++) {
      const each = entries[(i + round) % entries.length];
      if (each !== undefined) each.samples.push(await sample(each.run, milliseconds));
    }
  }
  const timings = entries.map(({ name, samples }) => [name, timingOf(samples.flat())]);
  return Object.fromEntries(timings) as Record<Name, Timing>;
}

/** A call this long is timed once a round. */
const LONG = 500;

/** Samples in nanoseconds, of calls for about this time, after a warm-up. */
export async function sample(run: () => unknown, milliseconds: number): Promise<number[]> {
  // mitata decides by its first calls whether to batch, so those must not be the very first.
  const end = performance.now() + 20;
  do {
    const start = performance.now();
    await run();
    const time = performance.now() - start;
    if (time > LONG) return [time * 1e6];
  } while (performance.now() < end);
  // Imported here: the report does not need mitata, and a fresh process should not hold it.
  const { measure } = await import("mitata");
  const { samples } = await measure(run, {
    // The caller collects garbage when all pay alike.
    gc: false,
    min_cpu_time: milliseconds * 1e6,
    min_samples: 1,
    // mitata's own 4,096 calls a batch would make a call of 60 µs last a quarter of a second.
    batch_samples: 256,
  });
  return samples;
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

/** A function that returns the items in turn, forever. */
export function turns<T>(items: readonly T[]): () => T {
  let next = 0;
  return () => {
    const item = items[next] as T;
    next = next + 1 === items.length ? 0 : next + 1;
    return item;
  };
}

/** Calls a function with the items in turn, forever. */
export function inTurns<T>(run: (item: T) => unknown, items: readonly T[]): () => unknown {
  const next = turns(items);
  return () => run(next());
}
