// The changes that make a snapshot from another. Each is checked as a whole before anything is
// made of it: an error leaves nothing behind.

import { describe, InputError, member } from "../../schema/errors.ts";
import type { WireValue } from "../../schema/field.ts";
import { reading } from "../../schema/input.ts";
import type { Codec } from "../records/codec.ts";
import { forEachRow } from "../execute/merge-segments.ts";
import { Loader } from "../records/loader.ts";
import { patchedRows, type PlacedPatch } from "./patch.ts";
import type { ParsedQuery } from "../plan/query.ts";
import { runRecipe } from "./recipe.ts";
import { readerOf, type Rows } from "../records/rows.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { Location, Snapshot } from "../snapshot/snapshot.ts";

/** The snapshot with new records at its end. */
export function insert(
  snapshot: Snapshot,
  codec: Codec,
  records: unknown,
  name = "records",
  group?: number,
): Snapshot {
  const loader = new Loader(codec);
  loader.add(records, name, group);
  const rows = loader.finish();
  if (snapshot.nextKey + rows.records.length > Number.MAX_SAFE_INTEGER) {
    throw new InputError("records", "there are no keys left for them");
  }
  const keys = rows.records.map((_, i) => snapshot.nextKey + i);
  const pathOf = (row: number) => `${name}[${row}]`;
  return commit(snapshot, codec, { gone: [], rows, keys, pathOf });
}

/** The snapshot with a recipe run on each record that a query selects. */
export function update(
  snapshot: Snapshot,
  codec: Codec,
  query: ParsedQuery,
  recipe: (draft: unknown) => unknown,
): Snapshot {
  const editing = new Editing(codec);
  for (const location of locationsOf(snapshot, query)) {
    const { segment, row } = location;
    const key = segment.keyOf(row);
    const document = codec.write(segment.rows, row);
    const next = runRecipe(document, recipe, `rows[${key}]`);
    if (next !== document) editing.put(key, location, editing.revise(key, location, next));
  }
  return commit(snapshot, codec, editing.finish());
}

/** The snapshot without the records that a query selects. */
export function remove(snapshot: Snapshot, codec: Codec, query: ParsedQuery): Snapshot {
  const editing = new Editing(codec);
  for (const location of locationsOf(snapshot, query)) editing.gone.push(location);
  return commit(snapshot, codec, editing.finish());
}

/** The snapshot that patches make. */
export function applyPatches(
  snapshot: Snapshot,
  codec: Codec,
  patches: Iterable<PlacedPatch>,
): Snapshot {
  const editing = new Editing(codec);
  for (const { key, location, document, isWhole } of patchedRows(patches, snapshot, codec)) {
    if (document === undefined) {
      if (location !== undefined) editing.gone.push(location);
    } else if (location === undefined || isWhole) editing.put(key, location, document);
    else editing.put(key, location, editing.revise(key, location, document));
  }
  return commit(snapshot, codec, editing.finish());
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
  readonly #loader: Loader;
  readonly #keys: number[] = [];

  constructor(codec: Codec) {
    this.#codec = codec;
    this.#loader = new Loader(codec);
  }

  /** A changed row's document without what follows from what was changed. */
  revise(key: number, { segment, row }: Location, document: unknown): unknown {
    const before = segment.rows.records[row]!;
    return reading(`rows[${key}]`, () => this.#codec.revise(document, before));
  }

  put(key: number, replaced: Location | undefined, document: unknown): void {
    const place = replaced && { rows: replaced.segment.rows, row: replaced.row };
    this.#loader.addOne(document, "rows", key, place);
    this.#keys.push(key);
    if (replaced !== undefined) this.gone.push(replaced);
  }

  finish(): Edit {
    const keys = this.#keys;
    return {
      gone: this.gone,
      rows: this.#loader.finish(),
      keys,
      pathOf: (row) => `rows[${keys[row]!}]`,
    };
  }
}

function locationsOf(snapshot: Snapshot, query: ParsedQuery): Location[] {
  const locations: Location[] = [];
  forEachRow(snapshot, query, (segment, rows, from, to) => {
    for (let i = from; i < to; i++) locations.push({ segment, row: rows[i]! });
  });
  return locations;
}

function commit(snapshot: Snapshot, codec: Codec, edit: Edit): Snapshot {
  const { gone, rows, keys } = edit;
  if (gone.length === 0 && keys.length === 0) return snapshot;
  const rowsOf = new Map<Segment, number[]>();
  for (const { segment, row } of gone) {
    const list = rowsOf.get(segment);
    if (list === undefined) rowsOf.set(segment, [row]);
    else list.push(row);
  }
  const dead = new Map(Array.from(rowsOf, ([segment, list]) => [segment, Uint32Array.from(list)]));
  for (const { name } of codec.unique) holdUnique(snapshot, codec, edit, name);
  return snapshot.with({ dead, added: rows, keys });
}

/** Refuses a new value of a unique field that a row has which stays. */
function holdUnique(
  snapshot: Snapshot,
  { schema }: Codec,
  { rows, pathOf, gone }: Edit,
  name: string,
): void {
  const read = readerOf(schema, rows)(name);
  const freed = new Set(gone.map(({ segment, row }) => segment.readerOf(name)(row)));
  for (let row = 0; row < rows.records.length; row++) {
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
  const { dead, size } = segment;
  if (segment.isSmall) {
    const read = segment.readerOf(field);
    for (let row = 0; row < size; row++) if (!dead.has(row) && read(row) === value) return true;
    return false;
  }
  const index = segment.indexes.buildOrdered(field);
  const code = index.codeOf(value);
  if (code < 0) return false;
  const run = index.order.subarray(index.starts[code], index.starts[code + 1]);
  return run.some((row) => !dead.has(row));
}
