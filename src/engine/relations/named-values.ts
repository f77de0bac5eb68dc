// The values of a field that some records have: which records they name.

import type { TextValue } from "../../schema/field.ts";
import {
  addRows,
  bitAt,
  createBitset,
  forEachDifference,
  type Bitset,
} from "../algorithms/bitset.ts";
import { currentDeadline } from "../algorithms/deadline.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import type { Evictable, IndexBudget, Structure } from "../indexes/index-budget.ts";
import { costs } from "../operators/costs.ts";
import type { RowsBySegment } from "../versions/edit.ts";
import { linkedCodes } from "./linked-codes.ts";

/** The values of a field in some rows. */
export function namedBy(
  selected: RowsBySegment,
  field: string,
  budget: IndexBudget | undefined,
): NamedValues {
  const parts: NamedCodes[] = [];
  const others = new Map<TextValue, boolean>();
  for (const [segment, rows] of selected) {
    const references = segment.ordered(field, currentDeadline());
    if (references === undefined) {
      const read = segment.readerOf(field);
      segment.charge(field, rows.length * costs.valueTest);
      for (let i = 0; i < rows.length; i++) others.set(read(rows[i]!), true);
      continue;
    }
    const codes = createBitset(references.values.length);
    addRows(codes, references.codesAt(new Uint32Array(rows), rows.length));
    parts.push({ references, codes });
  }
  return new NamedValues(parts, others, budget);
}

/** The approximate size of a value and whether it is named, in bytes. */
const VALUE_BYTES = 64;

/** Some codes of an index of references. */
interface NamedCodes {
  readonly references: FieldIndex;
  readonly codes: Bitset;
}

/**
 * The values that some records name: codes, since these are found without the values, and those of rows without an index or
 * of changes. Null names no record, not even one whose key is null (rule C21).
 */
export class NamedValues implements Structure {
  lastUsed = 0;
  #forget: (() => void) | undefined;
  readonly #parts: readonly NamedCodes[];
  /** Whether a value is named, whatever the codes say. */
  readonly #others: ReadonlyMap<TextValue, boolean>;
  readonly #budget: IndexBudget | undefined;

  constructor(
    parts: readonly NamedCodes[],
    others: ReadonlyMap<TextValue, boolean>,
    budget: IndexBudget | undefined,
  ) {
    this.#parts = parts;
    this.#others = others;
    this.#budget = budget;
  }

  /** Counts its bytes until it is forgotten. */
  count(forget: () => void): void {
    this.#forget = forget;
    this.#budget?.add(this);
    this.#budget?.use(this);
    this.#budget?.trim();
  }

  get bytes(): number {
    if (this.#forget === undefined) return 0;
    const ofOthers = VALUE_BYTES * this.#others.size;
    return this.#parts.reduce((sum, { codes }) => sum + codes.byteLength, ofOthers);
  }

  get evictables(): readonly Evictable[] {
    const evict = () => {
      this.#forget?.();
      this.#forget = undefined;
    };
    return this.#forget === undefined ? [] : [{ structure: this, bytes: this.bytes, evict }];
  }

  /** The same values, but for some. */
  with(others: readonly (readonly [TextValue, boolean])[]): NamedValues {
    return new NamedValues(this.#parts, new Map([...this.#others, ...others]), this.#budget);
  }

  has(value: TextValue): boolean {
    if (value === null) return false;
    const known = this.#others.get(value);
    if (known !== undefined) return known;
    return this.#parts.some(({ references, codes }) => {
      const code = references.codeOf(value);
      return code > 0 && bitAt(codes, code) === 1;
    });
  }

  /** Visits the codes of all keys that are named, or were: these with `false`. */
  forEachIn(keys: FieldIndex, visit: (key: number, isNamed: boolean) => void): void {
    for (const { references, codes } of this.#parts) {
      const linked = linkedCodes(references, keys);
      forEachDifference(codes, undefined, (code) => {
        if (linked[code]! > 0) visit(linked[code]!, true);
      });
    }
    for (const [value, isNamed] of this.#others) {
      const key = value === null ? -1 : keys.codeOf(value);
      if (key > 0) visit(key, isNamed);
    }
  }
}
