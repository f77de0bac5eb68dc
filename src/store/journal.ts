// The journal of a generation: its changes, after a first entry with the number of the last change in the data. An
// entry has one change, or several that became durable together; its number is that of its last change. The journal can
// be read from any position, and an entry is written completely or not at all.

import { orUndefined } from "../schema/errors.ts";
import { Descriptor } from "./disk.ts";
import { StoreError } from "./errors.ts";
import { KEPT } from "./folder.ts";
import type { Entry, Log } from "./log.ts";

/** The incomplete entry at the end of a journal, which was removed when the store was opened. */
export interface CutOff {
  readonly file: string;
  /** The end of the journal after the removal. */
  readonly offset: number;
  /** How many bytes were removed. */
  readonly bytes: number;
  /** The file to which the removed bytes were moved; `undefined` if it could not be written. */
  readonly keptIn: string | undefined;
}

/**
 * The entries after another one, each with its changes, which consist of patches.
 *
 * @throws StoreError if one is damaged and others follow, or has an unexpected number
 */
export function* entriesAfter(
  log: Log,
  from: Entry,
): Generator<readonly [entry: Entry, changes: readonly Iterable<unknown>[]], void> {
  let last = from;
  for (;;) {
    const offset = last.end;
    let entry = log.entryAt(offset);
    // A writer may be active. If another entry follows, the one before was complete.
    if (entry === undefined && offset < log.size && log.entryAfter(offset) !== undefined) {
      entry = log.entryAt(offset);
      if (entry === undefined) {
        throw new StoreError(log.path, "the entry is damaged, and others follow", { offset });
      }
    }
    if (entry === undefined) return;
    const changes = changesOf(log.values(entry), entry.number - last.number);
    if (changes === undefined) {
      throw new StoreError(log.path, `has entry ${entry.number} after ${last.number}`, { offset });
    }
    yield [entry, changes];
    last = entry;
  }
}

/** Separates the changes of an entry; most entries have one change. */
const BETWEEN = null;

/** The changes in the lines of an entry; `undefined` if it has fewer. */
export function changesOf(
  lines: Iterable<unknown>,
  count: number,
): readonly Iterable<unknown>[] | undefined {
  // Read while its change is applied.
  if (count === 1) return [lines];
  let change: unknown[] = [];
  const changes = [change];
  for (const line of lines) {
    if (line === BETWEEN) changes.push((change = []));
    else change.push(line);
  }
  return changes.length === count ? changes : undefined;
}

/** Removes what follows the last entry, after copying it to a separate file if that can be written. */
export function cutOff(log: Log, { end }: Entry): CutOff | undefined {
  const bytes = log.size - end;
  if (bytes <= 0) return undefined;
  // The disk may be full. An unacknowledged change must not prevent a store from opening.
  const keptIn = orUndefined(() => {
    const path = `${log.path}.${end}${KEPT}`;
    log.copy(end, path);
    return path;
  });
  log.cut(end);
  log.sync();
  return { file: log.path, offset: end, bytes, keptIn };
}

/** The lines of a change. */
export type ChangeLines = Iterable<string>;

export type Journal = ReturnType<typeof journalOn>;

/**
 * The journal of a writer. Entries that it could not write or sync are removed.
 *
 * @param isSynced whether an entry must be durable when it is acknowledged
 * @param requireThere throws if the file is no longer at its path, where the next opening would look for it
 */
export function journalOn(
  log: Log,
  from: Entry,
  isSynced: boolean,
  requireThere: (log: Log) => void,
) {
  let last = from;
  /** The last entry that a sync of its own or a later one has made durable. */
  let durable = from;
  /** Whether something other than an entry may follow the last one. */
  let isUnclean = false;
  /** The error after which the on-disk state is unknown. */
  let failure: unknown;
  /** Syncs alongside `log`, because Linux reports a failed write once per descriptor. */
  let other: Descriptor | undefined;

  function clean(): void {
    if (!isUnclean) return;
    log.cut(last.end);
    isUnclean = false;
  }

  /**
   * Makes entries durable. If that fails, the journal accepts no more changes: the system may then consider unwritten
   * data written, and report success the next time.
   */
  function secure(sync: () => void): void {
    try {
      sync();
    } catch (thrown) {
      failure = thrown;
      throw thrown;
    }
  }

  /** @throws StoreError if the journal accepts no changes */
  function requireIntact(): void {
    requireThere(log);
    if (failure === undefined) return;
    const reason =
      "accepts no changes, since it could not be synced; checkpoint() starts a new one";
    throw new StoreError(log.path, reason, { cause: failure, code: "io" });
  }

  /** Removes what follows an entry immediately, for readers, and to free the space. */
  function takeBack(to: Entry): void {
    last = to;
    isUnclean = true;
    // If this fails, writing the next entry tries again.
    orUndefined(clean);
  }

  /** Writes changes as one entry, which is complete or absent after a power cut. */
  function write(changes: readonly ChangeLines[]): void {
    requireIntact();
    clean();
    const before = last;
    try {
      last = log.write(last.end, last.number + changes.length, joined(changes));
    } catch (thrown) {
      takeBack(before);
      throw thrown;
    }
  }

  /**
   * Writes changes, and makes all earlier ones durable too. If it throws, none of them is written.
   * @throws StoreError
   */
  function append(changes: readonly ChangeLines[]): void {
    const before = last;
    if (changes.length > 0) write(changes);
    else requireIntact();
    if (!isSynced) return;
    try {
      secure(() => log.sync());
      durable = last;
    } catch (thrown) {
      if (last !== before) takeBack(before);
      throw thrown;
    }
  }

  /**
   * Like `append`, without waiting for the disk. More changes may be appended in the meantime.
   *
   * @param done called once they are durable, or with the reason why none of them was written
   */
  async function appendLater(
    changes: readonly ChangeLines[],
    done: (thrown?: unknown) => void,
  ): Promise<void> {
    const before = last;
    let written: Entry | undefined;
    try {
      write(changes);
      written = last;
      if (isSynced) {
        other ??= new Descriptor(log.disk, log.path, "r+");
        if (other.identity !== log.identity) requireThere(log);
        await other.syncLater();
      }
    } catch (thrown) {
      if (written !== undefined) failure = thrown;
      // If a call in the meantime has made it durable, it was acknowledged.
      if (written !== undefined && durable.number < written.number) takeBack(before);
      done(thrown);
      return;
    }
    done();
  }

  /** Closes the file after making its entries durable. */
  function close(): void {
    try {
      if (!isSynced) log.sync();
    } finally {
      leave();
    }
  }

  /** Closes the file of a generation that is no longer in use. */
  function leave(): void {
    other?.close();
    log.close();
  }

  const { path } = log;
  return { path, last: () => last, requireIntact, append, appendLater, secure, leave, close };
}

function* joined(changes: readonly ChangeLines[]): Generator<string, void> {
  let isFirst = true;
  for (const lines of changes) {
    if (!isFirst) yield JSON.stringify(BETWEEN);
    isFirst = false;
    yield* lines;
  }
}
