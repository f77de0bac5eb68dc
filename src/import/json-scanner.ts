// Splits JSON text that is too long for JSON.parse into the records, which are most of it, and the few
// values around them. JSON.parse parses each of these. Inside a value, the scanner only follows strings
// and brackets; parsing finds what is not JSON there.

import { InputError, member } from "../schema/errors.ts";
import { codes, endOfRun, endOfValue, nameOf, NONE, SPACE, tableOf } from "./json-bytes.ts";
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT } from "./json-bytes.ts";
import { QUOTE } from "./json-bytes.ts";
import { faultOf } from "./json-fault.ts";
import { notJson, parseValue } from "./json-parse.ts";
import { LONGEST_RECORD, MEBIBYTE, tooLong } from "./limits.ts";
import { concat } from "./utf8.ts";

/** Where the records are: in arrays, perhaps within arrays and objects. Anything may be elsewhere. */
export type Shape =
  "value" | "records" | { readonly each: Shape } | { readonly members: ReadonlyMap<string, Shape> };

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

/** How many bytes all other values together may have. They are held until the end. */
const LONGEST_REST = 64 * MEBIBYTE;

/** What is expected next. */
type State = "value" | "first element" | "first key" | "key" | "colon" | "comma" | "end";

/** An open object or array. */
interface Open {
  readonly shape: Shape;
  readonly close: number;
  /** The members of an object, or the elements of an array of anything but records. */
  readonly entries: [name: string, value: unknown][];
  readonly records: RecordArray | undefined;
  /** The name of the member being read, once known; for an array, `count` counts its elements. */
  key: string | undefined;
  count: number;
  /** Where it begins. */
  readonly start: number;
}

const MARK_OF_BYTE_ORDER = [0xef, 0xbb, 0xbf];
/** The bytes with which no value begins. */
const NO_VALUE = tableOf(codes(",]}:"));

/** Decodes one JSON text to its value. */
export class JsonScanner {
  readonly #options: ScannerOptions;
  readonly #open: Open[] = [];
  #state: State = "value";
  #result: unknown;
  /** What follows the last complete value: how many bytes precede it, and how much was scanned in vain. */
  #rest: Uint8Array[] = [];
  #length = 0;
  #before = 0;
  #tried = 0;
  /** How many bytes the closed arrays of records have. */
  #inRecords = 0;
  /** Records that were skipped but not passed on yet. */
  #stretch = { start: 0, end: 0, count: 0 };

  constructor(options: ScannerOptions) {
    this.#options = options;
  }

  /** @throws InputError with the path and the byte if it is not JSON, or with the path if it is too long */
  push(piece: Uint8Array): void {
    this.#length += piece.length;
    const longest = this.#open.at(-1)?.records === undefined ? LONGEST_REST : LONGEST_RECORD;
    // A long value in many pieces is scanned again only when it has doubled in length.
    if (this.#length < 2 * this.#tried && this.#length <= longest) this.#rest.push(piece.slice());
    else this.#scan(concat([...this.#rest, piece]), false);
  }

  end(): unknown {
    const rest = concat(this.#rest);
    this.#scan(rest, true);
    if (this.#length > 0) this.#checkFault(concat(this.#rest));
    if (this.#state !== "end") throw notJson(this.#path(), "end", this.#before + this.#length);
    return this.#result;
  }

  /** Takes the values that are complete; the others are left for later. */
  #scan(bytes: Uint8Array, isEnd: boolean): void {
    let i = this.#before === 0 && this.#open.length === 0 ? this.#markIn(bytes, isEnd) : 0;
    while (i < bytes.length) {
      i = endOfRun(SPACE, bytes, i);
      if (i === bytes.length) break;
      const next = this.#isValueNext(bytes[i]!)
        ? this.#value(bytes, i, isEnd)
        : this.#sign(bytes, i);
      if (next === NONE) break;
      i = next;
    }
    this.#handOn(bytes);
    this.#rest = [bytes.slice(i)];
    this.#length = this.#tried = bytes.length - i;
    this.#before += i;
    this.#checkLengths();
  }

  /** How long the byte order mark is, which is not part of the text. */
  #markIn(bytes: Uint8Array, isEnd: boolean): number {
    const found = MARK_OF_BYTE_ORDER.findIndex((byte, i) => bytes[i] !== byte);
    if (found > 0 && (isEnd || found < bytes.length)) this.#refuse(bytes, found);
    return found < 0 ? MARK_OF_BYTE_ORDER.length : 0;
  }

  #isValueNext(byte: number): boolean {
    switch (this.#state) {
      case "value":
      case "key":
        return true;
      case "first key":
      case "first element":
        return byte !== this.#open.at(-1)?.close;
      default:
        return false;
    }
  }

  /** Reads what is between values, or ends an object or array. Returns the position after it. */
  #sign(bytes: Uint8Array, i: number): number {
    const close = this.#open.at(-1)?.close;
    if (this.#state === "colon" && bytes[i] === COLON) this.#state = "value";
    else if (this.#state === "comma" && bytes[i] === COMMA) {
      this.#state = close === CLOSE_OBJECT ? "key" : "value";
    } else if (this.#state !== "colon" && this.#state !== "end" && bytes[i] === close) {
      this.#close(bytes, i);
    } else this.#refuse(bytes, i);
    return i + 1;
  }

  /** Reads a value, or the name of a member, or opens an object or array. */
  #value(bytes: Uint8Array, i: number, isEnd: boolean): number {
    const byte = bytes[i]!;
    const isName = this.#state === "key" || this.#state === "first key";
    if (isName ? byte !== QUOTE : NO_VALUE[byte] === 1) this.#refuse(bytes, i);
    const shape = isName ? "value" : this.#shapeHere();
    const isArray = shape === "records" || (typeof shape === "object" && "each" in shape);
    if (
      byte === OPEN_ARRAY ? isArray : byte === OPEN_OBJECT && typeof shape === "object" && !isArray
    ) {
      this.#open.push({
        shape,
        close: isArray ? CLOSE_ARRAY : CLOSE_OBJECT,
        entries: [],
        records: shape === "records" ? this.#options.open(this.#path()) : undefined,
        key: undefined,
        count: 0,
        start: this.#before + i,
      });
      this.#state = isArray ? "first element" : "first key";
      return i + 1;
    }
    const end = endOfValue(bytes, i);
    // A number or a word may go on, except at the end of a text that is nothing else.
    const isWord =
      end === bytes.length && byte !== QUOTE && byte !== OPEN_ARRAY && byte !== OPEN_OBJECT;
    if (end === NONE || (isWord && !(isEnd && this.#open.length === 0))) return NONE;
    const open = this.#open.at(-1);
    if (open?.records !== undefined) {
      if (end - i > LONGEST_RECORD) throw tooLong(this.#path());
      if (this.#stretch.count === 0) this.#stretch.start = i;
      this.#stretch.count++;
      this.#stretch.end = end;
      open.count++;
      this.#state = "comma";
      return end;
    }
    const value = parseValue(bytes.subarray(i, end), this.#before + i, this.#path());
    if (!isName) this.#deliver(value);
    else {
      if (open !== undefined) open.key = String(value);
      this.#state = "colon";
    }
    return end;
  }

  /** The innermost object or array ends at a position. */
  #close(bytes: Uint8Array, i: number): void {
    this.#handOn(bytes);
    const open = this.#open.pop();
    if (open === undefined) throw new Error("something is open");
    const { close, entries, records, start } = open;
    if (records !== undefined) {
      this.#inRecords += this.#before + i - start;
      this.#deliver(records.value);
    }
    // Like JSON.parse, this makes own properties, whatever their names; the last of equal names wins.
    else if (close === CLOSE_OBJECT) this.#deliver(Object.fromEntries(entries));
    else this.#deliver(entries.map(([, value]) => value));
  }

  #deliver(value: unknown): void {
    const open = this.#open.at(-1);
    if (open === undefined) this.#result = value;
    else {
      open.entries.push([open.key ?? "", value]);
      open.key = undefined;
      open.count++;
    }
    this.#state = open === undefined ? "end" : "comma";
  }

  /** Passes on the records that were skipped. */
  #handOn(bytes: Uint8Array): void {
    const { start, end, count } = this.#stretch;
    if (count === 0) return;
    const records = this.#open.at(-1)?.records;
    records?.add(this.#before + start, this.#before + end, count, bytes.subarray(start, end));
    this.#stretch.count = 0;
  }

  #shapeHere(): Shape {
    const open = this.#open.at(-1);
    if (open === undefined) return this.#options.shape;
    const { shape, key } = open;
    if (typeof shape === "string") return "value";
    return "each" in shape ? shape.each : (shape.members.get(key ?? "") ?? "value");
  }

  /** The path of the value being read. */
  #path(): string {
    return this.#open.reduce(
      (path, { close, key, count }) =>
        close === CLOSE_ARRAY ? `${path}[${count}]` : key === undefined ? path : member(path, key),
      this.#options.root,
    );
  }

  #checkLengths(): void {
    const open = this.#open.at(-1);
    const isRecord = open?.records !== undefined;
    if (isRecord && this.#length > LONGEST_RECORD) {
      this.#checkFault(concat(this.#rest));
      throw tooLong(this.#path());
    }
    const end = isRecord ? open.start : this.#before + this.#length;
    if (end - this.#inRecords > LONGEST_REST) {
      throw new InputError(
        this.#options.root,
        `has more than ${LONGEST_REST / MEBIBYTE} MiB outside its records, which is the limit`,
      );
    }
  }

  /** If a value does not end, the fault may be long before. */
  #checkFault(bytes: Uint8Array): void {
    const fault = faultOf(bytes);
    if (fault === undefined || fault.at === bytes.length) return;
    throw notJson(this.#path(), fault.what, this.#before + fault.at);
  }

  #refuse(bytes: Uint8Array, i: number): never {
    this.#handOn(bytes);
    throw notJson(this.#path(), nameOf(bytes[i] ?? NONE), this.#before + i);
  }
}
