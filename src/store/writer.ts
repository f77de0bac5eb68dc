// The writer of a store: appends each change to the journal before the service makes it, and makes
// checkpoints.

import type { Patch } from "../index.ts";
import type { Data } from "../database/data.ts";
import { writeData } from "./data.ts";
import type { DataFile, DataFiles } from "./data-files.ts";
import { closingOnError, StoreError } from "./errors.ts";
import { journalOn } from "./journal.ts";
import { CLOSED, type Generation } from "./load.ts";
import { Log } from "./log.ts";
import type { Settings } from "./options.ts";

/** Shorter journals cause no automatic checkpoint. */
const LEAST_BYTES = 2 ** 20;

/** What a store does with its writer, which continues a generation: each change is durable from now on. */
export function writing(
  files: DataFiles,
  state: Data,
  { checkpointRatio, durability }: Settings,
  unlock: () => void,
  generation: Generation,
): { readonly checkpoint: () => void; readonly close: () => void } {
  const { folder } = files;
  const isSynced = durability === "sync";
  const journalOf = ({ journal, last }: Generation) => journalOn(journal, last, isSynced);
  const limitFor = ({ dataBytes }: Generation) =>
    Math.max(LEAST_BYTES, checkpointRatio * dataBytes);
  let current = generation;
  let journal = journalOf(current);
  /** The bytes of the journal from which on a change first makes a checkpoint. */
  let limit = limitFor(current);
  let isOpen = true;

  function refuseClosed(): void {
    if (!isOpen) throw new StoreError(folder.path, "is closed", { code: "closed" });
  }

  function checkpoint(): void {
    refuseClosed();
    const before = current;
    const number = before.number + 1;
    let next: Generation;
    try {
      next = writeGeneration(files, number, journal.last().number, state, before.files);
      closingOnError(next.journal, () => {
        folder.announce(number);
        folder.name();
      });
    } catch (thrown) {
      folder.removeAllBut(before.number, before.files);
      throw files.damageOf(thrown, before.files);
    }
    current = next;
    journal = journalOf(next);
    limit = limitFor(next);
    before.journal.close();
    // Until then a power cut could bring back the name of the previous generation.
    journal.secure(() => folder.sync());
    folder.removeAllBut(number, next.files);
  }

  function append(patches: readonly Patch[]): void {
    refuseClosed();
    const { end: bytes } = journal.last();
    if (bytes > limit) {
      limit = 2 * bytes;
      // The change does not depend on it. `onError` or `onInternalError` receives the error.
      state.call(checkpoint);
    }
    journal.append(patches);
  }

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    try {
      journal.close();
    } finally {
      for (const each of generation.descriptors) each.close(CLOSED);
      unlock();
    }
  }

  state.setVeto((entry) => append(entry()));
  return { checkpoint, close };
}

/**
 * Writes the files of a generation, except those that the previous one has already. It is in use once
 * the folder names it.
 *
 * @param number of the last change in the state
 * @param inUse the files of the previous generation
 * @throws StoreError
 */
export function writeGeneration(
  files: DataFiles,
  generation: number,
  number: number,
  state: Data,
  inUse: readonly DataFile[],
): Generation {
  const { folder } = files;
  const { disk } = folder;
  const permissions = folder.permissions();
  const written = files.write(generation, state, inUse, permissions);
  const logBytes = writeData(
    disk,
    folder.dataPath(generation),
    state,
    number,
    written,
    files.versions,
    permissions,
  );
  const named = [...written.values()];
  const dataBytes = named.reduce((sum, { bytes }) => sum + bytes, logBytes);
  const journal = new Log(disk, folder.journalPath(generation), "w+", permissions);
  return closingOnError(journal, () => {
    const first = journal.write(0, number, []);
    journal.sync();
    const ends = { journal, first, last: first };
    return { number: generation, dataBytes, files: named, descriptors: new Set(), ...ends };
  });
}
