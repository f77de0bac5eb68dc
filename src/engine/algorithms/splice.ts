// Inserts and removes a few elements: the platform copies the array each time, which takes a quarter of the time of a
// loop over 64 elements.

import { bisect } from "./bisect.ts";

/** Elements to remove from an array, and positions at which to insert others. */
export interface Splice {
  /** The positions of the removed elements, ascending. */
  readonly removed: ArrayLike<number>;
  /** The position of each inserted element, ascending: that of the element it is inserted before, after the removal. */
  readonly at: readonly number[];
}

/** An array with elements removed and others inserted. */
export function spliced<T>(
  { removed, at }: Splice,
  items: readonly T[],
  others: readonly T[],
): readonly T[] {
  // Usually there is only one: a single copy of the final length then does it. Works backwards, so that earlier
  // positions stay valid.
  for (let i = removed.length - 1; i >= 0; i--) items = items.toSpliced(removed[i]!, 1);
  for (let i = at.length - 1; i >= 0; i--) items = items.toSpliced(at[i]!, 0, others[i]!);
  return items;
}

/** The splice that keeps ascending keys ascending. */
export function spliceByKeys(
  keys: readonly number[],
  removed: ArrayLike<number>,
  others: readonly number[],
): Splice {
  const left = spliced({ removed, at: [] }, keys, []);
  return { removed, at: others.map((key) => bisect(left, key)) };
}
