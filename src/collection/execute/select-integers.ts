// A page of rows by an int field that has no index: the integers are read once and selected from. An
// index of them would put all rows in order for the few of the page.

import { finish, inSteps } from "../algorithms/steps.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { WireValue } from "../../schema/field.ts";
import { selectingRange } from "../algorithms/quickselect.ts";
import { parseCanonicalInteger } from "../../schema/integer.ts";

/**
 * The rows that a sort would put on positions `from` up to `to`; ties keep the order in which the rows
 * are given. Expected linear in the rows, and in those before `to` by their logarithm.
 *
 * @param to at most as many as there are rows
 * @throws DeadlineError
 */
export function selectByIntegers(
  rows: Uint32Array,
  read: (row: number) => WireValue,
  descending: boolean,
  from: number,
  to: number,
  deadline: Deadline | undefined,
): Uint32Array {
  if (from >= to) return new Uint32Array();
  const keys = new Float64Array(rows.length);
  const sign = descending ? -1 : 1;
  const readKeys = (low: number, high: number) => {
    for (let i = low; i < high; i++) {
      const value = read(rows[i]!);
      keys[i] = sign * (value === null ? -Infinity : parseCanonicalInteger(value));
    }
  };
  finish(inSteps(rows.length, readKeys), deadline);
  const selected = keys.slice();
  finish(selectingRange(selected, to - 1, to), deadline);
  const last = selected[to - 1]!;
  // Of the rows whose key is the last one's, the first ones fill the page.
  const positions = new Uint32Array(to);
  let length = 0;
  for (let i = 0; i < keys.length; i++) if (keys[i]! < last) positions[length++] = i;
  for (let i = 0; length < to; i++) if (keys[i] === last) positions[length++] = i;
  return positions
    .sort((a, b) => keys[a]! - keys[b]! || a - b)
    .subarray(from)
    .map((position) => rows[position]!);
}
