// Finds where a text stops being JSON. JSON.parse words the place differently in each engine, so when
// it fails, this checks the grammar (RFC 8259) token by token.

import { nameOf, NONE } from "./json-bytes.ts";

/** Each byte as one character, so that positions are those of the bytes. UTF-8 is checked elsewhere. */
const bytewise = new TextDecoder("latin1");

const SPACE = /[ \t\n\r]+/y;
/** What a string may hold before its closing quote. */
const CHARACTERS = /[^"\\\0-\x1f]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y; // eslint-disable-line no-control-regex
/** As much of an escape as is legal. */
const BEGUN_ESCAPE = /\\(?:u[\da-fA-F]{0,3})?/y;
const DIGITS = /\d+/y;
const LITERALS = ["true", "false", "null"];

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
  const checker = new Checker(bytewise.decode(bytes));
  try {
    checker.check();
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    const { position, elements } = checker;
    return { at: position, what: nameOf(bytes[position] ?? NONE), element: elements };
  }
}

class Refusal extends Error {}

/** Skips a text as long as it is JSON. */
class Checker {
  position = 0;
  /** How many elements of the outermost array have been skipped. */
  elements = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Skips a value, however deep it is, and the space after it. */
  check(): void {
    /** The closing brackets of the objects and arrays that are open, the innermost last. */
    const open: string[] = [];
    do {
      if (this.#token("{")) {
        open.push("}");
        if (this.#next() !== "}") {
          this.#key();
          continue;
        }
      } else if (this.#token("[")) {
        open.push("]");
        if (this.#next() !== "]") continue;
      } else this.#scalar();

      // A value has ended, or an empty object or array is about to end.
      while (open.length > 0 && this.#token(open.at(-1))) open.pop();
      if (open.length === 0) break;
      this.#expect(this.#token(","));
      if (open.length === 1) this.elements++;
      if (open.at(-1) === "}") this.#key();
    } while (open.length > 0);
    this.#expect(this.#next() === undefined);
  }

  #key(): void {
    this.#next();
    this.#string();
    this.#expect(this.#token(":"));
  }

  #scalar(): void {
    const first = this.#text.charAt(this.position);
    const literal = LITERALS.find((word) => first !== "" && word.startsWith(first));
    if (literal !== undefined) for (const each of literal) this.#expect(this.#skip(each));
    else if (first === '"') this.#string();
    else this.#number();
  }

  #string(): void {
    this.#expect(this.#skip('"'));
    while (this.#match(CHARACTERS));
    this.#expect(!this.#match(BEGUN_ESCAPE));
    this.#expect(this.#skip('"'));
  }

  #number(): void {
    this.#skip("-");
    this.#expect(this.#skip("0") || this.#match(DIGITS));
    if (this.#skip(".")) this.#expect(this.#match(DIGITS));
    if (!this.#skip("e") && !this.#skip("E")) return;
    if (!this.#skip("+")) this.#skip("-");
    this.#expect(this.#match(DIGITS));
  }

  /** Skips space. Returns the character after it. */
  #next(): string | undefined {
    this.#match(SPACE);
    return this.#text[this.position];
  }

  /** Skips space, and the character after it if it is this one. */
  #token(character: string | undefined): boolean {
    this.#next();
    return this.#skip(character);
  }

  #skip(character: string | undefined): boolean {
    const isThere = character !== undefined && this.#text[this.position] === character;
    if (isThere) this.position++;
    return isThere;
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.position;
    const isThere = pattern.test(this.#text);
    if (isThere) this.position = pattern.lastIndex;
    return isThere;
  }

  #expect(condition: boolean): void {
    if (!condition) throw new Refusal();
  }
}
