// A set of row numbers, one bit each.

/** Bit `row % 32` of word `row / 32` says whether the row is in the set. */
export type Bitset = Uint32Array;

export function createBitset(rows: number): Bitset {
  return new Uint32Array((rows + 31) >>> 5);
}

export function addRows(bits: Bitset, rows: Uint32Array): void {
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    bits[row >>> 5]! |= 1 << (row & 31);
  }
}

/** Removes from a set what is not in another. */
export function intersectInto(bits: Bitset, other: Bitset): void {
  for (let word = 0; word < bits.length; word++) bits[word]! &= other[word]!;
}
