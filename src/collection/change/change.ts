// The changes that make a snapshot from another. Each is checked as a whole before anything is
// made of it: an error leaves nothing behind.

import { holdHiddenClassOf } from "../algorithms/hidden-class.ts";
import { describe, InputError, member } from "../../schema/errors.ts";
import type { WireValue } from "../../schema/field.ts";
import { reading } from "../../schema/input.ts";
import type { Codec } from "../records/codec.ts";
import { everyRow } from "../execute/answer.ts";
import { indexedRowOf, scannedRowOf } from "../execute/lookup.ts";
import type { Document, DocumentReader } from "../records/layout.ts";
import { ALONE, ANY_CODEC, Loader, RecordSink } from "../records/loader.ts";
import { patchedRows } from "./apply-patches.ts";
import type { PlacedPatch } from "./read-patches.ts";
import type { ParsedQuery } from "../plan/query.ts";
import { runRecipe } from "./recipe.ts";
import type { ObjectRows } from "../records/object-rows.ts";
import type { Rows } from "../records/rows.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { Location, Snapshot } from "../snapshot/snapshot.ts";

/** What a change starts from: a snapshot, and how its records are written. */
export interface Versioned {
  readonly snapshot: Snapshot;
  readonly codec: Codec;
}

/** What a change makes. */
export interface Commit {
  /** The same as before where nothing changed. */
  readonly snapshot: Snapshot;
  /** The keys of the rows that are not as they were, in any order, some of them twice. */
  readonly keys: () => readonly number[];
}

/**
 * New records at the end.
 *
 * @param name what they are called in errors
 * @param layout of their documents; default: that of the codec
 */
export function insert(
  before: Versioned,
  records: unknown,
  name = "records",
  layout?: DocumentReader,
): Commit {
  const sink = new RecordSink(before.codec);
  new Loader(before.codec, sink).add(records, name, layout);
  return appended(before, sink.finish(), name, (row) => `${name}[${row}]`);
}

/** A new record at the end. */
export function insertOne(before: Versioned, record: unknown): Commit {
  const sink = new RecordSink(before.codec);
  new Loader(before.codec, sink).addOne(record, "record", ALONE);
  return appended(before, sink.finish(), "record", () => "record");
}

function appended(
  before: Versioned,
  rows: ObjectRows,
  name: string,
  pathOf: Edit["pathOf"],
): Commit {
  const { snapshot } = before;
  if (snapshot.nextKey + rows.size > Number.MAX_SAFE_INTEGER) {
    throw new InputError(name, "there are no keys left for them");
  }
  const keys = rows.records.map((_, i) => snapshot.nextKey + i);
  return commit(before, { gone: [], rows, keys, pathOf });
}

/** A recipe run on each record that a query selects. */
export function update(
  before: Versioned,
  query: ParsedQuery,
  recipe: (draft: unknown) => unknown,
): Commit {
  const { snapshot, codec } = before;
  const editing = new Editing(codec);
  for (const location of everyRow(snapshot, query)) {
    const { segment, row } = location;
    const key = segment.keyOf(row);
    const document = codec.write(segment.rows, row);
    const next = runRecipe(document, recipe, `rows[${key}]`);
    if (next === document) continue;
    editing.replace(key, location, document, next);
    codec.kept = [document, next];
  }
  return commit(before, editing.finish());
}

/** Without the records that a query selects. */
export function remove(before: Versioned, query: ParsedQuery): Commit {
  const editing = new Editing(before.codec);
  for (const location of everyRow(before.snapshot, query)) editing.gone.push(location);
  return commit(before, editing.finish());
}

/** What patches make. */
export function applyPatches(before: Versioned, patches: Iterable<PlacedPatch>): Commit {
  const editing = new Editing(before.codec);
  for (const { key, location, before: old, document, isWhole } of patchedRows(patches, before)) {
    if (document === undefined) {
      if (location !== undefined) editing.gone.push(location);
    } else if (location === undefined || old === undefined) editing.add(key, document);
    else if (isWhole) editing.put(key, location, old, document);
    else editing.replace(key, location, old, document);
  }
  return commit(before, editing.finish());
}

/** The same records in one segment. */
export function compact({ snapshot }: Versioned): Commit {
  const compacted = snapshot.compact();
  for (const { indexes } of compacted.segments) indexes.buildDue();
  return { snapshot: compacted, keys: () => [] };
}

interface Edit {
  /** The rows that are removed or replaced. */
  readonly gone: readonly Location[];
  readonly rows: Rows;
  /** The keys of the rows, ascending. */
  readonly keys: readonly number[];
  /** What a row is called in errors. */
  readonly pathOf: (row: number) => string;
}

/** Collects rows that take the place of others, in the order of their keys. */
class Editing {
  readonly gone: Location[] = [];
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

  /** Puts a document in the place of a row's, unless it has the same values. */
  put(key: number, location: Location, before: Document, document: unknown): void {
    const { segment, row } = location;
    const replaced = { rows: segment.rows, row, document: before };
    if (!this.#loader.addOne(document, "rows", key, replaced)) return;
    this.#keys.push(key);
    this.gone.push(location);
  }

  /** As `put`, of a changed document: what follows from what was changed in it need not be. */
  replace(key: number, location: Location, before: Document, document: unknown): void {
    const { segment, row } = location;
    const record = segment.rows.record(row);
    const revised = reading(`rows[${key}]`, () => this.#codec.revise(document, record));
    this.put(key, location, before, revised);
  }

  finish(): Edit {
    const keys = this.#keys;
    return {
      gone: this.gone,
      rows: this.#sink.finish(),
      keys,
      pathOf: (row) => `rows[${keys[row]!}]`,
    };
  }
}

function commit({ snapshot, codec }: Versioned, edit: Edit): Commit {
  const { gone, rows, keys } = edit;
  if (gone.length === 0 && keys.length === 0) return { snapshot, keys: () => [] };
  if (keys.length > 0) for (const { name } of codec.unique) holdUnique(snapshot, edit, name);
  return {
    snapshot: snapshot.with({ gone, added: rows, keys }),
    keys: () => gone.map(({ segment, row }) => segment.keyOf(row)).concat(keys),
  };
}

/** Refuses a new value of a unique field that a row has which stays. */
function holdUnique(snapshot: Snapshot, { rows, pathOf, gone }: Edit, name: string): void {
  const read = rows.readerOf(name);
  const freed = new Set(gone.map(({ segment, row }) => segment.readerOf(name)(row)));
  for (let row = 0; row < rows.size; row++) {
    const value = read(row);
    // Each value was that of one row. Where that row goes, the value is free.
    if (freed.has(value)) continue;
    if (snapshot.segments.some((segment) => holds(segment, name, value))) {
      throw new InputError(
        member(pathOf(row), name),
        `${describe(value)} is already that of another record`,
      );
    }
  }
}

/** Whether a live row of a segment has a value. */
function holds(segment: Segment, field: string, value: WireValue): boolean {
  const row = segment.isJudged
    ? scannedRowOf(segment, field, value)
    : indexedRowOf(segment, segment.indexes.buildOrdered(field), value);
  return row >= 0;
}

holdHiddenClassOf(new Editing(ANY_CODEC));
