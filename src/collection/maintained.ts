// Questions to a collection whose answers follow changes.

import { answerBy } from "../engine/algorithms/deadline.ts";
import { positionOf } from "../engine/cursor.ts";
import { countRows } from "../engine/execution/count.ts";
import { MaintainedCount } from "../engine/maintenance/maintained-count.ts";
import { MaintainedPage, MaintainedRecords } from "../engine/maintenance/maintained-page.ts";
import { deadlineOf, parsePageQuery, parseQuery, parseSelection } from "../engine/query.ts";
import type { CollectionState } from "./types.ts";

/** Like `query`. @returns `undefined` if the offset is beyond the end */
export function maintainedRecords(
  { snapshot, codec: { schema }, options }: CollectionState,
  query: unknown,
): MaintainedRecords | undefined {
  const parsed = parseQuery(schema, query, options);
  return answerBy(parsed.deadline, () => MaintainedRecords.of(snapshot, parsed));
}

/** Like `page`. */
export function maintainedPage(
  { snapshot, codec: { schema }, options }: CollectionState,
  query: unknown,
): MaintainedPage {
  const [parsed, after] = parsePageQuery(schema, query, options);
  const position = after === undefined ? undefined : positionOf(schema, parsed, after);
  return answerBy(parsed.deadline, () => new MaintainedPage(snapshot, parsed, position));
}

/** Like `count`. */
export function maintainedCount(
  { snapshot, codec: { schema }, options }: CollectionState,
  criteria: unknown,
): MaintainedCount {
  const deadline = deadlineOf(options);
  const parsed = { ...parseSelection(schema, criteria, options), deadline };
  return answerBy(deadline, () => new MaintainedCount(countRows(snapshot.segments, parsed)));
}
