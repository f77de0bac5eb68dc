// Makes of what can be read of a damaged store one that can be opened, and keeps what is damaged.

import { resolve } from "node:path";
import { serviceWithState } from "../service/service.ts";
import { inspect, type StoreProblem } from "./check.ts";
import { DataFiles } from "./data-files.ts";
import { nodeDisk } from "./disk.ts";
import { attempt } from "./errors.ts";
import { Folder, KEPT } from "./folder.ts";
import { lock } from "./lock.ts";
import { salvage } from "./salvage.ts";
import { namesOf, writeGeneration } from "./writer.ts";

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
  const all = new DataFiles(folder);
  // First of all: a folder that holds no store gets no lock file.
  inspect(all);
  const unlock = isLocked ? lock(folder.lockPath) : () => undefined;
  try {
    const { files, problems } = inspect(all);
    if (problems.length === 0) {
      return { problems, changes: files.journal.entries.length - 1, refused: 0, kept: [] };
    }
    const { state } = serviceWithState({});
    const { number, changes, refused, files: read } = salvage(all, files, state);
    const next = Math.max(...folder.generations()) + 1;
    const { journal, files: named } = writeGeneration(all, next, number, state.capture(), read);
    journal.close();
    folder.sync();
    const inUse = namesOf(named);
    const damaged = [files.data, files.journal]
      .filter((file) => file.unfinishedBytes > 0 || isIn(problems, file.path))
      .map(({ path }) => path);
    // Where the data are damaged, nobody knows what the others were.
    const areKept = files.data.problems.length > 0;
    const others = folder.collectionFiles().filter((name) => !inUse.includes(name));
    const paths = others.map((file) => all.pathOf(file));
    damaged.push(...paths.filter((path) => areKept || isIn(problems, path)));
    const kept = damaged.flatMap(keep);
    folder.removeAllBut(next, inUse);
    return { problems, changes, refused, kept };
  } finally {
    unlock();
  }

  function keep(path: string): string[] {
    const kept = `${path}${KEPT}`;
    if (!folder.has(path)) return [];
    attempt(path, "kept", () => folder.disk.rename(path, kept));
    return [kept];
  }
}

function isIn(problems: readonly StoreProblem[], path: string): boolean {
  return problems.some(({ file }) => file === path);
}
