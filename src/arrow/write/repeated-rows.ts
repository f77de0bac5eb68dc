// Finds the first row of merged columns with values that an earlier row has, for fields and combinations that are unique.

import { addRow, bitAt, createBitset } from "../../engine/algorithms/bitset.ts";
import type { Steps } from "../../engine/algorithms/steps.ts";
import type { Codes } from "../../engine/indexes/field-index.ts";
import { tuning } from "../../engine/tuning.ts";
import type { TextValue } from "../../schema/field.ts";
import type { UniqueConstraint } from "../../schema/unique.ts";
import type { MergedColumn } from "./merge-columns.ts";
import type { MergedDictionary } from "./merge-dictionaries.ts";

/** What is compared of a field. */
export interface ComparedColumn {
  readonly column: MergedColumn;
  readonly merged: MergedDictionary;
}

/** A row with a value that an earlier one has; of a combination, that of its first field. */
export interface RepeatedRow {
  readonly row: number;
  readonly value: TextValue;
  readonly earlier: number;
}

/** Null equals nothing (V13). */
export function* firstRepeated(
  { places }: UniqueConstraint,
  compared: ReadonlyMap<string, ComparedColumn>,
): Steps<RepeatedRow | undefined> {
  const columns = places.flatMap(({ name }) => compared.get(name) ?? []);
  const [first, ...others] = columns;
  if (first === undefined) return undefined;
  const rows =
    others.length === 0 ? yield* repeatedValue(first) : yield* repeatedCombination(columns);
  return rows && { ...rows, value: first.column.valueOf(rows.row) };
}

type Rows = Omit<RepeatedRow, "value"> | undefined;

function* repeatedValue({ column, merged }: ComparedColumn): Steps<Rows> {
  if (column.rows - (yield* column.nulls(merged)) === merged.values - 1) return undefined;
  const seen = createBitset(merged.values);
  let row = 0;
  for (const codes of column.mapped(merged)) {
    for (let i = 0; i < codes.length; i++, row++) {
      const code = codes[i]!;
      if (code > 0 && bitAt(seen, code) === 1)
        return { row, earlier: firstOf(column, merged, code) };
      if (code > 0) addRow(seen, code);
    }
    yield;
  }
  return undefined;
}

function firstOf(column: MergedColumn, merged: MergedDictionary, wanted: number): number {
  let row = 0;
  for (const codes of column.mapped(merged)) {
    const at = codes.indexOf(wanted);
    if (at >= 0) return row + at;
    row += codes.length;
  }
  return row;
}

/** All rows are read once for each part of them, which are those of one remainder of a hash. */
function* repeatedCombination(columns: readonly ComparedColumn[]): Steps<Rows> {
  const rows = columns[0]?.column.rows ?? 0;
  const { combinedRows } = tuning;
  const seed = tuning.hashSeed();
  const parts = Math.ceil(rows / combinedRows);
  let found: Rows;
  for (let part = 0; part < parts; part++) {
    const seen = new Map<number | string, number>();
    for (const { row, hash, key } of combinationsOf(columns, seed)) {
      if (found !== undefined && row >= found.row) break;
      if (hash % parts !== part) {
        if (row % combinedRows === 0) yield;
        continue;
      }
      const own = key();
      const earlier = seen.get(own);
      if (earlier !== undefined) {
        found = { row, earlier };
        break;
      }
      seen.set(own, row);
    }
    yield;
  }
  return found;
}

interface Combination {
  row: number;
  hash: number;
  /** Equal if all values are. */
  readonly key: () => number | string;
}

/** The rows without null. The result is valid until the next one. */
function* combinationsOf(columns: readonly ComparedColumn[], seed: number): Generator<Combination> {
  const readers = columns.map(({ column, merged }) => new CodeReader(column.mapped(merged)));
  const isSmall = columns.reduce((all, { merged }) => all * merged.values, 1) <= 2 ** 53;
  const sizes = columns.map(({ merged }) => merged.values);
  const own = new Array<number>(columns.length).fill(0);
  const result: Combination = {
    row: 0,
    hash: 0,
    key: () =>
      isSmall ? own.reduce((all, code, i) => all * (sizes[i] ?? 1) + code, 0) : own.join(),
  };
  const rows = columns[0]?.column.rows ?? 0;
  for (let row = 0; row < rows; row++) {
    let hash = seed;
    let hasNull = false;
    for (let i = 0; i < own.length; i++) {
      const code = readers[i]!.next();
      own[i] = code;
      hasNull ||= code === 0;
      hash = Math.imul(hash ^ code, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    if (hasNull) continue;
    result.row = row;
    result.hash = hash >>> 0;
    yield result;
  }
}

/** Codes one by one. */
class CodeReader {
  readonly #pieces: Generator<Codes>;
  #codes: Codes = new Uint8Array();
  #next = 0;

  constructor(pieces: Generator<Codes>) {
    this.#pieces = pieces;
  }

  next(): number {
    while (this.#next >= this.#codes.length) {
      const step = this.#pieces.next();
      if (step.done === true) return 0;
      this.#codes = step.value;
      this.#next = 0;
    }
    return this.#codes[this.#next++]!;
  }
}
