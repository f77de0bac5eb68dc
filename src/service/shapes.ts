// The shapes of results: what a method makes of the records of a page.

import { forEachSelected, pageOf } from "../collection/execute/page.ts";
import type { ParsedQuery } from "../collection/plan/query.ts";
import type { AnyRecord } from "../schema/schema.ts";
import type { BatchContactCollection } from "./batch.ts";
import { LIST } from "./contact-layout.ts";
import type { Files } from "./state.ts";

/** What a method answers from. */
export interface Source {
  readonly records: Files | BatchContactCollection;
  /** The ids of the Lists that the records are of; of Files there are none. */
  readonly lists: readonly string[];
}

/** Makes a result of the records that a query selects, and counts them. */
export type Shape = (
  source: Source,
  query: ParsedQuery,
) => { readonly result: unknown; readonly rows: number };

/** The records in the order of the page. */
export const recordList: Shape = ({ records }, query) => {
  const result = pageOf(records.state.snapshot, query);
  return { result, rows: result.length };
};

/** The records in the order of the page by the ids of their Lists; every List has its key. */
export const recordsByList: Shape = ({ records, lists }, query) => {
  const groups: Record<string, AnyRecord[]> = {};
  for (const id of lists) groups[id] = [];
  let rows = 0;
  let last: string | null = null;
  let group: AnyRecord[] = [];
  forEachSelected(records.state.snapshot, query, LIST, (record, list) => {
    rows++;
    // Most often that of the record before.
    if (list !== last) {
      last = list;
      group = groups[list ?? ""] ?? [];
    }
    group.push(record);
  });
  return { result: groups, rows };
};
