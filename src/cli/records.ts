// Batches in JSON, of any size, for the service: loaded, or as records that are made while it loads them.
// And how an error names the file where something is wrong.

import { InputError } from "../index.ts";
import { loadBatch, openBatch as openJsonBatch } from "../import/index.ts";
import type { ByteSource } from "./bytes.ts";
import { PlacedError, UsageError } from "./errors.ts";

/** Input for the service, and the place it comes from. */
export interface Source {
  readonly place: string;
  /** What JSON.parse would give, but that the records are made while they are iterated over; or a Batch. */
  readonly content: unknown;
  /** Lets go of the file; no more records can be read then. */
  readonly close: () => void;
}

/**
 * Opens the JSON of a Batch.
 *
 * @param index which of the service's Batches it is
 * @param inColumns whether it is loaded at once, into columns
 * @throws UsageError with the place, where it is not JSON, or is beyond a limit; the bytes are then closed
 */
export function openBatchIn(
  bytes: Pick<ByteSource, "place" | "chunks" | "close">,
  index: number,
  inColumns: boolean,
): Source {
  const name = `batches[${index}]`;
  try {
    const read = (pass: "check" | "load") =>
      bytes.chunks(pass === "check" ? "Checking" : "Loading");
    const content = inColumns ? loadBatch(read, { name }) : openJsonBatch(read, { name });
    return { place: bytes.place, content, close: bytes.close };
  } catch (thrown) {
    bytes.close();
    if (thrown instanceof InputError) throw refused(bytes.place, thrown);
    if (thrown instanceof UsageError) throw new UsageError(`${bytes.place}: ${thrown.message}`);
    throw thrown;
  }
}

/** What is read in a source; what is wrong there names the source. */
export async function inPlace<Result>(
  bytes: ByteSource,
  run: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof InputError) throw refused(bytes.place, thrown);
    if (!(thrown instanceof UsageError) || thrown instanceof PlacedError) throw thrown;
    throw new PlacedError(`${bytes.place}: ${thrown.message}`);
  }
}

/** The records of a source; what is wrong with them names the source. */
export function* located<Record>(
  source: string,
  records: Iterable<Record> & { readonly place: string },
): Generator<Record, void> {
  try {
    yield* records;
  } catch (thrown) {
    if (thrown instanceof InputError) throw refused(source, thrown);
    if (!(thrown instanceof UsageError)) throw thrown;
    throw new PlacedError(`${source}: ${records.place}: ${thrown.message}`);
  }
}

/** The error of what a file holds. Its path begins with what the service calls the content. */
export function refused(place: string, thrown: InputError): UsageError {
  if (thrown.cause instanceof PlacedError) return thrown.cause;
  const path = thrown.path.replace(/^(?:files|records|source|batches\[\d+\])\.?/, "");
  const reason = thrown.cause instanceof UsageError ? thrown.cause.message : thrown.reason;
  return new PlacedError([place, path, reason].filter((part) => part !== "").join(": "));
}
