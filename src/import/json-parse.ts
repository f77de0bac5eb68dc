// Parses bytes of JSON, with byte positions in errors.

import { InputError } from "../schema/errors.ts";
import { isExact, parseExactly } from "../schema/exact-json.ts";
import { BACKSLASH, code, QUOTE } from "./json-bytes.ts";
import { faultOf, type Fault } from "./json-fault.ts";
import { concat, decodeUtf8, firstBad } from "./utf8.ts";

/** Words that are not JSON although many programs write them. */
const NON_FINITE = ["NaN", "Infinity", "-Infinity"];

/**
 * Replaces each of these words outside of strings. A scan, because a regular expression would look for the end of a
 * string that has none from each of its quotes.
 */
function withFinite(text: string, other: (word: string) => string): string {
  const pieces: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    if (unit !== MINUS && unit !== UPPER_I && unit !== UPPER_N) continue;
    const word = NON_FINITE.find((each) => text.startsWith(each, at));
    if (word === undefined) continue;
    pieces.push(text.slice(copied, at), other(word));
    copied = at + word.length;
    at = copied - 1;
  }
  return pieces.join("") + text.slice(copied);
}

/** The position of the quote that ends a string, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) at++;
  }
  return at;
}

/**
 * The value of a text.
 *
 * @param isLenient whether NaN and infinities are null
 * @throws SyntaxError if it is not JSON
 */
export function parseText(text: string, isLenient: boolean): unknown {
  try {
    return parseExactly(text, isExact);
  } catch (thrown) {
    if (!isLenient) throw thrown;
    return parseExactly(
      withFinite(text, () => "null"),
      isExact,
    );
  }
}

/** The position at which bytes stop being JSON. */
export function faultIn(bytes: Uint8Array, isLenient: boolean): Fault | undefined {
  // Numbers of the same length preserve the position of another fault.
  return faultOf(bytes, (text) =>
    isLenient ? withFinite(text, (word) => "1".repeat(word.length)) : text,
  );
}

/**
 * The value of JSON in UTF-8.
 *
 * @param offset how many bytes come before it, for errors
 * @throws InputError with the path and the byte, if it is not JSON or not UTF-8
 */
export function parseValue(
  bytes: Uint8Array,
  offset: number,
  path: string,
  isLenient = false,
): unknown {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw notUtf8(path, offset + firstBad(bytes));
  try {
    return parseText(text, isLenient);
  } catch (thrown) {
    const fault = faultIn(bytes, isLenient);
    if (fault === undefined) throw thrown;
    throw notJson(path, fault.what, offset + fault.at);
  }
}

/**
 * The values of consecutive records, separated by commas.
 *
 * @param pathOf the path of a record, by its number among these
 * @throws InputError like {@link parseValue}
 */
export function parseElements(
  bytes: Uint8Array,
  offset: number,
  pathOf: (index: number) => string,
  isLenient = false,
): readonly unknown[] {
  const text = decodeUtf8(bytes);
  if (text !== undefined) {
    try {
      return parseText(`[${text}]`, isLenient) as readonly unknown[];
    } catch {
      // The code below finds the place.
    }
  }
  const bad = text === undefined ? firstBad(bytes) : bytes.length;
  const fault = faultIn(
    concat([BRACKET, bytes.subarray(0, bad), text === undefined ? EMPTY : CLOSE]),
    isLenient,
  );
  if (fault === undefined) throw new Error("no fault found in invalid JSON");
  const { at, what, element } = fault;
  if (text === undefined && at > bad) throw notUtf8(pathOf(element), offset + bad);
  throw notJson(pathOf(element), what, offset + at - 1);
}

const MINUS = code("-");
const UPPER_I = code("I");
const UPPER_N = code("N");

const EMPTY = new Uint8Array(0);
const BRACKET = Uint8Array.of(code("["));
const CLOSE = Uint8Array.of(code("]"));

/** @param what the unexpected part */
export function notJson(path: string, what: string, at: number): InputError {
  return new InputError(path, `is not JSON: unexpected ${what} at byte ${at}`);
}

function notUtf8(path: string, at: number): InputError {
  return new InputError(path, `is not UTF-8 at byte ${at}`);
}
