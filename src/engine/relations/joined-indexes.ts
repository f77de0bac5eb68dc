// The indexes of joined rows: their own, and those of the columns of other records.

import type { Schema } from "../../schema/schema.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import type { IndexesOptions } from "../indexes/index-names.ts";
import { Indexes } from "../indexes/indexes.ts";
import { indexKinds, type IndexKind, type IndexOf } from "../indexes/kinds.ts";
import type { JoinedColumn } from "./joined-column.ts";
import type { JoinedRows } from "./joined-rows.ts";

export class JoinedIndexes extends Indexes {
  readonly #own: Indexes;
  readonly #joined: ReadonlyMap<string, JoinedColumn>;

  /** @param own those of the rows themselves */
  constructor(
    schema: Schema,
    rows: JoinedRows,
    options: IndexesOptions,
    own: Indexes,
    joined: ReadonlyMap<string, JoinedColumn>,
  ) {
    super(schema, rows, options);
    this.#own = own;
    this.#joined = joined;
  }

  /** Whether an index is, also, of fields of other records: of several kinds, only the ordered one is made. */
  #isJoined(kind: IndexKind, name: string): boolean {
    return indexKinds[kind].fields(name).some((field) => this.#joined.has(field));
  }

  override ordered(field: string, deadline?: Deadline): FieldIndex | undefined {
    const joined = this.#joined.get(field);
    return joined === undefined ? this.#own.ordered(field, deadline) : joined.index(deadline);
  }

  override there<K extends IndexKind>(
    kind: K,
    field: string,
    deadline?: Deadline,
  ): IndexOf<K> | undefined {
    if (!this.#isJoined(kind, field)) return this.#own.there(kind, field, deadline);
    return kind === "ordered" ? (this.ordered(field, deadline) as IndexOf<K>) : undefined;
  }

  override of<K extends IndexKind>(
    kind: K,
    field: string,
    deadline?: Deadline,
  ): IndexOf<K> | undefined {
    if (!this.#isJoined(kind, field)) return this.#own.of(kind, field, deadline);
    return this.there(kind, field, deadline);
  }

  override numbers(
    ...[field, cost, deadline]: Parameters<Indexes["numbers"]>
  ): ReturnType<Indexes["numbers"]> {
    const joined = this.#joined.get(field);
    if (joined === undefined) return this.#own.numbers(field, cost, deadline);
    const index = joined.index(deadline);
    if (index === undefined) joined.charge(cost(undefined));
    return index;
  }

  override requireOrdered(field: string): FieldIndex {
    return this.#own.requireOrdered(field);
  }

  override charge(kind: IndexKind, field: string, nanoseconds: number): void {
    if (this.#isJoined(kind, field)) this.#joined.get(field)?.charge(nanoseconds);
    else this.#own.charge(kind, field, nanoseconds);
  }

  override isWithheld(field: string): boolean {
    return this.#joined.get(field)?.isWithheld ?? this.#own.isWithheld(field);
  }

  override refreshOne(): boolean {
    return this.#own.refreshOne();
  }
}
