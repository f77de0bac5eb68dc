// The value of a name of a database: a collection or, in the service, Batches by their ids. A database
// requires nothing else of what it holds.

import type { NamedBy, Patch, Patches } from "../collection/change/patch.ts";
import type { PlacedPatch } from "../collection/change/read-patches.ts";
import type { Change, Changes } from "../collection/change/version.ts";
import type { AnyCollection, CollectionState } from "../collection/collection.ts";
import type { Codec } from "../collection/records/codec.ts";
import type { CollectionSettings } from "../collection/settings.ts";
import type { Snapshot } from "../collection/snapshot/snapshot.ts";
import type { DraftChanges } from "./draft-changes.ts";

export interface Group {
  /** The first element of the paths of its patches, and its member of a draft. */
  readonly name: string;
  /** Its collections. */
  parts(): Iterable<Part>;
  /**
   * Where one of its collections goes, which is read from elsewhere.
   *
   * @param note the note of the part; undefined if it was not read
   * @throws InputError if the note is not valid
   */
  destinationFor(source: string, note: unknown): Destination;
  /** The change to the content of another group of this kind: all of it, or one collection. */
  adopt(other: Group, source?: string): GroupChange;
  draft(changes: DraftChanges): DraftedGroup;
  /** @param changes receives the changes of collections that the patches make */
  patching(changes: Map<Snapshot, Change>): PatchedGroup;
}

/**
 * The name of a collection in live queries and stores. No two collections share one: only between the name of a
 * group and a key is a `/` single, so a collection `batches/5` is not Batch 5.
 */
export function sourceOf(name: string, key?: string): string {
  const group = name.replaceAll("/", "//");
  return key === undefined ? group : `${group}/${key}`;
}

/** What {@link sourceOf} was given. A key has no `/`. */
export function readSource(source: string): {
  readonly name: string;
  readonly key: string | undefined;
} {
  const [, group = source, key] = /^((?:[^/]|\/\/)*)\/([^/]*)$/.exec(source) ?? [];
  return { name: group.replaceAll("//", "/"), key };
}

/** A collection of a group. */
export interface Part {
  /** Its name in live queries and stores. */
  readonly source: string;
  readonly collection: AnyCollection;
  /** Leads to it in patches. */
  readonly path: Patch["path"];
  /** What else is needed to read it again, as JSON. */
  readonly note?: unknown;
  /** The patch that makes it: complete except for its records, or as if it had none. */
  readonly declaration?: ((isComplete: boolean) => Patch) | undefined;
  /** The change to another version of the collection. */
  readonly to: (state: CollectionState) => GroupChange;
}

/** What a collection must be to stand in a place of a group, and what puts it there. */
export interface Destination {
  readonly codec: Codec;
  readonly settings: CollectionSettings;
  /** The values of its hidden columns; default: any. */
  readonly hidden?: readonly string[] | undefined;
  /** Leads to it in patches. */
  readonly path: Patch["path"];
  /** The patches that make it without records, whatever is there now. */
  readonly declarations: readonly Patch[];
  /** The change that puts it there. */
  readonly to: (state: CollectionState) => GroupChange;
}

/** A group in a draft. */
export interface DraftedGroup {
  readonly current: unknown;
  /** Replaces the whole content. @throws InputError if the new content is not valid */
  put(next: unknown): void;
  finish(): GroupChange;
  /** Ends all drafts that the recipe may have kept. */
  end?(): void;
}

/** A group to which patches are applied. */
export interface PatchedGroup {
  /** @throws InputError with the number of a patch that does not fit */
  add(patch: PlacedPatch): void;
  finish(): GroupChange;
}

/** A change of a group before its commit. */
export interface GroupChange {
  /** What it replaces: empty if it changes nothing. */
  readonly replaced: readonly Replaced[];
  /**
   * @param changes the known changes of collections that led to it
   * @param by what names the records
   */
  patches(changes: Changes, by: NamedBy): Patches;
  /** The same without what it leaves as it was (rule U3). @param changes those that led to it, as far as known */
  net(changes: Changes): GroupChange;
  commit(): void;
}

/** The collections before and after a change; `undefined` if there is none. */
export interface Replaced {
  readonly source: string;
  readonly before: AnyCollection | undefined;
  readonly after: AnyCollection | undefined;
}
