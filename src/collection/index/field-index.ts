// The index of a field: its distinct values in sort order, each row's position among them (its
// code), and the rows ordered by code and row. One structure answers equality, ranges, prefixes,
// sorting in both directions, paging at any depth, and how many rows a criterion selects.

import type { ParsedCriterion } from "../../criteria/parse.ts";
import type { FieldType, WireValue } from "../../schema/field.ts";
import { parseCanonicalInteger } from "../../schema/integer.ts";
import { compareCodePoints } from "../../schema/order.ts";
import {
  CodeSetBuilder,
  complement,
  forEachRange,
  intersect,
  onlyRange,
  setOfCodes,
  type CodeSet,
} from "./code-set.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { sortIntegers, sortStrings, type Repeated } from "../algorithms/radix-sort.ts";
import { finish, inSteps, STEP_ROWS, type Steps } from "../algorithms/steps.ts";
import { StringTable } from "./string-table.ts";

export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** Up to this many distinct values are found by a Map while the field is read. */
const FEW_VALUES = 50_000;

/** Up to this many values, halving finds one sooner than a table for them is made. */
const FEW_TO_SEARCH = 4096;

/** The distinct values of a field by their codes. An array is that. */
export interface Values {
  readonly length: number;
  at(code: number): WireValue | undefined;
  /** The codes of the values that have a text, ascending, where it finds them sooner than by testing each. */
  readonly codesWith?: (text: string) => number[];
}

/** What an index is made of: arrays in memory, or what reads them when they are asked for. */
export interface IndexParts {
  readonly rows: number;
  readonly values: Values;
  readonly codes: Codes;
  readonly order: Uint32Array;
  readonly starts: Uint32Array;
  /** How many bytes are in memory, strings not counted. */
  readonly bytes: number;
  /** Whether `order` would have to be read first. */
  readonly isInPieces: boolean;
  /** An element of `codes`, and of `starts`. */
  codeAt(row: number): number;
  startOf(code: number): number;
  /** Copies a stretch of `order` to a place in another array. */
  copyRows(from: number, to: number, target: Uint32Array, at: number): void;
}

export class FieldIndex {
  readonly type: FieldType;
  readonly #parts: IndexParts;
  /** What finds a value's code; `null` where there can be none. */
  #table: StringTable | null | undefined;
  #wantsLookup = false;

  constructor(type: FieldType, parts: IndexParts) {
    this.type = type;
    this.#parts = parts;
  }

  /** The distinct values in sort order. The first is always `null`, even if no row has it. */
  get values(): Values {
    return this.#parts.values;
  }

  /** For each row the code of its value. */
  get codes(): Codes {
    return this.#parts.codes;
  }

  /** The rows ordered by code, then by row. */
  get order(): Uint32Array {
    return this.#parts.order;
  }

  /** For each code where its run of rows starts in `order`; one more element ends the last run. */
  get starts(): Uint32Array {
    return this.#parts.starts;
  }

  /** Whether a stretch of `order` is had for less than all of it. */
  get isInPieces(): boolean {
    return this.#parts.isInPieces;
  }

  /** An element of `codes`. Who needs few of them asks for those: the others need not be in memory. */
  codeAt(row: number): number {
    return this.#parts.codeAt(row);
  }

  /** An element of `starts`. */
  startOf(code: number): number {
    return this.#parts.startOf(code);
  }

  /** Copies a stretch of `order` to a place in another array. */
  copyRows(from: number, to: number, target: Uint32Array, at = 0): void {
    this.#parts.copyRows(from, to, target, at);
  }

  /** Indexes a field of `rows` rows, step by step. Expected linear in the characters of its values. */
  static *building(
    type: FieldType,
    rows: number,
    read: (row: number) => WireValue,
  ): Steps<FieldIndex> {
    const column = new Array<WireValue>(rows);
    yield* inSteps(rows, (from, to) => {
      for (let row = from; row < to; row++) column[row] = read(row);
    });
    const few =
      type === "int" ? undefined : yield* distinctIfFew(column, Math.min(FEW_VALUES, rows >>> 2));
    const parts =
      few === undefined ? yield* bySortingRows(type, column) : yield* bySortingValues(few);
    return new FieldIndex(type, new PartsInMemory(parts));
  }

  /** The index of rows whose codes are known, among distinct values in sort order. */
  static ofCodes(type: FieldType, values: readonly WireValue[], codes: Uint32Array): FieldIndex {
    const order = finish(byCode(codes, values.length));
    return new FieldIndex(type, new PartsInMemory({ values, codes, ...order }));
  }

  get rows(): number {
    return this.#parts.rows;
  }

  /** How many bytes it holds, strings not counted: the records have those. */
  get bytes(): number {
    return this.#parts.bytes + (this.#table?.bytes ?? 0);
  }

  /** How many bytes it holds when what finds a value's code has been made. */
  get mostBytes(): number {
    const isTableDue = this.#table === undefined && this.#needsTable;
    return this.bytes + (isTableDue ? StringTable.bytesFor(this.values.length) : 0);
  }

  /** How many rows have one of some codes. */
  count(set: CodeSet): number {
    const range = onlyRange(set);
    if (range !== undefined) return this.startOf(range[1]) - this.startOf(range[0]);
    const { starts } = this;
    let count = 0;
    forEachRange(set, (low, high) => (count += starts[high]! - starts[low]!));
    return count;
  }

  /** Where a row stands in `order`. */
  positionOf(row: number): number {
    const { codes, order, starts } = this;
    const code = codes[row]!;
    let low = starts[code]!;
    let high = starts[code + 1]!;
    // Invariant: rows left of `low` are lower than the row, those from `high` on are not.
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (order[middle]! < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The code of a value, or −1. */
  codeOf(value: WireValue, deadline?: Deadline): number {
    if (value === null) return 0;
    if (this.#table === undefined && this.#needsTable) {
      // Making the table takes long: who has a deadline searches by halves until it is there.
      if (deadline === undefined) this.prepareLookup();
      else this.#wantsLookup = true;
    }
    if (this.#table) return this.#table.find(value);
    const code = this.firstCodeOf(value);
    return code < this.values.length && this.values.at(code) === value ? code : -1;
  }

  /** Whether a table finds values sooner than halving: not those that are read from elsewhere. */
  get #needsTable(): boolean {
    return this.values.length > FEW_TO_SEARCH && isArray(this.values);
  }

  /** Whether a search had no time to make what finds a value's code. */
  get wantsLookup(): boolean {
    return this.#wantsLookup && this.#table === undefined;
  }

  /** Makes ready what finds a value's code; otherwise the first use does. */
  prepareLookup(): void {
    finish(this.preparingLookup());
  }

  /** {@link FieldIndex.prepareLookup}, step by step. */
  *preparingLookup(): Steps<void> {
    const { values } = this.#parts;
    if (this.#table !== undefined || !isArray(values)) return;
    // In the order of the rows the strings stand one after the other in memory.
    const isMany = values.length > this.rows >>> 2;
    this.#table = yield* StringTable.building(values, isMany ? this.codes : undefined);
  }

  /**
   * The codes of the values for which a criterion holds, where the order of the values tells;
   * `undefined` where each value has to be tested.
   */
  codesFor({ bounds }: ParsedCriterion, deadline?: Deadline): CodeSet | undefined {
    const end = this.values.length;
    switch (bounds.kind) {
      case "values": {
        const codes: number[] = [];
        let steps = 0;
        for (const value of bounds.values) {
          const code = this.codeOf(value, deadline);
          if (code >= 0) codes.push(code);
          if (++steps % STEP_ROWS === 0) deadline?.check();
        }
        const set = setOfCodes(codes, end);
        return bounds.inside ? set : complement(set, end);
      }
      case "above":
        return [this.#firstCode((value) => parseCanonicalInteger(value) > bounds.bound), end];
      case "below":
        return [1, this.#firstCode((value) => parseCanonicalInteger(value) >= bounds.bound)];
      case "prefix": {
        if (this.type === "int") return undefined;
        const { text } = bounds;
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

  /**
   * The codes of a set whose values satisfy all of some criteria, by testing each.
   *
   * @throws DeadlineError
   */
  test(
    criteria: readonly ParsedCriterion[],
    among: CodeSet = [0, this.values.length],
    deadline?: Deadline,
  ): CodeSet {
    const { values } = this;
    const text = longestText(criteria);
    if (values.codesWith !== undefined && text !== "") {
      among = intersect(among, setOfCodes(values.codesWith(text), values.length), values.length);
    }
    const all = isArray(values) ? values : undefined;
    const passing = new CodeSetBuilder(values.length);
    const mostTests = Math.max(1, Math.floor(STEP_ROWS / criteria.length));
    let left = mostTests;
    forEachRange(among, (low, high) => {
      for (let code = low; code < high; code++) {
        const value = (all === undefined ? values.at(code) : all[code]) ?? null;
        if (criteria.every(({ test }) => test(value))) passing.add(code);
        if (--left === 0) {
          deadline?.check();
          left = mostTests;
        }
      }
    });
    return passing.finish();
  }

  /** Whether the values that have a text are found sooner than by testing each. */
  get findsTexts(): boolean {
    return this.values.codesWith !== undefined;
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
    const { values } = this;
    let low = from;
    let high = values.length;
    // Invariant: it does not hold left of `low`, and holds from `high` on.
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(values.at(middle) ?? "")) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** The longest text that a value must have for all criteria to hold; none where it need not have one. */
function longestText(criteria: readonly ParsedCriterion[]): string {
  let longest = "";
  for (const { bounds } of criteria) {
    if (bounds.kind === "substring" && bounds.text.length > longest.length) longest = bounds.text;
  }
  return longest;
}

function isArray(values: Values): values is readonly WireValue[] {
  return Array.isArray(values);
}

interface Parts {
  readonly values: readonly WireValue[];
  readonly codes: Uint32Array;
  readonly order: Uint32Array;
  readonly starts: Uint32Array;
}

class PartsInMemory implements IndexParts {
  readonly isInPieces = false;
  readonly values: readonly WireValue[];
  readonly codes: Codes;
  readonly order: Uint32Array;
  readonly starts: Uint32Array;

  constructor({ values, codes, order, starts }: Parts) {
    this.values = values;
    this.codes = narrowed(codes, values.length);
    this.order = order;
    this.starts = starts;
  }

  get rows(): number {
    return this.order.length;
  }

  get bytes(): number {
    const { values, codes, order, starts } = this;
    return 8 * values.length + codes.byteLength + order.byteLength + starts.byteLength;
  }

  codeAt(row: number): number {
    return this.codes[row]!;
  }

  startOf(code: number): number {
    return this.starts[code]!;
  }

  copyRows(from: number, to: number, target: Uint32Array, at: number): void {
    const { order } = this;
    for (let i = from; i < to; i++) target[at++] = order[i]!;
  }
}

/** The index of a field with many values: sorts all rows, then reads off where the value changes. */
function* bySortingRows(type: FieldType, column: readonly WireValue[]): Steps<Parts> {
  const order = new Uint32Array(column.length);
  let nulls = 0;
  for (let row = 0; row < column.length; row++) if (column[row] === null) order[nulls++] = row;
  let length = nulls;
  for (let row = 0; row < column.length; row++) if (column[row] !== null) order[length++] = row;
  yield;
  const repeated = yield* sortRows(type, column, order.subarray(nulls));

  const values: WireValue[] = [null];
  const starts = new Uint32Array(column.length - nulls + 2);
  const codes = new Uint32Array(column.length);
  yield* inSteps(order.length - nulls, (from, to) => {
    for (let i = from; i < to; i++) {
      const row = order[nulls + i]!;
      if (repeated[i] === 0) {
        starts[values.length] = nulls + i;
        values.push(column[row] ?? null);
      }
      codes[row] = values.length - 1;
    }
  });
  starts[values.length] = column.length;
  return { values, order, codes, starts: starts.slice(0, values.length + 1) };
}

/** Sorts rows by their values, none of which is null. */
function* sortRows(
  type: FieldType,
  column: readonly WireValue[],
  rows: Uint32Array,
): Steps<Repeated> {
  if (type === "string") return yield* sortStrings(column, rows);
  const numbers = new Float64Array(column.length);
  yield* inSteps(rows.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const row = rows[i]!;
      numbers[row] = parseCanonicalInteger(column[row]!);
    }
  });
  return yield* sortIntegers(numbers, rows);
}

/** The index of a field with few values: sorts those, then counts the rows of each. */
function* bySortingValues({ values, numbers }: FewValues): Steps<Parts> {
  const sorted = new Uint32Array(values.keys());
  yield* sortStrings(values, sorted);
  // Number 0 is null, and so is code 0.
  const codeOf = new Uint32Array(values.length + 1);
  for (let i = 0; i < sorted.length; i++) codeOf[sorted[i]! + 1] = i + 1;
  const codes = new Uint32Array(numbers.length);
  yield* inSteps(numbers.length, (from, to) => {
    for (let row = from; row < to; row++) codes[row] = codeOf[numbers[row]!]!;
  });
  return {
    values: [null, ...Array.from(sorted, (number) => values[number]!)],
    codes,
    ...(yield* byCode(codes, values.length + 1)),
  };
}

/** The rows by code, and where the run of each code starts. */
export function* byCode(codes: Codes, distinct: number): Steps<Pick<Parts, "order" | "starts">> {
  const starts = new Uint32Array(distinct + 1);
  for (let row = 0; row < codes.length; row++) starts[codes[row]! + 1]!++;
  for (let code = 0; code < distinct; code++) starts[code + 1]! += starts[code]!;
  yield;
  const next = starts.slice();
  const order = new Uint32Array(codes.length);
  yield* inSteps(codes.length, (from, to) => {
    for (let row = from; row < to; row++) order[next[codes[row]!]!++] = row;
  });
  return { order, starts };
}

interface FewValues {
  readonly values: readonly string[];
  /** For each row the number of its value, counted from 1; 0 for null. */
  readonly numbers: Uint32Array;
}

/** The distinct values but null; `undefined` where there are more than `most`. */
function* distinctIfFew(column: readonly WireValue[], most: number): Steps<FewValues | undefined> {
  const values: string[] = [];
  const numbers = new Uint32Array(column.length);
  const numberOf = new Map<string, number>();
  const areFew = (from: number, to: number): boolean => {
    for (let row = from; row < to; row++) {
      const value = column[row] ?? null;
      if (value === null) continue;
      let number = numberOf.get(value);
      if (number === undefined) {
        if (values.length >= most) return false;
        number = values.push(value);
        numberOf.set(value, number);
      }
      numbers[row] = number;
    }
    return true;
  };
  for (let from = 0; from < column.length; from += STEP_ROWS) {
    if (!areFew(from, Math.min(column.length, from + STEP_ROWS))) return undefined;
    yield;
  }
  return { values, numbers };
}

/** The codes in the narrowest array that holds them: a byte a row for most fields. */
function narrowed(codes: Uint32Array, distinct: number): Codes {
  if (distinct <= 1 << 8) return new Uint8Array(codes);
  if (distinct <= 1 << 16) return new Uint16Array(codes);
  return codes;
}
