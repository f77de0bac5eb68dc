// An in-memory disk that can lose power and fail: after a power cut, each unsynced block and name may be lost.

import { basename, dirname } from "node:path";
import type { Disk, FileHandle, Lock } from "../../src/store/disk.ts";
import { HeldPaths } from "../../src/store/held-paths.ts";
import { slashPaths } from "../../src/store/slash-paths.ts";

/** Smaller than the blocks of any disk: more can go wrong. */
const BLOCK_BYTES = 16;

class StoredFile {
  bytes: Uint8Array;
  /** What is there after a power cut. */
  synced: Uint8Array;
  /** How many contents it has had, and how many of them were synced or replaced by one that was. */
  writes = 0;
  syncs = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.synced = bytes;
  }

  become(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.writes++;
  }

  /** Makes a content durable, unless a later one is already. */
  sync(bytes = this.bytes, writes = this.writes): void {
    if (writes < this.syncs) return;
    this.synced = bytes;
    this.syncs = writes;
  }
}

/** A directory. Its names are those that begin with its own. */
class Directory {
  readonly kind = "directory";
}

type Entry = StoredFile | Directory;

/** What was done to names at once: which entry each has now, if any. */
type Renaming = readonly (readonly [name: string, entry: Entry | undefined])[];

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: "file already exists",
  EMFILE: "too many open files",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on device",
};

/** What the disk throws; `code` is that of a system error. */
export class DiskError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`${code}: ${REASONS[code] ?? "failed"}, simulated`);
    this.code = code;
  }
}

/** What an operation does instead of succeeding. */
export interface Failure {
  readonly code: string;
  /** How much of what it writes is written all the same. */
  readonly share?: number;
}

export class SimulatedDisk implements Disk {
  readonly paths = slashPaths;
  readonly #locks = new HeldPaths();
  readonly #names: Map<string, Entry>;
  readonly #syncedNames: Map<string, Entry>;
  /** What was done to the names since they were synced. */
  #unsynced: Renaming[] = [];
  readonly #open = new Map<FileHandle, StoredFile>();
  #handles = 0;
  /** How many files may be open at once. */
  limit = Infinity;
  /** How many operations that change something were asked for. */
  operations = 0;
  /** Asked before each of these operations. */
  fails: (operation: number, name: string) => Failure | undefined = () => undefined;
  /** Asked before each of the others: those that open, read, list or look at something. */
  failsReading: (name: string) => Failure | undefined = () => undefined;

  /** @param files what is there, and synced; so are the directories that these are in, and the root */
  constructor(files: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#names = new Map([["/", new Directory()]]);
    for (const [name, bytes] of files) this.#put(name, new StoredFile(bytes));
    this.#syncedNames = new Map(this.#names);
  }

  /** The files with what they hold. */
  contents(): Map<string, Uint8Array> {
    const files = [...this.#names].flatMap(([name, entry]) =>
      entry instanceof Directory ? [] : [[name, entry.bytes] as const],
    );
    return new Map(files);
  }

  /** All names, those of directories too. */
  names(): string[] {
    return [...this.#names.keys()];
  }

  /**
   * The disk as it is when the power is back.
   *
   * @param random numbers from 0 to 1; if each is 0, nothing is left that was not synced
   */
  afterPowerCut(random: () => number): SimulatedDisk {
    const names = new Map(this.#syncedNames);
    for (const renaming of this.#unsynced) if (random() >= 0.5) applyTo(names, renaming);
    const after = new SimulatedDisk();
    const left = new Map<StoredFile, StoredFile>();
    for (const [name, entry] of names) {
      // What was in a directory that is gone nobody finds.
      if (!ancestorsOf(name).every((above) => names.get(above) instanceof Directory)) continue;
      if (entry instanceof Directory) after.#put(name, entry);
      else {
        const file = left.get(entry) ?? new StoredFile(torn(entry, random));
        left.set(entry, file);
        after.#put(name, file);
      }
    }
    return after.#synced();
  }

  #synced(): this {
    for (const [name, entry] of this.#names) this.#syncedNames.set(name, entry);
    return this;
  }

  /** Puts an entry at a name, and the directories that it is in above it. */
  #put(name: string, entry: Entry): void {
    for (const above of ancestorsOf(name)) {
      if (!this.#names.has(above)) this.#names.set(above, new Directory());
    }
    this.#names.set(name, entry);
  }

  open(name: string, mode: "r" | "r+" | "w+"): FileHandle {
    if (mode === "w+") this.#operate("open", name);
    else this.#inspect("open", name);
    if (this.openFiles >= this.limit) throw new DiskError("EMFILE");
    let entry = this.#names.get(name);
    if (mode === "w+" && this.#names.get(dirname(name)) instanceof Directory) {
      // As nodeDisk does: what had this name is not written.
      if (!(entry instanceof Directory)) entry = this.#create(name);
    }
    if (entry === undefined) throw new DiskError("ENOENT");
    if (entry instanceof Directory) throw new DiskError("EISDIR");
    this.#open.set(++this.#handles, entry);
    return this.#handles;
  }

  permissions(): undefined {
    return undefined;
  }

  read(handle: FileHandle, into: Uint8Array, position: number): number {
    this.#inspect("read");
    const part = this.#file(handle).bytes.subarray(position, position + into.length);
    into.set(part);
    return part.length;
  }

  write(handle: FileHandle, bytes: Uint8Array, position: number): number {
    const file = this.#file(handle);
    const failure = this.#failure("write");
    const share = failure === undefined ? 1 : (failure.share ?? 0);
    const part = bytes.subarray(0, Math.floor(bytes.length * share));
    const whole = new Uint8Array(Math.max(file.bytes.length, position + part.length));
    whole.set(file.bytes);
    whole.set(part, position);
    if (part.length > 0) file.become(whole);
    if (failure !== undefined) throw new DiskError(failure.code);
    return bytes.length;
  }

  size(handle: FileHandle): number {
    this.#inspect("size");
    return this.#file(handle).bytes.length;
  }

  truncate(handle: FileHandle, size: number): void {
    this.#operate("truncate");
    const file = this.#file(handle);
    file.become(file.bytes.slice(0, size));
  }

  sync(handle: FileHandle): void {
    this.#operate("sync");
    this.#file(handle).sync();
  }

  /** It takes a while, in which others may write: what is durable then is what was there at the call. Fails if closed. */
  async syncLater(handle: FileHandle): Promise<void> {
    const file = this.#file(handle);
    const { bytes, writes } = file;
    await new Promise((resolve) => setImmediate(resolve));
    this.#file(handle);
    this.#operate("sync");
    file.sync(bytes, writes);
  }

  close(handle: FileHandle): void {
    if (!this.#open.delete(handle)) throw new DiskError("EBADF");
  }

  get openFiles(): number {
    return this.#open.size;
  }

  rename(from: string, to: string): void {
    this.#operate("rename", to);
    const entry = this.#names.get(from);
    if (entry === undefined) throw new DiskError("ENOENT");
    if (this.#names.get(to) instanceof Directory) throw new DiskError("EISDIR");
    // What is in a directory goes with it.
    const moved = [...this.#names].filter(([name]) => name === from || name.startsWith(`${from}/`));
    this.#rename(
      moved.flatMap(([name, each]) => [
        [to + name.slice(from.length), each],
        [name, undefined],
      ]),
    );
  }

  link(path: string, to: string): void {
    this.#operate("link", to);
    const entry = this.#names.get(path);
    if (entry === undefined) throw new DiskError("ENOENT");
    if (entry instanceof Directory) throw new DiskError("EPERM");
    if (this.#names.has(to)) throw new DiskError("EEXIST");
    this.#rename([[to, entry]]);
  }

  identity(file: FileHandle | string): string | undefined {
    const entry = typeof file === "string" ? this.#look(file) : this.#file(file);
    return entry && String(numberOf(entry));
  }

  /** The entry of a name; looking for it may fail. */
  #look(name: string): Entry | undefined {
    this.#inspect("identity", name);
    return this.#names.get(name);
  }

  remove(name: string): void {
    this.#operate("remove", name);
    const entry = this.#names.get(name);
    if (entry === undefined) throw new DiskError("ENOENT");
    if (entry instanceof Directory) throw new DiskError("EISDIR");
    this.#rename([[name, undefined]]);
  }

  list(directory: string): string[] {
    this.#inspect("list", directory);
    if (!(this.#names.get(directory) instanceof Directory)) throw new DiskError("ENOENT");
    return this.#namesIn(directory).map((name) => basename(name));
  }

  makeDirectory(path: string): void {
    this.#operate("makeDirectory", path);
    if (this.#names.has(path)) throw new DiskError("EEXIST");
    if (!(this.#names.get(dirname(path)) instanceof Directory)) throw new DiskError("ENOENT");
    this.#rename([[path, new Directory()]]);
  }

  removeDirectory(path: string): void {
    this.#operate("removeDirectory", path);
    if (this.#namesIn(path).length > 0) throw new DiskError("ENOTEMPTY");
    this.#rename([[path, undefined]]);
  }

  syncDirectory(path: string): void {
    this.#operate("syncDirectory", path);
    const isIn = ([name]: Renaming[number]) => dirname(name) === path;
    for (const renaming of this.#unsynced) applyTo(this.#syncedNames, renaming.filter(isIn));
    this.#unsynced = this.#unsynced.filter((renaming) => !renaming.every(isIn));
  }

  lock(path: string): Lock {
    return this.#locks.lock(path);
  }

  soon(run: () => void, isIdle = false): void {
    const waiting = setImmediate(run);
    if (isIdle) waiting.unref();
  }

  #namesIn(directory: string): string[] {
    return [...this.#names.keys()].filter((name) => name !== "/" && dirname(name) === directory);
  }

  #create(name: string): StoredFile {
    const file = new StoredFile(new Uint8Array(0));
    this.#rename([[name, file]]);
    return file;
  }

  #rename(renaming: Renaming): void {
    applyTo(this.#names, renaming);
    this.#unsynced.push(renaming);
  }

  #file(handle: FileHandle): StoredFile {
    const file = this.#open.get(handle);
    if (file === undefined) throw new DiskError("EBADF");
    return file;
  }

  #operate(what: string, name = ""): void {
    const failure = this.#failure(`${what} ${name}`);
    if (failure !== undefined) throw new DiskError(failure.code);
  }

  #inspect(what: string, name = ""): void {
    const failure = this.failsReading(`${what} ${name}`);
    if (failure !== undefined) throw new DiskError(failure.code);
  }

  #failure(what: string): Failure | undefined {
    return this.fails(++this.operations, what);
  }
}

const numbers = new WeakMap<Entry, number>();
let numbered = 0;

/** The number of an entry; no other has it. */
function numberOf(entry: Entry): number {
  const number = numbers.get(entry) ?? ++numbered;
  numbers.set(entry, number);
  return number;
}

/** The directories above a name, the nearest first. */
function ancestorsOf(name: string): string[] {
  const above = dirname(name);
  return above === name ? [] : [above, ...ancestorsOf(above)];
}

function applyTo(names: Map<string, Entry>, renaming: Renaming): void {
  for (const [name, entry] of renaming) {
    if (entry === undefined) names.delete(name);
    else names.set(name, entry);
  }
}

/** What is left of a file: of each block what is synced, or what is not. */
function torn({ bytes, synced }: StoredFile, random: () => number): Uint8Array {
  const grown = bytes.length - synced.length;
  const left = new Uint8Array(synced.length + Math.round(random() * grown));
  for (let start = 0; start < left.length; start += BLOCK_BYTES) {
    const block = (random() >= 0.5 ? bytes : synced).subarray(start, start + BLOCK_BYTES);
    left.set(block.subarray(0, left.length - start), start);
  }
  return left;
}

/** Numbers from 0 to 1 that follow from a seed (Mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
