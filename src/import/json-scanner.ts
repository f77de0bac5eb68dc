// Splits JSON text that is too long for JSON.parse into the records, which are most of it, and the few
// values around them. JSON.parse parses each of these. Inside a value, the scanner only follows strings
// and brackets; parsing finds what is not JSON there.

import { InputError, member } from "../schema/errors.ts";
import type { Decoder } from "./decoder.ts";
import { codes, endOfRun, nameOf, NONE, SPACE, tableOf } from "./json-bytes.ts";
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA } from "./json-bytes.ts";
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./json-bytes.ts";
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
  /** The members of an object. */
  readonly entries: [string, unknown][];
  /** The elements of an array of anything but records. */
  readonly elements: unknown[];
  readonly records: RecordArray | undefined;
  /** The name of the member being read, once known; for an array, `count` counts its elements. */
  key: string | undefined;
  count: number;
  /** Where it begins. */
  readonly start: number;
}

/** The bytes with a meaning inside an object or array. */
const MARKS = tableOf([QUOTE, ...codes("[]{}")]);
const OPENS = tableOf(codes("[{"));
/** The bytes that end a number or a word. */
const ENDS = tableOf(codes(",]} \t\n\r"));
const IN_STRING = new Uint8Array(256).fill(1);
IN_STRING[QUOTE] = IN_STRING[BACKSLASH] = 0;
const IN_WORD = ENDS.map((each) => 1 - each);
const BETWEEN = MARKS.map((each) => 1 - each);
const MARK_OF_BYTE_ORDER = [0xef, 0xbb, 0xbf];

/** Decodes one JSON text to its value. */
export class JsonScanner implements Decoder<unknown> {
  readonly #options: ScannerOptions;
  readonly #open: Open[] = [];
  #state: State = "value";
  #result: unknown;
  /** How many bytes precede the current piece. */
  #before = 0;
  /** How many bytes the closed arrays of records have. */
  #inRecords = 0;
  #markLeft = MARK_OF_BYTE_ORDER;

  // The value being skipped: where it begins, its parts in earlier pieces, and what is open in it. A
  // depth of 0 outside a string means a number or a word.
  #start = NONE;
  #parts: Uint8Array[] = [];
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  // Records of this piece that were skipped but not passed on yet.
  #stretchStart = NONE;
  #stretchEnd = NONE;
  #stretchCount = 0;

  constructor(options: ScannerOptions) {
    this.#options = options;
  }

  /** @throws InputError with the path and the byte if it is not JSON, or with the path if it is too long */
  push(bytes: Uint8Array): readonly [] {
    let i = this.#passMark(bytes);
    while (i < bytes.length) {
      if (this.#start === NONE) i = this.#between(bytes, i);
      else {
        i = this.#within(bytes, i);
        if (this.#start !== NONE) break;
      }
    }
    this.#handOn(bytes);
    if (this.#start !== NONE) {
      this.#parts.push(bytes.slice(Math.max(0, this.#start - this.#before)));
    }
    this.#before += bytes.length;
    this.#checkLengths();
    return [];
  }

  end(): readonly [value: unknown] {
    if (this.#start !== NONE && this.#depth === 0 && !this.#isInString && this.#open.length === 0) {
      this.#complete(new Uint8Array(0), 0);
    }
    if (this.#start !== NONE) this.#checkParts();
    if (this.#state !== "end") throw notJson(this.#path(), "end", this.#before);
    return [this.#result];
  }

  /** Skips a byte order mark, which is not part of the text. */
  #passMark(bytes: Uint8Array): number {
    let i = 0;
    while (this.#markLeft.length > 0 && i < bytes.length) {
      const isThere = bytes[i] === this.#markLeft[0];
      if (!isThere && this.#markLeft.length === MARK_OF_BYTE_ORDER.length) this.#markLeft = [];
      else if (!isThere) this.#refuse(bytes, i);
      else {
        this.#markLeft = this.#markLeft.slice(1);
        i++;
      }
    }
    return i;
  }

  /** Reads what is between values. Returns the position after it. */
  #between(bytes: Uint8Array, start: number): number {
    const i = endOfRun(SPACE, bytes, start);
    const byte = bytes[i];
    if (byte === undefined) return i;
    const open = this.#open.at(-1);
    switch (this.#state) {
      case "first key":
      case "first element":
        if (byte === open?.close) return this.#close(bytes, i);
        return this.#begin(bytes, i);
      case "value":
      case "key":
        return this.#begin(bytes, i);
      case "colon":
        if (byte !== COLON) this.#refuse(bytes, i);
        this.#state = "value";
        return i + 1;
      case "comma":
        if (byte === open?.close) return this.#close(bytes, i);
        if (byte !== COMMA) this.#refuse(bytes, i);
        this.#state = open?.close === CLOSE_OBJECT ? "key" : "value";
        return i + 1;
      case "end":
        return this.#refuse(bytes, i);
    }
  }

  /** A value begins, or the name of a member. */
  #begin(bytes: Uint8Array, i: number): number {
    const byte = bytes[i] ?? NONE;
    const isName = this.#state === "key" || this.#state === "first key";
    if (isName && byte !== QUOTE) this.#refuse(bytes, i);
    const shape = isName ? "value" : this.#shapeHere();
    const isArray = shape === "records" || (typeof shape === "object" && "each" in shape);
    if (
      byte === OPEN_ARRAY ? isArray : byte === OPEN_OBJECT && typeof shape === "object" && !isArray
    ) {
      this.#open.push({
        shape,
        close: isArray ? CLOSE_ARRAY : CLOSE_OBJECT,
        entries: [],
        elements: [],
        records: shape === "records" ? this.#options.open(this.#path()) : undefined,
        key: undefined,
        count: 0,
        start: this.#before + i,
      });
      this.#state = isArray ? "first element" : "first key";
      return i + 1;
    }
    if (ENDS[byte] === 1 || byte === COLON) this.#refuse(bytes, i);
    this.#start = this.#before + i;
    this.#parts = [];
    this.#depth = OPENS[byte] ?? 0;
    this.#isInString = byte === QUOTE;
    this.#isEscaped = false;
    return i + 1;
  }

  /** Skips the rest of a value. Returns the position after it, or the end of the piece. */
  #within(bytes: Uint8Array, start: number): number {
    let i = start;
    let depth = this.#depth;
    if (depth === 0 && !this.#isInString) {
      i = endOfRun(IN_WORD, bytes, i);
      return i === bytes.length ? i : this.#complete(bytes, i);
    }
    if (this.#isEscaped && i < bytes.length) {
      this.#isEscaped = false;
      i++;
    }
    let isInString = this.#isInString;
    for (;;) {
      // The loops of endOfRun, inlined: most of the time is spent here.
      if (isInString) while (i < bytes.length && IN_STRING[bytes[i]!] === 1) i++;
      else while (i < bytes.length && BETWEEN[bytes[i]!] === 1) i++;
      if (i === bytes.length) break;
      const byte = bytes[i++]!;
      if (isInString) {
        if (byte === BACKSLASH) {
          if (i === bytes.length) {
            this.#isEscaped = true;
            break;
          }
          i++;
          continue;
        }
        isInString = false;
      } else if (byte === QUOTE) {
        isInString = true;
        continue;
      } else depth += OPENS[byte] === 1 ? 1 : -1;
      if (depth === 0) return this.#complete(bytes, i);
    }
    this.#depth = depth;
    this.#isInString = isInString;
    return i;
  }

  /** A value ends before a position of the piece. */
  #complete(bytes: Uint8Array, end: number): number {
    const start = this.#start;
    const until = this.#before + end;
    const open = this.#open.at(-1);
    this.#start = NONE;
    if (open?.records !== undefined) {
      if (until - start > LONGEST_RECORD) throw tooLong(this.#path());
      if (start < this.#before) {
        open.records.add(start, until, 1, concat([...this.#parts, bytes.subarray(0, end)]));
      } else {
        if (this.#stretchCount === 0) this.#stretchStart = start;
        this.#stretchCount++;
        this.#stretchEnd = until;
      }
      open.count++;
      this.#state = "comma";
      return end;
    }
    const last = bytes.subarray(Math.max(0, start - this.#before), end);
    const whole = this.#parts.length === 0 ? last : concat([...this.#parts, last]);
    this.#parts = [];
    const isName = this.#state === "key" || this.#state === "first key";
    const value = parseValue(whole, start, this.#path());
    if (isName) {
      if (open !== undefined) open.key = String(value);
      this.#state = "colon";
    } else this.#deliver(value);
    return end;
  }

  /** The innermost object or array ends at a position of the piece. */
  #close(bytes: Uint8Array, i: number): number {
    this.#handOn(bytes);
    const open = this.#open.pop();
    if (open === undefined) throw new Error("something is open");
    const { close, entries, elements, records, start } = open;
    if (records !== undefined) {
      this.#inRecords += this.#before + i - start;
      this.#deliver(records.value);
    }
    // Like JSON.parse, this makes own properties, whatever their names; the last of equal names wins.
    else this.#deliver(close === CLOSE_OBJECT ? Object.fromEntries(entries) : elements);
    return i + 1;
  }

  #deliver(value: unknown): void {
    const open = this.#open.at(-1);
    if (open === undefined) this.#result = value;
    else if (open.close === CLOSE_OBJECT) {
      open.entries.push([open.key ?? "", value]);
      open.key = undefined;
    } else {
      open.elements.push(value);
      open.count++;
    }
    this.#state = open === undefined ? "end" : "comma";
  }

  /** Passes on the records that were skipped in this piece. */
  #handOn(bytes: Uint8Array): void {
    if (this.#stretchCount === 0) return;
    const start = this.#stretchStart;
    const end = this.#stretchEnd;
    const stretch = bytes.subarray(start - this.#before, end - this.#before);
    this.#open.at(-1)?.records?.add(start, end, this.#stretchCount, stretch);
    this.#stretchCount = 0;
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
    if (isRecord && this.#start !== NONE && this.#before - this.#start > LONGEST_RECORD) {
      this.#checkParts();
      throw tooLong(this.#path());
    }
    const end = isRecord ? open.start : this.#before;
    if (end - this.#inRecords > LONGEST_REST) {
      throw new InputError(
        this.#options.root,
        `has more than ${LONGEST_REST / MEBIBYTE} MiB outside its records, which is the limit`,
      );
    }
  }

  /** If a value does not end, the fault may be long before. */
  #checkParts(): void {
    if (this.#parts.length === 0) return;
    const bytes = concat(this.#parts);
    const fault = faultOf(bytes);
    if (fault === undefined || fault.at === bytes.length) return;
    throw notJson(this.#path(), fault.what, this.#start + fault.at);
  }

  #refuse(bytes: Uint8Array, i: number): never {
    this.#handOn(bytes);
    throw notJson(this.#path(), nameOf(bytes[i] ?? NONE), this.#before + i);
  }
}
