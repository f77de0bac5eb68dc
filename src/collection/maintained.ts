// Questions to a collection whose answers follow changes.

import { answerBy } from "../engine/algorithms/deadline.ts";
import { pageAtOf } from "../engine/cursor.ts";
import { countRows } from "../engine/execution/count.ts";
import { MaintainedCount } from "../engine/maintenance/maintained-count.ts";
import { MaintainedPage, MaintainedRecords } from "../engine/maintenance/maintained-page.ts";
import { parsePageQuery, parseQuery } from "../engine/query.ts";
import { asking } from "./asking.ts";
import type { CollectionState } from "./types.ts";

/** Like `query`. */
export function maintainedRecords(
  { snapshot, codec: { schema }, options }: CollectionState,
  query: unknown,
): MaintainedRecords {
  const parsed = parseQuery(schema, query, options);
  return answerBy(parsed.deadline, () => new MaintainedRecords(snapshot, parsed));
}

/** Like `page`. @returns `undefined` if the page is one before a cursor, or the last one */
export function maintainedPage(
  { snapshot, codec: { schema }, options }: CollectionState,
  query: unknown,
): MaintainedPage | undefined {
  const [parsed, request] = parsePageQuery(schema, query, options);
  const at = pageAtOf(schema, parsed, request);
  if (at.isBackwards) return undefined;
  return answerBy(parsed.deadline, () => new MaintainedPage(snapshot, parsed, at));
}

/** Like `count`. */
export const maintainedCount = (state: CollectionState, criteria: unknown): MaintainedCount =>
  asking(
    state,
    criteria,
    (asked) => new MaintainedCount(countRows(state.snapshot.segments, asked)),
  );
