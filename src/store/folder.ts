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
    const text = this.#name();
    const generation = Number(/"generation":(\d{1,15})[,}]/.exec(text)?.[1]);
    // Written anew it is the same, or a bit of it was changed.
    if (text === nameOf(generation)) return generation;
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

  #name(): string {
    return attempt(this.namePath, "read", () => {
      const file = this.disk.open(this.namePath, "r");
      try {
        return Buffer.from(readAll(this.disk, file, 0, LONGEST_NAME)).toString("latin1");
      } finally {
        this.disk.close(file);
      }
    });
  }

  /** Makes a generation the one in use, or throws. It lasts when the folder is synced. */
  name(generation: number): void {
    const next = join(this.path, NEXT_NAME);
    attempt(next, "written", () => {
      const file = this.disk.open(next, "w+");
      try {
        writeAll(this.disk, file, Buffer.from(nameOf(generation)), 0);
        this.disk.sync(file);
      } finally {
        this.disk.close(file);
      }
    });
    attempt(this.namePath, "replaced", () => this.disk.rename(next, this.namePath));
  }

  /** Makes the folder no store, as far as the disk allows. */
  unname(): void {
    try {
      this.disk.remove(this.namePath);
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
    const isOld = (name: string) => {
      if (name === NEXT_NAME) return true;
      if (readFileName(name) !== undefined) return !files.includes(name);
      const found = generationOf(name);
      return found !== undefined && found !== generation;
    };
    for (const name of this.#listed().filter(isOld)) {
      try {
        this.disk.remove(join(this.path, name));
      } catch {
        // Some systems remove no file that somebody has open.
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

  /** The generations of which there are files, the latest first. */
  generations(): number[] {
    const found = this.list().map(generationOf);
    return [...new Set(found)].filter((each) => each !== undefined).sort((a, b) => b - a);
  }

  /** The names of the files of collections, in use or not. */
  collectionFiles(): string[] {
    return this.list().filter((name) => readFileName(name) !== undefined);
  }

  /** What is in the folder and does not belong to a store. */
  foreign(): string[] {
    return this.list().filter(
      (name) =>
        ![NAME, NEXT_NAME, LOCK_NAME].includes(name) &&
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

function generationOf(name: string): number | undefined {
  const digits = /^(?:data|journal)-(\d{1,15})\.log$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
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
