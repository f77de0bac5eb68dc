// What readers put records into in place of returning them: columns, or what is learnt of them.

import type { Field } from "../schema/field.ts";
import type { CsvFormat, CsvRow } from "./csv-rows.ts";
import type { JsonRows } from "./json-rows.ts";

/** A column that is read. */
export interface ReadColumn {
  readonly name: string;
  /** Its number in the row. */
  readonly index: number;
  /** The field, if there is a schema. */
  readonly field: Field | undefined;
  /** The path of its value in a record: a name, and perhaps a name within that member. */
  readonly path: readonly [string] | readonly [string, string];
}

/** Receives rows before records are made of them. */
export interface RowFiller {
  /** @returns whether it has taken the row */
  fill(row: CsvRow): boolean;
  /** Takes the record of a row that `fill` did not take, or a malformed row. */
  take(value: unknown, line: number): void;
}

/** Makes one, once the header has been read. */
export type CreateFiller = (columns: readonly ReadColumn[], format: CsvFormat) => RowFiller;

/** The place of a line. */
export const lineWith = (number: number): string => `line ${number}`;

type PlaceOf = (number: number) => string;

/** Takes records. */
interface Taker {
  /** @param value a record, or {@link Malformed} */
  take(value: unknown, number: number, placeOf: PlaceOf): void;
}

/** Takes records of JSON, from their bytes where no record need be made. */
export interface JsonSink extends Taker {
  readonly rows: JsonRows;
  /** Is told the number of each record that the rows have taken. */
  took(number: number, placeOf: PlaceOf): void;
}

/** What a decoder puts records into, in place of returning them. */
export interface ByteSink {
  /** Makes what takes the rows of CSV, once its header has been read. */
  readonly createFiller: CreateFiller;
  /** If there is none, records of JSON are returned. */
  readonly json: JsonSink | undefined;
}

/** Takes all records of a source. */
export interface Sink extends ByteSink, Taker {}
