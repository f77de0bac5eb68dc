// How a change affected records, recorded once for every consumer.

import type { Rows } from "./rows.ts";

/** A version of a record: a row that later changes may move elsewhere. */
export interface Version {
  readonly rows: Rows;
  readonly row: number;
}

/** The change to the record with a key: inserted if there is no `before`, removed if there is no `after`. */
export interface RecordChange {
  readonly key: number;
  readonly before: Version | undefined;
  readonly after: Version | undefined;
}

/** The records that changed, each once, in the order of their keys. */
export type Delta = readonly RecordChange[];
