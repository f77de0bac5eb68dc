// Finds the field that takes all values of a column.

import { InputError, tried } from "./errors.ts";
import { createField } from "./declare.ts";
import { isFloatOrExact, LongNumber, parseExactly } from "./exact-json.ts";
import { toWire, type Field, type FieldType } from "./field.ts";
import { isCanonicalInteger } from "./numbers.ts";

// What the values of a column are, as bits.
const INT = 1;
const FLOAT = 2;
const BOOLEAN = 4;
const STRING = 8;
const JSON_VALUE = 16;
/** An integer that a number can't hold. */
const ROUNDED = 32;

const NUMBERS = INT | FLOAT;

/** Why an integer is refused that a number can't hold. */
export const BEYOND = "is beyond 2^53 − 1, where numbers are rounded; put it in quotes";

/** What is known of the values of a column: texts whose types are to be found, or values that have types. */
export class ColumnFacts {
  readonly #areTexts: boolean;
  #kinds = 0;
  /** How many records have a value. */
  #values = 0;
  #hasEmpty = false;
  /** Where the first one of those is. */
  #rounded = "";

  constructor(areTexts: boolean) {
    this.#areTexts = areTexts;
  }

  /** Whether it is one of strings, whatever other texts follow. */
  get isString(): boolean {
    return (this.#kinds & STRING) !== 0;
  }

  /** Adds a text. @param text is `undefined` if it was not read, because the column {@link isString} */
  addText(text: string | undefined): void {
    this.#values++;
    if (text === "") this.#hasEmpty = true;
    else if (text !== undefined) this.#kinds |= kindOfText(text);
  }

  /** Adds a value. @param place of it, for an error */
  add(value: unknown, place: () => string): void {
    this.#values++;
    const kind = kindOf(value);
    if (kind === ROUNDED && this.#rounded === "") this.#rounded = place();
    this.#kinds |= kind;
  }

  /**
   * The field for the values: nullable if one is missing, or is an empty text and the others are not strings.
   *
   * @param records how many there are
   * @throws InputError if an integer would be rounded, with its place
   */
  field(records: number): Field {
    const type = this.#areTexts ? this.#typeOfTexts() : this.#typeOfValues();
    const nullable = this.#values < records || (this.#hasEmpty && type !== "string");
    return createField(type, { nullable });
  }

  #typeOfTexts(): FieldType {
    const kinds = this.#kinds;
    if (kinds === BOOLEAN) return "boolean";
    if (kinds === JSON_VALUE) return "json";
    return typeOfNumbers(kinds) ?? "string";
  }

  #typeOfValues(): FieldType {
    const kinds = this.#kinds;
    if ((kinds & ROUNDED) !== 0) throw new InputError(this.#rounded, BEYOND);
    if (kinds === STRING || kinds === 0) return "string";
    return kinds === BOOLEAN ? "boolean" : (typeOfNumbers(kinds) ?? "json");
  }
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
      return LongNumber.textIn(value) === undefined ? JSON_VALUE : ROUNDED;
  }
}

/** A number that nobody takes for an id: no leading zeros, and an exponent only with its sign. */
const NUMBER = /^-?(?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)(?:[eE][+-]\d+)?$/;
const INTEGER = /^-?[1-9]\d*$/;

function kindOfText(text: string): number {
  if (isCanonicalInteger(text)) return INT;
  if (text === "true" || text === "false") return BOOLEAN;
  if (NUMBER.test(text)) {
    return INTEGER.test(text) || !Number.isFinite(Number(text)) ? STRING : FLOAT;
  }
  return /^[{[]/.test(text) && isJson(text) ? JSON_VALUE : STRING;
}

const anyJson = createField("json", {});

const isJson = (text: string) =>
  tried(() => toWire(anyJson, parseExactly(text, isFloatOrExact))) !== undefined;
