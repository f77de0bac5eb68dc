// How far a load is over all of its steps, so that the page can estimate the remaining time.

import type { Progress } from "../messages.ts";

/** Receives the progress. */
export type Tell = (progress: Progress) => void;

type Step = "check" | "infer" | "read" | "sort" | "index" | "count";

/** What the steps of a load take in their order, in comparison with each other. */
export type Steps = Readonly<Partial<Record<Step, number>>>;

/** Those of text are rounded from a measurement with 1,000,000 records, the others estimated by them. */
export const STEPS = {
  /** A table that is read twice. */
  text: { infer: 3, read: 5, sort: 2, count: 1 },
  /** Records whose types are known. */
  typed: { read: 8, sort: 3, index: 3, count: 1 },
  /** A Batch in JSON. */
  batch: { check: 4, read: 8, sort: 3, index: 3, count: 1 },
} as const satisfies Record<string, Steps>;

export class Account {
  readonly #tell: Tell;
  #steps: Steps = {};
  #share = 0;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  /** Says what is to be done. */
  expect(steps: Steps): void {
    this.#steps = steps;
  }

  /** Tells how far a step is. Those before it are done; a step that is repeated takes nothing back. */
  at(step: Step, progress: Omit<Progress, "share">): void {
    const { done, total } = progress;
    let before = 0;
    let all = 0;
    for (const [name, weight] of Object.entries(this.#steps)) {
      if (name === step) before = all + (total === undefined ? 0 : weight * (done / total));
      all += weight;
    }
    if (all > 0) this.#share = Math.max(this.#share, before / all);
    this.#tell({ ...progress, share: this.#share });
  }
}
