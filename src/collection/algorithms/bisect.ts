// Binary search in ascending numbers.

/** How many of them are lower than a number: its position, if it is among them. */
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
