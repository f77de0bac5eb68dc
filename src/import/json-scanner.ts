// Splits JSON text that is too long for JSON.parse into the records, which are most of it, and the few values around
// them. JSON.parse parses each of these. Inside a value, the scanner only tracks strings and brackets; parsing detects
// invalid JSON there.

import { InputError, member } from "../schema/errors.ts";
import { LONGEST_RECORD, LONGEST_REST, MEBIBYTE, TOO_LONG, type Decoder } from "./feed.ts";
import { codes, endOfRun, endOfValue, nameOf, END_OF_TEXT, SPACE, tableOf } from "./json-bytes.ts";
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT } from "./json-bytes.ts";
import { QUOTE } from "./json-bytes.ts";
import { faultOf } from "./json-fault.ts";
import { notJson, parseValue } from "./json-parse.ts";
import { MARK } from "./utf8.ts";

/**
 * Where the records are: in arrays, perhaps within arrays and objects. Other positions may have any value. A sequence
 * consists of consecutive values: arrays of records, and records.
 */
export type Shape =
  | "value"
  | "records"
  | "sequence"
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
  /** Called for each array of records, with its path; of a sequence, for all its records. */
  readonly open: (path: string) => RecordArray;
  /** Receives the only value of a sequence, if it is not an array. */
  readonly takeOnly?: (bytes: Uint8Array, offset: number) => void;
  /** Whether the text may have several values of the shape, one after the other. */
  readonly isRepeated?: boolean;
  /** Whether NaN and infinities are null. */
  readonly isLenient?: boolean;
}

/** The end of the error for JSON whose records are ambiguous. */
const AT = '; set the option at to their path, such as "data.items"';

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
  /** The start of the open array of records, and how many bytes the closed ones have. */
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
      const { root, shape } = this.#options;
      const what = `${LONGEST_REST / MEBIBYTE} MiB outside its records, which is the limit`;
      const hint = shape === "sequence" ? AT : "";
      throw new InputError(root, `has more than ${what}${hint}`, { code: "limit" });
    }
    this.#before += this.#at;
    return this.#at;
  }

  *#text(): Scan<void> {
    const { shape, root } = this.#options;
    const path = () => root;
    const different = () => MARK.findIndex((byte, i) => this.#bytes[i] !== byte);
    while (different() === this.#bytes.length && !this.#isEnd) yield;
    // Skips the byte order mark.
    this.#at = different() < 0 ? MARK.length : different();
    if (this.#at === 1 || this.#at === 2) this.#refuse(path);
    if (shape === "sequence") return yield* this.#sequence();
    do this.result = yield* this.#value(shape, path);
    while ((yield* this.#next()) !== END_OF_TEXT && this.#options.isRepeated === true);
    if ((yield* this.#next()) !== END_OF_TEXT) this.#refuse(path);
  }

  *#sequence(): Scan<void> {
    const { root, open, takeOnly } = this.#options;
    const records = open(root);
    let read = 0;
    for (
      let byte = yield* this.#next();
      byte !== END_OF_TEXT || read === 0;
      byte = yield* this.#next()
    ) {
      if (byte === OPEN_ARRAY) {
        read += yield* this.#recordArray(root, records);
        // An empty array has no record, but the text is not empty.
        if ((yield* this.#next()) === END_OF_TEXT) return;
        continue;
      }
      const path = () => (read === 0 ? root : `${root}[${read}]`);
      const length = (yield* this.#awaitValue(path, read > 0)) - this.#at;
      let after = this.#at + length;
      for (;;) {
        after = endOfRun(SPACE, this.#bytes, this.#at + length);
        if (after < this.#bytes.length || this.#isEnd) break;
        yield;
      }
      const start = this.#before + this.#at;
      const bytes = this.#bytes.subarray(this.#at, this.#at + length);
      if (read === 0 && after === this.#bytes.length && takeOnly !== undefined) {
        takeOnly(bytes, start);
      } else records.add(start, start + length, 1, bytes);
      read++;
      this.#inRecords += length;
      this.#at += length;
    }
  }

  *#value(shape: Shape, path: Path): Scan<unknown> {
    const byte = yield* this.#next();
    if (byte === OPEN_ARRAY && shape === "records") {
      const records = this.#options.open(path());
      yield* this.#recordArray(path(), records);
      return records.value;
    }
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

  /** Returns how many records it has. */
  *#recordArray(path: string, records: RecordArray): Scan<number> {
    this.#records = this.#before + this.#at;
    let read = 0;
    const pathOfNext = () => `${path}[${read}]`;
    for (let more = yield* this.#open(CLOSE_ARRAY); more;) {
      yield* this.#awaitValue(pathOfNext, true);
      const bytes = this.#bytes;
      const start = this.#at;
      let [at, end, count] = [start, start, 0];
      // All complete ones.
      while (more) {
        const endOfThis = this.#endAt(at);
        if (endOfThis === END_OF_TEXT || endOfThis - at > LONGEST_RECORD) break;
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
    return read;
  }

  *#whole(path: Path): Scan<unknown> {
    const end = yield* this.#awaitValue(path, false);
    const start = this.#at;
    this.#at = end;
    const bytes = this.#bytes.subarray(start, end);
    return parseValue(bytes, this.#before + start, path(), this.#options.isLenient);
  }

  /** Advances to a value, and waits until all of it has arrived. Returns its end. */
  *#awaitValue(path: Path, isRecord: boolean): Scan<number> {
    const byte = yield* this.#next();
    if (byte === END_OF_TEXT || NO_VALUE[byte] === 1) this.#refuse(path);
    for (;;) {
      const end = this.#endAt(this.#at);
      const length = (end === END_OF_TEXT ? this.#bytes.length : end) - this.#at;
      const isTooLong = isRecord && length > LONGEST_RECORD;
      if (end !== END_OF_TEXT && !isTooLong) return end;
      if (end === END_OF_TEXT && (isTooLong || this.#isEnd)) this.#checkFault(path);
      if (isTooLong) throw new InputError(path(), TOO_LONG, { code: "limit" });
      if (this.#isEnd) throw notJson(path(), "end", this.#before + this.#bytes.length);
      yield;
    }
  }

  /** The end of the value at a position; {@link END_OF_TEXT} if it has not arrived yet. */
  #endAt(at: number): number {
    const byte = this.#bytes[at] ?? END_OF_TEXT;
    if (byte === END_OF_TEXT || NO_VALUE[byte] === 1) return END_OF_TEXT;
    const end = endOfValue(this.#bytes, at);
    if (end !== this.#bytes.length || [QUOTE, OPEN_ARRAY, OPEN_OBJECT].includes(byte)) return end;
    // A number or a word may continue in the next piece, except at the end of the text.
    return this.#isEnd && this.#depth === 0 ? end : END_OF_TEXT;
  }

  /** Advances to the next byte that is not white space. Returns it, or {@link END_OF_TEXT} at the end. */
  *#next(): Scan<number> {
    for (;;) {
      this.#at = endOfRun(SPACE, this.#bytes, this.#at);
      if (this.#at < this.#bytes.length || this.#isEnd) return this.#bytes[this.#at] ?? END_OF_TEXT;
      yield;
    }
  }

  /** Consumes the bracket of an object or array. Returns whether it contains anything. */
  *#open(close: number): Scan<boolean> {
    this.#at++;
    this.#depth++;
    return (yield* this.#next()) !== close || this.#close();
  }

  /** Consumes a comma, or the end of an object or array. Returns whether it was a comma. */
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

  /** If a value does not end, the fault may be much earlier. */
  #checkFault(path: Path): void {
    const bytes = this.#bytes.subarray(this.#at);
    const fault = faultOf(bytes);
    if (fault === undefined || fault.at === bytes.length) return;
    throw notJson(path(), fault.what, this.#before + this.#at + fault.at);
  }

  #refuse(path: Path): never {
    throw notJson(path(), nameOf(this.#bytes[this.#at] ?? END_OF_TEXT), this.#before + this.#at);
  }
}
