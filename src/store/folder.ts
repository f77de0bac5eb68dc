// The files of a store, which belong together, and how others take their place.
//
//   store.json      the number of the generation in use; it is only ever replaced by a rename
//   data-3.log      the Files and Batches as they were when generation 3 began, or the names of:
//   files-3.arrow   the Files, where they are many
//   batch-5-2.arrow the Contacts of Batch 5, where they are many and have not changed since 2 began
//   journal-3.log   what was changed since
//   lock            held by the writer
//
// A checkpoint writes the next generation beside, makes it last, renames `store.json`, and removes what
// only the one before had. Wherever it stops, `store.json` names a generation that is whole. Who has a
// file open reads on in it when it is removed.

import { basename, join } from "node:path";
import { crc32c } from "./checksum.ts";
import { readAll, writeAll, type Disk } from "./disk.ts";
import { attempt, StoreError } from "./errors.ts";

const NAME = "store.json";
const NEXT_NAME = "store.json.next";
const LOCK_NAME = "lock";
/** How the text of a lock file begins. */
const LOCK_SIGNATURE = /^process \d+ on /;
const VERSION = 1;

export class Folder {
  readonly path: string;
  readonly disk: Disk;

  constructor(path: string, disk: Disk) {
    this.path = path;
    this.disk = disk;
  }

  get lockPath(): string {
    return join(this.path, LOCK_NAME);
  }

  get namePath(): string {
    return join(this.path, NAME);
  }

  get nextNamePath(): string {
    return join(this.path, NEXT_NAME);
  }

  dataPath(generation: number): string {
    return join(this.path, `data-${generation}.log`);
  }

  journalPath(generation: number): string {
    return join(this.path, `journal-${generation}.log`);
  }

  /**
   * The number of the generation in use.
   *
   * @throws StoreError where there is no store, or its name is damaged
   */
  generation(): number {
    const generation = generationIn(this.#name());
    if (generation !== undefined) return generation;
    throw new StoreError(this.namePath, "is damaged, or names no store");
  }

  /** Whether there is a store, damaged or not. */
  isStore(): boolean {
    try {
      return this.#name().startsWith(NAME_START);
    } catch {
      return false;
    }
  }

  /** What stands where the next name is written, if that is no file: nothing could be named then. */
  obstacle(): unknown {
    if (!this.has(this.nextNamePath)) return undefined;
    try {
      this.#beginningOf(this.nextNamePath);
      return undefined;
    } catch (thrown) {
      return thrown;
    }
  }

  #name(): string {
    return this.#beginningOf(this.namePath);
  }

  #beginningOf(path: string): string {
    return attempt(path, "read", () => {
      const file = this.disk.open(path, "r");
      try {
        return Buffer.from(readAll(this.disk, file, 0, LONGEST_NAME)).toString("latin1");
      } finally {
        this.disk.close(file);
      }
    });
  }

  /**
   * Says which generation is going to be named: while it is announced, nobody needs its files. When it
   * returns, that lasts, and so do the names of all files.
   */
  announce(generation: number): void {
    attempt(this.nextNamePath, "written", () => {
      const file = this.disk.open(this.nextNamePath, "w+");
      try {
        writeAll(this.disk, file, Buffer.from(nameOf(generation)), 0);
        this.disk.sync(file);
      } finally {
        this.disk.close(file);
      }
    });
    this.sync();
  }

  /** Makes the generation that was announced the one in use. It lasts when the folder is synced. */
  name(): void {
    attempt(this.namePath, "replaced", () => this.disk.rename(this.nextNamePath, this.namePath));
  }

  /** The generation that was announced, and not named. */
  announced(): number | undefined {
    const text = this.#nextName();
    return text === undefined ? undefined : generationIn(text);
  }

  /** Whether a generation was announced, or was going to be: parts of it may be zeros, or missing. */
  isAnnounced(generation: number): boolean {
    const text = this.#nextName();
    if (text === undefined) return false;
    const name = Buffer.from(nameOf(generation));
    return Buffer.from(text).every((byte, i) => byte === 0 || byte === name[i]);
  }

  #nextName(): string | undefined {
    try {
      return this.#beginningOf(this.nextNamePath);
    } catch {
      return undefined;
    }
  }

  /** Takes back the name of a generation that was announced, as far as the disk allows. */
  unname(): void {
    try {
      this.disk.rename(this.namePath, this.nextNamePath);
    } catch {
      return;
    }
  }

  /** When it returns, the names of the files last. */
  sync(): void {
    attempt(this.path, "synced", () => this.disk.syncDirectory(this.path));
  }

  /**
   * Removes the files of all other generations. What can't be removed now is removed another time:
   * it does no harm where it is.
   *
   * @param files the names of the collections' files that are in use
   */
  removeAllBut(generation: number, files: readonly string[]): void {
    this.remove([...this.allBut(generation, files), this.nextNamePath]);
  }

  /** The paths of the files of all other generations. */
  allBut(generation: number, files: readonly string[]): string[] {
    return this.#paths((name) =>
      readFileName(name) === undefined
        ? numberIn(name) !== undefined && numberIn(name) !== generation
        : !files.includes(name),
    );
  }

  /** The paths of the files that were written for a generation; without one, for any. */
  filesOf(generation?: number): string[] {
    return this.#paths((name) => {
      const number = numberIn(name);
      return number !== undefined && number === (generation ?? number);
    });
  }

  #paths(isMeant: (name: string) => boolean): string[] {
    return this.#listed()
      .filter(isMeant)
      .map((name) => join(this.path, name));
  }

  /** Removes what can be removed. */
  remove(paths: readonly string[]): void {
    for (const path of paths) {
      try {
        this.disk.remove(path);
      } catch {
        // It is not there, or the system removes no file that somebody has open.
      }
    }
  }

  #listed(): string[] {
    try {
      return this.disk.list(this.path);
    } catch {
      return [];
    }
  }

  /** Whether something names a generation, damaged or not. */
  isNamed(): boolean {
    return this.has(this.namePath);
  }

  has(path: string): boolean {
    return this.list().includes(basename(path));
  }

  /** The names of all that is in the folder. */
  list(): string[] {
    return attempt(this.path, "read", () => this.disk.list(this.path));
  }

  /** The generations of which there are files, the eldest first. */
  generations(): number[] {
    const found = this.list().map(generationOf);
    return [...new Set(found)].filter((each) => each !== undefined).sort((a, b) => a - b);
  }

  /** The names of the files of collections, in use or not. */
  collectionFiles(): string[] {
    return this.list().filter((name) => readFileName(name) !== undefined);
  }

  /** The highest generation that any file is of; 0 where there is none. */
  latest(): number {
    const numbers = this.list().map(numberIn);
    return numbers.reduce<number>((highest, each = 0) => Math.max(highest, each), 0);
  }

  /** Whether a writer has signed the lock file that is there. */
  hasLock(): boolean {
    return this.#listed().includes(LOCK_NAME) && LOCK_SIGNATURE.test(this.#lockText() ?? "");
  }

  /** Whether the lock file may be one. It has no text until it is signed. */
  #mayBeLock(): boolean {
    const text = this.#lockText();
    return text === undefined || text === "" || LOCK_SIGNATURE.test(text);
  }

  /** What stands in the lock file; `undefined` where it can't be read: on Windows, while it is held. */
  #lockText(): string | undefined {
    try {
      return this.#beginningOf(this.lockPath);
    } catch {
      return undefined;
    }
  }

  /**
   * What is in the folder and does not belong to a store.
   *
   * @param generation that may have been announced, where there is no name
   */
  foreign(generation: number): string[] {
    return this.list().filter(
      (name) =>
        name !== NAME &&
        !(name === NEXT_NAME && (this.isNamed() || this.isAnnounced(generation))) &&
        !(name === LOCK_NAME && this.#mayBeLock()) &&
        generationOf(name) === undefined &&
        readFileName(name) === undefined &&
        !name.endsWith(KEPT),
    );
  }
}

/** How the names of files end that hold what is not in use any more, but was not to be lost. */
export const KEPT = ".kept";

const LONGEST_NAME = 1000;

const NAME_START = '{"format":"tercet store",';

function nameOf(generation: number): string {
  const named = `${NAME_START}"version":${VERSION},"generation":${generation}`;
  return `${named},"checksum":"${crc32c(Buffer.from(named)).toString(16).padStart(8, "0")}"}\n`;
}

/** The generation that a name gives; `undefined` where it is not as {@link nameOf} has written it. */
function generationIn(text: string): number | undefined {
  const generation = Number(/"generation":(\d{1,15})[,}]/.exec(text)?.[1]);
  // Written anew it is the same, or a bit of it was changed.
  return text === nameOf(generation) ? generation : undefined;
}

function generationOf(name: string): number | undefined {
  const digits = /^(?:data|journal)-(\d{1,15})\.log$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The generation that a file was written for, whatever it holds. */
function numberIn(name: string): number | undefined {
  return generationOf(name) ?? readFileName(name)?.generation;
}

/** The name of the file of the Files, or of the Contacts of a Batch. */
export function fileNameOf(batch: string | undefined, generation: number): string {
  return batch === undefined ? `files-${generation}.arrow` : `batch-${batch}-${generation}.arrow`;
}

/** What a file holds by its name: the Contacts of a Batch, or without one the Files. */
export function readFileName(
  name: string,
): { readonly batch: string | undefined; readonly generation: number } | undefined {
  const [, batch, generation] = /^(?:files|batch-(-?\d{1,16}))-(\d{1,15})\.arrow$/.exec(name) ?? [];
  return generation === undefined ? undefined : { batch, generation: Number(generation) };
}
