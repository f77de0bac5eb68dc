// Where decoders put records: an iteration, columns, or a schema inference.

import type { Field } from "../schema/field.ts";
import type { CsvBlock } from "./csv-block.ts";
import type { CsvFormat } from "./csv-format.ts";
import type { JsonColumn, JsonRows, PlaceOf } from "./json-rows.ts";

export const lineWith: PlaceOf = (number) => `line ${number}`;
export const rowWith: PlaceOf = (number) => `row ${number}`;

/** Converts a value to one that the field accepts. It may throw. */
export type Convert = (value: unknown) => unknown;

export interface ReadColumn {
  readonly name: string;
  /** Its number in the row. */
  readonly index: number;
  /** The field, if there is a schema. */
  readonly field: Field | undefined;
  readonly convert: Convert | undefined;
  readonly path: JsonColumn["path"];
}

/**
 * Stores rows of a block. All of them have a value for each column.
 *
 * @returns the first row that it does not store; `to` if it stores all
 */
export type Fill = (block: CsvBlock, from: number, to: number) => number;

export interface Sink {
  /** @param value a record, or {@link Malformed} */
  take(value: unknown, number: number, placeOf: PlaceOf): void;
  /** Called with the header of CSV. Without it, or if it returns nothing, all rows become records. */
  readonly createFiller?: (columns: readonly ReadColumn[], format: CsvFormat) => Fill | undefined;
  /** Whether records of JSON may have LongNumbers. Otherwise their digits replace them. */
  readonly takesLongNumbers?: true;
  /** Takes plain records of JSON from their bytes. */
  readonly json?: JsonRows | undefined;
}

/** Replaces a record that could not be parsed. */
export class Malformed {
  readonly read: unknown;
  readonly reason: string;

  constructor(read: unknown, reason: string) {
    this.read = read;
    this.reason = reason;
  }
}
