// How indexes are named and reported, and who builds them.

import type { IndexBudget } from "./index-budget.ts";
import type { IndexKind } from "./kinds.ts";

/** The kind of an index and the field it covers. */
export interface IndexName {
  readonly kind: IndexKind;
  /** Of a compound index, the first field. */
  readonly field: string;
  /** All fields of a compound index. */
  readonly fields?: readonly string[];
}

/** An index by its name among those of its kind: that of its field, or of several. */
export interface NamedIndex {
  readonly kind: IndexKind;
  readonly name: string;
}

/** An index and its size. */
export interface IndexReport extends IndexName {
  readonly bytes: number;
}

export interface IndexesOptions {
  /**
   * Who builds an index once its account reaches its price: the query that needs it, nobody, or
   * `buildDue`. Default: the query.
   */
  readonly indexes?: IndexBuilding | undefined;
  /** The bytes that automatically built indexes may take. Default: any. */
  readonly budget?: IndexBudget | undefined;
}

/** When indexes are built automatically. */
export type IndexBuilding = "auto" | "none" | "deferred";

/** The names of indexes, by their kind: those of fields, or of several. */
type NamesByKind<Names> = Readonly<Record<IndexKind, Names>>;

/** The names of the existing indexes. */
export interface IndexNames extends NamesByKind<ReadonlySet<string>> {
  /** Those built by name: the budget does not apply to them. */
  readonly named: NamesByKind<ReadonlySet<string>>;
}
