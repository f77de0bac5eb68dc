// `tercet import` converts Files and Batches from other formats into a store.

import { readBatch, type Spill } from "../import/index.ts";
import { InputError } from "../index.ts";
import type { Batch, BatchInput, FileInput, Service } from "../index.ts";
import { importCollection, importStore, isStore, schemasOf, type Spills } from "../store/index.ts";
import { ALLOW_EMPTY, nameOf, openBytes, STDIN, type ByteSource } from "./bytes.ts";
import { refuseOptions, UsageError, warn } from "./errors.ts";
import { zstd, type ContactFlags, type FormatFlags } from "./formats.ts";
import { openService } from "./input.ts";
import { send } from "./output.ts";
import { inPlace, type Source } from "./records.ts";
import { openRefusals } from "./refusals.ts";
import { identityOf } from "./same-file.ts";
import { openBatch, openFlatBatch, openFiles, type Skip } from "./sources.ts";
import { inWords as typesInWords, openTable } from "./tables.ts";

/** The options, as typed. */
export interface ImportOptions extends ContactFlags, FormatFlags {
  readonly to: string;
  readonly force?: true;
  readonly files?: string;
  readonly batch?: string;
  readonly list?: string;
  readonly skipInvalid?: string;
  /** The collection of a store that a table is imported into. */
  readonly collection?: string;
  /** A file with the schema of the table. */
  readonly schema?: string;
  /** The fields whose indexes of substrings are written. */
  readonly index?: readonly string[];
}

interface Opened {
  readonly files: Source<Iterable<FileInput>> | undefined;
  readonly batches: readonly Source<BatchInput | Batch>[];
}

/** The number of records of each kind: Files, and the Contacts of each Batch. */
interface Counts {
  readonly files: number | undefined;
  readonly contacts: readonly number[];
}

/** Reads the sources, and creates a store. */
export async function importSources(
  places: readonly string[],
  options: ImportOptions,
): Promise<void> {
  const { to, force, files, skipInvalid, collection } = options;
  if (collection !== undefined) return importTable(places, collection, options);
  refuseOptions(options, ["schema", "looseNumbers", "type"], "needs --collection");
  if (options.batch === undefined) {
    refuseOptions(options, ["index"], "needs --collection or --batch");
  }
  if (places.length === 0 && files === undefined) throw new UsageError("name a file to import");
  const sources = [...places, ...(files === undefined ? [] : [files])];
  if (sources.filter((place) => place === STDIN).length > 1) {
    throw new UsageError("standard input can be read only once");
  }
  if (skipInvalid !== undefined && identityOf(skipInvalid) === identityOf(to)) {
    throw new UsageError("--skip-invalid: must differ from --to");
  }
  const refusals = openRefusals(skipInvalid, { force, sources });
  try {
    let counts: Counts = { files: undefined, contacts: [] };
    const store = await importStore(to, async (spills) => {
      const opened = {
        files:
          files === undefined
            ? undefined
            : await openFiles(files, options, { format: options, skip: refusals.skip }),
        batches: await openBatches(places, options, refusals.skip, spills),
      };
      const service = openService(opened);
      counts = countsOf(service, opened);
      // If all records were refused, the exit code reports it.
      if (!options.allowEmpty && refusals.count === 0) refuseEmpty(counts, places, options);
      return service;
    });
    store.close();
    await send(process.stdout, `${inWords(counts)} in ${to}\n`);
    refusals.commit(counts.contacts.reduce((sum, each) => sum + each, counts.files ?? 0));
  } catch (thrown) {
    // The service names the record's place in its input; the source has already named its own.
    const isNamed = thrown instanceof InputError && thrown.cause instanceof UsageError;
    throw isNamed ? thrown.cause : thrown;
  } finally {
    refusals.close();
  }
}

/** Imports a table into a collection of a store, which is created if it does not exist. */
async function importTable(
  places: readonly string[],
  name: string,
  options: ImportOptions,
): Promise<void> {
  const { to } = options;
  refuseOptions(
    options,
    ["files", "batch", "list", "listField"],
    "can't be combined with --collection",
  );
  const [place, other] = places;
  if (place === undefined || other !== undefined) {
    throw new UsageError("--collection: takes one table");
  }
  if (options.skipInvalid === undefined) refuseOptions(options, ["force"], "needs --skip-invalid");
  const refusals = openRefusals(options.skipInvalid, { force: options.force, sources: [place] });
  try {
    const { load, schema, isInferred } = await openTable(place, options, refusals.skip);
    if (isStore(to) && Object.hasOwn(schemasOf(to), name)) {
      throw new UsageError(`${to}: already has a collection ${name}`);
    }
    const loaded = async (spill: Spill) => {
      const table = await load(spill);
      if (isInferred) warn(`types inferred: ${typesInWords(schema)}`);
      return table;
    };
    const size = await importCollection(to, name, loaded, { index: options.index });
    await send(process.stdout, `${size} records in ${to}/${name}\n`);
    refusals.commit(size);
  } finally {
    refusals.close();
  }
}

/** @throws UsageError if a source has no records, as when it is a pipe from a failed command */
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

/** Batches in JSON, or the Contacts of a Batch in any format. */
async function openBatches(
  places: readonly string[],
  options: ImportOptions,
  skip: Skip,
  spills: Spills,
): Promise<Opened["batches"]> {
  const { batch: id, list } = options;
  requireId("--batch", id);
  requireId("--list", list);
  if (id !== undefined) {
    const sources: ByteSource[] = [];
    for (const place of places) sources.push(await openBytes(place, options));
    const spill = spills.batch(id, { index: options.index });
    return [await openFlatBatch(sources, { id, list, format: options, skip, spill }, options)];
  }
  const batches: Source<BatchInput | Batch>[] = [];
  for (const place of places) {
    if (skip === undefined) {
      batches.push(await openBatch(place, { index: batches.length, format: options }));
    } else {
      const bytes = await openBytes(place, { allowEmpty: true });
      const options = { skipInvalid: skip(bytes.place), zstd };
      const read = () => readBatch(bytes.chunks("Importing"), options);
      batches.push({ place: bytes.place, content: await inPlace(bytes, read) });
    }
  }
  return batches;
}

/** @throws UsageError if it is not an id */
function requireId(option: string, id: string | undefined): void {
  if (id === undefined || /^(?:0|-?[1-9]\d{0,15})$/.test(id)) return;
  throw new UsageError(`${option}: must be an integer, not ${id}`);
}

function countsOf({ files, batches }: Service, opened: Opened): Counts {
  const sizeOf = ({ id }: BatchInput | Batch) => batches[String(id)]?.contacts.size ?? 0;
  return {
    files: opened.files && files.size,
    contacts: opened.batches.map(({ content }) => sizeOf(content)),
  };
}

function inWords({ files = 0, contacts }: Counts): string {
  const sum = contacts.reduce((total, each) => total + each, 0);
  const batches = contacts.length === 1 ? "1 Batch" : `${contacts.length} Batches`;
  return [
    ...(files > 0 || contacts.length === 0 ? [`${files} ${files === 1 ? "File" : "Files"}`] : []),
    ...(contacts.length > 0 ? [`${sum} ${sum === 1 ? "Contact" : "Contacts"} of ${batches}`] : []),
  ].join(", ");
}
