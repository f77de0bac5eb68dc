// Rows that are grouped at once: so few that what is read of them stays in the fastest memory. V8 looks at the type and
// the memory of each array in every turn of a loop: so loops here use arrays of one type each, and those that most rows
// pass do four rows in a turn, which takes half the time.

import type { Codes } from "../../indexes/field-index.ts";

/** How many rows a block has at most. */
export const BLOCK_ROWS = 1024;

/** Rows at positions of an array; `undefined` stands for an array of all rows in their order. */
export type Rows = ArrayLike<number> | undefined;

/** Some rows: those in `rows` from position `from` up to `to`, or, of these, those at some positions after `from`. */
export interface Block {
  readonly rows: Rows;
  readonly from: number;
  readonly to: number;
  /** Ascending. Default: all are in the block. */
  readonly kept?: Int32Array | undefined;
  /** How many rows are in the block. */
  readonly length: number;
}

export const blockOf = (rows: Rows, from: number, to: number): Block => ({
  rows,
  from,
  to,
  length: to - from,
});

/** A row of a block. */
export function rowIn({ rows, from, kept }: Block, i: number): number {
  const at = from + (kept === undefined ? i : kept[i]!);
  return rows === undefined ? at : rows[at]!;
}

/** Reads the code of each row of a block. */
export function readCodes(
  codes: Codes,
  { rows, from, to, kept, length }: Block,
  into: Int32Array,
): void {
  if (rows !== undefined) for (let i = 0; i < length; i++) into[i] = codes[rows[from + i]!]!;
  else {
    // Copying all makes them integers of one type.
    into.set(codes.subarray(from, to));
    if (kept !== undefined) pick(into, kept, length, into);
  }
}

/** Reads the number of each row of a block. */
export function readNumbers(
  numbers: Float64Array,
  { rows, from, to, kept, length }: Block,
  into: Float64Array,
): void {
  if (rows !== undefined) for (let i = 0; i < length; i++) into[i] = numbers[rows[from + i]!]!;
  else {
    const all = numbers.subarray(from, to);
    if (kept === undefined) into.set(all);
    else pickNumbers(all, kept, length, into);
  }
}

/** Copies what is at some positions. @param into may be where it is */
function pick(all: Int32Array, positions: Int32Array, length: number, into: Int32Array): void {
  let i = 0;
  for (; i + 3 < length; i += 4) {
    into[i] = all[positions[i]!]!;
    into[i + 1] = all[positions[i + 1]!]!;
    into[i + 2] = all[positions[i + 2]!]!;
    into[i + 3] = all[positions[i + 3]!]!;
  }
  for (; i < length; i++) into[i] = all[positions[i]!]!;
}

function pickNumbers(
  all: Float64Array,
  positions: Int32Array,
  length: number,
  into: Float64Array,
): void {
  let i = 0;
  for (; i + 3 < length; i += 4) {
    into[i] = all[positions[i]!]!;
    into[i + 1] = all[positions[i + 1]!]!;
    into[i + 2] = all[positions[i + 2]!]!;
    into[i + 3] = all[positions[i + 3]!]!;
  }
  for (; i < length; i++) into[i] = all[positions[i]!]!;
}

/** The positions in a block of which all rows are kept. */
export const EVERY_POSITION = Int32Array.from({ length: BLOCK_ROWS }, (_, i) => i);

/**
 * Keeps the positions at which a code is in a range.
 *
 * @param codes by position
 * @param into may be the positions
 * @returns how many there are
 */
export function keepRange(
  codes: Int32Array,
  [low, high]: readonly [low: number, high: number],
  positions: Int32Array,
  length: number,
  into: Int32Array,
): number {
  const last = high - 1;
  let kept = 0;
  let i = 0;
  for (; i + 3 < length; i += 4) {
    // Destructuring an array would take longer than the rest.
    const a = positions[i]!;
    const b = positions[i + 1]!;
    const c = positions[i + 2]!;
    const d = positions[i + 3]!;
    into[kept] = a;
    kept += isWithin(codes[a]!, low, last);
    into[kept] = b;
    kept += isWithin(codes[b]!, low, last);
    into[kept] = c;
    kept += isWithin(codes[c]!, low, last);
    into[kept] = d;
    kept += isWithin(codes[d]!, low, last);
  }
  for (; i < length; i++) {
    const position = positions[i]!;
    into[kept] = position;
    kept += isWithin(codes[position]!, low, last);
  }
  return kept;
}

/** 1 or 0, without a branch, which would often be predicted wrongly: the sign is that of a code outside. */
const isWithin = (code: number, low: number, last: number): number =>
  1 + (((code - low) | (last - code)) >> 31);

/** The same for a set of codes, one bit each. */
export function keepBits(
  codes: Int32Array,
  bits: Uint32Array,
  positions: Int32Array,
  length: number,
  into: Int32Array,
): number {
  let kept = 0;
  for (let i = 0; i < length; i++) {
    const position = positions[i]!;
    const code = codes[position]!;
    into[kept] = position;
    kept += (bits[code >>> 5]! >>> (code & 31)) & 1;
  }
  return kept;
}

/**
 * Leaves out nulls.
 *
 * @param numbers −Infinity stands for null
 * @returns how many numbers there are
 */
export function withoutNulls(
  groups: Int32Array,
  numbers: Float64Array,
  length: number,
  intoGroups: Int32Array,
  intoNumbers: Float64Array,
): number {
  let kept = 0;
  for (let i = 0; i < length; i++) {
    const number = numbers[i]!;
    intoGroups[kept] = groups[i]!;
    intoNumbers[kept] = number;
    kept += number === -Infinity ? 0 : 1;
  }
  return kept;
}

/** Adds something to the count of each group. */
export function countEach(
  counts: Float64Array,
  groups: Int32Array,
  length: number,
  times: number,
): void {
  let i = 0;
  // Four in each turn take two thirds of the time.
  for (; i + 3 < length; i += 4) {
    counts[groups[i]!]! += times;
    counts[groups[i + 1]!]! += times;
    counts[groups[i + 2]!]! += times;
    counts[groups[i + 3]!]! += times;
  }
  for (; i < length; i++) counts[groups[i]!]! += times;
}
