// Salvages a damaged store: reads its undamaged parts, writes them to new files, and keeps the damaged files.

import { FileError, type ByteSource } from "../arrow/index.ts";
import { ownDirectory, summaryOf } from "../arrow/read/open.ts";
import { salvage as salvageRows } from "../arrow/read/salvage.ts";
import type { DatabaseState } from "../database/database-state.ts";
import { collectionMember } from "../database/database.ts";
import { readSource, type Member, type MemberCollection } from "../database/member.ts";
import { Integrity, schemasOf } from "../database/relations/integrity.ts";
import { createCollection, defineSchema, InputError, int, string } from "../index.ts";
import type { Field, Patch } from "../index.ts";
import { orUndefined } from "../schema/errors.ts";
import { isMembers } from "../schema/input.ts";
import { readOptions } from "../schema/options.ts";
import { serviceWithData } from "../service/service.ts";
import { changesIn, inspect, valuesOf } from "./check.ts";
import type { GenerationFiles, StoreProblem, Surveyed, SurveyedFile } from "./check.ts";
import { declare } from "./collections.ts";
import { keepKeys, readLine } from "./data.ts";
import { DataFiles } from "./data-files.ts";
import { filesBySource, memberOf, type Adding, type DataFile } from "./named-files.ts";
import type { Descriptor, Disk } from "./disk.ts";
import { attempt, closing, faultIn, StoreError } from "./errors.ts";
import type { OpenFile } from "./files.ts";
import { Folder, KEPT, readFileName } from "./folder.ts";
import { identityFor } from "./identity.ts";
import { changesOf } from "./journal.ts";
import { lock } from "./lock.ts";
import { readPath, storeOptions } from "./options.ts";
import { readPlace } from "./place.ts";
import type { PrivatePath } from "./private-path.ts";
import { readRowNumbers } from "./row-numbers.ts";
import { writeGeneration } from "./writer.ts";

/** What a repair may have done to a collection. */
export interface RepairedCollection {
  /** Its name; of Batch 5, `batches/5`. */
  readonly name: string;
  /** Whether records may be missing. */
  readonly mayBeLost: boolean;
  /** Whether removed records may be back. */
  readonly removedMayBeBack: boolean;
  /** Whether records may have an earlier value, or null instead of a reference to a lost record. */
  readonly mayBeOutdated: boolean;
}

/** The result of repairing a store. */
export interface Repair {
  /** The problems found. If there are none, nothing was changed. */
  readonly problems: readonly StoreProblem[];
  /** How many changes of the journal are in the store now. */
  readonly changes: number;
  /** How many records and other parts of changes were readable but depend on lost data. */
  readonly refused: number;
  /**
   * The collections that may not be as they were, by name. None if nothing was lost. A small collection has no file of
   * its own: if the beginning of the data file is damaged, its name can be lost, too.
   */
  readonly collections: readonly RepairedCollection[];
  /** The damaged files, kept under these names. */
  readonly kept: readonly string[];
}

/**
 * Salvages a store that can't be opened: it keeps the undamaged data, and the changes up to the first damaged one. The
 * damaged files are kept. After an interruption, they are in place or renamed, and the next repair starts over. Cost:
 * linear in the data.
 *
 * @param options `lock: false` as in {@link StoreOptions}
 * @throws StoreError if the folder has no files of a store, or those of a newer version, files can't be written, or a
 *   writer has the store open; InputError if an argument is not valid
 */
export function repairStore(
  directory: string | PrivatePath,
  options: { readonly lock?: boolean | undefined } = {},
): Repair {
  const { disk, path } = readPlace(directory, "directory");
  return repairStoreOn(disk, path, options);
}

/** {@link repairStore} on any disk. */
export function repairStoreOn(
  disk: Disk,
  directory: string,
  options: { readonly lock?: boolean | undefined },
): Repair {
  const settings = readOptions(options, "options", { lock: storeOptions.lock });
  const folder = new Folder(readPath(disk, directory, "directory"), disk);
  const all = new DataFiles(folder);
  // First, so that a folder without a store gets no lock file.
  inspect(all);
  return closing(lock(folder, settings.lock), (held) => {
    folder.hold(held);
    const { files, problems } = inspect(all);
    if (problems.length === 0) {
      return { problems, changes: changesIn(files.journal), refused: 0, collections: [], kept: [] };
    }
    const { data: state } = serviceWithData({});
    const isDamaged = damagedFiles(folder, files, problems);
    const obstacles = setAside([folder.nextNamePath], isDamaged);
    folder.remove([folder.nextNamePath]);
    const next = folder.latest() + 1;
    const identity = identityFor(next, files.identity?.store);
    const opened: Descriptor[] = [];
    let isNaming = false;
    try {
      folder.announce(identity);
      const salvaged = salvage(all, files, state, opened);
      const { number, changes, refused, files: read } = salvaged;
      const isGuessed = problems.some(({ file }) => file === folder.namePath);
      const collections = effectsOf(all, files, state, salvaged, isGuessed);
      const { journal, files: named } = writeGeneration(all, identity, number, state, read);
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
      return { problems, changes, refused, collections, kept };
    } catch (thrown) {
      // If this is interrupted, it is unknown whether the generation is named.
      if (!isNaming) folder.remove([...folder.filesOf(next), folder.nextNamePath]);
      throw thrown;
    } finally {
      for (const each of opened) each.close();
    }
  });

  /** Renames damaged files so that nothing removes them. */
  function setAside(paths: readonly string[], isDamaged: (path: string) => boolean): string[] {
    return paths.filter((path) => isDamaged(path) && folder.has(path)).map(keep);
  }

  function isSame(path: string, other: string): boolean {
    return attempt(path, "read", () => disk.identity(path) === disk.identity(other));
  }

  function keep(path: string): string {
    for (let n = 1; ; n++) {
      const kept = `${path}${n === 1 ? "" : `.${n}`}${KEPT}`;
      if (!folder.has(kept)) attempt(path, "kept", () => linkOrRename(disk, path, kept));
      // An interrupted repair has renamed it already.
      else if (!isSame(path, kept)) continue;
      return kept;
    }
  }
}

/** Whether a file may contain something that is not in the repaired store. */
function damagedFiles(
  folder: Folder,
  { data, journal }: GenerationFiles,
  problems: readonly StoreProblem[],
): (path: string) => boolean {
  const isProblem = (path: string) => problems.some(({ file }) => file === path);
  // If the name file is damaged, the current generation is unknown; if the data file is, its files are unknown.
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
 * A second name also keeps the file in its place: if this repair is interrupted, the next one finds everything that
 * this one found. Directories, which can't have a second name, are renamed.
 */
function linkOrRename(disk: Disk, path: string, kept: string): void {
  try {
    disk.link(path, kept);
  } catch {
    disk.rename(path, kept);
  }
}

/**
 * @param opened receives the descriptors of the files that the state then reads from
 * @returns the number of the last change that is read, how many changes of the journal are, how many readable records
 *   and other parts of changes are not, and the undamaged files of collections
 */
function salvage(
  all: DataFiles,
  files: GenerationFiles,
  state: DatabaseState,
  opened: Descriptor[],
) {
  const { data, journal, collections, added } = files;
  let refused = 0;
  const { end } = data;
  declare(state, data.schemas);
  all.noteVersions(data.schemas);
  all.isService = end?.isService;
  for (const [values] of valuesOf(all.folder, data)) {
    const read = values.map((value) => readLine(value).patch);
    const patches = read.filter((patch) => patch !== undefined);
    refused += applyEach(state, patches);
  }
  // Files that the data or the journal do not name are of collections that were removed since.
  const unnamed =
    data.problems.length > 0 && !files.areNamed ? unnamedFiles(all, files, state) : [];
  const declared = collections.filter(({ file }) =>
    declareFrom(all, state, file, readFileName(file)?.source ?? ""),
  );
  const read: DataFile[] = [];
  const open = (some: readonly DataFile[], records: readonly Adding[]) => {
    opened.push(...all.openInto(state, some, records).descriptors);
    read.push(...some);
  };
  for (const [source, own] of filesBySource([...declared, ...unnamed])) {
    const records = added.filter((each) => each.source === source);
    if (data.problems.length === 0 && own.every(({ problem }) => problem === undefined)) {
      open(own, records);
      continue;
    }
    // A later segment has later records, whether or not the dead rows of the others are known.
    for (const [i, each] of own.entries()) {
      if (i === 0 && each.problem === undefined) open([each], []);
      else refused += salvageCollection(all, each, state);
    }
    const patches = records.map(({ patch }) => patch);
    refused += applyEach(state, replacing(state, source, patches));
  }
  if (end !== undefined) keepKeys(state, end);
  const isWhole =
    data.problems.length === 0 && collections.every(({ problem }) => problem === undefined);
  const before = end?.number ?? journal.entries[0]?.number ?? 0;
  let number = before;
  for (const patches of changesAfter(before, all.folder, journal)) {
    // A change that does not fit intact data is damaged itself, and later changes may depend on it.
    if (!isWhole) refused += applyEach(state, patches);
    else if (!applies(state, patches)) break;
    number++;
  }
  const last = journal.entries.at(-1)?.number ?? before;
  const isComplete = number >= last && !hasGap(journal);
  const referring = isWhole ? [] : withoutLost(state);
  refused += referring.reduce((sum, { removed }) => sum + removed, 0);
  return { number, changes: number - before, refused, files: read, unnamed, isComplete, referring };
}

/** How many records of a collection a repair has changed because they referred to lost ones. */
interface Referring {
  readonly source: string;
  readonly removed: number;
  readonly nulled: number;
}

/** Removes the references to lost records, as their fields say (rule C21). */
function withoutLost(state: DatabaseState): readonly Referring[] {
  const integrity = Integrity.of(new Map([...state.members, ...lostCollections(state)]));
  if (integrity === undefined) return [];
  const referring: Referring[] = [];
  state.transactions.run(() => {
    const changes = integrity.repaired();
    for (const { source, transition } of changes.flatMap(({ replaced }) => replaced)) {
      const delta = transition?.delta ?? [];
      const removed = delta.filter(({ after }) => after === undefined).length;
      referring.push({ source, removed, nulled: delta.length - removed });
    }
    return changes;
  });
  return referring;
}

/** Whether changes may be missing in a journal. Its first entry is no change. */
function hasGap({ problems, entries }: Surveyed): boolean {
  return (
    problems.some(({ offset }) => offset !== 0) || (problems.length > 0 && entries.length === 0)
  );
}

/** The collections that are lost as a whole and to which others refer, as empty ones. */
function lostCollections(state: DatabaseState): ReadonlyMap<string, Member> {
  const keys = new Map<string, Map<string, Field>>();
  for (const { fields } of schemasOf(state.members).values()) {
    for (const { references, type, ignoreCase, ignoreAccents } of Object.values(fields)) {
      const [to = "", key = ""] = references ?? [];
      if (references === undefined || state.members.has(to)) continue;
      const of = keys.get(to) ?? new Map<string, Field>();
      const options = { unique: true, ignoreCase, ignoreAccents } as const;
      keys.set(to, of.set(key, type === "int" ? int({ unique: true }) : string(options)));
    }
  }
  const members = Array.from(keys, ([name, of]) => {
    const empty = createCollection(defineSchema(Object.fromEntries(of)));
    return [name, collectionMember(name, empty)] as const;
  });
  return new Map<string, Member>(members);
}

type Salvaged = ReturnType<typeof salvage>;

/** What the collections may have lost. */
function effectsOf(
  all: DataFiles,
  { data, collections }: GenerationFiles,
  state: DatabaseState,
  { isComplete, unnamed, referring }: Pick<Salvaged, "isComplete" | "unnamed" | "referring">,
  isGuessed: boolean,
): RepairedCollection[] {
  // Changes that are lost may have been of any kind, and so may those of another generation.
  const isAny = !isComplete || (isGuessed && all.folder.generations().length > 1);
  const files = filesBySource([...collections, ...unnamed]);
  const sources = new Set([
    ...Array.from(state.collections(), ({ source }) => source),
    ...files.keys(),
  ]);
  return Array.from(sources, (source) => {
    const own = files.get(source) ?? [];
    const { name, key } = readSource(source);
    const isBack = isAny || own.some(({ isDeadKnown }) => !isDeadKnown);
    const { removed = 0, nulled = 0 } = referring.find((each) => each.source === source) ?? {};
    const isDamaged = data.problems.length > 0 || own.some(({ problem }) => problem);
    return {
      name: key === undefined ? name : `${name}/${key}`,
      mayBeLost: isAny || isDamaged || removed > 0,
      removedMayBeBack: isBack,
      mayBeOutdated: isBack || nulled > 0,
    };
  }).filter((each) => each.mayBeLost || each.removedMayBeBack || each.mayBeOutdated);
}

/** The changes of a journal after a given one, up to the first missing one. */
function* changesAfter(
  before: number,
  folder: Folder,
  journal: Surveyed,
): Generator<unknown[], void> {
  let number = before;
  for (const [values, entry] of valuesOf(folder, journal)) {
    // The first entry is not a change.
    if (entry.number === before) continue;
    const changes = changesOf(values, entry.number - number);
    if (changes === undefined) return;
    for (const patches of changes) yield [...patches];
    ({ number } = entry);
  }
}

/**
 * The files of each collection that only has files left, because the data that named them are damaged, in the order in
 * which they were written.
 */
function unnamedFiles(
  all: DataFiles,
  { generation, collections }: GenerationFiles,
  state: DatabaseState,
): SurveyedFile[] {
  const known = new Set(collections.map(({ file }) => readFileName(file)?.source));
  for (const { source, collection, note } of state.collections()) {
    // A declared Batch is kept, even without Contacts.
    const isDeclared = Array.isArray(note) && note.length > 0;
    if (isDeclared || collection.state.snapshot.size > 0) known.add(source);
  }
  const left = all.folder
    .files()
    .filter((each) => each.generation <= generation && !known.has(each.source))
    .sort((a, b) => a.generation - b.generation || a.part - b.part);
  return left.flatMap(({ name: file, source }) => {
    if (source === undefined) return [];
    let named: DataFile = { file, checksum: NaN };
    const problem = faultIn(() => (named = all.nameOf(file))) ?? all.problemOf(named);
    // Where not even the schema can be read, the collection is reported as lost.
    const isDeclared = declareFrom(all, state, file, source);
    return isDeclared || problem !== undefined ? [{ ...named, isDeadKnown: false, problem }] : [];
  });
}

/** Declares the collection of a file, with the schema in it, unless it exists. @returns whether it exists now */
function declareFrom(all: DataFiles, state: DatabaseState, file: string, source: string): boolean {
  const { name } = readSource(source);
  if (state.members.has(name)) return true;
  orUndefined(() => {
    const { schema: json } = all.reading(file, ownDirectory).directory;
    declare(state, new Map([[name, { json, version: undefined }]]));
  });
  return state.members.has(name);
}

const PATCHES_AT_ONCE = 1024;

/** Puts the readable rows of a collection's file into a state; returns how many are unreadable. */
function salvageCollection(all: DataFiles, named: DataFile, state: DatabaseState): number {
  const { source = "" } = readFileName(named.file) ?? {};
  let refused = 0;
  let pending: Patch[] = [];
  const apply = () => {
    refused += applyEach(state, replacing(state, source, pending));
    pending = [];
  };
  for (const patch of patchesIn(all, named, source, state)) {
    if (patch === undefined) refused++;
    else pending.push(patch);
    if (pending.length === PATCHES_AT_ONCE) apply();
  }
  apply();
  return refused;
}

/**
 * Patches that add records, replacing any with the same key. An earlier segment may still have it, if its dead rows are
 * unknown.
 */
function replacing(state: DatabaseState, source: string, patches: readonly unknown[]): unknown[] {
  const snapshot = collectionIn(state, source)?.collection.state.snapshot;
  return patches.map((patch) => {
    const path: unknown = isMembers(patch) ? patch.path : undefined;
    const key: unknown = Array.isArray(path) ? path.at(-1) : undefined;
    const isThere = typeof key === "number" && snapshot?.find(key) !== undefined;
    return isMembers(patch) && isThere ? { ...patch, op: "replace" } : patch;
  });
}

function collectionIn(state: DatabaseState, source: string): MemberCollection | undefined {
  return [...state.collections()].find((each) => each.source === source);
}

/** A patch for each readable row that is not dead, and `undefined` for each unreadable one. */
function* patchesIn(
  all: DataFiles,
  { file, checksum, dead = "" }: DataFile,
  name: string,
  state: DatabaseState,
): Generator<Patch | undefined, void> {
  let opened: OpenFile | undefined;
  try {
    opened = all.openSource(file);
    const source = readable(opened);
    const { note, checksum: found } = summaryOf(source);
    // Another file was put at its name. The checksum of a file that no data name is unknown.
    if (found !== checksum && !Number.isNaN(checksum)) return;
    const { codec, path, declarations } = memberOf(state, name, file).destinationFor(name, note);
    // If there are records, an earlier file of the collection has declared it.
    const earlier = collectionIn(state, name)?.collection.state.snapshot;
    if ((earlier?.size ?? 0) === 0) yield* declarations;
    const isDead = new Set(readRowNumbers(dead, Infinity));
    let number = 0;
    for (const row of salvageRows(source, codec)) {
      if (isDead.has(number++)) continue;
      const [key = 0, value] = row ?? [];
      yield row && { op: "add", path: [...path, key], value };
    }
  } catch (thrown) {
    // It is missing, or its end, which locates everything else, is damaged.
    if (![FileError, InputError, StoreError].some((type) => thrown instanceof type)) throw thrown;
  } finally {
    opened?.close();
  }
}

/** Treats unreadable parts of a disk as missing: rows that need them are lost. */
function readable(source: ByteSource): ByteSource {
  return {
    size: source.size,
    read(from, to) {
      try {
        return source.read(from, to);
      } catch (thrown) {
        if (thrown instanceof StoreError) return new Uint8Array(0);
        throw thrown;
      }
    },
  };
}

/** Applies the patches that fit, and returns how many do not. */
function applyEach(state: DatabaseState, patches: readonly unknown[]): number {
  if (applies(state, patches)) return 0;
  return patches.filter((patch) => !applies(state, [patch])).length;
}

function applies(state: DatabaseState, patches: readonly unknown[]): boolean {
  try {
    state.applyPatches(patches, "key");
    return true;
  } catch (thrown) {
    if (thrown instanceof InputError) return false;
    throw thrown;
  }
}
