// The kinds of index, one row each: for which uses it is built, how, and what that costs. CONTRIBUTING.md
// says what else a new kind needs.

import type { FieldType, WireValue } from "../../schema/field.ts";
import { STEP_ROWS, type Steps } from "../algorithms/steps.ts";
import { buildCosts } from "./build-costs.ts";
import { FieldIndex } from "./field-index.ts";
import { TrigramIndex } from "./trigram-index.ts";

/** A field of some rows, to be indexed. */
export interface Column {
  readonly type: FieldType;
  readonly rows: number;
  readonly read: Read;
  /** The fields of the same rows and type that have an ordered index. */
  readonly indexed: Iterable<IndexedColumn>;
}

export interface IndexedColumn {
  readonly read: Read;
  readonly index: FieldIndex;
}

type Read = (row: number) => WireValue;

/** What queries do with a field: sort by it, match its value, or search for a text in it. */
export type IndexUse = "sort" | "match" | "contains";

/** A structure that an index may be. */
interface Structure {
  readonly bytes: number;
}

/** A row of the table. */
export interface Kind<Index extends Structure = Structure> {
  /** The uses that it serves. */
  readonly uses: readonly IndexUse[];
  readonly building: (column: Column) => Steps<Index>;
  /** What building it costs, in nanoseconds. */
  readonly cost: (type: FieldType, rows: number) => number;
  /** How many bytes an index holds, or will when it is used. */
  readonly bytes: (index: Index) => number;
  /** How many bytes a row takes at least. */
  readonly leastBytes: number;
}

/**
 * The ordered index of a column. Where another one has the same value in every row, it is that one's: an
 * email address often stands in two fields.
 */
function* buildingOrdered({ type, rows, read, indexed }: Column): Steps<FieldIndex> {
  for (const other of indexed) {
    if (yield* areSame(rows, read, other.read)) return other.index;
  }
  return yield* FieldIndex.building(type, rows, read);
}

/** Whether two columns have the same value in every row. Ends at the first one that differs. */
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

/** The distinct values in order, and the rows of each: equality, ranges, prefixes, sorting. */
const ordered: Kind<FieldIndex> = {
  uses: ["sort", "match", "contains"],
  building: buildingOrdered,
  cost: (type, rows) => buildCosts.ordered[type] * rows,
  bytes: (index) => index.mostBytes,
  leastBytes: 5,
};

/** The rows of each three characters: texts that stand anywhere in a value. */
const trigram: Kind<TrigramIndex> = {
  uses: ["contains"],
  building: ({ rows, read }) => TrigramIndex.building(rows, read),
  cost: (_, rows) => buildCosts.trigram * rows,
  bytes: (index) => index.bytes,
  leastBytes: 4,
};

export const kindNames = Object.freeze(["ordered", "trigram"] as const);

export type IndexKind = (typeof kindNames)[number];

export const indexKinds = { ordered, trigram } satisfies Record<IndexKind, unknown>;
