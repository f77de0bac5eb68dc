// The codes of a column, one for each row, with the check that all of them must pass. Codes of 8 or 16 bits are checked
// by counting the rows of each, which queries need too.

import { addRow, bitAt, createBitset } from "../../engine/algorithms/bitset.ts";
import { currentDeadline } from "../../engine/algorithms/deadline.ts";
import { Resumable } from "../../engine/algorithms/resumable.ts";
import { inSteps, type Steps } from "../../engine/algorithms/steps.ts";
import type { Codes } from "../../engine/indexes/field-index.ts";
import { codesTypeFor } from "../../engine/indexes/memory-index.ts";
import { FileError } from "../file-error.ts";
import type { ByteRange } from "../format.ts";
import type { Pages } from "./pages.ts";
import { Section } from "./section.ts";

/** The values that the rows of a column may have. */
export interface CodeRules {
  /** How many values the dictionary has, null included. */
  readonly values: number;
  readonly nullable: boolean;
  readonly unique: boolean;
  /** The starts in the file, if it has them and no order. */
  readonly starts: Section<Uint32Array> | undefined;
  /** Further checks, which read nothing large. @throws FileError */
  readonly check: () => void;
}

/** How many rows are checked in a step. */
const STEP_ROWS = 1 << 17;
/** From so many rows on, codes of 8 bits are counted two at a time. */
const MANY_ROWS = 1 << 18;

export class ColumnCodes {
  readonly section: Section<Codes>;
  readonly #rules: CodeRules;
  /** How many rows have each code, if the codes are at most 16 bits wide and have been checked. */
  #counts: Uint32Array | undefined;
  #starts: Uint32Array | undefined;
  readonly #counting = new Resumable<Uint32Array>();

  /** @param name of the column, for errors */
  constructor(name: string, pages: Pages, range: ByteRange, rules: CodeRules) {
    this.#rules = rules;
    const type = codesTypeFor(rules.values);
    this.section = new Section<Codes>(`codes of ${name}`, pages, range, type, {
      first: () => void rules.starts?.all(),
      check: (all) => this.#check(all),
    });
  }

  /** The start of each code's rows in the order of codes; one more element ends the last run. */
  get starts(): Uint32Array {
    if (this.#starts !== undefined) return this.#starts;
    const codes = this.section.all();
    const { values } = this.#rules;
    const counts =
      this.#counts ?? this.#counting.finish(() => countsOf(codes, values), currentDeadline());
    const starts = new Uint32Array(values + 1);
    for (let code = 0; code < values; code++) starts[code + 1] = starts[code]! + counts[code]!;
    return (this.#starts = starts);
  }

  get startsBytes(): number {
    return this.#starts?.byteLength ?? 0;
  }

  *#check(all: Codes): Steps<void> {
    const { values, nullable, unique, starts, check } = this.#rules;
    if (all instanceof Uint32Array) {
      yield* this.#checkRange(all);
      if (unique) yield* this.#checkUnique(all);
    } else {
      const counts = yield* countsOf(all, values);
      if (counts.reduce((sum, count) => sum + count, 0) < all.length) this.#failOutside();
      if (!nullable && counts[0]! > 0) this.#failNull();
      if (unique && counts.some((count, code) => code > 0 && count > 1)) this.#failTwice();
      this.#counts = counts;
      if (starts !== undefined && !areStartsOf(starts.all(), counts)) {
        throw new FileError(starts.name, "do not match the rows");
      }
    }
    check();
  }

  *#checkRange(all: Uint32Array): Steps<void> {
    const { values, nullable } = this.#rules;
    const least = nullable ? 0 : 1;
    yield* inSteps(
      all.length,
      (from, to) => {
        for (let row = from; row < to; row++) {
          const code = all[row]!;
          if (code < least) this.#failNull();
          if (code >= values) this.#failOutside();
        }
      },
      STEP_ROWS,
    );
  }

  /** Whether two rows have equal values; null equals nothing (V13). */
  *#checkUnique(all: Uint32Array): Steps<void> {
    // As bits, the codes of ten million rows fit into the processor's cache.
    const seen = createBitset(this.#rules.values);
    yield* inSteps(
      all.length,
      (from, to) => {
        for (let row = from; row < to; row++) {
          const code = all[row]!;
          if (code === 0) continue;
          if (bitAt(seen, code) === 1) this.#failTwice();
          addRow(seen, code);
        }
      },
      STEP_ROWS,
    );
  }

  #failOutside(): never {
    throw new FileError(this.section.name, "point outside the dictionary");
  }

  #failNull(): never {
    throw new FileError(this.section.name, "contain null, but the field is not nullable");
  }

  #failTwice(): never {
    throw new FileError(this.section.name, "contain a value twice, but the field is unique");
  }
}

function areStartsOf(starts: Uint32Array, counts: Uint32Array): boolean {
  return counts.every((count, code) => starts[code + 1] === starts[code]! + count);
}

/** How many rows have each of the codes below `values`; others are not counted. */
function* countsOf(codes: Codes, values: number): Steps<Uint32Array> {
  const isByPairs = codes instanceof Uint8Array && codes.length >= MANY_ROWS;
  const counts = isByPairs ? yield* countsByPairs(codes) : yield* counted(codes, values);
  return isByPairs ? counts.subarray(0, values) : counts;
}

function* counted(codes: Codes, values: number): Steps<Uint32Array> {
  const counts = new Uint32Array(values);
  yield* inSteps(
    codes.length,
    (from, to) => {
      for (let row = from; row < to; row++) counts[codes[row]!]!++;
    },
    STEP_ROWS,
  );
  return counts;
}

/**
 * How many rows have each of 256 codes, counted two rows at a time: half as many steps, which wait less often for the
 * number that the step before has written.
 */
function* countsByPairs(codes: Uint8Array): Steps<Uint32Array> {
  const pairs = new Uint16Array(codes.buffer, codes.byteOffset, codes.length >>> 1);
  const ofPairs = yield* counted(pairs, 1 << 16);
  const counts = new Uint32Array(256);
  for (let pair = 0; pair < ofPairs.length; pair++) {
    counts[pair & 0xff]! += ofPairs[pair]!;
    counts[pair >>> 8]! += ofPairs[pair]!;
  }
  if (codes.length % 2 === 1) counts[codes.at(-1)!]!++;
  return counts;
}
