// A backup: a copy of a store in a new folder, made while a writer changes the store. Files of collections and data are
// written once, and the journal is only appended to, so the copy contains these files unchanged, and the journal up to
// its last entry. All files are opened first, so a checkpoint removes only their names. Hard links would be faster, but
// a damaged block would be in both stores.

import { beginStore } from "./creation.ts";
import { readData } from "./data.ts";
import { DataFiles } from "./data-files.ts";
import { Descriptor, type Disk } from "./disk.ts";
import { StoreError, type Closable } from "./errors.ts";
import type { OpenFile } from "./files.ts";
import { anotherStore, Folder } from "./folder.ts";
import { headLine, identityFor, isSame, readHead, requireHead, type Identity } from "./identity.ts";
import { entriesAfter } from "./journal.ts";
import { Log, type Entry } from "./log.ts";
import { readPath } from "./options.ts";

/** The result of a backup. */
export interface Backup {
  /** The number of the last change in it. Changes are numbered from 1, starting when the store was created. */
  readonly change: number;
}

/** The methods that writers and readers share. */
export interface Copyable {
  /**
   * Copies the store into a new folder, in pieces, while changes continue. The copy is an independent store with every
   * change that was on disk at the time of the call, and perhaps later ones. It is complete or absent: a failure
   * removes it, and the remains of a killed process are removed by the next call that creates a store there. Cost: that
   * of reading and writing the files once.
   *
   * @param folder a folder that is empty or does not exist
   * @returns the number of the last change in it
   * @throws as a rejection: StoreError if the folder is in use or can't be written, or a file of the store is missing
   *   or damaged; InputError if `folder` is not a path
   */
  backup(folder: string): Promise<Backup>;
}

/** The size of a piece. Other work runs between pieces. */
const PIECE = 1 << 20;

/** The copy is synced after this many pieces, so that little remains to be written at the end. */
const UNSYNCED_PIECES = 16;

/** The open files of a generation. */
interface Source {
  readonly identity: Identity;
  readonly journal: Log;
  readonly data: Log;
  /** The files of collections. These references keep them from being closed by garbage collection. */
  readonly files: readonly OpenFile[];
}

/**
 * Copies a store.
 *
 * @param store the identity that it must have: another one may be in the folder now
 * @param given the folder of the copy
 * @param isLocked whether to lock that folder while copying
 * @param settled resolves once everything in the journal is durable, or was removed from it
 * @throws as a rejection: StoreError or InputError; nothing is left behind
 */
export async function backUp(
  folder: Folder,
  store: string,
  given: unknown,
  isLocked: boolean,
  settled?: () => Promise<void>,
): Promise<Backup> {
  const to = new Folder(readPath(folder.disk, given, "folder"), folder.disk);
  const source = openSource(folder, store);
  try {
    const permissions = folder.permissions();
    const identity = identityFor(source.identity.generation);
    const unfinished = beginStore(to, isLocked, identity, permissions);
    try {
      const copyOf = (name: string) => ({ path: to.pathOf(name), permissions });
      for (const { descriptor } of source.files) {
        await copy(descriptor, descriptor.size, copyOf(descriptor.name));
      }
      const { data, journal } = source;
      await copyLog(data, data.size, copyOf(data.name), identity);
      const copied = copyOf(journal.name);
      const last = await copyJournal(journal, copied, source.identity, identity, settled);
      unfinished.finish().close();
      return { change: last.number };
    } catch (thrown) {
      unfinished.close();
      throw thrown;
    }
  } finally {
    closeAll([source.journal, source.data, ...source.files]);
  }
}

/** Opens all files of the current generation before copying any. */
function openSource(folder: Folder, store: string): Source {
  for (;;) {
    const identity = folder.current();
    const { generation } = identity;
    if (identity.store !== store) throw anotherStore(folder);
    const opened: Closable[] = [];
    const open = <File extends Closable>(file: File): File => {
      opened.push(file);
      return file;
    };
    try {
      const journal = open(new Log(folder.disk, folder.journalPath(generation), "r"));
      const data = open(new Log(folder.disk, folder.dataPath(generation), "r"));
      const named = Array.from(readData(data, identity), ({ file }) => file ?? []).flat();
      const all = new DataFiles(folder);
      const files = named.map((each) => open(all.openNamed(each)));
      return { identity, journal, data, files };
    } catch (thrown) {
      closeAll(opened);
      // A checkpoint may have removed the files in the meantime.
      if (isSame(folder.current(), identity)) throw thrown;
    }
  }
}

function closeAll(files: readonly Closable[]): void {
  for (const each of files) each.close();
}

/** Lets other work run. */
function turn(disk: Disk): Promise<void> {
  return new Promise((resolve) => disk.soon(resolve));
}

/** Copies a journal up to its last entry. */
async function copyJournal(
  journal: Log,
  to: Copy,
  from: Identity,
  identity: Identity,
  settled?: () => Promise<void>,
): Promise<Entry> {
  for (;;) {
    let { entry: last } = requireHead(journal, from);
    let done = 0;
    for (const [entry] of entriesAfter(journal, last)) {
      last = entry;
      if (entry.end - done < PIECE) continue;
      done = entry.end;
      await turn(journal.disk);
    }
    await settled?.();
    await copyLog(journal, last.end, to, identity);
    // A writer removes the last entry if it could not complete it.
    if (journal.headAt(last.offset)?.checksum === last.checksum) return last;
  }
}

/** A file to be made. */
interface Copy {
  readonly path: string;
  readonly permissions: number | undefined;
}

/** Copies the beginning of a log, as that of another generation. */
async function copyLog(from: Log, end: number, to: Copy, identity: Identity): Promise<void> {
  const head = readHead(from);
  if (head === undefined) throw new StoreError(from.path, "is damaged", { offset: 0 });
  const { entry, line, rest } = head;
  await copy(from, end, to, (log) => {
    const { end: start } = log.write(0, entry.number, [
      headLine(identity, { ...line, head: identity }),
      ...rest.map((each) => JSON.stringify(each)),
    ]);
    // All identities are of the same length.
    if (start !== entry.end) throw new StoreError(from.path, "is damaged", { offset: 0 });
    return start;
  });
}

/**
 * Copies the beginning of a file. When it resolves, the copy is durable.
 *
 * @param begin writes what the copy begins with, and returns its length
 */
async function copy(
  from: Descriptor,
  end: number,
  { path, permissions }: Copy,
  begin: (to: Log) => number = () => 0,
): Promise<void> {
  const to = new Log(from.disk, path, "w+", permissions, "written");
  try {
    for (let at = begin(to), pieces = 1; at < end; at += PIECE, pieces++) {
      const length = Math.min(PIECE, end - at);
      const bytes = from.readAt(at, length);
      if (bytes.length < length) {
        throw new StoreError(from.path, "was truncated while it was copied");
      }
      to.writeAt(at, bytes);
      await (pieces % UNSYNCED_PIECES === 0 ? to.syncLater() : turn(from.disk));
    }
    await to.syncLater();
  } finally {
    to.close();
  }
}
