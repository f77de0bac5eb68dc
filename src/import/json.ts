// JSON of any size: records, in arrays or one after the other, or a Batch.

import { describe, InputError } from "../schema/errors.ts";
import { isMembers } from "../schema/input.ts";
import type { Schema } from "../schema/schema.ts";
import type { BatchInput } from "../service/batch.ts";
import { Contact } from "../service/contact.ts";
import { converting, type ConvertOptions } from "./convert.ts";
import { fedLater, type Decoder } from "./feed.ts";
import { flattening } from "./flatten.ts";
import { RecordForm, type ImportOf } from "./form.ts";
import type { FormatOptions } from "./found-format.ts";
import { readJsonFormat, type JsonFormat, type JsonFormatOptions } from "./json-format.ts";
import { exactly } from "./json-value.ts";
import { parseElements, parseValue } from "./json-parse.ts";
import { JsonScanner, type RecordArray, type Shape } from "./json-scanner.ts";
import { readBytes, readMaxBytes, refusals, type ReadingOf, type TextOptions } from "./reading.ts";
import type { PlaceOf } from "./json-rows.ts";
import type { Sink } from "./sink.ts";
import type { Bytes } from "./source.ts";

/** The options of `readJson`. */
export interface JsonOptions<S extends Schema | undefined = undefined>
  extends TextOptions<S>, JsonFormatOptions {}

/**
 * Reads the records of JSON, compressed or not, in bounded memory: those of an array, of an array within an object, or
 * values one after the other. A record may have 16 MiB. Invalid JSON can't be skipped, because nothing marks where the
 * next record begins.
 *
 * @param source bytes; if they are synchronous, so is iteration
 * @throws InputError with the path of the record, such as `records[3].size`, during iteration, and
 *   with the byte where it is not JSON
 */
export function readJson<Source extends Bytes, S extends Schema | undefined = undefined>(
  source: Source,
  options: JsonOptions<S> = {},
): ReadingOf<Source, ImportOf<S>> {
  const format = readJsonFormat(options);
  const decoderOf = (sink: Sink) => jsonDecoder(jsonSink(sink, format, options), format, options);
  return readBytes(source, options, (_, sink) => decoderOf(sink));
}

/** The sink for JSON records, which flattens and converts them first if the options say so. */
export const jsonSink = (
  sink: Sink,
  format: JsonFormat,
  options: ConvertOptions & { readonly schema?: Schema | undefined },
): Sink => flattening(converting(exactly(sink, options.schema), options), format);

const ROOT = "records";

export function jsonDecoder(
  sink: Sink,
  { at, isNonFiniteNull: isLenient }: JsonFormat,
  { onFormat }: FormatOptions,
): Decoder {
  const open = (path: string) => arrayInto(sink, path, ARRAY, isLenient);
  if (at !== undefined && at.length > 0) return withinDecoder(open, at, isLenient);
  const all = open(ROOT);
  return new JsonScanner({
    ...{ shape: "sequence", root: ROOT, isLenient },
    open: () => all,
    takeOnly(bytes, offset) {
      const value = parseValue(bytes, offset, ROOT, isLenient);
      if (!isMembers(value)) {
        throw new InputError(ROOT, `must be an array or objects, not ${describe(value)}`);
      }
      const path = at === undefined ? wrappedIn(value) : undefined;
      if (path !== undefined) {
        onFormat?.({ format: "json", at: path.join(".") });
        withinDecoder(open, path, isLenient).take(bytes, true);
        return;
      }
      const arrays = at === undefined ? arraysIn(value).map((each) => each.join(".")) : [];
      onFormat?.({ format: "json", ...(arrays.length > 0 && { arrays }) });
      all.add(offset, offset + bytes.length, 1, bytes);
    },
  });
}

/** Replaces the array in the scanner's result. */
const ARRAY = Symbol(ROOT);

/** Reads the array at a path of an object, or of each of several objects. */
function withinDecoder(
  open: (path: string) => RecordArray,
  at: readonly string[],
  isLenient: boolean,
): Decoder {
  let isFound = false;
  const shape = at.reduceRight<Shape>(
    (inner, name) => ({ members: new Map([[name, inner]]) }),
    ROOT,
  );
  const scanner = new JsonScanner({
    ...{ shape, root: ROOT, isRepeated: true, isLenient },
    open(path) {
      isFound = true;
      return open(path.replace(/^records\.?/, ""));
    },
  });
  return {
    take(bytes, isEnd) {
      const taken = scanner.take(bytes, isEnd);
      if (!isEnd || isFound) return taken;
      throw new InputError(
        ROOT,
        `has no array at ${at.join(".")}; set the option at to the path of an array`,
      );
    },
  };
}

/** How many arrays are looked for, and in how many objects within each other. */
const MOST_ARRAYS = 20;
const MOST_DEPTH = 8;

/** The names under which APIs and other programs write records, in whatever they write around them. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...["data", "docs", "features", "hits", "items", "records", "response"],
  ...["result", "results", "rows", "value"],
]);

/**
 * The path of the array of records in an object. Only names decide: whether an array has records now must not make
 * those of another, or the object itself, the records.
 *
 * @throws InputError if there are several
 */
function wrappedIn(value: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const [found, ...others] = arraysIn(value, (name, isOnly) => isOnly || WRAPPERS.has(name));
  if (found === undefined) return undefined;
  const named = [found, ...others].map((path) => `"${path.join(".")}"`);
  const whole = 'or to "" if the object is one record';
  if (named.length > 1) {
    const reason = `has several arrays that may be the records; set the option at to ${named.join(" or ")}, ${whole}`;
    throw new InputError(ROOT, reason);
  }
  return found;
}

/**
 * The paths of the arrays of objects, or of nothing, in an object and in the objects in it.
 *
 * @param isWithin whether a member may be one, or have one
 */
function arraysIn(
  value: Readonly<Record<string, unknown>>,
  isWithin: (name: string, isOnly: boolean) => boolean = () => true,
): (readonly string[])[] {
  const found: (readonly string[])[] = [];
  const ahead: { readonly within: unknown; readonly path: readonly string[] }[] = [
    { within: value, path: [] },
  ];
  // Elements are added meanwhile.
  for (const { within, path } of ahead) {
    if (Array.isArray(within)) {
      if (within.every(isMembers)) found.push(path);
    } else if (isMembers(within) && path.length < MOST_DEPTH) {
      const members = Object.entries(within);
      for (const [name, each] of members) {
        // The option can't refer to a name that is empty or has a dot.
        const isNamed = name !== "" && !name.includes(".");
        if (isNamed && isWithin(name, members.length === 1)) {
          ahead.push({ within: each, path: [...path, name] });
        }
      }
    }
    if (found.length === MOST_ARRAYS) break;
  }
  return found;
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
  options: Pick<TextOptions, "skipInvalid" | "onProgress" | "maxBytes" | "zstd"> = {},
): Promise<BatchInput> {
  const { skipInvalid, onProgress, zstd } = options;
  const given = { encoding: "utf-8", onProgress, maxBytes: readMaxBytes(options), zstd };
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
  for await (scanner of fedLater(scanner, source, scanner, given));
  // A Batch is checked by its consumer.
  return scanner.result as BatchInput;
}

/** An array whose records go into a sink. @param value replaces it in the scanner's result */
export function arrayInto(
  sink: Sink,
  path: string,
  value: unknown,
  isLenient = false,
): RecordArray {
  let first = 0;
  const placeOf: PlaceOf = (number) => `${path}[${number}]`;
  return {
    value,
    add(start, _end, count, bytes) {
      const { json } = sink;
      const take: Sink["take"] = sink.take.bind(sink);
      if (json !== undefined) {
        json.readAll({ bytes, offset: start, first, isLenient }, placeOf, take);
      } else {
        const values = parseElements(bytes, start, (index) => placeOf(first + index), isLenient);
        for (const [index, each] of values.entries()) take(each, first + index, placeOf);
      }
      first += count;
    },
  };
}
