// A generation, read: its data, and what its journal adds to them.

import { InputError } from "../index.ts";
import type { Store } from "../service/store.ts";
import { readData } from "./data.ts";
import { StoreError } from "./errors.ts";
import { readJournalHead, type Folder } from "./folder.ts";
import { replay } from "./journal.ts";
import { Log, type Entry } from "./log.ts";

/** A generation, and how far its journal was read. */
export interface Generation {
  readonly number: number;
  readonly dataBytes: number;
  readonly journal: Log;
  /** The first entry of the journal: it tells of the data. */
  readonly first: Entry;
  last: Entry;
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
  try {
    const { dataBytes, entry: first } = readJournalHead(journal);
    const dataPath = folder.dataPath(number);
    fitting(dataPath, 0, () => state.applyPatches(readData(folder.disk, dataPath, dataBytes)));
    const last = replay(journal, first, (entry) => applyEntry(state, journal, entry));
    return { number, dataBytes, journal, first, last };
  } catch (thrown) {
    journal.close();
    throw thrown;
  }
}

/** @throws StoreError where the entry does not fit what is there */
export function applyEntry(state: Store, journal: Log, entry: Entry): void {
  fitting(journal.path, entry.offset, () => state.applyPatches(journal.values(entry)));
}

function fitting(file: string, offset: number, apply: () => unknown): void {
  try {
    apply();
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    const reason = `does not fit what is there: ${thrown.message}`;
    throw new StoreError(file, reason, { offset, cause: thrown });
  }
}
