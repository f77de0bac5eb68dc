// What the commands search: the Files of a directory tree, or of a file; the Batch in a file. A file is in
// any format that can be imported.

import { stat } from "node:fs/promises";
import { loadContacts, toBatch } from "../import/index.ts";
import { Contact, File } from "../index.ts";
import { openBytes, STDIN, type ByteSource } from "./bytes.ts";
import { systemReason, UsageError } from "./errors.ts";
import { binaryFormatOf, openRecords } from "./flat.ts";
import { contactOptions, recordOptions } from "./formats.ts";
import type { ContactFlags, FileFormat, ReadingFlags } from "./formats.ts";
import { inPlace, openBatchIn, type Source } from "./records.ts";
import { openDirectory } from "./scan.ts";

/** @throws UsageError with the place, where there is nothing, or what is there can't be read */
export async function openFiles(place: string, flags: ReadingFlags): Promise<Source> {
  if (await isDirectory(place)) return openDirectory(place);
  const reading = recordOptions(place, flags);
  const bytes = await openBytes(place, flags);
  return closingOnError(bytes, async () => {
    const { all } = await openRecords(bytes, { ...reading, schema: File });
    return { place: bytes.place, content: all, close: bytes.close };
  });
}

export interface BatchSourceOptions {
  /** The id of a Batch whose Contacts are in another format than JSON: these do not say it. */
  readonly id?: string;
  /** Which of the service's Batches it is. */
  readonly index?: number;
  /** Default: what the name tells, or else the first bytes. */
  readonly format?: FileFormat | undefined;
  /** Whether what comes as text is loaded at once, into columns. Default: it is. */
  readonly inColumns?: boolean;
}

/**
 * Opens a Batch: as JSON, or its Contacts in another format.
 *
 * @throws UsageError with the place, where it can't be read, is not JSON, or is beyond a limit
 */
export async function openBatch(
  place: string,
  { id, index = 0, format: given, inColumns = true }: BatchSourceOptions = {},
  flags: ContactFlags = {},
): Promise<Source> {
  const reading = contactOptions(place, flags);
  const named = given ?? reading.format;
  // Nothing is no JSON, whatever is allowed.
  const isFlat = named !== undefined && named !== "json";
  const bytes = await openBytes(place, isFlat ? flags : { allowEmpty: true });
  const format = named ?? binaryFormatOf(bytes);
  if (format === undefined || format === "json") return openBatchIn(bytes, index, inColumns);
  return closingOnError(bytes, async () => {
    if (id === undefined) {
      throw new UsageError(
        `${bytes.place}: does not say of which Batch its Contacts are; tercet import --batch makes a store of them`,
      );
    }
    const content =
      inColumns && format !== "arrow" && format !== "parquet"
        ? await inPlace(bytes, () =>
            loadContacts(bytes.chunks("Loading"), { ...reading, format, id }),
          )
        : toBatch((await openRecords(bytes, { ...reading, schema: Contact, format })).all, {
            ...reading,
            id,
          });
    return { place: bytes.place, content, close: bytes.close, isFlat: true };
  });
}

async function closingOnError(bytes: ByteSource, open: () => Promise<Source>): Promise<Source> {
  try {
    return await open();
  } catch (thrown) {
    bytes.close();
    throw thrown;
  }
}

/** @throws UsageError where there is nothing */
export async function isDirectory(place: string): Promise<boolean> {
  if (place === STDIN) return false;
  try {
    return (await stat(place)).isDirectory();
  } catch (thrown) {
    throw new UsageError(`${place}: ${systemReason(thrown)}`);
  }
}
