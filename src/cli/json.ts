// JSON text that is too long for JSON.parse as a whole. A cursor goes through its bytes, checks the
// grammar (RFC 8259), and finds where each part starts and ends; what a part means JSON.parse says.

import { UsageError } from "./errors.ts";

/** A table of bytes, 1 for each that is there. */
function tableOf(bytes: Iterable<number>): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of bytes) table[byte] = 1;
  return table;
}

const code = (character: string) => character.charCodeAt(0);
const codes = (characters: string) => Array.from(characters, code);

const QUOTE = code('"');
const BACKSLASH = code("\\");
const COMMA = code(",");
const COLON = code(":");
const OPEN_OBJECT = code("{");
const CLOSE_OBJECT = code("}");
const OPEN_ARRAY = code("[");
const CLOSE_ARRAY = code("]");
const MINUS = code("-");
const PLUS = code("+");
const POINT = code(".");
const ZERO = code("0");
const LOWER_U = code("u");

const SPACE = tableOf(codes(" \t\n\r"));
/** What a string holds as it is; that the bytes above ASCII are UTF-8 is checked elsewhere. */
const PLAIN = tableOf(Array.from({ length: 256 }, (_, byte) => byte)).fill(0, 0, 0x20);
PLAIN[QUOTE] = PLAIN[BACKSLASH] = 0;
const ESCAPED = tableOf(codes('"\\/bfnrtu'));
const DIGIT = tableOf(codes("0123456789"));
const HEX = tableOf(codes("0123456789abcdefABCDEF"));
const EXPONENT = tableOf(codes("eE"));
const LITERALS = new Map(["true", "false", "null"].map((word) => [code(word), codes(word)]));

/** There is no byte here: the text has ended. */
const NONE = -1;

export const MEBIBYTE = 1024 * 1024;

/** How far something may reach. */
interface Limit {
  readonly bytes: number;
  readonly what: string;
  readonly start: number;
  readonly furthest: number;
}

/** Goes through JSON text in UTF-8, value by value, in constant memory. */
export class JsonCursor {
  readonly #chunks: Iterator<Uint8Array, void>;
  #bytes: Uint8Array = new Uint8Array(0);
  #position = 0;
  /** How many bytes lie before this chunk. */
  #before = 0;
  /** Copies of what is kept from earlier chunks, and where in this one the rest of it begins. */
  #kept: Uint8Array[] | undefined;
  #keptFrom = 0;
  #limit: Limit = { bytes: Infinity, what: "the text", start: 0, furthest: Infinity };

  /** @param chunks each is read before the next is asked for, so that they may share memory */
  constructor(chunks: Iterator<Uint8Array, void>) {
    this.#chunks = chunks;
    // A byte order mark is no part of the text.
    if (this.#byte() === 0xef) [0xef, 0xbb, 0xbf].forEach((byte) => this.#expect(byte));
  }

  /** How many bytes have been passed. */
  get offset(): number {
    return this.#before + this.#position;
  }

  /**
   * Runs what may pass so many bytes. What has a limit of its own within does not count.
   *
   * @param what what an error says is too long, such as `the record`
   * @throws UsageError where it passes more
   */
  within<Result>(bytes: number, what: string, run: () => Result): Result {
    const start = this.offset;
    const outer = this.#limit;
    this.#limit = { bytes, what, start, furthest: start + bytes };
    const result = run();
    this.#checkReach();
    this.#limit = { ...outer, furthest: outer.furthest + this.offset - start };
    return result;
  }

  /** Whether the next value is an object. */
  isAtObject(): boolean {
    return this.#token() === OPEN_OBJECT;
  }

  /** Whether the next value is an array. */
  isAtArray(): boolean {
    return this.#token() === OPEN_ARRAY;
  }

  /** The next value, as JSON.parse gives it. */
  value(): unknown {
    this.#token();
    return this.#parse(() => this.skip());
  }

  /**
   * The next value, which is an object.
   *
   * @param member reads the value of a member; of members with one name the last counts
   */
  object(member: (name: string) => unknown): object {
    const entries: [string, unknown][] = [];
    this.#expect(OPEN_OBJECT);
    if (this.#passed(CLOSE_OBJECT)) return {};
    do {
      this.#token();
      const name = String(this.#parse(() => this.#string()));
      this.#colon();
      entries.push([name, member(name)]);
    } while (this.#passed(COMMA));
    this.#expect(CLOSE_OBJECT);
    // Like JSON.parse it makes own properties, whatever their names.
    return Object.fromEntries(entries);
  }

  /**
   * Passes the next value, which is an array.
   *
   * @param element passes an element; the cursor is at its first byte
   */
  array(element: () => void): void {
    this.#expect(OPEN_ARRAY);
    if (this.#passed(CLOSE_ARRAY)) return;
    do {
      this.#token();
      element();
    } while (this.#passed(COMMA));
    this.#expect(CLOSE_ARRAY);
  }

  /** Passes the next value, however deep it is. */
  skip(): void {
    /** What closes each of the objects and arrays that are open here, the innermost last. */
    const open: number[] = [];
    for (;;) {
      const byte = this.#token();
      if (byte === OPEN_OBJECT) {
        this.#position++;
        open.push(CLOSE_OBJECT);
        if (this.#token() !== CLOSE_OBJECT) {
          this.#key();
          continue;
        }
      } else if (byte === OPEN_ARRAY) {
        this.#position++;
        open.push(CLOSE_ARRAY);
        if (this.#token() !== CLOSE_ARRAY) continue;
      } else this.#scalar(byte);

      // A value has ended, or an empty object or array is about to.
      for (;;) {
        const close = open.at(-1);
        if (close === undefined) return;
        const next = this.#token();
        if (next === close) {
          this.#position++;
          open.pop();
        } else if (next === COMMA) {
          this.#position++;
          if (close === CLOSE_OBJECT) this.#key();
          break;
        } else this.#refuse();
      }
    }
  }

  /** Checks that nothing follows. */
  end(): void {
    if (this.#token() !== NONE) this.#refuse();
  }

  /** What JSON.parse makes of the bytes that `pass` passes. */
  #parse(pass: () => void): unknown {
    this.#kept = [];
    this.#keptFrom = this.#position;
    pass();
    const last = this.#bytes.subarray(this.#keptFrom, this.#position);
    const bytes = this.#kept.length === 0 ? last : Buffer.concat([...this.#kept, last]);
    this.#kept = undefined;
    return parseBytes(bytes);
  }

  #key(): void {
    this.#token();
    this.#string();
    this.#colon();
  }

  #colon(): void {
    this.#token();
    this.#expect(COLON);
  }

  #scalar(byte: number): void {
    const literal = LITERALS.get(byte);
    if (literal !== undefined) literal.forEach((each) => this.#expect(each));
    else if (byte === QUOTE) this.#string();
    else this.#number();
  }

  #string(): void {
    this.#expect(QUOTE);
    for (;;) {
      this.#position = endOfRun(PLAIN, this.#bytes, this.#position);
      const byte = this.#byte();
      if (byte === QUOTE) {
        this.#position++;
        return;
      }
      if (byte === BACKSLASH) this.#escape();
      else if (PLAIN[byte] !== 1) this.#refuse();
    }
  }

  #escape(): void {
    this.#position++;
    const byte = this.#byte();
    this.#oneOf(ESCAPED);
    if (byte === LOWER_U) for (let digits = 0; digits < 4; digits++) this.#oneOf(HEX);
  }

  #number(): void {
    if (this.#byte() === MINUS) this.#position++;
    if (this.#byte() === ZERO) this.#position++;
    else this.#digits();
    if (this.#byte() === POINT) {
      this.#position++;
      this.#digits();
    }
    if (EXPONENT[this.#byte()] === 1) {
      this.#position++;
      const sign = this.#byte();
      if (sign === PLUS || sign === MINUS) this.#position++;
      this.#digits();
    }
  }

  #digits(): void {
    do this.#oneOf(DIGIT);
    while (DIGIT[this.#byte()] === 1);
  }

  /** Passes a byte that is in the table. */
  #oneOf(table: Uint8Array): void {
    if (table[this.#byte()] !== 1) this.#refuse();
    this.#position++;
  }

  #expect(byte: number): void {
    if (this.#byte() !== byte) this.#refuse();
    this.#position++;
  }

  /** Whether the next byte but for space is this one; it is then passed. */
  #passed(byte: number): boolean {
    if (this.#token() !== byte) return false;
    this.#position++;
    return true;
  }

  /** Passes space; gives the byte after it. */
  #token(): number {
    for (;;) {
      const byte = this.#byte();
      if (SPACE[byte] !== 1) return byte;
      this.#position = endOfRun(SPACE, this.#bytes, this.#position);
    }
  }

  /** The byte here, or NONE. */
  #byte(): number {
    while (this.#position === this.#bytes.length) if (!this.#refill()) break;
    return this.#bytes[this.#position] ?? NONE;
  }

  #refill(): boolean {
    this.#checkReach();
    this.#kept?.push(new Uint8Array(this.#bytes.subarray(this.#keptFrom)));
    this.#keptFrom = 0;
    this.#before += this.#position;
    this.#position = 0;
    const { done, value } = this.#chunks.next();
    this.#bytes = done ? new Uint8Array(0) : value;
    return !done;
  }

  #checkReach(): void {
    const { bytes, what, start, furthest } = this.#limit;
    if (this.offset <= furthest) return;
    throw new UsageError(
      `${what} that begins at byte ${start} is longer than ${bytes / MEBIBYTE} MiB, the most that is read`,
    );
  }

  #refuse(): never {
    const byte = this.#byte();
    const what = byte === NONE ? "unexpected end" : `unexpected ${nameOf(byte)}`;
    throw new UsageError(`is not JSON: ${what} at byte ${this.offset}`);
  }
}

/** What a JSON text in UTF-8 holds. */
function parseBytes(bytes: Uint8Array): unknown {
  return JSON.parse(textOf(bytes)) as unknown;
}

/** The elements of an array whose text in UTF-8 this is, without its brackets. */
export function parseElements(bytes: Uint8Array): readonly unknown[] {
  return JSON.parse(`[${textOf(bytes)}]`) as readonly unknown[];
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}

/** The first position whose byte is not in the table, from the start on. */
function endOfRun(table: Uint8Array, bytes: Uint8Array, start: number): number {
  let position = start;
  while (position < bytes.length && table[bytes[position] ?? NONE] === 1) position++;
  return position;
}

function nameOf(byte: number): string {
  if (byte >= 0x7f) return "character beyond ASCII";
  return byte < 0x20 ? "control character" : `'${String.fromCharCode(byte)}'`;
}
