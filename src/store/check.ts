// Reads every byte of a store and reports what is wrong with it. Writes nothing.

import { serviceWithData } from "../service/service.ts";
import { readLine, type DataEnd, type Line } from "./data.ts";
import { DataFiles } from "./data-files.ts";
import type { Adding, DataFile } from "./named-files.ts";
import { orUndefined } from "../schema/errors.ts";
import { closing, faultIn, StoreError } from "./errors.ts";
import { Folder } from "./folder.ts";
import { foreign, isSame, readHead, type Identity } from "./identity.ts";
import { letGo, readGeneration } from "./load.ts";
import { Log, type Entry } from "./log.ts";
import type { SavedSchema } from "./migrations.ts";
import { folderAt } from "./place.ts";
import type { PrivatePath } from "./private-path.ts";

/** A problem of a file of a store. */
export interface StoreProblem {
  readonly file: string;
  /** The byte in it, if known. */
  readonly offset: number | undefined;
  readonly reason: string;
}

/** The result of checking a store. */
export interface StoreReport {
  /** How many intact changes the journal has before the first problem. */
  readonly changes: number;
  /**
   * How many bytes after the last entry are not a complete change, for example after an interrupted write. They are not
   * a problem: the next writer removes them.
   */
  readonly unfinishedBytes: number;
  /** Empty if the store can be opened. */
  readonly problems: readonly StoreProblem[];
}

/**
 * Reads a whole store and reports what is wrong with it. Cost: twice that of opening it.
 *
 * @throws StoreError if the folder has no files of a store, or those of a newer version; InputError if `directory` is
 *   not a path
 */
export function checkStore(directory: string | PrivatePath): StoreReport {
  const folder = folderAt(directory);
  for (;;) {
    const { files, problems } = inspect(new DataFiles(folder));
    const { unfinishedBytes } = files.journal;
    // A checkpoint may have removed the files in the meantime.
    const now = orUndefined(() => folder.current().generation) ?? files.generation;
    if (problems.length > 0 && now !== files.generation) continue;
    return { changes: changesIn(files.journal), unfinishedBytes, problems };
  }
}

/** How many changes the intact entries of a journal have. */
export function changesIn({ entries }: Pick<Surveyed, "entries">): number {
  return (entries.at(-1)?.number ?? 0) - (entries[0]?.number ?? 0);
}

/** The readable parts of a generation. */
export interface GenerationFiles {
  readonly generation: number;
  /** What ties its files together; `undefined` if no file has it. */
  readonly identity: Identity | undefined;
  readonly data: Surveyed & Pick<Line, "schemas" | "end">;
  readonly journal: Surveyed;
  /** The files of collections that the data name. */
  readonly collections: readonly SurveyedFile[];
  /** Whether the data or the journal name all files. Otherwise files may have been removed or forgotten. */
  readonly areNamed: boolean;
  /** The readable records that are in none of the files of their collections. */
  readonly added: readonly Adding[];
}

export interface SurveyedFile extends DataFile {
  readonly problem: StoreError | undefined;
  /** Whether its dead rows could be read. Without them, removed and replaced records come back. */
  readonly isDeadKnown: boolean;
}

/** The readable parts of a file, and the gaps. */
export interface Surveyed {
  readonly path: string;
  /** The intact entries: all of a data file's, and a journal's before the first gap. */
  readonly entries: readonly Entry[];
  readonly problems: readonly StoreError[];
  readonly unfinishedBytes: number;
}

/**
 * The generation in use. If none is named, the one with the most entries, except an unfinished one, which may be
 * incomplete.
 *
 * @throws StoreError if the folder has no files of a store, or those of a newer version
 */
export function inspect(all: DataFiles): {
  readonly files: GenerationFiles;
  readonly problems: readonly StoreProblem[];
} {
  const { folder } = all;
  folder.refuseOtherVersions();
  const unnamed = faultIn(() => folder.current());
  // Its files were never in use.
  if (unnamed !== undefined && folder.isUnfinished()) throw unnamed;
  const current = unnamed === undefined ? folder.current() : undefined;
  const [files] = (current === undefined ? likelyGenerations(folder) : [current.generation])
    .map((each) => survey(all, each, current))
    .sort((a, b) => flaws(a) - flaws(b) || lastNumber(b) - lastNumber(a));
  if (files === undefined) throw unnamed ?? new RangeError("a named generation has its files");
  const misnamed = current && files.identity && foreign(folder.namePath, current, files.identity);
  const found = [unnamed, misnamed, ...problemsOf(files), folder.obstacle()];
  const problems = found.filter((each) => each !== undefined);
  const read = () => letGo(readGeneration(all, serviceWithData({}).data, "r"));
  const unreadable = problems.length === 0 ? faultIn(read) : undefined;
  const shown = unreadable === undefined ? problems : [unreadable];
  return { files, problems: shown.map(({ file, offset, reason }) => ({ file, offset, reason })) };
}

function likelyGenerations(folder: Folder): number[] {
  const generations = folder.generations();
  const announced = folder.announced();
  const others = generations.filter((each) => each !== announced);
  return others.length > 0 ? others : generations;
}

function problemsOf({ data, journal, collections }: GenerationFiles): StoreError[] {
  const ofCollections = collections.flatMap(({ problem }) => problem ?? []);
  return [...data.problems, ...ofCollections, ...journal.problems];
}

const flaws = (files: GenerationFiles) => problemsOf(files).length;
const lastNumber = ({ journal }: GenerationFiles) => journal.entries.at(-1)?.number ?? -1;

/** @param current by the name file, if it is readable */
function survey(
  files: DataFiles,
  generation: number,
  current: Identity | undefined,
): GenerationFiles {
  const { folder } = files;
  const identity = identityOf(folder, generation, current);
  const found = surveyLog(folder, folder.dataPath(generation), false, identity);
  const schemas = new Map<string, SavedSchema>();
  const named: DataFile[] = [];
  const added: Adding[] = [];
  let end: DataEnd | undefined;
  const unread = faultIn(() => {
    for (const [values] of valuesOf(folder, found)) {
      const lines = values.map(readLine);
      for (const line of lines) {
        for (const [name, schema] of line.schemas) schemas.set(name, schema);
        if (line.file !== undefined) named.push(line.file);
        if (line.adding !== undefined) added.push(line.adding);
      }
      // Only the last entry has one.
      end = lines[0]?.end;
    }
  });
  const journal = surveyLog(folder, folder.journalPath(generation), true, identity);
  const copies = copiesIn(folder, journal);
  const problems = [...found.problems];
  if (unread !== undefined) problems.push(unread);
  else if (end === undefined && problems.length === 0) {
    const offset = found.entries.at(-1)?.end ?? 0;
    problems.push(new StoreError(found.path, "is truncated", { offset }));
  }
  const isRead = unread === undefined;
  const listed = (isRead ? end?.files : undefined) ?? (copies.length > 0 ? copies : undefined);
  // The line that names a file may be damaged; it also has the dead rows. The journal has a copy.
  const lines = [...named, ...copies];
  const collections = (listed ?? (isRead ? named : [])).map((each) => {
    const line = lines.find(
      ({ file, checksum }) => file === each.file && checksum === each.checksum,
    );
    return { ...(line ?? each), isDeadKnown: line !== undefined, problem: files.problemOf(each) };
  });
  const data = isRead
    ? { ...found, problems, schemas, end }
    : { ...found, entries: [], problems, schemas: new Map<string, SavedSchema>(), end: undefined };
  const areNamed = listed !== undefined;
  return { generation, identity, data, journal, collections, areNamed, added: isRead ? added : [] };
}

/** The files that the first entry of a journal names. */
function copiesIn(folder: Folder, { path, entries }: Surveyed): DataFile[] {
  const [first] = entries;
  if (first?.offset !== 0) return [];
  const copies: DataFile[] = [];
  // If it is not JSON, nothing is known.
  faultIn(() => {
    for (const [values] of valuesOf(folder, { path, entries: [first] })) {
      for (const value of values) copies.push(...[readLine(value).file ?? []].flat());
    }
  });
  return copies;
}

/** The identity of a generation: that of both logs if they agree, so that one foreign file is not taken for the store. */
function identityOf(
  folder: Folder,
  generation: number,
  current: Identity | undefined,
): Identity | undefined {
  const [data, journal] = [folder.dataPath(generation), folder.journalPath(generation)].map(
    (path) => {
      const log = orUndefined(() => new Log(folder.disk, path, "r"));
      return log && orUndefined(() => closing(log, readHead)?.identity);
    },
  );
  const doAgree = data !== undefined && journal !== undefined && isSame(data, journal);
  return doAgree ? data : (current ?? data ?? journal);
}

/** The lines of the intact entries of a file, entry by entry. */
export function* valuesOf(
  { disk }: Folder,
  { path, entries }: Pick<Surveyed, "path" | "entries">,
): Generator<[values: unknown[], entry: Entry], void> {
  if (entries.length === 0) return;
  const log = new Log(disk, path, "r");
  try {
    for (const entry of entries) yield [[...log.values(entry)], entry];
  } finally {
    log.close();
  }
}

function surveyLog(
  { disk }: Folder,
  path: string,
  isJournal: boolean,
  identity: Identity | undefined,
): Surveyed {
  const entries: Entry[] = [];
  const problems: StoreError[] = [];
  let unfinishedBytes = 0;
  const fault = faultIn(() =>
    closing(new Log(disk, path, "r"), (log) => {
      const { size } = log;
      const head = readHead(log);
      const other = head && identity && foreign(path, head.identity, identity);
      if (other !== undefined) throw other;
      let isUnbroken = true;
      for (let offset = 0; offset < size;) {
        const entry = log.entryAt(offset);
        const end = entry?.end ?? log.entryAfter(offset)?.offset ?? size;
        if (entry !== undefined) {
          if (isUnbroken) entries.push(entry);
        } else if (isJournal && end === size && entries.length > 0) unfinishedBytes = end - offset;
        else {
          problems.push(new StoreError(path, `${end - offset} bytes are damaged`, { offset }));
          // Without the first entry, the numbers of the others tell whether they continue the data.
          isUnbroken &&= !isJournal || offset === 0;
        }
        offset = end;
      }
      if (isJournal && size === 0) problems.push(new StoreError(path, "is empty", { offset: 0 }));
    }),
  );
  if (fault !== undefined) return { path, entries: [], problems: [fault], unfinishedBytes: 0 };
  return { path, entries, problems, unfinishedBytes };
}
