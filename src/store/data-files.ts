// Collections in Arrow files, which queries read on demand. The name of a file says what it holds, and in which
// generation it was written: `files-3.arrow` the Files, `batch-5-3.arrow` the Contacts of Batch 5, with its Lists in
// the file's note. A collection that does not change keeps its file from generation to generation.

import { join } from "node:path";
import { openWith, summaryOf, verifyFile } from "../arrow/read/open.ts";
import { piecesOf } from "../arrow/write/save.ts";
import { FileError, type ByteSource } from "../arrow/index.ts";
import type { Snapshot } from "../engine/versions/snapshot.ts";
import { tuning } from "../engine/tuning.ts";
import { rethrowAs } from "../schema/errors.ts";
import type { DatabaseState } from "../database/database-state.ts";
import {
  readSource,
  type Member,
  type MemberChange,
  type MemberCollection,
} from "../database/member.ts";
import { closing, closingOnError, faultIn, StoreError } from "./errors.ts";
import { writePieces, type Descriptor } from "./disk.ts";
import { OpenFile } from "./files.ts";
import { fileNameOf, readFileName, type Folder } from "./folder.ts";
import type { SavedSchemas } from "./migrations.ts";

/** The name of a collection's file, and what distinguishes it from others of that name. */
export interface DataFile {
  readonly file: string;
  readonly checksum: number;
}

export interface SizedFile extends DataFile {
  readonly bytes: number;
}

/** An open file, and the change that puts its content into a database. */
interface Held {
  readonly change: MemberChange;
  readonly bytes: number;
  readonly descriptor: Descriptor;
}

/** The member of a collection. @throws StoreError if the database has none */
export function memberOf({ members }: DatabaseState, source: string, path: string): Member {
  const member = members.get(readSource(source).name);
  if (member === undefined) throw new StoreError(path, "belongs to a collection that is not there");
  return member;
}

export class DataFiles {
  readonly folder: Folder;
  /** The versions of the schemas of collections, as the data that were read last record them. */
  readonly versions = new Map<string, number>();
  /** The files that hold snapshots of collections, and the descriptors by which they are read. */
  readonly #fileOf = new WeakMap<Snapshot, SizedFile & { readonly descriptor?: Descriptor }>();

  constructor(folder: Folder) {
    this.folder = folder;
  }

  /**
   * Makes sure that each collection of many rows has a file, durable once the folder is synced.
   *
   * @param inUse the files of the previous generation, which others may have replaced
   * @param permissions of new files
   * @returns the files of collections
   * @throws StoreError
   */
  write(
    generation: number,
    state: DatabaseState,
    inUse: readonly DataFile[],
    permissions: number | undefined,
  ): Map<string, SizedFile> {
    const all = new Map<string, SizedFile>();
    const kept = new Set(inUse.map(({ file }) => file));
    for (const each of state.collections()) {
      const { snapshot } = each.collection.state;
      if (snapshot.size <= tuning.fewInData) continue;
      const known = this.#fileOf.get(snapshot);
      const isKept = known !== undefined && kept.has(known.file);
      const file = isKept ? known : this.#write(generation, each, permissions);
      this.#fileOf.set(snapshot, file);
      all.set(each.source, file);
    }
    return all;
  }

  /**
   * Opens files and puts their content into a state. Content that an earlier state has from the same
   * file is taken from that state.
   *
   * @returns the size of the files, and the descriptors that close them
   * @throws StoreError if a file is missing, damaged, or not the one that is named; it then closes those
   *   that it has opened
   */
  openInto(state: DatabaseState, named: readonly DataFile[], before?: DatabaseState) {
    if (named.length === 0) return { bytes: 0, descriptors: new Set<Descriptor>() };
    const opened: Descriptor[] = [];
    const open = (each: DataFile) => {
      const held = this.#open(each, state);
      opened.push(held.descriptor);
      return held;
    };
    const close = () => opened.forEach((each) => each.close());
    return closingOnError({ close }, () => {
      const all = named.map((each) => (before && this.#heldBy(before, each, state)) ?? open(each));
      state.transactions.run(() => all.map(({ change }) => change));
      const bytes = all.reduce((sum, each) => sum + each.bytes, 0);
      return { bytes, descriptors: new Set(all.map(({ descriptor }) => descriptor)) };
    });
  }

  /** The unchanged content that an earlier state has from a file. */
  #heldBy(
    before: DatabaseState,
    { file, checksum }: DataFile,
    state: DatabaseState,
  ): Held | undefined {
    const { source = "" } = readFileName(file) ?? {};
    const member = memberOf(state, source, this.pathOf(file));
    const earlier = before.members.get(member.name);
    const there = earlier && [...earlier.collections()].find((each) => each.source === source);
    const snapshot = there?.collection.state.snapshot;
    const known = snapshot && this.#fileOf.get(snapshot);
    const isSame = known?.file === file && known.checksum === checksum;
    if (earlier === undefined || !isSame || known.descriptor === undefined) return undefined;
    const { bytes, descriptor } = known;
    return { change: member.replaceWith(earlier, source), bytes, descriptor };
  }

  /**
   * Opens a file.
   *
   * @param state of which its content takes its place
   * @throws StoreError if the file is missing, damaged, or not the one that is named
   */
  #open(named: DataFile, state: DatabaseState): Held {
    const { source: from = "" } = readFileName(named.file) ?? {};
    const path = this.pathOf(named.file);
    const member = memberOf(state, from, path);
    return closingOnError(this.openSource(named.file), (source) => {
      const { size: bytes, descriptor } = source;
      const change = readingFile(path, () => {
        const { note, checksum } = summaryOf(source);
        if (checksum !== named.checksum) throw anotherFile(path);
        const { codec, settings, hidden, to } = member.destinationFor(from, note);
        const opened = openWith(source, { codec, settings, hidden });
        this.#fileOf.set(opened.state.snapshot, { ...named, bytes, descriptor });
        return to(opened.state);
      });
      return { change, bytes, descriptor };
    });
  }

  /** The thrown error; if a file turned out to be damaged, a StoreError that says which. */
  damageOf(thrown: unknown, named: readonly DataFile[]): unknown {
    if (!(thrown instanceof FileError)) return thrown;
    for (const each of named) {
      const problem = this.problemOf(each);
      if (problem !== undefined) return problem;
    }
    return thrown;
  }

  /** The problem of a file, if any. Reads all of it. */
  problemOf({ file, checksum }: DataFile): StoreError | undefined {
    const path = this.pathOf(file);
    return faultIn(() =>
      this.reading(file, (source) => {
        if (summaryOf(source).checksum !== checksum) throw anotherFile(path);
        verifyFile(source);
      }),
    );
  }

  /** Returns the result of `read`, and closes the file. @throws StoreError */
  reading<Result>(file: string, read: (source: ByteSource) => Result): Result {
    return closing(this.openSource(file), (source) =>
      readingFile(this.pathOf(file), () => read(source)),
    );
  }

  /** @throws StoreError */
  openSource(file: string): OpenFile {
    return new OpenFile(this.folder.disk, this.pathOf(file));
  }

  /** Opens a file that data name. @throws StoreError if it is missing, damaged at its end, or another one */
  openNamed({ file, checksum }: DataFile): OpenFile {
    const path = this.pathOf(file);
    return closingOnError(this.openSource(file), (source) =>
      readingFile(path, () => {
        if (summaryOf(source).checksum !== checksum) throw anotherFile(path);
        return source;
      }),
    );
  }

  /** The name of an existing file, and what distinguishes it from others. @throws StoreError */
  nameOf(file: string): DataFile {
    return { file, checksum: this.reading(file, summaryOf).checksum };
  }

  pathOf(file: string): string {
    return join(this.folder.path, file);
  }

  /** Takes the versions of schemas from lines of data. */
  noteVersions(schemas: SavedSchemas): void {
    for (const [name, { version }] of schemas) {
      if (version === undefined) this.versions.delete(name);
      else this.versions.set(name, version);
    }
  }

  #write(
    generation: number,
    { source, collection, note }: MemberCollection,
    permissions: number | undefined,
  ): SizedFile {
    const file = fileNameOf(source, generation);
    writePieces(
      this.folder.disk,
      this.pathOf(file),
      piecesOf(collection.state, { orders: "used", trigrams: "used" }, note),
      permissions,
    );
    return this.reading(file, (source) => {
      return { file, checksum: summaryOf(source).checksum, bytes: source.size };
    });
  }
}

function anotherFile(path: string): StoreError {
  return new StoreError(path, "is not the file that belongs to the data");
}

/** The result of `read`; an invalid file is a {@link StoreError}. */
const readingFile = <Result>(path: string, read: () => Result): Result =>
  rethrowAs(read, (message, options) =>
    options.cause instanceof StoreError
      ? options.cause
      : new StoreError(path, `is damaged: ${message}`, options),
  );
