// Finds the first byte that is not JSON. Each engine's JSON.parse reports the position differently, so when it fails,
// this checks the grammar (RFC 8259) token by token.

import { nameOf, END_OF_TEXT } from "./json-bytes.ts";

/** How many bytes to pass to `String.fromCharCode` at once: with too many arguments, engines throw. */
const PIECE = 4096;

/** Each byte as one character, so that positions are those of the bytes. UTF-8 is checked elsewhere. */
function bytewise(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  }
  return text;
}

const SPACE = /[ \t\n\r]+/y;
/** The characters a string may contain before its closing quote. */
const CHARACTERS = /[^"\\\0-\x1f]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y; // oxlint-disable-line no-control-regex
/** The valid beginning of an escape. */
const BEGUN_ESCAPE = /\\(?:u[\da-fA-F]{0,3})?/y;
/** The valid start of a number or a word, and the complete ones. */
const BEGUN_WORD =
  /-?(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?\d*)?)?|[eE][+-]?\d*)?|-|t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?/y;
const WHOLE_WORD = /\d$|^(?:true|false|null)$/;

/** The first byte that is not JSON. If it is the length of the bytes, they end too early. */
export interface Fault {
  readonly at: number;
  /** Such as `'}'` or `end`. */
  readonly what: string;
  /** If the value is an array, the number of the element with the fault. */
  readonly element: number;
}

/**
 * The position of the first invalid byte of a JSON value; `undefined` if it is valid.
 *
 * @param amended changes the text, in which each byte is a character, before it is checked
 */
export function faultOf(bytes: Uint8Array, amended = (text: string) => text): Fault | undefined {
  const text = amended(bytewise(bytes));
  let at = 0;
  let element = 0;

  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const isThere = pattern.test(text);
    if (isThere) at = pattern.lastIndex;
    return isThere;
  };
  /** Skips space. Returns the character after it. */
  const next = (): string | undefined => {
    skip(SPACE);
    return text[at];
  };
  /** Skips space, and the next character if it is the given one. */
  const token = (character: string | undefined): boolean => {
    const isThere = next() === character && character !== undefined;
    if (isThere) at++;
    return isThere;
  };
  const string = (): boolean => {
    if (!token('"')) return false;
    while (skip(CHARACTERS));
    if (skip(BEGUN_ESCAPE) || text[at] !== '"') return false;
    at++;
    return true;
  };
  const word = (): boolean => {
    const start = at;
    skip(BEGUN_WORD);
    return WHOLE_WORD.test(text.slice(start, at));
  };
  const key = (): boolean => string() && token(":");
  /** Skips a value, however deep it is, and the space after it. */
  const value = (): boolean => {
    /** The closing brackets of the open objects and arrays, innermost last. */
    const open: string[] = [];
    do {
      if (token("{")) {
        open.push("}");
        if (next() !== "}") {
          if (!key()) return false;
          continue;
        }
      } else if (token("[")) {
        open.push("]");
        if (next() !== "]") continue;
      } else if (!(next() === '"' ? string() : word())) return false;

      // A value has ended, or an empty object or array is about to end.
      while (open.length > 0 && token(open.at(-1))) open.pop();
      if (open.length === 0) break;
      if (!token(",")) return false;
      if (open.length === 1) element++;
      if (open.at(-1) === "}" && !key()) return false;
    } while (open.length > 0);
    return next() === undefined;
  };
  return value() ? undefined : { at, what: nameOf(bytes[at] ?? END_OF_TEXT), element };
}
