// The index of a field with its arrays in memory, and how to build it from the values of rows by sorting.

import { isNumeric, type FieldType, type TextValue } from "../../schema/field.ts";
import { bisectBy } from "../algorithms/bisect.ts";
import { isLadder, ladder } from "../algorithms/ladder.ts";
import { sortStrings } from "../algorithms/radix-sort.ts";
import { finish, inSteps, STEP_ROWS, type Steps } from "../algorithms/steps.ts";
import { tuning } from "../tuning.ts";
import { FieldIndex, numberOf, type Codes, type CopiedArrays, type Order } from "./field-index.ts";
import { NumberCoder } from "./number-coder.ts";
import { NumberValues } from "./number-values.ts";
import { FoldedValues } from "./string-values.ts";
import type { Values } from "./values.ts";

/**
 * Indexes a field of `rows` rows, step by step. Expected linear in the characters of its values.
 *
 * @param readNumber reads the values of a field of numbers faster than as strings; −Infinity stands for null
 * @param isFolded whether nothing else holds its strings; the index then keeps them as bytes
 */
export function* buildingIndex(
  type: FieldType,
  rows: number,
  read: (row: number) => TextValue,
  readNumber: (row: number) => number = (row) => numberOf(read(row)),
  isFolded = false,
): Steps<FieldIndex> {
  if (isNumeric(type)) return yield* byNumbers(type, rows, readNumber);
  const column = new Array<TextValue>(rows);
  yield* inSteps(rows, (from, to) => {
    for (let row = from; row < to; row++) column[row] = read(row);
  });
  const few = yield* distinctIfFew(column, Math.min(tuning.fewToCode, rows >>> 2));
  return few === undefined
    ? yield* bySortingRows(type, column, isFolded)
    : yield* bySortingValues(type, few);
}

/** The index of a field of numbers. */
function* byNumbers(
  type: "int" | "float",
  rows: number,
  read: (row: number) => number,
): Steps<FieldIndex> {
  const coder = new NumberCoder(type === "int", rows);
  yield* inSteps(rows, (from, to) => {
    for (let row = from; row < to; row++) {
      const number = read(row);
      if (number === -Infinity) coder.setNull(row);
      else coder.set(row, number);
    }
  });
  const { numbers, codes } = yield* coder.finishing(rows);
  const ordered = yield* byCode(codes, numbers.length);
  return new MemoryIndex(type, new NumberValues(type, numbers), codes, ordered);
}

/**
 * The index of rows with known codes, given the distinct values in sort order. The order of rows is built on first use:
 * saving the rows may not need it.
 */
export function indexOfCodes(
  type: FieldType,
  values: Values,
  codes: Codes,
  keepsOrder = false,
): MemoryIndex {
  return new MemoryIndex(type, values, codes, undefined, keepsOrder);
}

/** The index of rows that are all null. */
export function indexOfNulls(type: FieldType, rows: number): FieldIndex {
  const values = isNumeric(type) ? new NumberValues(type, new Float64Array(1)) : [null];
  return indexOfCodes(type, values, new Uint8Array(rows));
}

/** The index of the same rows in another order. */
export function reordered({ type, values, codes }: FieldIndex, order: Uint32Array): FieldIndex {
  const moved = codes.map((_, row) => codes[order[row]!]!);
  return indexOfCodes(type, values, moved);
}

/**
 * The index after some rows have other values that it has already. Cost: that of copying it, and of moving a part of the
 * order for each of these rows.
 *
 * @param moved the new code of each row
 */
export function recoded(index: FieldIndex, moved: ReadonlyMap<number, number>): MemoryIndex {
  const codes = index.codes.slice();
  const ordered = index.hasOrder
    ? { order: index.order.slice(), starts: index.starts.slice() }
    : undefined;
  for (const [row, code] of moved) {
    if (ordered !== undefined) move(ordered, row, codes[row]!, code);
    codes[row] = code;
  }
  return new MemoryIndex(index.type, index.values, codes, ordered);
}

/** Moves a row from the run of one code to that of another. */
function move({ order, starts }: Order, row: number, from: number, to: number): void {
  const placeIn = (code: number) => {
    const start = starts[code]!;
    return start + bisectBy(starts[code + 1]! - start, (at) => order[start + at]! < row);
  };
  const [old, place] = [placeIn(from), placeIn(to)];
  if (from < to) {
    order.copyWithin(old, old + 1, place);
    order[place - 1] = row;
    for (let code = from + 1; code <= to; code++) starts[code]!--;
  } else {
    order.copyWithin(place + 1, place, old);
    order[place] = row;
    for (let code = to + 1; code <= from; code++) starts[code]!++;
  }
}

export class MemoryIndex extends FieldIndex {
  readonly isInPieces = false;
  readonly areCodesInPieces = false;
  readonly isInFile = false;
  readonly values: Values;
  readonly codes: Codes;
  readonly rows: number;
  readonly keepsOrder: boolean;
  #ordered: Order | undefined;
  /** Made without the order, which counts do not need. */
  #starts: Uint32Array | undefined;
  /** The bytes of arrays that indexes share. */
  #sharedBytes = 0;

  constructor(type: FieldType, values: Values, codes: Codes, ordered?: Order, keepsOrder = false) {
    super(type);
    this.values = values;
    this.rows = codes.length;
    this.keepsOrder = keepsOrder;
    const own = narrowed(codes, values.length);
    this.#ordered = ordered && this.#sharing(ordered);
    const isInRowOrder = own instanceof Uint32Array && this.#ordered?.order !== ordered?.order;
    this.codes = isInRowOrder ? ladder(2, own.length) : own;
    if (isInRowOrder) this.#sharedBytes += own.byteLength;
  }

  get hasOrder(): boolean {
    return this.#ordered !== undefined;
  }

  get order(): Uint32Array {
    return (this.#ordered ?? this.#makeOrder()).order;
  }

  get starts(): Uint32Array {
    const made = this.#ordered?.starts ?? this.#starts;
    return made ?? (this.#starts = finish(startsOf(this.codes, this.values.length)));
  }

  #makeOrder(): Order {
    return finish(this.ordering());
  }

  /** The order, made in steps unless it is there. */
  *ordering(): Steps<Order> {
    const { codes, values } = this;
    return (this.#ordered ??= this.#sharing(yield* byCode(codes, values.length, this.#starts)));
  }

  /**
   * If many rows all have distinct values, the starts are the same in every index; and so is the order if values ascend
   * with the rows, as ids do.
   */
  #sharing({ order, starts }: Order): Order {
    const rows = order.length;
    const isDistinct = rows > FEW && starts.length === rows + 2 && isLadder(starts, 1);
    if (!isDistinct) return { order, starts };
    const isInRowOrder = isLadder(order, 0);
    this.#sharedBytes += starts.byteLength + (isInRowOrder ? order.byteLength : 0);
    return { order: isInRowOrder ? ladder(1, rows) : order, starts: ladder(0, rows + 2) };
  }

  /** Including the order, which any query needs. */
  protected get arrayBytes(): number {
    const { values, codes } = this;
    const ofValues = values.bytes ?? 8 * values.length;
    const ofRows = codes.byteLength + 4 * (codes.length + values.length + 1);
    return ofValues + ofRows - this.#sharedBytes;
  }

  codeAt(row: number): number {
    return this.codes[row]!;
  }

  startOf(code: number): number {
    return this.starts[code]!;
  }

  rowAt(position: number): number {
    return this.order[position]!;
  }

  copyRows(from: number, to: number, target: Uint32Array, at = 0): void {
    copyStretch(this.order, from, to, target, at);
  }

  copy(): CopiedArrays {
    return { codes: this.codes };
  }
}

/** Up to this many rows, sharing arrays is not worthwhile. */
const FEW = 1 << 16;

/** Copies a range of an array to a position in another one. */
export function copyStretch(
  source: Uint32Array,
  from: number,
  to: number,
  target: Uint32Array,
  at: number,
): void {
  // Copying a few elements is faster than making a subarray.
  if (to - from > tuning.fewToCopy) target.set(source.subarray(from, to), at);
  else for (let i = from; i < to; i++) target[at++] = source[i]!;
}

/** The index of a field with many strings: sorts all rows; a new code begins where the value changes. */
function* bySortingRows(
  type: FieldType,
  column: readonly TextValue[],
  isFolded: boolean,
): Steps<FieldIndex> {
  const order = new Uint32Array(column.length);
  let nulls = 0;
  yield* inSteps(column.length, (from, to) => {
    for (let row = from; row < to; row++) if (column[row] === null) order[nulls++] = row;
  });
  let length = nulls;
  yield* inSteps(column.length, (from, to) => {
    for (let row = from; row < to; row++) if (column[row] !== null) order[length++] = row;
  });
  const repeated = yield* sortStrings(column, order.subarray(nulls));

  // A growing array is copied again and again, and garbage collection scans each copy.
  const values = new Array<TextValue>(1 + zerosIn(repeated));
  values[0] = null;
  yield;
  const starts = new Uint32Array(values.length + 1);
  const codes = new Uint32Array(column.length);
  let code = 0;
  yield* inSteps(order.length - nulls, (from, to) => {
    for (let i = from; i < to; i++) {
      const row = order[nulls + i]!;
      if (repeated[i] === 0) {
        starts[++code] = nulls + i;
        values[code] = column[row] ?? null;
      }
      codes[row] = code;
    }
  });
  starts[values.length] = column.length;
  const kept = isFolded ? yield* FoldedValues.encoding(values) : values;
  return new MemoryIndex(type, kept, codes, { order, starts });
}

function zerosIn(bytes: Uint8Array): number {
  let zeros = 0;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 0) zeros++;
  return zeros;
}

/** The index of a field with few strings: sorts the values, then counts the rows of each. */
function* bySortingValues(type: FieldType, { values, numbers }: FewValues): Steps<FieldIndex> {
  const sorted = new Uint32Array(values.keys());
  yield* sortStrings(values, sorted);
  // Number 0 is null, like code 0.
  const codeOf = new Uint32Array(values.length + 1);
  for (let i = 0; i < sorted.length; i++) codeOf[sorted[i]! + 1] = i + 1;
  // In place, because large garbage arrays trigger V8's garbage collection. In steps, which `recode` does not take.
  const codes = numbers;
  yield* inSteps(codes.length, (from, to) => {
    for (let row = from; row < to; row++) codes[row] = codeOf[codes[row]!]!;
  });
  const ordered = yield* byCode(codes, values.length + 1);
  const all = [null, ...Array.from(sorted, (number) => values[number]!)];
  return new MemoryIndex(type, all, codes, ordered);
}

/** The rows by code, and the start of each code's run. */
export function* byCode(codes: Codes, distinct: number, known?: Uint32Array): Steps<Order> {
  const starts = known ?? (yield* startsOf(codes, distinct));
  const next = starts.slice();
  const order = new Uint32Array(codes.length);
  yield* inSteps(codes.length, (from, to) => {
    for (let row = from; row < to; row++) order[next[codes[row]!]!++] = row;
  });
  return { order, starts };
}

/** The start of each code's rows in the order of codes; one more element ends the last run. */
export function* startsOf(codes: Codes, distinct: number): Steps<Uint32Array> {
  const starts = new Uint32Array(distinct + 1);
  yield* inSteps(codes.length, (from, to) => {
    for (let row = from; row < to; row++) starts[codes[row]! + 1]!++;
  });
  for (let code = 0; code < distinct; code++) starts[code + 1]! += starts[code]!;
  return starts;
}

interface FewValues {
  readonly values: readonly string[];
  /** For each row, the number of its value, counted from 1; 0 for null. */
  readonly numbers: Uint32Array;
}

/** The distinct values except null; `undefined` if there are more than `most`. */
function* distinctIfFew(column: readonly TextValue[], most: number): Steps<FewValues | undefined> {
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

/** The codes in the narrowest array type: one byte per row for most fields. */
function narrowed(codes: Codes, distinct: number): Codes {
  const type = codesTypeFor(distinct);
  return codes instanceof type ? codes : new type(codes);
}

/** The narrowest array type for the codes of this many values. */
export function codesTypeFor(
  distinct: number,
): typeof Uint8Array | typeof Uint16Array | typeof Uint32Array {
  return distinct <= 1 << 8 ? Uint8Array : distinct <= 1 << 16 ? Uint16Array : Uint32Array;
}
