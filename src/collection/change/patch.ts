// Patches: the changes from one collection to another, as plain JSON in Immer's form. A path starts with the
// identity of a record (rule U1). In the journal of a store, which belongs to one collection and its versions, a path
// starts with the key of a row instead, which the row keeps for life.

import { isEqualJson } from "../../schema/json.ts";
import type { AnyRecord } from "../../schema/schema.ts";
import type { Codec } from "../records/codec.ts";
import { freeze, isDocument, type Document } from "../records/layout.ts";
import type { Location } from "../snapshot/snapshot.ts";
import type { Versioned } from "./version.ts";
import { differences } from "./differences.ts";
import { identityText } from "./unique.ts";

/**
 * A change: a record that was added, removed or replaced, at the path `[identity]`; or a field of a record, at the
 * path `[identity, field]`. The identity of a record is its value in the first unique field of the schema that can't
 * be null. In a schema without such a field it is the record's key: its insertion number.
 */
export interface Patch {
  readonly op: "add" | "remove" | "replace";
  readonly path: readonly (string | number)[];
  /** A whole record, or the value of a field, as records hold it. */
  readonly value?: unknown;
  /**
   * What stood there before, in the same form. A patch that gives it is refused where anything else stands there;
   * without it, the patch replaces or removes whatever is there.
   */
  readonly before?: unknown;
  /**
   * Of an added record whose identity is another: its key. The record gets this place in insertion order if it is
   * free, and the last one otherwise.
   */
  readonly key?: number;
}

export interface Patches {
  /** Turn the collection before into the one after. */
  readonly patches: readonly Patch[];
  /** Turn it back. They are refused where somebody has changed the same things since. */
  readonly inversePatches: readonly Patch[];
}

/** What names the records in patches: their identity, or their key. */
export type NamedBy = "identity" | "key";

/**
 * The patches between two snapshots of one schema: those that remove records before all others, so that each identity
 * is free when a record gets it.
 *
 * @param keys those of all rows that changed, and perhaps of others, if they are known; otherwise the
 *   snapshots are compared
 */
export function patchesBetween(
  before: Versioned,
  after: Versioned,
  keys?: readonly number[],
  by: NamedBy = "identity",
): Patches {
  const { codec } = after;
  const { parts } = codec.layout;
  const [patches, inversePatches] = [new Ordered(codec, by), new Ordered(codec, by)];
  const write = ({ codec }: Versioned, location: Location | undefined): Document | undefined =>
    location && codec.write(location.segment.rows, location.row);
  for (const { key, old, young } of differences(before.snapshot, after.snapshot, keys)) {
    const [was, is] = [write(before, old), write(after, young)];
    if (old === undefined || young === undefined || !patches.areOne(was, is)) {
      patches.put(key, was, is);
      inversePatches.put(key, is, was);
      continue;
    }
    // If applying a field's patch would revise other fields, the patch replaces the whole record.
    const isRevised = codec.revise(is, recordAt(old)) !== is;
    const isRevisedBack = codec.revise(was, recordAt(young)) !== was;
    for (const [names, old, young] of membersThatDiffer(was, is, parts)) {
      if (!isRevised) patches.change(key, was, names, old, young);
      if (!isRevisedBack) inversePatches.change(key, is, names, young, old);
    }
    if (isRevised) patches.change(key, was, [], was, is);
    if (isRevisedBack) inversePatches.change(key, is, [], is, was);
  }
  return { patches: patches.finish(), inversePatches: inversePatches.finish() };
}

/** The patch that adds a record. */
export function added(
  codec: Codec,
  key: number,
  record: Document,
  by: NamedBy,
): Omit<Patch, "before"> {
  const name = nameOf(codec, key, record, by);
  const patch = { op: "add", path: Object.freeze([name]), value: freeze(record) } as const;
  // Frozen: subscribers of a service share it.
  return Object.freeze(by === "key" || codec.identity === undefined ? patch : { ...patch, key });
}

/** The patch that removes a record, if it is still as it was. */
export function removed(codec: Codec, key: number, record: Document): Patch {
  const path = Object.freeze([nameOf(codec, key, record, "identity")]);
  return Object.freeze({ op: "remove", path, before: freeze(record) });
}

/** What names a record in a path. */
function nameOf(
  { identity }: Codec,
  key: number,
  record: Document | undefined,
  by: NamedBy,
): string | number {
  const value = by === "key" || identity === undefined ? key : record?.[identity.name];
  return typeof value === "string" ? value : Number(value);
}

/** Collects patches in one direction, those that remove records before all others. */
class Ordered {
  readonly #codec: Codec;
  readonly #by: NamedBy;
  readonly #removals: Patch[] = [];
  readonly #others: Patch[] = [];

  constructor(codec: Codec, by: NamedBy) {
    this.#codec = codec;
    this.#by = by;
  }

  /** Whether two versions of a row have the same identity. */
  areOne(a: Document | undefined, b: Document | undefined): boolean {
    const { identity } = this.#codec;
    if (this.#by === "key" || identity === undefined) return true;
    return (
      identityText(identity, a?.[identity.name]) === identityText(identity, b?.[identity.name])
    );
  }

  /** Puts a record in the place of another; either may be missing. */
  put(key: number, before: Document | undefined, after: Document | undefined): void {
    if (before !== undefined) {
      this.#removals.push(this.#patch(nameOf(this.#codec, key, before, this.#by), [], before));
    }
    if (after !== undefined) this.#others.push(added(this.#codec, key, after, this.#by));
  }

  /** Changes a member of a record, or without names the record as a whole. */
  change(
    key: number,
    record: Document | undefined,
    names: readonly string[],
    before: unknown,
    after: unknown,
  ): void {
    const name = nameOf(this.#codec, key, record, this.#by);
    this.#others.push(this.#patch(name, names, before, after));
  }

  #patch(name: string | number, names: readonly string[], before: unknown, after?: unknown): Patch {
    const op = after === undefined ? "remove" : before === undefined ? "add" : "replace";
    const patch: { -readonly [Name in keyof Patch]: Patch[Name] } = {
      op,
      path: Object.freeze([name, ...names]),
    };
    if (after !== undefined) patch.value = freeze(after);
    // The journal says what follows from what, so that nothing needs to be checked again.
    if (before !== undefined && this.#by === "identity") patch.before = freeze(before);
    return Object.freeze(patch);
  }

  finish(): readonly Patch[] {
    if (this.#removals.length === 0) return this.#others;
    return [...this.#removals, ...this.#others];
  }
}

/**
 * The members in which two documents differ, by the names that lead to them, and their values in both.
 *
 * @param parts the members that hold fields
 */
function* membersThatDiffer(
  before: unknown,
  after: unknown,
  parts: ReadonlySet<string> = new Set(),
): Generator<readonly [names: readonly string[], old: unknown, young: unknown], void> {
  if (!isDocument(before) || !isDocument(after)) return;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, young] = [before[name], after[name]];
    if (old === young) continue;
    if (parts.has(name)) {
      for (const [names, ...both] of membersThatDiffer(old, young))
        yield [[name, ...names], ...both];
    } else if (!isEqualJson(old, young)) yield [[name], old, young];
  }
}

function recordAt({ segment, row }: Location): AnyRecord {
  return segment.rows.record(row);
}
