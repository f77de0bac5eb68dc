// The tables by which indexes look values up: those that a query wanted and had no time to build.

import type { Deadline, PostponedWork } from "../algorithms/deadline.ts";
import type { FieldIndex } from "./field-index.ts";
import { ResumableWork } from "./resumable-work.ts";

export class LookupTables {
  readonly #indexes: ReadonlyMap<string, FieldIndex>;
  readonly #work = new ResumableWork<void>();
  /** Look-ups are fast without a table: they never wait for one. */
  readonly #postponed: PostponedWork = {
    isUrgent: false,
    build: (deadline) => this.build(deadline),
    hurry: () => undefined,
  };

  /** @param indexes by field */
  constructor(indexes: ReadonlyMap<string, FieldIndex>) {
    this.#indexes = indexes;
  }

  /** How many were asked for. */
  get due(): number {
    let due = 0;
    for (const index of this.#indexes.values()) due += index.wantsLookup ? 1 : 0;
    return due;
  }

  /** Builds those that were asked for. @throws DeadlineError; building continues at the next call */
  build(deadline: Deadline | undefined): void {
    for (const [field, index] of this.#indexes) {
      if (index.wantsLookup) this.#work.finish(field, () => index.preparingLookup(), deadline);
    }
  }

  /** Has them built while nobody waits for an answer. */
  postpone(deadline: Deadline): void {
    deadline.postpone(this.#postponed);
  }
}
