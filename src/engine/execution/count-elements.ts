// Converts counts and totals of arrays of strings to those of their elements.

import { parseStrings } from "../../schema/strings.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { STEP_ROWS } from "../algorithms/steps.ts";
import { textFormOfValue } from "../operators/groups/read-groups.ts";
import type { Tally } from "../operators/groups/tally.ts";
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
  const tally = ofArrays.empty();
  const grouping = new ValueGroups(tally);
  const { index } = arrays;
  const { counts } = ofArrays;
  const table = index?.elements(deadline);
  const known = table === undefined ? 0 : (index?.values.length ?? 0);
  let steps = 0;
  table?.forEach((element, codes) => {
    let rows = 0;
    for (let i = 0; i < codes.length; i++) rows += counts[codes[i]!]!;
    steps += codes.length;
    if (steps > STEP_ROWS) {
      deadline?.check();
      steps = 0;
    }
    if (rows === 0) return;
    const group = grouping.groupOf(element);
    if (tally.measured.length === 0) tally.add(group, rows);
    else for (const code of codes) tally.addGroup(group, ofArrays, code);
  });
  // Group 0 of an index is null, which has no elements.
  const others = arrays.present().filter((group) => group === 0 || group >= known);
  for (const group of others) {
    if (++steps % STEP_ROWS === 0) deadline?.check();
    const array = textFormOfValue(arrays.valueAt(group));
    const elements = array === null ? [null] : new Set(parseStrings(array));
    for (const element of elements) tally.addGroup(grouping.groupOf(element), ofArrays, group);
  }
  return [tally, grouping];
}
