// How the records of a collection are read and written: its fields, its columns, and the layout of documents. Used by
// the loader. Collections made from one another share a codec.

import { dictionary } from "../../schema/dictionary.ts";
import type { ComputedPlace } from "../../schema/computed.ts";
import {
  isComputed,
  isNext,
  storedTestOf,
  storedValue,
  textFormOfStored,
  type Field,
  type FieldValue,
  type TextValue,
} from "../../schema/field.ts";
import { kinds } from "../../schema/kinds.ts";
import { isEqualJson } from "../../schema/json.ts";
import type { Place } from "../../schema/place.ts";
import { fieldOf, textFormColumn } from "../../schema/names.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import type { FieldChange, Schema } from "../../schema/schema.ts";
import type { UniqueConstraint } from "../../schema/unique.ts";
import { FlatLayout, type Document, type Layout } from "./layout.ts";
import type { ColumnName, Rows } from "./rows.ts";

/**
 * Removes values derived from changed ones from a document; returns the same document if there are none.
 *
 * @param before the record before the change
 */
export type InvalidateDerived = (document: unknown, before: AnyRecord) => unknown;

export interface CodecOptions {
  /** Adds derived fields to a document before it is read. */
  readonly deriveFields?: ((input: unknown) => unknown) | undefined;
  /** Removes from a changed record the values derived from changed ones; `deriveFields` then adds them again. */
  readonly invalidateDerived?: InvalidateDerived;
  /** Default: all fields are direct members. */
  readonly layout?: Layout;
}

/** A column in addition to the records. */
export interface Column {
  readonly name: ColumnName;
  /** The position of its value among those of a row. For a field, its position in the schema. */
  readonly position: number;
  /** The field, if it is one that records do not contain. */
  readonly field: Field | undefined;
}

/** Made once: a small collection takes less time than its codec. */
const bySchema = new WeakMap<Schema, Codec>();

export class Codec<S extends Schema = Schema> {
  readonly schema: S;
  readonly names: readonly string[];
  readonly fields: readonly Field[];
  /** By position, whether a value is already as records hold it, unless values of the field are copied. */
  readonly storedTests: readonly (((value: unknown) => value is FieldValue) | undefined)[];
  /** Fields that records do not contain and that are not computed, and other data of the layout. */
  readonly columns: readonly Column[];
  /** The unique fields, then the unique combinations. */
  readonly unique: readonly UniqueConstraint[];
  /**
   * The values that identify a record in patches (rule U1): those of the first unique field that is neither nullable nor
   * computed, or of the first such combination; `undefined` if there is none; patches then use its key.
   */
  readonly identity: UniqueConstraint | undefined;
  /** The fields whose default is `next`. */
  readonly counted: readonly Place[];
  readonly deriveFields: ((input: unknown) => unknown) | undefined;
  readonly invalidateDerived: InvalidateDerived;
  readonly layout: Layout;
  readonly #readers: readonly ((record: AnyRecord) => FieldValue)[];
  readonly #stored: readonly Place[];
  readonly #unstored: readonly Place[];
  /** The computed fields. */
  readonly computed: readonly ComputedPlace[];

  /** The codec of a schema whose documents have all fields as direct members. */
  static of<S extends Schema>(schema: S): Codec<S>;
  static of(schema: Schema): Codec {
    let codec = bySchema.get(schema);
    if (codec === undefined) {
      codec = new Codec(schema, { deriveFields: schema.deriveFields });
      bySchema.set(schema, codec);
    }
    return codec;
  }

  constructor(schema: S, { deriveFields, invalidateDerived, layout }: CodecOptions = {}) {
    const { places } = schema;
    this.schema = schema;
    this.names = places.map(({ name }) => name);
    this.fields = places.map(({ field }) => field);
    this.storedTests = this.fields.map((field) =>
      schema.form === "values" && kinds[field.type].copy === undefined
        ? storedTestOf(field)
        : undefined,
    );
    this.#readers = this.names.map((name) =>
      schema.form === "values"
        ? (record) => record[name] ?? null
        : schema.readerOf(textFormColumn(schema, name)),
    );
    this.#stored = places.filter(({ field }) => field.stored);
    this.#unstored = places.filter(({ field }) => !field.stored);
    this.computed = [...schema.computed.values()];
    this.unique = schema.constraints;
    this.identity = this.unique.find((each) =>
      each.places.every(
        ({ field }) => !field.nullable && field.type !== "boolean" && !isComputed(field),
      ),
    );
    this.counted = places.filter(({ field }) => isNext(field.default));
    this.deriveFields = deriveFields;
    this.invalidateDerived = invalidateDerived ?? ((document) => document);
    this.layout = layout ?? new FlatLayout(places);
    this.columns = [
      ...this.#unstored
        .filter(({ field }) => !isComputed(field))
        .map((place) => ({ ...place, name: textFormColumn(schema, place.name) })),
      ...this.layout.hidden.map((name, i) => {
        return { name, position: places.length + i, field: undefined };
      }),
    ];
  }

  nameOf(position: number): string {
    return this.names[position] ?? "";
  }

  /** Copies the values of a row as records hold them: those of the fields, then of hidden columns. */
  copyValues(rows: Rows, row: number, values: (FieldValue | undefined)[]): void {
    const record = rows.record(row);
    for (let position = 0; position < this.#readers.length; position++) {
      values[position] = this.#readers[position]!(record);
    }
    for (const column of this.columns) {
      values[column.position] = this.#storedOf(column, rows.readerOf(column.name)(row));
    }
  }

  /** Whether a row has these values: those of the fields, then of hidden columns. */
  hasValues(rows: Rows, row: number, values: readonly FieldValue[]): boolean {
    const record = rows.record(row);
    return (
      this.#stored.every(({ position }) =>
        isEqualJson(this.#readers[position]!(record), values[position]!),
      ) &&
      this.columns.every((column) =>
        isEqualJson(
          this.#storedOf(column, rows.readerOf(column.name)(row)),
          values[column.position],
        ),
      )
    );
  }

  /** @internal Whether a row has these values of some fields. */
  hasFields(rows: Rows, row: number, fields: readonly FieldChange[]): boolean {
    for (let i = 0; i < fields.length; i++) {
      if (!this.#hasField(rows, row, fields[i]!)) return false;
    }
    return true;
  }

  #hasField(rows: Rows, row: number, { name, position, field, stored }: FieldChange): boolean {
    const { records } = rows;
    if (records !== undefined && field.stored) {
      return isEqualJson(this.#readers[position]!(records[row]!), stored);
    }
    return isEqualJson(
      storedValue(this.schema.form, field, this.#textFormOf(name, rows, row)),
      stored,
    );
  }

  #storedOf({ field }: Column, textForm: TextValue): FieldValue {
    return field === undefined ? textForm : storedValue(this.schema.form, field, textForm);
  }

  /** The text form of the value of a column. */
  textFormIn({ field }: Pick<Column, "field">, stored: FieldValue): TextValue {
    // Columns that belong to no field, and records in text form, hold text forms already.
    const isText = field === undefined || this.schema.form !== "values";
    return isText ? (stored as TextValue) : textFormOfStored(field, stored);
  }

  /** A row with every field, as read by predicates over records. */
  flat(rows: Rows, row: number): AnyRecord {
    const record = rows.record(row);
    if (this.#unstored.length === 0) return record;
    // No prototype, so that `__proto__` is a field like any other.
    const all = dictionary<FieldValue>(record);
    for (const { name, field } of this.#unstored) {
      all[name] = storedValue(this.schema.form, field, this.#textFormOf(name, rows, row));
    }
    return all;
  }

  /** A row as a complete input record. */
  write(rows: Rows, row: number): Document {
    const { schema } = this;
    return this.layout.write(rows.record(row), (name) => {
      const textForm = this.#textFormOf(name, rows, row);
      const field = typeof name === "string" ? fieldOf(schema, name) : undefined;
      return field === undefined ? textForm : storedValue(schema.form, field, textForm);
    });
  }

  #textFormOf(name: ColumnName, rows: Rows, row: number): TextValue {
    return rows.readerOf(textFormColumn(this.schema, name))(row);
  }
}
