// One who reads a store beside its writer, and follows the journal. It holds no lock and writes
// nothing.

import { serviceWithState } from "../service/service.ts";
import type { Service, ServiceOptions } from "../index.ts";
import type { Store } from "../service/store.ts";
import { extended } from "./extended.ts";
import { StoreError } from "./errors.ts";
import type { DataFiles } from "./data-files.ts";
import type { Descriptor } from "./files.ts";
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
import { closingOnError, Log } from "./log.ts";

/** A service over a store that another process may be writing to. It takes no changes of its own. */
export interface StoreReader extends Service {
  /**
   * Takes over what was changed since, and tells the subscribers of each change. What was taken from
   * the reader before, such as its `files`, can still be read; of files that were left by earlier calls
   * than the last that left any, 32 stay open, and reading the others is a StoreError.
   * Cost: that of the changes; linear in the data where two checkpoints were made meanwhile.
   *
   * @returns how many changes were taken over
   * @throws StoreError where what comes next is damaged
   */
  refresh(): number;

  /**
   * Lets go of the files. The service still answers from what is in memory; what would have to be read
   * from a file of a collection is a StoreError.
   */
  close(): void;
}

/**
 * The store as a service that follows it.
 *
 * @param follow after how many milliseconds it looks for changes each time; default: when it is told to
 */
export function openReader(
  files: DataFiles,
  options: ServiceOptions,
  follow: number | undefined,
): StoreReader {
  const reader = new Reader(files, options);
  if (follow !== undefined) reader.follow(follow);
  return extended(reader.service, {
    refresh: () => reader.refresh(),
    close: () => reader.close(),
  });
}

/** So many files that were left stay open, or more where the last refresh left more. */
const MOST_LEFT = 32;

/** Why a file is closed, where it is. */
const LEFT = ": the reader has left it by refresh()";

class Reader {
  readonly service: Service;
  readonly #files: DataFiles;
  readonly #folder: Folder;
  readonly #options: ServiceOptions;
  readonly #state: Store;
  #at: Position;
  /** What the files are closed by that the state was read from. */
  #descriptors: ReadonlySet<Descriptor>;
  /** Those that it was read from earlier, the eldest first. Somebody may hold what reads them. */
  #left: Descriptor[] = [];
  /** Whether the next change is one of the store. */
  #isFollowing = false;
  #isBusy = false;
  #isOpen = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(files: DataFiles, options: ServiceOptions) {
    const { folder } = files;
    this.#files = files;
    this.#folder = folder;
    this.#options = options;
    const { service, state, at } = this.#read();
    this.service = service;
    this.#state = state;
    this.#at = at;
    this.#descriptors = at.descriptors;
    state.keepBy(() => {
      if (!this.#isFollowing) throw new StoreError(folder.path, "is open for reading only");
      // The subscribers, which are told next, may change no more than others.
      this.#isFollowing = false;
    });
  }

  refresh(): number {
    if (!this.#isOpen) throw new StoreError(this.#folder.path, "is closed");
    // A subscriber that is told of a change is told of the others too.
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

  /** Refreshes now and then, until it is closed. An error is reported once, and the next time tries again. */
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

  /** Reads the journal to its end; whether no later one takes its place. */
  #readOn(): boolean {
    // Asked first: when there is a later generation, this one's journal is complete.
    const number = this.#folder.generation();
    const { journal, last } = this.#at;
    // A writer takes back what it could not make last.
    if (journal.headAt(last.offset)?.checksum !== last.checksum) return this.#readAnew();
    replay(journal, last, (entry) => {
      this.#follow(() => applyEntry(this.#state, journal, entry));
      this.#at = { ...this.#at, last: entry };
    });
    return number === this.#at.number || this.#turnTo(number);
  }

  /** Goes on to the journal of a later generation. */
  #turnTo(number: number): false {
    const next = this.#whileThere(number, () => {
      const journal = new Log(this.#folder.disk, this.#folder.journalPath(number), "r");
      return closingOnError(journal, () => ({ number, journal, last: readStart(journal) }));
    });
    if (next === undefined) return false;
    const isNext = next.last.number === this.#at.last.number;
    const left = isNext ? this.#at : next;
    left.journal.close();
    if (isNext) this.#at = next;
    else this.#readAnew();
    return false;
  }

  #readAnew(): false {
    const before = { state: this.#state.capture(), descriptors: this.#descriptors };
    const { state, at } = this.#read(before);
    this.#follow(() => this.#state.become(state));
    this.#at.journal.close();
    this.#at = at;
    this.#descriptors = at.descriptors;
    this.#leave([...before.descriptors].filter((each) => !at.descriptors.has(each)));
    return false;
  }

  /** Closes the eldest of the files that were left, but none of those that are left now. */
  #leave(descriptors: readonly Descriptor[]): void {
    const left = [...this.#left, ...descriptors].filter(({ isOpen }) => isOpen);
    const most = Math.max(MOST_LEFT, descriptors.length);
    for (const each of left.splice(0, left.length - most)) each.close(LEFT);
    this.#left = left;
  }

  #read(before?: Before): {
    readonly service: Service;
    readonly state: Store;
    readonly at: Generation;
  } {
    for (;;) {
      const read = this.#whileThere(this.#folder.generation(), () => {
        const { service, state } = serviceWithState(this.#options);
        return { service, state, at: readGeneration(this.#files, state, "r", before) };
      });
      if (read !== undefined) return read;
    }
  }

  /**
   * What `read` returns; `undefined` where it failed since a checkpoint took away the files of the
   * generation that was in use.
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
