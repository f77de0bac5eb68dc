// A set of row numbers, or of codes, one bit each. Sets are read and written through these functions even in hot loops:
// V8 inlines them.

/** Bit `row % 32` of word `row / 32` says whether the row is in the set. */
export type Bitset = Uint32Array;

export function createBitset(rows: number): Bitset {
  return new Uint32Array((rows + 31) >>> 5);
}

/** 1 if the row is in the set, else 0. */
export function bitAt(bits: Bitset, row: number): number {
  return (bits[row >>> 5]! >>> (row & 31)) & 1;
}

export function addRow(bits: Bitset, row: number): void {
  bits[row >>> 5]! |= 1 << (row & 31);
}

/** Adds the rows of a list from position `from` up to `to`. */
export function addRows(bits: Bitset, rows: ArrayLike<number>, from = 0, to = rows.length): void {
  for (let i = from; i < to; i++) addRow(bits, rows[i]!);
}

/** Adds the rows from one up to another whose codes are in a set. */
export function addRowsByCode(
  bits: Bitset,
  codes: ArrayLike<number>,
  selected: Bitset,
  from = 0,
  to = codes.length,
): void {
  for (let row = from; row < to; row++) {
    bits[row >>> 5]! |= bitAt(selected, codes[row]!) << (row & 31);
  }
}

/** Adds the numbers from `low` up to `high`. */
export function addRange(bits: Bitset, low: number, high: number): void {
  for (let row = low; row < high; row++) {
    if ((row & 31) === 0 && row + 32 <= high) {
      bits[row >>> 5] = 0xffffffff;
      row += 31;
    } else addRow(bits, row);
  }
}

/** Removes from a set everything that is not in another. */
export function intersectInto(bits: Bitset, other: Bitset): void {
  for (let word = 0; word < bits.length; word++) bits[word]! &= other[word]!;
}

/** Adds to a set everything that is in another. */
export function uniteInto(bits: Bitset, other: Bitset): void {
  for (let word = 0; word < bits.length; word++) bits[word]! |= other[word]!;
}

/** Removes from a set everything that is in another. */
export function removeFrom(bits: Bitset, other: Bitset): void {
  for (let word = 0; word < bits.length; word++) bits[word]! &= ~other[word]!;
}

/** The row of the lowest bit in `rest`, the non-zero remainder of the word numbered `word`. */
export function lowestRow(word: number, rest: number): number {
  return (word << 5) + highestBit(rest & -rest);
}

/** The position of the highest bit of a non-zero number: its logarithm to the base 2, rounded down. */
export function highestBit(bits: number): number {
  return 31 - Math.clz32(bits);
}

/** How many bits of a word are set. Source: H. S. Warren, Hacker's Delight, 5-1. */
export function ones(word: number): number {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Visits the numbers that are in one set but not in another of the same size, ascending. */
export function forEachDifference(
  bits: Bitset,
  other: Bitset | undefined,
  visit: (row: number) => void,
): void {
  for (let word = 0; word < bits.length; word++) {
    let rest = bits[word]! & ~(other?.[word] ?? 0);
    for (; rest !== 0; rest &= rest - 1) visit(lowestRow(word, rest));
  }
}

/** Visits the ranges of numbers in a set, ascending; each goes from `low` up to `high`. */
export function forEachRun(bits: Bitset, visit: (low: number, high: number) => void): void {
  let low = -1;
  for (let word = 0; word < bits.length; word++) {
    const each = bits[word]!;
    // Most words continue as the previous one ended.
    if (each === (low < 0 ? 0 : 0xffffffff)) continue;
    for (let bit = 0; bit < 32; bit++) {
      const isIn = ((each >>> bit) & 1) === 1;
      if (isIn === low >= 0) continue;
      const number = (word << 5) + bit;
      if (!isIn) visit(low, number);
      low = isIn ? number : -1;
    }
  }
  if (low >= 0) visit(low, bits.length << 5);
}
