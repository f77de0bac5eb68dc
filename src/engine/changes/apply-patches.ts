// Applies patches to rows: finds the rows they name, and makes new versions of them.

import { dictionary } from "../../schema/dictionary.ts";
import { describe, InputError, member, quote } from "../../schema/errors.ts";
import { isCount, reading } from "../../schema/input.ts";
import type { UniqueConstraint } from "../../schema/unique.ts";
import type { Location } from "../versions/snapshot.ts";
import { toIntegerText } from "../../schema/numbers.ts";
import { greaterIds, type LastIds } from "../columns/last-ids.ts";
import type { Codec } from "../columns/codec.ts";
import type { Versioned } from "./delta.ts";
import { isDocument, type Document } from "../columns/layout.ts";
import { requireBefore, type PlacedPatch } from "./read-patches.ts";
import { identityIn, identityText, locationOf } from "./unique.ts";

/** A row named by patches: its location, and its new version. */
export class PatchedRow {
  readonly key: number;
  readonly location: Location | undefined;
  readonly #codec: Codec;
  #before: Document | undefined;
  /** The new version, once there is one. */
  #after: { readonly document: unknown } | undefined;
  /** Whether a patch contained the complete record. */
  isWhole = false;

  constructor(key: number, location: Location | undefined, codec: Codec) {
    this.key = key;
    this.location = location;
    this.#codec = codec;
  }

  /** The previous row, if it was needed to make the new one. It may be in a file, so it is not read otherwise. */
  get before(): Document | undefined {
    return this.#before;
  }

  get isThere(): boolean {
    return this.#after === undefined
      ? this.location !== undefined
      : this.#after.document !== undefined;
  }

  /** `undefined` if it is removed. */
  get document(): unknown {
    if (this.#after !== undefined) return this.#after.document;
    const { location } = this;
    if (location === undefined) return undefined;
    return (this.#before ??= this.#codec.write(location.segment.rows, location.row));
  }

  set document(document: unknown) {
    this.#after = { document };
  }
}

/** What patches make of rows. */
export interface Patched {
  /** The rows that patches name, in the order of keys. */
  readonly rows: readonly PatchedRow[];
  /** The next key after patches by keys: greater than any of a record that they add, even if they remove it again. */
  readonly nextKey: number;
  /** The last numbers, those of records included that the patches remove again. */
  readonly lastIds: LastIds;
  /** Whether all patches are those of a journal, so that unique values were compared when it was written. */
  readonly isChecked: boolean;
  /** Whether all patches are those of a store, whose records were checked when it wrote them. */
  readonly isReplay: boolean;
}

/**
 * The new versions of the rows that patches name.
 *
 * @throws InputError with the number of the first patch that names a missing record or field, or whose `before` does
 *   not match
 */
export function patchedRows(patches: Iterable<PlacedPatch>, before: Versioned): Patched {
  const { layout, identity } = before.codec;
  const rows = new PatchedRows(before);
  let { lastIds } = before.snapshot;
  let isChecked = true;
  let isReplay = true;
  for (const patch of patches) {
    const { place, op, value } = patch;
    isChecked &&= patch.by === "journal";
    isReplay &&= patch.by !== "identity";
    const names = namesIn(patch, patch.by !== "identity" ? 1 : (identity?.places.length ?? 1));
    if (op !== "remove" && value === undefined) throw new InputError(place, "has no value");
    if (lastIds.size > 0) lastIds = greaterIds(lastIds, idsIn(value, names, lastIds));
    if (op === "add" && names.length === 0) {
      rows.add(patch);
      continue;
    }
    const row = rows.named(patch);
    if (patch.before !== undefined) requireBefore(patch, valueAt(row.document, names));
    // Patches by keys, those of a journal, have each value that changes: nothing is derived anew.
    row.isWhole ||= names.length === 0 || patch.by !== "identity";
    const next = op === "remove" ? undefined : value;
    const document =
      names.length === 0 ? next : changed(row.document, names, next, place, layout.parts);
    rows.put(row, document, patch);
  }
  return { ...rows.finish(), lastIds, isChecked, isReplay };
}

/** The numbers in the value of a patch: a document, or a field. */
function idsIn(value: unknown, [name]: readonly string[], lastIds: LastIds): LastIds {
  const ids = new Map<string, number>();
  for (const field of lastIds.keys()) {
    const given = name === field ? value : name === undefined && valueAt(value, [field]);
    // A value that is not a number is refused when the record is read.
    const id = Number(toIntegerText(given));
    if (id > 0) ids.set(field, id);
  }
  return ids;
}

function valueAt(document: unknown, names: readonly string[]): unknown {
  let value = document;
  for (const name of names) {
    if (!isDocument(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** The rest of a path, which leads to a field. @param depth how many of its elements name the record */
function namesIn({ path, place }: PlacedPatch, depth: number): readonly string[] {
  const names = path.slice(depth);
  const texts = names.filter((name) => typeof name === "string");
  if (texts.length < names.length) {
    throw new InputError(`${place}.path`, "must name a field after the record");
  }
  return texts;
}

/** The rows of a snapshot named by patches, by their keys and by their current identities. */
class PatchedRows {
  readonly #before: Versioned;
  readonly #rows = new Map<number, PatchedRow>();
  readonly #named = new Map<string, PatchedRow | undefined>();
  #nextKey: number;
  /** {@link Patched.nextKey}. */
  #keysFrom: number;

  constructor(before: Versioned) {
    this.#before = before;
    this.#nextKey = before.snapshot.nextKey;
    this.#keysFrom = this.#nextKey;
  }

  /** The row named by a patch. @throws InputError if there is none */
  named(patch: PlacedPatch): PatchedRow {
    const identity = this.#identityFor(patch);
    const row =
      identity === undefined
        ? this.#withKey(this.#keyIn(patch))
        : this.#withIdentity(this.#textIn(identity, patch));
    if (row?.isThere === true) return row;
    throw new InputError(`${patch.place}.path`, `there is no ${this.#nameIn(patch)}`, {
      code: "not_found",
    });
  }

  /** @throws InputError if the record exists already, or does not match the path */
  add(patch: PlacedPatch): void {
    const { place, value } = patch;
    const identity = this.#identityFor(patch);
    const path = `${place}.path`;
    const isThere = () =>
      new InputError(path, `there is already a ${this.#nameIn(patch)}`, { code: "conflict" });
    let row: PatchedRow;
    if (identity === undefined) {
      row = this.#withKey(this.#keyIn(patch));
      if (row.isThere) throw isThere();
      if (row.key > Math.max(HIGHEST_KEY, this.#nextKey + LARGEST_GAP)) {
        throw new InputError(path, `the key ${row.key} is too far above the existing keys`, {
          code: "limit",
        });
      }
    } else {
      const text = this.#textIn(identity, patch);
      if (this.#withIdentity(text) !== undefined) throw isThere();
      requireIdentity(identity, patch);
      row = this.#withKey(this.#freeKey(patch.key));
      if (row.key > Number.MAX_SAFE_INTEGER) throw new InputError(place, "no keys are left");
      this.#named.set(text, row);
    }
    this.#nextKey = Math.max(this.#nextKey, row.key + 1);
    if (patch.by !== "identity") this.#keysFrom = this.#nextKey;
    row.isWhole = true;
    row.document = value;
  }

  /** Replaces the document of a row, or removes the row if there is no document. */
  put(row: PatchedRow, document: unknown, patch: PlacedPatch): void {
    const identity = this.#identityFor(patch);
    if (identity !== undefined) {
      const textOf = (of: unknown) =>
        isDocument(of) ? identityText(identity, identityIn(identity, of)) : undefined;
      const [old, young] = [textOf(row.document), textOf(document)];
      if (old !== young) {
        if (young !== undefined && this.#withIdentity(young) !== undefined) {
          const reason = `there is already a record with this ${identity.name}`;
          throw new InputError(`${patch.place}.value`, reason, { code: "duplicate" });
        }
        if (old !== undefined) this.#named.set(old, undefined);
        if (young !== undefined) this.#named.set(young, row);
      }
    }
    row.document = document;
  }

  finish(): Pick<Patched, "rows" | "nextKey"> {
    const rows = [...this.#rows.values()].sort((a, b) => a.key - b.key);
    return { rows, nextKey: this.#keysFrom };
  }

  #identityFor({ by }: PlacedPatch): UniqueConstraint | undefined {
    return by !== "identity" ? undefined : this.#before.codec.identity;
  }

  #withKey(key: number): PatchedRow {
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const { snapshot, codec } = this.#before;
    const row = new PatchedRow(key, snapshot.find(key), codec);
    this.#rows.set(key, row);
    return row;
  }

  #withIdentity(text: string): PatchedRow | undefined {
    if (this.#named.has(text)) return this.#named.get(text);
    const { snapshot, codec } = this.#before;
    const found = codec.identity && locationOf(snapshot, codec.identity, text);
    const row = found && this.#withKey(found.segment.keyOf(found.row));
    this.#named.set(text, row);
    return row;
  }

  /** The key of an added record: the one in the patch, if it is free and leaves enough keys for later records. */
  #freeKey(requested: number | undefined): number {
    const isFree =
      requested !== undefined &&
      requested <= Math.max(HIGHEST_KEY, this.#nextKey + LARGEST_GAP) &&
      !this.#withKey(requested).isThere;
    return isFree ? requested : this.#nextKey;
  }

  #keyIn({ path: [key], place }: PlacedPatch): number {
    if (isCount(key)) return key;
    throw new InputError(`${place}.path`, `must name a record by its key, not by ${describe(key)}`);
  }

  #textIn(identity: UniqueConstraint, { path, place }: PlacedPatch): string {
    const text = identityText(identity, path);
    if (text !== undefined) return text;
    const given = identity.places.map((_, i) => describe(path[i])).join(", ");
    throw new InputError(
      `${place}.path`,
      `must name a record by its ${identity.name}, not by ${given}`,
    );
  }

  #nameIn(patch: PlacedPatch): string {
    const { places = [{ name: "key" }] } = this.#identityFor(patch) ?? {};
    const named = places.map(({ name }, i) => `the ${name} ${describe(patch.path[i])}`);
    return `record with ${named.join(" and ")}`;
  }
}

/** @throws InputError if the added record does not match the path of its patch */
function requireIdentity({ places }: UniqueConstraint, { place, path, value }: PlacedPatch): void {
  for (const [i, own] of places.entries()) {
    const given = reading(`${place}.value`, () => isDocument(value) && value[own.name]);
    const alone: UniqueConstraint = { name: own.name, places: [own] };
    if (identityText(alone, [given]) === identityText(alone, [path[i]])) continue;
    const reason = `must be that of the path, ${describe(path[i])}, not ${describe(given)}`;
    throw new InputError(member(`${place}.value`, own.name), reason);
  }
}

/**
 * A patch may add a row with a key up to the first number, or with one that exceeds the next key by at most the second.
 * So patches of another collection can be applied, but cannot use up the keys.
 */
const HIGHEST_KEY = 2 ** 52;
const LARGEST_GAP = 2 ** 32;

/**
 * A document with the value at a path replaced, or removed if it is undefined.
 *
 * @param parts the members that hold fields: paths do not lead into others
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
    throw new InputError(`${place}.path`, `points to ${describe(document)}, which has no fields`);
  }
  return reading(place, () => {
    // No prototype, so that `__proto__` is a member like any other.
    const copy = dictionary<unknown>(document);
    if (rest.length > 0 && !parts.has(name)) {
      throw new InputError(
        `${place}.path`,
        `points to ${describe(copy[name])}, which has no fields`,
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
