// Counts the rows with each code of a key's index by its runs, without reading a row. Dead rows are subtracted by their
// codes.

import { bisect } from "../../algorithms/bisect.ts";
import { countCodes, forEachRange, hasCode } from "../../indexes/code-set.ts";
import type { FieldIndex } from "../../indexes/field-index.ts";
import { DeadRows } from "../../versions/dead-rows.ts";
import type { Segment } from "../../versions/segment.ts";
import { costs } from "../costs.ts";
import type { SelectedCodes } from "../operator.ts";
import { groupsWith, type GroupOperator, type GroupPlan, type SegmentKey } from "./group-plan.ts";

/** About what counting a run takes, in nanoseconds. */
const RUN = 2;

export function groupsOfRuns(
  { dead }: Segment,
  key: SegmentKey,
  codes: SelectedCodes,
  most = Infinity,
): GroupPlan {
  const runs = Math.min(most, countCodes(codes.set));
  // Each code has a group.
  const room = codes.index.values.length;
  const cost = room + runs * RUN + dead.count * costs.codeTest;
  return groupsWith({ path: "runs", key, codes, most }, cost);
}

export const runsOperator: GroupOperator<"runs"> = {
  words: "count the runs of the index",
  add({ codes: { index, set }, most }, { segment, tally, groupings }, times) {
    const { bounds, groupOf } = groupings[0]!.bucketsOf(index);
    const { starts } = index;
    const counts = new Int32Array((bounds ?? starts).length - 1);
    const gone = deadRowsOf(segment);
    for (const code of codesOfSome(index, gone)) {
      if (hasCode(set, code)) counts[bucketOf(code, bounds)]!--;
    }
    let remaining = most;
    let latest = -1;
    forEachRange(set, (low, high) => {
      for (let from = low, bucket = bucketOf(low, bounds); from < high; bucket++) {
        if (bucket !== latest && latest >= 0 && counts[latest]! > 0) remaining--;
        // Later buckets have no rows, or fewer than none: they are not added.
        if (remaining <= 0) return;
        latest = bucket;
        const to = bounds === undefined ? from + 1 : Math.min(high, bounds[bucket + 1]!);
        counts[bucket]! += starts[to]! - starts[from]!;
        from = to;
      }
    });
    for (let bucket = 0; bucket < counts.length; bucket++) {
      const rows = counts[bucket]!;
      if (rows > 0) tally.add(groupOf === undefined ? bucket : groupOf(bucket), times * rows);
    }
  },
};

const NO_ROWS = new Uint32Array();

/** The dead rows of a segment, ascending. */
export const deadRowsOf = ({ dead }: Segment): Uint32Array =>
  dead.count === 0 ? NO_ROWS : dead.difference(DeadRows.EMPTY);

/** The codes of some rows. Without rows, none are loaded. */
export const codesOfSome = (index: FieldIndex, rows: Uint32Array): Uint32Array =>
  rows.length === 0 ? NO_ROWS : index.codesAt(rows, rows.length);

/** The bucket that contains a code: the last that begins there or before, since buckets may be empty. */
const bucketOf = (code: number, bounds: Uint32Array | undefined): number =>
  bounds === undefined ? code : bisect(bounds, code + 1) - 1;
