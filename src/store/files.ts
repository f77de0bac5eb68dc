// A collection as a file of its own: read where a query needs it, and replaced as a whole.

import { dirname, resolve } from "node:path";
import {
  collectionPieces,
  openCollection,
  type ByteSource,
  type OpenOptions as OpenCollectionOptions,
  type SaveOptions,
} from "../arrow/index.ts";
import type { Collection, Schema } from "../index.ts";
import { nodeDisk, readAll, writeAll, type Disk, type FileHandle } from "./disk.ts";
import { attempt, StoreError } from "./errors.ts";

/**
 * Opens a collection from an Arrow file: one that {@link saveFile} wrote, or another tool. The file
 * stays open as long as the collection is in use; whoever writes it anew must do as `saveFile` does.
 *
 * @param options those of `openCollection` of `tercet/arrow`: with `schema` the collection has its type
 * @throws StoreError where the file can't be read; FileError where it is damaged, then or when what is
 *   damaged is first used; InputError where an option is not valid, or the schema is another one
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
 * @throws StoreError where it can't be written; the file is then as it was
 */
export function saveFile<S extends Schema, Input>(
  path: string,
  collection: Collection<S, Input>,
  options?: SaveOptions,
): void {
  saveFileOn(nodeDisk, path, collectionPieces(collection, options));
}

/** {@link openFile} on any disk. */
export function openFileOn(disk: Disk, path: string, options?: OpenCollectionOptions): Collection {
  const source = new OpenFile(disk, resolve(path));
  try {
    return openCollection(source, options);
  } catch (thrown) {
    source.close();
    throw thrown;
  }
}

/** {@link saveFile} on any disk. */
export function saveFileOn(disk: Disk, path: string, pieces: Iterable<Uint8Array>): void {
  const place = resolve(path);
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
const unused = new FinalizationRegistry((close: () => void) => close());

/** A file that is read in stretches, and closed when nobody holds it any more. */
export class OpenFile implements ByteSource {
  readonly size: number;
  readonly #disk: Disk;
  readonly #path: string;
  readonly #file: FileHandle;

  /** @throws StoreError where it can't be opened */
  constructor(disk: Disk, path: string) {
    const file = attempt(path, "opened", () => disk.open(path, "r"));
    this.#disk = disk;
    this.#path = path;
    this.#file = file;
    this.size = attempt(path, "read", () => disk.size(file));
    unused.register(this, () => disk.close(file), this);
  }

  read(from: number, to: number): Uint8Array {
    const bytes = attempt(this.#path, "read", () =>
      readAll(this.#disk, this.#file, from, to - from),
    );
    if (bytes.length < to - from) {
      throw new StoreError(this.#path, "has become shorter since it was opened");
    }
    return bytes;
  }

  close(): void {
    unused.unregister(this);
    this.#disk.close(this.#file);
  }
}
