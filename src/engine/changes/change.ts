// The changes that make one snapshot from another. Each is checked completely before anything is made, so a failed
// change has no effect.

import { holdHiddenClassOf } from "../algorithms/hidden-class.ts";
import { InputError } from "../../schema/errors.ts";
import type { FieldValue, TextValue } from "../../schema/field.ts";
import { reading } from "../../schema/input.ts";
import { textFormColumn } from "../../schema/names.ts";
import type { FieldChange } from "../../schema/schema.ts";
import type { Codec } from "../columns/codec.ts";
import type { Document, DocumentReader } from "../columns/layout.ts";
import { duplicate, uniqueText, type UniqueConstraint } from "../../schema/unique.ts";
import { UniqueValues } from "../columns/unique-values.ts";
import { NO_INDEX, ANY_CODEC, Loader, RecordSink, type RowSink } from "../columns/loader.ts";
import { patchedRows } from "./apply-patches.ts";
import { changedDocument, readFieldChanges } from "./field-changes.ts";
import type { PlacedPatch } from "./read-patches.ts";
import type { ParsedQuery } from "../query.ts";
import { firstRows } from "./first-rows.ts";
import { mergedRecord, mergedRecords } from "./merged-record.ts";
import { runRecipe } from "./recipe.ts";
import { locationOf } from "./unique.ts";
import type { ObjectRows } from "../columns/object-rows.ts";
import type { Segment } from "../versions/segment.ts";
import type { Edit, RowsBySegment } from "../versions/edit.ts";
import { NO_IDS, type LastIds } from "../columns/last-ids.ts";
import type { Location, Snapshot } from "../versions/snapshot.ts";
import { deltaOfEdit, type Versioned } from "./delta.ts";
import type { Change } from "./transition.ts";
import { selectedRows, selectedBySegment } from "../execution/selected-rows.ts";

/**
 * Inserts records at the end.
 *
 * @param name their name in errors
 * @param layout of their documents; default: that of the codec
 */
export function insert(
  before: Versioned,
  records: unknown,
  name = "records",
  layout?: DocumentReader,
): Change {
  const sink = new RecordSink(before.codec);
  loaderInto(before, sink).add(records, name, layout);
  return append(before, sink.finish(), name, (row) => `${name}[${row}]`);
}

/** Inserts a record at the end. */
export function insertOne(before: Versioned, record: unknown): Change {
  const sink = new RecordSink(before.codec);
  loaderInto(before, sink).addOne(record, "record", NO_INDEX);
  return append(before, sink.finish(), "record", () => "record");
}

/** A loader that numbers records after those of a version. */
const loaderInto = ({ codec, snapshot }: Versioned, sink: RowSink): Loader =>
  new Loader(codec, sink, undefined, snapshot.lastIds);

function append(
  before: Versioned,
  rows: ObjectRows,
  name: string,
  pathOf: NamedEdit["pathOf"],
): Change {
  const { snapshot } = before;
  if (snapshot.nextKey + rows.size > Number.MAX_SAFE_INTEGER) {
    throw noKeysLeft(name);
  }
  const keys = rows.records.map((_, i) => snapshot.nextKey + i);
  return commit("insert", before, { removed: NO_ROWS, added: rows, keys, pathOf });
}

const NO_ROWS: RowsBySegment = new Map();

const noKeysLeft = (name: string) =>
  new InputError(name, "no keys are left for them", { code: "limit" });

/** Runs a recipe on each record that a query selects. */
export function update(
  before: Versioned,
  query: ParsedQuery,
  recipe: (draft: unknown) => unknown,
): Change {
  const { snapshot, codec } = before;
  const editing = new Editing(codec, snapshot.lastIds);
  for (const location of selectedRows(snapshot, query)) {
    const { segment, row } = location;
    const key = segment.keyOf(row);
    const document = codec.write(segment.rows, row);
    const next = runRecipe(document, recipe, `rows[${key}]`);
    if (next === document) continue;
    editing.replace(key, location, document, next);
  }
  return commit("update", before, editing.finish());
}

/** Sets fields of each record that a query selects. */
export function updateFields(before: Versioned, query: ParsedQuery, given: unknown): Change {
  const { snapshot, codec } = before;
  const changes = readFieldChanges(given, codec);
  const { fields, isIndependent } = changes;
  const editing = new Editing(codec, snapshot.lastIds);
  for (const location of selectedRows(snapshot, query)) {
    const { segment, row } = location;
    if (isIndependent) {
      if (!codec.hasFields(segment.rows, row, fields)) editing.change(location, fields);
      continue;
    }
    const document = codec.write(segment.rows, row);
    const next = changedDocument(document, changes, codec.layout);
    editing.replace(segment.keyOf(row), location, document, next);
  }
  return commit("update", before, editing.finish(), isIndependent ? fields : undefined);
}

/**
 * Replaces the records with the same value in a unique field or combination; inserts the others at the end.
 *
 * @param by the unique field or combination
 * @param isOne whether a single record was given
 * @param isMerged whether omitted fields of replaced records keep their values
 */
export function upsert(
  before: Versioned,
  records: unknown,
  by: UniqueConstraint,
  isOne: boolean,
  isMerged = false,
): Change {
  const sink = new UpsertSink(before, by);
  const loader = loaderInto(before, sink);
  if (isOne) {
    const record = isMerged ? mergedRecord(before, records, by, "record") : records;
    loader.addOne(record, "record", NO_INDEX);
  } else loader.add(isMerged ? mergedRecords(before, records, by) : records);
  return commit(
    "upsert",
    before,
    sink.finish((i) => (isOne ? "record" : `records[${i}]`)),
  );
}

/** Receives rows, and finds the rows they replace. */
class UpsertSink implements RowSink {
  readonly #before: Versioned;
  readonly #by: UniqueConstraint;
  readonly #put: Upserted[] = [];
  #given = 0;
  #nextKey: number;

  constructor(before: Versioned, by: UniqueConstraint) {
    this.#before = before;
    this.#by = by;
    this.#nextKey = before.snapshot.nextKey;
  }

  add(values: readonly FieldValue[]): void {
    const { snapshot, codec } = this.#before;
    const given = this.#given++;
    const replaced = locationOf(snapshot, this.#by, uniqueText(this.#by, values));
    if (replaced !== undefined && codec.hasValues(replaced.segment.rows, replaced.row, values)) {
      return;
    }
    const key = replaced?.segment.keyOf(replaced.row) ?? this.#nextKey++;
    this.#put.push({ key, given, replaced, values: values.slice() });
  }

  finish(pathOf: (given: number) => string): NamedEdit {
    if (this.#nextKey > Number.MAX_SAFE_INTEGER) throw noKeysLeft("records");
    const put = this.#put.sort((a, b) => a.key - b.key);
    const sink = new RecordSink(this.#before.codec);
    const removed = new Removed();
    for (const { values, replaced } of put) {
      sink.add(values);
      if (replaced !== undefined) removed.add(replaced);
    }
    return {
      removed: removed.rows,
      added: sink.finish(),
      keys: put.map(({ key }) => key),
      pathOf: (row) => pathOf(put[row]!.given),
    };
  }
}

/** A row to insert or replace. */
interface Upserted {
  readonly key: number;
  /** Its position among the given records. */
  readonly given: number;
  readonly replaced: Location | undefined;
  readonly values: readonly FieldValue[];
}

/** Removes the records that a query selects. */
export function remove(before: Versioned, query: ParsedQuery): Change {
  return commit("remove", before, removing(before, selectedBySegment(before.snapshot, query)));
}

/** Removes the records that were inserted first. @param count at most as many as there are */
export function removeFirst(before: Versioned, count: number): Change {
  return commit("remove", before, removing(before, firstRows(before.snapshot, count)));
}

const removing = ({ codec }: Versioned, removed: RowsBySegment): NamedEdit => {
  return { removed, added: new RecordSink(codec).finish(), keys: [], pathOf: () => "rows" };
};

/** Applies patches to the records. */
export function applyPatches(before: Versioned, patches: Iterable<PlacedPatch>): Change {
  const { rows, nextKey, lastIds, isChecked, isReplay } = patchedRows(patches, before);
  const editing = new Editing(before.codec, lastIds, isReplay);
  for (const { key, location, before: old, document, isWhole } of rows) {
    if (document === undefined) {
      if (location !== undefined) editing.removed.add(location);
    } else if (location === undefined) editing.add(key, document);
    else if (old === undefined) editing.overwrite(key, location, document);
    else if (isWhole) editing.put(key, location, old, document);
    else editing.replace(key, location, old, document);
  }
  const compared = isChecked ? NO_FIELDS : undefined;
  return commit("applyPatches", before, editing.finish(), compared, { nextKey, lastIds });
}

const NO_FIELDS: readonly FieldChange[] = [];

/** Moves all records into one segment. */
export function compact({ snapshot }: Versioned): Change {
  const after = snapshot.compact();
  snapshot.cache.advance(snapshot, after, () => []);
  for (const { indexes } of after.segments) indexes.buildDue();
  return { by: "compact", before: snapshot, after, edit: undefined };
}

interface NamedEdit extends Edit {
  /** The name of an added row in errors. */
  readonly pathOf: (row: number) => string;
}

/** Collects removed or replaced rows, in the order of their keys. */
class Removed {
  readonly rows = new Map<Segment, number[]>();

  add({ segment, row }: Location): void {
    const own = this.rows.get(segment);
    if (own === undefined) this.rows.set(segment, [row]);
    else own.push(row);
  }
}

/** Collects replacement rows, in the order of their keys. */
class Editing {
  readonly removed = new Removed();
  readonly #codec: Codec;
  readonly #lastIds: LastIds;
  readonly #isReplaying: boolean;
  readonly #sink: RecordSink;
  #loader: Loader | undefined;
  readonly #keys: number[] = [];

  /** @param isReplaying whether the changes are those of a store, which checked the records before */
  constructor(codec: Codec, lastIds: LastIds, isReplaying = false) {
    this.#codec = codec;
    this.#isReplaying = isReplaying;
    this.#lastIds = lastIds;
    this.#sink = new RecordSink(codec);
  }

  /** Made when a document is read: changes of fields read none. */
  get #reader(): Loader {
    return (this.#loader ??= new Loader(
      this.#codec,
      this.#sink,
      undefined,
      this.#lastIds,
      this.#isReplaying,
    ));
  }

  add(key: number, document: unknown): void {
    this.#reader.addOne(document, "rows", key);
    this.#keys.push(key);
  }

  /** Replaces a row without reading it. */
  overwrite(key: number, location: Location, document: unknown): void {
    this.add(key, document);
    this.removed.add(location);
  }

  /** Replaces a row's document, unless the new one has the same values. */
  put(key: number, location: Location, before: Document, document: unknown): void {
    const { segment, row } = location;
    const replaced = { rows: segment.rows, row, document: before };
    if (!this.#reader.addOne(document, "rows", key, replaced)) return;
    this.#keys.push(key);
    this.removed.add(location);
  }

  /** Like `put`, for a changed document: values derived from the changed ones may be stale. */
  replace(key: number, location: Location, before: Document, document: unknown): void {
    const { segment, row } = location;
    const record = segment.rows.record(row);
    const revised = reading(`rows[${key}]`, () => this.#codec.invalidateDerived(document, record));
    this.put(key, location, before, revised);
  }

  /** Sets fields of a row that no other field depends on, to values that differ from the current ones. */
  change(location: Location, fields: readonly FieldChange[]): void {
    const { segment, row } = location;
    this.#sink.addChanged(segment.rows, row, fields);
    this.#keys.push(segment.keyOf(row));
    this.removed.add(location);
  }

  finish(): NamedEdit {
    const keys = this.#keys;
    return {
      removed: this.removed.rows,
      added: this.#sink.finish(),
      keys,
      pathOf: (row) => `rows[${keys[row]!}]`,
    };
  }
}

/**
 * @param fields those that were set in all added rows, if only these have changed and the rows have not been compared
 *   with each other
 */
function commit(
  by: Change["by"],
  { snapshot: before, codec }: Versioned,
  edit: NamedEdit,
  fields?: readonly FieldChange[],
  { nextKey, lastIds }: Pick<Snapshot, "nextKey" | "lastIds"> = before,
): Change {
  const { removed, keys } = edit;
  if (removed.size === 0 && keys.length === 0) {
    const after = before.countingFrom(nextKey, lastIds);
    before.cache.advance(before, after, () => []);
    return { by, before, after, edit: undefined };
  }
  if (keys.length > 0) {
    for (const constraint of codec.unique) {
      if (fields !== undefined && !isOfSome(constraint, fields)) continue;
      holdUnique(before, codec, edit, constraint, fields !== undefined);
    }
  }
  const after = before.with(edit).countingFrom(nextKey, lastIds);
  before.cache.advance(before, after, () => deltaOfEdit(edit));
  return { by, before, after, edit };
}

/** Whether one of the fields is of a constraint. */
function isOfSome({ places }: UniqueConstraint, fields: readonly FieldChange[]): boolean {
  return places.some(({ position }) => fields.some((each) => each.position === position));
}

/**
 * Throws if another row keeps a new value of a constraint, or an added one has it.
 *
 * @param isUnchecked whether the added rows have not been compared with each other
 */
function holdUnique(
  snapshot: Snapshot,
  { schema }: Codec,
  { added, pathOf, removed }: NamedEdit,
  constraint: UniqueConstraint,
  isUnchecked: boolean,
): void {
  const { name, places } = constraint;
  const read = added.readerOf(name);
  const spelled = added.readerOf(textFormColumn(schema, places[0].name));
  const seen = isUnchecked ? new UniqueValues() : undefined;
  const freed = new Set<TextValue>();
  removed.forEach((rows, segment) => {
    const readFreed = segment.readerOf(name);
    for (let i = 0; i < rows.length; i++) freed.add(readFreed(rows[i]!));
  });
  const refuse = (row: number, whose: string) =>
    duplicate(constraint, pathOf(row), spelled(row), whose);
  for (let row = 0; row < added.size; row++) {
    const value = read(row);
    const earlier = seen?.add(value) ?? -1;
    if (earlier >= 0) throw refuse(row, pathOf(earlier));
    // Null equals nothing (V13). Any other value belonged to one row: if that row is removed, the value is free.
    if (value === null || freed.has(value)) continue;
    if (locationOf(snapshot, constraint, value) === undefined) continue;
    throw refuse(row, "another record");
  }
}

// Without the loader, insertions take twice as long after a garbage collection.
holdHiddenClassOf(new Editing(ANY_CODEC, NO_IDS), new Loader(ANY_CODEC, new RecordSink(ANY_CODEC)));
