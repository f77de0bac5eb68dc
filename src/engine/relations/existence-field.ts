// Whether some records of another collection refer to a record: of all, or of those that criteria select.

import { boolean } from "../../schema/declare.ts";
import type { TextValue } from "../../schema/field.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { indexOfCodes } from "../indexes/memory-index.ts";
import type { Segment } from "../versions/segment.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import type { JoinedColumn } from "./joined-column.ts";
import type { Affected, Followed, JoinedField } from "./joined-field.ts";

const VALUES = [null, "false", "true"] as const;
const [FALSE, TRUE] = [1, 2];

/** What the other records name, by which they are compared; null is never named. */
export interface Naming {
  /** Every value of the key that the selected records name. */
  readonly namedBy: (other: Snapshot) => ReadonlySet<TextValue>;
  /** Whether they name a value. */
  readonly isNamed: (other: Snapshot, value: TextValue) => boolean;
}

export class ExistenceField implements JoinedField {
  readonly name: string;
  readonly described = { ...boolean(), stored: false };
  readonly #key: string;
  readonly #by: string;
  readonly #asked: Naming;
  /** The values that are named, by the version of the other collection. */
  readonly #known = new WeakMap<Snapshot, ReadonlySet<TextValue>>();

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
      const named = new Set(known);
      for (const value of values) {
        if (this.#asked.isNamed(after, value)) named.add(value);
        else named.delete(value);
      }
      this.#known.set(after, named);
    }
    return { field: this.#key, values };
  }

  reader(): undefined {
    return undefined;
  }

  #namedIn(other: Snapshot): ReadonlySet<TextValue> {
    const named = this.#known.get(other) ?? this.#asked.namedBy(other);
    this.#known.set(other, named);
    return named;
  }
}

class ExistenceColumn implements JoinedColumn {
  readonly isWithheld = false;
  readonly #segment: Segment;
  readonly #key: string;
  readonly #named: () => ReadonlySet<TextValue>;
  #index: FieldIndex | undefined;

  constructor(segment: Segment, key: string, named: () => ReadonlySet<TextValue>) {
    this.#segment = segment;
    this.#key = key;
    this.#named = named;
  }

  reader(): (row: number) => TextValue {
    const keyOf = this.#segment.rows.readerOf(this.#key);
    const named = this.#named();
    return (row) => (named.has(keyOf(row)) ? "true" : "false");
  }

  /** Cost: that of the rows, and of a lookup for each value. */
  index(): FieldIndex {
    if (this.#index !== undefined) return this.#index;
    const codes = new Uint8Array(this.#segment.size).fill(FALSE);
    const keys = this.#segment.indexes.requireOrdered(this.#key);
    for (const value of this.#named()) {
      const code = value === null ? -1 : keys.codeOf(value);
      if (code < 0) continue;
      const end = keys.startOf(code + 1);
      for (let at = keys.startOf(code); at < end; at++) codes[keys.rowAt(at)] = TRUE;
    }
    return (this.#index = indexOfCodes("boolean", VALUES, codes));
  }

  charge(): void {
    // The index is always there.
  }
}
