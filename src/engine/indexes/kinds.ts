// The kinds of index, one row each: what queries they serve, how they are built, and at what cost. CONTRIBUTING.md
// lists what else a new kind needs.

import type { FieldType } from "../../schema/field.ts";
import { STEP_ROWS, type Steps } from "../algorithms/steps.ts";
import { levelsFor } from "../algorithms/wavelet-matrix.ts";
import { buildCosts } from "./build-costs.ts";
import { FieldIndex } from "./field-index.ts";
import type { Column, Indexable, Read } from "./column.ts";
import { CompoundIndex, fieldsOfCompound } from "./compound-index.ts";
import type { Structure } from "./index-budget.ts";
import { TrigramIndex } from "./trigram-index.ts";
import { tuning } from "../tuning.ts";
import { buildingIndex } from "./memory-index.ts";
import { mergingAdded, type MovedRows } from "./merge.ts";
import { NumberColumn } from "./number-column.ts";

/** How a query uses a field: sorts by it, matches its value, or searches it for a substring; or with others. */
export type IndexUse = "sort" | "match" | "contains" | "compound";

/** A row of the table. */
export interface Kind<Index extends Structure = Structure> {
  /** The uses it supports. */
  readonly uses: readonly IndexUse[];
  /** The fields of an index by its name. */
  readonly fields: (name: string) => readonly [field: string, ...others: string[]];
  /** The index of a field that the rows hold: it has no account. */
  readonly own: (rows: Indexable, field: string) => Index | undefined;
  /** Whether an index is worthwhile for a field with this many distinct values. */
  readonly isWorth: (values: number) => boolean;
  /** @param columns of its fields */
  readonly building: (columns: readonly [Column, ...Column[]]) => Steps<Index>;
  /**
   * Brings an index up to date with rows that were merged: where each was before. Missing if an index is useless without
   * the ordered ones of its fields: then it is kept as long as these stay the same, and rebuilt otherwise.
   */
  readonly merging?: (index: Index, column: Column, moved: MovedRows) => Steps<Index>;
  /** The cost of building it, in nanoseconds. @param share of distinct values among some of the rows */
  readonly cost: (type: FieldType, rows: number, share: number) => number;
  /** The size of an index in bytes once used. */
  readonly bytes: (index: Index) => number;
  /** The minimum bytes per row. */
  readonly leastBytes: number;
}

const onlyField = (name: string): readonly [field: string] => [name];

/**
 * The ordered index of a column. If another column has the same value in every row, its index is shared: an email
 * address is often in two fields.
 */
function* buildingOrdered([column]: readonly [Column, ...Column[]]): Steps<FieldIndex> {
  const { type, rows, read, readNumber, isFolded, indexed } = column;
  for (const other of indexed) {
    if (yield* areSame(rows, read, other.read)) return other.index;
  }
  return yield* buildingIndex(type, rows, read, readNumber, isFolded);
}

/** Whether two columns have the same value in every row. Stops at the first difference. */
function* areSame(rows: number, read: Read, other: Read): Steps<boolean> {
  const differ = (from: number, to: number): boolean => {
    for (let row = from; row < to; row++) if (read(row) !== other(row)) return true;
    return false;
  };
  for (let from = 0; from < rows; from += STEP_ROWS) {
    if (differ(from, Math.min(rows, from + STEP_ROWS))) return false;
    yield;
  }
  return true;
}

/** The distinct values in order, and the rows of each: for equality, ranges, prefixes and sorting. */
const ordered: Kind<FieldIndex> = {
  uses: ["sort", "match", "contains"],
  fields: onlyField,
  own: (rows, field) => rows.indexOf(field),
  isWorth: () => true,
  building: buildingOrdered,
  merging: mergingAdded,
  cost(type, rows, share) {
    const { ordered: costs, knownShare } = buildCosts;
    return costs[type] * rows * (knownShare + (1 - knownShare) * share);
  },
  bytes: (index) => index.mostBytes,
  leastBytes: 5,
};

/** The rows of each sequence of three characters: for substrings anywhere in a value. */
const trigram: Kind<TrigramIndex> = {
  uses: ["contains"],
  fields: onlyField,
  own: (rows, field) => rows.trigramsOf(field),
  // Testing a few values one by one is just as fast.
  isWorth: (values) => values > tuning.fewValues,
  building: ([{ rows, read }]) => TrigramIndex.building(rows, read),
  cost: (_, rows) => buildCosts.trigram * rows,
  bytes: (index) => index.bytes,
  leastBytes: 4,
};

/** The numbers of all rows: for aggregates. */
const numbers: Kind<NumberColumn> = {
  uses: [],
  fields: onlyField,
  own: () => undefined,
  // The numbers of few codes are read as fast.
  isWorth: (values) => values > tuning.fewNumbers,
  building: ([column]) => NumberColumn.building(column),
  merging: (index, column, moved) => index.merging(column, moved),
  cost: (_, rows) => buildCosts.numbers * rows,
  bytes: (index) => index.bytes,
  leastBytes: 8,
};

/** The codes of fields in the order of another: for criteria on all of them, and for pages sorted by the last. */
const compound: Kind<CompoundIndex> = {
  uses: ["compound"],
  fields: fieldsOfCompound,
  own: () => undefined,
  isWorth: () => true,
  building(columns) {
    const indexes = columns.map(orderedOf);
    return CompoundIndex.building(indexes.slice(0, -1), indexes.at(-1)!);
  },
  cost(_, rows, share) {
    const { row, level } = buildCosts.compound;
    return (row + level * levelsFor(share * rows)) * rows * tuning.compoundShare;
  },
  bytes: (index) => index.bytes,
  leastBytes: 1,
};

function orderedOf({ own }: Column): FieldIndex {
  if (own === undefined) throw new RangeError("a compound index is made from ordered ones");
  return own;
}

/** The type of an index of each kind. */
interface IndexByKind {
  compound: CompoundIndex;
  ordered: FieldIndex;
  numbers: NumberColumn;
  trigram: TrigramIndex;
}

/** The kind of an index, as `indexes()` reports it. */
export type IndexKind = { [K in keyof IndexByKind]: K }[keyof IndexByKind];

export type IndexOf<K extends IndexKind> = IndexByKind[K];

export const indexKinds: { readonly [K in IndexKind]: Kind<IndexOf<K>> } = {
  ordered,
  numbers,
  trigram,
  compound,
};

/** A value for each kind. */
export const byKind = <T>(make: (kind: IndexKind) => T): Readonly<Record<IndexKind, T>> => ({
  ordered: make("ordered"),
  numbers: make("numbers"),
  trigram: make("trigram"),
  compound: make("compound"),
});

export const kindNames: readonly IndexKind[] = Object.values(byKind((kind) => kind));

/** Whether an index of a kind is useless without the ordered ones of its fields. */
export const needsOrdered = (kind: IndexKind): boolean => indexKinds[kind].merging === undefined;
