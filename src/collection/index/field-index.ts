// The index of a field: its distinct values in sort order, each row's position among them (its code), and
// the rows ordered by code and row. One structure answers equality, ranges, prefixes, sorting in both
// directions, paging at any depth, and how many rows a criterion selects.

import type { Bounds } from "../../criteria/operators.ts";
import type { ParsedCriterion } from "../../criteria/parse.ts";
import { isNumeric, type FieldType, type WireValue } from "../../schema/field.ts";
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
import type { Deadline } from "../algorithms/deadline.ts";
import { finish, STEP_ROWS, type Steps } from "../algorithms/steps.ts";
import type { Structure } from "./index-budget.ts";
import { buildingParts, partsOfCodes, type Codes, type IndexParts } from "./index-parts.ts";
import { impliesText, type SearchBounds, type Values } from "./values.ts";
import { NumberValues } from "./number-values.ts";
import { StringTable } from "./string-table.ts";
import { tuning } from "../tuning.ts";

export class FieldIndex implements Structure {
  readonly type: FieldType;
  lastUsed = 0;
  readonly #parts: IndexParts;
  /** Finds the code of a value; `null` if it can't be built. */
  #table: StringTable | null | undefined;
  /**
   * The codes found by the last search for a text, which a count, its page and its charts have in common, at
   * most a bit for each value; and how many rows have them, once that was asked.
   */
  #searched: (SearchBounds & { readonly set: CodeSet; rows?: number }) | undefined;
  #wantsLookup = false;
  #isLookupPutOff = false;

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

  /** For each code the start of its run of rows in `order`; one more element ends the last run. */
  get starts(): Uint32Array {
    return this.#parts.starts;
  }

  /** Whether a stretch of `order` costs less than all of it. */
  get isInPieces(): boolean {
    return this.#parts.isInPieces;
  }

  /** An element of `codes`. Use this for a few elements: the others need not be in memory. */
  codeAt(row: number): number {
    return this.#parts.codeAt(row);
  }

  /** An element of `starts`. */
  startOf(code: number): number {
    return this.#parts.startOf(code);
  }

  /** An element of `order`. */
  rowAt(position: number): number {
    if (!this.isInPieces) return this.order[position]!;
    const row = new Uint32Array(1);
    this.copyRows(position, position + 1, row);
    return row[0]!;
  }

  /** Copies a stretch of `order` to a place in another array. */
  copyRows(from: number, to: number, target: Uint32Array, at = 0): void {
    this.#parts.copyRows(from, to, target, at);
  }

  /**
   * Indexes a field of `rows` rows, step by step. Expected linear in the characters of its values.
   *
   * @param readNumber reads the numbers of a field of these, faster than their texts; −Infinity stands for null
   * @param isFolded whether nothing else holds its texts
   */
  static *building(
    type: FieldType,
    rows: number,
    read: (row: number) => WireValue,
    readNumber: (row: number) => number = (row) => numberOf(read(row)),
    isFolded = false,
  ): Steps<FieldIndex> {
    return new FieldIndex(type, yield* buildingParts(type, rows, read, readNumber, isFolded));
  }

  /** The index of rows whose codes are known, among distinct values in sort order. */
  static ofCodes(type: FieldType, values: Values, codes: Codes, keepsOrder = false): FieldIndex {
    return new FieldIndex(type, partsOfCodes(values, codes, keepsOrder));
  }

  /** The index of rows that all have null. */
  static ofNulls(type: FieldType, rows: number): FieldIndex {
    const values = isNumeric(type) ? new NumberValues(type, new Float64Array(1)) : [null];
    return FieldIndex.ofCodes(type, values, new Uint8Array(rows));
  }

  /** The index of the same rows in another order. */
  reordered(order: Uint32Array): FieldIndex {
    const { type, values, codes } = this;
    const moved = codes.map((_, row) => codes[order[row]!]!);
    return FieldIndex.ofCodes(type, values, moved);
  }

  /** Its parts, for making another index or saving this one. */
  get parts(): IndexParts {
    return this.#parts;
  }

  get rows(): number {
    return this.#parts.rows;
  }

  /** How many bytes it holds, without strings: the records hold those. */
  get bytes(): number {
    return this.#parts.bytes + (this.#table?.bytes ?? 0);
  }

  /** How many bytes it holds once the lookup table is built. */
  get mostBytes(): number {
    const isTableDue = this.#table === undefined && this.#needsTable;
    return this.bytes + (isTableDue ? StringTable.bytesFor(this.values.length) : 0);
  }

  /** How many rows have one of some codes. */
  count(set: CodeSet): number {
    const range = onlyRange(set);
    if (range !== undefined) return this.startOf(range[1]) - this.startOf(range[0]);
    const last = this.#searched;
    return last?.set === set ? (last.rows ??= this.#sum(set)) : this.#sum(set);
  }

  #sum(set: CodeSet): number {
    const { starts } = this;
    let count = 0;
    forEachRange(set, (low, high) => (count += starts[high]! - starts[low]!));
    return count;
  }

  /** The position of a row in `order`. */
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
      // Building the table takes long: with a deadline, binary search is used until it exists.
      if (deadline === undefined && !this.#isLookupPutOff) this.prepareLookup();
      else this.#wantsLookup = true;
    }
    if (this.#table) return this.#table.find(value);
    const found = this.values.search?.(value, 1);
    if (found !== undefined) return Math.max(found, -1);
    const code = this.firstCodeOf(value);
    return code < this.values.length && this.values.at(code) === value ? code : -1;
  }

  /** Whether a table is faster than binary search: not for values read from elsewhere. */
  get #needsTable(): boolean {
    return this.values.length > tuning.fewToSearch && isArray(this.values);
  }

  /** Leaves building the lookup table to others: no search builds it. */
  putOffLookup(): void {
    this.#isLookupPutOff = true;
  }

  /** Whether a search had no time to build the lookup table. */
  get wantsLookup(): boolean {
    return this.#wantsLookup && this.#table === undefined;
  }

  /** Builds the lookup table; otherwise the first use does. */
  prepareLookup(): void {
    finish(this.preparingLookup());
  }

  /** {@link FieldIndex.prepareLookup}, step by step. */
  *preparingLookup(): Steps<void> {
    const { values } = this.#parts;
    if (this.#table !== undefined || !isArray(values)) return;
    // In row order, the strings are adjacent in memory.
    const isMany = values.length > this.rows >>> 2;
    this.#table = yield* StringTable.building(values, isMany ? this.codes : undefined);
  }

  /**
   * The codes of the values that satisfy a criterion, if the order of the values determines them or they were
   * found last; `undefined` if each value has to be tested.
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
      case ">":
        return [this.#firstCode((code) => this.numberAt(code) > bounds.bound), end];
      case ">=":
        return [this.#firstCode((code) => this.numberAt(code) >= bounds.bound), end];
      case "<":
        return [1, this.#firstCode((code) => this.numberAt(code) >= bounds.bound)];
      case "<=":
        return [1, this.#firstCode((code) => this.numberAt(code) > bounds.bound)];
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
      case "substring": {
        // Every text has the empty one.
        if (bounds.text === "") return [1, end];
        const last = this.#searched;
        return last?.text === bounds.text && last.kind === bounds.kind ? last.set : undefined;
      }
    }
  }

  /**
   * The codes of a set whose values satisfy all given criteria, by testing each.
   *
   * @throws DeadlineError
   */
  test(criteria: readonly ParsedCriterion[], among?: CodeSet, deadline?: Deadline): CodeSet {
    const set = this.#test(criteria, among, deadline);
    const bounds = criteria.length === 1 ? criteria[0]?.bounds : undefined;
    if (bounds !== undefined && isSearch(bounds) && among === undefined) {
      this.#searched = { ...bounds, set };
    }
    return set;
  }

  /**
   * The codes of a set that may satisfy some criteria: only those that the last search has found, if what is
   * searched for now has what was searched for then, as with each letter that somebody types.
   */
  candidates(
    criteria: readonly ParsedCriterion[],
    among: CodeSet = [0, this.values.length],
  ): CodeSet {
    const last = this.#searched;
    const isNarrower =
      last !== undefined &&
      criteria.some(({ bounds }) => isSearch(bounds) && impliesText(bounds, last));
    return isNarrower ? intersect(among, last.set, this.values.length) : among;
  }

  #test(
    criteria: readonly ParsedCriterion[],
    given: CodeSet | undefined,
    deadline: Deadline | undefined,
  ): CodeSet {
    const { values } = this;
    let among = this.candidates(criteria, given);
    if (values.codesWith !== undefined) {
      const searches = criteria.map(({ bounds }) => bounds).filter(isSearch);
      // The longest text is usually in the fewest values.
      searches.sort((a, b) => b.text.length - a.text.length);
      for (const bounds of searches) {
        among = values.codesWith(bounds, among);
        deadline?.check();
      }
      criteria = criteria.filter(({ bounds }) => !isSearch(bounds));
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

  /** Whether values that contain a text are found faster than by testing each. */
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

  /** The number of a code other than 0, in a field of numbers. */
  numberAt(code: number): number {
    const { values } = this.#parts;
    return values.numberAt === undefined ? parseNumber(this.#textAt(code)) : values.numberAt(code);
  }

  #textAt(code: number): string {
    return this.values.at(code) ?? "";
  }

  /** The first code, other than 0, from which on the condition holds; it must hold for all after it. */
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

/** The number of a value; −Infinity for null, which is lower than every number. */
export function numberOf(value: WireValue): number {
  return value === null ? -Infinity : parseNumber(value);
}

function isSearch(bounds: Bounds): bounds is SearchBounds {
  return bounds.kind === "suffix" || bounds.kind === "substring";
}

function isArray(values: Values): values is readonly WireValue[] {
  return Array.isArray(values);
}
