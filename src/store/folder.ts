// The files of a store, which belong together, and how they are replaced.
//
//   store.json      the identity of the generation in use; it is only ever replaced by a rename
//   store.json.new  what becomes store.json when the folder is a store: until then its files are unfinished
//   data-3.log      all collections as generation 3 began, or the names of their files
//   files-3.arrow   the Files, if they are many
//   batch-5-2.arrow the Contacts of Batch 5, if they are many and have not changed since 2 began
//   tickets-3.arrow the collection `tickets`, if its records are many
//   tickets-5.arrow what was changed of it later; `tickets-5.2.arrow` if generation 5 wrote another one
//   journal-3.log   the changes since
//   lock            held by the writer
//
// A checkpoint writes the next generation, makes it durable, renames `store.json`, and removes what only
// the previous one had. Wherever it stops, `store.json` names a complete generation. A process that has a
// removed file open can still read it.

import { readSource, sourceOf } from "../database/member.ts";
import { crc32c } from "./checksum.ts";
import { Descriptor, writePieces, type Disk, type Lock } from "./disk.ts";
import { bytesOf, textOf } from "./text.ts";
import { orUndefined } from "../schema/errors.ts";
import { codeOf, attempt, closing, faultIn, StoreError } from "./errors.ts";
import { identityIn, isSame, type Identity } from "./identity.ts";

const NAME = "store.json";
const NEXT_NAME = "store.json.next";
const NEW_NAME = "store.json.new";
const LOCK_NAME = "lock";
/** The beginning of a lock file. */
export const LOCK_SIGNATURE = /^process \d+ on /;
const VERSION = 3;

export class Folder {
  readonly path: string;
  readonly disk: Disk;
  readonly lockPath: string;
  readonly namePath: string;
  readonly nextNamePath: string;
  readonly newNamePath: string;
  #held: Held | undefined;
  /** Why the folder is no longer the one that was held. */
  #lost: StoreError | undefined;

  constructor(path: string, disk: Disk) {
    this.path = path;
    this.disk = disk;
    this.lockPath = this.pathOf(LOCK_NAME);
    this.namePath = this.pathOf(NAME);
    this.nextNamePath = this.pathOf(NEXT_NAME);
    this.newNamePath = this.pathOf(NEW_NAME);
  }

  /** The path of a file in it. */
  pathOf(name: string): string {
    return this.disk.paths.join(this.path, name);
  }

  dataPath(generation: number): string {
    return this.pathOf(`data-${generation}.log`);
  }

  journalPath(generation: number): string {
    return this.pathOf(`journal-${generation}.log`);
  }

  /**
   * The generation in use.
   *
   * @throws StoreError if there is no store, or the name file is damaged
   */
  current(): Identity {
    const text = this.#name();
    const current = namedIn(text);
    if (current !== undefined) return current;
    throw (
      otherVersionIn(this.namePath, text) ??
      new StoreError(this.namePath, "is damaged, or not the file of a store")
    );
  }

  /**
   * Checks that no other version of tercet, with an unknown format, has written the store. A writer calls this before
   * anything else.
   *
   * @throws StoreError
   */
  refuseOtherVersions(): void {
    for (const path of [this.namePath, this.nextNamePath]) {
      const text = this.#textOf(path) ?? "";
      // If this version's name file is intact, its generation is complete, whatever was announced next.
      if (namedIn(text) !== undefined) return;
      const other = otherVersionIn(path, text);
      if (other !== undefined) throw other;
    }
  }

  /**
   * Identifies the folder by its lock: from now on, nothing is removed from another folder at this path, and {@link
   * requireInPlace} refuses it.
   */
  hold(lock: Lock): void {
    this.#held = { lock, place: this.place() };
  }

  /** Distinguishes the folder at this path from all others that exist now; `undefined` if there is none. */
  place(): string | undefined {
    return attempt(this.path, "read", () => this.disk.identity(this.path));
  }

  /**
   * Checks that the folder that is held, and its lock, are still at this path. Once they were not, it is always refused,
   * because another program may have changed it in the meantime.
   *
   * @throws StoreError
   */
  requireInPlace(): void {
    if (this.#held === undefined) return;
    this.#lost ??= this.#lossOf(this.#held);
    if (this.#lost !== undefined) throw this.#lost;
  }

  #lossOf({ lock, place }: Held): StoreError | undefined {
    const now = this.place();
    if (now !== place) return lossOf(this.path, now === undefined);
    if (lock.isThere()) return undefined;
    return lossOf(this.lockPath, this.#identityOf(this.lockPath) === undefined);
  }

  #identityOf(path: string): string | undefined {
    return attempt(path, "read", () => this.disk.identity(path));
  }

  /** Whether an open file is still at its path. @throws StoreError if that is unknown */
  hasInPlace({ path, identity }: Descriptor): boolean {
    return this.#identityOf(path) === identity;
  }

  /** Checks that an open file of the folder is still at its path. @throws StoreError, from then on always */
  requireThere({ path, identity }: Descriptor): void {
    this.requireInPlace();
    const now = this.#identityOf(path);
    if (now === identity) return;
    this.#lost = lossOf(path, now === undefined);
    throw this.#lost;
  }

  /** Checks that the store in the folder is still in this generation. @throws StoreError, from then on always */
  requireCurrent(expected: Identity): void {
    this.requireInPlace();
    if (isSame(this.current(), expected)) return;
    this.#lost = anotherStore(this);
    throw this.#lost;
  }

  #name(): string {
    try {
      return this.#beginningOf(this.namePath);
    } catch (thrown) {
      if (!(thrown instanceof StoreError) || codeOf(thrown.cause) !== "ENOTDIR") throw thrown;
      const reason = "is not the folder of a store; use openFile() for a collection in a file";
      throw new StoreError(this.path, reason, { cause: thrown.cause, code: thrown.code });
    }
  }

  /** Whether there is a store, damaged or not. */
  isStore(): boolean {
    return this.#textOf(this.namePath)?.startsWith(NAME_START) === true;
  }

  /** What occupies the path of the next name file, if it is not a file: no generation could be named then. */
  obstacle(): StoreError | undefined {
    if (!this.has(this.nextNamePath)) return undefined;
    return faultIn(() => this.#beginningOf(this.nextNamePath));
  }

  /** The text of a small file; `undefined` if it can't be read. */
  #textOf(path: string): string | undefined {
    return orUndefined(() => this.#beginningOf(path));
  }

  #beginningOf(path: string): string {
    return closing(new Descriptor(this.disk, path, "r", undefined, "read"), (file) =>
      textOf(file.readAt(0, LONGEST_NAME)),
    );
  }

  /**
   * Announces the next generation: until it is named, its files are not in use. When it returns, the announcement and
   * the names of all files are durable.
   */
  announce(next: Identity): void {
    this.#write(this.nextNamePath, next, this.permissions());
  }

  /** Puts the announced generation into use. This is durable once the folder is synced. */
  name(): void {
    this.#rename(this.nextNamePath);
  }

  /**
   * Marks the folder as a store that is being created. When it returns, this is durable.
   *
   * @param first its first generation
   * @param permissions of the name file; default: those of the process
   */
  begin(first: Identity, permissions: number | undefined): void {
    this.#write(this.newNamePath, first, permissions);
  }

  /** Turns the folder into a store. When it returns, this is durable, and so are the names of its files. */
  finish(): void {
    this.sync();
    this.#rename(this.newNamePath);
    this.sync();
  }

  /** Marks a store as unfinished again, as far as possible. */
  unfinish(): void {
    orUndefined(() => {
      this.requireInPlace();
      this.disk.rename(this.namePath, this.newNamePath);
    });
  }

  /** Whether the folder is marked as an unfinished store. A power cut may have left zeros in the mark. */
  isUnfinished(): boolean {
    const text = this.#textOf(this.newNamePath);
    if (text === undefined || this.isNamed()) return false;
    const bytes = bytesOf(text);
    const expected = bytesOf(`${NAME_START}"version":${VERSION},`);
    return bytes.every((byte, i) => byte === 0 || i >= expected.length || byte === expected[i]);
  }

  #write(path: string, identity: Identity, permissions: number | undefined): void {
    this.requireInPlace();
    writePieces(this.disk, path, [bytesOf(nameOf(identity))], permissions);
    this.sync();
  }

  #rename(path: string): void {
    this.requireInPlace();
    attempt(this.namePath, "replaced", () => this.disk.rename(path, this.namePath));
  }

  /** The generation that was announced but not named. */
  announced(): number | undefined {
    const text = this.#textOf(this.nextNamePath);
    return text === undefined ? undefined : namedIn(text)?.generation;
  }

  /** When it returns, the names of the files are durable. */
  sync(): void {
    attempt(this.path, "synced", () => this.disk.syncDirectory(this.path));
  }

  /**
   * Removes the files of all other generations. Files that can't be removed now do no harm, and are removed later.
   *
   * @param inUse the files of collections that are in use
   */
  removeAllBut(generation: number, inUse: readonly { readonly file: string }[]): void {
    this.remove([...this.allBut(generation, inUse), this.nextNamePath]);
  }

  /** The paths of the files of all other generations. */
  allBut(generation: number, inUse: readonly { readonly file: string }[]): string[] {
    const used = new Set(inUse.map(({ file }) => file));
    return this.#paths(({ name, source, generation: own }) =>
      source === undefined ? own !== generation : !used.has(name),
    );
  }

  /** The paths of the files written for a generation; without one, for any. */
  filesOf(generation?: number): string[] {
    return this.#paths((file) => file.generation === (generation ?? file.generation));
  }

  #paths(isMeant: (file: StoreFile) => boolean): string[] {
    const files = orUndefined(() => this.files()) ?? [];
    return files.filter(isMeant).map(({ name }) => this.pathOf(name));
  }

  /** Removes files as far as possible, but none from a folder that was put at the path of the one that is held. */
  remove(paths: readonly string[]): void {
    if (faultIn(() => this.requireInPlace()) !== undefined) return;
    // It may not exist, and not every system removes open files.
    for (const path of paths) orUndefined(() => this.disk.remove(path));
  }

  /**
   * The permissions of a new file: those that all of the store's files have, so that a store made private stays
   * private. `undefined` for the first files.
   */
  permissions(): number | undefined {
    const paths = [this.namePath, ...this.#paths(() => true)];
    const all = paths.flatMap((path) => orUndefined(() => this.disk.permissions(path)) ?? []);
    // The owner must be able to open them again.
    return all.length === 0 ? undefined : OWNER | all.reduce((common, each) => common & each);
  }

  /** Whether a generation is named, in a damaged file or not. */
  isNamed(): boolean {
    return this.has(this.namePath);
  }

  has(path: string): boolean {
    return this.list().includes(this.disk.paths.basename(path));
  }

  list(): string[] {
    return attempt(this.path, "read", () => this.disk.list(this.path));
  }

  /** The files of all generations, in use or not. */
  files(): StoreFile[] {
    return this.list().flatMap((name) => readFileName(name) ?? []);
  }

  /** The generations that have data or a journal, the oldest first. */
  generations(): number[] {
    const logs = this.files().filter(({ source }) => source === undefined);
    return [...new Set(logs.map(({ generation }) => generation))].sort((a, b) => a - b);
  }

  /** The highest generation that has a file; 0 if none has. */
  latest(): number {
    return Math.max(0, ...this.files().map(({ generation }) => generation));
  }

  /** Whether a writer has signed the lock file. */
  hasLock(): boolean {
    return LOCK_SIGNATURE.test(this.#textOf(this.lockPath) ?? "");
  }

  /** Whether the lock file may be a lock. It is empty until it is signed. */
  #mayBeLock(): boolean {
    // On Windows it can't be read while it is held.
    const text = this.#textOf(this.lockPath);
    return text === undefined || text === "" || LOCK_SIGNATURE.test(text);
  }

  /** The entries of the folder that do not belong to a store. */
  foreign(): string[] {
    return this.list().filter(
      (name) =>
        name !== NAME &&
        !(name === NEXT_NAME && (this.isNamed() || this.announced() !== undefined)) &&
        !(name === NEW_NAME && this.isUnfinished()) &&
        !(name === LOCK_NAME && this.#mayBeLock()) &&
        readFileName(name) === undefined &&
        !name.endsWith(KEPT),
    );
  }
}

/** The suffix of files that are no longer in use but must be kept. */
export const KEPT = ".kept";

/** The owner's permissions to read and write. */
const OWNER = 0o600;

/** Name files of newer versions may be longer than this version's. */
const LONGEST_NAME = 4096;

const NAME_START = '{"format":"tercet store",';

function nameOf({ generation, store, nonce }: Identity): string {
  const identity = `"generation":${generation},"store":"${store}","nonce":"${nonce}"`;
  return sealed(`${NAME_START}"version":${VERSION},${identity}`);
}

/** The beginning of a name file, and its checksum. */
function sealed(named: string): string {
  return `${named},"checksum":"${crc32c(bytesOf(named)).toString(16).padStart(8, "0")}"}\n`;
}

/**
 * An error if another version of tercet has written a name file. In every version, it begins with the version's number
 * and ends with a checksum of the rest; without the checksum, a damaged name file could pass for that of another
 * version, and would never be repaired.
 */
function otherVersionIn(path: string, text: string): StoreError | undefined {
  const [, named = "", digits] =
    /^(\{"format":"tercet store","version":(\d{1,9}),.*),"checksum":"[\da-f]{8}"\}\n$/s.exec(
      text,
    ) ?? [];
  const version = Number(digits);
  if (!(version >= 1) || version === VERSION || text !== sealed(named)) return undefined;
  const [age, remedy] =
    version > VERSION
      ? ["a newer tercet", "Install a newer tercet"]
      : ["a tercet before its first release", "Export the data with that one"];
  const reason = `was written by ${age}, in version ${version} of the format; this one reads version ${VERSION}. ${remedy}; nothing was changed`;
  return new StoreError(path, reason, { code: "unsupported" });
}

/** The generation that a name file names; `undefined` if {@link nameOf} has not written it. */
function namedIn(text: string): Identity | undefined {
  const identity = identityIn(orUndefined(() => JSON.parse(text) as unknown));
  // If writing it again gives a different text, a bit has flipped.
  return identity !== undefined && text === nameOf(identity) ? identity : undefined;
}

/** @param isGone whether nothing is at the path of a file or folder that was held, rather than another one */
function lossOf(path: string, isGone: boolean): StoreError {
  const what = isGone ? "was removed or moved away" : "was replaced";
  const reason = `${what} while the store was open, which accepts no more changes; close it, and open what is there now`;
  return new StoreError(path, reason, { code: isGone ? "not_found" : "conflict" });
}

/** The error if another store has been put into the folder of the one that is open. */
export function anotherStore({ namePath }: Folder): StoreError {
  return lossOf(namePath, false);
}

/** The folder that is held, as {@link Folder.place} has identified it. */
interface Held {
  readonly lock: Lock;
  readonly place: string | undefined;
}

/**
 * The name of the file of a collection: of Batch 5 it is `batch-5-3.arrow` in the third generation. The names of other
 * collections may hold anything, also what some systems refuse in file names, or do not tell apart.
 *
 * @param source as {@link sourceOf} makes it
 * @param part counts the files that a generation has of the collection
 */
export function fileNameOf(source: string, generation: number, part = 1): string {
  const { name, key } = readSource(source);
  // An escaped name has no `-`.
  const stem = key === undefined ? escaped(name) : `batch-${key}`;
  return `${stem}-${generation}${part === 1 ? "" : `.${part}`}.arrow`;
}

/** A file of a generation, whatever its content. */
export interface StoreFile {
  readonly name: string;
  /** The collection in it; `undefined` for data and journals. */
  readonly source: string | undefined;
  /** The generation it was written for. */
  readonly generation: number;
  /** Numbers the files of its collection within the generation. */
  readonly part: number;
}

/** The parts of a file name; `undefined` if it is not one of a generation. */
export function readFileName(name: string): StoreFile | undefined {
  const [, stem = "", digits, count, ending] =
    /^(.+)-(0|[1-9]\d{0,14})(?:\.([1-9]\d{0,8}))?\.(log|arrow)$/.exec(name) ?? [];
  const generation = Number(digits);
  const part = Number(count ?? 1);
  if (ending === "log" && count === undefined && (stem === "data" || stem === "journal")) {
    return { name, source: undefined, generation, part };
  }
  if (ending !== "arrow") return undefined;
  const [, batch] = /^batch-(-?\d{1,16})$/.exec(stem) ?? [];
  const source =
    batch === undefined
      ? orUndefined(() => sourceOf(decodeURIComponent(stem)))
      : sourceOf("batches", batch);
  // Each file has one name only.
  if (source === undefined || fileNameOf(source, generation, part) !== name) return undefined;
  return { name, source, generation, part };
}

/** Everything except small letters, digits and `_` as bytes. */
function escaped(name: string): string {
  return Array.from(bytesOf(name), (byte) => {
    const character = String.fromCharCode(byte);
    const hex = byte.toString(16).toUpperCase().padStart(2, "0");
    return /[a-z0-9_]/.test(character) ? character : `%${hex}`;
  }).join("");
}
