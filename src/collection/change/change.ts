// The changes that make a snapshot from another. Each is checked completely before anything is made, so an
// error leaves nothing behind.

import { holdHiddenClassOf } from "../algorithms/hidden-class.ts";
import { describe, InputError, member } from "../../schema/errors.ts";
import {
  comparisonText,
  fromWire,
  wireOfHeld,
  type FieldValue,
  type WireValue,
} from "../../schema/field.ts";
import { reading } from "../../schema/input.ts";
import { isEqualJson } from "../../schema/json.ts";
import type { Place } from "../../schema/place.ts";
import { wireColumn, type FieldChange } from "../../schema/schema.ts";
import type { Codec } from "../records/codec.ts";
import { selectedBySegment, selectedRows } from "../execute/answer.ts";
import type { Document, DocumentReader } from "../records/layout.ts";
import { ALONE, ANY_CODEC, Loader, RecordSink, type RowSink } from "../records/loader.ts";
import { patchedRows } from "./apply-patches.ts";
import { changedDocument, readFieldChanges } from "./field-changes.ts";
import type { PlacedPatch } from "./read-patches.ts";
import type { ParsedQuery } from "../plan/query.ts";
import { runRecipe } from "./recipe.ts";
import { locationOf } from "./unique.ts";
import type { ObjectRows } from "../records/object-rows.ts";
import type { Segment } from "../snapshot/segment.ts";
import { keysOf, type Edit, type RowsBySegment } from "../snapshot/edit.ts";
import type { Location, Snapshot } from "../snapshot/snapshot.ts";
import type { Change, Versioned } from "./version.ts";

/**
 * New records at the end.
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
  new Loader(before.codec, sink).add(records, name, layout);
  return append(before, sink.finish(), name, (row) => `${name}[${row}]`);
}

/** A new record at the end. */
export function insertOne(before: Versioned, record: unknown): Change {
  const sink = new RecordSink(before.codec);
  new Loader(before.codec, sink).addOne(record, "record", ALONE);
  return append(before, sink.finish(), "record", () => "record");
}

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
  new InputError(name, "there are no keys left for them", { code: "limit" });

/** A recipe run on each record that a query selects. */
export function update(
  before: Versioned,
  query: ParsedQuery,
  recipe: (draft: unknown) => unknown,
): Change {
  const { snapshot, codec } = before;
  const editing = new Editing(codec);
  for (const location of selectedRows(snapshot, query)) {
    const { segment, row } = location;
    const key = segment.keyOf(row);
    const document = codec.write(segment.rows, row);
    const next = runRecipe(document, recipe, `rows[${key}]`);
    if (next === document) continue;
    editing.replace(key, location, document, next);
    codec.kept = [document, next];
  }
  return commit("update", before, editing.finish());
}

/** Changes of fields made in each record that a query selects. */
export function updateFields(before: Versioned, query: ParsedQuery, given: unknown): Change {
  const { snapshot, codec } = before;
  const changes = readFieldChanges(given, codec);
  const { fields, isIndependent } = changes;
  const editing = new Editing(codec);
  let segment: Segment | undefined;
  let isSame: (row: number) => boolean = () => true;
  for (const location of selectedRows(snapshot, query)) {
    const { row } = location;
    if (!isIndependent) {
      const document = codec.write(location.segment.rows, row);
      const key = location.segment.keyOf(row);
      editing.replace(key, location, document, changedDocument(document, changes));
      continue;
    }
    if (location.segment !== segment) {
      ({ segment } = location);
      isSame = comparing(segment, fields);
    }
    if (!isSame(row)) editing.change(location, fields);
  }
  return commit("update", before, editing.finish(), isIndependent ? fields : codec.unique);
}

/** Whether a row has the values that changes give it. */
function comparing(
  { schema, rows }: Segment,
  fields: readonly FieldChange[],
): (row: number) => boolean {
  const tests = fields.map(({ name, field, wire }) => {
    const read = rows.readerOf(wireColumn(schema, name));
    if (field.type !== "json" || wire === null) return (row: number) => read(row) === wire;
    const value = fromWire(field, wire);
    return (row: number) => {
      const text = read(row);
      return text === wire || (text !== null && isEqualJson(fromWire(field, text), value));
    };
  });
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  return (row) => tests.every((test) => test(row));
}

/**
 * Records that replace those with the same value in a unique field, or are added at the end if there are
 * none.
 *
 * @param by the unique field
 * @param isOne whether the records are a single one
 */
export function upsert(before: Versioned, records: unknown, by: string, isOne: boolean): Change {
  const sink = new UpsertSink(before, by);
  const loader = new Loader(before.codec, sink);
  if (isOne) loader.addOne(records, "record", ALONE);
  else loader.add(records);
  return commit(
    "upsert",
    before,
    sink.finish((i) => (isOne ? "record" : `records[${i}]`)),
  );
}

/** Receives rows, and finds those that they replace. */
class UpsertSink implements RowSink {
  readonly #before: Versioned;
  readonly #by: Place;
  readonly #put: Upserted[] = [];
  #given = 0;
  #nextKey: number;

  constructor(before: Versioned, by: string) {
    this.#before = before;
    this.#by = before.codec.unique.find(({ name }) => name === by)!;
    this.#nextKey = before.snapshot.nextKey;
  }

  add(values: readonly FieldValue[]): void {
    const { snapshot, codec } = this.#before;
    const { name, position, field } = this.#by;
    const given = this.#given++;
    const value = comparisonText(field, wireOfHeld(field, values[position] ?? null));
    const replaced = locationOf(snapshot, name, value);
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

/** A row to be put somewhere. */
interface Upserted {
  readonly key: number;
  /** Its number among the given records. */
  readonly given: number;
  readonly replaced: Location | undefined;
  readonly values: readonly FieldValue[];
}

/** Without the records that a query selects. */
export function remove(before: Versioned, query: ParsedQuery): Change {
  return commit("remove", before, {
    removed: selectedBySegment(before.snapshot, query),
    added: new RecordSink(before.codec).finish(),
    keys: [],
    pathOf: () => "rows",
  });
}

/** The records with patches applied. */
export function applyPatches(before: Versioned, patches: Iterable<PlacedPatch>): Change {
  const editing = new Editing(before.codec);
  for (const { key, location, before: old, document, isWhole } of patchedRows(patches, before)) {
    if (document === undefined) {
      if (location !== undefined) editing.removed.add(location);
    } else if (location === undefined || old === undefined) editing.add(key, document);
    else if (isWhole) editing.put(key, location, old, document);
    else editing.replace(key, location, old, document);
  }
  return commit("applyPatches", before, editing.finish());
}

/** The same records in one segment. */
export function compact({ snapshot }: Versioned): Change {
  const after = snapshot.compact();
  for (const { indexes } of after.segments) indexes.buildDue();
  return { by: "compact", before: snapshot, after, keys: () => [] };
}

interface NamedEdit extends Edit {
  /** The name of an added row in errors. */
  readonly pathOf: (row: number) => string;
}

/** Collects rows that are removed or replaced, in the order of their keys. */
class Removed {
  readonly rows = new Map<Segment, number[]>();

  add({ segment, row }: Location): void {
    const own = this.rows.get(segment);
    if (own === undefined) this.rows.set(segment, [row]);
    else own.push(row);
  }
}

/** Collects rows that replace others, in the order of their keys. */
class Editing {
  readonly removed = new Removed();
  readonly #codec: Codec;
  readonly #sink: RecordSink;
  readonly #loader: Loader;
  readonly #keys: number[] = [];

  constructor(codec: Codec) {
    this.#codec = codec;
    this.#sink = new RecordSink(codec);
    this.#loader = new Loader(codec, this.#sink);
  }

  add(key: number, document: unknown): void {
    this.#loader.addOne(document, "rows", key);
    this.#keys.push(key);
  }

  /** Replaces a row's document, unless the new one has the same values. */
  put(key: number, location: Location, before: Document, document: unknown): void {
    const { segment, row } = location;
    const replaced = { rows: segment.rows, row, document: before };
    if (!this.#loader.addOne(document, "rows", key, replaced)) return;
    this.#keys.push(key);
    this.removed.add(location);
  }

  /** Like `put`, for a changed document: values derived from the changed ones may be stale. */
  replace(key: number, location: Location, before: Document, document: unknown): void {
    const { segment, row } = location;
    const record = segment.rows.record(row);
    const revised = reading(`rows[${key}]`, () => this.#codec.revise(document, record));
    this.put(key, location, before, revised);
  }

  /** Changes fields of a row on which nothing else depends, to values that it does not have. */
  change(location: Location, fields: readonly FieldChange[]): void {
    const { segment, row } = location;
    const key = segment.keyOf(row);
    const [first] = this.#keys;
    const unique = first === undefined ? undefined : fields.find(({ field }) => field.unique);
    if (unique !== undefined) {
      throw new InputError(
        member(`rows[${key}]`, unique.name),
        `${describe(unique.wire)} is already that of rows[${first}]`,
        { code: "duplicate" },
      );
    }
    this.#sink.addChanged(segment.rows, row, fields);
    this.#keys.push(key);
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

/** @param changed the fields that may have changed */
function commit(
  by: Change["by"],
  { snapshot: before, codec }: Versioned,
  edit: NamedEdit,
  changed: readonly Place[] = codec.unique,
): Change {
  const { removed, keys } = edit;
  if (removed.size === 0 && keys.length === 0) {
    return { by, before, after: before, keys: () => [] };
  }
  if (keys.length > 0) {
    for (const { name, field } of changed) if (field.unique) holdUnique(before, edit, name);
  }
  return {
    by,
    before,
    after: before.with(edit),
    keys: () => keysOf(removed).concat(keys),
  };
}

/** Refuses a new value of a unique field if another row keeps that value. */
function holdUnique(snapshot: Snapshot, { added, pathOf, removed }: NamedEdit, name: string): void {
  const read = added.readerOf(name);
  const freed = new Set<WireValue>();
  removed.forEach((rows, segment) => {
    const readFreed = segment.readerOf(name);
    for (let i = 0; i < rows.length; i++) freed.add(readFreed(rows[i]!));
  });
  for (let row = 0; row < added.size; row++) {
    const value = read(row);
    // Each value belonged to one row. If that row goes, the value is free.
    if (freed.has(value)) continue;
    if (locationOf(snapshot, name, value) !== undefined) {
      throw new InputError(
        member(pathOf(row), name),
        `${describe(value)} is already that of another record`,
        { code: "duplicate" },
      );
    }
  }
}

holdHiddenClassOf(new Editing(ANY_CODEC));
