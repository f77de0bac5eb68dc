// Finds the schema of records from the records themselves, in one pass.

import { createField, toWire, type Field, type FieldType } from "../schema/field.ts";
import { InputError, member } from "../schema/errors.ts";
import { isMembers } from "../schema/input.ts";
import { isCanonicalInteger } from "../schema/numbers.ts";
import { schemaOfEntries, type Schema } from "../schema/schema.ts";
import type { AnyRecord, RecordCheck } from "./form.ts";
import { inputOf } from "./flat-value.ts";
import { BEYOND } from "./json-parse.ts";
import { Records, SyncRecords, type Reading, type Refusing } from "./reading.ts";
import type { SyncReading } from "./reading.ts";
import type { CsvRow } from "./csv-rows.ts";
import type { PlaceOf, ReadColumn, Sink } from "./sink.ts";

/**
 * The schema of what a reader reads: a field for each column or member, in the order of their first
 * occurrence, and nullable if a value is missing, empty or `null`. Every value fits its field.
 *
 * CSV: a column is an int, a float, a boolean or JSON if all of its texts are: safe integers, decimal
 * numbers, `true` and `false`, objects and arrays. All others are strings, such as numbers with leading
 * zeros and integers beyond 2^53 − 1. JSON: the values have types; numbers with a fraction make a float, and
 * values of several types JSON. Arrow and Parquet files declare their types; no row is read.
 *
 * Cost: one pass over the source. Memory: what the columns need, whatever the number of records.
 *
 * @param reading what a reader of `tercet/import` returned, without a schema
 * @returns the schema, or a promise of it if the bytes are asynchronous
 * @throws InputError with the place, such as `line 17`, if the source can't be read or has no columns
 */
export function inferSchema(reading: SyncReading<AnyRecord>): Schema;
export function inferSchema(reading: Reading<AnyRecord>): Promise<Schema>;
export function inferSchema(reading: unknown): Schema | Promise<Schema> {
  if (!(reading instanceof Records) || reading.schema !== undefined) {
    throw new InputError("reading", "must be that of a reader which was given no schema");
  }
  if (reading.declared !== undefined) return reading.declared();
  const found = new Inference(reading.refusing);
  if (reading instanceof SyncRecords) return reading.pourSync(found).schema();
  return reading.pour(found).then((all) => all.schema());
}

/** How many fields there may be: hostile records could each have others. */
const MOST_FIELDS = 10_000;

// What the values of a column are, as bits.
const INT = 1;
const FLOAT = 2;
const BOOLEAN = 4;
const STRING = 8;
const JSON_VALUE = 16;
/** An integer that a number can't hold, as a number. */
const ROUNDED = 32;

const NUMBERS = INT | FLOAT | ROUNDED;

/** What is known of a column. */
class Facts {
  kinds = 0;
  /** How many records have a value. */
  values = 0;
  /** Whether a cell is the empty string. */
  hasEmpty = false;
  /** Where the first integer stands that a number can't hold. */
  rounded = "";
}

/** Accepts any object. */
const ANY_RECORD: RecordCheck = {
  refusalOf: (record) =>
    isMembers(record) ? undefined : { path: "", reason: "must be an object" },
};

class Inference implements Sink {
  readonly #refusing: Refusing;
  readonly #columns = new Map<string, Facts>();
  /** Whether the values are texts, so that a column of several types is one of strings. */
  #isText = false;
  #records = 0;

  constructor(refusing: Refusing) {
    this.#refusing = refusing;
  }

  readonly createFiller = (columns: readonly ReadColumn[]) => {
    this.#isText = true;
    const facts = columns.map(({ index, path: [name] }) => ({
      index,
      column: this.#columnOf(name, "columns"),
    }));
    return (row: CsvRow) => {
      for (let i = 0; i < facts.length; i++) {
        const { index, column } = facts[i]!;
        if (row.isNull(index)) continue;
        column.values++;
        if (row.from(index) === row.to(index)) column.hasEmpty = true;
        // Nothing makes anything else of it.
        else if ((column.kinds & STRING) === 0) column.kinds |= kindOfText(row.cell(index) ?? "");
      }
      this.#records++;
      return true;
    };
  };

  take(value: unknown, number: number, placeOf: PlaceOf): void {
    if (!this.#refusing.takes(value, () => placeOf(number), ANY_RECORD)) return;
    const record = value as AnyRecord;
    for (const name of Object.keys(record)) {
      const column = this.#columnOf(name, placeOf(number));
      const each = record[name] ?? null;
      if (each === null) continue;
      column.values++;
      const kind = kindOf(each);
      if (kind === ROUNDED && column.rounded === "") {
        column.rounded = member(placeOf(number), name);
      }
      column.kinds |= kind;
    }
    this.#records++;
  }

  schema(): Schema {
    if (this.#columns.size === 0) {
      throw new InputError("source", "has no columns from which to infer a schema");
    }
    const fields = Array.from(this.#columns, ([name, facts]) => {
      return [name, this.#field(facts)] as const;
    });
    return schemaOfEntries(fields, "values");
  }

  #columnOf(name: string, place: string): Facts {
    let facts = this.#columns.get(name);
    if (facts === undefined) {
      if (this.#columns.size === MOST_FIELDS) {
        throw new InputError(place, `has a field beyond the limit of ${MOST_FIELDS}`);
      }
      this.#columns.set(name, (facts = new Facts()));
    }
    return facts;
  }

  #field({ kinds, values, hasEmpty, rounded }: Facts): Field {
    const type = this.#isText ? typeOfTexts(kinds) : typeOfValues(kinds, rounded);
    // An empty cell is a value of a string field only.
    const nullable = values < this.#records || (hasEmpty && type !== "string");
    return createField(type, { nullable });
  }
}

function typeOfTexts(kinds: number): FieldType {
  if (kinds === BOOLEAN) return "boolean";
  if (kinds === JSON_VALUE) return "json";
  return typeOfNumbers(kinds) ?? "string";
}

function typeOfValues(kinds: number, rounded: string): FieldType {
  // Beside a fraction it is a float like others; among integers it is likely to be an id.
  if ((kinds & ROUNDED) !== 0 && (kinds & FLOAT) === 0) throw new InputError(rounded, BEYOND);
  if (kinds === STRING || kinds === 0) return "string";
  return kinds === BOOLEAN ? "boolean" : (typeOfNumbers(kinds) ?? "json");
}

function typeOfNumbers(kinds: number): FieldType | undefined {
  if (kinds === INT) return "int";
  return kinds > 0 && (kinds & ~NUMBERS) === 0 ? "float" : undefined;
}

/** Up to here an integer may be an id of 64 bits. */
const MOST_OF_64_BITS = 2 ** 64;

function kindOf(value: unknown): number {
  switch (typeof value) {
    case "number":
      if (!Number.isInteger(value)) return FLOAT;
      if (Number.isSafeInteger(value)) return INT;
      return Math.abs(value) < MOST_OF_64_BITS ? ROUNDED : FLOAT;
    case "boolean":
      return BOOLEAN;
    case "string":
      return STRING;
    default:
      return JSON_VALUE;
  }
}

/** A number that nobody takes for an id: no leading zeros, and an exponent only with its sign. */
const NUMBER = /^-?(?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)(?:[eE][+-]\d+)?$/;
const INTEGER = /^-?[1-9]\d*$/;

const anyJson = createField("json", {});

function kindOfText(text: string): number {
  if (isCanonicalInteger(text)) return INT;
  if (text === "true" || text === "false") return BOOLEAN;
  if (NUMBER.test(text)) {
    return INTEGER.test(text) || !Number.isFinite(Number(text)) ? STRING : FLOAT;
  }
  if (text.startsWith("{") || text.startsWith("[")) {
    return toWire(anyJson, inputOf(anyJson, text)) === undefined ? STRING : JSON_VALUE;
  }
  return STRING;
}
