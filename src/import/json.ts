// JSON of any size: an array of records, or a Batch.

import { describe, InputError } from "../schema/errors.ts";
import type { Schema } from "../schema/schema.ts";
import type { BatchInput } from "../service/batch.ts";
import { Contact } from "../service/contact.ts";
import type { Decoder } from "./decoder.ts";
import { RecordForm, type ImportOf } from "./form.ts";
import { parseElements, unrounded } from "./json-parse.ts";
import { JsonScanner, type RecordArray, type Shape } from "./json-scanner.ts";
import { readBytes, Refusing } from "./reading.ts";
import type { Parsed, ReadingOf, ReadOptions } from "./reading.ts";
import type { ByteSink, JsonSink } from "./sink.ts";
import { decodeAsync, type Bytes } from "./source.ts";

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
  return readBytes(source, options, (_, sink) => new JsonDecoder(sink), unrounded);
}

/** Replaces the array in the scanner's result. */
const ARRAY = Symbol("records");

export class JsonDecoder implements Decoder<Parsed> {
  readonly #scanner: JsonScanner;
  #parsed: Parsed[] = [];

  constructor(sink?: ByteSink) {
    const open = (path: string) =>
      sink?.json === undefined
        ? parsedArray(path, ARRAY, (parsed) => void this.#parsed.push(parsed))
        : pouredArray(path, ARRAY, sink.json);
    this.#scanner = new JsonScanner({ shape: "records", root: "records", open });
  }

  *push(piece: Uint8Array): Generator<Parsed, void> {
    this.#scanner.push(piece);
    yield* this.#take();
  }

  *end(): Generator<Parsed, void> {
    const [value] = this.#scanner.end();
    yield* this.#take();
    if (value !== ARRAY)
      throw new InputError("records", `must be an array, not ${describe(value)}`);
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
  const refusing = new Refusing(skipInvalid && new RecordForm(Contact), skipInvalid);
  const scanner = new JsonScanner({
    shape: BATCH,
    root: "batch",
    open(path) {
      const contacts: unknown[] = [];
      return parsedArray(path, contacts, ({ values, numberOf, placeOf }) => {
        for (const [index, contact] of values.entries()) {
          if (refusing.takes(contact, () => placeOf(numberOf(index)))) contacts.push(contact);
        }
      });
    },
  });
  for await (const value of decodeAsync(source, scanner, onProgress)) {
    // The consumer of a Batch checks all of it.
    return value as BatchInput;
  }
  throw new Error("a text has a value");
}

/** An array whose records are parsed as they come. @param value replaces it in the scanner's result */
export function parsedArray(
  path: string,
  value: unknown,
  take: (parsed: Parsed) => void,
): RecordArray {
  let first = 0;
  const placeOf = (number: number) => `${path}[${number}]`;
  return {
    value,
    add(start, _end, count, bytes) {
      const before = first;
      const numberOf = (index: number) => before + index;
      const values = parseElements(bytes, start, (index) => placeOf(before + index));
      take({ values, numberOf, placeOf });
      first += count;
    },
  };
}

/** An array whose records go into a sink from their bytes. */
function pouredArray(path: string, value: unknown, sink: JsonSink): RecordArray {
  let first = 0;
  const placeOf = (number: number) => `${path}[${number}]`;
  return {
    value,
    add(start, _end, count, bytes) {
      sink.rows.readAll(
        bytes,
        start,
        (index) => placeOf(first + index),
        (index) => sink.took(first + index, placeOf),
        (record, index) => sink.take(record, first + index, placeOf),
      );
      first += count;
    },
  };
}
