// Saves a collection: every field as an encoded column. Indexed fields are encoded already; the others
// are encoded for the file, without staying in memory.

import { isFolded } from "../../schema/folding.ts";
import type { Collection } from "../../collection/collection.ts";
import type { CollectionState } from "../../collection/types.ts";
import { textFormColumn } from "../../schema/names.ts";
import type { Schema } from "../../schema/schema.ts";
import { finish, stepsOf, type Steps } from "../../engine/algorithms/steps.ts";
import { FieldIndex, type Codes } from "../../engine/indexes/field-index.ts";
import type { EncodedValues, Values } from "../../engine/indexes/values.ts";
import { MergedValues } from "../../engine/indexes/merge.ts";
import { TrigramIndex } from "../../engine/indexes/trigram-index.ts";
import type { Codec } from "../../engine/columns/codec.ts";
import { setValue } from "../../engine/columns/columns/column-builder.ts";
import { StringColumn } from "../../engine/columns/columns/string-column.ts";
import type { ColumnName, Rows } from "../../engine/columns/rows.ts";
import type { Segment } from "../../engine/versions/segment.ts";
import {
  isNumeric,
  storageOf,
  type Field,
  type FieldType,
  type Storage,
} from "../../schema/field.ts";
import { oneOf, optional, readOptions, type OptionReaders } from "../../schema/options.ts";
import { FilePostings } from "../read/file-postings.ts";
import { writeSavedSchema } from "../../schema/schema-json.ts";
import { writtenTypeOf, type WrittenType } from "../column-types.ts";
import { codedArrays } from "./coded-arrays.ts";
import { encodeMerged, encodeValues, mostTextBytes } from "./encode-values.ts";
import { narrowLimits } from "../offsets.ts";
import { joined, type Replacement } from "./output.ts";
import {
  writeTable,
  type LazyTrigrams,
  type LazyValues,
  type WrittenColumn,
  type WrittenDictionary,
} from "./table.ts";
import { trigramBytes } from "./trigrams.ts";
import { buildingIndex, byCode, indexOfCodes } from "../../engine/indexes/memory-index.ts";
import { tuning } from "../../engine/tuning.ts";

/** The options of `saveCollection`. */
export interface SaveOptions {
  /**
   * The fields whose row order is saved, at four or more bytes per row; rebuilding it takes a tenth of a second for a
   * million rows. `"used"`: those with an ordered index now. Default `"used"`.
   */
  readonly orders?: "used" | "all" | "none" | undefined;
  /**
   * The fields whose substring index, for `contains` and `ends_with`, is saved: about 20 bytes per row for email
   * addresses; rebuilding it takes a second for a million rows. `"used"`: those with one now. Default `"used"`.
   */
  readonly trigrams?: "used" | "none" | undefined;
}

/** `"many"`: also those of fields with many values, if there are many rows. */
type Orders = "used" | "many" | "all" | "none";
type Trigrams = "used" | "none";

const saveOptions: OptionReaders<{ orders: Exclude<Orders, "many">; trigrams: Trigrams }> = {
  orders: optional(oneOf("used", "all", "none"), "used"),
  trigrams: optional(oneOf("used", "none"), "used"),
};

/**
 * A collection as the bytes of an Arrow file, to be opened by {@link openCollection}. Cost: that of encoding the fields
 * without an index, about as much as indexing them with `prepare`; a changed collection is compacted first. {@link
 * collectionPieces} needs less memory.
 *
 * @throws InputError if an option is not valid, or if the distinct strings of a field that is not indexed take more than
 *   2 GiB in memory
 */
export function saveCollection<S extends Schema, Input>(
  collection: Collection<S, Input>,
  options: SaveOptions = {},
): Uint8Array {
  return joined(piecesOf(collection.state, readOptions(options, "options", saveOptions)));
}

/**
 * The bytes of {@link saveCollection} piece by piece, so that they need not all be in memory.
 *
 * @returns pieces to be written in order and not to be changed: some belong to the collection itself
 */
export function collectionPieces<S extends Schema, Input>(
  collection: Collection<S, Input>,
  options: SaveOptions = {},
): Iterable<Uint8Array> {
  return piecesOf(collection.state, readOptions(options, "options", saveOptions));
}

/**
 * @internal The bytes of a file, with a note in its directory for the program that opens it.
 *
 * @param options.isTemporary whether the file is only merged with others
 * @param options.afterValues called once all dictionaries are written
 * @param note any JSON value
 */
export function* piecesOf(
  { codec, snapshot }: CollectionState,
  {
    orders,
    trigrams,
    isTemporary = false,
    afterValues,
    types,
  }: {
    readonly orders: Orders;
    readonly trigrams: Trigrams;
    readonly isTemporary?: boolean;
    readonly afterValues?: () => void;
    /** What other programs have instead of the strings of fields. */
    readonly types?: ReadonlyMap<string, WrittenType>;
  },
  note?: unknown,
): Generator<Uint8Array, readonly Replacement[]> {
  const { ordered: used, trigram: searched } = snapshot.segments[0].indexes.names;
  const { segments, nextKey, lastIds } = snapshot.compact();
  const [segment] = segments;
  const dictionaries = new Dictionaries();
  const { schema } = codec;
  const columns: WrittenColumn[] = [];
  /** The compared form of a field, with whatever makes searching it fast. */
  const addSearched = (name: string, field: Field, as: string, hidden: boolean) => {
    const { type, nullable } = field;
    const isOrdered = orders === "all" || used.has(name);
    const { values, ...column } = codedColumn(segment, name, type, orders, isOrdered);
    const dictionary = dictionaries.add(
      storageOf(type),
      values,
      types?.get(name) ?? writtenTypeOf(field),
    );
    const postings =
      trigrams === "none" ? undefined : () => trigramsOf(segment, name, searched.has(name));
    columns.push({ name: as, hidden, nullable, dictionary, ...column, trigrams: postings });
  };
  /** The arrays of a strings field, with codes that make searching them fast. */
  const addArrays = (name: string, nullable: boolean) => {
    const isOrdered = orders === "all" || used.has(name);
    const { values, ...column } = codedColumn(segment, name, "strings", orders, isOrdered);
    const { strings, ...arrays } = codedArrays(values, column.codes, name);
    const dictionary = dictionaries.add("string", strings);
    columns.push({ name, hidden: false, nullable, dictionary, ...column, arrays });
  };
  const addPlain = (column: ColumnName, name: string, hidden: boolean, nullable: boolean) => {
    const { values, codes } = codedColumn(segment, column, "string", "none", false);
    const dictionary = dictionaries.add("string", values, hidden ? undefined : types?.get(name));
    columns.push({ name, hidden, nullable, dictionary, codes });
  };
  for (const { name, field } of schema.places) {
    if (field.type === "strings") addArrays(name, field.nullable);
    else if (!isFolded(field)) addSearched(name, field, name, false);
    // Other tools see the column under the name of the field.
    else addPlain(textFormColumn(schema, name), name, false, field.nullable);
  }
  const hiddenNames = hiddenColumnNames(codec);
  for (const [i, name] of codec.layout.hidden.entries()) {
    addPlain(name, hiddenNames[i] ?? "", true, true);
  }
  for (const { name, field } of schema.places) {
    if (!isFolded(field)) continue;
    addSearched(name, field, hiddenNames[columns.length - schema.places.length] ?? "", true);
  }
  const table = {
    rows: segment.size,
    nextKey,
    lastIds,
    keys: segment.keys && new Uint8Array(Float64Array.from(segment.keys).buffer),
    schema: writeSavedSchema(schema),
    note,
    dictionaries: dictionaries.all,
    columns,
    isTemporary,
  };
  return yield* writeTable(table, afterValues);
}

/**
 * The names of a file's columns that are not named after a field: the descriptions of the symbols of hidden columns,
 * and the folded forms of fields that ignore case or accents. Other tools see these names, so they must be unique.
 */
function hiddenColumnNames({ names, layout, schema }: Codec): readonly string[] {
  const all = [...names];
  const wanted = layout.hidden.map(({ description = "" }) => description);
  for (const field of schema.spellings.keys()) wanted.push(`${field}_folded`);
  for (let name of wanted) {
    while (all.includes(name)) name += "_";
    all.push(name);
  }
  return all.slice(names.length);
}

interface CodedColumn extends Pick<WrittenColumn, "ordered"> {
  readonly values: Values;
  readonly codes: Codes;
}

/**
 * A column to be written: as the rows have it, or encoded for this file.
 *
 * @param isOrdered whether to write the order of its rows even if they do not keep it
 */
function codedColumn(
  { rows, indexes }: Segment,
  name: ColumnName,
  type: FieldType,
  orders: Orders,
  isOrdered: boolean,
): CodedColumn {
  const own = rows.indexOf(name);
  const isMade = typeof name === "string" && indexes.names.ordered.has(name);
  const index = own ?? (isMade ? indexes.buildOrdered(name) : encodedColumn(rows, name, type));
  const { values } = index;
  const { codes, ordered } = index.copy();
  if (orders === "none") return { values, codes };
  if (ordered !== undefined) return { values, codes, ordered: () => stepsOf(ordered) };
  if (isOrdered || index.keepsOrder) {
    const read = () => ({ order: index.order, starts: index.starts });
    return { values, codes, ordered: () => stepsOf(read) };
  }
  const areMany = codes.length > tuning.manyRows && values.length > tuning.manyValues;
  if (orders !== "many" || !areMany) return { values, codes };
  return { values, codes, ordered: () => byCode(codes, values.length) };
}

/** A column that has no index, encoded for this file: its strings become bytes before they are sorted. */
function encodedColumn(rows: Rows, name: ColumnName, type: FieldType): FieldIndex {
  const { size } = rows;
  const read = rows.readerOf(name);
  if (isNumeric(type) && typeof name === "string") {
    return finish(buildingIndex(type, size, read, rows.numberReaderOf(name)));
  }
  const column = new StringColumn(String(name));
  column.grow(size);
  for (let row = 0; row < size; row++) setValue(column, row, read(row));
  const { values, codes } = column.finish(size);
  return indexOfCodes(type, values, codes);
}

/**
 * The postings of a field to be written: as the rows have them, or made for this file.
 *
 * @param isUsed whether to write them even if the rows have none
 */
function* trigramsOf(
  { rows, indexes, size }: Segment,
  name: string,
  isUsed: boolean,
): Steps<LazyTrigrams | undefined> {
  const own = rows.postingsOf(name);
  if (own !== undefined) return own instanceof FilePostings ? copied(own) : trigramBytes(own);
  if (!isUsed) return undefined;
  const index = indexes.upToDate("trigram", name);
  const { all } = index ?? (yield* TrigramIndex.building(size, rows.readerOf(name)));
  return trigramBytes(all);
}

/** How many bytes of postings are copied at once. */
const COPIED_AT_ONCE = 1 << 20;

/** Postings as a file has them. */
function copied(own: FilePostings): LazyTrigrams {
  const { starts, bytes } = own.copy();
  function* pieces(): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += COPIED_AT_ONCE) {
      yield bytes.copy(at, Math.min(bytes.length, at + COPIED_AT_ONCE));
    }
  }
  return { starts: () => starts, bytes: { length: bytes.length, pieces } };
}

/** The dictionaries of all columns: one for all columns with the same values. */
class Dictionaries {
  readonly all: WrittenDictionary[] = [];
  readonly #values: Values[] = [];

  /** Returns the number of the dictionary. */
  add(type: Storage, values: Values, as?: WrittenType): number {
    const same = this.#values.findIndex((others, number) => {
      const known = this.all[number];
      return known?.type === type && known.as?.name === as?.name && isSame(others, values);
    });
    if (same >= 0) return same;
    this.#values.push(values);
    const read = () => stepsOf(() => bytesOf(values));
    const isLarge = type === "string" && mostTextBytes(values) > narrowLimits.text;
    return this.all.push({ type, as, isLarge, values: values.length, read }) - 1;
  }
}

function bytesOf(values: Values): EncodedValues | LazyValues {
  if (values instanceof MergedValues) {
    const large = values.large.encoded?.(true);
    if (large !== undefined) return encodeMerged(large, values);
  }
  return encodeValues(values);
}

function isSame(a: Values, b: Values): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  if (a instanceof MergedValues && b instanceof MergedValues && a.large === b.large) {
    const { from, small } = b;
    return a.from.every((code, i) => code === from[i]) && isSame(a.small, small);
  }
  for (let i = 0; i < a.length; i++) if (a.at(i) !== b.at(i)) return false;
  return true;
}
