// What became of records, as a change says it once to everybody.

import type { Rows } from "./rows.ts";

/** A version of a record: a row, wherever later changes may move it. */
export interface Version {
  readonly rows: Rows;
  readonly row: number;
}

/** What became of the record with a key: without `before` it was inserted, without `after` removed. */
export interface RecordChange {
  readonly key: number;
  readonly before: Version | undefined;
  readonly after: Version | undefined;
}

/** The records that changed, each once, in the order of their keys. */
export type Delta = readonly RecordChange[];
