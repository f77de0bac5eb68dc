// The lookup tables of indexes that a query needed but had no time to build.

import type { Deadline, PostponedWork } from "../algorithms/deadline.ts";
import type { FieldIndex } from "./field-index.ts";

export class LookupTables {
  readonly #indexes: ReadonlyMap<string, FieldIndex>;
  /** Never urgent: lookups are fast enough without a table to wait for. */
  readonly #postponed: PostponedWork = {
    isUrgent: false,
    build: (deadline) => this.build(deadline),
    hurry: () => undefined,
  };

  /** @param indexes by field */
  constructor(indexes: ReadonlyMap<string, FieldIndex>) {
    this.#indexes = indexes;
  }

  /** How many tables were requested. */
  get due(): number {
    let due = 0;
    for (const index of this.#indexes.values()) due += index.wantsLookup ? 1 : 0;
    return due;
  }

  /** Builds the requested tables. @throws DeadlineError; building continues at the next call */
  build(deadline: Deadline | undefined): void {
    for (const index of this.#indexes.values()) {
      if (index.wantsLookup) index.prepareLookup(deadline);
    }
  }

  /** Builds them once the current query has its result. */
  postpone(deadline: Deadline): void {
    deadline.postpone(this.#postponed);
  }
}
