// Collections in Arrow files of their own, from which queries read what they need. The name of a file
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
import type { ServiceData } from "../service/data.ts";
import { StoreError } from "./errors.ts";
import { OpenFile, writePieces, type Descriptor } from "./files.ts";
import { fileNameOf, readFileName, type Folder } from "./folder.ts";

/** A collection of up to this many rows has no file of its own: it is part of the data. */
export const FEW_ROWS = 1000;

/** The name of a collection's file, and what distinguishes it from others of that name. */
export interface DataFile {
  readonly file: string;
  readonly checksum: number;
}

/** An existing file of a collection, with its size. */
export interface SizedFile extends DataFile {
  readonly bytes: number;
}

/** The file that a line of data names, if it names one. */
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

/** The content of an open file. */
type Held = Content & { readonly bytes: number; readonly descriptor: Descriptor };

/** Open files. */
export interface OpenedFiles {
  /** How many bytes they have. */
  readonly bytes: number;
  /** The descriptors that close them. */
  readonly descriptors: ReadonlySet<Descriptor>;
}

/** The collections of a store that have files. */
export class DataFiles {
  readonly folder: Folder;
  readonly #fewRows: number;
  /** The files that hold snapshots of collections. */
  readonly #fileOf = new WeakMap<Snapshot, SizedFile>();
  /** The descriptors that snapshots read from. */
  readonly #descriptorOf = new WeakMap<Snapshot, Descriptor>();

  /** @param fewRows a collection of up to this many rows has no file; for tests with few rows */
  constructor(folder: Folder, fewRows = FEW_ROWS) {
    this.folder = folder;
    this.#fewRows = fewRows;
  }

  /**
   * Makes sure that each collection of many rows has a file, durable once the folder is synced.
   *
   * @param inUse the files of the previous generation, which others may have replaced
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
   * Opens files and puts their content into a state. Content that an earlier state has from the same
   * file is taken from that state.
   *
   * @returns the size of the files, and the descriptors that close them
   * @throws StoreError if a file is missing, damaged, or not the one that is named; it then closes those
   *   that it has opened
   */
  openInto(state: ServiceData, named: readonly DataFile[], before?: ServiceState): OpenedFiles {
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
      state.replace({ files, batches });
      return { bytes, descriptors };
    } catch (thrown) {
      for (const each of opened) each.close();
      throw thrown;
    }
  }

  /** The unchanged content that a state has from a file. */
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
   * @param files the Files of the service without this file; they have the service's settings
   * @throws StoreError if the file is missing, damaged, or not the one that is named
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

  /** The thrown error; if a file turned out to be damaged, a StoreError that says which. */
  damageOf(thrown: unknown, named: readonly DataFile[]): unknown {
    if (!(thrown instanceof FileError)) return thrown;
    for (const each of named) {
      const problem = this.problemOf(each);
      if (problem !== undefined) return problem;
    }
    return thrown;
  }

  /** What is wrong with a file. Reads all of it. */
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

  /** What `read` returns of a file, which is then closed. @throws StoreError */
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

  /** The name of an existing file, and what distinguishes it from others. @throws StoreError */
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

/** @param check is first given what the file says of itself */
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
  return new StoreError(path, "is not the file that belongs to the data");
}

/** The result of `read`; an invalid file is a {@link StoreError}. */
function readingFile<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof StoreError || !(thrown instanceof TercetError)) throw thrown;
    throw new StoreError(path, `is damaged: ${thrown.message}`, { cause: thrown });
  }
}
