// Saves a collection: every field as a coded column. What has an index is coded already; the other
// fields are coded for the file, and nothing of that stays in memory.

import type { Collection, CollectionState } from "../../collection/collection.ts";
import type { Schema } from "../../schema/schema.ts";
import { finish } from "../../collection/algorithms/steps.ts";
import { FieldIndex } from "../../collection/index/field-index.ts";
import type { CopiedParts, EncodedValues, Values } from "../../collection/index/index-parts.ts";
import { MergedValues } from "../../collection/index/merge.ts";
import { TrigramIndex } from "../../collection/index/trigram-index.ts";
import type { Codec } from "../../collection/records/codec.ts";
import type { ColumnName } from "../../collection/records/rows.ts";
import type { Segment } from "../../collection/snapshot/segment.ts";
import type { FieldType } from "../../schema/field.ts";
import { oneOf, optional, readOptions, type OptionReaders } from "../../schema/options.ts";
import { FilePostings } from "../read/file-postings.ts";
import { writeSchema } from "../schema-json.ts";
import type { TrigramBytes } from "../trigrams.ts";
import { encodeMerged, encodeValues } from "./encode-values.ts";
import { joined, writeTable, type WrittenColumn, type WrittenDictionary } from "./table.ts";
import { trigramBytes } from "./trigrams.ts";

export interface SaveOptions {
  /**
   * The fields for which the order of their rows is saved, four bytes a row and more: it takes a
   * tenth of a second to make again for a million. `"used"`: those that have an ordered index now.
   * Default `"used"`.
   */
  readonly orders?: "used" | "all" | "none" | undefined;
  /**
   * The fields whose index of substrings is saved, by which `contains` and `ends_with` find rows: some 20
   * bytes a row for an email address; making it again for a million takes a second. `"used"`: those
   * that have one now. Default `"used"`.
   */
  readonly trigrams?: "used" | "none" | undefined;
}

type Orders = "used" | "all" | "none";
type Trigrams = "used" | "none";

const saveOptions: OptionReaders<{ orders: Orders; trigrams: Trigrams }> = {
  orders: optional(oneOf("used", "all", "none"), "used"),
  trigrams: optional(oneOf("used", "none"), "used"),
};

/**
 * A collection as the bytes of an Arrow file, which {@link openCollection} opens.
 * Cost: that of coding the fields that have no index, about as much as `prepare` takes for them; a
 * collection that was changed is compacted for it first. {@link collectionPieces} needs less memory.
 *
 * @throws InputError where an option is not valid; FileError where the distinct strings of a field
 *   take more than 2 GiB
 */
export function saveCollection<S extends Schema, Input>(
  collection: Collection<S, Input>,
  options: SaveOptions = {},
): Uint8Array {
  return joined(collectionPieces(collection, options));
}

/**
 * The bytes of {@link saveCollection} piece by piece, so that they need not be in memory together.
 *
 * @returns pieces to be written one after the other, and not to be changed: some are what the
 *   collection itself holds
 */
export function collectionPieces<S extends Schema, Input>(
  collection: Collection<S, Input>,
  options: SaveOptions = {},
): Iterable<Uint8Array> {
  return piecesOf(collection.state, readOptions(options, "options", saveOptions));
}

/**
 * @internal The bytes of a file, with a note in its directory for whoever opens it.
 *
 * @param note as JSON has it
 */
export function* piecesOf(
  { codec, snapshot }: CollectionState,
  { orders, trigrams }: { readonly orders: Orders; readonly trigrams: Trigrams },
  note?: unknown,
): Generator<Uint8Array, void> {
  const { ordered: used, trigram: searched } = snapshot.segments[0].indexes.names;
  const { segments, nextKey } = snapshot.compact();
  const [segment] = segments;
  const dictionaries = new Dictionaries();
  const names = columnNames(codec);
  const columns = codec.schema.places.map(({ name, field }): WrittenColumn => {
    const isOrdered = orders === "all" || (orders === "used" && used.has(name));
    const { values, ...column } = codedColumn(segment, name, field.type, orders, isOrdered);
    const dictionary = dictionaries.add(field.type, values, name);
    const postings =
      trigrams === "none" ? undefined : () => trigramsOf(segment, name, searched.has(name));
    const { nullable } = field;
    return { name, hidden: false, nullable, dictionary, ...column, trigrams: postings };
  });
  for (const column of codec.layout.hidden) {
    const name = names[columns.length] ?? "";
    const { values, codes } = codedColumn(segment, column, "string", "none", false);
    const dictionary = dictionaries.add("string", values, name);
    columns.push({ name, hidden: true, nullable: true, dictionary, codes });
  }
  yield* writeTable({
    rows: segment.size,
    nextKey,
    keys: segment.keys && Float64Array.from(segment.keys),
    schema: writeSchema(codec.schema),
    note,
    dictionaries: dictionaries.all,
    columns,
  });
}

/**
 * What the columns of a file are called: as their fields, and those that are of no field by what their symbols
 * say. Other tools see these, too: they must not be called as another column.
 */
function columnNames({ names, layout }: Codec): readonly string[] {
  const all = [...names];
  for (const { description = "" } of layout.hidden) {
    let name = description;
    while (all.includes(name)) name += "_";
    all.push(name);
  }
  return all;
}

interface CodedColumn extends CopiedParts {
  readonly values: Values;
}

/**
 * A column as it is written: as the rows bring it along, or coded for this once.
 *
 * @param isOrdered whether the order of its rows is written even where they do not keep it
 */
function codedColumn(
  { rows, indexes, size }: Segment,
  name: ColumnName,
  type: FieldType,
  orders: Orders,
  isOrdered: boolean,
): CodedColumn {
  const own = rows.indexOf(name);
  const isMade = typeof name === "string" && indexes.names.ordered.has(name);
  const index =
    own ??
    (isMade
      ? indexes.buildOrdered(name)
      : finish(FieldIndex.building(type, size, rows.readerOf(name))));
  const { values } = index;
  const { codes, order, starts } = index.parts.copy();
  if (orders === "none") return { values, codes };
  if (order !== undefined) return { values, codes, order, starts };
  if (!isOrdered && !(orders === "used" && index.parts.keepsOrder)) return { values, codes };
  return { values, codes, order: index.order, starts: index.starts };
}

/**
 * The postings of a field as they are written: those that the rows bring along, or made for this once.
 *
 * @param isUsed whether they are written even where the rows bring none
 */
function trigramsOf(
  { rows, indexes, size }: Segment,
  name: string,
  isUsed: boolean,
): TrigramBytes | undefined {
  const own = rows.postingsOf(name);
  if (own !== undefined) return own instanceof FilePostings ? own.copy() : trigramBytes(own);
  if (!isUsed) return undefined;
  const index = indexes.there("trigram", name);
  const { all } = index ?? finish(TrigramIndex.building(size, rows.readerOf(name)));
  return trigramBytes(all);
}

/** The dictionaries of all columns: one for those whose values are the same. */
class Dictionaries {
  readonly all: WrittenDictionary[] = [];
  readonly #values: Values[] = [];

  /** Returns the number of the dictionary. */
  add(type: FieldType, values: Values, name: string): number {
    const same = this.#values.findIndex(
      (others, number) => this.all[number]?.type === type && isSame(others, values),
    );
    if (same >= 0) return same;
    this.#values.push(values);
    const read = () => bytesOf(type, values, name);
    return this.all.push({ type, values: values.length, read }) - 1;
  }
}

function bytesOf(type: FieldType, values: Values, name: string): EncodedValues {
  if (values.encoded !== undefined) return values.encoded();
  if (values instanceof MergedValues) {
    const large = values.large.encoded?.(true);
    if (large !== undefined) return encodeMerged(large, values, type, name);
  }
  return encodeValues(type, values, name);
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
