// A set of row numbers, or of codes, one bit each.

/** Bit `row % 32` of word `row / 32` says whether the row is in the set. */
export type Bitset = Uint32Array;

export function createBitset(rows: number): Bitset {
  return new Uint32Array((rows + 31) >>> 5);
}

/** Adds the rows of a list from position `from` up to `to`. */
export function addRows(bits: Bitset, rows: Uint32Array, from = 0, to = rows.length): void {
  for (let i = from; i < to; i++) {
    const row = rows[i]!;
    bits[row >>> 5]! |= 1 << (row & 31);
  }
}

/** Adds the numbers from `low` up to `high`. */
export function addRange(bits: Bitset, low: number, high: number): void {
  for (let row = low; row < high; row++) {
    if ((row & 31) === 0 && row + 32 <= high) {
      bits[row >>> 5] = 0xffffffff;
      row += 31;
    } else bits[row >>> 5]! |= 1 << (row & 31);
  }
}

/** Removes from a set what is not in another. */
export function intersectInto(bits: Bitset, other: Bitset): void {
  for (let word = 0; word < bits.length; word++) bits[word]! &= other[word]!;
}
