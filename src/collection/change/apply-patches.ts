// Applies patches to rows: finds those that they name by their keys, and makes their new versions.

import { describe, InputError, quote } from "../../schema/errors.ts";
import { isCount, reading } from "../../schema/input.ts";
import type { Location } from "../snapshot/snapshot.ts";
import type { Versioned } from "./version.ts";
import { isDocument, type Document } from "../records/layout.ts";
import type { PlacedPatch } from "./read-patches.ts";

/** A row that patches name: its location, and its new version. */
export interface PatchedRow {
  readonly key: number;
  readonly location: Location | undefined;
  /** The row before. Like `location`, `undefined` if there is none. */
  readonly before: Document | undefined;
  /** `undefined` if it is removed. */
  document: unknown;
  /** Whether a patch gave the whole record. */
  isWhole: boolean;
}

/**
 * The new versions of the rows that patches name, in the order of keys.
 *
 * @throws InputError with the number of the first patch that names a missing row or field
 */
export function patchedRows(
  patches: Iterable<PlacedPatch>,
  { snapshot, codec }: Versioned,
): PatchedRow[] {
  const rows = new Map<number, PatchedRow>();
  let nextKey = snapshot.nextKey;
  for (const { place, op, path, value } of patches) {
    const { key, names } = readRowPath(path, `${place}.path`);
    let row = rows.get(key);
    if (row === undefined) {
      const location = snapshot.find(key);
      const before = location && codec.write(location.segment.rows, location.row);
      row = { key, location, before, document: before, isWhole: false };
      rows.set(key, row);
    }
    const isNew = op === "add" && names.length === 0;
    if ((row.document === undefined) !== isNew) {
      const reason = isNew ? `there is a row ${key} already` : `there is no row ${key}`;
      throw new InputError(`${place}.path`, reason, { code: isNew ? "conflict" : "not_found" });
    }
    if (isNew) {
      if (key > Math.max(HIGHEST_KEY, nextKey + LARGEST_GAP)) {
        throw new InputError(
          `${place}.path`,
          `the key ${key} is too far above those that are there`,
          { code: "limit" },
        );
      }
      nextKey = Math.max(nextKey, key + 1);
    }
    if (op !== "remove" && value === undefined) throw new InputError(place, "has no value");
    row.isWhole ||= names.length === 0;
    const next = op === "remove" ? undefined : value;
    row.document = changed(row.document, names, next, place, codec.layout.parts);
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
 * A patch may add a row with a key up to the first number, or one that is above the next key by at most the
 * second. So patches of another collection fit, and none of them uses up the keys.
 */
const HIGHEST_KEY = 2 ** 52;
const LARGEST_GAP = 2 ** 32;

/**
 * A document with the value at a path replaced, or removed if it is undefined.
 *
 * @param parts the members that hold fields: no path leads into others
 */
function changed(
  document: unknown,
  [name, ...rest]: readonly string[],
  value: unknown,
  place: string,
  parts: ReadonlySet<string> = new Set(),
): unknown {
  if (name === undefined) return value;
  if (!isDocument(document)) {
    throw new InputError(`${place}.path`, `leads to ${describe(document)}, which has no fields`);
  }
  return reading(place, () => {
    // No prototype: `__proto__` is a member as any other.
    const copy = Object.assign(Object.create(null) as Record<string, unknown>, document);
    if (rest.length > 0 && !parts.has(name)) {
      throw new InputError(
        `${place}.path`,
        `leads to ${describe(copy[name])}, which has no fields`,
      );
    }
    const next = changed(copy[name], rest, value, place);
    if (next !== undefined) copy[name] = next;
    else if (name in copy) Reflect.deleteProperty(copy, name);
    else {
      const reason = `there is no ${quote(name)} to remove`;
      throw new InputError(`${place}.path`, reason, { code: "not_found" });
    }
    return copy;
  });
}
