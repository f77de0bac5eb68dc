// Reads a store alongside its writer, and follows the journal. Takes no lock and writes nothing.

import { serviceWithData } from "../service/service.ts";
import type { Service, ServiceOptions } from "../index.ts";
import type { DatabaseChange } from "../database/changes.ts";
import type { DatabaseState } from "../database/database-state.ts";
import type { Database } from "../database/database.ts";
import {
  hasSchemas,
  ownDatabase,
  requireKind,
  requireNotNewer,
  schemasIn,
  type GivenSchemas,
} from "./collections.ts";
import { ownCollections } from "./data.ts";
import { backUp, type Copyable, type Backup } from "./backup.ts";
import { extended } from "./extended.ts";
import { closingOnError, StoreError } from "./errors.ts";
import type { DataFiles } from "./data-files.ts";
import type { Descriptor } from "./disk.ts";
import { anotherStore } from "./folder.ts";
import { isSame, requireHead, type Identity } from "./identity.ts";
import { entriesAfter } from "./journal.ts";
import { applyChange, CLOSED, letGo, readGeneration, type Before, type Position } from "./load.ts";
import { Log } from "./log.ts";
import { latestOf, type MigrationsByName } from "./migrations.ts";

/** The additional methods of a reader. */
export interface Reading extends Copyable {
  /**
   * Applies the changes since the last call, and notifies the subscribers of each. Earlier collections stay readable
   * while their files are open: those replaced by the last refresh, and older ones, up to 32 in total. Cost: that of
   * the changes; linear in the data if two checkpoints were made in between.
   *
   * @returns how many changes were applied
   * @throws StoreError if the next changes are damaged, or a collection has another schema
   */
  refresh(): number;

  /** Closes the files. Queries still work on data in memory; reading from a file then throws a StoreError. */
  close(): void;
}

/** A service over a store that another process may be changing. It does not accept changes. */
export interface StoreReader extends Service, Reading {}

/** How many replaced files stay open; more if the last refresh replaced more. */
const MOST_LEFT = 32;

/** The reason in errors of closed files. */
const LEFT = ": refresh() has dropped it";

/**
 * Opens the store as a service, or as a database of collections, that follows the writer.
 *
 * @param given the schemas of the collections; `undefined` for a service
 * @param migrate the migrations of collections, which a reader only compares with the store's versions
 * @param interval the milliseconds between checks for changes; default: only `refresh` checks
 * @param isLocked whether to lock the folder of a backup
 */
export function openReader(
  files: DataFiles,
  options: ServiceOptions,
  given: GivenSchemas | undefined,
  migrate: MigrationsByName,
  interval: number | undefined,
  isLocked: boolean,
): (Service | Database) & Reading {
  const { service, state, refresh, backup, close } = following(
    files,
    options,
    given,
    migrate,
    interval,
    isLocked,
  );
  return extended(given === undefined ? service : ownDatabase(state), { refresh, backup, close });
}

/**
 * {@link openReader}, without the members of the service or database.
 *
 * @param onChange called with each change that is applied, and its number; not if several were read at once
 */
export function following(
  files: DataFiles,
  options: ServiceOptions,
  given: GivenSchemas | undefined,
  migrate: MigrationsByName,
  interval: number | undefined,
  isLocked: boolean,
  onChange: (number: number, change: DatabaseChange) => void = () => undefined,
) {
  const { folder } = files;
  const first = readFrom();
  const { service, data } = first;
  let at: Position = first.at;
  /** The folder that it was read from. */
  let { place } = first;
  /** The descriptors of the files that the data were read from. */
  let { descriptors } = first.at;
  /** The descriptors of earlier data, oldest first. They may still be in use. */
  let left: Descriptor[] = [];
  let isBusy = false;
  let isOpen = true;

  data.transactions.beforeCommit = ({ isMoved }) => {
    if (isMoved) return;
    throw new StoreError(folder.path, "is open for reading only", { code: "unsupported" });
  };
  const timer = interval === undefined ? undefined : refreshEach(interval);

  const last = (): number => at.last.number;
  return { service, state: data, refresh, backup, close, last };

  function requireOpen(): void {
    if (!isOpen) throw new StoreError(folder.path, "is closed", { code: "closed" });
  }

  async function backup(to: unknown): Promise<Backup> {
    requireOpen();
    return backUp(folder, at.identity.store, to, isLocked);
  }

  function refresh(): number {
    requireOpen();
    // Subscribers are notified of each change of a refresh.
    if (isBusy) return 0;
    isBusy = true;
    const before = at.last.number;
    try {
      while (!readOn());
      return at.last.number - before;
    } finally {
      isBusy = false;
    }
  }

  /** Refreshes periodically until closed. An error is reported once; the next refresh tries again. */
  function refreshEach(milliseconds: number): ReturnType<typeof setInterval> {
    let reported = "";
    const again = () => {
      let message = "";
      try {
        refresh();
      } catch (thrown) {
        message = String(thrown);
        if (message !== reported) throw thrown;
      } finally {
        reported = message;
      }
    };
    const started = setInterval(() => data.subscribers.call(again), milliseconds);
    // In Node.js, it does not keep the process alive.
    const inNode: { unref?: () => void } = started;
    inNode.unref?.();
    return started;
  }

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(timer);
    for (const each of left) each.close(CLOSED);
    letGo({ journal: at.journal, descriptors });
  }

  /** Reads the journal to its end. Returns whether it is the current one. */
  function readOn(): boolean {
    // Checked first: if there is a later generation, this journal is complete.
    const identity = folder.current();
    if (identity.store !== at.identity.store) throw anotherStore(folder);
    // A copy of the store was put at its path, or taken away again: it may have gone on separately.
    if (folder.place() !== place) return readAnew();
    const { journal, last } = at;
    // A writer removes the last entry if it could not complete it.
    if (journal.headAt(last.offset)?.checksum !== last.checksum) return readAnew();
    for (const [entry, changes] of entriesAfter(journal, last)) {
      let number = entry.number - changes.length;
      for (const each of changes) {
        onChange(++number, applyChange(data, journal, entry, each, followed));
      }
      at = { ...at, last: entry };
    }
    if (!isSame(identity, at.identity)) return turnTo(identity);
    if (folder.hasInPlace(journal)) return true;
    // Unless a checkpoint has just removed it, its file was replaced.
    return isSame(folder.current(), identity) && readAnew();
  }

  /** Switches to the journal of a later generation. */
  function turnTo(identity: Identity): false {
    const next = whileThere(identity, () => {
      const journal = new Log(folder.disk, folder.journalPath(identity.generation), "r");
      return closingOnError(journal, () => {
        const isAlike = hasSchemas(data, files.versions, schemasIn(folder, identity));
        return { identity, journal, last: requireHead(journal, identity).entry, isAlike };
      });
    });
    if (next === undefined) return false;
    const isNext = next.isAlike && next.last.number === at.last.number;
    (isNext ? at : next).journal.close();
    if (isNext) at = next;
    else readAnew();
    return false;
  }

  function readAnew(): false {
    const before = descriptors;
    const { data: read, at: next, place: from } = readFrom({ state: data, descriptors });
    data.replace(read, followed);
    at.journal.close();
    at = next;
    place = from;
    ({ descriptors } = next);
    leave([...before].filter((each) => !descriptors.has(each)));
    return false;
  }

  /** Closes the oldest of the replaced files, but none of those replaced just now. */
  function leave(dropped: readonly Descriptor[]): void {
    left = [...left, ...dropped].filter(({ isOpen }) => isOpen);
    const most = Math.max(MOST_LEFT, dropped.length);
    for (const each of left.splice(0, left.length - most)) each.close(LEFT);
  }

  function readFrom(before?: Before) {
    for (;;) {
      const place = folder.place();
      const read = whileThere(folder.current(), () => {
        const made = serviceWithData(options);
        const next = readGeneration(files, made.data, "r", given, before);
        const opened = [...next.descriptors].filter((each) => !before?.descriptors.has(each));
        const close = () => letGo({ journal: next.journal, descriptors: new Set(opened) });
        closingOnError({ close }, () => {
          requireKind(made.data, given, files.isService, folder.path);
          requireGiven(made.data);
        });
        return { ...made, at: next, place };
      });
      if (read !== undefined) return read;
    }
  }

  /** A reader can't migrate, since the journal that it follows has unmigrated records. */
  function requireGiven(read: DatabaseState): void {
    const own = new Map(ownCollections(read));
    for (const [name, schema] of given ?? []) {
      const collection = own.get(name);
      const migrations = migrate.get(name);
      // A tool that reads the schema from the store itself has no migrations.
      if (migrations !== undefined) {
        const version = files.versions.get(name);
        const latest = latestOf(migrations);
        requireNotNewer(name, version, latest, folder.path);
        if (version !== undefined && version < latest) {
          const reason = `${JSON.stringify(name)} has version ${version}, and migrate goes to ${latest}; open it as a writer first`;
          throw new StoreError(folder.path, reason, { code: "conflict" });
        }
      }
      if (collection?.schema === schema) continue;
      const what = collection === undefined ? "no collection" : "another schema of";
      const reason = `has ${what} ${JSON.stringify(name)}; open it as a writer with this schema first`;
      throw new StoreError(folder.path, reason, { code: "conflict" });
    }
  }

  /**
   * Returns the result of `read`; `undefined` if it failed because a checkpoint removed the files of the generation.
   */
  function whileThere<Result>(identity: Identity, read: () => Result): Result | undefined {
    try {
      return read();
    } catch (thrown) {
      if (isSame(folder.current(), identity)) throw thrown;
      return undefined;
    }
  }
}

/** Accepts a change from the store. */
const followed = () => undefined;
