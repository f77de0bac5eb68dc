// A field that is computed from the other fields of a record, added to a collection that has records already. Nothing is
// copied, and only the rows that a change makes are computed again.

import { textFormOfStored, type Field, type FieldValue } from "../../schema/field.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { Resumable } from "../algorithms/resumable.ts";
import type { Steps } from "../algorithms/steps.ts";
import type { Rows } from "../columns/rows.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { buildingIndex } from "../indexes/memory-index.ts";
import type { Segment } from "../versions/segment.ts";
import type { JoinedColumn } from "./joined-column.ts";
import type { JoinedField } from "./joined-field.ts";
import type { Reader } from "./joined-rows.ts";

/** How the value of a field is computed, as records hold it. Both ways give the same. */
export interface Computation {
  /** From the columns of rows. */
  readonly ofRows: (rows: Rows) => (row: number) => FieldValue;
  readonly ofRecord: (record: AnyRecord) => FieldValue;
}

export class ComputedField implements JoinedField {
  readonly name: string;
  readonly described: Field;
  readonly #computation: Computation;
  readonly #columns = new WeakMap<Rows, ComputedColumn>();

  /** @param described nullable, without case or accents to ignore */
  constructor(name: string, described: Field, computation: Computation) {
    this.name = name;
    this.described = described;
    this.#computation = computation;
  }

  column({ rows }: Pick<Segment, "rows">): ComputedColumn {
    let column = this.#columns.get(rows);
    if (column === undefined) {
      column = new ComputedColumn(rows, this.described, this.#computation);
      this.#columns.set(rows, column);
    }
    return column;
  }

  /** It follows from the record itself, so other records affect none. */
  affected(): undefined {
    return undefined;
  }

  reader(): (record: AnyRecord) => FieldValue {
    return this.#computation.ofRecord;
  }
}

class ComputedColumn implements JoinedColumn {
  readonly isWithheld = false;
  readonly #rows: Rows;
  readonly #field: Field;
  readonly #computation: Computation;
  readonly #building = new Resumable<FieldIndex>();
  #index: FieldIndex | undefined;

  constructor(rows: Rows, field: Field, computation: Computation) {
    this.#rows = rows;
    this.#field = field;
    this.#computation = computation;
  }

  reader(): Reader {
    const index = this.#index;
    if (index !== undefined) return (row) => index.values.at(index.codeAt(row)) ?? null;
    const valueOf = this.#computation.ofRows(this.#rows);
    return (row) => textFormOfStored(this.#field, valueOf(row));
  }

  /** Computes the value of each row once, and sorts them: linear in the rows, and in the characters of strings. */
  index(deadline?: Deadline): FieldIndex {
    return (this.#index ??= this.#building.finish(() => this.building(), deadline));
  }

  /** {@link ComputedColumn.index} in steps. */
  *building(): Steps<FieldIndex> {
    if (this.#index !== undefined) return this.#index;
    const valueOf = this.#computation.ofRows(this.#rows);
    const index = yield* buildingIndex(
      this.#field.type,
      this.#rows.size,
      (row) => textFormOfStored(this.#field, valueOf(row)),
      (row) => {
        const value = valueOf(row);
        return typeof value === "number" ? value : -Infinity;
      },
      true,
    );
    return (this.#index ??= index);
  }

  charge(): void {
    // The index is always there.
  }
}
