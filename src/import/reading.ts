// Reads records from a source: checks each, skips invalid ones on request, and tracks their places.

import { amount, callable, optional } from "../schema/options.ts";
import type { Schema } from "../schema/schema.ts";
import type { Contact } from "../service/contact.ts";
import type { ConvertOptions } from "./convert.ts";
import { fed, fedLater, type Decoder } from "./feed.ts";
import { RecordForm, toError } from "./form.ts";
import type { ImportOf, ListFields, RecordCheck, Refusal } from "./form.ts";
import type { PlaceOf } from "./json-rows.ts";
import type { FormatOptions } from "./found-format.ts";
import { RowPlaces } from "./row-places.ts";
import { Malformed, type Sink } from "./sink.ts";
import { isSync, type Bytes, type SyncBytes } from "./source.ts";
import type { Fzstd } from "./unzstd.ts";
import { transcoderOf } from "./utf8.ts";

/** A record that was skipped. */
export interface Refused {
  /** Where it is: `line 17`, `lists[0].contacts[3]`, `row 5`. */
  readonly place: string;
  /** What is wrong, and where in the record: `size: must be an integer …`. */
  readonly reason: string;
  /** The input: a record, the values of a row, or the text if it could not be parsed. */
  readonly record: unknown;
}

/** The options of all readers. */
export interface ReadOptions<S extends Schema | undefined = undefined> extends ConvertOptions {
  /** Checks and types the records. Without it, records are unchecked. */
  readonly schema?: S | undefined;
  /** The List Fields of Contacts with their types. Without it, any are accepted. */
  readonly listFields?: (S extends typeof Contact ? ListFields : never) | undefined;
  /**
   * Called with each refused record; reading then continues. Without it, the first one throws. Records that repeat the
   * value of a unique field or combination are refused, too, for which memory holds these values.
   */
  readonly skipInvalid?: ((refused: Refused) => void) | undefined;
  /** Called with the number of bytes of the source read so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

/** The options of readers of text. */
export interface TextOptions<S extends Schema | undefined = undefined>
  extends ReadOptions<S>, FormatOptions {
  /**
   * The encoding, a name that `TextDecoder` accepts, such as `windows-1252` or `utf-16le`. Default: UTF-16 if a byte
   * order mark says so, else `utf-8`. Not for a source that is a string. Errors count the bytes of the text in UTF-8.
   */
  readonly encoding?: string | undefined;
  /** The package fzstd, `import * as fzstd from "fzstd"`, to read Zstandard. Gzip needs none. */
  readonly zstd?: Fzstd | undefined;
  /**
   * The largest number of bytes, decompressed; more are refused. Default: no limit. A compressed megabyte may hold a
   * gigabyte.
   */
  readonly maxBytes?: number | undefined;
}

/** Records that are read during iteration. */
export interface Reading<T> extends AsyncIterable<T> {
  /** The place of the last record returned. */
  readonly place: string;
  /** How many records have been refused so far. */
  readonly refused: number;
  /**
   * All records at once.
   *
   * @throws InputError with the place of the first refused record, or of what can't be read
   */
  collect(): Promise<T[]>;
}

/** A reading of synchronous bytes; `createCollection` accepts it as it is. */
export interface SyncReading<T> extends Reading<T>, Iterable<T> {}

/** The result of reading a source. */
export type ReadingOf<Source, T> = Source extends SyncBytes ? SyncReading<T> : Reading<T>;

/**
 * Reads bytes through a decoder; each iteration has its own.
 */
export function readBytes<Source extends Bytes, S extends Schema | undefined>(
  source: Source,
  options: TextOptions<S>,
  createDecoder: (form: RecordForm | undefined, sink: Sink) => Decoder,
): ReadingOf<Source, ImportOf<S>> {
  const form = formOf(options);
  const { onProgress, onFormat, zstd } = options;
  optional(callable)(onFormat, "options.onFormat");
  const maxBytes = readMaxBytes(options);
  const encoding = typeof source === "string" ? "utf-8" : options.encoding;
  transcoderOf(encoding ?? "utf-8");
  const onEncoding = onFormat && ((found: string) => onFormat({ encoding: found }));
  const given = { encoding, onProgress, maxBytes, zstd, onEncoding };
  const decoderInto = (sink: Sink) => createDecoder(form, sink);
  const reading = isSync(source)
    ? new SyncRecords((to) => fed(to, source, decoderInto(to), given), form, options)
    : new Records((to) => fedLater(to, source, decoderInto(to), given), form, options);
  // The schema that types the records has checked them, and the source determines the class.
  return reading as unknown as ReadingOf<Source, ImportOf<S>>;
}

/** @throws InputError if it is not a number of bytes */
export const readMaxBytes = ({ maxBytes }: { readonly maxBytes?: number | undefined }): number =>
  optional(amount, Infinity)(maxBytes, "options.maxBytes");

export function formOf({
  schema,
  listFields,
  skipInvalid,
}: AnyReadOptions): RecordForm | undefined {
  optional(callable)(skipInvalid, "options.skipInvalid");
  return schema === undefined ? undefined : new RecordForm(schema, listFields);
}

type AnyReadOptions = Omit<ReadOptions<Schema | undefined>, "listFields"> & {
  readonly listFields?: ListFields | undefined;
};

export type SkipInvalid = ((refused: Refused) => void) | undefined;

export type Refusing = ReturnType<typeof refusals>;

export function refusals(usual: RecordCheck | undefined, skipInvalid: SkipInvalid) {
  let count = 0;

  /**
   * Whether a record is accepted.
   *
   * @param check replaces the usual one
   * @throws InputError with its place if it is not, and is not to be skipped
   */
  function takes(value: unknown, place: () => string, check = usual): boolean {
    const refusal =
      value instanceof Malformed ? { path: "", reason: value.reason } : check?.refusalOf(value);
    if (refusal === undefined) return true;
    if (skipInvalid === undefined) throw toError(place(), refusal);
    count++;
    skipInvalid({
      place: place(),
      reason: reasonOf(refusal),
      record: value instanceof Malformed ? value.read : value,
    });
    return false;
  }

  return { takes, refused: () => count, isSkipping: skipInvalid !== undefined };
}

/** Reads the source into a sink, and yields the sink after each part. */
type Open = <To extends Sink>(sink: To) => Iterable<To> | AsyncIterable<To>;
type OpenSync = <To extends Sink>(sink: To) => Iterable<To>;

/** Records that were read, but not returned yet. */
class Pending implements Sink {
  readonly values: unknown[] = [];
  readonly numbers: number[] = [];
  placeOf: PlaceOf = () => "start";
  /** Where the records came from that were returned. */
  readonly places = new RowPlaces();
  returned = 0;
  /** Checks the records of one pass; `undefined` for the usual check. */
  readonly check: RecordCheck | undefined;

  constructor(form: RecordForm | undefined) {
    const constraints = form?.schema.constraints ?? [];
    const placeOf = (row: number) => this.places.of(row);
    if (constraints.length > 0) this.check = form?.checking({ constraints, placeOf });
  }

  take(value: unknown, number: number, placeOf: PlaceOf): void {
    this.values.push(value);
    this.numbers.push(number);
    this.placeOf = placeOf;
  }
}

export class Records<Opening extends Open = Open> implements Reading<unknown> {
  /** The schema of the records, if one was given. */
  readonly schema: Schema | undefined;
  /** Finds the schema that the source declares, if any. */
  readonly declared: (() => Schema | Promise<Schema>) | undefined;
  readonly refusing: Refusing;
  protected readonly open: Opening;
  /** The form of the records, if those that repeat unique values are refused. */
  readonly #unique: RecordForm | undefined;
  #placeOf: PlaceOf = () => "start";
  #number = 0;

  constructor(
    open: Opening,
    check: RecordCheck | undefined,
    { skipInvalid }: { readonly skipInvalid?: SkipInvalid },
    declared?: () => Schema | Promise<Schema>,
  ) {
    const form = check instanceof RecordForm ? check : undefined;
    this.schema = form?.schema;
    this.#unique = skipInvalid && form;
    this.declared = declared;
    this.refusing = refusals(check, skipInvalid);
    this.open = open;
  }

  get place(): string {
    return this.#placeOf(this.#number);
  }

  get refused(): number {
    return this.refusing.refused();
  }

  /** Reads all records into a sink, and returns its result: synchronously if the bytes are synchronous. */
  pour<Result>(sink: Sink, finish: () => Result): Promise<Result> | Result {
    const all = async () => {
      let to = sink;
      for await (to of this.open(to));
      return finish();
    };
    return all();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void> {
    for await (const pending of this.open(this.pending())) yield* this.accepted(pending);
  }

  async collect(): Promise<unknown[]> {
    const all: unknown[] = [];
    for await (const pending of this.open(this.pending())) {
      for (const record of this.accepted(pending)) all.push(record);
    }
    return all;
  }

  protected pending(): Pending {
    return new Pending(this.#unique);
  }

  /** Removes and returns the records of a step. */
  protected *accepted(pending: Pending): Generator<unknown, void> {
    const { values, numbers, placeOf, check, places } = pending;
    this.#placeOf = placeOf;
    const place = () => this.place;
    for (let index = 0; index < values.length; index++) {
      const value = values[index];
      this.#number = numbers[index]!;
      if (!this.refusing.takes(value, place, check)) continue;
      if (check !== undefined) places.add(pending.returned++, this.#number, placeOf);
      yield value;
    }
    values.length = numbers.length = 0;
  }
}

export function reasonOf({ path, reason }: Refusal): string {
  return path === "" ? reason : `${path.replace(/^\./, "")}: ${reason}`;
}

export class SyncRecords extends Records<OpenSync> implements SyncReading<unknown> {
  override pour<Result>(sink: Sink, finish: () => Result): Result {
    let to = sink;
    for (to of this.open(to));
    return finish();
  }

  *[Symbol.iterator](): Generator<unknown, void> {
    for (const pending of this.open(this.pending())) yield* this.accepted(pending);
  }
}
