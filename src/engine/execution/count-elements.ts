// Converts counts and totals of arrays of strings to those of their elements.

import { parseStrings } from "../../schema/strings.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { STEP_ROWS } from "../algorithms/steps.ts";
import { Tally, textFormOfValue } from "./tally.ts";
import { ValueGroups } from "./value-groups.ts";

/**
 * For each element of the arrays that rows were grouped by, the rows that contain it, once each, and their numbers.
 * Rows with null stay a group.
 *
 * @throws DeadlineError
 */
export function byElement(
  ofArrays: Tally,
  arrays: ValueGroups,
  deadline?: Deadline,
): [tally: Tally, grouping: ValueGroups] {
  const tally = new Tally(ofArrays.totaling !== undefined);
  const grouping = new ValueGroups(tally);
  let steps = 0;
  for (const group of arrays.present()) {
    if (++steps % STEP_ROWS === 0) deadline?.check();
    const array = textFormOfValue(arrays.valueAt(group));
    const elements = array === null ? [null] : new Set(parseStrings(array));
    for (const element of elements) tally.addGroup(grouping.groupOf(element), ofArrays, group);
  }
  return [tally, grouping];
}
