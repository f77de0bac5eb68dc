// What a service answers from, and what a change makes of it.

import type { Changes } from "../collection/change/version.ts";
import type { Batch } from "./batch.ts";
import type { Files } from "./load.ts";

/** What a service answers from. */
export interface ServiceState {
  readonly files: Files;
  /** By id. */
  readonly batches: ReadonlyMap<string, Batch>;
}

/** What becomes of a state: the Files, and those Batches that were touched; `undefined` is removed. */
export interface NextState {
  readonly files: Files;
  readonly batches: ReadonlyMap<string, Batch | undefined>;
  /** The changes of collections that led to it, as far as they are known. */
  readonly changes: Changes;
}
