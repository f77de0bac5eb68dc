// Collections as Arrow files of their own, from which a query reads what it needs. The name of a file
// says what it holds, and in which generation it was written: `files-3.arrow` the Files,
// `batch-5-3.arrow` the Contacts of Batch 5, with its Lists in the file's note. A collection that does
// not change keeps its file from generation to generation.

import { join } from "node:path";
import { openWith, summaryOf, verifyFile, type FileSummary } from "../arrow/read/open.ts";
import { piecesOf } from "../arrow/write/save.ts";
import { FileError, type ByteSource } from "../arrow/index.ts";
import type { CollectionState } from "../collection/collection.ts";
import type { Snapshot } from "../collection/snapshot/snapshot.ts";
import { TercetError } from "../schema/errors.ts";
import { isMembers } from "../schema/input.ts";
import { Batch, type BatchContactCollection } from "../service/batch.ts";
import { declarationOf } from "../service/changes.ts";
import { readLists } from "../service/lists.ts";
import type { Files } from "../service/load.ts";
import type { ServiceState } from "../service/state.ts";
import type { Store } from "../service/store.ts";
import { StoreError } from "./errors.ts";
import { OpenFile, writePieces, type Descriptor } from "./files.ts";
import { fileNameOf, readFileName, type Folder } from "./folder.ts";

/** Up to so many rows a collection has no file of its own: it stands with the others. */
export const FEW_ROWS = 1000;

/** The name of a file of a collection, and what tells it from others of that name. */
export interface DataFile {
  readonly file: string;
  readonly checksum: number;
}

/** A file of a collection that is there, with its size. */
export interface SizedFile extends DataFile {
  readonly bytes: number;
}

/** What a line of data says, where it names a file. */
export function readDataFile(line: unknown): DataFile | undefined {
  if (!isMembers(line)) return undefined;
  const { file, checksum } = line;
  return typeof file === "string" &&
    readFileName(file) !== undefined &&
    typeof checksum === "number"
    ? { file, checksum }
    : undefined;
}

/** What a file holds. */
type Content =
  | { readonly batch: undefined; readonly files: Files }
  | { readonly batch: Batch; readonly files?: undefined };

/** What a file holds that is open. */
type Held = Content & { readonly bytes: number; readonly descriptor: Descriptor };

/** Files that are open. */
export interface OpenedFiles {
  /** How many bytes they have. */
  readonly bytes: number;
  /** What they are closed by. */
  readonly descriptors: ReadonlySet<Descriptor>;
}

/** The collections of a store that have files. */
export class DataFiles {
  readonly folder: Folder;
  readonly #fewRows: number;
  /** The files that hold snapshots of collections. */
  readonly #fileOf = new WeakMap<Snapshot, SizedFile>();
  /** What snapshots read from. */
  readonly #descriptorOf = new WeakMap<Snapshot, Descriptor>();

  /** @param fewRows up to so many rows a collection has no file. For tests with few rows */
  constructor(folder: Folder, fewRows = FEW_ROWS) {
    this.folder = folder;
    this.#fewRows = fewRows;
  }

  /**
   * Sees to it that each collection of many rows has a file, which lasts when the folder is synced.
   *
   * @param inUse the files of the generation before, which others may have taken the place of
   * @returns the files: that of the Files under `undefined`, those of the Batches by their ids
   * @throws StoreError
   */
  write(
    generation: number,
    { files, batches }: ServiceState,
    inUse: readonly DataFile[],
  ): Map<string | undefined, SizedFile> {
    const all = new Map<string | undefined, SizedFile>();
    const kept = new Set(inUse.map(({ file }) => file));
    const write = ({ state }: Files | BatchContactCollection, batch?: Batch) => {
      if (state.snapshot.size <= this.#fewRows) return;
      const known = this.#fileOf.get(state.snapshot);
      const isKept = known !== undefined && kept.has(known.file);
      const file = isKept ? known : this.#write(generation, state, batch);
      this.#fileOf.set(state.snapshot, file);
      all.set(batch?.id, file);
    };
    write(files);
    for (const batch of batches.values()) write(batch.contacts, batch);
    return all;
  }

  /**
   * Opens files, and puts what they hold into a state. What an earlier state has from the same file is
   * taken from it.
   *
   * @returns how many bytes they have, and what to close them by
   * @throws StoreError where one is not there, damaged, or another one than is named; it leaves none
   *   open then that it has opened
   */
  openInto(state: Store, named: readonly DataFile[], before?: ServiceState): OpenedFiles {
    if (named.length === 0) return { bytes: 0, descriptors: new Set() };
    const batches = new Map<string, Batch>(state.batches);
    let { files } = state;
    let bytes = 0;
    const descriptors = new Set<Descriptor>();
    const opened: Descriptor[] = [];
    try {
      for (const each of named) {
        let held = before && this.#heldBy(before, each);
        if (held === undefined) {
          held = this.#open(each, state.files);
          opened.push(held.descriptor);
        }
        bytes += held.bytes;
        descriptors.add(held.descriptor);
        if (held.batch === undefined) ({ files } = held);
        else batches.set(held.batch.id, held.batch);
      }
      state.become({ files, batches });
      return { bytes, descriptors };
    } catch (thrown) {
      for (const each of opened) each.close();
      throw thrown;
    }
  }

  /** What a state has from a file and has not changed. */
  #heldBy({ files, batches }: ServiceState, { file, checksum }: DataFile): Held | undefined {
    const { batch: id } = readFileName(file) ?? {};
    const batch = id === undefined ? undefined : batches.get(id);
    const snapshot = (id === undefined ? files : batch?.contacts)?.state.snapshot;
    const known = snapshot && this.#fileOf.get(snapshot);
    const descriptor = snapshot && this.#descriptorOf.get(snapshot);
    if (known?.file !== file || known.checksum !== checksum || descriptor === undefined) {
      return undefined;
    }
    const { bytes } = known;
    return batch === undefined ? { batch, files, bytes, descriptor } : { batch, bytes, descriptor };
  }

  /**
   * Opens a file.
   *
   * @param files the Files of the service as they are without it; they say how it is set
   * @throws StoreError where it is not there, damaged, or another one than is named
   */
  #open(named: DataFile, files: Files): Held {
    const { batch: id } = readFileName(named.file) ?? {};
    const path = this.pathOf(named.file);
    const check = ({ checksum }: FileSummary) => {
      if (checksum !== named.checksum) throw anotherFile(path);
    };
    const source = this.openSource(named.file);
    try {
      const opened = readingFile(path, () => openData(source, id, files, check));
      const { size: bytes, descriptor } = source;
      const { snapshot } = (opened.files ?? opened.batch.contacts).state;
      this.#fileOf.set(snapshot, { ...named, bytes });
      this.#descriptorOf.set(snapshot, descriptor);
      return { ...opened, bytes, descriptor };
    } catch (thrown) {
      source.close();
      throw thrown;
    }
  }

  /** What was thrown; where a file turned out to be damaged, a StoreError that says which. */
  damageOf(thrown: unknown, named: readonly DataFile[]): unknown {
    if (!(thrown instanceof FileError)) return thrown;
    for (const each of named) {
      const problem = this.problemOf(each);
      if (problem !== undefined) return problem;
    }
    return thrown;
  }

  /** What is wrong with a file, all of which is read for it. */
  problemOf({ file, checksum }: DataFile): StoreError | undefined {
    const path = this.pathOf(file);
    try {
      this.reading(file, (source) => {
        if (summaryOf(source).checksum !== checksum) throw anotherFile(path);
        verifyFile(source);
      });
      return undefined;
    } catch (thrown) {
      if (thrown instanceof StoreError) return thrown;
      throw thrown;
    }
  }

  /** What `read` returns of a file, which is closed then. @throws StoreError */
  reading<Result>(file: string, read: (source: ByteSource) => Result): Result {
    const source = this.openSource(file);
    try {
      return readingFile(this.pathOf(file), () => read(source));
    } finally {
      source.close();
    }
  }

  /** @throws StoreError */
  openSource(file: string): OpenFile {
    return new OpenFile(this.folder.disk, this.pathOf(file));
  }

  /** The name of a file that is there, and what tells it from others. @throws StoreError */
  nameOf(file: string): DataFile {
    return { file, checksum: this.reading(file, summaryOf).checksum };
  }

  pathOf(file: string): string {
    return join(this.folder.path, file);
  }

  #write(generation: number, state: CollectionState, batch: Batch | undefined): SizedFile {
    const file = fileNameOf(batch?.id, generation);
    const note = batch?.declared.all.map(declarationOf);
    writePieces(
      this.folder.disk,
      this.pathOf(file),
      piecesOf(state, { orders: "used", trigrams: "used" }, note),
    );
    return this.reading(file, (source) => {
      return { file, checksum: summaryOf(source).checksum, bytes: source.size };
    });
  }
}

/** @param check is given first what the file says of itself */
function openData(
  source: ByteSource,
  id: string | undefined,
  files: Files,
  check: (summary: FileSummary) => void,
): Content {
  const { codec, options: settings } = files.state;
  if (id === undefined) {
    const opened: Files = openWith(source, (summary) => {
      check(summary);
      return { codec, settings };
    });
    return { batch: undefined, files: opened };
  }
  let lists = readLists([], "note");
  const contacts: BatchContactCollection = openWith(source, (summary) => {
    check(summary);
    lists = readLists(summary.note, "note");
    return { codec: lists.codec, settings, hidden: lists.ids };
  });
  return { batch: new Batch(id, lists, contacts) };
}

function anotherFile(path: string): StoreError {
  return new StoreError(path, "is another file than the one that belongs to the data");
}

/** What `read` returns; a file that is not what it has to be is a {@link StoreError}. */
function readingFile<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof StoreError || !(thrown instanceof TercetError)) throw thrown;
    throw new StoreError(path, `is damaged: ${thrown.message}`, { cause: thrown });
  }
}
