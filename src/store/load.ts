// Reads a generation: its data, the files that the data name, and the changes in its journal.

import { InputError } from "../index.ts";
import type { DatabaseChange } from "../database/changes.ts";
import type { DatabaseState } from "../database/database-state.ts";
import type { BeforeCommit } from "../database/transaction.ts";
import { declare, type GivenSchemas } from "./collections.ts";
import { keepKeys, readData, type DataEnd } from "./data.ts";
import type { DataFiles } from "./data-files.ts";
import type { Adding, DataFile } from "./named-files.ts";
import { rethrowAs } from "../schema/errors.ts";
import { isMembers } from "../schema/input.ts";
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
      let last: Entry;
      try {
        last = replay(state, journal, first);
      } catch (thrown) {
        throw files.damageOf(thrown, data.files);
      }
      return { identity, ...data, journal, first, last };
    });
  });
}

/** How many bytes of the journal are applied at once, at most: their changes are in memory. */
const MOST_AT_ONCE = 2 ** 22;

/**
 * Applies all changes of a journal. Those of records are applied together, since a record that several of them change
 * then becomes one row, and one segment takes all.
 *
 * @returns the last entry
 * @throws StoreError with the place of the first entry that does not fit the state
 */
function replay(state: DatabaseState, journal: Log, first: Entry): Entry {
  let last = first;
  /** The entry before `together`. */
  let before = first;
  let together: unknown[] = [];
  const flush = () => {
    const patches = together;
    together = [];
    if (patches.length === 0) return;
    try {
      state.applyPatches(patches, "journal");
    } catch (thrown) {
      if (!(thrown instanceof InputError)) throw thrown;
      // Nothing has changed. One by one, and checked, the error has the place of its entry.
      for (const [entry, changes] of entriesAfter(journal, before)) {
        for (const each of changes) applyChange(state, journal, entry, each);
        if (entry.end >= last.end) break;
      }
    }
    before = last;
  };
  try {
    for (const [entry, changes] of entriesAfter(journal, first)) {
      if (entry.end - before.end > MOST_AT_ONCE) flush();
      const isLong = entry.end - before.end > MOST_AT_ONCE;
      const lists = isLong ? changes : changes.map((each) => [...each]);
      if (!isLong && lists.every((list) => ofRecords(state, list))) {
        for (const list of lists) for (const patch of list) together.push(patch);
        last = entry;
        continue;
      }
      flush();
      for (const each of lists) {
        fitting(journal.path, entry.offset, () => state.applyPatches(each, "journal"));
      }
      before = last = entry;
    }
  } finally {
    // Before an error about a later entry, that about an earlier one is thrown.
    flush();
  }
  return last;
}

function ofRecords(state: DatabaseState, patches: Iterable<unknown>): boolean {
  for (const patch of patches) if (!isOfRecord(state, patch)) return false;
  return true;
}

function isOfRecord({ members }: DatabaseState, patch: unknown): boolean {
  const path = isMembers(patch) ? patch.path : undefined;
  const name: unknown = Array.isArray(path) ? path[0] : undefined;
  const member = typeof name === "string" ? members.get(name) : undefined;
  return member !== undefined && Array.isArray(path) && member.isOfRecord(path);
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
): DatabaseChange {
  return fitting(path, offset, () => state.applyPatches(patches, "key", beforeCommit));
}

function fitting<Result>(file: string, offset: number | undefined, apply: () => Result): Result {
  const refuse = (message: string, options: ErrorOptions) =>
    new StoreError(file, `does not fit the data: ${message}`, { offset, ...options });
  return rethrowAs(apply, refuse, InputError);
}
