// The first groups when ordered by a number, such as a count or a sum.

import type { Deadline } from "./deadline.ts";
import { selectingRange } from "./quickselect.ts";
import { finish, STEP_ROWS } from "./steps.ts";

/**
 * The items with the largest or smallest numbers, in that order. Items with equal numbers keep their order. Expected
 * cost: linear in the items, plus sorting the returned ones.
 *
 * @throws DeadlineError
 */
export function leading<Item>(
  items: ArrayLike<Item>,
  numberOf: (item: Item, position: number) => number,
  { limit, ascending }: { readonly limit: number; readonly ascending: boolean },
  deadline: Deadline | undefined,
): Item[] {
  const { length } = items;
  const keys = new Float64Array(length);
  for (let i = 0; i < length; i++) {
    const number = numberOf(items[i]!, i);
    keys[i] = ascending ? number : -number;
    if (i % STEP_ROWS === 0) deadline?.check();
  }
  const most = Math.min(limit, length);
  if (most === 0) return [];
  const selected = keys.slice();
  finish(selectingRange(selected, most - 1, most), deadline);
  const last = selected[most - 1]!;
  const positions: number[] = [];
  const ties: number[] = [];
  for (let i = 0; i < length; i++) {
    if (keys[i]! < last) positions.push(i);
    else if (keys[i] === last && ties.length < most) ties.push(i);
  }
  let steps = 0;
  positions.sort((a, b) => {
    if (++steps % STEP_ROWS === 0) deadline?.check();
    return keys[a]! - keys[b]! || a - b;
  });
  return [...positions, ...ties.slice(0, most - positions.length)].map((i) => items[i]!);
}
