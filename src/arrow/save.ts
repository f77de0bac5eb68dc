// Saves a collection: every field as a coded column. What has an index is coded already; the other
// fields are coded for the file, and nothing of that stays in memory.

import type { Collection, CollectionState } from "../collection/collection.ts";
import type { Schema } from "../schema/schema.ts";
import { finish } from "../collection/algorithms/steps.ts";
import { FieldIndex } from "../collection/index/field-index.ts";
import type { Values } from "../collection/index/index-parts.ts";
import type { Segment } from "../collection/snapshot/segment.ts";
import type { FieldType } from "../schema/field.ts";
import { alternatives, describe, InputError } from "../schema/errors.ts";
import { readMembers } from "../schema/input.ts";
import { columnNames } from "./column-names.ts";
import { dictionaryBytes } from "./dictionary-bytes.ts";
import { writeSchema } from "./schema-json.ts";
import { writeTable, type WrittenColumn, type WrittenDictionary } from "./write.ts";

export interface SaveOptions {
  /**
   * The fields for which the order of their rows is saved, four bytes a row and more: it takes a
   * tenth of a second to make again for a million. `"used"`: those that have an ordered index now.
   * Default `"used"`.
   */
  readonly orders?: "used" | "all" | "none" | undefined;
}

const ORDERS = ["used", "all", "none"] as const;

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
  const pieces = [...collectionPieces(collection, options)];
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
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
  const { orders: given } = readMembers(options, "options", ["orders"]);
  const orders = ORDERS.find((each) => each === (given ?? "used"));
  if (orders === undefined) {
    throw new InputError(
      "options.orders",
      `must be ${alternatives(ORDERS)}, not ${describe(given)}`,
    );
  }
  return piecesOf(collection.state, orders);
}

/**
 * @internal The bytes of a file, with a note in its directory for whoever opens it.
 *
 * @param note as JSON has it
 */
export function* piecesOf(
  { codec, snapshot }: CollectionState,
  orders: (typeof ORDERS)[number],
  note?: unknown,
): Generator<Uint8Array, void> {
  const { segments, nextKey } = snapshot.compact();
  const [segment] = segments;
  const dictionaries = new Dictionaries();
  const names = columnNames(codec);
  const columns = codec.schema.places.map(({ name, field }): WrittenColumn => {
    const { values, codes, order, starts } = indexOf(segment, name, field.type);
    const isUsed = segment.indexes.names.ordered.has(name);
    return {
      name,
      hidden: false,
      nullable: field.nullable,
      dictionary: dictionaries.add(field.type, values, name),
      codes,
      ...(orders === "all" || (orders === "used" && isUsed) ? { order, starts } : {}),
    };
  });
  for (const column of codec.layout.hidden) {
    const name = names[columns.length] ?? "";
    const read = segment.rows.readerOf(column);
    const { values, codes } = finish(FieldIndex.building("string", segment.size, read));
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

/** The index of a field: the segment's own, or one that is made for this once. */
function indexOf(
  { rows, indexes, size, readerOf }: Segment,
  field: string,
  type: FieldType,
): FieldIndex {
  return rows.records === undefined || indexes.names.ordered.has(field)
    ? indexes.buildOrdered(field)
    : finish(FieldIndex.building(type, size, readerOf(field)));
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
    const read = () => dictionaryBytes(type, values, name);
    return this.all.push({ type, values: values.length, read }) - 1;
  }
}

function isSame(a: Values, b: Values): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a.at(i) !== b.at(i)) return false;
  return true;
}
