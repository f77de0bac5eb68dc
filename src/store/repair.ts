// Makes of what can be read of a damaged store one that can be opened, and keeps what is damaged.

import { resolve } from "node:path";
import { InputError } from "../index.ts";
import { serviceWithState } from "../service/service.ts";
import type { Store } from "../service/store.ts";
import { inspect, type GenerationFiles, type StoreProblem, type Surveyed } from "./check.ts";
import { keepKeys, readEnd, type DataEnd } from "./data.ts";
import { nodeDisk } from "./disk.ts";
import { attempt } from "./errors.ts";
import { Folder, KEPT } from "./folder.ts";
import { lock } from "./lock.ts";
import { Log, type Entry } from "./log.ts";
import { writeGeneration } from "./writer.ts";

/** What repairing a store did. */
export interface Repair {
  /** What was wrong. Where nothing was, nothing was done. */
  readonly problems: readonly StoreProblem[];
  /** How many changes of the journal are in the store now. */
  readonly changes: number;
  /** How many records and other parts of changes were there, but belong to what is lost. */
  readonly refused: number;
  /** The damaged files, which are kept under these names. */
  readonly kept: readonly string[];
}

/**
 * Makes a store that can't be opened one that can: it has what is whole of the data, and the changes
 * up to the first that is not. The damaged files are kept beside. Cost: linear in the data.
 *
 * @param options `lock: false` as in {@link StoreOptions}
 * @throws StoreError where there are no files of a store, they can't be written, or a writer has them
 */
export function repairStore(
  directory: string,
  { lock: isLocked = true }: { readonly lock?: boolean | undefined } = {},
): Repair {
  const folder = new Folder(resolve(directory), nodeDisk);
  // First of all: a folder that holds no store gets no lock file.
  inspect(folder);
  const unlock = isLocked ? lock(folder.lockPath) : () => undefined;
  try {
    const { files, problems } = inspect(folder);
    if (problems.length === 0) {
      return { problems, changes: files.journal.entries.length - 1, refused: 0, kept: [] };
    }
    const { state } = serviceWithState({});
    const { number, changes, refused } = salvage(folder, files, state);
    const next = Math.max(...folder.generations()) + 1;
    writeGeneration(folder, next, number, state.capture()).journal.close();
    folder.sync();
    const kept = [files.data, files.journal]
      .filter((file) => file.unfinishedBytes > 0 || isIn(problems, file.path))
      .map(keep);
    folder.removeAllBut(next);
    return { problems, changes, refused, kept: kept.filter((path) => path !== undefined) };
  } finally {
    unlock();
  }

  function keep({ path }: Surveyed): string | undefined {
    const kept = `${path}${KEPT}`;
    if (!folder.has(path)) return undefined;
    attempt(path, "kept", () => folder.disk.rename(path, kept));
    return kept;
  }
}

function isIn(problems: readonly StoreProblem[], path: string): boolean {
  return problems.some(({ file }) => file === path);
}

/** Reads what is whole into an empty state, and returns the number of the last change in it. */
function salvage(
  folder: Folder,
  { data, journal }: GenerationFiles,
  state: Store,
): { readonly number: number; readonly changes: number; readonly refused: number } {
  let refused = 0;
  let end: DataEnd | undefined;
  for (const [values] of valuesOf(folder, data)) {
    end = readEnd(values[0]);
    if (end === undefined) refused += applyEach(state, values);
  }
  if (end !== undefined) keepKeys(state, end);
  const before = end?.number ?? journal.entries[0]?.number ?? 0;
  let number = before;
  for (const [values, entry] of valuesOf(folder, journal)) {
    // The first entry is no change.
    if (entry.number === before) continue;
    if (entry.number !== number + 1) break;
    // What does not fit the whole data is damaged itself, and what follows may build on it.
    if (data.problems.length > 0) refused += applyEach(state, values);
    else if (!applies(state, values)) break;
    number++;
  }
  return { number, changes: number - before, refused };
}

/** The lines of entries. */
function* valuesOf(
  folder: Folder,
  { path, entries }: Surveyed,
): Generator<[values: unknown[], entry: Entry], void> {
  if (entries.length === 0) return;
  const log = new Log(folder.disk, path, "r");
  try {
    for (const entry of entries) yield [[...log.values(entry)], entry];
  } finally {
    log.close();
  }
}

/** Applies the patches that fit, and returns how many do not. */
function applyEach(state: Store, patches: readonly unknown[]): number {
  if (applies(state, patches)) return 0;
  return patches.filter((patch) => !applies(state, [patch])).length;
}

function applies(state: Store, patches: readonly unknown[]): boolean {
  try {
    state.applyPatches(patches);
    return true;
  } catch (thrown) {
    if (thrown instanceof InputError) return false;
    throw thrown;
  }
}
