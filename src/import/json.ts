// JSON of any size: an array of records, or a Batch.

import { describe, InputError } from "../schema/errors.ts";
import type { Schema } from "../schema/schema.ts";
import type { BatchInput } from "../service/batch.ts";
import { Contact } from "../service/contact.ts";
import { converting } from "./convert.ts";
import { fedLater, type Decoder } from "./feed.ts";
import { RecordForm, type ImportOf } from "./form.ts";
import { parseElements, unrounded } from "./json-parse.ts";
import { JsonScanner, type RecordArray, type Shape } from "./json-scanner.ts";
import { readBytes, readMaxBytes, refusals, type ReadingOf, type TextOptions } from "./reading.ts";
import type { PlaceOf } from "./json-rows.ts";
import type { Sink } from "./sink.ts";
import type { Bytes } from "./source.ts";

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
  options: TextOptions<S> = {},
): ReadingOf<Source, ImportOf<S>> {
  return readBytes(source, options, (_, sink) => jsonDecoder(converting(sink, options)), unrounded);
}

/** Replaces the array in the scanner's result. */
const ARRAY = Symbol("records");

export function jsonDecoder(sink: Sink): Decoder {
  const open = (path: string) => arrayInto(sink, path, ARRAY);
  const scanner = new JsonScanner({ shape: "records", root: "records", open });
  return {
    take(bytes, isEnd) {
      const taken = scanner.take(bytes, isEnd);
      if (!isEnd || scanner.result === ARRAY) return taken;
      throw new InputError("records", `must be an array, not ${describe(scanner.result)}`);
    },
  };
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
  options: Pick<TextOptions, "skipInvalid" | "onProgress" | "maxBytes"> = {},
): Promise<BatchInput> {
  const { skipInvalid, onProgress } = options;
  const maxBytes = readMaxBytes(options);
  const refusing = refusals(skipInvalid && new RecordForm(Contact), skipInvalid);
  let scanner = new JsonScanner({
    shape: BATCH,
    root: "batch",
    open(path) {
      const contacts: unknown[] = [];
      const take = (contact: unknown, index: number, placeOf: PlaceOf) => {
        if (refusing.takes(contact, () => placeOf(index))) contacts.push(contact);
      };
      return arrayInto({ take }, path, contacts);
    },
  });
  for await (scanner of fedLater(scanner, source, scanner, undefined, onProgress, maxBytes));
  // The consumer of a Batch checks all of it.
  return scanner.result as BatchInput;
}

/** An array whose records go into a sink. @param value replaces it in the scanner's result */
export function arrayInto(sink: Sink, path: string, value: unknown): RecordArray {
  let first = 0;
  const placeOf: PlaceOf = (number) => `${path}[${number}]`;
  return {
    value,
    add(start, _end, count, bytes) {
      const { json } = sink;
      const take: Sink["take"] = sink.take.bind(sink);
      if (json !== undefined) {
        json.readAll({ bytes, offset: start, first }, placeOf, take);
      } else {
        const values = parseElements(bytes, start, (index) => placeOf(first + index));
        for (const [index, each] of values.entries()) take(each, first + index, placeOf);
      }
      first += count;
    },
  };
}
