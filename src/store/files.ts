// A collection as a file of its own: read where a query needs it, and replaced as a whole.

import { dirname } from "node:path";
import {
  collectionPieces,
  openCollection,
  type ByteSource,
  type OpenOptions as OpenCollectionOptions,
  type SaveOptions,
} from "../arrow/index.ts";
import { Collection } from "../collection/collection.ts";
import type { Codec } from "../collection/records/codec.ts";
import { InputError, type Schema } from "../index.ts";
import { nodeDisk, readAll, writeAll, type Disk, type FileHandle } from "./disk.ts";
import { attempt, StoreError } from "./errors.ts";
import { readPath } from "./options.ts";

/**
 * Opens a collection from an Arrow file: one that {@link saveFile} wrote, or another tool. Where it
 * reads from the file, that stays open until {@link closeFile}, or until the collection is garbage;
 * whoever writes it anew must do as `saveFile` does.
 *
 * @param options those of `openCollection` of `tercet/arrow`: with `schema` the collection has its type
 * @throws StoreError where the file can't be read; FileError where it is damaged, then or when what is
 *   damaged is first used; InputError where an argument is not valid, or the schema is another one
 */
export function openFile<S extends Schema>(
  path: string,
  options: OpenCollectionOptions<S> & { readonly schema: S },
): Collection<S>;
export function openFile(path: string, options?: OpenCollectionOptions): Collection;
export function openFile(path: string, options?: OpenCollectionOptions): Collection {
  return openFileOn(nodeDisk, path, options);
}

/**
 * Saves a collection as an Arrow file. It is written beside and takes its place as a whole: wherever
 * that is broken off, the file is the old one or the new one. When it returns, the file lasts.
 *
 * @param options those of `saveCollection` of `tercet/arrow`
 * @throws StoreError where it can't be written; InputError where an argument is not valid. The file is
 *   then as it was
 */
export function saveFile<S extends Schema, Input>(
  path: string,
  collection: Collection<S, Input>,
  options?: SaveOptions,
): void {
  saveFileOn(nodeDisk, path, collectionPieces(collection, options));
}

/**
 * Closes the file of a collection, at once and for all that were made from it. They still have what is
 * in memory; what would have to be read is a StoreError. The second time it does nothing.
 *
 * @param collection one that {@link openFile} opened, or that was made from one by changes
 * @throws InputError where it is another one
 */
export function closeFile<S extends Schema, Input>(collection: Collection<S, Input>): void {
  const given: unknown = collection;
  const descriptor = Collection.is(given) ? opened.get(given.state.codec) : undefined;
  if (descriptor === undefined) throw new InputError("collection", "must be one of openFile()");
  descriptor.close(": closeFile() has closed it");
}

/** The files of collections. One that is changed keeps the codec, and no two files share one. */
const opened = new WeakMap<Codec, Descriptor>();

/** {@link openFile} on any disk. */
export function openFileOn(disk: Disk, path: string, options?: OpenCollectionOptions): Collection {
  const source = new OpenFile(disk, readPath(path, "path"));
  try {
    const collection = openCollection(source, options);
    const { codec, snapshot } = collection.state;
    opened.set(codec, source.descriptor);
    // All that another tool wrote is in memory, and so is what threads share.
    const isRead = snapshot.segments[0].rows.records !== undefined || options?.shared === true;
    if (isRead) source.close();
    return collection;
  } catch (thrown) {
    source.close();
    throw thrown;
  }
}

/** {@link saveFile} on any disk. */
export function saveFileOn(disk: Disk, path: string, pieces: Iterable<Uint8Array>): void {
  const place = readPath(path, "path");
  const next = `${place}.next`;
  try {
    writePieces(disk, next, pieces);
    attempt(place, "replaced", () => disk.rename(next, place));
  } catch (thrown) {
    removeIfThere(disk, next);
    throw thrown;
  }
  attempt(dirname(place), "synced", () => disk.syncDirectory(dirname(place)));
}

/**
 * Writes a new file, or one anew. When it returns, its bytes last.
 *
 * @throws StoreError
 */
export function writePieces(disk: Disk, path: string, pieces: Iterable<Uint8Array>): void {
  const file = attempt(path, "written", () => disk.open(path, "w+"));
  try {
    let position = 0;
    for (const piece of inLargePieces(pieces)) {
      const at = position;
      attempt(path, "written", () => writeAll(disk, file, piece, at));
      position += piece.length;
    }
    attempt(path, "synced", () => disk.sync(file));
  } finally {
    disk.close(file);
  }
}

/** So many bytes of small pieces are written at once. */
const TOGETHER = 1 << 16;

/** The same bytes, small pieces put together: writing one costs as much as copying thousands. */
function* inLargePieces(pieces: Iterable<Uint8Array>): Generator<Uint8Array, void> {
  const together = new Uint8Array(TOGETHER);
  let length = 0;
  for (const piece of pieces) {
    if (length > 0 && length + piece.length > TOGETHER) {
      yield together.subarray(0, length);
      length = 0;
    }
    if (piece.length >= TOGETHER) yield piece;
    else {
      together.set(piece, length);
      length += piece.length;
    }
  }
  if (length > 0) yield together.subarray(0, length);
}

function removeIfThere(disk: Disk, path: string): void {
  try {
    disk.remove(path);
  } catch {
    return;
  }
}

/** Closes the files whose collections are gone. */
const unused = new FinalizationRegistry((descriptor: Descriptor) => descriptor.close());

/**
 * What a file has to be closed by. Whoever holds it keeps no collection that reads the file in memory.
 * Once it is closed it reads nothing: the system may give its number to another file.
 */
export class Descriptor {
  readonly #disk: Disk;
  readonly #path: string;
  #file: FileHandle | undefined;
  #reason = "";

  /** @throws StoreError where the file can't be opened */
  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
    this.#file = attempt(path, "opened", () => disk.open(path, "r"));
  }

  get isOpen(): boolean {
    return this.#file !== undefined;
  }

  /** What `read` returns of the open file. @throws StoreError where it is closed, or can't be read */
  reading<Result>(read: (disk: Disk, file: FileHandle) => Result): Result {
    const file = this.#file;
    if (file === undefined) throw new StoreError(this.#path, `is closed${this.#reason}`);
    return attempt(this.#path, "read", () => read(this.#disk, file));
  }

  /** @param reason why nothing can be read any more, such as `: its store is` */
  close(reason = ""): void {
    if (this.#file === undefined) return;
    this.#disk.close(this.#file);
    this.#file = undefined;
    this.#reason = reason;
  }
}

/** A file that is read in stretches, and closed at the latest when nobody holds it any more. */
export class OpenFile implements ByteSource {
  readonly size: number;
  readonly descriptor: Descriptor;
  readonly #path: string;

  /** @throws StoreError where it can't be opened */
  constructor(disk: Disk, path: string) {
    const descriptor = new Descriptor(disk, path);
    this.descriptor = descriptor;
    this.#path = path;
    this.size = descriptor.reading((_, file) => disk.size(file));
    unused.register(this, descriptor, this);
  }

  read(from: number, to: number): Uint8Array {
    const bytes = this.descriptor.reading((disk, file) => readAll(disk, file, from, to - from));
    if (bytes.length < to - from) {
      throw new StoreError(this.#path, "has become shorter since it was opened");
    }
    return bytes;
  }

  close(): void {
    unused.unregister(this);
    this.descriptor.close();
  }
}
