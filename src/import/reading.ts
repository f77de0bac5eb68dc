// Reads records from a source: checks each, skips refused ones on request, and gives the place of
// each.

import { describe, InputError } from "../schema/errors.ts";
import { isFunction } from "../schema/input.ts";
import type { Schema } from "../schema/schema.ts";
import type { Contact } from "../service/contact.ts";
import type { Decoder } from "./decoder.ts";
import { RecordForm, toError } from "./form.ts";
import type { ImportOf, ListFields, RecordCheck, Refusal } from "./form.ts";
import type { Sink } from "./sink.ts";
import { decode, decodeAsync, isSync, type Bytes, type SyncBytes } from "./source.ts";

/** A record that was skipped. */
export interface Refused {
  /** Where it is: `line 17`, `lists[0].contacts[3]`, `row 5`. */
  readonly place: string;
  /** What is wrong, and where in the record: `size: must be an integer …`. */
  readonly reason: string;
  /** What was read: a record, the values of a row, or the text if it could not be parsed. */
  readonly record: unknown;
}

/** The options of all readers. */
export interface ReadOptions<S extends Schema | undefined = undefined> {
  /** Checks and types the records. Without it, records are passed on as they are. */
  readonly schema?: S;
  /** The List Fields of Contacts with their types. Without it, any are accepted. */
  readonly listFields?: S extends typeof Contact ? ListFields : never;
  /** Called with each refused record; reading then continues. Without it, the first one throws. */
  readonly skipInvalid?: (refused: Refused) => void;
  /** Called with the number of bytes of the source read so far. */
  readonly onProgress?: (bytes: number) => void;
}

/** What a reader has parsed from a piece. */
export interface Parsed {
  readonly values: readonly unknown[];
  /** The number that the source gives a record: of its line, of its row, in its array. */
  readonly numberOf: (index: number) => number;
  /** The place with such a number. */
  readonly placeOf: (number: number) => string;
}

/** Replaces a record that could not be parsed. */
export class Malformed {
  readonly read: unknown;
  readonly reason: string;

  constructor(read: unknown, reason: string) {
    this.read = read;
    this.reason = reason;
  }
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

/** The same for synchronous bytes; `createCollection` accepts it as it is. */
export interface SyncReading<T> extends Reading<T>, Iterable<T> {}

/** The result of reading a source. */
export type ReadingOf<Source, T> = Source extends SyncBytes ? SyncReading<T> : Reading<T>;

/**
 * Reads bytes through a decoder; each iteration has its own.
 *
 * @param plain the check of records if there is no schema
 */
export function readBytes<Source extends Bytes, S extends Schema | undefined>(
  source: Source,
  options: ReadOptions<S>,
  createDecoder: (form: RecordForm | undefined, sink?: Sink) => Decoder<Parsed>,
  plain?: RecordCheck,
): ReadingOf<Source, ImportOf<S>> {
  const form = formOf(options);
  const { onProgress } = options;
  const reading = isSync(source)
    ? new SyncRecords(
        (sink) => decode(source, createDecoder(form, sink), onProgress),
        form ?? plain,
        options,
      )
    : new Records(
        (sink) => decodeAsync(source, createDecoder(form, sink), onProgress),
        form ?? plain,
        options,
      );
  // The schema that types the records has checked them, and the source determines the class.
  return reading as unknown as ReadingOf<Source, ImportOf<S>>;
}

/** The form that the records must have. */
export function formOf({
  schema,
  listFields,
  skipInvalid,
}: AnyReadOptions): RecordForm | undefined {
  if (skipInvalid !== undefined && !isFunction(skipInvalid)) {
    throw new InputError("options.skipInvalid", `must be a function, not ${describe(skipInvalid)}`);
  }
  return schema === undefined ? undefined : new RecordForm(schema, listFields);
}

type AnyReadOptions = Omit<ReadOptions<Schema | undefined>, "listFields"> & {
  readonly listFields?: ListFields | undefined;
};

export type SkipInvalid = ((refused: Refused) => void) | undefined;

/** Accepts or refuses records. */
export class Refusing {
  readonly #check: RecordCheck | undefined;
  readonly #skipInvalid: SkipInvalid;
  #count = 0;

  constructor(check: RecordCheck | undefined, skipInvalid: SkipInvalid) {
    this.#check = check;
    this.#skipInvalid = skipInvalid;
  }

  /** How many have been refused so far. */
  get count(): number {
    return this.#count;
  }

  /**
   * Whether a record is accepted.
   *
   * @param check in place of the usual one
   * @throws InputError with its place if it is not, and is not to be skipped
   */
  takes(value: unknown, place: () => string, check = this.#check): boolean {
    const refusal =
      value instanceof Malformed ? { path: "", reason: value.reason } : check?.refusalOf(value);
    if (refusal === undefined) return true;
    if (this.#skipInvalid === undefined) throw toError(place(), refusal);
    this.#count++;
    this.#skipInvalid({
      place: place(),
      reason: reasonOf(refusal),
      record: value instanceof Malformed ? value.read : value,
    });
    return false;
  }
}

/** Reads the source, for an iteration or into a sink. */
type Open<Pieces> = (sink?: Sink) => Pieces;

export class Records implements Reading<unknown> {
  /** The schema of the records, if it was given. */
  readonly schema: Schema | undefined;
  /** Finds the schema that the source declares, if it does. */
  readonly declared: (() => Schema | Promise<Schema>) | undefined;
  readonly refusing: Refusing;
  readonly #open: Open<Iterable<Parsed> | AsyncIterable<Parsed>>;
  #parsed: Parsed | undefined;
  #index = 0;

  constructor(
    open: Open<Iterable<Parsed> | AsyncIterable<Parsed>>,
    check: RecordCheck | undefined,
    { skipInvalid }: { readonly skipInvalid?: SkipInvalid },
    declared?: () => Schema | Promise<Schema>,
  ) {
    this.schema = check instanceof RecordForm ? check.schema : undefined;
    this.declared = declared;
    this.refusing = new Refusing(check, skipInvalid);
    this.#open = open;
  }

  get place(): string {
    const parsed = this.#parsed;
    return parsed?.placeOf(parsed.numberOf(this.#index)) ?? "start";
  }

  get refused(): number {
    return this.refusing.count;
  }

  /** Reads all records into a sink. */
  async pour(sink: Sink): Promise<void> {
    for await (const parsed of this.#open(sink)) putInto(sink, parsed);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void> {
    for await (const parsed of this.#open()) yield* this.recordsOf(parsed);
  }

  async collect(): Promise<unknown[]> {
    const all: unknown[] = [];
    for await (const parsed of this.#open())
      for (const record of this.recordsOf(parsed)) all.push(record);
    return all;
  }

  protected *recordsOf(parsed: Parsed): Generator<unknown, void> {
    this.#parsed = parsed;
    const { values } = parsed;
    const place = () => this.place;
    for (let index = 0; index < values.length; index++) {
      const value = values[index];
      this.#index = index;
      if (this.refusing.takes(value, place)) yield value;
    }
  }
}

function putInto(sink: Sink, { values, numberOf, placeOf }: Parsed): void {
  for (let index = 0; index < values.length; index++) {
    sink.take(values[index], numberOf(index), placeOf);
  }
}

/** What is wrong and where in the record. */
export function reasonOf({ path, reason }: Refusal): string {
  return path === "" ? reason : `${path.replace(/^\./, "")}: ${reason}`;
}

export class SyncRecords extends Records implements SyncReading<unknown> {
  readonly #openSync: Open<Iterable<Parsed>>;

  constructor(open: Open<Iterable<Parsed>>, ...rest: Rest) {
    super(open, ...rest);
    this.#openSync = open;
  }

  /** The same at once. */
  pourSync(sink: Sink): void {
    for (const parsed of this.#openSync(sink)) putInto(sink, parsed);
  }

  *[Symbol.iterator](): Generator<unknown, void> {
    for (const parsed of this.#openSync()) yield* this.recordsOf(parsed);
  }
}

type Rest = [
  check: RecordCheck | undefined,
  options: { readonly skipInvalid?: SkipInvalid },
  declared?: () => Schema,
];
