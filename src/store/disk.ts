// The file system interface of a store. `node-disk.ts` implements it over the files of the system, `pool-disk.ts` over
// those of a browser. Tests replace it to simulate failing writes and power cuts.

import type { Replacement } from "../arrow/write/output.ts";
import { orUndefined } from "../schema/errors.ts";
import { attempt, closing, StoreError, type Closable } from "./errors.ts";

export type FileHandle = number;

/** How the paths of a disk are written. */
export interface Paths {
  readonly join: (folder: string, name: string) => string;
  readonly dirname: (path: string) => string;
  readonly basename: (path: string) => string;
  /** The absolute path. */
  readonly resolve: (path: string) => string;
}

/** A lock that is held until it is closed. */
export interface Lock extends Closable {
  /** Whether the file at the path of the lock is the locked one. @throws StoreError if that is unknown */
  readonly isThere: () => boolean;
}

/** Paths are absolute. Each function throws a system error if it fails. */
export interface Disk {
  readonly paths: Paths;
  /**
   * Opens a file: `"r"` to read, `"r+"` to write too, `"w+"` to make a new one in its place. Only regular files are
   * accepted, and writing never follows a symbolic link.
   *
   * @param permissions of a new file; default: those of the process
   */
  open(path: string, mode: "r" | "r+" | "w+", permissions?: number): FileHandle;
  /** The permissions of a regular file; `undefined` if there is none, or the system has none. */
  permissions(path: string): number | undefined;
  /** @returns how many bytes were read: less than requested only at the end of the file */
  read(file: FileHandle, into: Uint8Array, position: number): number;
  /** @returns how many bytes were written: at least one */
  write(file: FileHandle, bytes: Uint8Array, position: number): number;
  size(file: FileHandle): number;
  truncate(file: FileHandle, size: number): void;
  /** When it returns, the bytes and the size are durable. */
  sync(file: FileHandle): void;
  /** Like `sync` for everything written before the call, without blocking. Ignore the result if it was closed before. */
  syncLater(file: FileHandle): Promise<void>;
  close(file: FileHandle): void;
  rename(from: string, to: string): void;
  /** Gives a file a second name, which must be unused. */
  link(path: string, to: string): void;
  /** Distinguishes an open or named file or folder from all others that exist now; `undefined` if nothing has the name. */
  identity(file: FileHandle | string): string | undefined;
  remove(path: string): void;
  list(directory: string): string[];
  makeDirectory(path: string): void;
  /** Removes an empty directory. */
  removeDirectory(path: string): void;
  /** When it returns, the names in the directory are durable. */
  syncDirectory(path: string): void;
  /**
   * Locks a folder for one writer.
   *
   * @param path of the lock file
   * @param isNeeded whether the lock file has to stay when the lock is closed
   * @throws StoreError immediately, if the lock is held elsewhere, in this process or another
   */
  lock(path: string, isNeeded: () => boolean): Lock;
  /**
   * Calls a function after other work that is waiting.
   *
   * @param isIdle whether a process may end before that
   */
  soon(run: () => void, isIdle?: boolean): void;
}

/**
 * An open file. Failures are StoreErrors that name it. Once closed, it refuses reads, since the system may reuse the
 * descriptor. A reference to it does not keep collections that read the file in memory.
 */
export class Descriptor {
  readonly path: string;
  readonly disk: Disk;
  #file: FileHandle | undefined;
  #identity: string | undefined;
  #reason = "";

  /**
   * @param permissions of a new file
   * @param what completes "can't be …", if the file can't be opened
   */
  constructor(
    disk: Disk,
    path: string,
    mode: Parameters<Disk["open"]>[1],
    permissions?: number,
    what = "opened",
  ) {
    this.disk = disk;
    this.path = path;
    this.#file = attempt(path, what, () => disk.open(path, mode, permissions));
  }

  /** The last part of its path. */
  get name(): string {
    return this.disk.paths.basename(this.path);
  }

  get isOpen(): boolean {
    return this.#file !== undefined;
  }

  /** Distinguishes it from all other files that exist now. */
  get identity(): string | undefined {
    return (this.#identity ??= this.#attempt("read", (file) => this.disk.identity(file)));
  }

  get size(): number {
    return this.#attempt("read", (file) => this.disk.size(file));
  }

  /** The bytes from a position on: as many as requested, or all if there are fewer. */
  readAt(position: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, this.readInto(position, bytes));
  }

  /** Fills an array with the bytes from a position on. @returns how many there were, if fewer */
  readInto(position: number, target: Uint8Array): number {
    return this.#attempt("read", (file) => {
      let done = 0;
      while (done < target.length) {
        const count = this.disk.read(file, target.subarray(done), position + done);
        if (count === 0) break;
        done += count;
      }
      return done;
    });
  }

  /** Writes all bytes: the system may write only some of them per call. */
  writeAt(position: number, bytes: Uint8Array): void {
    this.#attempt("written", (file) => {
      for (let done = 0; done < bytes.length;) {
        done += this.disk.write(file, bytes.subarray(done), position + done);
      }
    });
  }

  cut(offset: number): void {
    this.#attempt("cut", (file) => this.disk.truncate(file, offset));
  }

  sync(): void {
    this.#attempt("synced", (file) => this.disk.sync(file));
  }

  /** Like `sync`, without blocking. Rejects if it is closed in the meantime. */
  async syncLater(): Promise<void> {
    try {
      await this.disk.syncLater(this.#requireOpen());
    } catch (thrown) {
      this.#requireOpen();
      attempt(this.path, "synced", () => {
        throw thrown;
      });
    }
    // The system may have reused the descriptor, and synced another file.
    this.#requireOpen();
  }

  /** @param reason why reading is no longer possible, such as `: its store is` */
  close(reason = ""): void {
    const file = this.#file;
    if (file === undefined) return;
    this.#file = undefined;
    this.#reason = reason;
    // The system releases it even if it reports an error. Whatever had to be durable has been synced.
    orUndefined(() => this.disk.close(file));
  }

  #requireOpen(): FileHandle {
    if (this.#file !== undefined) return this.#file;
    throw new StoreError(this.path, `is closed${this.#reason}`, { code: "closed" });
  }

  #attempt<Result>(what: string, run: (file: FileHandle) => Result): Result {
    const file = this.#requireOpen();
    return attempt(this.path, what, () => run(file));
  }
}

/** The bytes of a file, one piece after the other, and then what is to be replaced in it. */
export type FilePieces = Iterable<Uint8Array, readonly Replacement[] | undefined>;

/**
 * Writes a new file, replacing any existing one. When it returns, its bytes are durable.
 *
 * @param permissions of the file
 * @throws StoreError
 */
export function writePieces(
  disk: Disk,
  path: string,
  pieces: FilePieces,
  permissions?: number,
): void {
  closing(new Descriptor(disk, path, "w+", permissions, "written"), (file) => {
    const steps = writing(file, pieces);
    while (steps.next().done !== true);
    file.sync();
  });
}

/** Writes pieces into a new file, and yields after each so that other work can run. */
export function* writing(file: Descriptor, pieces: FilePieces): Generator<undefined> {
  let position = 0;
  const steps = inLargePieces(pieces);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    file.writeAt(position, step.value);
    position += step.value.length;
    yield;
  }
  for (const replacement of step.value ?? []) file.writeAt(replacement.position, replacement.bytes);
}

/** Small pieces are written together, up to this many bytes per write. */
const BUFFER_BYTES = 1 << 16;

/** The same bytes with small pieces joined: one write costs as much as copying thousands of bytes. */
function* inLargePieces(
  pieces: FilePieces,
): Generator<Uint8Array, readonly Replacement[] | undefined> {
  const buffer = new Uint8Array(BUFFER_BYTES);
  const steps = pieces[Symbol.iterator]();
  let length = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    const piece = step.value;
    if (length > 0 && length + piece.length > BUFFER_BYTES) {
      yield buffer.subarray(0, length);
      length = 0;
    }
    if (piece.length >= BUFFER_BYTES) yield piece;
    else {
      buffer.set(piece, length);
      length += piece.length;
      // The caller has done a step of its work.
      if (piece.length === 0) yield piece;
    }
  }
  if (length > 0) yield buffer.subarray(0, length);
  return step.value;
}
