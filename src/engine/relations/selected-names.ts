// What names the records that criteria select, where the criteria may name fields that records do not hold themselves.

import type { Patch } from "../changes/patch.ts";
import { namesOf } from "../changes/patch.ts";
import type { Codec } from "../columns/codec.ts";
import { selectedRows } from "../execution/selected-rows.ts";
import { parseSelection } from "../query.ts";
import type { Snapshot } from "../versions/snapshot.ts";

/** A collection's state. */
interface State {
  readonly codec: Codec;
  readonly options: Parameters<typeof parseSelection>[2];
  readonly snapshot: Snapshot;
}

/**
 * The paths of the records that criteria select, as patches have them (rule U1), in the order of their keys.
 *
 * @throws CriteriaError
 */
export function* selectedNames(
  { snapshot, codec, options }: State,
  criteria: unknown,
): Generator<Patch["path"], void> {
  for (const { segment, row } of selectedRows(
    snapshot,
    parseSelection(codec.schema, criteria, options),
  )) {
    yield namesOf(codec, segment.keyOf(row), segment.rows.record(row), "identity");
  }
}
