// Patches: what turned one collection into another, as plain JSON in the form that Immer's users
// know. A path starts with the key of a row, which is its own for life.

import { alternatives, describe, InputError, quote } from "../../schema/errors.ts";
import { isCount, iterate, readMembers, reading } from "../../schema/input.ts";
import type { WireRecord } from "../../schema/schema.ts";
import type { Codec } from "../records/codec.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { Location, Snapshot } from "../snapshot/snapshot.ts";

/**
 * A change: a record that was added, removed or replaced, at the path `[key]`; or a field of a
 * record, at the path `[key, field]`.
 */
export interface Patch {
  readonly op: "add" | "remove" | "replace";
  readonly path: readonly (string | number)[];
  /** A record as a whole, or the value of a field; in wire form. */
  readonly value?: unknown;
}

export interface Patches {
  /** Turn the collection before into the one after. */
  readonly patches: readonly Patch[];
  /** Turn it back. */
  readonly inversePatches: readonly Patch[];
}

/** A record as {@link Codec.write} writes it. */
export type Document = Readonly<Record<string, unknown>>;

/**
 * The patches between two snapshots.
 * Cost: what they share counts nothing, so it grows with the rows of segments that only one holds.
 */
export function patchesBetween(before: Snapshot, after: Snapshot, codec: Codec): Patches {
  const patches: Patch[] = [];
  const inversePatches: Patch[] = [];
  const write = ({ segment: { rows }, row }: Location): Document => codec.write(rows, row);
  for (const { key, old, young } of differences(before, after)) {
    const [before, after] = [old && write(old), young && write(young)];
    if (old === undefined || young === undefined) {
      addChanges(before, after, [key], patches, inversePatches);
      continue;
    }
    // Where a field would be revised on the way, the record as a whole says what it shall be.
    const isRevised = codec.revise(after, recordAt(old)) !== after;
    const isRevisedBack = codec.revise(before, recordAt(young)) !== before;
    addChanges(before, after, [key], isRevised ? [] : patches, isRevisedBack ? [] : inversePatches);
    if (isRevised) patches.push(patchOf(Object.freeze([key]), before, after));
    if (isRevisedBack) inversePatches.push(patchOf(Object.freeze([key]), after, before));
  }
  return { patches, inversePatches };
}

/** The versions of records that only one of two snapshots has, with the fields that they do not carry. */
export function* versionsBetween(
  before: Snapshot,
  after: Snapshot,
  codec: Codec,
): Generator<WireRecord, void> {
  for (const { old, young } of differences(before, after)) {
    if (old !== undefined) yield codec.flat(old.segment.rows, old.row);
    if (young !== undefined) yield codec.flat(young.segment.rows, young.row);
  }
}

interface Difference {
  readonly key: number;
  readonly old: Location | undefined;
  readonly young: Location | undefined;
}

/** The rows that are not the same in two snapshots, in the order of keys. */
function* differences(before: Snapshot, after: Snapshot): Generator<Difference> {
  const gone = locationsIn(before, after);
  const come = locationsIn(after, before);
  let old = gone.next().value;
  let young = come.next().value;
  while (old !== undefined || young !== undefined) {
    const key = Math.min(keyOf(old), keyOf(young));
    const difference = {
      key,
      old: keyOf(old) === key ? old : undefined,
      young: keyOf(young) === key ? young : undefined,
    };
    // A version of a record is an object of its own, wherever it is moved to.
    if (recordOf(difference.old) !== recordOf(difference.young)) yield difference;
    if (difference.old !== undefined) old = gone.next().value;
    if (difference.young !== undefined) young = come.next().value;
  }
}

function keyOf(location: Location | undefined): number {
  return location === undefined ? Infinity : location.segment.keyOf(location.row);
}

function recordOf(location: Location | undefined): WireRecord | undefined {
  return location?.segment.rows.records[location.row];
}

function recordAt({ segment, row }: Location): WireRecord {
  return segment.rows.records[row]!;
}

/**
 * The live rows of a snapshot in the order of keys; without those that another holds at the same
 * place, where it is given.
 */
export function* locationsIn(snapshot: Snapshot, other?: Snapshot): Generator<Location, undefined> {
  const others = new Map(other?.segments.map((segment) => [segment.rows, segment]));
  const heads = snapshot.segments.map((segment) => {
    const shared = others.get(segment.rows);
    const rows =
      shared === undefined ? liveRows(segment) : shared.dead.difference(segment.dead).values();
    return { segment, rows, row: rows.next().value };
  });
  for (;;) {
    let first: (typeof heads)[number] | undefined;
    let lowest = Infinity;
    for (const head of heads) {
      if (head.row === undefined) continue;
      const key = head.segment.keyOf(head.row);
      if (key > lowest) continue;
      first = head;
      lowest = key;
    }
    if (first?.row === undefined) return undefined;
    yield { segment: first.segment, row: first.row };
    first.row = first.rows.next().value;
  }
}

function* liveRows({ size, dead }: Segment): Generator<number, undefined> {
  for (let row = 0; row < size; row++) if (!dead.has(row)) yield row;
  return undefined;
}

/** The patches between two documents or values of a field, and back; `undefined` where there is none. */
function addChanges(
  before: unknown,
  after: unknown,
  path: readonly (string | number)[],
  patches: Patch[],
  inversePatches: Patch[],
): void {
  if (!isDocument(before) || !isDocument(after)) {
    Object.freeze(path);
    patches.push(patchOf(path, before, after));
    inversePatches.push(patchOf(path, after, before));
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, young] = [before[name], after[name]];
    if (old !== young) addChanges(old, young, [...path, name], patches, inversePatches);
  }
}

/** Frozen: subscribers of a service share it. */
function patchOf(path: readonly (string | number)[], before: unknown, after: unknown): Patch {
  if (after === undefined) return Object.freeze({ op: "remove", path });
  freeze(after);
  return Object.freeze({ op: before === undefined ? "add" : "replace", path, value: after });
}

/** The value, frozen with all within it. What is frozen already is so throughout. */
export function freeze<Value>(value: Value): Value {
  if (Object.isFrozen(value) || !isDocument(value)) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

function isDocument(value: unknown): value is Document {
  return typeof value === "object" && value !== null;
}

/** A row that patches name: where it stands, and what they make of it. */
export interface PatchedRow {
  readonly key: number;
  readonly location: Location | undefined;
  /** `undefined` where it is removed. */
  document: unknown;
  /** Whether a patch gave it as a whole. */
  isWhole: boolean;
}

/** A patch that was read, and what it is called in errors. */
export interface PlacedPatch {
  readonly place: string;
  readonly op: Patch["op"];
  readonly path: readonly unknown[];
  readonly value: unknown;
}

/**
 * Reads patches, each member once.
 *
 * @throws InputError with the number of the first that is none
 */
export function* readPatches(input: unknown): Generator<PlacedPatch, void> {
  let index = 0;
  for (const each of iterate(input, "patches")) {
    const place = `patches[${index++}]`;
    const { op, path, value } = readMembers(each, place, ["op", "path", "value"]);
    if (op !== "add" && op !== "remove" && op !== "replace") {
      throw new InputError(
        `${place}.op`,
        `must be ${alternatives(["add", "remove", "replace"])}, not ${describe(op)}`,
      );
    }
    yield { place, op, path: readPath(path, `${place}.path`), value };
  }
}

/** Longer than any path that leads somewhere, a service's before the key included. */
const LONGEST_PATH = 6;

function readPath(path: unknown, place: string): readonly unknown[] {
  return reading(place, () => {
    if (!Array.isArray(path)) {
      throw new InputError(place, `must be an array, not ${describe(path)}`);
    }
    const { length } = path;
    if (length > LONGEST_PATH) throw new InputError(place, "is too long");
    return Array.from({ length }, (_, i): unknown => path[i]);
  });
}

/**
 * What patches make of the rows that they name, in the order of keys.
 *
 * @throws InputError with the number of the first patch that names what is not there
 */
export function patchedRows(
  patches: Iterable<PlacedPatch>,
  snapshot: Snapshot,
  codec: Codec,
): PatchedRow[] {
  const rows = new Map<number, PatchedRow>();
  let nextKey = snapshot.nextKey;
  for (const { place, op, path, value } of patches) {
    const { key, names } = readRowPath(path, `${place}.path`);
    let row = rows.get(key);
    if (row === undefined) {
      const location = snapshot.find(key);
      const document = location && codec.write(location.segment.rows, location.row);
      row = { key, location, document, isWhole: false };
      rows.set(key, row);
    }
    const isNew = op === "add" && names.length === 0;
    if ((row.document === undefined) !== isNew) {
      const reason = isNew ? `there is a row ${key} already` : `there is no row ${key}`;
      throw new InputError(`${place}.path`, reason);
    }
    if (isNew) {
      if (key > Math.max(HIGHEST_KEY, nextKey + LARGEST_GAP)) {
        throw new InputError(
          `${place}.path`,
          `the key ${key} is too far above those that are there`,
        );
      }
      nextKey = Math.max(nextKey, key + 1);
    }
    if (op !== "remove" && value === undefined) throw new InputError(place, "has no value");
    row.isWhole ||= names.length === 0;
    row.document = changed(row.document, names, op === "remove" ? undefined : value, place);
  }
  return [...rows.values()].sort((a, b) => a.key - b.key);
}

function readRowPath(
  [key, ...names]: readonly unknown[],
  place: string,
): { key: number; names: readonly string[] } {
  if (!isCount(key)) {
    throw new InputError(place, `must lead to the key of a row, not to ${describe(key)}`);
  }
  const texts = names.filter((name) => typeof name === "string");
  if (texts.length < names.length) {
    throw new InputError(place, "must go on from the key with the name of a field");
  }
  return { key, names: texts };
}

/**
 * A patch may add a row with a key up to the first, or with one that is not further above the next
 * key than the second. So patches of another collection fit, and none of them uses up the keys.
 */
const HIGHEST_KEY = 2 ** 52;
const LARGEST_GAP = 2 ** 32;

/** A document with the value at a path replaced, or removed where it is undefined. */
function changed(
  document: unknown,
  [name, ...rest]: readonly string[],
  value: unknown,
  place: string,
): unknown {
  if (name === undefined) return value;
  if (!isDocument(document)) {
    throw new InputError(`${place}.path`, `leads to ${describe(document)}, which has no fields`);
  }
  return reading(place, () => {
    // No prototype: `__proto__` is a member as any other.
    const copy = Object.assign(Object.create(null) as Record<string, unknown>, document);
    const next = changed(copy[name], rest, value, place);
    if (next !== undefined) copy[name] = next;
    else if (name in copy) Reflect.deleteProperty(copy, name);
    else throw new InputError(`${place}.path`, `there is no ${quote(name)} to remove`);
    return copy;
  });
}
