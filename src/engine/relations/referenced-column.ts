// The column of a field of the records to which rows refer.

import type { Deadline } from "../algorithms/deadline.ts";
import { buildCosts } from "../indexes/build-costs.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import type { IndexBudget } from "../indexes/index-budget.ts";
import type { Indexes } from "../indexes/indexes.ts";
import type { Rows } from "../columns/rows.ts";
import { ComposedIndex } from "./composed-index.ts";
import { HeldIndex } from "./held-index.ts";
import type { JoinedColumn } from "./joined-column.ts";
import type { Reader } from "./joined-rows.ts";
import type { ReferencedField } from "./referenced-field.ts";

/** An index, and what it was made of. */
interface Made {
  readonly of: ReferencedField;
  readonly index: ComposedIndex;
}

/** The values of a field of the records to which rows refer. */
export class ReferencedColumn implements JoinedColumn {
  readonly #rows: Rows;
  readonly #indexes: Indexes;
  readonly #by: string;
  readonly #of: ReferencedField;
  /** The last index; it may be that of another version of the other records. */
  readonly #held: HeldIndex<Made>;

  /**
   * @param rows those that refer
   * @param indexes their own
   * @param by the field that refers
   * @param of the field whose values are meant
   * @param earlier the column of the same rows before the other records changed
   * @param budget of the indexes of the collection
   */
  constructor(
    rows: Rows,
    indexes: Indexes,
    by: string,
    of: ReferencedField,
    earlier: ReferencedColumn | undefined,
    budget: IndexBudget | undefined,
  ) {
    this.#rows = rows;
    this.#indexes = indexes;
    this.#by = by;
    this.#of = of;
    this.#held = earlier === undefined ? new HeldIndex(budget) : earlier.#held;
  }

  reader(isTextForm: boolean): Reader {
    const referenceOf = this.#rows.readerOf(this.#by);
    const valueFor = this.#of.reader(isTextForm);
    return (row) => valueFor(referenceOf(row));
  }

  index(deadline: Deadline | undefined): FieldIndex | undefined {
    const of = this.#of;
    const held = this.#held;
    const made = held.use();
    const references = this.#indexes.ordered(this.#by, deadline);
    if (references === undefined) return undefined;
    const last = made?.index.references === references ? made : undefined;
    if (last?.of === of) return last.index;
    if (!held.isDue(references.values.length * buildCosts.reference)) return undefined;
    const index = (last && this.#followed(last)) ?? this.#newIndex(references, last, deadline);
    if (index === undefined) return undefined;
    index.searchIn(of);
    index.onGrowth = held.trim;
    held.put({ of, index }, [references]);
    return index;
  }

  /** The index after a change of the other records; `undefined` if it has to be made anew. */
  #followed({ of, index }: Made): ComposedIndex | undefined {
    const moved = this.#of.follow(of, index.references, index.ofReferences);
    return moved && index.following(moved);
  }

  #newIndex(
    references: FieldIndex,
    last: Made | undefined,
    deadline: Deadline | undefined,
  ): ComposedIndex | undefined {
    const values = this.#of.index(references, deadline);
    if (values === undefined) return undefined;
    return last !== undefined && areSame(last.index.ofReferences, values)
      ? last.index
      : new ComposedIndex(references, values);
  }

  charge(nanoseconds: number): void {
    this.#held.charge(nanoseconds);
    this.#indexes.charge("ordered", this.#by, nanoseconds);
    this.#of.charge(nanoseconds);
  }

  get isWithheld(): boolean {
    return this.#held.wasDropped || this.#indexes.isWithheld(this.#by);
  }
}

/** Whether two indexes of the same rows are equal. */
function areSame(one: FieldIndex, other: FieldIndex): boolean {
  const { codes, values } = one;
  if (values.length !== other.values.length) return false;
  for (let row = 0; row < codes.length; row++) if (codes[row] !== other.codes[row]) return false;
  for (let code = 1; code < values.length; code++) {
    if (values.at(code) !== other.values.at(code)) return false;
  }
  return true;
}
