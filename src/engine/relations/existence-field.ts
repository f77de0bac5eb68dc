// Whether some records of another collection refer to a record: of all, or of those that criteria select.

import { boolean } from "../../schema/declare.ts";
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
import { indexOfCodes } from "../indexes/memory-index.ts";
import { costs } from "../operators/costs.ts";
import type { RowsBySegment } from "../versions/edit.ts";
import type { Segment } from "../versions/segment.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import type { JoinedColumn } from "./joined-column.ts";
import type { Affected, Followed, JoinedField } from "./joined-field.ts";
import { linkedCodes } from "./linked-codes.ts";

const VALUES = [null, "false", "true"] as const;
const [FALSE, TRUE] = [1, 2];

/** Which of the other records criteria select. */
export interface Naming {
  /** The rows of these records. */
  readonly selected: (other: Snapshot) => RowsBySegment;
  /** Whether one of them names a value. */
  readonly isNamed: (other: Snapshot, value: TextValue) => boolean;
}

export class ExistenceField implements JoinedField {
  readonly name: string;
  readonly described = { ...boolean(), stored: false };
  readonly #key: string;
  readonly #by: string;
  readonly #asked: Naming;
  /** The values that are named, by the version of the other collection. */
  readonly #known = new WeakMap<Snapshot, NamedValues>();

  /**
   * @param key the unique field to which the other records refer
   * @param by their field that refers to it
   */
  constructor(name: string, key: string, by: string, asked: Naming) {
    this.name = name;
    this.#key = key;
    this.#by = by;
    this.#asked = asked;
  }

  column(segment: Segment, other: Snapshot): JoinedColumn {
    return new ExistenceColumn(segment, this.#key, () => this.#namedIn(other));
  }

  /** Finds out which of the values the other records name now, which takes less than to ask for all of them again. */
  affected({ before: other, after, delta }: Followed): Affected | undefined {
    const values = new Set<TextValue>();
    for (const { before, after } of delta) {
      for (const version of [before, after]) {
        if (version !== undefined) values.add(version.rows.readerOf(this.#by)(version.row));
      }
    }
    values.delete(null);
    const known = this.#known.get(other);
    // An earlier version is not asked: records of results have the values of the latest one.
    if (known === undefined) return undefined;
    if (!this.#known.has(after)) {
      const now = Array.from(values, (value): [TextValue, boolean] => [
        value,
        this.#asked.isNamed(after, value),
      ]);
      this.#known.set(after, known.with(now));
    }
    return { field: this.#key, values };
  }

  reader(): undefined {
    return undefined;
  }

  #namedIn(other: Snapshot): NamedValues {
    const named = this.#known.get(other) ?? namedBy(this.#asked.selected(other), this.#by);
    this.#known.set(other, named);
    return named;
  }
}

/** The values of a field in some rows. */
function namedBy(selected: RowsBySegment, field: string): NamedValues {
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
  return new NamedValues(parts, others);
}

/** Some codes of an index of references. */
interface NamedCodes {
  readonly references: FieldIndex;
  readonly codes: Bitset;
}

/**
 * The values that some records name: codes, since these are found without the values, and those of rows without an index or
 * of changes. Null names no record, not even one whose key is null (rule C21).
 */
class NamedValues {
  readonly #parts: readonly NamedCodes[];
  /** Whether a value is named, whatever the codes say. */
  readonly #others: ReadonlyMap<TextValue, boolean>;

  constructor(parts: readonly NamedCodes[], others: ReadonlyMap<TextValue, boolean>) {
    this.#parts = parts;
    this.#others = others;
  }

  /** The same values, but for some. */
  with(others: readonly (readonly [TextValue, boolean])[]): NamedValues {
    return new NamedValues(this.#parts, new Map([...this.#others, ...others]));
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

class ExistenceColumn implements JoinedColumn {
  readonly isWithheld = false;
  readonly #segment: Segment;
  readonly #key: string;
  readonly #named: () => NamedValues;
  #index: FieldIndex | undefined;

  constructor(segment: Segment, key: string, named: () => NamedValues) {
    this.#segment = segment;
    this.#key = key;
    this.#named = named;
  }

  reader(): (row: number) => TextValue {
    const keyOf = this.#segment.rows.readerOf(this.#key);
    const named = this.#named();
    return (row) => (named.has(keyOf(row)) ? "true" : "false");
  }

  /** Cost: that of the rows. */
  index(): FieldIndex {
    if (this.#index !== undefined) return this.#index;
    const codes = new Uint8Array(this.#segment.size).fill(FALSE);
    const keys = this.#segment.indexes.requireOrdered(this.#key);
    this.#named().forEachIn(keys, (key, isNamed) => {
      const end = keys.startOf(key + 1);
      for (let at = keys.startOf(key); at < end; at++) {
        codes[keys.rowAt(at)] = isNamed ? TRUE : FALSE;
      }
    });
    return (this.#index = indexOfCodes("boolean", VALUES, codes));
  }

  charge(): void {
    // The index is always there.
  }
}
