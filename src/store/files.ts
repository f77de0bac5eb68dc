// A collection in its own file: read on demand, and replaced atomically.

import {
  collectionPieces,
  openCollection,
  type ByteSource,
  type OpenOptions as OpenCollectionOptions,
  type SaveOptions,
} from "../arrow/index.ts";
import { Collection } from "../collection/collection.ts";
import type { Codec } from "../engine/columns/codec.ts";
import { InputError, type Schema } from "../index.ts";
import { Descriptor, writePieces, type Disk } from "./disk.ts";
import { orUndefined } from "../schema/errors.ts";
import { attempt, closingOnError, StoreError } from "./errors.ts";
import { readPath } from "./options.ts";
import { readPlace } from "./place.ts";
import type { PrivatePath } from "./private-path.ts";

/**
 * Opens a collection from an Arrow file, written by {@link saveFile} or another tool. The file stays open until {@link
 * closeFile}, or until the collection is garbage-collected. To replace the file, rename a new one over it, like
 * `saveFile`.
 *
 * @param options those of `openCollection` of `tercet/arrow`: with `schema` the collection has its type
 * @throws StoreError if the file can't be read; FileError if it is damaged, immediately or when the damaged part is
 *   first used; InputError if an argument is not valid, or the schema differs
 */
export function openFile<S extends Schema>(
  path: string | PrivatePath,
  options: OpenCollectionOptions<S> & { readonly schema: S },
): Collection<S>;
export function openFile(path: string | PrivatePath, options?: OpenCollectionOptions): Collection;
export function openFile(path: string | PrivatePath, options?: OpenCollectionOptions): Collection {
  const place = readPlace(path, "path");
  return openFileOn(place.disk, place.path, options);
}

/**
 * Saves a collection as an Arrow file. It writes a new file that replaces the old one atomically: after an
 * interruption, the file is the old one or the new one. When it returns, the file is durable. A replaced file keeps
 * its permissions. A symbolic link is replaced, not its target.
 *
 * @param options those of `saveCollection` of `tercet/arrow`
 * @throws StoreError if it can't be written; InputError if an argument is not valid. The file is then unchanged
 */
export function saveFile<S extends Schema, Input>(
  path: string | PrivatePath,
  collection: Collection<S, Input>,
  options?: SaveOptions,
): void {
  const place = readPlace(path, "path");
  saveFileOn(place.disk, place.path, collectionPieces(collection, options));
}

/**
 * Closes the file of a collection immediately, including for all collections made from it. Later reads from the file
 * throw a StoreError. A second call has no effect.
 *
 * @param collection one opened by {@link openFile}, or made from one by changes
 * @throws InputError if it is any other collection
 */
export function closeFile<S extends Schema, Input>(collection: Collection<S, Input>): void {
  const given: unknown = collection;
  const descriptor = Collection.is(given) ? opened.get(given.state.codec) : undefined;
  if (descriptor === undefined)
    throw new InputError("collection", "must be a collection from openFile()");
  descriptor.close(": closeFile() has closed it");
}

/** The files of collections. A changed collection keeps the codec, and no two files share one. */
const opened = new WeakMap<Codec, Descriptor>();

/** {@link openFile} on any disk. */
export function openFileOn(disk: Disk, path: string, options?: OpenCollectionOptions): Collection {
  return closingOnError(new OpenFile(disk, readPath(disk, path, "path")), (source) => {
    const collection = openCollection(source, options);
    const { codec, snapshot } = collection.state;
    opened.set(codec, source.descriptor);
    // Files written by other tools are completely in memory, and so is shared memory.
    const isRead = snapshot.segments[0].rows.records !== undefined || options?.shared === true;
    if (isRead) source.close();
    return collection;
  });
}

/** {@link saveFile} on any disk. */
export function saveFileOn(disk: Disk, path: string, pieces: Iterable<Uint8Array>): void {
  const place = readPath(disk, path, "path");
  const next = `${place}.next`;
  try {
    writePieces(disk, next, pieces, disk.permissions(place));
    attempt(place, "replaced", () => disk.rename(next, place));
  } catch (thrown) {
    orUndefined(() => disk.remove(next));
    throw thrown;
  }
  const folder = disk.paths.dirname(place);
  attempt(folder, "synced", () => disk.syncDirectory(folder));
}

/** Closes the files of collections that no longer exist. */
const unused = new FinalizationRegistry((close: () => void) => close());

/** Outside the class, because a reference to the file would keep it from being garbage-collected. */
function closeOf(descriptor: Descriptor, owner: Set<Descriptor>): () => void {
  return () => {
    owner.delete(descriptor);
    descriptor.close();
  };
}

/** A file that is read in ranges. It is closed with its owner, or once it is garbage-collected. */
export class OpenFile implements ByteSource {
  readonly size: number;
  readonly descriptor: Descriptor;
  readonly #close: () => void;

  /**
   * @param owner has its descriptor while it is open
   * @throws StoreError if it can't be opened
   */
  constructor(disk: Disk, path: string, owner = new Set<Descriptor>()) {
    this.descriptor = new Descriptor(disk, path, "r");
    this.size = closingOnError(this.descriptor, ({ size }) => size);
    owner.add(this.descriptor);
    this.#close = closeOf(this.descriptor, owner);
    unused.register(this, this.#close, this);
  }

  read(from: number, to: number): Uint8Array {
    const bytes = this.descriptor.readAt(from, to - from);
    if (bytes.length === to - from) return bytes;
    throw this.#truncated();
  }

  readInto(from: number, target: Uint8Array): void {
    if (this.descriptor.readInto(from, target) < target.length) throw this.#truncated();
  }

  #truncated(): StoreError {
    return new StoreError(this.descriptor.path, "was truncated since it was opened");
  }

  close(): void {
    unused.unregister(this);
    this.#close();
  }
}
