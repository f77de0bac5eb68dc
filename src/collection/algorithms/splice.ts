// Few things put among few others: arrays are copied as a whole and changed in single places, which
// takes no loop over what stays. The first updates of a process run code that is not compiled yet;
// there a loop over 64 rows took longer than all else that an update does.

import { bisect } from "./bisect.ts";

/** What of one array goes, and where what of another comes. */
export interface Splice {
  /** The places of what goes, ascending. */
  readonly removed: Uint32Array;
  /** Where each of the others comes, ascending: before what has this place once the others are removed. */
  readonly at: readonly number[];
}

/** An array with what goes taken out and others put in. */
export function spliced<T>(
  { removed, at }: Splice,
  items: readonly T[],
  others: readonly T[],
): readonly T[] {
  // Most often it is one: then there is one copy, made at its length. From the end on, so that the places
  // before are not moved yet.
  for (let i = removed.length - 1; i >= 0; i--) items = items.toSpliced(removed[i]!, 1);
  for (let i = at.length - 1; i >= 0; i--) items = items.toSpliced(at[i]!, 0, others[i]!);
  return items;
}

/** Where what stands at some places of an array will stand then, without what goes. */
export function moved({ removed, at }: Splice, places: ArrayLike<number>): number[] {
  const left: number[] = [];
  for (let i = 0; i < places.length; i++) {
    const place = places[i]!;
    const before = bisect(removed, place);
    if (removed[before] !== place) left.push(place - before + bisect(at, place - before + 1));
  }
  return left;
}

/** The splice that keeps ascending keys ascending. */
export function spliceByKeys(
  keys: readonly number[],
  removed: Uint32Array,
  others: readonly number[],
): Splice {
  const left = spliced({ removed, at: [] }, keys, []);
  return { removed, at: others.map((key) => bisect(left, key)) };
}
