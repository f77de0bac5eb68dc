// JSON of any size: an array of records, or a Batch.

import { InputError } from "../schema/errors.ts";
import { describe } from "../schema/errors.ts";
import type { Schema } from "../schema/schema.ts";
import type { BatchInput } from "../service/batch.ts";
import { Contact } from "../service/contact.ts";
import { RecordForm, type ImportOf } from "./form.ts";
import { parseElements, unrounded } from "./json-parse.ts";
import { JsonScanner, type RecordArray, type Shape } from "./json-scanner.ts";
import { readBytes, reasonOf, type Parsed, type ReadingOf, type ReadOptions } from "./reading.ts";
import { driveAsync, type Bytes, type Stage } from "./source.ts";

/**
 * Reads a JSON array of records, gzipped or not, in bounded memory: a record may have 16 MiB. Invalid
 * JSON can't be skipped, because nothing marks where the next record begins.
 *
 * @param source bytes; if they are synchronous, so is iteration
 * @throws InputError with the path of the record, such as `records[3].size`, during iteration, and
 *   with the byte where it is not JSON
 */
export function readJson<Source extends Bytes, S extends Schema | undefined = undefined>(
  source: Source,
  options: ReadOptions<S> = {},
): ReadingOf<Source, ImportOf<S>> {
  return readBytes(source, options, () => new ArrayStage(), unrounded);
}

/** Replaces the array in the scanner's result. */
const ARRAY = Symbol("records");

export class ArrayStage implements Stage<Parsed>, RecordArray {
  readonly value = ARRAY;
  readonly #scanner = new JsonScanner({
    shape: "records",
    root: "records",
    open: () => this,
    keep: true,
  });
  #index = 0;
  #parsed: Parsed[] = [];

  *push(piece: Uint8Array): Generator<Parsed, void> {
    this.#scanner.push(piece);
    yield* this.#take();
  }

  *end(): Generator<Parsed, void> {
    const value = this.#scanner.end();
    yield* this.#take();
    if (value !== ARRAY)
      throw new InputError("records", `must be an array, not ${describe(value)}`);
  }

  add(start: number, _end: number, count: number, bytes = new Uint8Array(0)): void {
    const first = this.#index;
    const placeOf = (index: number) => `records[${first + index}]`;
    this.#parsed.push({ values: parseElements(bytes, start, placeOf), placeOf });
    this.#index += count;
  }

  #take(): Parsed[] {
    const parsed = this.#parsed;
    this.#parsed = [];
    return parsed;
  }
}

/** The shape of a Batch, whose records are the Contacts of its Lists. */
export const BATCH: Shape = {
  members: new Map([["lists", { each: { members: new Map([["contacts", "records" as const]]) } }]]),
};

/**
 * Reads the JSON of a Batch, gzipped or not, even if it is longer than a string may be. Holds all of
 * its Contacts in memory; {@link openBatch} reads them one by one.
 *
 * @param options `skipInvalid` is called with each refused Contact, which is then skipped
 * @throws InputError with the path, such as `batch.lists[0].contacts[3]`, and the byte where it is not
 *   JSON. The consumer checks whether it is a Batch.
 */
export async function readBatch(
  source: Bytes,
  { skipInvalid, onProgress }: Pick<ReadOptions, "skipInvalid" | "onProgress"> = {},
): Promise<BatchInput> {
  const form = skipInvalid && new RecordForm(Contact);
  const scanner = new JsonScanner({
    shape: BATCH,
    root: "batch",
    keep: true,
    open(path) {
      const contacts: unknown[] = [];
      let index = 0;
      return {
        value: contacts,
        add(start, _end, count, bytes = new Uint8Array(0)) {
          const placeOf = (at: number) => `${path}[${index + at}]`;
          for (const [at, contact] of parseElements(bytes, start, placeOf).entries()) {
            const refusal = form?.refusalOf(contact);
            if (refusal === undefined) contacts.push(contact);
            else {
              skipInvalid?.({ place: placeOf(at), reason: reasonOf(refusal), record: contact });
            }
          }
          index += count;
        },
      };
    },
  });
  for await (const value of driveAsync(source, whole(scanner), onProgress)) {
    // The consumer of a Batch checks all of it.
    return value as BatchInput;
  }
  throw new Error("a text has a value");
}

/** A stage that returns the scanner's value at the end. */
export function whole(scanner: JsonScanner): Stage<unknown> {
  return {
    push(piece) {
      scanner.push(piece);
      return [];
    },
    end: () => [scanner.end()],
  };
}
