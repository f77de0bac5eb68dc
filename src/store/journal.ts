// The journal of a generation: one entry a change, after a first one with the number of the last change
// in the data. It is read from any position, and written so that an entry is there completely or not at
// all.

import type { Patch } from "../index.ts";
import { tried } from "../schema/errors.ts";
import { StoreError } from "./errors.ts";
import { KEPT } from "./folder.ts";
import type { Entry, Log } from "./log.ts";
import { linesOf, refuseLong } from "./patches.ts";

/** The end of a journal that was not a complete entry, and was cut off. */
export interface CutOff {
  readonly file: string;
  /** Where the journal ends now. */
  readonly offset: number;
  /** How many bytes were cut off. */
  readonly bytes: number;
  /** The file that has them now; `undefined` if it could not be written. */
  readonly keptIn: string | undefined;
}

/** @throws StoreError if the first entry is damaged */
export function readStart(log: Log): Entry {
  const entry = log.entryAt(0);
  if (entry === undefined) throw new StoreError(log.path, "is damaged", { offset: 0 });
  return entry;
}

/**
 * Passes each entry after another one to a function.
 *
 * @returns the last entry
 * @throws StoreError if one is damaged and others follow, or does not fit; whatever `apply` throws
 */
export function replay(log: Log, from: Entry, apply: (entry: Entry) => void): Entry {
  let last = from;
  for (;;) {
    const offset = last.end;
    // A writer may be at work. If an entry follows, the one before was complete.
    const isWhole = () => log.entryAt(offset) !== undefined;
    if (offset < log.size && !isWhole() && log.entryAfter(offset) !== undefined && !isWhole()) {
      throw new StoreError(log.path, "the entry is damaged, and others follow", { offset });
    }
    const entry = log.entryAt(offset);
    if (entry === undefined) return last;
    if (entry.number !== last.number + 1) {
      throw new StoreError(log.path, `has entry ${entry.number} after ${last.number}`, { offset });
    }
    apply(entry);
    last = entry;
  }
}

/** Cuts off what follows the last entry, and keeps it in a separate file if that can be written. */
export function cutOff(log: Log, { end }: Entry): CutOff | undefined {
  const bytes = log.size - end;
  if (bytes <= 0) return undefined;
  // The disk may be full. What was never acknowledged must not prevent a store from opening.
  const keptIn = tried(() => {
    const path = `${log.path}.${end}${KEPT}`;
    log.copy(end, path);
    return path;
  });
  log.cut(end);
  log.sync();
  return { file: log.path, offset: end, bytes, keptIn };
}

/** The journal of a writer. @param isSynced whether an entry must be durable when it is acknowledged */
export function journalOn(log: Log, from: Entry, isSynced: boolean) {
  let last = from;
  /** Whether something other than an entry may follow the last one. */
  let isUnclean = false;
  /** The error after which nobody knows what is on the disk. */
  let failure: unknown;

  function clean(): void {
    if (!isUnclean) return;
    log.cut(last.end);
    isUnclean = false;
  }

  /**
   * Makes entries durable. If that fails, the journal accepts no more: a system may then consider
   * unwritten data written, and report success the next time.
   */
  function secure(sync: () => void): void {
    try {
      sync();
    } catch (thrown) {
      failure = thrown;
      throw thrown;
    }
  }

  /** Writes patches as an entry. If it returns they are there; if it throws they are not. @throws StoreError */
  function append(patches: readonly Patch[]): void {
    if (failure !== undefined) {
      const reason =
        "accepts no changes, since it could not be synced; checkpoint() starts a new one";
      throw new StoreError(log.path, reason, { cause: failure, code: "io" });
    }
    refuseLong(patches, log.path);
    clean();
    isUnclean = true;
    try {
      const entry = log.write(last.end, last.number + 1, linesOf(patches, log.path));
      if (isSynced) secure(() => log.sync());
      last = entry;
      isUnclean = false;
    } catch (thrown) {
      // At once, for readers and for others who need the space. If it fails, the next entry tries again.
      tried(clean);
      throw thrown;
    }
  }

  /** Closes the file after making its entries durable. */
  function close(): void {
    try {
      if (!isSynced) log.sync();
    } finally {
      log.close();
    }
  }

  return { last: () => last, append, secure, close };
}
