// Loads Batches in JSON, of any size, and adds the file name to errors.

import { InputError, type Batch } from "../index.ts";
import { loadBatch, UndeclaredError } from "../import/index.ts";
import type { ByteSource } from "./bytes.ts";
import { PlacedError, UsageError } from "./errors.ts";
import { zstd } from "./formats.ts";
import { forShell } from "./text.ts";

/** Input for the service, and its origin. */
export interface Source<Content = unknown> {
  readonly place: string;
  /** A Batch, or what JSON.parse would return, except that iteration makes the records. */
  readonly content: Content;
  /** The place of the record that was read last, if it has one. */
  readonly recordPlace?: () => string | undefined;
  /** Whether options, rather than the source, determine the fields and types of its columns. */
  readonly isFlat?: true;
}

/**
 * Loads the JSON of a Batch.
 *
 * @param index its position among the service's Batches
 * @throws UsageError with the place if it is not JSON, or exceeds a limit
 */
export function loadBatchIn(
  { place, chunks }: Pick<ByteSource, "place" | "chunks">,
  index: number,
): Source<Batch> {
  const name = `batches[${index}]`;
  const read = (pass: "check" | "load") => chunks(pass === "check" ? "Checking" : "Loading");
  try {
    return { place, content: loadBatch(read, { name, zstd }) };
  } catch (thrown) {
    throw placed(place, thrown);
  }
}

/** Returns the result of `run`. Errors name the source. */
export async function inPlace<Result>(
  { place }: ByteSource,
  run: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (thrown) {
    throw placed(place, thrown);
  }
}

/** The records of a source. Errors name the source. */
export function* located<Record>(
  source: string,
  records: Iterable<Record> & { readonly place: string },
): Generator<Record, void> {
  try {
    yield* records;
  } catch (thrown) {
    throw placed(thrown instanceof UsageError ? `${source}: ${records.place}` : source, thrown);
  }
}

/** Adds the source's name to an error thrown while it was read. */
function placed(place: string, thrown: unknown): unknown {
  if (thrown instanceof InputError) return refused({ place }, thrown);
  if (!(thrown instanceof UsageError) || thrown instanceof PlacedError) return thrown;
  return new PlacedError(`${place}: ${thrown.message}`);
}

/** The error for the content of a source. Its path begins with the name that the service has for the content. */
export function refused(
  { place, recordPlace }: Pick<Source, "place" | "recordPlace">,
  thrown: InputError,
): UsageError {
  if (thrown.cause instanceof PlacedError) return thrown.cause;
  const record = recordPlace?.();
  const path = thrown.path
    .replace(/^(?:files|records|source|batches\[\d+\])\.?/, "")
    .replace(/^\[\d+\]/, (own) => record ?? own);
  const reason = thrown.cause instanceof UsageError ? thrown.cause.message : thrown.reason;
  const hint = thrown instanceof UndeclaredError ? whatToAdd(thrown) : "";
  return new PlacedError([place, path, reason + hint].filter((part) => part !== "").join(": "));
}

/** How many options an error suggests; a file may have any number of columns. */
const MOST_PROPOSED = 20;

/** The options that map columns to fields. */
function whatToAdd({ listFields, columns: [column] }: UndeclaredError): string {
  const hints: string[] = [];
  const [first] = listFields;
  if (first !== undefined) {
    const named = listFields.slice(0, MOST_PROPOSED);
    const declared = named.map((name) => `--list-field ${forShell(name)}`).join(" ");
    hints.push(`; add ${declared} (${forShell(`${first}=int`)} for an int)`);
  }
  if (column !== undefined) {
    const option = `--column ${forShell(`${column}=FIELD`)}`;
    hints.push(`; ${option} maps one to a field, and --ignore-columns leaves them out`);
  }
  return hints.join("");
}
