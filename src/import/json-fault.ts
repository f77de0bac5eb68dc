// Finds where a text stops being JSON. JSON.parse words the place differently in each engine, so when
// it fails, this checks the grammar (RFC 8259) byte by byte.

import { endOfRun, nameOf, NONE, SPACE, tableOf, code, codes } from "./json-bytes.ts";
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA } from "./json-bytes.ts";
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./json-bytes.ts";

const MINUS = code("-");
const PLUS = code("+");
const POINT = code(".");
const ZERO = code("0");
const LOWER_U = code("u");

/** The bytes that need no escape in a string. Bytes above ASCII are checked as UTF-8 elsewhere. */
const PLAIN = tableOf(Array.from({ length: 256 }, (_, byte) => byte)).fill(0, 0, 0x20);
PLAIN[QUOTE] = PLAIN[BACKSLASH] = 0;
const ESCAPED = tableOf(codes('"\\/bfnrtu'));
const DIGIT = tableOf(codes("0123456789"));
const HEX = tableOf(codes("0123456789abcdefABCDEF"));
const EXPONENT = tableOf(codes("eE"));
const LITERALS = new Map(["true", "false", "null"].map((word) => [code(word), codes(word)]));

/** The first byte that is not JSON. If it is the length of the bytes, they end too early. */
export interface Fault {
  readonly at: number;
  /** Such as `'}'` or `end`. */
  readonly what: string;
  /** If the value is an array, the number of the element with the fault. */
  readonly element: number;
}

/** Where bytes stop being one JSON value, perhaps with space around it; `undefined` if they don't. */
export function faultOf(bytes: Uint8Array): Fault | undefined {
  const checker = new Checker(bytes);
  try {
    checker.value();
    checker.end();
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    const { position, elements } = checker;
    return { at: position, what: nameOf(bytes[position] ?? NONE), element: elements };
  }
}

class Refusal extends Error {}

/** Skips bytes as long as they are JSON. */
class Checker {
  position = 0;
  /** How many elements of the outermost array have been skipped. */
  elements = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Skips the next value, however deep it is. */
  value(): void {
    /** The closing bytes of the objects and arrays open here, the innermost last. */
    const open: number[] = [];
    for (;;) {
      const byte = this.#token();
      if (byte === OPEN_OBJECT) {
        this.position++;
        open.push(CLOSE_OBJECT);
        if (this.#token() !== CLOSE_OBJECT) {
          this.#key();
          continue;
        }
      } else if (byte === OPEN_ARRAY) {
        this.position++;
        open.push(CLOSE_ARRAY);
        if (this.#token() !== CLOSE_ARRAY) continue;
      } else this.#scalar(byte);

      // A value has ended, or an empty object or array is about to end.
      for (;;) {
        const close = open.at(-1);
        if (close === undefined) return;
        const next = this.#token();
        if (next === close) {
          this.position++;
          open.pop();
        } else if (next === COMMA) {
          this.position++;
          if (open.length === 1) this.elements++;
          if (close === CLOSE_OBJECT) this.#key();
          break;
        } else this.#refuse();
      }
    }
  }

  end(): void {
    if (this.#token() !== NONE) this.#refuse();
  }

  #key(): void {
    this.#token();
    this.#string();
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
      this.position = endOfRun(PLAIN, this.#bytes, this.position);
      const byte = this.#byte();
      if (byte === QUOTE) {
        this.position++;
        return;
      }
      if (byte === BACKSLASH) this.#escape();
      else this.#refuse();
    }
  }

  #escape(): void {
    this.position++;
    const byte = this.#byte();
    this.#oneOf(ESCAPED);
    if (byte === LOWER_U) for (let digits = 0; digits < 4; digits++) this.#oneOf(HEX);
  }

  #number(): void {
    if (this.#byte() === MINUS) this.position++;
    if (this.#byte() === ZERO) this.position++;
    else this.#digits();
    if (this.#byte() === POINT) {
      this.position++;
      this.#digits();
    }
    if (EXPONENT[this.#byte()] === 1) {
      this.position++;
      const sign = this.#byte();
      if (sign === PLUS || sign === MINUS) this.position++;
      this.#digits();
    }
  }

  #digits(): void {
    do this.#oneOf(DIGIT);
    while (DIGIT[this.#byte()] === 1);
  }

  /** Skips a byte that is in the table. */
  #oneOf(table: Uint8Array): void {
    if (table[this.#byte()] !== 1) this.#refuse();
    this.position++;
  }

  #expect(byte: number): void {
    if (this.#byte() !== byte) this.#refuse();
    this.position++;
  }

  /** Skips space. Returns the byte after it. */
  #token(): number {
    this.position = endOfRun(SPACE, this.#bytes, this.position);
    return this.#byte();
  }

  #byte(): number {
    return this.#bytes[this.position] ?? NONE;
  }

  #refuse(): never {
    throw new Refusal();
  }
}
