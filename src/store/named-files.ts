// The files of collections as data name them, and what a generation has of a collection beside its files.

import type { CollectionState } from "../collection/types.ts";
import type { DatabaseState } from "../database/database-state.ts";
import { readSource, type Member } from "../database/member.ts";
import type { Patch } from "../engine/changes/patch.ts";
import { StoreError } from "./errors.ts";
import { readFileName } from "./folder.ts";

/** The name of a segment's file, and its checksum, which distinguishes it from others of that name. */
export interface DataFile {
  readonly file: string;
  readonly checksum: number;
  /** Its dead rows, as {@link writeRowNumbers} writes them; `undefined` if there are none. */
  readonly dead?: string | undefined;
}

export interface SizedFile extends DataFile {
  readonly bytes: number;
}

/** The part of a collection that a generation has in files. */
export interface Filed {
  readonly path: Patch["path"];
  /** The files of its segments, in order. */
  readonly files: readonly SizedFile[];
  /** The segments without a file. */
  readonly rest: CollectionState | undefined;
}

/** A record that is in none of the files of its collection. */
export interface Adding {
  readonly source: string;
  readonly patch: unknown;
}

/** The member of a collection. @throws StoreError if the database has none */
export function memberOf({ members }: DatabaseState, source: string, path: string): Member {
  const member = members.get(readSource(source).name);
  if (member === undefined)
    throw new StoreError(path, "belongs to a collection that does not exist");
  return member;
}

/** Files by collection, in the order in which the collections first occur. */
export function filesBySource<File extends DataFile>(files: readonly File[]): Map<string, File[]> {
  const all = new Map<string, File[]>();
  for (const each of files) {
    const { source } = readFileName(each.file) ?? {};
    if (source === undefined) continue;
    const own = all.get(source);
    if (own === undefined) all.set(source, [each]);
    else own.push(each);
  }
  return all;
}
