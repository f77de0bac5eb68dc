// A field of rows that can be indexed.

import { isNumeric, type FieldType, type TextValue } from "../../schema/field.ts";
import { fieldOf } from "../../schema/names.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Derived } from "./derived.ts";
import type { FieldIndex } from "./field-index.ts";
import type { Postings } from "./postings.ts";
import type { TrigramIndex } from "./trigram-index.ts";

/** Rows that can be indexed. */
export interface Indexable {
  readonly size: number;
  /** What is made from all rows, and kept. */
  readonly derived: Derived;
  /** Whether the rows have an index of each field: then none is built, and a merge leaves indexes to the rows. */
  readonly isIndexed: boolean;
  readerOf(field: string): (row: number) => TextValue;
  /** Reads the values of a field of numbers; −Infinity stands for null. */
  numberReaderOf(field: string): (row: number) => number;
  /** The index of a field that the rows already have. Built at the first call if necessary. */
  indexOf(field: string): FieldIndex | undefined;
  /** The substring index of a field that the rows already have. */
  trigramsOf(field: string): TrigramIndex | undefined;
  /** For saving the rows: the trigram postings of all rows, if some rows have any. */
  postingsOf(field: string): Postings | undefined;
}

export interface Column {
  readonly type: FieldType;
  readonly rows: number;
  readonly read: Read;
  /** Only for a field of numbers. */
  readonly readNumber: ((row: number) => number) | undefined;
  /** Whether its values are strings that are not in the rows: in lower case, or of a combination of fields. */
  readonly isFolded: boolean;
  /** The ordered index of the field, if it has one. */
  readonly own: FieldIndex | undefined;
  /** Fields of the same rows and type that have an ordered index. */
  readonly indexed: Iterable<IndexedColumn>;
}

export interface IndexedColumn {
  readonly read: Read;
  readonly index: FieldIndex;
}

export type Read = (row: number) => TextValue;

/** The type of the values by which a field, or a combination of fields, is indexed. */
export const indexedType = (schema: Schema, field: string): FieldType =>
  fieldOf(schema, field)?.type ?? "string";

/** @param ordered the ordered indexes of the same rows */
export function columnOf(
  schema: Schema,
  rows: Indexable,
  field: string,
  ordered: ReadonlyMap<string, FieldIndex>,
): Column {
  const { spellings, combinations } = schema;
  const type = indexedType(schema, field);
  return {
    type,
    rows: rows.size,
    read: rows.readerOf(field),
    readNumber: isNumeric(type) ? rows.numberReaderOf(field) : undefined,
    isFolded: spellings.has(field) || combinations.has(field),
    own: ordered.get(field),
    indexed: ofType(rows, type, ordered),
  };
}

function* ofType(
  rows: Indexable,
  type: FieldType,
  ordered: ReadonlyMap<string, FieldIndex>,
): Generator<IndexedColumn, void> {
  for (const [field, index] of ordered) {
    if (index.type === type) yield { read: rows.readerOf(field), index };
  }
}
