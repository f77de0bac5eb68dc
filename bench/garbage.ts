// How long V8 has collected garbage, as reported to the process itself.

import { PerformanceObserver } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";

/** A stretch of time, in the milliseconds of `performance.now()`. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Records each pause of garbage collection from its construction on. */
export class GarbagePauses {
  readonly #stretches: Stretch[] = [];
  readonly #observer = new PerformanceObserver((list) => {
    this.#note(list.getEntries());
  });

  constructor() {
    this.#observer.observe({ entryTypes: ["gc"] });
  }

  /** Ends it. Returns everything recorded. */
  async finish(): Promise<readonly Stretch[]> {
    // Node reports a collection some turns of the event loop after it.
    for (let i = 0; i < 3; i++) await setImmediate();
    this.#note(this.#observer.takeRecords());
    this.#observer.disconnect();
    return this.#stretches;
  }

  #note(entries: readonly { readonly startTime: number; readonly duration: number }[]): void {
    for (const { startTime, duration } of entries) {
      this.#stretches.push({ start: startTime, end: startTime + duration });
    }
  }
}

/** How much of a stretch is covered by others that do not overlap, in milliseconds. */
export function coveredBy(whole: Stretch, others: readonly Stretch[]): number {
  const covered = ({ start, end }: Stretch) =>
    Math.max(0, Math.min(end, whole.end) - Math.max(start, whole.start));
  return others.reduce((sum, other) => sum + covered(other), 0);
}
