// Counts rows by the codes of their values, a block at a time: each index of a tree clears the marks of the rows that
// it excludes.

import { bitAt, type Bitset } from "../../algorithms/bitset.ts";
import { inSteps, type Steps } from "../../algorithms/steps.ts";
import { bitsOf, onlyRange } from "../../indexes/code-set.ts";
import type { Codes, FieldIndex } from "../../indexes/field-index.ts";
import type { CodeLeaf, CodeTree } from "./code-tree.ts";

/** How many rows a block has: their marks stay in the first cache of a processor. */
const BLOCK = 1 << 14;

/** The codes of the rows of a block. */
type CodesIn = (index: FieldIndex) => Codes;

/** Clears the marks of the rows of a block that are not in a tree. */
type Marker = (marks: Uint8Array, length: number, codesIn: CodesIn) => void;

/** How many rows are in a tree, dead ones included. @param rows how many there are */
export function* countingAll(tree: CodeTree, rows: number): Steps<number> {
  const marks = new Uint8Array(Math.min(BLOCK, rows));
  const mark = markerOf(tree);
  let count = 0;
  yield* inSteps(
    rows,
    (from, to) => {
      marks.fill(1, 0, to - from);
      mark(marks, to - from, ({ codes }) => codes.subarray(from, to));
      count += sumOf(marks, to - from);
    },
    BLOCK,
  );
  return count;
}

/**
 * How many of some rows are in a tree.
 *
 * @param isCounted whether a row that is in the tree counts. Default: each does
 */
export function* countingSome(
  tree: CodeTree,
  rows: Uint32Array,
  isCounted?: (row: number) => boolean,
): Steps<number> {
  const marks = new Uint8Array(Math.min(BLOCK, rows.length));
  const mark = markerOf(tree);
  let count = 0;
  yield* inSteps(
    rows.length,
    (from, to) => {
      const length = to - from;
      const block = rows.subarray(from, to);
      marks.fill(1, 0, length);
      mark(marks, length, (index) => index.codesAt(block, length));
      if (isCounted !== undefined) {
        for (let i = 0; i < length; i++) if (marks[i] === 1 && !isCounted(block[i]!)) marks[i] = 0;
      }
      count += sumOf(marks, length);
    },
    BLOCK,
  );
  return count;
}

function markerOf(tree: CodeTree): Marker {
  switch (tree.path) {
    case "set":
      return leafMarker(tree);
    case "none":
      return noneMarker(markerOf(tree.part));
    case "all": {
      const markers = tree.parts.map(markerOf);
      return (...block) => {
        for (const mark of markers) mark(...block);
      };
    }
    case "any":
      return anyMarker(tree.parts.map(markerOf));
  }
}

function noneMarker(mark: Marker): Marker {
  let own: Uint8Array = new Uint8Array();
  return (marks, length, codesIn) => {
    own = copied(marks, length, own);
    mark(own, length, codesIn);
    for (let i = 0; i < length; i++) marks[i]! ^= own[i]!;
  };
}

function anyMarker(markers: readonly Marker[]): Marker {
  let own: Uint8Array = new Uint8Array();
  let any: Uint8Array = own;
  return (marks, length, codesIn) => {
    if (any.length < length) any = new Uint8Array(length);
    any.fill(0, 0, length);
    for (const mark of markers) {
      own = copied(marks, length, own);
      mark(own, length, codesIn);
      for (let i = 0; i < length; i++) any[i]! |= own[i]!;
    }
    for (let i = 0; i < length; i++) marks[i] = any[i]!;
  };
}

function copied(marks: Uint8Array, length: number, to: Uint8Array): Uint8Array {
  const copy = to.length < length ? new Uint8Array(length) : to;
  for (let i = 0; i < length; i++) copy[i] = marks[i]!;
  return copy;
}

function leafMarker({ index, set }: CodeLeaf): Marker {
  const range = onlyRange(set);
  if (range !== undefined) {
    const [low, high] = range;
    return (marks, length, codesIn) => markRange(marks, codesIn(index), length, low, high);
  }
  const bits = bitsOf(set, index.values.length);
  return (marks, length, codesIn) => markSet(marks, codesIn(index), length, bits);
}

function markRange(
  marks: Uint8Array,
  codes: Codes,
  length: number,
  low: number,
  high: number,
): void {
  for (let i = 0; i < length; i++) {
    const code = codes[i]!;
    marks[i]! &= code >= low && code < high ? 1 : 0;
  }
}

function markSet(marks: Uint8Array, codes: Codes, length: number, bits: Bitset): void {
  for (let i = 0; i < length; i++) marks[i]! &= bitAt(bits, codes[i]!);
}

function sumOf(marks: Uint8Array, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += marks[i]!;
  return sum;
}
