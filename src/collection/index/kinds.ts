// The kinds of index, one row each: for which uses it is built, how, and what that costs. CONTRIBUTING.md
// says what else a new kind needs.

import type { FieldType, WireValue } from "../../schema/field.ts";
import type { Steps } from "../algorithms/steps.ts";
import { buildCosts } from "./build-costs.ts";
import { FieldIndex } from "./field-index.ts";
import { TrigramIndex } from "./trigram-index.ts";

/** A field of some rows, to be indexed. */
export interface Column {
  readonly type: FieldType;
  readonly rows: number;
  readonly read: (row: number) => WireValue;
}

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

/** The distinct values in order, and the rows of each: equality, ranges, prefixes, sorting. */
const ordered: Kind<FieldIndex> = {
  uses: ["sort", "match", "contains"],
  building: ({ type, rows, read }) => FieldIndex.building(type, rows, read),
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
