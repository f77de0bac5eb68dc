// Answers that follow changes: each is asked once, and from then on changed by what changes.

import type { RecordChange } from "../columns/record-change.ts";

/** An answer that follows changes. */
export interface Maintained {
  /** Whether it can: otherwise it answers once. */
  readonly follows: boolean;
  /**
   * Follows a change of a record that the criteria select before or after it.
   *
   * @param change without the version that they do not select
   * @returns whether the answer may differ; `undefined` if it is unknown now, so that the question must be asked again
   */
  change(change: RecordChange): boolean | undefined;
  /** The current answer. Cost: linear in its length. */
  answer(): unknown;
}
