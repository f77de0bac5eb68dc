// A generation, read: its data, and what its journal adds to them.

import { InputError } from "../index.ts";
import type { Store } from "../service/store.ts";
import { keepKeys, readData, type DataEnd } from "./data.ts";
import { StoreError } from "./errors.ts";
import type { Folder } from "./folder.ts";
import { readStart, replay } from "./journal.ts";
import { closingOnError, Log, type Entry } from "./log.ts";

/** A generation, and how far its journal was read. */
export interface Position {
  readonly number: number;
  readonly journal: Log;
  readonly last: Entry;
}

/** A generation that was read from its beginning. */
export interface Generation extends Position {
  readonly dataBytes: number;
  /** The first entry of the journal: it has the number of the last change in the data. */
  readonly first: Entry;
}

/**
 * Reads the generation in use into the state of a service that is empty.
 *
 * @param mode as that of {@link Log}, for the journal
 * @throws StoreError
 */
export function readGeneration(folder: Folder, state: Store, mode: "r" | "r+"): Generation {
  const number = folder.generation();
  const journal = new Log(folder.disk, folder.journalPath(number), mode);
  return closingOnError(journal, () => {
    const first = readStart(journal);
    const dataBytes = loadData(folder, number, state, first.number);
    const last = replay(journal, first, (entry) => applyEntry(state, journal, entry));
    return { number, dataBytes, journal, first, last };
  });
}

/** @returns the size of the data */
function loadData(folder: Folder, generation: number, state: Store, expected: number): number {
  const log = new Log(folder.disk, folder.dataPath(generation), "r");
  try {
    const ends: DataEnd[] = [];
    const patches = function* () {
      ends.push(yield* readData(log));
    };
    fitting(log.path, undefined, () => state.applyPatches(patches()));
    const [end] = ends;
    if (end?.number !== expected) {
      const reason = `ends with change ${end?.number}, and the journal goes on from ${expected}`;
      throw new StoreError(log.path, reason);
    }
    keepKeys(state, end);
    return log.size;
  } finally {
    log.close();
  }
}

/** @throws StoreError where the entry does not fit what is there */
export function applyEntry(state: Store, journal: Log, entry: Entry): void {
  fitting(journal.path, entry.offset, () => state.applyPatches(journal.values(entry)));
}

function fitting(file: string, offset: number | undefined, apply: () => unknown): void {
  try {
    apply();
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    const reason = `does not fit what is there: ${thrown.message}`;
    throw new StoreError(file, reason, { offset, cause: thrown });
  }
}
