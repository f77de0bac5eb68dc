// The writer of a store: appends each change to the journal before it is made in memory, and makes checkpoints.

import type { Patch } from "../index.ts";
import { orUndefined } from "../schema/errors.ts";
import type { DatabaseChange } from "../database/changes.ts";
import type { DatabaseState } from "../database/database-state.ts";
import type { BeforeCommit, Prepared } from "../database/transaction.ts";
import { backUp, type Backup } from "./backup.ts";
import { fileLine, writeData } from "./data.ts";
import type { DataFiles } from "./data-files.ts";
import type { Lock } from "./disk.ts";
import type { DataFile } from "./named-files.ts";
import { closing, closingOnError, StoreError } from "./errors.ts";
import { GroupCommit } from "./group-commit.ts";
import { headLine, identityFor, type Identity } from "./identity.ts";
import { journalOn } from "./journal.ts";
import { CLOSED, type Generation } from "./load.ts";
import { Log } from "./log.ts";
import { merging, nextRun, type Merge } from "./merging.ts";
import type { Settings } from "./options.ts";
import { checkedLinesOf, linesOf } from "./patches.ts";

/** Shorter journals trigger no automatic checkpoint. */
const LEAST_BYTES = 2 ** 20;

/** A checkpoint writes only what has changed, so data beyond this size do not make checkpoints rarer. */
const MOST_DATA_BYTES = 2 ** 25;

export type Writer = ReturnType<typeof writing>;

/** Connects a store to its writer: each later change is durable. */
export function writing(
  files: DataFiles,
  state: DatabaseState,
  { checkpointRatio, durability, lock }: Settings,
  held: Lock,
  generation: Generation,
) {
  const { folder } = files;
  const isSynced = durability === "sync";
  const requireThere = (log: Log) => folder.requireThere(log);
  const journalOf = ({ journal, last }: Generation) =>
    journalOn(journal, last, isSynced, requireThere);
  const limitFor = ({ dataBytes, first }: Generation) =>
    first.end + Math.max(LEAST_BYTES, checkpointRatio * Math.min(dataBytes, MOST_DATA_BYTES));
  let current = generation;
  let journal = journalOf(current);
  const group = new GroupCommit(folder.disk, state, () => journal);
  /** If the journal exceeds this many bytes, a change first makes a checkpoint. */
  let limit = limitFor(current);
  let isOpen = true;
  /** Merges files in the background. */
  let merge: Merge | undefined;

  function mergeNext(): void {
    const run = merge === undefined ? nextRun(files, state, current.files) : undefined;
    if (run === undefined || !isOpen) return;
    merge = merging(files, state, run, (thrown) => {
      merge = undefined;
      // `onError` or `onInternalError` receives the error.
      state.subscribers.call(() => {
        if (thrown !== undefined) throw files.damageOf(thrown, current.files);
        checkpoint();
      });
    });
  }

  /** Removes all files except those of a generation, and those that a later one will name. */
  function removeOthers({ identity, files: named }: Generation): void {
    const others = [...files.pending, ...files.temporary];
    folder.removeAllBut(identity.generation, [...named, ...others.map((file) => ({ file }))]);
  }

  function refuseClosed(): void {
    if (!isOpen) throw new StoreError(folder.path, "is closed", { code: "closed" });
  }

  function checkpoint(): void {
    refuseClosed();
    // The new generation would have changes in flight, which would be undone in memory only if naming it fails. A
    // journal that accepts no more leaves no other way to keep them.
    orUndefined(() => group.flush());
    const before = current;
    const { identity } = before;
    const following = identityFor(identity.generation + 1, identity.store);
    const change = journal.last().number + group.unwritten.length;
    let next: Generation;
    try {
      folder.requireCurrent(identity);
      next = writeGeneration(files, following, change, state, before.files);
      closingOnError(next.journal, () => {
        folder.announce(following);
        folder.requireCurrent(identity);
        folder.name();
      });
    } catch (thrown) {
      removeOthers(before);
      throw files.damageOf(thrown, before.files);
    }
    journal.leave();
    current = next;
    journal = journalOf(next);
    limit = limitFor(next);
    // Until then, a power cut could restore the name of the previous generation.
    journal.secure(() => folder.sync());
    group.settle();
    // Other files are not needed, except the one that is being written.
    for (const file of files.pending) if (file !== merge?.file) files.pending.delete(file);
    removeOthers(next);
    mergeNext();
  }

  /** Called before a change: refuses it, or makes a checkpoint first. */
  function prepare(): void {
    refuseClosed();
    const { end: bytes } = journal.last();
    if (bytes <= limit) return;
    limit = 2 * bytes;
    // The change succeeds regardless. `onError` or `onInternalError` receives the error.
    state.subscribers.call(checkpoint);
  }

  function append(patches: readonly Patch[]): void {
    prepare();
    group.flush(checkedLinesOf(patches, journal.path));
  }

  function add({ entry, undo }: Prepared): Promise<void> {
    prepare();
    journal.requireIntact();
    return group.add([...linesOf(entry(), journal.path)], undo);
  }

  const updateAsync = (recipe: unknown): Promise<DatabaseChange> =>
    changeAsync((commit) => state.update(recipe, commit));

  /** Makes a change as `updateAsync` does. @param make is called at once, with what it has to do before the commit */
  async function changeAsync(
    make: (beforeCommit: BeforeCommit) => DatabaseChange,
  ): Promise<DatabaseChange> {
    let durable: Promise<void> | undefined;
    const change = make((prepared) => {
      if (!prepared.isMoved) durable = add(prepared);
    });
    // A change without an effect may depend on changes in flight.
    await (durable ?? group.settled());
    return change;
  }

  async function backup(to: unknown): Promise<Backup> {
    refuseClosed();
    // Changes that are undone in the end are not copied.
    const settled = () => group.settled().catch(() => undefined);
    await settled();
    folder.requireInPlace();
    return backUp(folder, current.identity.store, to, lock, settled);
  }

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    merge?.abandon();
    try {
      closing(journal, () => group.finish());
    } finally {
      files.close(CLOSED);
      held.close();
    }
  }

  state.transactions.beforeCommit = ({ isMoved, entry }) => {
    if (isMoved) group.flush();
    else append(entry());
  };
  mergeNext();
  /** The number of the last change in memory. */
  const last = (): number => journal.last().number + group.unwritten.length;
  /** The number of the last change in the journal. */
  const written = (): number => journal.last().number;
  /** Resolves once no change is in flight. */
  const settled = () => group.settled().catch(() => undefined);
  return { updateAsync, checkpoint, backup, close, changeAsync, last, written, settled };
}

/**
 * Writes the files of a generation, except those that the previous one already has. It is in use once the folder names
 * it.
 *
 * @param number of the last change in the state
 * @param inUse the files of the previous generation
 * @throws StoreError
 */
export function writeGeneration(
  files: DataFiles,
  identity: Identity,
  number: number,
  state: DatabaseState,
  inUse: readonly DataFile[],
): Generation {
  const { folder } = files;
  const { disk } = folder;
  const { generation } = identity;
  folder.requireInPlace();
  const permissions = folder.permissions();
  const written = files.write(generation, state, inUse, permissions);
  const logBytes = writeData(
    disk,
    folder.dataPath(generation),
    identity,
    files.isService,
    state,
    number,
    written,
    files.versions,
    permissions,
  );
  const named = [...written.values()].flatMap(({ files }) => files);
  const dataBytes = named.reduce((sum, { bytes }) => sum + bytes, logBytes);
  const journal = new Log(disk, folder.journalPath(generation), "w+", permissions);
  return closingOnError(journal, () => {
    // A copy of what the data say of files, since removed records would come back without the list of dead rows.
    const first = journal.write(0, number, [headLine(identity), ...named.map(fileLine)]);
    journal.sync();
    const ends = { journal, first, last: first };
    return { identity, dataBytes, files: named, descriptors: new Set(), ...ends };
  });
}
