// Reads a generation: its data, the files that the data name, and the changes in its journal.

import { InputError } from "../index.ts";
import type { DatabaseState } from "../database/database-state.ts";
import type { BeforeCommit } from "../database/transaction.ts";
import { declare, type GivenSchemas } from "./collections.ts";
import { keepKeys, readData, type DataEnd } from "./data.ts";
import type { DataFiles } from "./data-files.ts";
import type { Adding, DataFile } from "./named-files.ts";
import { rethrowAs } from "../schema/errors.ts";
import { closing, closingOnError, StoreError } from "./errors.ts";
import type { Descriptor } from "./disk.ts";
import { requireHead, type Identity } from "./identity.ts";
import { entriesAfter } from "./journal.ts";
import { Log, type Entry } from "./log.ts";

/** A generation, and how far its journal was read. */
export interface Position {
  readonly identity: Identity;
  readonly journal: Log;
  readonly last: Entry;
}

/** The files read earlier. */
export interface Before {
  readonly state: DatabaseState;
  readonly descriptors: ReadonlySet<Descriptor>;
}

/** A generation that was read from its beginning. */
export interface Generation extends Position {
  /** The size of the data, including the files that they name. */
  readonly dataBytes: number;
  readonly files: readonly DataFile[];
  /** The descriptors of the files that the state reads from. */
  readonly descriptors: ReadonlySet<Descriptor>;
  /** The first entry of the journal, which has the number of the last change in the data. */
  readonly first: Entry;
}

/**
 * Reads the generation in use into the state of an empty service.
 *
 * @param mode of the journal's {@link Log}
 * @param given the schemas of collections, if they equal those in the data
 * @param before the files read earlier; unchanged files stay open
 * @throws StoreError
 */
export function readGeneration(
  files: DataFiles,
  state: DatabaseState,
  mode: "r" | "r+",
  given?: GivenSchemas,
  before?: Before,
): Generation {
  const { folder } = files;
  const identity = folder.current();
  const journal = new Log(folder.disk, folder.journalPath(identity.generation), mode);
  return closingOnError(journal, () => {
    const { entry: first } = requireHead(journal, identity);
    const data = loadData(files, identity, state, given, first.number, before?.state);
    const opened = [...data.descriptors].filter((each) => !before?.descriptors.has(each));
    return closingOnError({ close: () => opened.forEach((each) => each.close()) }, () => {
      let last = first;
      try {
        for (const [entry, changes] of entriesAfter(journal, first)) {
          for (const each of changes) applyChange(state, journal, entry, each);
          last = entry;
        }
      } catch (thrown) {
        throw files.damageOf(thrown, data.files);
      }
      return { identity, ...data, journal, first, last };
    });
  });
}

/** Closes a generation. Reading from its files throws from then on. */
export function letGo({ journal, descriptors }: Pick<Generation, "journal" | "descriptors">): void {
  journal.close();
  for (const each of descriptors) each.close(CLOSED);
}

/** The reason in errors of closed files. */
export const CLOSED = ", as its store is";

function loadData(
  files: DataFiles,
  identity: Identity,
  state: DatabaseState,
  given: GivenSchemas | undefined,
  expected: number,
  before: DatabaseState | undefined,
): Pick<Generation, "dataBytes" | "files" | "descriptors"> {
  const { folder } = files;
  return closing(new Log(folder.disk, folder.dataPath(identity.generation), "r"), (log) => {
    const ends: DataEnd[] = [];
    const named: DataFile[] = [];
    const added: Adding[] = [];
    const patches = function* () {
      for (const { schemas, file, end, patch, adding } of readData(log, identity)) {
        declare(state, schemas, given);
        files.noteVersions(schemas);
        if (file !== undefined) named.push(file);
        if (adding !== undefined) added.push(adding);
        if (end !== undefined) ends.push(end);
        if (patch !== undefined) yield patch;
      }
    };
    fitting(log.path, undefined, () => state.applyPatches(patches(), "key"));
    const [end] = ends;
    if (end?.number !== expected) {
      const reason = `ends with change ${end?.number}, but the journal continues from ${expected}`;
      throw new StoreError(log.path, reason);
    }
    files.isService = end.isService;
    const dataBytes = log.size;
    const { bytes, descriptors } = files.openInto(state, named, added, before);
    keepKeys(state, end);
    return { dataBytes: dataBytes + bytes, files: named, descriptors };
  });
}

/**
 * Applies a change of an entry.
 *
 * @param beforeCommit as for {@link DatabaseState.applyPatches}
 * @throws StoreError if the change does not fit the state
 */
export function applyChange(
  state: DatabaseState,
  { path }: Log,
  { offset }: Entry,
  patches: Iterable<unknown>,
  beforeCommit?: BeforeCommit,
): void {
  fitting(path, offset, () => state.applyPatches(patches, "key", beforeCommit));
}

function fitting(file: string, offset: number | undefined, apply: () => unknown): void {
  const refuse = (message: string, options: ErrorOptions) =>
    new StoreError(file, `does not fit the data: ${message}`, { offset, ...options });
  rethrowAs(apply, refuse, InputError);
}
