// Batches in JSON, of any size, for the service: loaded, or as records that are made while it loads them.
// And how an error names the file where something is wrong.

import { InputError } from "../index.ts";
import { UndeclaredError, type Undeclared } from "../import/form.ts";
import { loadBatch, openBatch as openJsonBatch } from "../import/index.ts";
import type { ByteSource } from "./bytes.ts";
import { PlacedError, UsageError } from "./errors.ts";
import { forShell } from "./text.ts";

/** Input for the service, and the place it comes from. */
export interface Source {
  readonly place: string;
  /** What JSON.parse would give, but that the records are made while they are iterated over; or a Batch. */
  readonly content: unknown;
  /** Whether options say which fields its columns are, and of which type: the source itself does not. */
  readonly isFlat?: true;
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
  const hint = thrown instanceof UndeclaredError ? whatToAdd(thrown.undeclared) : "";
  return new PlacedError([place, path, reason + hint].filter((part) => part !== "").join(": "));
}

/** How many options an error proposes: a file may have any number of columns. */
const MOST_PROPOSED = 20;

/** The options that say of which fields the columns are. */
function whatToAdd({ listFields, columns: [column] }: Undeclared): string {
  const hints: string[] = [];
  const [first] = listFields;
  if (first !== undefined) {
    const named = listFields.slice(0, MOST_PROPOSED);
    const declared = named.map((name) => `--list-field ${forShell(name)}`).join(" ");
    hints.push(`; add ${declared} (${forShell(`${first}=int`)} for an int)`);
  }
  if (column !== undefined) {
    const option = `--column ${forShell(`${column}=FIELD`)}`;
    hints.push(`; ${option} says which field one is, and --ignore-columns leaves them out`);
  }
  return hints.join("");
}
