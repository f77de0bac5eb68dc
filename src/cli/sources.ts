// What the commands search: the Files of a directory tree or a file, or the Batch in a file. A file may
// have any import format.

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

/** @throws UsageError with the place, if it does not exist or can't be read */
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
  /** The id of a Batch whose Contacts are not in JSON and so do not name it. */
  readonly id?: string;
  /** Its position among the service's Batches. */
  readonly index?: number;
  /** Default: inferred from the name, or else from the first bytes. */
  readonly format?: FileFormat | undefined;
  /** Whether to load text formats at once, into columns. Default: `true`. */
  readonly inColumns?: boolean;
}

/**
 * Opens a Batch: as JSON, or its Contacts in another format.
 *
 * @throws UsageError with the place, if it can't be read, is not JSON, or exceeds a limit
 */
export async function openBatch(
  place: string,
  { id, index = 0, format: given, inColumns = true }: BatchSourceOptions = {},
  flags: ContactFlags = {},
): Promise<Source> {
  const reading = contactOptions(place, flags);
  const named = given ?? reading.format;
  // Empty input is not JSON, whatever is allowed.
  const isFlat = named !== undefined && named !== "json";
  const bytes = await openBytes(place, isFlat ? flags : { allowEmpty: true });
  const format = named ?? binaryFormatOf(bytes);
  if (format === undefined || format === "json") return openBatchIn(bytes, index, inColumns);
  return closingOnError(bytes, async () => {
    if (id === undefined) {
      throw new UsageError(
        `${bytes.place}: does not name the Batch of its Contacts; tercet import --batch makes a store of them`,
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

/** @throws UsageError if it does not exist */
export async function isDirectory(place: string): Promise<boolean> {
  if (place === STDIN) return false;
  try {
    return (await stat(place)).isDirectory();
  } catch (thrown) {
    throw new UsageError(`${place}: ${systemReason(thrown)}`);
  }
}
