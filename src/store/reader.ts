// Reads a store beside its writer, and follows the journal. It holds no lock and writes nothing.

import { serviceWithData } from "../service/service.ts";
import type { Service, ServiceOptions } from "../index.ts";
import type { Data } from "../database/data.ts";
import type { Database } from "../database/database.ts";
import { hasSchemas, ownDatabase, schemasIn, type GivenSchemas } from "./collections.ts";
import { ownCollections } from "./data.ts";
import { extended } from "./extended.ts";
import { closingOnError, StoreError } from "./errors.ts";
import type { DataFiles } from "./data-files.ts";
import type { Descriptor } from "./disk.ts";
import type { Folder } from "./folder.ts";
import { readStart, replay } from "./journal.ts";
import {
  applyEntry,
  CLOSED,
  letGo,
  readGeneration,
  type Before,
  type Generation,
  type Position,
} from "./load.ts";
import { Log } from "./log.ts";

/** What a reader of a store does besides answering. */
export interface Reading {
  /**
   * Applies the changes since the last call, and notifies the subscribers of each. What was taken from
   * the reader before, such as its `files`, stays readable. The files dropped by the last refresh stay
   * open, and older ones up to 32 files in all; reading the others is a StoreError.
   * Cost: that of the changes; linear in the data if two checkpoints were made meanwhile.
   *
   * @returns how many changes were applied
   * @throws StoreError if what comes next is damaged, or has another schema of a collection
   */
  refresh(): number;

  /**
   * Closes the files. The service still answers from memory; reading from a file of a collection is then
   * a StoreError.
   */
  close(): void;
}

/** A service over a store that another process may be changing. It accepts no changes of its own. */
export interface StoreReader extends Service, Reading {}

/**
 * Opens the store as a service, or as a database of collections, that follows it.
 *
 * @param given the schemas of the collections; `undefined` for a service
 * @param follow the milliseconds between checks for changes; default: only `refresh` checks
 */
export function openReader(
  files: DataFiles,
  options: ServiceOptions,
  given: GivenSchemas | undefined,
  follow: number | undefined,
): (Service | Database) & Reading {
  const reader = new Reader(files, options, given);
  if (follow !== undefined) reader.follow(follow);
  return extended(reader.holder, {
    refresh: () => reader.refresh(),
    close: () => reader.close(),
  });
}

/** How many dropped files stay open, or more if the last refresh dropped more. */
const MOST_LEFT = 32;

/** Why a file is closed, if it is. */
const LEFT = ": refresh() has dropped it";

class Reader {
  readonly holder: Service | Database;
  readonly #given: GivenSchemas | undefined;
  readonly #files: DataFiles;
  readonly #folder: Folder;
  readonly #options: ServiceOptions;
  readonly #state: Data;
  #at: Position;
  /** The descriptors of the files that the state was read from. */
  #descriptors: ReadonlySet<Descriptor>;
  /** Those of earlier states, the oldest first. Something may still refer to them. */
  #left: Descriptor[] = [];
  /** Whether the next change comes from the store. */
  #isFollowing = false;
  #isBusy = false;
  #isOpen = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(files: DataFiles, options: ServiceOptions, given: GivenSchemas | undefined) {
    const { folder } = files;
    this.#given = given;
    this.#files = files;
    this.#folder = folder;
    this.#options = options;
    const { service, state, at } = this.#read();
    this.holder = given === undefined ? service : ownDatabase(state);
    this.#state = state;
    this.#at = at;
    this.#descriptors = at.descriptors;
    state.setVeto(() => {
      if (!this.#isFollowing) throw new StoreError(folder.path, "is open for reading only");
      // The subscribers, which are notified next, may change no more than others.
      this.#isFollowing = false;
    });
  }

  refresh(): number {
    if (!this.#isOpen) throw new StoreError(this.#folder.path, "is closed");
    // A subscriber that is notified of a change is notified of the others too.
    if (this.#isBusy) return 0;
    this.#isBusy = true;
    const before = this.#at.last.number;
    try {
      while (!this.#readOn());
      return this.#at.last.number - before;
    } finally {
      this.#isBusy = false;
    }
  }

  /** Refreshes periodically until closed. An error is reported once; the next refresh tries again. */
  follow(milliseconds: number): void {
    let reported = "";
    const refresh = () => {
      let message = "";
      try {
        this.refresh();
      } catch (thrown) {
        message = String(thrown);
        if (message !== reported) throw thrown;
      } finally {
        reported = message;
      }
    };
    this.#timer = setInterval(() => this.#state.call(refresh), milliseconds);
    this.#timer.unref();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearInterval(this.#timer);
    for (const each of this.#left) each.close(CLOSED);
    letGo({ journal: this.#at.journal, descriptors: this.#descriptors });
  }

  /** Reads the journal to its end. Returns whether it is the current one. */
  #readOn(): boolean {
    // Asked first: if there is a later generation, this one's journal is complete.
    const number = this.#folder.generation();
    const { journal, last } = this.#at;
    // A writer takes back the last entry if it could not complete it.
    if (journal.headAt(last.offset)?.checksum !== last.checksum) return this.#readAnew();
    replay(journal, last, (entry) => {
      this.#follow(() => applyEntry(this.#state, journal, entry));
      this.#at = { ...this.#at, last: entry };
    });
    return number === this.#at.number || this.#turnTo(number);
  }

  /** Continues with the journal of a later generation. */
  #turnTo(number: number): false {
    const next = this.#whileThere(number, () => {
      const journal = new Log(this.#folder.disk, this.#folder.journalPath(number), "r");
      return closingOnError(journal, () => {
        const isAlike = hasSchemas(this.#state, schemasIn(this.#folder, number));
        return { number, journal, last: readStart(journal), isAlike };
      });
    });
    if (next === undefined) return false;
    const isNext = next.isAlike && next.last.number === this.#at.last.number;
    const left = isNext ? this.#at : next;
    left.journal.close();
    if (isNext) this.#at = next;
    else this.#readAnew();
    return false;
  }

  #readAnew(): false {
    const before = { state: this.#state, descriptors: this.#descriptors };
    const { state, at } = this.#read(before);
    this.#follow(() => this.#state.replace(state));
    this.#at.journal.close();
    this.#at = at;
    this.#descriptors = at.descriptors;
    this.#leave([...before.descriptors].filter((each) => !at.descriptors.has(each)));
    return false;
  }

  /** Closes the oldest of the dropped files, but none of those dropped now. */
  #leave(descriptors: readonly Descriptor[]): void {
    const left = [...this.#left, ...descriptors].filter(({ isOpen }) => isOpen);
    const most = Math.max(MOST_LEFT, descriptors.length);
    for (const each of left.splice(0, left.length - most)) each.close(LEFT);
    this.#left = left;
  }

  #read(before?: Before): {
    readonly service: Service;
    readonly state: Data;
    readonly at: Generation;
  } {
    for (;;) {
      const read = this.#whileThere(this.#folder.generation(), () => {
        const { service, data: state } = serviceWithData(this.#options);
        const at = readGeneration(this.#files, state, "r", this.#given, before);
        const opened = [...at.descriptors].filter((each) => before?.descriptors.has(each) !== true);
        const close = () => letGo({ journal: at.journal, descriptors: new Set(opened) });
        closingOnError({ close }, () => this.#requireGiven(state));
        return { service, state, at };
      });
      if (read !== undefined) return read;
    }
  }

  /** A reader makes no new records of old ones: the journal that it follows is of the records as they are. */
  #requireGiven(state: Data): void {
    const own = new Map(ownCollections(state));
    for (const [name, schema] of this.#given ?? []) {
      const collection = own.get(name);
      if (collection?.schema === schema) continue;
      const what = collection === undefined ? "no collection" : "another schema of";
      const reason = `has ${what} ${JSON.stringify(name)}; a writer has to open it with this one first`;
      throw new StoreError(this.#folder.path, reason);
    }
  }

  /**
   * Returns the result of `read`; `undefined` if it failed because a checkpoint removed the files of
   * the generation in use.
   */
  #whileThere<Result>(number: number, read: () => Result): Result | undefined {
    try {
      return read();
    } catch (thrown) {
      if (this.#folder.generation() === number) throw thrown;
      return undefined;
    }
  }

  #follow(change: () => void): void {
    this.#isFollowing = true;
    try {
      change();
    } finally {
      this.#isFollowing = false;
    }
  }
}
