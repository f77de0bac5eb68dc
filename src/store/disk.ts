// What a store needs of a file system, and Node's implementation. Tests replace it to see what is left
// when writes fail or the power goes.

import * as fs from "node:fs";
import { attempt, closing, StoreError } from "./errors.ts";

export type FileHandle = number;

/** Paths are absolute. Each function throws a system error if it fails. */
export interface Disk {
  /**
   * Opens a file: `"r"` to read, `"r+"` to write too, `"w+"` to replace its content. It refuses at once
   * anything but a regular file.
   */
  open(path: string, mode: "r" | "r+" | "w+"): FileHandle;
  /** @returns how many bytes were read: fewer than requested at the end of the file, at least */
  read(file: FileHandle, into: Uint8Array, position: number): number;
  /** @returns how many bytes were written: at least one */
  write(file: FileHandle, bytes: Uint8Array, position: number): number;
  size(file: FileHandle): number;
  truncate(file: FileHandle, size: number): void;
  /** When it returns, the bytes and the size are durable. */
  sync(file: FileHandle): void;
  close(file: FileHandle): void;
  rename(from: string, to: string): void;
  /** Gives a file a second name, which must be free. */
  link(path: string, to: string): void;
  /** Whether two names are those of one file. */
  isSame(path: string, other: string): boolean;
  remove(path: string): void;
  list(directory: string): string[];
  makeDirectory(path: string): void;
  /** Removes an empty directory. */
  removeDirectory(path: string): void;
  /** When it returns, the names in the directory are durable. */
  syncDirectory(path: string): void;
}

const FLAGS = {
  r: fs.constants.O_RDONLY,
  "r+": fs.constants.O_RDWR,
  "w+": fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_TRUNC,
};

/** Without it, opening a FIFO waits until another process opens its other end. Windows has neither. */
const NO_WAIT = process.platform === "win32" ? 0 : fs.constants.O_NONBLOCK;

/**
 * Opens a regular file, and nothing else.
 *
 * @param flags those of the system
 */
export function openRegular(path: string, flags: number): FileHandle {
  const file = fs.openSync(path, flags | NO_WAIT, 0o666);
  if (fs.fstatSync(file).isFile()) return file;
  fs.closeSync(file);
  throw new Error("it is not a regular file");
}

/** Distinguishes an open or named file from all others that exist now. */
export function identityOf(file: FileHandle | string): string {
  const options = { bigint: true } as const;
  const { dev, ino } =
    typeof file === "string" ? fs.statSync(file, options) : fs.fstatSync(file, options);
  return `${dev}:${ino}`;
}

export const nodeDisk: Disk = {
  open: (path, mode) => openRegular(path, FLAGS[mode]),
  read: (file, into, position) => fs.readSync(file, into, 0, atMost(into), position),
  write: (file, bytes, position) => fs.writeSync(file, bytes, 0, atMost(bytes), position),
  size: (file) => fs.fstatSync(file).size,
  truncate: fs.ftruncateSync,
  sync: fs.fdatasyncSync,
  close: fs.closeSync,
  rename: fs.renameSync,
  link: fs.linkSync,
  isSame: (path, other) => identityOf(path) === identityOf(other),
  remove: fs.unlinkSync,
  list: (directory) => fs.readdirSync(directory),
  makeDirectory: (path) => fs.mkdirSync(path),
  removeDirectory: fs.rmdirSync,
  syncDirectory(path) {
    // Windows makes names durable by itself, and can't open a directory.
    if (process.platform === "win32") return;
    const directory = fs.openSync(path, "r");
    try {
      fs.fsyncSync(directory);
    } finally {
      fs.closeSync(directory);
    }
  },
};

/** How many of the bytes to read or write at once: systems take less than 2 GiB. */
function atMost(bytes: Uint8Array): number {
  return Math.min(bytes.length, 2 ** 30);
}

/**
 * An open file. What fails is a StoreError that names it. Once closed, it reads nothing: the system may reuse
 * the number for another file. Holding it does not keep collections that read the file in memory.
 */
export class Descriptor {
  readonly path: string;
  protected readonly disk: Disk;
  #file: FileHandle | undefined;
  #reason = "";

  /** @param what completes "can't be …", if the file can't be opened */
  constructor(disk: Disk, path: string, mode: Parameters<Disk["open"]>[1], what = "opened") {
    this.disk = disk;
    this.path = path;
    this.#file = attempt(path, what, () => disk.open(path, mode));
  }

  get isOpen(): boolean {
    return this.#file !== undefined;
  }

  get size(): number {
    return this.#attempt("read", (file) => this.disk.size(file));
  }

  /** The bytes from a position on: as many as requested, or as there are. */
  readAt(position: number, length: number): Uint8Array {
    return this.#attempt("read", (file) => {
      const bytes = new Uint8Array(length);
      let done = 0;
      while (done < length) {
        const count = this.disk.read(file, bytes.subarray(done), position + done);
        if (count === 0) break;
        done += count;
      }
      return bytes.subarray(0, done);
    });
  }

  /** Writes all bytes: a system may write only some of them at once. */
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

  /** @param reason why nothing can be read any more, such as `: its store is` */
  close(reason = ""): void {
    if (this.#file === undefined) return;
    this.disk.close(this.#file);
    this.#file = undefined;
    this.#reason = reason;
  }

  #attempt<Result>(what: string, run: (file: FileHandle) => Result): Result {
    const file = this.#file;
    if (file === undefined) {
      throw new StoreError(this.path, `is closed${this.#reason}`, { code: "closed" });
    }
    return attempt(this.path, what, () => run(file));
  }
}

/**
 * Creates or overwrites a file. When it returns, its bytes are durable.
 *
 * @throws StoreError
 */
export function writePieces(disk: Disk, path: string, pieces: Iterable<Uint8Array>): void {
  closing(new Descriptor(disk, path, "w+", "written"), (file) => {
    let position = 0;
    for (const piece of inLargePieces(pieces)) {
      file.writeAt(position, piece);
      position += piece.length;
    }
    file.sync();
  });
}

/** Small pieces are written together, up to this many bytes at once. */
const TOGETHER = 1 << 16;

/** The same bytes with small pieces joined: one write costs as much as copying thousands of bytes. */
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
