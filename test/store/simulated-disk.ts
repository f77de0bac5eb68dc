// A disk in memory whose power can be cut, and that can fail: what was not synced may be there after
// a power cut, or not, each block and each name by itself.

import type { Disk, FileHandle } from "../../src/store/disk.ts";

/** Smaller than the blocks of any disk: more can go wrong. */
const BLOCK_BYTES = 16;

class StoredFile {
  bytes: Uint8Array;
  /** What is there after a power cut. */
  synced: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.synced = bytes;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on device",
};

/** What the disk throws; `code` is that of a system error. */
class DiskError extends Error {
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
  readonly #names: Map<string, StoredFile>;
  #syncedNames: Map<string, StoredFile>;
  /** What was done to the names since they were synced. */
  #unsynced: { readonly name: string; readonly file: StoredFile | undefined }[] = [];
  readonly #open = new Map<FileHandle, { readonly name: string; readonly file: StoredFile }>();
  #handles = 0;
  /** How many operations that change something were asked for. */
  operations = 0;
  /** Asked before each of these operations. */
  fails: (operation: number, name: string) => Failure | undefined = () => undefined;

  constructor(names: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#names = new Map([...names].map(([name, bytes]) => [name, new StoredFile(bytes)]));
    this.#syncedNames = new Map(this.#names);
  }

  /** The files with what they hold. */
  contents(): Map<string, Uint8Array> {
    return new Map([...this.#names].map(([name, { bytes }]) => [name, bytes]));
  }

  /** The disk as it is when the power is back. */
  afterPowerCut(random: () => number): SimulatedDisk {
    const names = new Map(this.#syncedNames);
    for (const { name, file } of this.#unsynced) {
      if (random() < 0.5) continue;
      if (file === undefined) names.delete(name);
      else names.set(name, file);
    }
    return new SimulatedDisk(new Map([...names].map(([name, file]) => [name, torn(file, random)])));
  }

  open(name: string, mode: "r" | "r+" | "w+"): FileHandle {
    let file = this.#names.get(name);
    if (mode === "w+") {
      this.#operate("open", name);
      file ??= this.#create(name);
      file.bytes = new Uint8Array(0);
    }
    if (file === undefined) throw new DiskError("ENOENT");
    this.#open.set(++this.#handles, { name, file });
    return this.#handles;
  }

  read(handle: FileHandle, into: Uint8Array, position: number): number {
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
    if (part.length > 0) file.bytes = whole;
    if (failure !== undefined) throw new DiskError(failure.code);
    return bytes.length;
  }

  size(handle: FileHandle): number {
    return this.#file(handle).bytes.length;
  }

  truncate(handle: FileHandle, size: number): void {
    this.#operate("truncate");
    const file = this.#file(handle);
    file.bytes = file.bytes.slice(0, size);
  }

  sync(handle: FileHandle): void {
    this.#operate("sync");
    const file = this.#file(handle);
    file.synced = file.bytes;
  }

  close(handle: FileHandle): void {
    if (!this.#open.delete(handle)) throw new DiskError("EBADF");
  }

  /** How many files are open, but for those of collections: these are closed as garbage. */
  get openFiles(): number {
    return [...this.#open.values()].filter(({ name }) => !name.endsWith(".arrow")).length;
  }

  rename(from: string, to: string): void {
    this.#operate("rename", to);
    const file = this.#names.get(from);
    if (file === undefined) throw new DiskError("ENOENT");
    this.#names.set(to, file);
    this.#names.delete(from);
    this.#unsynced.push({ name: to, file }, { name: from, file: undefined });
  }

  remove(name: string): void {
    this.#operate("remove", name);
    if (!this.#names.delete(name)) throw new DiskError("ENOENT");
    this.#unsynced.push({ name, file: undefined });
  }

  list(directory: string): string[] {
    return [...this.#names.keys()].map((name) => name.slice(directory.length + 1));
  }

  makeDirectory(): void {
    // There is but one.
  }

  syncDirectory(path: string): void {
    this.#operate("syncDirectory", path);
    this.#syncedNames = new Map(this.#names);
    this.#unsynced = [];
  }

  #create(name: string): StoredFile {
    const file = new StoredFile(new Uint8Array(0));
    this.#names.set(name, file);
    this.#unsynced.push({ name, file });
    return file;
  }

  #file(handle: FileHandle): StoredFile {
    const open = this.#open.get(handle);
    if (open === undefined) throw new DiskError("EBADF");
    return open.file;
  }

  #operate(what: string, name = ""): void {
    const failure = this.#failure(`${what} ${name}`);
    if (failure !== undefined) throw new DiskError(failure.code);
  }

  #failure(what: string): Failure | undefined {
    return this.fails(++this.operations, what);
  }
}

/** What is left of a file: of each block what is synced, or what is not. */
function torn({ bytes, synced }: StoredFile, random: () => number): Uint8Array {
  const shorter = Math.min(bytes.length, synced.length);
  const longer = Math.max(bytes.length, synced.length);
  const left = new Uint8Array(shorter + Math.round(random() * (longer - shorter)));
  for (let start = 0; start < left.length; start += BLOCK_BYTES) {
    const block = (random() < 0.5 ? bytes : synced).subarray(start, start + BLOCK_BYTES);
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
