// The index of a field: its distinct values in sort order, each row's position among them (its
// code), and the rows ordered by code and row. One structure answers equality, ranges, prefixes,
// sorting in both directions, paging at any depth, and how many rows a criterion selects.

import type { ParsedCriterion } from "../criteria/parse.ts";
import type { FieldType, WireValue } from "../schema/field.ts";
import { compareCodePoints } from "../schema/order.ts";
import { sortIntegers, sortStrings } from "./radix.ts";
import { ValueTable } from "./value-table.ts";

/** A set of codes: pairs [low, high), ascending and disjoint, one after the other. */
export type CodeRanges = readonly number[];

type Codes = Uint8Array | Uint16Array | Uint32Array;

/** Up to this many distinct values are found by a Map while the field is read. */
const FEW_VALUES = 50_000;

export class FieldIndex {
  readonly type: FieldType;
  /** The distinct values in sort order. The first is always `null`, even if no row has it. */
  readonly values: readonly WireValue[];
  /** For each row the code of its value. */
  readonly codes: Codes;
  /** The rows ordered by code, then by row. */
  readonly order: Uint32Array;
  /** For each code where its run of rows starts in `order`; one more element ends the last run. */
  readonly starts: Uint32Array;
  #table: ValueTable | undefined;

  /** Indexes a field of `rows` rows. Expected linear in the characters of its values. */
  constructor(type: FieldType, rows: number, read: (row: number) => WireValue) {
    this.type = type;
    const column = new Array<WireValue>(rows);
    for (let row = 0; row < rows; row++) column[row] = read(row);
    const few = distinctIfFew(column, Math.min(FEW_VALUES, rows >>> 2));
    if (few === undefined) {
      const nulls = rowsOf(column, (value) => value === null);
      const rest = rowsOf(column, (value) => value !== null);
      const sorted = sortValues(
        type,
        Array.from(rest, (row) => column[row] ?? ""),
      );
      this.order = new Uint32Array(rows);
      this.order.set(nulls);
      for (let i = 0; i < sorted.length; i++) this.order[nulls.length + i] = rest[sorted[i]!]!;
      const values: WireValue[] = [null];
      const starts: number[] = [0];
      const codes = new Uint32Array(rows);
      for (let i = nulls.length; i < rows; i++) {
        const row = this.order[i]!;
        const value = column[row]!;
        if (value !== values[values.length - 1]) {
          values.push(value);
          starts.push(i);
        }
        codes[row] = values.length - 1;
      }
      starts.push(rows);
      this.values = values;
      this.starts = Uint32Array.from(starts);
      this.codes = narrowed(codes, values.length);
    } else {
      const { values, numbers } = few;
      const sorted = sortValues(type, values);
      this.values = [null, ...Array.from(sorted, (number) => values[number]!)];
      // Number 0 is null, and so is code 0.
      const codeOf = new Uint32Array(values.length + 1);
      for (let i = 0; i < sorted.length; i++) codeOf[sorted[i]! + 1] = i + 1;
      const codes = numbers.map((number) => codeOf[number]!);
      this.codes = narrowed(codes, this.values.length);
      this.starts = new Uint32Array(this.values.length + 1);
      for (const code of codes) this.starts[code + 1]!++;
      for (let code = 0; code < this.values.length; code++) {
        this.starts[code + 1]! += this.starts[code]!;
      }
      const next = this.starts.slice();
      this.order = new Uint32Array(rows);
      for (let row = 0; row < rows; row++) this.order[next[codes[row]!]!++] = row;
    }
  }

  get rows(): number {
    return this.order.length;
  }

  /** How many bytes it holds, strings not counted: the records have those. */
  get bytes(): number {
    return (
      8 * this.values.length +
      this.codes.byteLength +
      this.order.byteLength +
      this.starts.byteLength +
      (this.#table?.bytes ?? 0)
    );
  }

  /** How many rows have codes in these ranges. */
  count(ranges: CodeRanges): number {
    let count = 0;
    for (let i = 0; i < ranges.length; i += 2) {
      count += this.starts[ranges[i + 1]!]! - this.starts[ranges[i]!]!;
    }
    return count;
  }

  /** The code of a value, or −1. */
  codeOf(value: WireValue): number {
    if (value === null) return 0;
    this.#table ??= new ValueTable(this.values);
    return this.#table.find(value);
  }

  /**
   * The codes of the values for which a criterion holds, where the order of the values tells;
   * `undefined` where each value has to be tested.
   */
  reach({ reach }: ParsedCriterion): CodeRanges | undefined {
    const end = this.values.length;
    switch (reach.kind) {
      case "values": {
        const codes: number[] = [];
        for (const value of reach.values) {
          const code = this.codeOf(value);
          if (code >= 0) codes.push(code);
        }
        if (codes.length > 1) codes.sort((a, b) => a - b);
        return reach.inside ? rangesOf(codes) : complement(rangesOf(codes), end);
      }
      case "above":
        return [this.#firstCode((value) => Number(value) > reach.bound), end];
      case "below":
        return [1, this.#firstCode((value) => Number(value) >= reach.bound)];
      case "prefix": {
        if (this.type === "int") return undefined;
        const { text } = reach;
        const low = this.#firstCode((value) => compareCodePoints(value, text) >= 0);
        return [
          low,
          this.#firstCode(
            (value) => compareCodePoints(value, text) >= 0 && !value.startsWith(text),
          ),
        ];
      }
      case "substring":
        return undefined;
    }
  }

  /** The codes of the values for which a criterion holds, by testing each. */
  test({ test }: ParsedCriterion): CodeRanges {
    const codes: number[] = [];
    for (let code = 0; code < this.values.length; code++) {
      if (test(this.values[code] ?? null)) codes.push(code);
    }
    return rangesOf(codes);
  }

  /** The first code but 0 from which on the condition holds; it must hold for all codes after it. */
  #firstCode(holds: (value: string) => boolean): number {
    let low = 1;
    let high = this.values.length;
    // Invariant: it does not hold left of `low`, and holds from `high` on.
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(this.values[middle] ?? "")) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function sortValues(type: FieldType, values: readonly string[]): Uint32Array {
  return type === "int" ? sortIntegers(Float64Array.from(values, Number)) : sortStrings(values);
}

/**
 * The distinct values but null, and for each row the number of its value, counted from 1, 0 for
 * null; `undefined` where there are more than `most`.
 */
function distinctIfFew(
  column: readonly WireValue[],
  most: number,
): { values: string[]; numbers: Uint32Array } | undefined {
  const values: string[] = [];
  const numbers = new Uint32Array(column.length);
  const numberOf = new Map<string, number>();
  for (let row = 0; row < column.length; row++) {
    const value = column[row] ?? null;
    if (value === null) continue;
    let number = numberOf.get(value);
    if (number === undefined) {
      if (values.length >= most) return undefined;
      number = values.push(value);
      numberOf.set(value, number);
    }
    numbers[row] = number;
  }
  return { values, numbers };
}

function rowsOf(column: readonly WireValue[], belongs: (value: WireValue) => boolean): Uint32Array {
  const rows = new Uint32Array(column.length);
  let length = 0;
  for (let row = 0; row < column.length; row++)
    if (belongs(column[row] ?? null)) rows[length++] = row;
  return rows.subarray(0, length);
}

/** The codes in the narrowest array that holds them: a byte a row for most fields. */
function narrowed(codes: Uint32Array, distinct: number): Codes {
  if (distinct <= 1 << 8) return Uint8Array.from(codes);
  if (distinct <= 1 << 16) return Uint16Array.from(codes);
  return codes;
}

/** Ascending codes, possibly repeated, as ranges. */
function rangesOf(codes: readonly number[]): CodeRanges {
  const ranges: number[] = [];
  for (const code of codes) {
    if (ranges.length > 0 && code <= ranges[ranges.length - 1]!) {
      ranges[ranges.length - 1] = code + 1;
    } else {
      ranges.push(code, code + 1);
    }
  }
  return ranges;
}

function complement(ranges: CodeRanges, end: number): CodeRanges {
  const others: number[] = [];
  let from = 0;
  for (let i = 0; i < ranges.length; i += 2) {
    if (from < ranges[i]!) others.push(from, ranges[i]!);
    from = ranges[i + 1]!;
  }
  if (from < end) others.push(from, end);
  return others;
}
