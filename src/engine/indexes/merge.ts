// Merges the index of earlier rows with that of added ones. The values of both are sorted already, so nothing has to be
// sorted again.

import { isNumeric, type TextValue } from "../../schema/field.ts";
import { CodeSetBuilder, forEachRange, setOfCodes, type CodeSet } from "./code-set.ts";
import { FieldIndex, numberIn } from "./field-index.ts";
import { FoldedValues } from "./string-values.ts";
import type { SearchBounds, Values } from "./values.ts";
import { NumberValues } from "./number-values.ts";
import { forEachRow, type Posting, type Postings } from "./postings.ts";
import type { Origins } from "../algorithms/interleave.ts";
import { inSteps, STEP_ROWS, type Steps } from "../algorithms/steps.ts";
import type { Column } from "./column.ts";
import { buildingIndex, indexOfCodes, type MemoryIndex } from "./memory-index.ts";

/**
 * Where the rows of a merged segment were when its indexes were made. These are brought up to date when they are used:
 * until then, merging costs what the rows cost, however many indexes there are.
 */
export class MovedRows {
  /** For each row its earlier number, or the complement `~n` of its position `n` among the added ones. */
  readonly origins: Origins;
  /** The rows that were not there, ascending. */
  readonly added: Uint32Array;
  /** Whether the others have their earlier numbers, and those that are gone made room for added ones. */
  readonly areInPlace: boolean;

  private constructor(origins: Origins, added: Uint32Array, areInPlace: boolean) {
    this.origins = origins;
    this.added = added;
    this.areInPlace = areInPlace;
  }

  /**
   * @param origins for each row its number in the large part of a merge; negative if it is not from there
   * @param size of the large part
   * @param earlier where the rows of the large part were, if its indexes are those of earlier rows
   */
  static of(origins: Origins, size: number, earlier: MovedRows | undefined): MovedRows {
    const before = new Int32Array(origins.length);
    const added = new Uint32Array(origins.length);
    let count = 0;
    let areInPlace = origins.length === size && earlier?.areInPlace !== false;
    for (let row = 0; row < before.length; row++) {
      let origin = origins[row]!;
      if (origin >= 0 && origin !== row) areInPlace = false;
      if (origin >= 0 && earlier !== undefined) origin = earlier.origins[origin]!;
      if (origin < 0) {
        origin = ~count;
        added[count++] = row;
      }
      before[row] = origin;
    }
    return new MovedRows(before, added.slice(0, count), areInPlace);
  }
}

/**
 * The index of a column, given that of its earlier rows. Linear in the rows and values; if each row has the value that
 * the row of its number had before, it is the same index, and only the added rows are read.
 */
export function* mergingAdded(
  index: FieldIndex,
  { type, read, readNumber, isFolded }: Column,
  { origins, added, areInPlace }: MovedRows,
): Steps<FieldIndex> {
  const isSame =
    readNumber === undefined
      ? (row: number) => read(row) === index.values.at(index.codeAt(row))
      : (row: number) => readNumber(row) === numberIn(index, row);
  if (areInPlace && added.every(isSame)) return index;
  const ofAdded = yield* buildingIndex(
    type,
    added.length,
    (i) => read(added[i]!),
    readNumber && ((i) => readNumber(added[i]!)),
    isFolded,
  );
  const merged = yield* mergingIndexes(index, ofAdded, origins);
  // Queries need it: the first would make it in one step.
  yield* merged.ordering();
  return merged;
}

/**
 * Merges the index of a large part and that of a small one. Linear in the rows and values. If the values
 * of the large one are not in memory, neither are the merged ones.
 */
export function* mergingIndexes(
  large: FieldIndex,
  small: FieldIndex,
  origins: Origins,
): Steps<MemoryIndex> {
  const { codes: ofLarge } = large;
  const { codes: ofSmall } = small;
  // 1 if a merged row has the code, else 0; then its merged code.
  const largeCodes = new Uint32Array(large.values.length);
  const smallCodes = new Uint32Array(small.values.length);
  yield* inSteps(origins.length, (from, to) => {
    for (let row = from; row < to; row++) {
      const origin = origins[row]!;
      if (origin >= 0) largeCodes[ofLarge[origin]!] = 1;
      else smallCodes[ofSmall[~origin]!] = 1;
    }
  });
  // Null always has code 0.
  largeCodes[0] = 0;
  smallCodes[0] = 0;
  const sources = yield* mergingCodes(large, small, largeCodes, smallCodes);
  const codes = new Uint32Array(origins.length);
  yield* inSteps(origins.length, (from, to) => {
    for (let row = from; row < to; row++) {
      const origin = origins[row]!;
      codes[row] = origin >= 0 ? largeCodes[ofLarge[origin]!]! : smallCodes[ofSmall[~origin]!]!;
    }
  });
  const values = yield* mergingValues(large, small, sources, largeCodes);
  return indexOfCodes(large.type, values, codes, large.keepsOrder);
}

/** Merged values: a copy if the values are in memory. */
function* mergingValues(
  large: FieldIndex,
  small: FieldIndex,
  from: Int32Array,
  largeCodes: Uint32Array,
): Steps<Values> {
  if (large.values instanceof NumberValues && isNumeric(large.type)) {
    const { numbers: ofLarge } = large.values;
    const numbers = new Float64Array(from.length);
    yield* inSteps(from.length, (first, end) => {
      for (let code = first; code < end; code++) {
        const origin = from[code]!;
        numbers[code] = origin >= 0 ? ofLarge[origin]! : small.numberAt(~origin);
      }
    });
    return new NumberValues(large.type, numbers);
  }
  const merged = new MergedValues(large.values, small.values, from, largeCodes);
  if (large.values instanceof FoldedValues) {
    return yield* FoldedValues.encoding(yield* merged.asArray());
  }
  return Array.isArray(large.values) ? yield* merged.asArray() : merged;
}

/**
 * Replaces each code in use with its merged position, in the given arrays.
 *
 * @returns for each merged code that of the large part, or the complement of that of the small one
 */
function* mergingCodes(
  large: FieldIndex,
  small: FieldIndex,
  largeCodes: Uint32Array,
  smallCodes: Uint32Array,
): Steps<Int32Array> {
  const from = new Int32Array(largeCodes.length + smallCodes.length);
  let length = 1;
  let next = 1;
  const takeLarge = (to: number) => {
    for (; next < to; next++) {
      if (largeCodes[next] === 0) continue;
      from[length] = next;
      largeCodes[next] = length++;
    }
  };
  const { firstFrom, isSame } = comparing(large, small);
  for (let code = 1; code < smallCodes.length; code++) {
    if (code % STEP_ROWS === 0) yield;
    if (smallCodes[code] === 0) continue;
    takeLarge(firstFrom(code, next));
    from[length] = ~code;
    smallCodes[code] = length++;
    if (next < largeCodes.length && isSame(next, code)) {
      // Of two equal values, that of the large part is kept, whether in use or not.
      from[length - 1] = next;
      largeCodes[next++] = length - 1;
    }
  }
  takeLarge(largeCodes.length);
  return from.slice(0, length);
}

/** Compares the values of two parts: `firstFrom` finds the first of the large part, from a code on, that is not lower. */
function comparing(large: FieldIndex, { values: ofSmall }: FieldIndex) {
  const { values: ofLarge } = large;
  const [numbers, others] = [ofLarge.numbers, ofSmall.numbers];
  if (numbers !== undefined && others !== undefined) {
    const firstFrom = (code: number, next: number) => {
      while (next < numbers.length && numbers[next]! < others[code]!) next++;
      return next;
    };
    return { firstFrom, isSame: (next: number, code: number) => numbers[next] === others[code] };
  }
  return {
    firstFrom: (code: number, next: number) => large.firstCodeOf(ofSmall.at(code) ?? "", next),
    isSame: (next: number, code: number) => ofLarge.at(next) === ofSmall.at(code),
  };
}

/** The values of two parts in one order, without copying them. */
export class MergedValues implements Values {
  readonly large: Values;
  readonly small: Values;
  /** For each code, that of the large part, or the complement of that of the small one. */
  readonly from: Int32Array;
  /** For each code of the large part, the code itself, or 0 if no row has it. */
  readonly #largeCodes: Uint32Array;
  readonly codesWith?: NonNullable<Values["codesWith"]>;

  constructor(large: Values, small: Values, from: Int32Array, largeCodes: Uint32Array) {
    this.large = large;
    this.small = small;
    this.from = from;
    this.#largeCodes = largeCodes;
    const { codesWith } = large;
    if (codesWith !== undefined) {
      this.codesWith = (bounds, among) => this.#codesWith(codesWith, bounds, among);
    }
  }

  get length(): number {
    return this.from.length;
  }

  at(code: number): TextValue | undefined {
    const from = this.from[code]!;
    return from >= 0 ? this.large.at(from) : this.small.at(~from);
  }

  /** All of them, step by step. */
  *asArray(): Steps<TextValue[]> {
    const values = new Array<TextValue>(this.length);
    yield* inSteps(this.length, (from, to) => {
      for (let code = from; code < to; code++) values[code] = this.at(code) ?? null;
    });
    return values;
  }

  #codesWith(
    codesWith: NonNullable<Values["codesWith"]>,
    bounds: SearchBounds,
    among: CodeSet,
  ): CodeSet {
    const amongLarge = new CodeSetBuilder(this.large.length);
    const codes: number[] = [];
    forEachCode(among, (code) => {
      const from = this.from[code]!;
      if (from >= 0) amongLarge.add(from);
      else if (isWithin(this.small.at(~from) ?? null, bounds)) codes.push(code);
    });
    forEachCode(codesWith(bounds, amongLarge.finish()), (code) => {
      codes.push(this.#largeCodes[code]!);
    });
    return setOfCodes(codes, this.length);
  }
}

function forEachCode(set: CodeSet, visit: (code: number) => void): void {
  forEachRange(set, (low, high) => {
    for (let code = low; code < high; code++) visit(code);
  });
}

function isWithin(value: TextValue, { kind, text }: SearchBounds): boolean {
  return value !== null && (kind === "suffix" ? value.endsWith(text) : value.includes(text));
}

/** The postings of merged rows: those of both parts, with the new row numbers. */
export class MergedPostings implements Postings {
  readonly rows: number;
  readonly bytes = 0;
  readonly #parts: readonly { readonly postings: Postings; readonly rowOf: Int32Array }[];

  /** @param origins for each row its number in the large part, or the complement of its number in the small one */
  constructor(large: Postings, small: Postings, origins: Int32Array) {
    this.rows = origins.length;
    const [ofLarge, ofSmall] = [large, small].map(({ rows }) => new Int32Array(rows).fill(-1));
    origins.forEach((origin, row) => {
      if (origin >= 0) ofLarge![origin] = row;
      else ofSmall![~origin] = row;
    });
    this.#parts = [
      { postings: large, rowOf: ofLarge! },
      { postings: small, rowOf: ofSmall! },
    ];
  }

  posting(trigram: number): Posting {
    const all: number[] = [];
    for (const { postings, rowOf } of this.#parts) {
      forEachRow(postings.posting(trigram), (row) => {
        if (rowOf[row]! >= 0) all.push(rowOf[row]!);
      });
    }
    const rows = Uint32Array.from(all).sort();
    return { count: rows.length, rows };
  }
}
