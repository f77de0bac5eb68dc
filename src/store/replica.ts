// The files of a store in the memory of another worker, which follow what the writer does to its disk.

import type { Disk, FileHandle } from "./disk.ts";
import { slashPaths } from "./slash-paths.ts";

/** What a writer has done to a file of a folder. */
export type FileChange =
  | { readonly do: "make"; readonly path: string }
  | { readonly do: "remove"; readonly path: string }
  | {
      readonly do: "write";
      readonly path: string;
      readonly at: number;
      readonly bytes: Uint8Array<ArrayBuffer>;
    }
  | { readonly do: "cut"; readonly path: string; readonly size: number }
  | { readonly do: "rename"; readonly path: string; readonly to: string };

/** The path that an open file has now; `undefined` once it is removed. */
interface Tracked {
  path: string | undefined;
}

/**
 * A disk that reports what is done to the files of a folder.
 *
 * @param folder the changes of other folders are not reported
 * @param report called after each change
 */
export function mirrored(disk: Disk, folder: string, report: (change: FileChange) => void): Disk {
  const tracked = new Map<string, Tracked>();
  const open = new Map<FileHandle, Tracked>();
  const tell = (change: FileChange) => {
    if (slashPaths.dirname(change.path) === folder) report(change);
  };
  const at = (path: string): Tracked => {
    const known = tracked.get(path) ?? { path };
    tracked.set(path, known);
    return known;
  };
  const leave = (path: string) => {
    const known = tracked.get(path);
    if (known !== undefined) known.path = undefined;
    tracked.delete(path);
  };
  const tellOf = (file: FileHandle, change: (path: string) => FileChange) => {
    const path = open.get(file)?.path;
    if (path !== undefined) tell(change(path));
  };
  return {
    paths: disk.paths,
    open(path, mode, permissions) {
      const file = disk.open(path, mode, permissions);
      if (mode === "w+") {
        leave(path);
        tell({ do: "make", path });
      }
      open.set(file, at(path));
      return file;
    },
    permissions: (path) => disk.permissions(path),
    read: (file, into, position) => disk.read(file, into, position),
    write(file, bytes, position) {
      const count = disk.write(file, bytes, position);
      tellOf(file, (path) => ({ do: "write", path, at: position, bytes: bytes.slice(0, count) }));
      return count;
    },
    size: (file) => disk.size(file),
    truncate(file, size) {
      disk.truncate(file, size);
      tellOf(file, (path) => ({ do: "cut", path, size }));
    },
    sync: (file) => disk.sync(file),
    syncLater: (file) => disk.syncLater(file),
    close(file) {
      open.delete(file);
      disk.close(file);
    },
    rename(from, to) {
      disk.rename(from, to);
      const moved = at(from);
      tracked.delete(from);
      leave(to);
      moved.path = to;
      tracked.set(to, moved);
      tell({ do: "rename", path: from, to });
    },
    link: (path, to) => disk.link(path, to),
    identity: (file) => disk.identity(file),
    remove(path) {
      disk.remove(path);
      leave(path);
      tell({ do: "remove", path });
    },
    list: (directory) => disk.list(directory),
    makeDirectory: (path) => disk.makeDirectory(path),
    removeDirectory: (path) => disk.removeDirectory(path),
    syncDirectory: (path) => disk.syncDirectory(path),
    lock: (path, isNeeded) => disk.lock(path, isNeeded),
    soon: (run, isIdle) => disk.soon(run, isIdle),
  };
}

/** A file in memory. */
interface Held {
  readonly identity: string;
  bytes: Uint8Array;
  size: number;
}

/** A disk in memory with one folder, which is only read. */
export class ReplicaDisk implements Disk {
  readonly paths = slashPaths;
  readonly #folder: string;
  readonly #soon: Disk["soon"];
  #files = new Map<string, Held>();
  readonly #open = new Map<FileHandle, Held>();
  #count = 0;

  constructor(folder: string, soon: Disk["soon"]) {
    this.#folder = folder;
    this.#soon = soon;
  }

  /** Replaces all files. Those that are open can still be read. */
  reset(files: Iterable<readonly [path: string, bytes: Uint8Array]>): void {
    this.#files = new Map();
    for (const [path, bytes] of files) {
      this.#files.set(path, { identity: this.#identity(), bytes, size: bytes.length });
    }
  }

  apply(change: FileChange): void {
    const { path } = change;
    const file = this.#files.get(path);
    if (change.do === "make") {
      const made = { identity: this.#identity(), bytes: new Uint8Array(0), size: 0 };
      this.#files.set(path, made);
    } else if (file === undefined) return;
    else if (change.do === "remove") this.#files.delete(path);
    else if (change.do === "rename") {
      this.#files.delete(path);
      this.#files.set(change.to, file);
    } else if (change.do === "cut") {
      file.bytes.fill(0, change.size);
      file.size = change.size;
    } else {
      const end = change.at + change.bytes.length;
      if (end > file.bytes.length) {
        const larger = new Uint8Array(Math.max(end, 2 * file.bytes.length));
        larger.set(file.bytes.subarray(0, file.size));
        file.bytes = larger;
      }
      file.bytes.set(change.bytes, change.at);
      file.size = Math.max(file.size, end);
    }
  }

  #identity(): string {
    return String(++this.#count);
  }

  open(path: string, mode: "r" | "r+" | "w+"): FileHandle {
    if (mode !== "r") return readOnly();
    const file = this.#files.get(path);
    if (file === undefined) {
      throw Object.assign(new Error("no such file or directory"), { code: "ENOENT" });
    }
    this.#open.set(++this.#count, file);
    return this.#count;
  }

  read(file: FileHandle, into: Uint8Array, position: number): number {
    const { bytes, size } = this.#held(file);
    const part = bytes.subarray(position, Math.min(size, position + into.length));
    into.set(part);
    return part.length;
  }

  size(file: FileHandle): number {
    return this.#held(file).size;
  }

  close(file: FileHandle): void {
    this.#open.delete(file);
  }

  identity(file: FileHandle | string): string | undefined {
    if (file === this.#folder) return file;
    return (typeof file === "string" ? this.#files.get(file) : this.#held(file))?.identity;
  }

  list(directory: string): string[] {
    const own = [...this.#files.keys()].filter((path) => slashPaths.dirname(path) === directory);
    return own.map((path) => slashPaths.basename(path));
  }

  soon(run: () => void): void {
    this.#soon(run);
  }

  #held(file: FileHandle): Held {
    const held = this.#open.get(file);
    if (held === undefined) throw new Error("the file is closed");
    return held;
  }

  readonly permissions = () => undefined;
  readonly write = readOnly;
  readonly truncate = readOnly;
  readonly sync = readOnly;
  readonly syncLater = readOnly;
  readonly rename = readOnly;
  readonly link = readOnly;
  readonly remove = readOnly;
  readonly makeDirectory = readOnly;
  readonly removeDirectory = readOnly;
  readonly syncDirectory = readOnly;
  readonly lock = readOnly;
}

function readOnly(): never {
  throw new Error("this is the copy of another worker's files");
}
