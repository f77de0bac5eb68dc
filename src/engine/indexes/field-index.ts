// The index of a field: its distinct values in sort order, each row's position among them (its code), and the rows
// ordered by code and row. This one structure supports equality, ranges, prefixes, sorting in both directions, paging
// at any depth, and counting the rows of a criterion. Its arrays are in memory (memory-index.ts), or in a file
// (arrow/read/file-index.ts).

import { positiveOf, type Bounds, type Limit } from "../../criteria/bounds.ts";
import type { ParsedCriterion } from "../../criteria/tree.ts";
import { isNumeric, type FieldType, type TextValue } from "../../schema/field.ts";
import { parseNumber } from "../../schema/numbers.ts";
import { compareCodePoints, isComparedByUnit } from "../../schema/order.ts";
import {
  CodeSetBuilder,
  complement,
  forEachRange,
  intersect,
  onlyRange,
  setOfCodes,
  type CodeSet,
} from "./code-set.ts";
import { bisectTexts } from "../algorithms/bisect.ts";
import { buildFor, type Deadline } from "../algorithms/deadline.ts";
import { hasEffects } from "../algorithms/effects.ts";
import { Resumable } from "../algorithms/resumable.ts";
import { STEP_ROWS, type Steps } from "../algorithms/steps.ts";
import { ElementTable } from "./element-table.ts";
import { Derived } from "./derived.ts";
import type { Structure } from "./index-budget.ts";
import type { SearchBounds, Values } from "./values.ts";
import { StringTable } from "./string-table.ts";
import { tuning } from "../tuning.ts";

export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** The arrays of an index that another index, or a file, takes over. */
export interface CopiedArrays {
  /** For each row the position of its value. */
  readonly codes: Codes;
  /** The rows in code order, read when called. */
  readonly ordered?: (() => Order) | undefined;
}

/** The rows in code order, and the start of each code's rows. */
export interface Order {
  readonly order: Uint32Array;
  readonly starts: Uint32Array;
}

export abstract class FieldIndex implements Structure {
  readonly type: FieldType;
  lastUsed = 0;
  readonly derived = new Derived();
  /** Whether a query or a change has used it. */
  isUsed = false;
  /** Finds the code of a value; `null` if it can't be built. */
  #table: StringTable | null | undefined;
  /** Finds the codes of the arrays that contain an element, in a strings field. */
  #elements: ElementTable | undefined;
  readonly #preparing = new Resumable<void>();
  #wantsLookup = false;
  #isLookupPutOff = false;

  protected constructor(type: FieldType) {
    this.type = type;
  }

  /** The distinct values in sort order. The first is always `null`, even if no row has it. */
  abstract readonly values: Values;
  abstract readonly rows: number;
  /** For each row the code of its value. */
  abstract readonly codes: Codes;
  /** The rows ordered by code, then by row. */
  abstract readonly order: Uint32Array;
  /** For each code the start of its run of rows in `order`; one more element ends the last run. */
  abstract readonly starts: Uint32Array;
  /** Whether reading a range of `order` costs less than reading all of it. */
  abstract readonly isInPieces: boolean;
  /** Whether reading a few codes costs less than reading all of them. */
  abstract readonly areCodesInPieces: boolean;
  /** Whether reading its arrays reads a file. */
  abstract readonly isInFile: boolean;
  /** Whether `order` is there: it may have to be read, but not to be made from the codes. */
  abstract readonly hasOrder: boolean;
  /** Whether the order is kept for as long as the rows. */
  abstract readonly keepsOrder: boolean;
  /** The size of its arrays in memory in bytes, without strings. */
  protected abstract readonly arrayBytes: number;

  /** An element of `codes`. Use this for a few elements: it does not load the others into memory. */
  abstract codeAt(row: number): number;

  /** The codes of the first `length` rows of a batch, without loading the others into memory. */
  codesAt(batch: Uint32Array, length: number): Uint32Array {
    const { codes } = this;
    const some = new Uint32Array(length);
    for (let i = 0; i < length; i++) some[i] = codes[batch[i]!]!;
    return some;
  }

  /** An element of `starts`. */
  abstract startOf(code: number): number;

  /** The elements of `starts` of some codes, and the one after them. */
  startsOf(low: number, high: number): Uint32Array {
    return this.starts.subarray(low, high + 1);
  }

  /** An element of `order`. */
  abstract rowAt(position: number): number;

  /** The rows of a range of codes, in any order. */
  rowsOf(low: number, high: number): Uint32Array {
    const [from, to] = [this.startOf(low), this.startOf(high)];
    if (!this.isInPieces) return this.order.subarray(from, to);
    const rows = new Uint32Array(to - from);
    this.copyRows(from, to, rows);
    return rows;
  }

  /** Copies a range of `order` to a position in another array. */
  abstract copyRows(from: number, to: number, target: Uint32Array, at?: number): void;

  /**
   * The arrays, for passing the index on: the codes, and the order if it is kept. They are neither checked nor held in
   * memory.
   */
  abstract copy(): CopiedArrays;

  /** Its size in bytes, without strings, which the records hold. */
  get bytes(): number {
    const ofTables = (this.#table?.bytes ?? 0) + (this.#elements?.bytes ?? 0);
    return this.arrayBytes + ofTables + this.derived.bytes;
  }

  /** Its size in bytes once the lookup table is built. */
  get mostBytes(): number {
    if (this.type === "strings") {
      const isDue = this.#elements === undefined;
      return this.bytes + (isDue ? ElementTable.bytesFor(this.values.length) : 0);
    }
    const isTableDue = this.#table === undefined && this.#needsTable;
    return this.bytes + (isTableDue ? StringTable.bytesFor(this.values.length) : 0);
  }

  /** How many rows have a code in the set. */
  count(set: CodeSet): number {
    const range = onlyRange(set);
    if (range !== undefined) return this.startOf(range[1]) - this.startOf(range[0]);
    const { starts } = this;
    let count = 0;
    forEachRange(set, (low, high) => (count += starts[high]! - starts[low]!));
    return count;
  }

  /** The position of a row in `order`. */
  positionOf(row: number): number {
    if (this.isInPieces) return this.#positionInPieces(row);
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

  /** Like `positionOf`, for an order that is not in memory. */
  #positionInPieces(row: number): number {
    const code = this.codeAt(row);
    let low = this.startOf(code);
    let high = this.startOf(code + 1);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.rowAt(middle) < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The code of a value, or −1. */
  codeOf(value: TextValue, deadline?: Deadline): number {
    if (value === null) return 0;
    if (this.#table === undefined && this.#needsTable && hasEffects()) {
      // Building the table takes long: binary search is used until it exists.
      this.#requestLookup(deadline);
    }
    if (this.#table) return this.#table.find(value);
    const found = this.values.search?.(value, 1);
    if (found !== undefined) return Math.max(found, -1);
    const code = this.firstCodeOf(value);
    return code < this.values.length && this.values.at(code) === value ? code : -1;
  }

  /**
   * The table of elements, in a strings field; `undefined` if it has yet to be built, which takes longer than a query
   * may be held up.
   */
  elements(deadline?: Deadline): ElementTable | undefined {
    if (this.#elements === undefined && hasEffects()) this.#requestLookup(deadline);
    return this.#elements;
  }

  /** Has the lookup table built: by this query, or by others if it has a deadline or none is to build it. */
  #requestLookup(deadline: Deadline | undefined): void {
    if (deadline !== undefined || this.#isLookupPutOff) this.#wantsLookup = true;
    else buildFor(tuning.longestBuilding, (until) => this.prepareLookup(until));
  }

  /** Whether a table is faster than binary search. Not for values that are not held in memory. */
  get #needsTable(): boolean {
    const { type, values } = this;
    return values.length > tuning.fewToSearch && isArray(values) && type !== "strings";
  }

  /** Leaves building the lookup table to others, so that no search builds it. */
  putOffLookup(): void {
    this.#isLookupPutOff = true;
  }

  /** Whether a search needed the lookup table but had no time to build it. */
  get wantsLookup(): boolean {
    return this.#wantsLookup && this.#table === undefined && this.#elements === undefined;
  }

  /**
   * Builds the lookup table, which would otherwise be built on first use.
   *
   * @throws DeadlineError; the next call continues
   */
  prepareLookup(deadline?: Deadline): void {
    this.#preparing.finish(() => this.preparingLookup(), deadline);
  }

  /** {@link FieldIndex.prepareLookup}, step by step. */
  *preparingLookup(): Steps<void> {
    const { values } = this;
    if (this.type === "strings") {
      this.#elements ??= yield* ElementTable.building(values);
      return;
    }
    if (this.#table !== undefined || !isArray(values)) return;
    // In row order, the strings are adjacent in memory.
    const isMany = values.length > this.rows >>> 2;
    this.#table = yield* StringTable.building(values, isMany ? this.codes : undefined);
  }

  /**
   * The codes of the values that satisfy a criterion, if they follow from the order of the values; `undefined` if each
   * value has to be tested.
   */
  codesFor({ bounds }: Pick<ParsedCriterion, "bounds">, deadline?: Deadline): CodeSet | undefined {
    const end = this.values.length;
    switch (bounds.kind) {
      case "complement": {
        const others = this.codesFor({ bounds: bounds.of }, deadline);
        return others && complement(others, end);
      }
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
      case "interval":
        return this.#codesWithin(bounds.limits);
      case "elements": {
        const table = this.elements(deadline);
        return bounds.areAll
          ? table?.codesWithAll(bounds.elements)
          : table?.codesWith(bounds.elements);
      }
      case "prefix": {
        if (isNumeric(this.type)) return undefined;
        const { text } = bounds;
        const low = this.firstCodeOf(text);
        return [
          low,
          this.#firstCode((code) => {
            const value = this.#textAt(code);
            return compareCodePoints(value, text) >= 0 && !value.startsWith(text);
          }),
        ];
      }
      case "suffix":
      case "substring":
        // Every string contains the empty string.
        return bounds.text === "" ? [1, end] : undefined;
    }
  }

  /**
   * The codes of a set whose values satisfy all given criteria, found by testing each value.
   *
   * @throws DeadlineError
   */
  test(
    criteria: readonly ParsedCriterion[],
    among: CodeSet = [0, this.values.length],
    deadline?: Deadline,
  ): CodeSet {
    const { values } = this;
    if (values.codesWith !== undefined) {
      const searches = criteria.map(({ bounds }) => bounds).filter(isSearch);
      // The longest string usually occurs in the fewest values.
      searches.sort((a, b) => b.text.length - a.text.length);
      for (const bounds of searches) {
        among = values.codesWith(bounds, among);
        deadline?.check();
      }
      for (const { bounds } of criteria) {
        if (bounds.kind !== "complement" || !isSearch(bounds.of)) continue;
        const found = values.codesWith(bounds.of, among);
        among = intersect(among, complement(found, values.length), values.length);
        deadline?.check();
      }
      criteria = criteria.filter(({ bounds }) => !isSearch(positiveOf(bounds)));
      if (criteria.length === 0) return among;
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

  /** Whether values that contain a string are found faster than by testing each. */
  get findsTexts(): boolean {
    return this.values.codesWith !== undefined;
  }

  /** The first code from `from` on whose value is not lower. */
  firstCodeOf(value: string, from = 1): number {
    const found = this.values.search?.(value, from);
    if (found !== undefined) return found < 0 ? ~found : found;
    if (!isNumeric(this.type)) {
      const { values } = this;
      if (isArray(values) && isComparedByUnit(value)) return bisectTexts(values, value, from);
      return this.#firstCode((code) => compareCodePoints(this.#textAt(code), value) >= 0, from);
    }
    const number = parseNumber(value);
    return this.#firstCode((code) => this.numberAt(code) >= number, from);
  }

  /** The codes of the values that satisfy all comparisons. */
  #codesWithin(limits: readonly Limit[]): CodeSet {
    let low = 1;
    let high = this.values.length;
    for (const { comparison, bound } of limits) {
      switch (comparison) {
        case ">":
          low = Math.max(low, this.#firstAbove(bound));
          break;
        case ">=":
          low = Math.max(low, this.#firstFrom(bound));
          break;
        case "<":
          high = Math.min(high, this.#firstFrom(bound));
          break;
        case "<=":
          high = Math.min(high, this.#firstAbove(bound));
          break;
      }
    }
    return [low, Math.max(low, high)];
  }

  /** The first code whose value is not lower than a bound. */
  #firstFrom(bound: number | string): number {
    return typeof bound === "number"
      ? this.#firstCode((code) => this.numberAt(code) >= bound)
      : this.firstCodeOf(bound);
  }

  /** The first code whose value is higher than a bound. */
  #firstAbove(bound: number | string): number {
    if (typeof bound === "number") return this.#firstCode((code) => this.numberAt(code) > bound);
    const code = this.firstCodeOf(bound);
    return code < this.values.length && this.values.at(code) === bound ? code + 1 : code;
  }

  /** The number of a code other than 0, in a field of numbers. */
  numberAt(code: number): number {
    const { values } = this;
    return values.numberAt === undefined ? parseNumber(this.#textAt(code)) : values.numberAt(code);
  }

  #textAt(code: number): string {
    return this.values.at(code) ?? "";
  }

  /** The first code, other than 0, for which the condition holds; it must hold for all codes after it. */
  #firstCode(holds: (code: number) => boolean, from = 1): number {
    let low = from;
    let high = this.values.length;
    // Invariant: it does not hold left of `low`, and holds from `high` on.
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** The number of a row in a field of numbers; −Infinity for null. */
export function numberIn(index: FieldIndex, row: number): number {
  const code = index.codeAt(row);
  return code === 0 ? -Infinity : index.numberAt(code);
}

/** The number of a value; −Infinity for null, which is lower than every number. */
export function numberOf(value: TextValue): number {
  return value === null ? -Infinity : parseNumber(value);
}

function isSearch(bounds: Bounds): bounds is SearchBounds {
  return bounds.kind === "suffix" || bounds.kind === "substring";
}

function isArray(values: Values): values is readonly TextValue[] {
  return Array.isArray(values);
}
