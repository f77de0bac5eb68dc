// The columns that profiles and scatter plots are computed from. Those read last are kept: whoever
// asks for another measure or another field has most of them already.

import type { Collection, Column } from "../../index.ts";
import { isScalar } from "../criteria-list.ts";
import type { CriteriaList, Scalar } from "../messages.ts";

/** Columns of the records that criteria select, all of them in the same order. @throws CriteriaError */
export type ColumnsOf = (
  fields: readonly string[],
  criteria: CriteriaList | null,
) => readonly Column<unknown>[];

/** Each takes 4 bytes a record, and sometimes 8 more for each different number. */
const MOST_KEPT = 16;

export class Columns {
  #of: Collection | undefined;
  /** By criteria and field. The last one was used last. */
  readonly #kept = new Map<string, Column<unknown>>();

  get(
    collection: Collection,
    fields: readonly string[],
    criteria: CriteriaList | null,
  ): readonly Column<unknown>[] {
    if (this.#of !== collection) this.#kept.clear();
    this.#of = collection;
    return fields.map((field) => {
      const key = JSON.stringify([field, criteria]);
      const column = this.#kept.get(key) ?? collection.columns([field], criteria)[0];
      this.#kept.delete(key);
      this.#kept.set(key, column);
      for (const oldest of this.#kept.keys()) {
        if (this.#kept.size <= MOST_KEPT) break;
        this.#kept.delete(oldest);
      }
      return column;
    });
  }
}

export function scalarAt(column: Column<unknown>, code: number): Scalar {
  const value = column.valueAt(code);
  return isScalar(value) ? value : JSON.stringify(value);
}

/** The number of each code of a field of numbers; NaN for null. */
export const numbersOf = ({ numbers }: Column<unknown>): Float64Array =>
  numbers ?? new Float64Array(0);
