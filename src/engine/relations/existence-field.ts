// Whether some records of another collection refer to a record: of all, or of those that criteria select.

import { boolean } from "../../schema/declare.ts";
import type { TextValue } from "../../schema/field.ts";
import { buildCosts } from "../indexes/build-costs.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import type { IndexBudget } from "../indexes/index-budget.ts";
import { indexOfCodes } from "../indexes/memory-index.ts";
import type { RowsBySegment } from "../versions/edit.ts";
import type { Segment } from "../versions/segment.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import { HeldIndex } from "./held-index.ts";
import type { JoinedColumn } from "./joined-column.ts";
import type { Affected, Followed, JoinedField } from "./joined-field.ts";
import { namedBy, type NamedValues } from "./named-values.ts";

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

  column(segment: Segment, other: Snapshot, earlier: JoinedColumn | undefined): JoinedColumn {
    const last = earlier instanceof ExistenceColumn ? earlier : undefined;
    const { budget } = segment.options;
    return new ExistenceColumn(segment, this.#key, other, () => this.#namedIn(other, budget), last);
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
      this.#keep(after, known.with(now));
    }
    return { field: this.#key, values };
  }

  reader(): undefined {
    return undefined;
  }

  #namedIn(other: Snapshot, budget: IndexBudget | undefined): NamedValues {
    const known = this.#known.get(other);
    if (known !== undefined) return known;
    return this.#keep(other, namedBy(this.#asked.selected(other), this.#by, budget));
  }

  #keep(other: Snapshot, named: NamedValues): NamedValues {
    this.#known.set(other, named);
    const forget = () => void this.#known.delete(other);
    named.count(forget);
    return named;
  }
}

/** An index, and the version of the other collection of which it was made. */
interface Made {
  readonly other: Snapshot;
  readonly index: FieldIndex;
}

class ExistenceColumn implements JoinedColumn {
  readonly #segment: Segment;
  readonly #key: string;
  readonly #other: Snapshot;
  readonly #named: () => NamedValues;
  readonly #held: HeldIndex<Made>;

  /** @param earlier the column of the same rows before the other records changed */
  constructor(
    segment: Segment,
    key: string,
    other: Snapshot,
    named: () => NamedValues,
    earlier: ExistenceColumn | undefined,
  ) {
    this.#segment = segment;
    this.#key = key;
    this.#other = other;
    this.#named = named;
    this.#held = earlier === undefined ? new HeldIndex(segment.options.budget) : earlier.#held;
  }

  reader(): (row: number) => TextValue {
    const keyOf = this.#segment.rows.readerOf(this.#key);
    const named = this.#named();
    return (row) => (named.has(keyOf(row)) ? "true" : "false");
  }

  /** Cost: that of the rows. */
  index(): FieldIndex | undefined {
    const held = this.#held;
    const other = this.#other;
    const made = held.use();
    if (made?.other === other) return made.index;
    if (!held.isDue(this.#segment.size * buildCosts.existence)) return undefined;
    const index = this.#newIndex();
    held.put({ other, index }, []);
    return index;
  }

  #newIndex(): FieldIndex {
    const codes = new Uint8Array(this.#segment.size).fill(FALSE);
    const keys = this.#segment.indexes.requireOrdered(this.#key);
    this.#named().forEachIn(keys, (key, isNamed) => {
      const end = keys.startOf(key + 1);
      for (let at = keys.startOf(key); at < end; at++) {
        codes[keys.rowAt(at)] = isNamed ? TRUE : FALSE;
      }
    });
    return indexOfCodes("boolean", VALUES, codes);
  }

  charge(nanoseconds: number): void {
    this.#held.charge(nanoseconds);
  }

  get isWithheld(): boolean {
    return this.#held.wasDropped;
  }
}
