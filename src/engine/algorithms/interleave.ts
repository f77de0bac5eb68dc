// Where each row of a merged segment comes from: the rows of two segments in the order of their keys. Rows, keys and
// indexes of the merged segment are all built from it.

/** For each row its number in the first part, or the complement `~n` of its number `n` in the second. */
export type Origins = ArrayLike<number>;

/** Rows in ascending order of keys, some of them dead. The last one is live. */
export interface Part {
  readonly size: number;
  readonly live: number;
  readonly dead: { has(row: number): boolean };
  keyOf(row: number): number;
}

/** The live rows of two parts, in the order of their keys. The parts share no key. */
export function interleave(a: Part, b: Part): Origins {
  const length = a.live + b.live;
  const origins = new Int32Array(length);
  const areAllLive = a.live === a.size && b.live === b.size;
  const isBehind = a.size === 0 || b.size === 0 || a.keyOf(a.size - 1) < b.keyOf(0);
  if (areAllLive && isBehind) {
    for (let row = 0; row < length; row++) origins[row] = row < a.size ? row : ~(row - a.size);
    return origins;
  }
  let i = 0;
  let j = 0;
  for (let row = 0; row < length; row++) {
    while (a.dead.has(i)) i++;
    while (b.dead.has(j)) j++;
    const isOfFirst = j === b.size || (i < a.size && a.keyOf(i) < b.keyOf(j));
    origins[row] = isOfFirst ? i++ : ~j++;
  }
  return origins;
}

/**
 * Whether all rows of both parts are live and those of the second follow those of the first, as inserted rows do.
 * Arrays are then copied as blocks.
 */
export function isAppended(origins: Origins, first: number, second: number): boolean {
  // The rows of each part ascend. If the last row of a part is at its own number, no row of the other part came before
  // it.
  return origins.length === first + second && (first === 0 || origins[first - 1] === first - 1);
}

/** The elements of two parts for each row, in the order of the merged rows. */
export function pick<T>(origins: Origins, a: readonly T[], b: readonly T[]): T[] {
  // Copied even though everything may be overwritten: the arrays then have one elements kind, and V8 compiles their
  // readers once.
  const picked = a.concat(b);
  if (isAppended(origins, a.length, b.length)) return picked;
  picked.length = origins.length;
  for (let row = 0; row < picked.length; row++) {
    const origin = origins[row]!;
    picked[row] = origin >= 0 ? a[origin]! : b[~origin]!;
  }
  return picked;
}
