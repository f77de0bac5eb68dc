// `tercet import`: Files and Batches in other formats, into a store or JSON.

import {
  loadContacts,
  readBatch,
  toBatch,
  writeJson,
  writeNdjson,
  type Refused,
} from "../import/index.ts";
import { Contact, createBatch, createService, File, InputError } from "../index.ts";
import type { Batch, BatchContactInput, BatchInput, FileInput } from "../index.ts";
import { createStore } from "../store/index.ts";
import { ALLOW_EMPTY, nameOf, openBytes, STDIN, type ByteSource } from "./bytes.ts";
import { reportIncomplete, UsageError } from "./errors.ts";
import { binaryFormatOf, openRecords, type Records } from "./flat.ts";
import { csvOptions, fileFormat, listFieldsOf, recordOptions } from "./formats.ts";
import type { ContactFlags, FormatFlags } from "./formats.ts";
import { send } from "./output.ts";
import { inPlace } from "./records.ts";
import { scanDirectory } from "./scan.ts";
import { isDirectory, openBatch } from "./sources.ts";
import { batchText, identityOf, openTarget, writeTarget, type Target } from "./target.ts";

/** The options, as typed. */
export interface ImportOptions extends ContactFlags, FormatFlags {
  readonly to: string;
  readonly force?: true;
  readonly files?: string;
  readonly batch?: string;
  readonly list?: string;
  readonly skipInvalid?: string;
}

/** Where refused records go, unless they end the import. */
interface Refusals {
  readonly skip: ((place: string) => (refused: Refused) => void) | undefined;
  count: number;
}

/** The opened sources, which must be closed. */
interface Opened {
  readonly files: Records<FileInput> | undefined;
  readonly batches: readonly (BatchInput | Batch)[];
}

/** The number of records of each requested kind: Files, and the Contacts of each Batch. */
interface Counts {
  readonly files: number | undefined;
  readonly contacts: readonly number[];
}

/** Reads the sources, and writes a store, or JSON if the target's name says so. */
export async function importSources(
  places: readonly string[],
  options: ImportOptions,
): Promise<void> {
  const { to, force, files, skipInvalid } = options;
  if (places.length === 0 && files === undefined) throw new UsageError("name something to import");
  const sources = [...places, ...(files === undefined ? [] : [files])];
  if (sources.filter((place) => place === STDIN).length > 1) {
    throw new UsageError("standard input can be read only once");
  }
  const isJson = /\.json$/i.test(to);
  const target = isJson ? openTarget(to, { force, sources }) : undefined;
  if (skipInvalid !== undefined && identityOf(skipInvalid) === identityOf(to)) {
    throw new UsageError("--skip-invalid: must differ from --to");
  }
  const kept = skipInvalid === undefined ? undefined : openTarget(skipInvalid, { force, sources });
  const refusals = refusalsTo(kept);
  const closing: (() => void)[] = [];
  let opened: Opened | undefined;
  try {
    opened = {
      files:
        files === undefined ? undefined : await openFileRecords(files, options, refusals, closing),
      batches: await openBatches(places, { ...options, inColumns: !isJson }, refusals, closing),
    };
    const accept = (counts: Counts) => {
      // If records were refused, the exit code says so.
      if (!options.allowEmpty && refusals.count === 0) refuseEmpty(counts, places, options);
    };
    const counts =
      target === undefined ? store(to, opened, accept) : writeAsJson(target, opened, accept);
    await send(process.stdout, `${inWords(counts)} in ${to}\n`);
    kept?.commit();
  } catch (thrown) {
    throw plain(thrown, opened?.files);
  } finally {
    for (const close of closing) close();
    kept?.close();
  }
  if (refusals.count > 0) {
    reportIncomplete(refusals.count, "record that is not valid", "records that are not valid");
  }
}

/** @throws UsageError if a source has no records, like a pipe after a command that failed */
function refuseEmpty(
  { files, contacts }: Counts,
  places: readonly string[],
  options: ImportOptions,
): void {
  const ofBatch = (index: number) =>
    options.batch === undefined ? [places[index] ?? ""] : places.slice(0, 1);
  const [empty] = [
    ...(files === 0 ? [options.files ?? ""] : []),
    ...contacts.flatMap((count, index) => (count === 0 ? ofBatch(index) : [])),
  ];
  if (empty === undefined) return;
  throw new UsageError(`${nameOf(empty)}: has no records; ${ALLOW_EMPTY}`);
}

function refusalsTo(target: Target | undefined): Refusals {
  if (target === undefined) return { skip: undefined, count: 0 };
  const refusals: Refusals = {
    count: 0,
    skip: (source) => (each) => {
      refusals.count++;
      for (const line of writeNdjson([{ source, ...each }])) target.write(line);
    },
  };
  return refusals;
}

/** Files of a directory, or of a file in any format. */
async function openFileRecords(
  place: string,
  options: ImportOptions,
  { skip }: Refusals,
  closing: (() => void)[],
): Promise<Records<FileInput>> {
  if (await isDirectory(place)) {
    return { source: place, all: await scanDirectory(place), place: () => undefined };
  }
  const bytes = await open(place, options, closing);
  const skipInvalid = skip?.(bytes.place);
  const records = await openRecords(bytes, {
    ...recordOptions(place, options),
    ...formatOptions(place, options),
    schema: File,
    ...(skipInvalid && { skipInvalid }),
  });
  return skipInvalid === undefined ? records : withoutTwice(records, skipInvalid);
}

/** The Files, except those with the id of an earlier one. */
function withoutTwice(
  { source, all, place }: Records<FileInput>,
  skip: (refused: Refused) => void,
): Records<FileInput> {
  const ids = new Set<string>();
  const kept = function* () {
    for (const file of all) {
      const id = String(file.id);
      if (!ids.has(id)) yield file;
      else skip({ place: place() ?? source, reason: `id: ${id} already exists`, record: file });
      ids.add(id);
    }
  };
  return { source, all: kept(), place };
}

function formatOptions(place: string, flags: FormatFlags) {
  return { ...csvOptions(flags), format: fileFormat(flags.format, place) };
}

interface BatchOptions extends ImportOptions {
  /** Whether to load Batches at once, into columns, if possible. */
  readonly inColumns: boolean;
}

/** Batches in JSON, or the Contacts of one in any format. */
async function openBatches(
  places: readonly string[],
  options: BatchOptions,
  { skip }: Refusals,
  closing: (() => void)[],
): Promise<(BatchInput | Batch)[]> {
  const { batch: id, list, inColumns } = options;
  requireId("--batch", id);
  requireId("--list", list);
  if (id === undefined) {
    const batches: (BatchInput | Batch)[] = [];
    for (const place of places) {
      if (skip === undefined) {
        const format = fileFormat(options.format, place);
        const source = await openBatch(place, { index: batches.length, format, inColumns });
        closing.push(source.close);
        // The service checks its input, whatever the type says.
        batches.push(source.content as BatchInput | Batch);
      } else {
        const bytes = await open(place, { allowEmpty: true }, closing);
        const skipInvalid = skip(bytes.place);
        batches.push(
          await inPlace(bytes, () => readBatch(bytes.chunks("Importing"), { skipInvalid })),
        );
      }
    }
    return batches;
  }
  const all: Iterable<BatchContactInput>[] = [];
  const listFields = listFieldsOf(options);
  const made = {
    id,
    ...(list !== undefined && { list }),
    ...(listFields !== undefined && { listFields }),
  };
  for (const place of places) {
    const bytes = await open(place, options, closing);
    const skipInvalid = skip?.(bytes.place);
    const reading = {
      ...recordOptions(place, options),
      ...formatOptions(place, options),
      ...made,
      ...(skipInvalid && { skipInvalid }),
    };
    const format = reading.format ?? binaryFormatOf(bytes);
    if (inColumns && places.length === 1 && format !== "arrow" && format !== "parquet") {
      const load = () => loadContacts(bytes.chunks("Importing"), { ...reading, format });
      return [await inPlace(bytes, load)];
    }
    all.push((await openRecords(bytes, { ...reading, format, schema: Contact })).all);
  }
  const contacts = function* () {
    for (const each of all) yield* each;
  };
  return [toBatch(contacts(), made)];
}

/** @throws UsageError if it is not an id */
function requireId(option: string, id: string | undefined): void {
  if (id === undefined || /^(?:0|-?[1-9]\d{0,15})$/.test(id)) return;
  throw new UsageError(`${option}: must be an integer, not ${id}`);
}

async function open(
  place: string,
  flags: Pick<ContactFlags, "allowEmpty">,
  closing: (() => void)[],
): Promise<ByteSource> {
  const bytes = await openBytes(place, flags);
  closing.push(bytes.close);
  return bytes;
}

/**
 * The error for what a service threw while loading records: a fault in their source, or in the File that it
 * took last.
 */
function plain(thrown: unknown, files: Records<FileInput> | undefined): unknown {
  if (!(thrown instanceof InputError)) return thrown;
  if (thrown.cause instanceof UsageError) return thrown.cause;
  const [, path] = /^files\[\d+\](.*)$/s.exec(thrown.path) ?? [];
  const place = files?.place();
  if (path === undefined || place === undefined) return thrown;
  return new UsageError(`${files?.source}: ${place}${path}: ${thrown.reason}`);
}

/** Creates a store. @param accept throws if there are too few records for it */
function store(
  directory: string,
  { files, batches }: Opened,
  accept: (counts: Counts) => void,
): Counts {
  const service = createService({ files: files?.all ?? [], batches });
  const counts = {
    files: files && service.files.size,
    contacts: batches.map(({ id }) => service.batches[String(id)]?.contacts.size ?? 0),
  };
  accept(counts);
  createStore(directory, service).close();
  return counts;
}

/** Writes Files or a Batch. @param accept like that of {@link store} */
function writeAsJson(
  target: Target,
  { files, batches }: Opened,
  accept: (counts: Counts) => void,
): Counts {
  // For JSON, they were not loaded.
  const [batch] = batches as readonly BatchInput[];
  if (batches.length + (files === undefined ? 0 : 1) > 1) {
    throw new UsageError("--to: a JSON file holds Files or one Batch; a directory holds all");
  }
  // Checks that it is a valid Batch.
  if (batch !== undefined) createBatch(batch);
  let count = 0;
  const counted = function* <Record>(records: Iterable<Record>) {
    for (const record of records) {
      count++;
      yield record;
    }
  };
  const countsNow = () =>
    batch === undefined ? { files: count, contacts: [] } : { files: undefined, contacts: [count] };
  const text = function* () {
    yield* batch === undefined ? writeJson(counted(files?.all ?? [])) : batchText(batch, counted);
    accept(countsNow());
  };
  writeTarget(target, text());
  return countsNow();
}

function inWords({ files = 0, contacts }: Counts): string {
  const sum = contacts.reduce((total, each) => total + each, 0);
  const batches = contacts.length === 1 ? "1 Batch" : `${contacts.length} Batches`;
  return [
    ...(files > 0 || contacts.length === 0 ? [`${files} ${files === 1 ? "File" : "Files"}`] : []),
    ...(contacts.length > 0 ? [`${sum} ${sum === 1 ? "Contact" : "Contacts"} of ${batches}`] : []),
  ].join(", ");
}
