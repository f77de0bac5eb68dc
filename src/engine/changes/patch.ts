// Patches: the changes from one collection to another, as plain JSON in Immer's form. A path starts with the identity
// of a record (rule U1). In the journal of a store, which belongs to one collection, a path starts with the key of a
// row instead, which never changes.

import { isEqualJson } from "../../schema/json.ts";
import type { Codec } from "../columns/codec.ts";
import { freeze, isDocument, type Document } from "../columns/layout.ts";
import type { Delta, RecordChange } from "../columns/record-change.ts";
import { tuning } from "../tuning.ts";
import { identityIn, identityText } from "./unique.ts";

/**
 * A change: a record that was added, removed or replaced, at the path `[identity]`; or a field of a record, at the path
 * `[identity, field]`. The identity of a record is its value in the first unique field of the schema that can't be
 * null; without such a field, the values of the first unique combination without nulls, in sequence: `[list, email,
 * field]`. In a schema with neither, it is the record's key: its insertion number.
 */
export interface Patch {
  readonly op: "add" | "remove" | "replace";
  readonly path: readonly (string | number)[];
  /** The complete record, or the value of a field. */
  readonly value?: unknown;
  /**
   * The previous value, in the same form. If it does not match the current one, the patch is refused. Without `before`,
   * the patch replaces or removes whatever is there.
   */
  readonly before?: unknown;
  /**
   * For an added record that is not identified by its key: the key. The record gets this place in insertion order if it
   * is free, otherwise the last one.
   */
  readonly key?: number;
}

/** The patches of a change, and those that undo it. */
export interface Patches {
  /** Lead from the collection before the change to the one after it. */
  readonly patches: readonly Patch[];
  /** Undo the change. They are refused if the same data has changed since. */
  readonly inversePatches: readonly Patch[];
}

/** Adds `patches` and `inversePatches` to an object. They are made when first read; `make` is released afterwards. */
export function withPatches<Members extends object>(
  members: Members,
  make: () => Patches,
): Members & Patches {
  let made: Patches | (() => Patches) = make;
  const patches = () => (typeof made === "function" ? (made = made()) : made);
  return Object.freeze({
    ...members,
    get patches() {
      return patches().patches;
    },
    get inversePatches() {
      return patches().inversePatches;
    },
  });
}

/**
 * What identifies records in patches: their identity, or their key. Patches of a journal have keys, too; their changes
 * were checked before they were written, so that unique values are not compared with those of other records again.
 */
export type NamedBy = "identity" | "key" | "journal";

/** The patches of a change, and those that undo it. */
export function patchesOf(delta: Delta, before: Codec, after: Codec): Patches {
  return {
    patches: patchesTo([], delta, before, after, "identity"),
    inversePatches: patchesTo([], reversed(delta), after, before, "identity"),
  };
}

/** Whether a value has at most so many characters as JSON, roughly. Cost: linear in the limit. */
function isShort(value: unknown, limit: number): boolean {
  return leftAfter(value, limit) >= 0;
}

/** How much of a limit a value leaves; negative if it exceeds it. */
function leftAfter(value: unknown, limit: number): number {
  if (typeof value === "string") return limit - value.length - 3;
  let left = limit - 8;
  if (typeof value !== "object" || value === null) return left;
  for (const [name, each] of Object.entries(value)) {
    if (left < 0) break;
    left = leftAfter(each, left - name.length - 4);
  }
  return left;
}

/** The same change in the other direction. */
export function reversed(delta: Delta): Delta {
  return delta.map(({ key, before, after }) => ({ key, before: after, after: before }));
}

/**
 * The patches of a change. Removals come first, so that an identity is free before another record takes it.
 *
 * @param path leads to the collection
 * @param from writes the previous records, `to` the new ones
 */
export function patchesTo(
  path: Patch["path"],
  delta: Iterable<RecordChange>,
  from: Codec,
  to: Codec,
  by: NamedBy,
): readonly Patch[] {
  const { parts } = to.layout;
  const patches = new Ordered(path, to, by);
  for (const { key, before, after } of delta) {
    if (by !== "identity" && before !== undefined && after !== undefined) {
      const is = to.write(after.rows, after.row);
      if (isShort(is, tuning.shortRecord)) {
        patches.overwrite(key, is);
        continue;
      }
    }
    const was = before && from.write(before.rows, before.row);
    const is = after && to.write(after.rows, after.row);
    if (before === undefined || was === undefined || is === undefined || !patches.areOne(was, is)) {
      patches.put(key, was, is);
      continue;
    }
    // If a patch of the field would invalidate derived fields, the patch replaces the complete record.
    if (to.invalidateDerived(is, before.rows.record(before.row)) !== is)
      patches.change(key, was, [], was, is);
    else {
      forEachDifference(was, is, parts, (names, old, now) =>
        patches.change(key, was, names, old, now),
      );
    }
  }
  return patches.finish();
}

/** The patch that adds a record. @param path leads to the collection */
export function added(
  path: Patch["path"],
  codec: Codec,
  key: number,
  record: Document,
  by: NamedBy,
): Omit<Patch, "before"> {
  if (by !== "identity") return { op: "add", path: [...path, key], value: record };
  const names = namesOf(codec, key, record, by);
  const patch = {
    op: "add",
    path: Object.freeze([...path, ...names]),
    value: freeze(record),
  } as const;
  // Frozen: subscribers of a service share it.
  return Object.freeze(codec.identity === undefined ? patch : { ...patch, key });
}

/** The patch that removes a record if it is unchanged. @param path leads to the collection */
export function removed(path: Patch["path"], codec: Codec, key: number, record: Document): Patch {
  const names = namesOf(codec, key, record, "identity");
  return Object.freeze({
    op: "remove",
    path: Object.freeze([...path, ...names]),
    before: freeze(record),
  });
}

/** The elements that identify a record in a path. */
export function namesOf(
  { identity }: Codec,
  key: number,
  record: Document,
  by: NamedBy,
): readonly (string | number)[] {
  if (by !== "identity" || identity === undefined) return [key];
  return identityIn(identity, record).map((value) =>
    typeof value === "string" ? value : Number(value),
  );
}

/** Collects patches in one direction, removals first. */
class Ordered {
  readonly #path: Patch["path"];
  readonly #codec: Codec;
  readonly #by: NamedBy;
  readonly #removals: Patch[] = [];
  readonly #others: Patch[] = [];

  constructor(path: Patch["path"], codec: Codec, by: NamedBy) {
    this.#path = path;
    this.#codec = codec;
    this.#by = by;
  }

  /** Whether two versions of a row have the same identity. */
  areOne(a: Document, b: Document): boolean {
    const { identity } = this.#codec;
    if (this.#by !== "identity" || identity === undefined) return true;
    const [before, after] = [a, b].map((each) =>
      identityText(identity, identityIn(identity, each)),
    );
    return before === after;
  }

  /** Replaces a record with another; either may be missing. */
  put(key: number, before: Document | undefined, after: Document | undefined): void {
    if (before !== undefined) {
      this.#removals.push(this.#patch(namesOf(this.#codec, key, before, this.#by), before));
    }
    if (after !== undefined) {
      this.#others.push(added(this.#path, this.#codec, key, after, this.#by));
    }
  }

  /** Replaces a record, whatever it was before. */
  overwrite(key: number, document: Document): void {
    this.#others.push({ op: "replace", path: [...this.#path, key], value: document });
  }

  /** Changes a member of a record; without names, the whole record. */
  change(
    key: number,
    record: Document,
    names: readonly string[],
    before: unknown,
    after: unknown,
  ): void {
    const path = [...namesOf(this.#codec, key, record, this.#by), ...names];
    this.#others.push(this.#patch(path, before, after));
  }

  #patch(names: readonly (string | number)[], before: unknown, after?: unknown): Patch {
    const op = after === undefined ? "remove" : before === undefined ? "add" : "replace";
    const patch: { -readonly [Name in keyof Patch]: Patch[Name] } = {
      op,
      path: Object.freeze([...this.#path, ...names]),
    };
    if (after !== undefined) patch.value = freeze(after);
    // The journal includes derived values, so they need not be checked again.
    if (before !== undefined && this.#by === "identity") patch.before = freeze(before);
    return Object.freeze(patch);
  }

  finish(): readonly Patch[] {
    if (this.#removals.length === 0) return this.#others;
    return [...this.#removals, ...this.#others];
  }
}

/**
 * Visits the members in which two documents differ: their paths, and both values.
 *
 * @param parts the members that hold fields
 */
function forEachDifference(
  before: unknown,
  after: unknown,
  parts: ReadonlySet<string>,
  visit: (names: readonly string[], old: unknown, now: unknown) => void,
): void {
  if (!isDocument(before) || !isDocument(after)) return;
  const compare = (name: string) => {
    const [old, now] = [before[name], after[name]];
    if (old === now) return;
    if (parts.has(name)) {
      forEachDifference(old, now, NO_PARTS, (names, ...both) => visit([name, ...names], ...both));
    } else if (!isEqualJson(old, now)) visit([name], old, now);
  };
  for (const name of Object.keys(before)) compare(name);
  for (const name of Object.keys(after)) if (!Object.hasOwn(before, name)) compare(name);
}

const NO_PARTS: ReadonlySet<string> = new Set();
