// Infers a field that accepts all values of a column.

import { orUndefined } from "./errors.ts";
import { areBooleans, bitOfWord } from "./boolean-words.ts";
import { createField } from "./create-field.ts";
import { isExact, LongNumber, parseExactly } from "./exact-json.ts";
import type { Field, FieldType } from "./field.ts";
import { toJsonValue } from "./json.ts";
import { isCanonicalInteger } from "./numbers.ts";
import { toStrings } from "./strings.ts";

// The kinds of values in a column, as bits.
const INT = 1;
const FLOAT = 2;
const BOOLEAN = 4;
const STRING = 8;
const STRINGS = 16;
const JSON_VALUE = 32;
/** A number that a double can't represent. */
const ROUNDED = 64;

const NUMBERS = INT | FLOAT;

/** The values of a column so far: strings of unknown type, or typed values. */
export class ColumnFacts {
  readonly #areTexts: boolean;
  #kinds = 0;
  /** Its words for true and false. */
  #words = 0;
  /** How many records have a value. */
  #values = 0;
  #hasEmpty = false;

  constructor(areTexts: boolean) {
    this.#areTexts = areTexts;
  }

  /** Whether it is certainly a string column, whatever strings follow. */
  get isString(): boolean {
    return (this.#kinds & (STRING | ROUNDED)) !== 0;
  }

  /**
   * Adds a string.
   *
   * @param text `undefined` if it was not read, because the column {@link isString}
   * @param number the string with a decimal point, if it may be a number
   */
  addText(text: string | undefined, number = text): void {
    this.#values++;
    if (text === "") this.#hasEmpty = true;
    else if (text !== undefined) {
      const kind = kindOfText(text, number);
      this.#kinds |= kind;
      if (kind === BOOLEAN) this.#words |= bitOfWord(text);
    }
  }

  add(value: unknown): void {
    this.#values++;
    this.#kinds |= kindOf(value);
  }

  /**
   * The field for the values: nullable if a value is missing, or is empty in a column that is not of strings.
   *
   * @param records how many there are
   */
  field(records: number): Field {
    const type = this.#areTexts ? this.#typeOfTexts() : this.#typeOfValues();
    const nullable = this.#values < records || (this.#hasEmpty && type !== "string");
    return createField(type, { nullable });
  }

  #typeOfTexts(): FieldType {
    const kinds = this.#kinds;
    if (kinds === BOOLEAN) return areBooleans(this.#words) ? "boolean" : "string";
    return typeOfJson(kinds) ?? typeOfNumbers(kinds) ?? "string";
  }

  #typeOfValues(): FieldType {
    const kinds = this.#kinds;
    // Numbers become strings beside those that would be rounded.
    if (kinds === STRING || (kinds & ~NUMBERS) === ROUNDED) return "string";
    if (kinds === (STRING | ROUNDED) || kinds === 0) return "string";
    if (kinds === BOOLEAN) return "boolean";
    return typeOfNumbers(kinds) ?? typeOfJson(kinds) ?? "json";
  }
}

/** Whether a string is an int, a float, `true`, `false` or JSON, and so is unlikely to be a column name. */
export const hasType = (text: string): boolean =>
  kindOfText(text, text) !== STRING && bitOfWord(text) <= 1;

function typeOfJson(kinds: number): FieldType | undefined {
  if (kinds === STRINGS) return "strings";
  return kinds > 0 && (kinds & ~(STRINGS | JSON_VALUE)) === 0 ? "json" : undefined;
}

function typeOfNumbers(kinds: number): FieldType | undefined {
  if (kinds === INT) return "int";
  return kinds > 0 && (kinds & ~NUMBERS) === 0 ? "float" : undefined;
}

function kindOf(value: unknown): number {
  switch (typeof value) {
    case "number":
      return Number.isSafeInteger(value) ? INT : FLOAT;
    case "boolean":
      return BOOLEAN;
    case "string":
      return STRING;
    default:
      if (LongNumber.textIn(value) !== undefined) return ROUNDED;
      return toStrings(value) === undefined ? JSON_VALUE : STRINGS;
  }
}

/** A number that is not an id: no leading zeros, and an exponent only with a sign. */
const NUMBER = /^-?(?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)(?:[eE][+-]\d+)?$/;
const INTEGER = /^-?[1-9]\d*$/;

function kindOfText(text: string, number: string | undefined): number {
  if (isCanonicalInteger(text)) return INT;
  if (bitOfWord(text) !== 0) return BOOLEAN;
  if (number !== undefined && NUMBER.test(number)) {
    return INTEGER.test(number) || !isExact(number) ? ROUNDED : FLOAT;
  }
  if (!/^[{[]/.test(text)) return STRING;
  // JSON with a number that would be rounded stays text, too.
  const value = orUndefined(() => toJsonValue(parseExactly(text, isExact)));
  if (value === undefined) return STRING;
  return toStrings(value) === undefined ? JSON_VALUE : STRINGS;
}
