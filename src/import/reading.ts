// Records on their way from a source: checked one by one, refused ones left out where that is wanted,
// and each with the place where it stands.

import { describe, InputError } from "../schema/errors.ts";
import { isFunction } from "../schema/input.ts";
import type { Schema } from "../schema/schema.ts";
import type { Contact } from "../service/contact.ts";
import { RecordForm, toError, type ImportOf, type ListFields, type Refusal } from "./form.ts";
import { drive, driveAsync, isSync, type Bytes, type Stage, type SyncBytes } from "./source.ts";

/** A record that was left out. */
export interface Refused {
  /** Where it stands: `line 17`, `lists[0].contacts[3]`, `row 5`. */
  readonly place: string;
  /** What is wrong with it, and where in it: `size: must be an integer …`. */
  readonly reason: string;
  /** What was read: a record, the values of a row, or a text where it could not be taken apart. */
  readonly record: unknown;
}

/** What all readers take. */
export interface ReadOptions<S extends Schema | undefined = undefined> {
  /** What the records are checked by; it also types them. Without it any record is given as it is. */
  readonly schema?: S;
  /** The List Fields of Contacts with their types. Without it any is taken. */
  readonly listFields?: S extends typeof Contact ? ListFields : never;
  /** Is told of each record that is refused; reading then goes on. Without it the first one is thrown. */
  readonly skipInvalid?: (refused: Refused) => void;
  /** Is told how many bytes of the source have been read. */
  readonly onProgress?: (bytes: number) => void;
}

/** What a reader makes of a piece. */
export interface Parsed {
  readonly values: readonly unknown[];
  placeOf(index: number): string;
}

/** In the place of a record that could not be made of what was read. */
export class Malformed {
  readonly read: unknown;
  readonly reason: string;

  constructor(read: unknown, reason: string) {
    this.read = read;
    this.reason = reason;
  }
}

/** Records that are read while they are iterated over. */
export interface Reading<T> extends AsyncIterable<T> {
  /** Where the record stands that was given last. */
  readonly place: string;
  /** How many records were refused so far. */
  readonly refused: number;
  /**
   * All records at once.
   *
   * @throws InputError with the place of the first one that is refused, and of what can't be read
   */
  collect(): Promise<T[]>;
}

/** The same of bytes that need not be waited for: `createCollection` takes it as it is. */
export interface SyncReading<T> extends Reading<T>, Iterable<T> {}

/** What reading a source gives. */
export type ReadingOf<Source, T> = Source extends SyncBytes ? SyncReading<T> : Reading<T>;

/**
 * Reads bytes by a stage; each iteration has its own.
 *
 * @param plain what is asked of records where there is no schema
 */
export function readBytes<Source extends Bytes, S extends Schema | undefined>(
  source: Source,
  options: ReadOptions<S>,
  createStage: (form: RecordForm | undefined) => Stage<Parsed>,
  plain?: RecordCheck,
): ReadingOf<Source, ImportOf<S>> {
  const form = formOf(options);
  const { onProgress } = options;
  const reading = isSync(source)
    ? new SyncRecords(() => drive(source, createStage(form), onProgress), form ?? plain, options)
    : new Records(() => driveAsync(source, createStage(form), onProgress), form ?? plain, options);
  // The records were checked by the schema that types them, and the class was chosen by the source.
  return reading as unknown as ReadingOf<Source, ImportOf<S>>;
}

/** What is asked of records before they are given. */
export interface RecordCheck {
  refusalOf(record: unknown): Refusal | undefined;
}

/** The form of the records that are wanted. */
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

/** What becomes of records: they are taken, or refused. */
export class Refusing {
  readonly #check: RecordCheck | undefined;
  readonly #skipInvalid: SkipInvalid;
  #count = 0;

  constructor(check: RecordCheck | undefined, skipInvalid: SkipInvalid) {
    this.#check = check;
    this.#skipInvalid = skipInvalid;
  }

  /** How many were refused so far. */
  get count(): number {
    return this.#count;
  }

  /**
   * Whether a record is taken.
   *
   * @throws InputError with its place where it is not, and is not to be left out
   */
  takes(value: unknown, place: () => string): boolean {
    const refusal =
      value instanceof Malformed
        ? { path: "", reason: value.reason }
        : this.#check?.refusalOf(value);
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

export class Records implements Reading<unknown> {
  readonly #open: () => Iterable<Parsed> | AsyncIterable<Parsed>;
  readonly #refusing: Refusing;
  #parsed: Parsed | undefined;
  #index = 0;

  constructor(
    open: () => Iterable<Parsed> | AsyncIterable<Parsed>,
    check: RecordCheck | undefined,
    { skipInvalid }: { readonly skipInvalid?: SkipInvalid },
  ) {
    this.#open = open;
    this.#refusing = new Refusing(check, skipInvalid);
  }

  get place(): string {
    return this.#parsed?.placeOf(this.#index) ?? "start";
  }

  get refused(): number {
    return this.#refusing.count;
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
      if (this.#refusing.takes(value, place)) yield value;
    }
  }
}

/** What is wrong, and where in the record. */
export function reasonOf({ path, reason }: Refusal): string {
  return path === "" ? reason : `${path.replace(/^\./, "")}: ${reason}`;
}

export class SyncRecords extends Records implements SyncReading<unknown> {
  readonly #openSync: () => Iterable<Parsed>;

  constructor(open: () => Iterable<Parsed>, ...rest: Rest) {
    super(open, ...rest);
    this.#openSync = open;
  }

  *[Symbol.iterator](): Generator<unknown, void> {
    for (const parsed of this.#openSync()) yield* this.recordsOf(parsed);
  }
}

type Rest = [check: RecordCheck | undefined, options: { readonly skipInvalid?: SkipInvalid }];
