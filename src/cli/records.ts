// Batches and Files in JSON, of any size, for the service to load: the records are made while it loads
// them, and where something is wrong the file is named.

import { InputError } from "../index.ts";
import { openBatch as openJsonBatch, readJson } from "../import/index.ts";
import { openBytes, type ByteSource } from "./bytes.ts";
import { UsageError } from "./errors.ts";

/** Input for the service, and the place it comes from. */
export interface Source {
  readonly place: string;
  /** What JSON.parse would give, but that the records are made while they are iterated over. */
  readonly content: unknown;
  /** Lets go of the file; no more records can be read then. */
  readonly close: () => void;
}

/**
 * Opens the JSON of a Batch.
 *
 * @param index which of the service's Batches it is
 * @throws UsageError with the place, where it can't be read, is not JSON, or is beyond a limit
 */
export async function openBatch(place: string, index = 0): Promise<Source> {
  return openBatchIn(await openBytes(place), index);
}

/** Opens the JSON of an array of Files, as {@link openBatch} does that of a Batch. */
export async function openFiles(place: string): Promise<Source> {
  const bytes = await openBytes(place);
  return { place: bytes.place, content: readJson(bytes.chunks("Loading")), close: bytes.close };
}

/** @throws UsageError with the place; the bytes are then closed */
export function openBatchIn(bytes: ByteSource, index: number): Source {
  const name = `batches[${index}]`;
  try {
    const content = openJsonBatch(
      (pass) => bytes.chunks(pass === "check" ? "Checking" : "Loading"),
      { name },
    );
    return { place: bytes.place, content, close: bytes.close };
  } catch (thrown) {
    bytes.close();
    if (thrown instanceof InputError) throw refused(bytes.place, thrown);
    if (thrown instanceof UsageError) throw new UsageError(`${bytes.place}: ${thrown.message}`);
    throw thrown;
  }
}

/** The error of what a file holds. Its path begins with what the service calls the content. */
export function refused(place: string, thrown: InputError): UsageError {
  const path = thrown.path.replace(/^(?:files|records|source|batches\[\d+\])\.?/, "");
  const reason = thrown.cause instanceof UsageError ? thrown.cause.message : thrown.reason;
  return new UsageError([place, path, reason].filter((part) => part !== "").join(": "));
}
