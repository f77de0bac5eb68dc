// Binary search in ascending numbers and strings.

/** How many elements are lower than a number: its position, if it is among them. */
export function bisect(ascending: ArrayLike<number>, number: number): number {
  let low = 0;
  let high = ascending.length;
  // Invariant: those left of `low` are lower, those from `high` on are not.
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first of `length` positions that is not before what is looked for; those before it come first. */
export function bisectBy(length: number, isBefore: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The first position, from `from` on, of a string that is not lower than another one, by code unit. Strings are
 * compared by the engine: the first lookups after a change run uncompiled code, in which a call per character is slow.
 *
 * @param items ascending; null stands before `from` only
 */
export function bisectTexts(items: readonly (string | null)[], text: string, from: number): number {
  let low = from;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (items[middle]! < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
