// Values of strings fields: arrays of strings. Their text form is their JSON, which is unique for each array.

import { describe, TercetError } from "./errors.ts";
import { parseJson, toJsonValue } from "./json.ts";

/** The text form of the array without elements. */
export const NO_ELEMENTS = "[]";

/** A frozen copy of an array of strings; `undefined` if it is not one. Reads each element once. */
export function toStrings(value: unknown): readonly string[] | undefined {
  const copy = Array.isArray(value) ? toJsonValue(value) : undefined;
  return isStrings(copy) ? copy : undefined;
}

/** The text form of an array of strings; `undefined` if it is not one. */
export function toStringsText(value: unknown): string | undefined {
  const strings = toStrings(value);
  return strings === undefined ? undefined : JSON.stringify(strings);
}

/**
 * Parses the text form; the array is frozen.
 *
 * @throws TercetError if it is not an array of strings, for example in a file that was modified
 */
export function parseStrings(text: string): readonly string[] {
  const value = parseJson(text);
  if (isStrings(value)) return value;
  throw new TercetError("a strings field has a string that is not a JSON array of strings");
}

/** Looking for more strings than this in a text form takes longer than parsing it. */
const FEW_TO_FIND = 8;

/**
 * Tests whether the array of a text form contains any of some strings (C16), or all of them (C17).
 *
 * @param searched distinct
 */
export function hasElements(
  searched: readonly string[],
  areAll: boolean,
): (text: string) => boolean {
  const contains = containsElements(searched, areAll);
  const has = (text: string) => contains(parseStrings(text));
  if (searched.length > FEW_TO_FIND) return has;
  const texts = searched.map((each) => JSON.stringify(each));
  // Looking for the JSON of the strings avoids parsing most text forms.
  return areAll
    ? (text) => texts.every((each) => text.includes(each)) && has(text)
    : (text) => texts.some((each) => text.includes(each)) && has(text);
}

/**
 * Tests whether an array contains any of some strings, or all of them.
 *
 * @param searched distinct
 */
export function containsElements(
  searched: readonly string[],
  areAll: boolean,
): (array: readonly unknown[]) => boolean {
  const [only] = searched;
  if (only !== undefined && searched.length === 1) return (array) => array.includes(only);
  const wanted = new Set<unknown>(searched);
  if (!areAll) return (array) => array.some((each) => wanted.has(each));
  return (array) => {
    if (array.length < wanted.size) return false;
    const elements = new Set(array);
    return searched.every((each) => elements.has(each));
  };
}

/** What is wrong with a value, as the end of a sentence. */
export function faultOfStrings(value: unknown): string {
  if (!Array.isArray(value)) return describe(value);
  const at = value.findIndex((each) => typeof each !== "string" || !each.isWellFormed());
  return at === -1 ? "one beyond the largest size" : `one with ${describe(value[at])} at [${at}]`;
}

/** Longer arrays may be beyond the largest size of a value, which the checked copy says. */
const SHORT = 1024;

/** Whether a value is, for certain, an array of strings of well-formed Unicode. */
export function isShortArrayOfStrings(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length > SHORT) return false;
  for (const each of value as readonly unknown[]) {
    if (typeof each !== "string" || !each.isWellFormed()) return false;
  }
  return true;
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
