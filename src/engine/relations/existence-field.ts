// Whether some records of another collection refer to a record: of all, or of those that criteria select.

import { boolean } from "../../schema/declare.ts";
import type { TextValue } from "../../schema/field.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { indexOfCodes } from "../indexes/memory-index.ts";
import type { Segment } from "../versions/segment.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import type { JoinedColumn } from "./joined-column.ts";
import type { JoinedField } from "./joined-field.ts";

const VALUES = [null, "false", "true"] as const;
const [FALSE, TRUE] = [1, 2];

export class ExistenceField implements JoinedField {
  readonly name: string;
  readonly described = { ...boolean(), stored: false };
  readonly #key: string;
  readonly #namedBy: (other: Snapshot) => ReadonlySet<TextValue>;
  #last: { readonly other: Snapshot; readonly named: ReadonlySet<TextValue> } | undefined;

  /**
   * @param key the unique field to which the other records refer
   * @param namedBy the values of the key that they name
   */
  constructor(name: string, key: string, namedBy: (other: Snapshot) => ReadonlySet<TextValue>) {
    this.name = name;
    this.#key = key;
    this.#namedBy = namedBy;
  }

  column(segment: Segment, other: Snapshot): JoinedColumn {
    return new ExistenceColumn(segment, this.#key, () => this.#namedIn(other));
  }

  reader(): undefined {
    return undefined;
  }

  #namedIn(other: Snapshot): ReadonlySet<TextValue> {
    if (this.#last?.other !== other) this.#last = { other, named: this.#namedBy(other) };
    return this.#last.named;
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
