// Salvages a damaged store, and keeps the damaged files.

import { readOptions } from "../schema/options.ts";
import { serviceWithData } from "../service/service.ts";
import { inspect, type GenerationFiles, type StoreProblem, type Surveyed } from "./check.ts";
import { DataFiles } from "./data-files.ts";
import { nodeDisk, type Descriptor, type Disk } from "./disk.ts";
import { attempt, closing } from "./errors.ts";
import { Folder, KEPT } from "./folder.ts";
import { lock } from "./lock.ts";
import { readPath, storeOptions } from "./options.ts";
import { salvage } from "./salvage.ts";
import { writeGeneration } from "./writer.ts";

/** The result of repairing a store. */
export interface Repair {
  /** What was wrong. If nothing was, nothing was done. */
  readonly problems: readonly StoreProblem[];
  /** How many changes of the journal are in the store now. */
  readonly changes: number;
  /** How many records and other parts of changes were readable, but belong to what is lost. */
  readonly refused: number;
  /** The damaged files, kept under these names. */
  readonly kept: readonly string[];
}

/**
 * Salvages a store that can't be opened: it keeps the undamaged data, and the changes up to the first
 * damaged one. The damaged files are kept. After an interruption, they are in place or set aside, and
 * the next repair starts over. Cost: linear in the data.
 *
 * @param options `lock: false` as in {@link StoreOptions}
 * @throws StoreError if the folder has no files of a store, they can't be written, or a writer has
 *   them open; InputError if an argument is not valid
 */
export function repairStore(
  directory: string,
  options: { readonly lock?: boolean | undefined } = {},
): Repair {
  return repairStoreOn(nodeDisk, directory, options);
}

/** {@link repairStore} on any disk. */
export function repairStoreOn(
  disk: Disk,
  directory: string,
  options: { readonly lock?: boolean | undefined },
): Repair {
  const settings = readOptions(options, "options", { lock: storeOptions.lock });
  const folder = new Folder(readPath(directory, "directory"), disk);
  const all = new DataFiles(folder);
  // First, so that a folder without a store gets no lock file.
  inspect(all);
  return closing({ close: lock(folder, settings.lock) }, () => {
    const { files, problems } = inspect(all);
    if (problems.length === 0) {
      return { problems, changes: files.journal.entries.length - 1, refused: 0, kept: [] };
    }
    const { data: state } = serviceWithData({});
    const isDamaged = damagedFiles(folder, files, problems);
    const obstacles = setAside([folder.nextNamePath], isDamaged);
    folder.remove([folder.nextNamePath]);
    const next = folder.latest() + 1;
    const opened: Descriptor[] = [];
    let isNaming = false;
    try {
      folder.announce(next);
      const { number, changes, refused, files: read } = salvage(all, files, state, opened);
      const { journal, files: named } = writeGeneration(all, next, number, state, read);
      journal.close();
      const kept = [
        ...obstacles,
        ...setAside([...folder.allBut(next, named), folder.namePath], isDamaged),
      ];
      // Their other names are durable before they lose their own.
      folder.sync();
      isNaming = true;
      folder.name();
      folder.sync();
      folder.removeAllBut(next, named);
      return { problems, changes, refused, kept };
    } catch (thrown) {
      // Later, nobody knows whether it is named.
      if (!isNaming) folder.remove([...folder.filesOf(next), folder.nextNamePath]);
      throw thrown;
    } finally {
      for (const each of opened) each.close();
    }
  });

  /** Gives those of the files that are damaged a name that nothing removes. */
  function setAside(paths: readonly string[], isDamaged: (path: string) => boolean): string[] {
    return paths.filter((path) => isDamaged(path) && folder.has(path)).map(keep);
  }

  function keep(path: string): string {
    for (let n = 1; ; n++) {
      const kept = `${path}${n === 1 ? "" : `.${n}`}${KEPT}`;
      if (!folder.has(kept)) attempt(path, "kept", () => linkOrRename(disk, path, kept));
      // An interrupted repair has set it aside already.
      else if (!disk.isSame(path, kept)) continue;
      return kept;
    }
  }
}

/** Whether a file may hold something that is not in the repaired store. */
function damagedFiles(
  folder: Folder,
  { data, journal }: GenerationFiles,
  problems: readonly StoreProblem[],
): (path: string) => boolean {
  const isProblem = (path: string) => problems.some(({ file }) => file === path);
  // If the name is damaged, nobody knows which generation was in use; if the data are, nobody knows
  // which files they had.
  const isKnown = !isProblem(folder.namePath) && !isProblem(data.path);
  const isRead = ({ path, unfinishedBytes }: Surveyed) => !isProblem(path) && unfinishedBytes === 0;
  const read = [data, journal].filter(isRead).map(({ path }) => path);
  const names = [folder.namePath, folder.nextNamePath];
  return (path) =>
    isProblem(path) ||
    (journal.path === path && journal.unfinishedBytes > 0) ||
    (!isKnown && !read.includes(path) && !names.includes(path));
}

/**
 * A second name keeps the file in its place too: if this repair is interrupted, the next one finds
 * everything that this one found. What can't have a second name, such as a directory, is renamed.
 */
function linkOrRename(disk: Disk, path: string, kept: string): void {
  try {
    disk.link(path, kept);
  } catch {
    disk.rename(path, kept);
  }
}
