// Batches and Files in JSON, of any size, for the service to load. A first pass checks the whole
// text, reads all but the records, and notes where the records are; a second gives the records one
// by one to whoever loads them. Two, because the List Fields may stand after the Contacts.

import { openBytes, type ByteSource } from "./bytes.ts";
import { UsageError } from "./errors.ts";
import { JsonCursor, MEBIBYTE, parseElements } from "./json.ts";
import { wholeCharacters } from "./utf8.ts";

/** Input for the service, and the place it comes from. */
export interface Source {
  readonly place: string;
  /** What JSON.parse would give, but that the records are made while they are iterated over. */
  readonly content: unknown;
  /** Lets go of the file; no more records can be read then. */
  readonly close: () => void;
}

/** How many bytes a record may have: it is one text for JSON.parse. */
const LONGEST_RECORD = 16 * MEBIBYTE;

/** How many bytes of short records are noted as one: to note each takes more memory than `0,` has. */
const STRETCH = 64 * 1024;

/** How many bytes all may have that is no record: it is held until all is loaded. */
const LONGEST_REST = 64 * MEBIBYTE;

/**
 * Opens the JSON of a Batch.
 *
 * @throws UsageError with the place, where it can't be read, is not JSON, or is beyond a limit
 */
export async function openBatch(place: string): Promise<Source> {
  return openJson(await openBytes(place), (reader) => reader.batch());
}

/** Opens the JSON of an array of Files, as {@link openBatch} does that of a Batch. */
export async function openFiles(place: string): Promise<Source> {
  return openJson(await openBytes(place), (reader) => reader.records());
}

/** @throws UsageError with the place; the bytes are then closed */
export function openJson(bytes: ByteSource, read: (reader: Reader) => unknown): Source {
  const { place } = bytes;
  const text = wholeCharacters(bytes.chunks("Checking"));
  try {
    const stretches = new Stretches(bytes);
    const cursor = new JsonCursor(text);
    const content = cursor.within(LONGEST_REST, "the text beside the records", () =>
      read(new Reader(cursor, stretches)),
    );
    cursor.end();
    return {
      place,
      content,
      close() {
        stretches.close();
        bytes.close();
      },
    };
  } catch (thrown) {
    bytes.close();
    if (!(thrown instanceof UsageError)) throw thrown;
    throw new UsageError(`${place}: ${thrown.message}`);
  } finally {
    text.return();
  }
}

/** Reads what is not made of records, and notes where the records are. */
export class Reader {
  readonly #cursor: JsonCursor;
  readonly #stretches: Stretches;

  constructor(cursor: JsonCursor, stretches: Stretches) {
    this.#cursor = cursor;
    this.#stretches = stretches;
  }

  /** A Batch, or any other value. */
  batch(): unknown {
    return this.#object((name) => (name === "lists" ? this.#lists() : this.#cursor.value()));
  }

  /** An array of records, or any other value. */
  records(): unknown {
    const cursor = this.#cursor;
    if (!cursor.isAtArray()) return cursor.value();
    const bounds: number[] = [];
    cursor.within(Infinity, "the array", () =>
      cursor.array(() => {
        const start = cursor.offset;
        cursor.within(LONGEST_RECORD, "the record", () => cursor.skip());
        const open = bounds.at(-2);
        if (open !== undefined && cursor.offset - open <= STRETCH) bounds.pop();
        else bounds.push(start);
        bounds.push(cursor.offset);
      }),
    );
    return { [Symbol.iterator]: () => this.#stretches.parsed(bounds) };
  }

  #lists(): unknown {
    if (!this.#cursor.isAtArray()) return this.#cursor.value();
    const lists: unknown[] = [];
    this.#cursor.array(() => lists.push(this.#list()));
    return lists;
  }

  #list(): unknown {
    return this.#object((name) => (name === "contacts" ? this.records() : this.#cursor.value()));
  }

  #object(member: (name: string) => unknown): unknown {
    return this.#cursor.isAtObject() ? this.#cursor.object(member) : this.#cursor.value();
  }
}

/** Stretches of bytes, read in a second pass; each begins where the last one ended or later. */
export class Stretches {
  readonly #bytes: ByteSource;
  #chunks: Generator<Uint8Array, void> | undefined;
  #chunk: Uint8Array = new Uint8Array(0);
  /** Where the chunk begins. */
  #start = 0;

  constructor(bytes: ByteSource) {
    this.#bytes = bytes;
  }

  /**
   * The values that the bounds enclose: by turns the start of one and the end of another, or of the
   * same. Between values there is a comma.
   */
  *parsed(bounds: readonly number[]): Generator<unknown, void> {
    for (let i = 0; i < bounds.length; i += 2) {
      yield* parseElements(this.#take(bounds[i] ?? 0, bounds[i + 1] ?? 0));
    }
  }

  close(): void {
    this.#chunks?.return();
  }

  #take(start: number, end: number): Uint8Array {
    if (start < this.#start) throw new Error("records are read in their order");
    while (this.#start + this.#chunk.length <= start) this.#next();
    const parts: Uint8Array[] = [];
    for (let from = start - this.#start; this.#start + this.#chunk.length < end; from = 0) {
      parts.push(new Uint8Array(this.#chunk.subarray(from)));
      this.#next();
    }
    const last = this.#chunk.subarray(Math.max(0, start - this.#start), end - this.#start);
    return parts.length === 0 ? last : Buffer.concat([...parts, last]);
  }

  #next(): void {
    this.#start += this.#chunk.length;
    this.#chunks ??= this.#bytes.chunks("Loading");
    const { done, value } = this.#chunks.next();
    if (done) throw new UsageError("has changed while it was read");
    this.#chunk = value;
  }
}
