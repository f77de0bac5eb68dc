// Reads every byte of a store and reports what is wrong with it. Writes nothing.

import { serviceWithData } from "../service/service.ts";
import { declaring } from "./collections.ts";
import { readEnd } from "./data.ts";
import { DataFiles, readDataFile, type DataFile } from "./data-files.ts";
import { nodeDisk } from "./disk.ts";
import { StoreError } from "./errors.ts";
import { Folder } from "./folder.ts";
import { letGo, readGeneration } from "./load.ts";
import { Log, type Entry } from "./log.ts";
import { readPath } from "./options.ts";

/** What is wrong with a file of a store. */
export interface StoreProblem {
  readonly file: string;
  /** The byte in it, if known. */
  readonly offset: number | undefined;
  readonly reason: string;
}

/** The result of checking a store. */
export interface StoreReport {
  /** How many whole changes the journal has before the first problem. */
  readonly changes: number;
  /** How many bytes follow that are not a complete change, such as an interrupted write. */
  readonly unfinishedBytes: number;
  /** Empty if the store can be opened. */
  readonly problems: readonly StoreProblem[];
}

/**
 * Reads a whole store and reports what is wrong with it. Cost: twice that of opening it.
 *
 * @throws StoreError if the folder has no files of a store; InputError if `directory` is not a path
 */
export function checkStore(directory: string): StoreReport {
  const folder = new Folder(readPath(directory, "directory"), nodeDisk);
  for (;;) {
    const { files, problems } = inspect(new DataFiles(folder));
    const { entries, unfinishedBytes } = files.journal;
    const changes = Math.max(0, entries.length - 1);
    const report = { changes, unfinishedBytes, problems };
    if (problems.length === 0 || !isReplaced(folder, files.generation)) return report;
  }
}

/** Whether a checkpoint has removed the files meanwhile. */
function isReplaced(folder: Folder, generation: number): boolean {
  try {
    return folder.generation() !== generation;
  } catch {
    return false;
  }
}

/** The readable parts of a generation. */
export interface GenerationFiles {
  readonly generation: number;
  readonly data: Surveyed;
  readonly journal: Surveyed;
  /** The files of collections named by the data. */
  readonly collections: readonly SurveyedFile[];
}

/** A file of a collection, and what is wrong with it. */
export interface SurveyedFile extends DataFile {
  readonly problem: StoreProblem | undefined;
}

/** The readable parts of a file, and the gaps. */
export interface Surveyed {
  readonly path: string;
  /** The whole entries: all of the data, of a journal those before the first gap. */
  readonly entries: readonly Entry[];
  readonly problems: readonly StoreProblem[];
  readonly unfinishedBytes: number;
}

/**
 * The generation in use. If none is named, the one with most entries, except one that was about to be
 * named: it may lack what could not be read.
 *
 * @throws StoreError if the folder has no files of a store
 */
export function inspect(all: DataFiles): {
  readonly files: GenerationFiles;
  readonly problems: readonly StoreProblem[];
} {
  const { folder } = all;
  const problems: StoreProblem[] = [];
  let files: GenerationFiles | undefined;
  try {
    files = survey(all, folder.generation());
  } catch (thrown) {
    problems.push(problemOf(thrown));
    const announced = folder.announced();
    const generations = folder.generations();
    const others = generations.filter((each) => each !== announced);
    files = (others.length > 0 ? others : generations)
      .map((each) => survey(all, each))
      .sort((a, b) => flaws(a) - flaws(b) || lastNumber(b) - lastNumber(a))[0];
    if (files === undefined) throw thrown;
  }
  problems.push(...problemsOf(files));
  const obstacle = folder.obstacle();
  if (obstacle !== undefined) problems.push(problemOf(obstacle));
  if (problems.length === 0) {
    try {
      const { data } = serviceWithData({});
      letGo(readGeneration(all, data, declaring(data), "r"));
    } catch (thrown) {
      problems.push(problemOf(thrown));
    }
  }
  return { files, problems };
}

function problemsOf({ data, journal, collections }: GenerationFiles): StoreProblem[] {
  const ofCollections = collections.flatMap(({ problem }) => problem ?? []);
  return [...data.problems, ...ofCollections, ...journal.problems];
}

const flaws = (files: GenerationFiles) => problemsOf(files).length;
const lastNumber = ({ journal }: GenerationFiles) => journal.entries.at(-1)?.number ?? -1;

function survey(files: DataFiles, generation: number): GenerationFiles {
  const { folder } = files;
  const data = surveyFile(folder, folder.dataPath(generation), surveyData);
  const named = [...linesOf(folder, data)].flatMap((line) => readDataFile(line) ?? []);
  return {
    generation,
    data,
    journal: surveyFile(folder, folder.journalPath(generation), surveyJournal),
    collections: named.map((each) => {
      const problem = files.problemOf(each);
      return { ...each, problem: problem && problemOf(problem) };
    }),
  };
}

/** The lines of the whole entries of a file. */
export function* linesOf(folder: Folder, { path, entries }: Surveyed): Generator<unknown, void> {
  for (const [values] of valuesOf(folder, { path, entries })) yield* values;
}

/** The lines of the whole entries of a file, entry by entry. */
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

function surveyFile(
  folder: Folder,
  path: string,
  survey: (log: Log) => Omit<Surveyed, "path">,
): Surveyed {
  try {
    const log = new Log(folder.disk, path, "r");
    try {
      return { path, ...survey(log) };
    } finally {
      log.close();
    }
  } catch (thrown) {
    return { path, entries: [], problems: [problemOf(thrown)], unfinishedBytes: 0 };
  }
}

function surveyData(log: Log): Omit<Surveyed, "path"> {
  const problems: StoreProblem[] = [];
  const entries: Entry[] = [];
  for (const part of partsOf(log)) {
    if (isEntry(part)) entries.push(part);
    else problems.push(damageOf(log, part));
  }
  const end = entries.at(-1);
  if (
    problems.length === 0 &&
    (end === undefined || readEnd([...log.values(end)][0]) === undefined)
  ) {
    problems.push({ file: log.path, offset: log.size, reason: "has no end" });
  }
  return { entries, problems, unfinishedBytes: 0 };
}

function surveyJournal(log: Log): Omit<Surveyed, "path"> {
  const entries: Entry[] = [];
  const problems: StoreProblem[] = [];
  let unfinishedBytes = 0;
  let isUnbroken = true;
  for (const part of partsOf(log)) {
    if (isEntry(part)) {
      if (isUnbroken) entries.push(part);
    } else if (part.end === log.size && entries.length > 0) {
      unfinishedBytes = part.end - part.offset;
    } else {
      problems.push(damageOf(log, part));
      // Without the first entry, the numbers of the others tell whether they continue the data.
      isUnbroken &&= part.offset === 0;
    }
  }
  if (log.size === 0) problems.push({ file: log.path, offset: 0, reason: "is empty" });
  return { entries, problems, unfinishedBytes };
}

/** A stretch of a log that is not an entry. */
interface Gap {
  readonly offset: number;
  readonly end: number;
}

function* partsOf(log: Log): Generator<Entry | Gap, void> {
  const { size } = log;
  for (let offset = 0; offset < size;) {
    const part = log.entryAt(offset) ?? { offset, end: log.entryAfter(offset)?.offset ?? size };
    yield part;
    offset = part.end;
  }
}

function isEntry(part: Entry | Gap): part is Entry {
  return "number" in part;
}

function damageOf({ path }: Log, { offset, end }: Gap): StoreProblem {
  return { file: path, offset, reason: `${end - offset} bytes are damaged` };
}

function problemOf(thrown: unknown): StoreProblem {
  if (!(thrown instanceof StoreError)) throw thrown;
  const { file, offset, reason } = thrown;
  return { file, offset, reason };
}
