// The index of a field: its distinct values in sort order, each row's position among them (its
// code), and the rows ordered by code and row. One structure answers equality, ranges, prefixes,
// sorting in both directions, paging at any depth, and how many rows a criterion selects.

import type { ParsedCriterion } from "../criteria/parse.ts";
import type { FieldType, WireValue } from "../schema/field.ts";
import { parseCanonicalInteger } from "../schema/integer.ts";
import { compareCodePoints } from "../schema/order.ts";
import { sortIntegers, sortStrings, type Repeated } from "./radix.ts";
import { ValueTable } from "./value-table.ts";

/** A set of codes: pairs [low, high), ascending and disjoint, one after the other. */
export type CodeRanges = readonly number[];

export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** Up to this many distinct values are found by a Map while the field is read. */
const FEW_VALUES = 50_000;

/** Up to this many values, halving finds one sooner than a table for them is made. */
const FEW_TO_SEARCH = 4096;

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
  /** What finds a value's code; `null` where there can be none. */
  #table: ValueTable | null | undefined;

  private constructor(type: FieldType, { values, codes, order, starts }: Parts) {
    this.type = type;
    this.values = values;
    this.order = order;
    this.starts = starts;
    this.codes = narrowed(codes, values.length);
  }

  /** Indexes a field of `rows` rows. Expected linear in the characters of its values. */
  static of(type: FieldType, rows: number, read: (row: number) => WireValue): FieldIndex {
    const column = new Array<WireValue>(rows);
    for (let row = 0; row < rows; row++) column[row] = read(row);
    const few =
      type === "int" ? undefined : distinctIfFew(column, Math.min(FEW_VALUES, rows >>> 2));
    const parts = few === undefined ? bySortingRows(type, column) : bySortingValues(few);
    return new FieldIndex(type, parts);
  }

  /** The index of rows whose codes are known, among distinct values in sort order. */
  static ofCodes(type: FieldType, values: readonly WireValue[], codes: Uint32Array): FieldIndex {
    return new FieldIndex(type, { values, codes, ...byCode(codes, values.length) });
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

  /** Where a row stands in `order`. */
  positionOf(row: number): number {
    const code = this.codes[row]!;
    let low = this.starts[code]!;
    let high = this.starts[code + 1]!;
    // Invariant: rows left of `low` are lower than the row, those from `high` on are not.
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.order[middle]! < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The code of a value, or −1. */
  codeOf(value: WireValue): number {
    if (value === null) return 0;
    if (this.#table === undefined && this.values.length > FEW_TO_SEARCH) this.prepareLookup();
    if (this.#table) return this.#table.find(value);
    const code = this.firstCodeOf(value);
    return this.values[code] === value ? code : -1;
  }

  /** Makes ready what finds a value's code; otherwise the first use does. */
  prepareLookup(): void {
    // In the order of the rows the strings stand one after the other in memory.
    const isMany = this.values.length > this.rows >>> 2;
    if (this.#table === undefined) {
      this.#table = ValueTable.of(this.values, isMany ? this.codes : undefined);
    }
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
        return [this.#firstCode((value) => parseCanonicalInteger(value) > reach.bound), end];
      case "below":
        return [1, this.#firstCode((value) => parseCanonicalInteger(value) >= reach.bound)];
      case "prefix": {
        if (this.type === "int") return undefined;
        const { text } = reach;
        const low = this.firstCodeOf(text);
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

  /** The first code from `from` on whose value is not lower. */
  firstCodeOf(value: string, from = 1): number {
    if (this.type === "string") {
      return this.#firstCode((other) => compareCodePoints(other, value) >= 0, from);
    }
    const number = parseCanonicalInteger(value);
    return this.#firstCode((other) => parseCanonicalInteger(other) >= number, from);
  }

  /** The first code, 0 left out, from which on the condition holds; it must hold for all after it. */
  #firstCode(holds: (value: string) => boolean, from = 1): number {
    let low = from;
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

type Parts = Pick<FieldIndex, "values" | "order" | "starts"> & { readonly codes: Uint32Array };

/** The index of a field with many values: sorts all rows, then reads off where the value changes. */
function bySortingRows(type: FieldType, column: readonly WireValue[]): Parts {
  const order = new Uint32Array(column.length);
  let nulls = 0;
  for (let row = 0; row < column.length; row++) if (column[row] === null) order[nulls++] = row;
  let length = nulls;
  for (let row = 0; row < column.length; row++) if (column[row] !== null) order[length++] = row;
  const repeated = sortRows(type, column, order.subarray(nulls));

  const values: WireValue[] = [null];
  const starts = new Uint32Array(column.length - nulls + 2);
  const codes = new Uint32Array(column.length);
  for (let i = nulls; i < order.length; i++) {
    const row = order[i]!;
    if (repeated[i - nulls] === 0) {
      starts[values.length] = i;
      values.push(column[row] ?? null);
    }
    codes[row] = values.length - 1;
  }
  starts[values.length] = column.length;
  return { values, order, codes, starts: starts.slice(0, values.length + 1) };
}

/** Sorts rows by their values, none of which is null. */
function sortRows(type: FieldType, column: readonly WireValue[], rows: Uint32Array): Repeated {
  if (type === "string") return sortStrings(column, rows);
  const numbers = new Float64Array(column.length);
  for (const row of rows) numbers[row] = parseCanonicalInteger(column[row]!);
  return sortIntegers(numbers, rows);
}

/** The index of a field with few values: sorts those, then counts the rows of each. */
function bySortingValues({ values, numbers }: FewValues): Parts {
  const sorted = new Uint32Array(values.keys());
  sortStrings(values, sorted);
  // Number 0 is null, and so is code 0.
  const codeOf = new Uint32Array(values.length + 1);
  for (let i = 0; i < sorted.length; i++) codeOf[sorted[i]! + 1] = i + 1;
  const codes = numbers.map((number) => codeOf[number]!);
  return {
    values: [null, ...Array.from(sorted, (number) => values[number]!)],
    codes,
    ...byCode(codes, values.length + 1),
  };
}

/** The rows by code, and where the run of each code starts. */
function byCode(codes: Uint32Array, distinct: number): Pick<Parts, "order" | "starts"> {
  const starts = new Uint32Array(distinct + 1);
  for (let row = 0; row < codes.length; row++) starts[codes[row]! + 1]!++;
  for (let code = 0; code < distinct; code++) starts[code + 1]! += starts[code]!;
  const next = starts.slice();
  const order = new Uint32Array(codes.length);
  for (let row = 0; row < codes.length; row++) order[next[codes[row]!]!++] = row;
  return { order, starts };
}

interface FewValues {
  readonly values: readonly string[];
  /** For each row the number of its value, counted from 1; 0 for null. */
  readonly numbers: Uint32Array;
}

/** The distinct values but null; `undefined` where there are more than `most`. */
function distinctIfFew(column: readonly WireValue[], most: number): FewValues | undefined {
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

/** The codes in the narrowest array that holds them: a byte a row for most fields. */
function narrowed(codes: Uint32Array, distinct: number): Codes {
  if (distinct <= 1 << 8) return new Uint8Array(codes);
  if (distinct <= 1 << 16) return new Uint16Array(codes);
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
