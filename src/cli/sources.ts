// The input of commands: the Files of a directory tree or a file, or the Batch in a file. A file may have any import
// format.

import { stat } from "node:fs/promises";
import { loadContacts, type Refused, type Spill } from "../import/index.ts";
import { toBatch } from "../import/to-batch.ts";
import { Contact, File } from "../index.ts";
import type { Batch, BatchContactInput, BatchInput, FileInput } from "../index.ts";
import { openBytes, STDIN, type ByteSource } from "./bytes.ts";
import { systemReason, UsageError } from "./errors.ts";
import { binaryFormatOf, openRecords } from "./flat.ts";
import { fileFormat, listFieldsOf, recordOptions } from "./formats.ts";
import type { ContactFlags, FormatFlags, ReadingFlags } from "./formats.ts";
import { inPlace, loadBatchIn, type Source } from "./records.ts";
import { scanDirectory } from "./scan.ts";

/** Makes the receiver of refused records for a source. */
export type Skip = ((place: string) => (refused: Refused) => void) | undefined;

/** @throws UsageError with the place, if it does not exist or can't be read */
export async function openFiles(
  place: string,
  flags: ReadingFlags,
  { format, skip }: { readonly format?: FormatFlags; readonly skip?: Skip } = {},
): Promise<Source<Iterable<FileInput>>> {
  if (await isDirectory(place)) return { place, content: await scanDirectory(place) };
  const reading = recordOptions(place, flags, format);
  const bytes = await openBytes(place, flags);
  const skipInvalid = skip?.(bytes.place);
  return openRecords(bytes, { ...reading, schema: File, ...(skipInvalid && { skipInvalid }) });
}

interface BatchSourceOptions {
  /** The id of a Batch whose Contacts are not in JSON, and so do not name it. */
  readonly id?: string;
  /** Its position among the service's Batches. */
  readonly index?: number;
  /** Default: determined by the name or the first bytes. */
  readonly format?: FormatFlags;
}

/**
 * Opens a Batch: as JSON, or its Contacts in another format.
 *
 * @throws UsageError with the place, if it can't be read, is not JSON, or exceeds a limit
 */
export async function openBatch(
  place: string,
  { id, index = 0, format: given = {} }: BatchSourceOptions = {},
  flags: ContactFlags = {},
): Promise<Source<BatchInput | Batch>> {
  const named = fileFormat("--from", given.from, place);
  // Empty input is not JSON, even if it is allowed elsewhere.
  const isFlat = named !== undefined && named !== "json";
  const bytes = await openBytes(place, isFlat ? flags : { allowEmpty: true });
  const format = named ?? binaryFormatOf(bytes);
  if (format === undefined || format === "json") return loadBatchIn(bytes, index);
  if (id === undefined) {
    throw new UsageError(
      `${bytes.place}: does not name the Batch of its Contacts; use tercet import --batch to make a store of them`,
    );
  }
  return openFlatBatch([bytes], { id, format: given }, flags);
}

interface ContactsOptions {
  /** The id of the Batch. */
  readonly id: string;
  /** The List for Contacts that name none. */
  readonly list?: string | undefined;
  readonly format: FormatFlags;
  readonly skip?: Skip;
  /** For what memory should not hold. */
  readonly spill?: Spill | undefined;
}

/** Opens Contacts in any format, from one or more sources, as a Batch. */
export async function openFlatBatch(
  sources: readonly ByteSource[],
  { id, list, format: given, skip, spill }: ContactsOptions,
  flags: ContactFlags,
): Promise<Source<BatchInput | Batch>> {
  const place = sources.map((bytes) => bytes.place).join(", ");
  const listFields = listFieldsOf(flags);
  const made = { id, ...(list !== undefined && { list }), ...(listFields && { listFields }) };
  const all: Iterable<BatchContactInput>[] = [];
  for (const bytes of sources) {
    const skipInvalid = skip?.(bytes.place);
    const options = {
      ...recordOptions(bytes.path, flags, given),
      ...made,
      ...(skipInvalid && { skipInvalid }),
    };
    const format = options.format ?? binaryFormatOf(bytes);
    if (sources.length === 1 && format !== "arrow" && format !== "parquet") {
      const load = () => loadContacts(bytes.chunks("Loading"), { ...options, format, spill });
      return { place, content: await inPlace(bytes, load), isFlat: true };
    }
    all.push((await openRecords(bytes, { ...options, format, schema: Contact })).content);
  }
  const contacts = function* () {
    for (const each of all) yield* each;
  };
  return { place, content: toBatch(contacts(), made), isFlat: true };
}

/** @throws UsageError if it does not exist */
async function isDirectory(place: string): Promise<boolean> {
  if (place === STDIN) return false;
  try {
    return (await stat(place)).isDirectory();
  } catch (thrown) {
    throw new UsageError(`${place}: ${systemReason(thrown)}`);
  }
}
