// Timing: mitata takes the samples (it batches calls too short for the clock and keeps results
// alive), this file decides for how long and reads the quantiles.

import { measure } from "mitata";

/** Times in nanoseconds. */
export interface Timing {
  readonly p25: number;
  readonly median: number;
  readonly p75: number;
}

export interface Rounds {
  readonly rounds: number;
  /** About how long each is run in a round. */
  readonly milliseconds: number;
}

/**
 * Times several things in rounds in which they take turns, so that a slow minute of the machine falls
 * on all of them, and what the garbage of all costs as well.
 */
export async function timeInTurns<Name>(
  runs: ReadonlyMap<Name, () => unknown>,
  { rounds, milliseconds }: Rounds = { rounds: 3, milliseconds: 150 },
  tell: (name: Name, round: number) => void = () => undefined,
): Promise<Map<Name, Timing>> {
  const entries = Array.from(runs, ([name, run]) => ({ name, run, samples: [] as number[] }));
  // mitata decides by its first calls whether to batch, so those must not be the very first.
  for (const { run } of entries) await warmUp(run);
  for (let round = 0; round < rounds; round++) {
    // Also ends a marking under way, which would make every allocation dear.
    collectGarbage();
    // Each round begins with another one: none is always the first after the garbage.
    for (let i = 0; i < entries.length; i++) {
      const each = entries[(i + round) % entries.length];
      if (each === undefined) continue;
      tell(each.name, round);
      for (const time of await sample(each.run, milliseconds)) each.samples.push(time);
    }
  }
  return new Map(entries.map(({ name, samples }) => [name, timingOf(samples)]));
}

async function warmUp(run: () => unknown): Promise<void> {
  const end = performance.now() + 20;
  do await run();
  while (performance.now() < end);
}

/** Samples in nanoseconds, of calls in about so much time, after a warm-up. */
async function sample(run: () => unknown, milliseconds: number): Promise<number[]> {
  const { samples } = await measure(run, {
    // The caller collects garbage where all pay alike.
    gc: false,
    min_cpu_time: milliseconds * 1e6,
    min_samples: 1,
    // mitata's own 4,096 calls a batch would make a call of 60 µs last a quarter of a second.
    batch_samples: 256,
  });
  return samples;
}

function timingOf(samples: readonly number[]): Timing {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number) => {
    const position = share * (sorted.length - 1);
    const below = sorted[Math.floor(position)] ?? NaN;
    const above = sorted[Math.ceil(position)] ?? NaN;
    return below + (above - below) * (position % 1);
  };
  return { p25: at(0.25), median: at(0.5), p75: at(0.75) };
}

/** How long one run took, in nanoseconds; for work that can be done only once. */
export async function once(run: () => unknown): Promise<number> {
  collectGarbage();
  const start = performance.now();
  await run();
  return (performance.now() - start) * 1e6;
}

export function collectGarbage(): void {
  globalThis.gc?.();
}

/** A function that hands out the items in turn, for ever. */
export function turns<T>(items: readonly T[]): () => T {
  let next = 0;
  return () => {
    const item = items[next] as T;
    next = next + 1 === items.length ? 0 : next + 1;
    return item;
  };
}
