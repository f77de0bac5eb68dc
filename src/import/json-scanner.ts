// Splits JSON text that is too long for JSON.parse into the records, which are most of it, and the few
// values around them. JSON.parse parses each of these. Inside a value, the scanner only follows strings
// and brackets; parsing finds what is not JSON there.

import { InputError, member } from "../schema/errors.ts";
import { LONGEST_RECORD, LONGEST_REST, MEBIBYTE, TOO_LONG, type Decoder } from "./feed.ts";
import { codes, endOfRun, endOfValue, nameOf, NONE, SPACE, tableOf } from "./json-bytes.ts";
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT } from "./json-bytes.ts";
import { QUOTE } from "./json-bytes.ts";
import { faultOf } from "./json-fault.ts";
import { notJson, parseValue } from "./json-parse.ts";
import { MARK } from "./utf8.ts";

/** Where the records are: in arrays, perhaps within arrays and objects. Anything may be elsewhere. */
export type Shape =
  | "value"
  | "records"
  | { readonly each: Shape }
  | { readonly members: ReadonlyMap<string, Shape> };

/** Receives the positions of an array's records. */
export interface RecordArray {
  /** Replaces the array in the value of the whole text. */
  readonly value: unknown;
  /**
   * Some consecutive records of the array.
   *
   * @param start the byte where the first of them begins
   * @param bytes from there to the end of the last
   */
  add(start: number, end: number, count: number, bytes: Uint8Array): void;
}

interface ScannerOptions {
  readonly shape: Shape;
  /** The start of paths, such as `records`. */
  readonly root: string;
  /** Called for each array of records, with its path. */
  readonly open: (path: string) => RecordArray;
}

/** The end of the error about objects one after the other. */
const NDJSON_HINT = "; if each line is a record, the format is ndjson";

/** The bytes with which no value begins. */
const NO_VALUE = tableOf(codes(",]}:"));

type Path = () => string;

/** Waits for more bytes at each `yield`. */
type Scan<Result> = Generator<void, Result, void>;

export class JsonScanner implements Decoder {
  /** The value of the whole text, once it has ended. */
  result: unknown;
  readonly #options: ScannerOptions;
  readonly #scan: Scan<void> = this.#text();
  #bytes: Uint8Array = new Uint8Array(0);
  #isEnd = false;
  /** The position in the bytes, and how many bytes precede these. */
  #at = 0;
  #before = 0;
  #depth = 0;
  /** Where the open array of records begins, and how many bytes the closed ones have. */
  #records: number | undefined;
  #inRecords = 0;

  constructor(options: ScannerOptions) {
    this.#options = options;
  }

  /** @throws InputError with the path and the byte if it is not JSON, or with the path if it is too long */
  take(bytes: Uint8Array, isEnd: boolean): number {
    this.#bytes = bytes;
    this.#isEnd = isEnd;
    this.#at = 0;
    this.#scan.next();
    const end = this.#records ?? this.#before + bytes.length;
    if (end - this.#inRecords > LONGEST_REST) {
      throw new InputError(
        this.#options.root,
        `has more than ${LONGEST_REST / MEBIBYTE} MiB outside its records, which is the limit`,
        { code: "limit" },
      );
    }
    this.#before += this.#at;
    return this.#at;
  }

  *#text(): Scan<void> {
    const { shape, root } = this.#options;
    const path = () => root;
    const different = () => MARK.findIndex((byte, i) => this.#bytes[i] !== byte);
    while (different() === this.#bytes.length && !this.#isEnd) yield;
    // The mark is not part of the text.
    this.#at = different() < 0 ? MARK.length : different();
    if (this.#at === 1 || this.#at === 2) this.#refuse(path);
    this.result = yield* this.#value(shape, path);
    const after = yield* this.#next();
    if (after === NONE) return;
    const hint = shape === "records" && after === OPEN_OBJECT ? NDJSON_HINT : "";
    this.#refuse(path, hint);
  }

  *#value(shape: Shape, path: Path): Scan<unknown> {
    const byte = yield* this.#next();
    if (byte === OPEN_ARRAY && shape === "records") return yield* this.#recordArray(path());
    if (byte === OPEN_ARRAY && typeof shape === "object" && "each" in shape) {
      return yield* this.#array(shape.each, path);
    }
    if (byte === OPEN_OBJECT && typeof shape === "object" && "members" in shape) {
      return yield* this.#object(shape.members, path);
    }
    return yield* this.#whole(path);
  }

  *#array(each: Shape, path: Path): Scan<unknown> {
    const values: unknown[] = [];
    const pathOfNext = () => `${path()}[${values.length}]`;
    for (let more = yield* this.#open(CLOSE_ARRAY); more;) {
      const at = pathOfNext();
      values.push(yield* this.#value(each, () => at));
      more = yield* this.#goesOn(CLOSE_ARRAY, pathOfNext);
    }
    return values;
  }

  *#object(members: ReadonlyMap<string, Shape>, path: Path): Scan<unknown> {
    const entries: [name: string, value: unknown][] = [];
    for (let more = yield* this.#open(CLOSE_OBJECT); more;) {
      if ((yield* this.#next()) !== QUOTE) this.#refuse(path);
      const name = String(yield* this.#whole(path));
      const pathOfMember = () => member(path(), name);
      if ((yield* this.#next()) !== COLON) this.#refuse(pathOfMember);
      this.#at++;
      entries.push([name, yield* this.#value(members.get(name) ?? "value", pathOfMember)]);
      more = yield* this.#goesOn(CLOSE_OBJECT, path);
    }
    // Like JSON.parse, this makes own properties, whatever their names; the last of equal names wins.
    return Object.fromEntries(entries);
  }

  *#recordArray(path: string): Scan<unknown> {
    const records = this.#options.open(path);
    this.#records = this.#before + this.#at;
    let read = 0;
    const pathOfNext = () => `${path}[${read}]`;
    for (let more = yield* this.#open(CLOSE_ARRAY); more;) {
      yield* this.#awaitValue(pathOfNext, true);
      const bytes = this.#bytes;
      const start = this.#at;
      let [at, end, count] = [start, start, 0];
      // As many as are there: nothing waits between them.
      while (more) {
        const endOfThis = this.#endAt(at);
        if (endOfThis === NONE || endOfThis - at > LONGEST_RECORD) break;
        count++;
        end = endOfThis;
        at = endOfRun(SPACE, bytes, end);
        more = bytes[at] === COMMA;
        if (more) at = endOfRun(SPACE, bytes, at + 1);
      }
      records.add(this.#before + start, this.#before + end, count, bytes.subarray(start, end));
      read += count;
      this.#at = at;
      if (!more) more = yield* this.#goesOn(CLOSE_ARRAY, pathOfNext);
    }
    this.#inRecords += this.#before + this.#at - 1 - this.#records;
    this.#records = undefined;
    return records.value;
  }

  *#whole(path: Path): Scan<unknown> {
    const end = yield* this.#awaitValue(path, false);
    const start = this.#at;
    this.#at = end;
    return parseValue(this.#bytes.subarray(start, end), this.#before + start, path());
  }

  /** Goes on to a value, until all of it is there. Returns its end. */
  *#awaitValue(path: Path, isRecord: boolean): Scan<number> {
    const byte = yield* this.#next();
    if (byte === NONE || NO_VALUE[byte] === 1) this.#refuse(path);
    for (;;) {
      const end = this.#endAt(this.#at);
      const length = (end === NONE ? this.#bytes.length : end) - this.#at;
      const isTooLong = isRecord && length > LONGEST_RECORD;
      if (end !== NONE && !isTooLong) return end;
      if (end === NONE && (isTooLong || this.#isEnd)) this.#checkFault(path);
      if (isTooLong) throw new InputError(path(), TOO_LONG, { code: "limit" });
      if (this.#isEnd) throw notJson(path(), "end", this.#before + this.#bytes.length);
      yield;
    }
  }

  /** The end of the value at a position; {@link NONE} if it is not there yet. */
  #endAt(at: number): number {
    const byte = this.#bytes[at] ?? NONE;
    if (byte === NONE || NO_VALUE[byte] === 1) return NONE;
    const end = endOfValue(this.#bytes, at);
    if (end !== this.#bytes.length || [QUOTE, OPEN_ARRAY, OPEN_OBJECT].includes(byte)) return end;
    // A number or a word may go on, except at the end of a text that is nothing else.
    return this.#isEnd && this.#depth === 0 ? end : NONE;
  }

  /** Goes on to the next byte that is not space. Returns it, or {@link NONE} at the end. */
  *#next(): Scan<number> {
    for (;;) {
      this.#at = endOfRun(SPACE, this.#bytes, this.#at);
      if (this.#at < this.#bytes.length || this.#isEnd) return this.#bytes[this.#at] ?? NONE;
      yield;
    }
  }

  /** Passes the bracket of an object or array. Returns whether anything is in it. */
  *#open(close: number): Scan<boolean> {
    this.#at++;
    this.#depth++;
    return (yield* this.#next()) !== close || this.#close();
  }

  /** Passes a comma, or the end of an object or array. Returns whether it was a comma. */
  *#goesOn(close: number, path: Path): Scan<boolean> {
    const byte = yield* this.#next();
    if (byte !== COMMA) return byte === close ? this.#close() : this.#refuse(path);
    this.#at++;
    return true;
  }

  #close(): false {
    this.#at++;
    this.#depth--;
    return false;
  }

  /** If a value does not end, the fault may be long before. */
  #checkFault(path: Path): void {
    const bytes = this.#bytes.subarray(this.#at);
    const fault = faultOf(bytes);
    if (fault === undefined || fault.at === bytes.length) return;
    throw notJson(path(), fault.what, this.#before + this.#at + fault.at);
  }

  #refuse(path: Path, hint = ""): never {
    throw notJson(path(), nameOf(this.#bytes[this.#at] ?? NONE), this.#before + this.#at, hint);
  }
}
