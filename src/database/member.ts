// A member of a database: a collection, or another container of collections, such as the Batches of a service.

import type { NamedBy, Patch } from "../engine/changes/patch.ts";
import type { PlacedPatch } from "../engine/changes/read-patches.ts";
import type { ChangeLog, Transition } from "../engine/changes/transition.ts";
import type { AnyCollection } from "../collection/collection.ts";
import type { CollectionState } from "../collection/types.ts";
import type { Codec } from "../engine/columns/codec.ts";
import type { CollectionSettings } from "../engine/settings.ts";
import type { DraftChanges } from "./draft-changes.ts";

export interface Member {
  /** Its name in drafts, and the first element of the paths of its patches. */
  readonly name: string;
  /** Its collections. */
  collections(): Iterable<MemberCollection>;
  /**
   * Where to put one of its collections that is loaded from elsewhere.
   *
   * @param note the note of the collection; `undefined` if it was not read
   * @throws InputError if the note is not valid
   */
  destinationFor(source: string, note: unknown): Destination;
  /** The change to the content of another member of this kind: all of it, or one collection. */
  replaceWith(other: Member, source?: string): MemberChange;
  draft(changes: DraftChanges): DraftedMember;
  /** @param log receives the changes of collections that the patches make */
  patching(log: ChangeLog): PatchedMember<MemberChange>;
  /** Whether the path of a patch leads to a record, and not to a collection. */
  isOfRecord(path: readonly unknown[]): boolean;
}

/**
 * The name of a collection in live queries and stores. It is unique: only the `/` between the name of a member and the
 * key of one of its collections is not doubled, so a member called `a/5` does not clash with collection 5 of member
 * `a`.
 *
 * @param key of the collection, if the member has several
 */
export function sourceOf(name: string, key?: string): string {
  const escaped = name.replaceAll("/", "//");
  return key === undefined ? escaped : `${escaped}/${key}`;
}

/** The arguments of {@link sourceOf}. A key has no `/`. */
export function readSource(source: string): {
  readonly name: string;
  readonly key: string | undefined;
} {
  const [, escaped = source, key] = /^((?:[^/]|\/\/)*)\/([^/]*)$/.exec(source) ?? [];
  return { name: escaped.replaceAll("//", "/"), key };
}

/** A collection of a member. */
export interface MemberCollection {
  /** Its name in live queries and stores. */
  readonly source: string;
  readonly collection: AnyCollection;
  /** Leads to it in patches. */
  readonly path: Patch["path"];
  /** Additional JSON needed to read it again. */
  readonly note?: unknown;
  /** The patch that creates it: complete except for its records, or as if it had none. */
  readonly declaration?: ((isComplete: boolean) => Patch) | undefined;
  /** The change to another version of the collection. @param log of the changes that led to it */
  readonly to: (state: CollectionState, log?: ChangeLog) => MemberChange;
}

/** The requirements for a collection to be put into a member, and the change that puts it there. */
export interface Destination {
  readonly codec: Codec;
  readonly settings: CollectionSettings;
  /** The allowed values of its hidden columns; default: any. */
  readonly hidden?: readonly string[] | undefined;
  /** Leads to it in patches. */
  readonly path: Patch["path"];
  /** The patches that create it without records, whatever exists now. */
  readonly declarations: readonly Patch[];
  /** The change that puts it there. */
  readonly to: (state: CollectionState) => MemberChange;
}

/** A member in a draft. */
export interface DraftedMember {
  readonly current: unknown;
  /** Replaces all of its content. @throws InputError if the new content is not valid */
  put(next: unknown): void;
  /** Applies patches to its current content. `finish` returns a function that puts what they make of it. */
  patching(): PatchedMember<() => void>;
  finish(): MemberChange;
  /** Ends all drafts that the recipe may have kept. */
  end?(): void;
}

/** A member to which patches are applied. */
export interface PatchedMember<Made> {
  /** @throws InputError with the number of a patch that does not apply */
  add(patch: PlacedPatch): void;
  /** @throws InputError with the number of a patch that does not apply */
  finish(): Made;
}

/** A change of a member before its commit. */
export interface MemberChange {
  /** What it replaces: empty if every record has the same values and place as before. */
  readonly replaced: readonly Replaced[];
  /** @param by how to identify the records */
  patches(by: NamedBy): readonly Patch[];
  /** The patches that undo it. */
  inversePatches(): readonly Patch[];
  /** The change that undoes this one, after its commit and before any later change. */
  undo(): MemberChange;
  commit(): void;
}

/** A collection that a change replaces with another version of it, with a collection of other fields, or with none. */
export interface Replaced {
  readonly source: string;
  /** From one version to the next; `undefined` if there is none on one side, or their fields differ. */
  readonly transition: Transition | undefined;
}
