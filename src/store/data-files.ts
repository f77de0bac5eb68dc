// Collections in separate Arrow files, from which queries read what they need. Each segment with many rows has a file,
// which it keeps from generation to generation; the data list its dead rows, and have the records of the other
// segments. The name of a file contains its collection, and the generation in which it was written: `files-3.arrow` to
// the Files, `batch-5-3.arrow` to the Contacts of Batch 5, with its Lists in the file's note.

import { collect } from "../collection/create.ts";
import { openWith, summaryOf, verifyFile } from "../arrow/read/open.ts";
import { piecesOf } from "../arrow/write/save.ts";
import { FileError, type ByteSource } from "../arrow/index.ts";
import { applyPatches } from "../engine/changes/change.ts";
import { readPatches } from "../engine/changes/read-patches.ts";
import type { Rows } from "../engine/columns/rows.ts";
import { DeadRows } from "../engine/versions/dead-rows.ts";
import type { Segment } from "../engine/versions/segment.ts";
import { Snapshot } from "../engine/versions/snapshot.ts";
import { tuning } from "../engine/tuning.ts";
import { rethrowAs } from "../schema/errors.ts";
import type { DatabaseState } from "../database/database-state.ts";
import { type MemberChange, type MemberCollection } from "../database/member.ts";
import { closing, closingOnError, faultIn, StoreError } from "./errors.ts";
import { writePieces, type Descriptor, type FilePieces } from "./disk.ts";
import { OpenFile } from "./files.ts";
import { fileNameOf, type Folder } from "./folder.ts";
import type { SavedSchemas } from "./migrations.ts";
import {
  filesBySource,
  memberOf,
  type Adding,
  type DataFile,
  type Filed,
  type SizedFile,
} from "./named-files.ts";
import { readRowNumbers, rowsInFile, writeRowNumbers } from "./row-numbers.ts";

/** The file of a segment's rows. */
interface Written extends SizedFile {
  /** The note in it, as JSON. */
  readonly note: string | undefined;
  /** The rows that were dead when it was written, and so are not in it. */
  readonly left: DeadRows;
}

/** Open files, and the change that puts their content into a database. */
interface Held {
  readonly change: MemberChange;
  readonly bytes: number;
  readonly descriptors: readonly Descriptor[];
}

export class DataFiles {
  readonly folder: Folder;
  /** The versions of the schemas of collections, as recorded in the data that were read last. */
  readonly versions = new Map<string, number>();
  /** Whether the store was made of a service, as recorded in the data that were read last; `undefined` if unknown. */
  isService: boolean | undefined;
  /** The files of segments, by their rows and by the source of the collection. */
  readonly #filesOf = new WeakMap<Rows, Map<string, Written>>();
  /** The names of files that are being written, or are in use but not named yet. */
  readonly pending = new Set<string>();
  /** The names of files that nobody will name. */
  readonly temporary = new Set<string>();
  /** The descriptors of all open files of collections. */
  readonly #open = new Set<Descriptor>();
  /** What was opened: the names of the files by their snapshots. */
  readonly #opened = new WeakMap<Snapshot, Omit<Held, "change"> & { readonly named: string }>();

  constructor(folder: Folder) {
    this.folder = folder;
  }

  /**
   * Ensures that each segment with many rows has a file, durable once the folder is synced.
   *
   * @param inUse the files of the previous generation, which others may have replaced
   * @param permissions of new files
   * @returns the collections in files
   * @throws StoreError
   */
  write(
    generation: number,
    state: DatabaseState,
    inUse: readonly DataFile[],
    permissions: number | undefined,
  ): Map<string, Filed> {
    const all = new Map<string, Filed>();
    const kept = new Map(inUse.map(({ file, checksum }) => [file, checksum]));
    const isThere = ({ file, checksum }: Written) =>
      this.pending.has(file) || kept.get(file) === checksum;
    for (const each of state.collections()) {
      const { source, path, collection } = each;
      const { snapshot } = collection.state;
      const isFiled = ({ live, isApart }: Segment) => live > (isApart ? 0 : tuning.fewInData);
      const filed = snapshot.segments.filter(isFiled);
      if (filed.length === 0) continue;
      let part = 0;
      const files = filed.map((segment) => {
        let known = this.fileOf(segment, source);
        const isCurrent = known !== undefined && isThere(known) && known.note === textOf(each.note);
        // An earlier version of the collection may have come back, with rows that the file does not have.
        if (known === undefined || !isCurrent || !segment.dead.includes(known.left)) {
          known = this.#write(fileNameOf(source, generation, ++part), each, segment, permissions);
          this.#keep(segment, source, known);
        }
        const dead = rowsInFile(segment.dead, known.left);
        return { ...known, dead: dead.length === 0 ? undefined : writeRowNumbers(dead) };
      });
      keepApart(filed);
      const [first, ...others] = snapshot.segments.filter((segment) => !isFiled(segment));
      const rest = first && new Snapshot([first, ...others], snapshot.nextKey, snapshot.lastIds);
      all.set(source, { path, files, rest: rest && { ...collection.state, snapshot: rest } });
    }
    return all;
  }

  /**
   * Opens files and puts their content into a state. Content that an earlier state has read from the same files is
   * taken from that state.
   *
   * @param named the files, for each collection in the order of its segments
   * @param added the records that are in none of the files of their collections
   * @returns the size of the files, and the descriptors that close them
   * @throws StoreError if a file is missing, damaged, or not the one that is named, or records do not fit; it then
   *   closes those that it has opened
   */
  openInto(
    state: DatabaseState,
    named: readonly DataFile[],
    added: readonly Adding[] = [],
    before?: DatabaseState,
  ) {
    const bySource = filesBySource(named);
    if (bySource.size === 0) return { bytes: 0, descriptors: new Set<Descriptor>() };
    const recordsOf = new Map<string, unknown[]>();
    for (const { source, patch } of added) {
      const records = recordsOf.get(source);
      if (records === undefined) recordsOf.set(source, [patch]);
      else records.push(patch);
    }
    const opened: Descriptor[] = [];
    const close = () => opened.forEach((each) => each.close());
    return closingOnError({ close }, () => {
      const all = Array.from(bySource, ([source, files]) => {
        const records = recordsOf.get(source) ?? [];
        const held =
          records.length > 0 || before === undefined
            ? undefined
            : this.#heldBy(before, source, files, state);
        return held ?? this.#openAll(source, files, records, state, opened);
      });
      state.transactions.run(() => all.map(({ change }) => change));
      const bytes = all.reduce((sum, each) => sum + each.bytes, 0);
      return { bytes, descriptors: new Set(all.flatMap(({ descriptors }) => descriptors)) };
    });
  }

  /** The unchanged content that an earlier state has read from some files. */
  #heldBy(
    before: DatabaseState,
    source: string,
    files: readonly DataFile[],
    state: DatabaseState,
  ): Held | undefined {
    const member = memberOf(state, source, this.pathOf(files[0]?.file ?? ""));
    const earlier = before.members.get(member.name);
    const there = earlier && [...earlier.collections()].find((each) => each.source === source);
    const snapshot = there?.collection.state.snapshot;
    const known = snapshot && this.#opened.get(snapshot);
    if (earlier === undefined || known === undefined || known.named !== textOf(files)) {
      return undefined;
    }
    return { ...known, change: member.replaceWith(earlier, source) };
  }

  /**
   * Opens the files of a collection.
   *
   * @param added the patches that add what is in none of them
   * @param state the state to put their content into
   * @param opened receives their descriptors
   * @throws StoreError if a file is missing, damaged, or not the one that is named
   */
  #openAll(
    from: string,
    files: readonly DataFile[],
    added: readonly unknown[],
    state: DatabaseState,
    opened: Descriptor[],
  ): Held {
    const [{ file: firstFile } = { file: "" }] = files;
    const firstPath = this.pathOf(firstFile);
    const member = memberOf(state, from, firstPath);
    const sources = files.map((named) => {
      const source = this.openNamed(named);
      opened.push(source.descriptor);
      return { ...named, source, path: this.pathOf(named.file) };
    });
    const [{ note } = { note: undefined }] = sources.map(({ source }) => summaryOf(source));
    const destination = readingFile(firstPath, () => member.destinationFor(from, note));
    const { codec, settings, hidden, to } = destination;
    const empty = collect(codec, settings, () => undefined).state;
    let counts = empty.snapshot;
    const segments: Segment[] = [];
    const add = (segment: Segment) =>
      segments.push(segments[0] ? segment.beside(segments[0]) : segment);
    for (const { source, path, file, checksum, dead = "" } of sources) {
      const { snapshot } = readingFile(path, () =>
        openWith(source, { codec, settings, hidden }),
      ).state;
      const [segment] = snapshot.segments;
      const rows = readRowNumbers(dead, segment.size);
      if (rows === undefined) throw anotherFile(path);
      this.#keepOpened(segment, from, { file, checksum }, source, note);
      counts = counts.countingFrom(snapshot.nextKey, snapshot.lastIds);
      add(segment.without(rows));
    }
    if (added.length > 0) {
      const depth = destination.path.length;
      const placed = Array.from(readPatches(added, "key"), (patch) => ({
        ...patch,
        path: patch.path.slice(depth),
      }));
      const start = { codec, snapshot: counts };
      const { after } = readingFile(firstPath, () => applyPatches(start, placed));
      for (const each of after.segments) if (each.live > 0) add(each);
      counts = after;
    }
    const [first, ...others] = segments;
    if (first === undefined) throw anotherFile(firstPath);
    keepApart(segments.slice(0, files.length));
    const snapshot = new Snapshot([first, ...others], counts.nextKey, counts.lastIds);
    const bytes = sources.reduce((sum, { source }) => sum + source.size, 0);
    const descriptors = sources.map(({ source }) => source.descriptor);
    if (added.length === 0) {
      this.#opened.set(snapshot, { bytes, descriptors, named: textOf(files) ?? "" });
    }
    return { change: to({ codec, options: settings, snapshot }), bytes, descriptors };
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
    return new OpenFile(this.folder.disk, this.pathOf(file), this.#open);
  }

  /** Closes all files. @param reason as for {@link Descriptor.close} */
  close(reason?: string): void {
    for (const each of this.#open) each.close(reason);
    this.#open.clear();
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
    return this.folder.pathOf(file);
  }

  /** Takes the versions of schemas from lines of data. */
  noteVersions(schemas: SavedSchemas): void {
    for (const [name, { version }] of schemas) {
      if (version === undefined) this.versions.delete(name);
      else this.versions.set(name, version);
    }
  }

  /** The file of a segment of a collection. */
  fileOf({ rows }: Segment, source: string): Written | undefined {
    return this.#filesOf.get(rows)?.get(source);
  }

  /** Records that a file has the rows of a segment. */
  #keep({ rows }: Pick<Segment, "rows">, source: string, written: Written): void {
    const all = this.#filesOf.get(rows);
    if (all === undefined) this.#filesOf.set(rows, new Map([[source, written]]));
    else all.set(source, written);
  }

  /** Records that an open file has the rows of a segment, all of them live. */
  #keepOpened(
    segment: Pick<Segment, "rows">,
    source: string,
    named: DataFile,
    { size: bytes }: OpenFile,
    note: unknown,
  ): void {
    this.#keep(segment, source, { ...named, bytes, note: textOf(note), left: DeadRows.EMPTY });
  }

  #write(
    file: string,
    { collection, note }: MemberCollection,
    segment: Segment,
    permissions: number | undefined,
  ): Written {
    const { state } = collection;
    const { nextKey, lastIds } = state.snapshot;
    writePieces(
      this.folder.disk,
      this.pathOf(file),
      piecesOf(
        { ...state, snapshot: new Snapshot([segment], nextKey, lastIds) },
        { orders: "many", trigrams: "used" },
        note,
      ),
      permissions,
    );
    return this.reading(file, (source) => {
      const { checksum } = summaryOf(source);
      return { file, checksum, bytes: source.size, note: textOf(note), left: segment.dead };
    });
  }

  /**
   * Opens a file that was merged from others.
   *
   * @param named the collection that it belongs to
   * @throws StoreError
   */
  openMerged(
    file: string,
    { collection, source: from, note }: MemberCollection,
    state: DatabaseState,
  ): Segment {
    const path = this.pathOf(file);
    return closingOnError(this.openSource(file), (source) => {
      const { hidden } = memberOf(state, from, path).destinationFor(from, note);
      const { codec, options } = collection.state;
      const { checksum } = readingFile(path, () => summaryOf(source));
      const opened = readingFile(path, () =>
        openWith(source, { codec, settings: options, hidden }),
      );
      const [segment] = opened.state.snapshot.segments;
      this.#keepOpened(segment, from, { file, checksum }, source, note);
      return segment;
    });
  }

  /**
   * Writes the file of a collection whose rows are not in the state yet, and opens them.
   *
   * @param file a free name
   * @throws StoreError
   */
  saveRows<Own extends Rows>(
    source: string,
    file: string,
    pieces: FilePieces,
    note: unknown,
    open: (from: ByteSource) => Own,
  ): Own {
    const path = this.pathOf(file);
    this.pending.add(file);
    try {
      this.folder.requireInPlace();
      writePieces(this.folder.disk, path, pieces, this.folder.permissions());
      return closingOnError(this.openSource(file), (opened) => {
        const { checksum } = readingFile(path, () => summaryOf(opened));
        const rows = open(opened);
        this.#keepOpened({ rows }, source, { file, checksum }, opened, note);
        return rows;
      });
    } catch (thrown) {
      this.pending.delete(file);
      this.folder.remove([path]);
      throw thrown;
    }
  }

  /**
   * A name for another file of a collection.
   *
   * @param part the least one that it may be
   */
  freeName(source: string, generation: number, part = 1): string {
    for (let next = part; ; next++) {
      const name = fileNameOf(source, generation, next);
      if (!this.pending.has(name) && !this.folder.has(this.pathOf(name))) return name;
    }
  }
}

/**
 * How many segments of a collection are kept apart. A program that changes a store without ever waiting leaves no time
 * to merge them: changes then merge the others.
 */
const MOST_APART = 12;

/** Leaves segments in files to be merged in the background. */
function keepApart(segments: readonly Segment[]): void {
  for (const segment of segments.slice(0, MOST_APART)) segment.keepApart();
}

const textOf = (note: unknown): string | undefined => JSON.stringify(note);

function anotherFile(path: string): StoreError {
  return new StoreError(path, "does not belong to the data");
}

/** The result of `read`; an invalid file is a {@link StoreError}. */
const readingFile = <Result>(path: string, read: () => Result): Result =>
  rethrowAs(read, (message, options) =>
    options.cause instanceof StoreError
      ? options.cause
      : new StoreError(path, `is damaged: ${message}`, options),
  );
