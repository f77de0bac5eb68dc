// A disk over files whose number and names can't change while a program waits: in a browser, files are opened, renamed
// and removed asynchronously, but an open one is read and written synchronously. So a pool of files is opened beforehand.
// The beginning of each says whether it is in use, and under which path.
//
//   bytes 0 to 1,023       a label
//         4,096 to 5,119   the other label
//         8,192 and up     the content
//
// A label is written over the older one of the two, and made durable at once. So an interruption, which may leave any
// part of it, leaves the label before. Labels are numbered, and each has a checksum; the valid one with the higher number
// holds. If two files have the same path, the one with the higher number has it: a rename over another file is the one
// write of a label, and the label of the file that had the path follows. SQLite's `opfs-sahpool`, which follows Roy
// Hashimoto's `AccessHandlePoolVFS`, works likewise with a single label.

import { orUndefined } from "../schema/errors.ts";
import type { Disk, FileHandle, Lock } from "./disk.ts";
import { StoreError } from "./errors.ts";
import { HeldPaths } from "./held-paths.ts";
import {
  bytesOfLabel,
  FILE,
  FOLDER,
  FREE,
  LABEL_BYTES,
  labelIn,
  MOST_PATH_BYTES,
  NO_LABEL,
  type Kind,
  type Label,
} from "./pool-label.ts";
import { slashPaths } from "./slash-paths.ts";
import { bytesOf } from "./text.ts";

/** An open file of a pool, such as a FileSystemSyncAccessHandle. */
export interface PoolHandle {
  read(into: Uint8Array, options: { readonly at: number }): number;
  write(bytes: Uint8Array, options: { readonly at: number }): number;
  truncate(size: number): void;
  getSize(): number;
  flush(): void;
  close(): void;
}

/** Where the files of a pool come from. */
export interface PoolSource {
  /** Makes an empty file, and opens it. */
  make(): Promise<PoolHandle>;
  /** Throws if the files are no longer there. */
  check(): Promise<void>;
}

/** Distances between labels, so that no interrupted write reaches both. */
const LABELS = [0, 4096] as const;
const CONTENT = 8192;

/** A file of the pool. */
interface PoolFile {
  readonly handle: PoolHandle;
  /** The label that holds, and which of the two it is. */
  label: Label;
  place: 0 | 1;
  /** Distinguishes what it is used for now. */
  identity: string;
  /** How many times it is open. */
  opened: number;
}

/** How many files are kept free, at least. */
export const LEAST_FREE = 8;

export class PoolDisk implements Disk {
  readonly paths = slashPaths;
  readonly #source: PoolSource;
  readonly #all: PoolFile[] = [];
  /** Files and folders by their paths. */
  readonly #named = new Map<string, PoolFile>();
  /** Files that are ready for use, or have to be emptied first. */
  readonly #free: PoolFile[] = [];
  /** Files whose label may differ from what is in memory. Written again before any name changes. */
  readonly #unsettled = new Set<PoolFile>();
  readonly #open = new Map<FileHandle, PoolFile>();
  readonly #locks = new HeldPaths();
  #handles = 0;
  #identities = 0;
  #number = 0;
  #growing: Promise<void> | undefined;
  #lost: Error | undefined;

  /**
   * Takes over the files of a pool. Writes nothing.
   *
   * @throws StoreError if a newer version has written one
   */
  constructor(handles: readonly PoolHandle[], source: PoolSource) {
    this.#source = source;
    for (const handle of handles) this.#take(handle);
    for (const file of this.#all) {
      const { kind, path, number } = file.label;
      this.#number = Math.max(this.#number, number);
      if (kind !== FREE) this.#place(file, path);
      // Both labels may be damaged; then what is in it is kept.
      else if (number > 0 || file.handle.getSize() <= CONTENT) this.#free.push(file);
    }
  }

  #take(handle: PoolHandle): PoolFile {
    const labels = LABELS.map((at) => readLabel(handle, at));
    const [first = NO_LABEL, second = NO_LABEL] = labels;
    const place = second.number > first.number ? 1 : 0;
    const label = place === 1 ? second : first;
    const file: PoolFile = { handle, label, place, identity: this.#identity(), opened: 0 };
    this.#all.push(file);
    return file;
  }

  #identity(): string {
    return String(++this.#identities);
  }

  /** Gives a file its path; a file that has it already loses it. */
  #place(file: PoolFile, path: string): void {
    const other = this.#named.get(path);
    const [later, earlier] =
      other === undefined || other.label.number < file.label.number ? [file, other] : [other, file];
    this.#named.set(path, later);
    if (earlier !== undefined) this.#retire(earlier, true);
  }

  /** @param isLabelled whether its label says still that it is in use */
  #retire(file: PoolFile, isLabelled: boolean): void {
    if (isLabelled) {
      file.label = { ...file.label, kind: FREE, path: "" };
      this.#unsettled.add(file);
    }
    if (file.opened === 0) this.#free.push(file);
  }

  /** Whether the browser has removed the files, or they are closed. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** How many files are free. */
  get free(): number {
    return this.#free.length;
  }

  /**
   * Ensures that files are free, so that as many can be made without waiting.
   *
   * @throws as a rejection, if the browser makes no more
   */
  async reserve(count: number): Promise<void> {
    while (this.#growing !== undefined) await this.#growing.catch(() => undefined);
    this.#growing = this.#grow(count);
    try {
      await this.#growing;
    } finally {
      this.#growing = undefined;
    }
  }

  async #grow(count: number): Promise<void> {
    while (this.#free.length < count) {
      this.#requireThere();
      const handle = await this.#source.make();
      if (this.#lost !== undefined) handle.close();
      else this.#free.push(this.#take(handle));
    }
  }

  /** Makes more files while nobody waits. If that fails, whoever needs one learns that there is none. */
  #growLater(): void {
    const wanted = Math.max(LEAST_FREE, this.#named.size);
    if (this.#free.length >= wanted || this.#growing !== undefined) return;
    void this.reserve(wanted).catch(() => undefined);
  }

  /** Closes all files. From then on, each use throws. */
  closeAll(): void {
    if (this.#lost !== undefined) return;
    this.#lost = new Error("the private files are closed");
    for (const { handle } of this.#all) orUndefined(() => handle.close());
  }

  #requireThere(): void {
    if (this.#lost !== undefined) throw this.#lost;
  }

  /** Writes a label, durably. If it throws, the label before may hold, or this one. */
  #write(file: PoolFile, kind: Kind, path: string): void {
    this.#requireThere();
    const place = file.place === 0 ? 1 : 0;
    const label = { number: this.#number + 1, kind, path };
    this.#number = label.number;
    this.#unsettled.add(file);
    writeAll(file.handle, bytesOfLabel(label), LABELS[place]);
    file.handle.flush();
    this.#unsettled.delete(file);
    file.label = label;
    file.place = place;
  }

  /** Writes the labels whose last write has failed. Until that succeeds, no name changes. */
  #settle(): void {
    this.#requireThere();
    for (const file of this.#unsettled) this.#write(file, file.label.kind, file.label.path);
  }

  /** An empty file, with a label. */
  #make(path: string, kind: Kind): PoolFile {
    if (bytesOf(path).length > MOST_PATH_BYTES) throw new DiskError("ENAMETOOLONG");
    this.#requireFolder(slashPaths.dirname(path));
    this.#settle();
    const file = this.#free[0];
    if (file === undefined) {
      this.#growLater();
      const reason = `can't be made: all ${this.#all.length} files of the pool are in use; call reserve() of the private files first, or try again when others can run`;
      throw new StoreError(path, reason, { code: "limit" });
    }
    const { handle } = file;
    const size = handle.getSize();
    if (size < CONTENT) writeAll(handle, new Uint8Array(CONTENT - size), size);
    else if (size > CONTENT) handle.truncate(CONTENT);
    // What was in it before must not come back with the new name.
    if (size !== CONTENT) handle.flush();
    this.#write(file, kind, path);
    this.#free.shift();
    file.identity = this.#identity();
    this.#replace(path, file);
    this.#growLater();
    return file;
  }

  /** Names a file in memory. One that had the name before loses it. */
  #replace(path: string, file: PoolFile): void {
    const before = this.#named.get(path);
    this.#named.set(path, file);
    if (before === undefined) return;
    this.#retire(before, true);
    // The new label holds in any case. If this fails, it is tried again before the next change of a name.
    orUndefined(() => this.#settle());
  }

  #find(path: string): PoolFile {
    const file = this.#named.get(path);
    if (file === undefined) throw new DiskError(this.#isFolder(path) ? "EISDIR" : "ENOENT");
    return file;
  }

  #findFile(path: string): PoolFile {
    const file = this.#find(path);
    if (file.label.kind === FOLDER) throw new DiskError("EISDIR");
    return file;
  }

  #isFolder(path: string): boolean {
    return path === "/" || this.#named.get(path)?.label.kind === FOLDER;
  }

  #requireFolder(path: string): void {
    if (this.#isFolder(path)) return;
    throw new DiskError(this.#named.has(path) ? "ENOTDIR" : "ENOENT");
  }

  open(path: string, mode: "r" | "r+" | "w+"): FileHandle {
    this.#requireThere();
    const isNew = mode === "w+" && !this.#isFolder(path);
    const file = isNew ? this.#make(path, FILE) : this.#findFile(path);
    file.opened++;
    this.#open.set(++this.#handles, file);
    return this.#handles;
  }

  permissions(): undefined {
    return undefined;
  }

  read(handle: FileHandle, into: Uint8Array, position: number): number {
    return this.#handle(handle).read(into, { at: CONTENT + position });
  }

  write(handle: FileHandle, bytes: Uint8Array, position: number): number {
    return writeTo(this.#handle(handle), bytes, CONTENT + position);
  }

  size(handle: FileHandle): number {
    return Math.max(0, this.#handle(handle).getSize() - CONTENT);
  }

  truncate(handle: FileHandle, size: number): void {
    this.#handle(handle).truncate(CONTENT + size);
  }

  sync(handle: FileHandle): void {
    this.#handle(handle).flush();
  }

  /** Also checks that the files are still there: a browser may remove them. */
  async syncLater(handle: FileHandle): Promise<void> {
    await new Promise<void>((resolve) => this.soon(resolve));
    this.#handle(handle).flush();
    try {
      await this.#source.check();
    } catch (thrown) {
      // Files that are gone are not closed: Chromium 147 would never return.
      this.#lost ??= new Error("the browser has removed the private files; load the page again", {
        cause: thrown,
      });
    }
    this.#requireThere();
  }

  close(handle: FileHandle): void {
    const file = this.#open.get(handle);
    if (file === undefined) throw new DiskError("EBADF");
    this.#open.delete(handle);
    file.opened--;
    if (file.opened === 0 && file.label.kind === FREE) this.#free.push(file);
  }

  rename(from: string, to: string): void {
    const file = this.#findFile(from);
    if (this.#isFolder(to)) throw new DiskError("EISDIR");
    if (from === to) return;
    if (bytesOf(to).length > MOST_PATH_BYTES) throw new DiskError("ENAMETOOLONG");
    this.#requireFolder(slashPaths.dirname(to));
    this.#settle();
    this.#write(file, FILE, to);
    this.#named.delete(from);
    this.#replace(to, file);
  }

  /** A file has one label. */
  link(): never {
    throw new DiskError("EPERM");
  }

  identity(file: FileHandle | string): string | undefined {
    this.#requireThere();
    if (file === "/") return file;
    return (typeof file === "string" ? this.#named.get(file) : this.#fileOf(file))?.identity;
  }

  remove(path: string): void {
    this.#remove(path, this.#findFile(path));
  }

  #remove(path: string, file: PoolFile): void {
    this.#settle();
    this.#write(file, FREE, "");
    this.#named.delete(path);
    this.#retire(file, false);
  }

  list(directory: string): string[] {
    this.#requireThere();
    this.#requireFolder(directory);
    const names = [...this.#named.keys()].filter((path) => slashPaths.dirname(path) === directory);
    return names.map((path) => slashPaths.basename(path));
  }

  makeDirectory(path: string): void {
    if (path === "/" || this.#named.has(path)) throw new DiskError("EEXIST");
    this.#make(path, FOLDER);
  }

  removeDirectory(path: string): void {
    if (this.list(path).length > 0) throw new DiskError("ENOTEMPTY");
    this.#remove(path, this.#find(path));
  }

  /** Labels are durable when they are written. */
  syncDirectory(): void {
    this.#settle();
  }

  lock(path: string): Lock {
    return this.#locks.lock(path);
  }

  soon(run: () => void): void {
    // A timer would wait for milliseconds.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      run();
    };
    port2.postMessage(undefined);
  }

  #fileOf(handle: FileHandle): PoolFile {
    this.#requireThere();
    const file = this.#open.get(handle);
    if (file === undefined) throw new DiskError("EBADF");
    return file;
  }

  #handle(handle: FileHandle): PoolHandle {
    return this.#fileOf(handle).handle;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EBADF: "the file is closed",
  EEXIST: "file already exists",
  EISDIR: "it is a folder; use openStore() for a store",
  ENAMETOOLONG: `the path has more than ${MOST_PATH_BYTES} bytes`,
  ENOENT: "no such file or directory",
  ENOSPC:
    "the browser grants this origin no more space; remove data here or elsewhere, or ask for more by navigator.storage.persist()",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  EPERM: "a file has one name",
};

/** An error like those of the system. */
class DiskError extends Error {
  readonly code: string;

  constructor(code: string, options?: ErrorOptions) {
    super(REASONS[code] ?? code, options);
    this.code = code;
  }
}

function writeAll(handle: PoolHandle, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length;) {
    done += writeTo(handle, bytes.subarray(done), at + done);
  }
}

/** @returns how many bytes were written: at least one */
function writeTo(handle: PoolHandle, bytes: Uint8Array, at: number): number {
  let count: number;
  try {
    count = handle.write(bytes, { at });
  } catch (thrown) {
    const isFull = thrown instanceof Error && thrown.name === "QuotaExceededError";
    throw isFull ? new DiskError("ENOSPC", { cause: thrown }) : thrown;
  }
  if (count === 0 && bytes.length > 0) throw new DiskError("ENOSPC");
  return count;
}

/** The label at a place in a file. @throws StoreError */
function readLabel(handle: PoolHandle, at: number): Label | undefined {
  const bytes = new Uint8Array(LABEL_BYTES);
  return handle.read(bytes, { at }) < LABEL_BYTES ? undefined : labelIn(bytes);
}
