// The layout of a record's document: the form of input, drafts and patches. By default its fields are direct members.

import { dictionary } from "../../schema/dictionary.ts";
import { GIVEN } from "../../schema/computed.ts";
import { InputError, member, quote, type TercetErrorCode } from "../../schema/errors.ts";
import { isComputed, type FieldValue, type TextValue } from "../../schema/field.ts";
import { suggestion } from "../../schema/nearest.ts";
import type { Place } from "../../schema/place.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import type { ColumnName } from "./rows.ts";

/** A record in the form of input, drafts and patches. */
export type Document = Readonly<Record<string, unknown>>;

/** Freezes the value deeply. A frozen value is assumed to be frozen throughout. */
export function freeze<Value>(value: Value): Value {
  if (Object.isFrozen(value) || !isDocument(value)) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

export function isDocument(value: unknown): value is Document {
  return typeof value === "object" && value !== null;
}

export interface DocumentReader {
  /** Reads a document; columns without a value are left out. */
  read(document: unknown, reading: Reading): void;
}

export interface Layout extends DocumentReader {
  /** The columns for data of documents other than field values. */
  readonly hidden: readonly symbol[];
  /** The members of the document itself. */
  readonly whole: Part;
  /** The members of documents that hold fields. Other members are single values. */
  readonly parts: ReadonlySet<string>;
  /**
   * A record as a document.
   *
   * @param valueOf reads fields that are not stored in the record, and hidden columns
   */
  write(record: AnyRecord, valueOf: (column: ColumnName) => FieldValue): Document;
}

/** A document being read. */
export interface Reading {
  /**
   * Takes the values of fields from a part of the document.
   *
   * @param under the member of the document that holds the part; default: the document itself
   * @returns the values of the members that are not fields, in the order of the part's names
   * @throws InputError with the path of the first member that is not valid
   */
  take(input: unknown, part: Part, under?: string): readonly unknown[];
  /** Sets the value of one of the layout's hidden columns. */
  hide(column: number, value: TextValue): void;
  /** An error at a member of the document. */
  refusal(name: string, reason: string, code?: TercetErrorCode): InputError;
}

/** A part of a document: the members it may have. */
export class Part {
  readonly #positions: ReadonlyMap<string, number>;
  readonly #whereIs: (name: string) => string | undefined;
  readonly #computed: ReadonlySet<string>;
  /** The members of the last document, and their positions: most have the same in the same order. */
  #lastNames: readonly string[] = [];
  #lastPositions: readonly number[] = [];

  /**
   * @param places the fields that it may contain, and computed ones, which it must not
   * @param others its members that are not fields
   * @param whereIs for the end of an error: where a member belongs if not in this part
   */
  constructor(
    places: readonly Place[],
    others: readonly string[] = [],
    whereIs: (name: string) => string | undefined = () => undefined,
  ) {
    const given = places.filter(({ field }) => !isComputed(field));
    const computed = places.filter(({ field }) => isComputed(field));
    this.#computed = new Set(computed.map(({ name }) => name));
    this.#positions = new Map([
      ...given.map(({ name, position }) => [name, position] as const),
      ...others.map((name, i) => [name, ~i] as const),
    ]);
    this.#whereIs = whereIs;
  }

  /**
   * For a field, its position in the schema; for another member, the complement `~n` of its number.
   *
   * @throws InputError if there is no such member
   */
  positionOf(name: string, path: { text(): string }): number {
    const position = this.#positions.get(name);
    if (position !== undefined) return position;
    if (this.#computed.has(name)) throw new InputError(member(path.text(), name), GIVEN);
    const hint = this.#whereIs(name) ?? suggestion(name, this.#positions.keys());
    const reason = `has the unknown field ${quote(name)}${hint}`;
    throw new InputError(path.text(), reason, { code: "unknown_field" });
  }

  /** The positions of all members of a document. */
  positionsOf(names: readonly string[], path: { text(): string }): readonly number[] {
    if (!areSame(names, this.#lastNames)) {
      this.#lastPositions = names.map((name) => this.positionOf(name, path));
      this.#lastNames = names;
    }
    return this.#lastPositions;
  }
}

function areSame(names: readonly string[], others: readonly string[]): boolean {
  if (names.length !== others.length) return false;
  for (let i = 0; i < names.length; i++) if (names[i] !== others[i]) return false;
  return true;
}

/** All fields except computed ones as direct members. */
export class FlatLayout implements Layout {
  readonly hidden = [];
  readonly parts: ReadonlySet<string> = new Set();
  readonly whole: Part;
  readonly #unstored: readonly Place[];
  /** If a field is called `__proto__`, documents have no prototype: drafts would otherwise call its setter. */
  readonly #hasProto: boolean;

  constructor(places: readonly Place[]) {
    this.whole = new Part(places);
    this.#unstored = places.filter(({ field }) => !field.stored && !isComputed(field));
    this.#hasProto = places.some(({ name }) => name === "__proto__");
  }

  read(document: unknown, reading: Reading): void {
    reading.take(document, this.whole);
  }

  /** Frozen only if it is the record itself. */
  write(record: AnyRecord, valueOf: (column: ColumnName) => FieldValue): Document {
    if (this.#unstored.length === 0 && !this.#hasProto) return record;
    const document = this.#hasProto ? dictionary<FieldValue>(record) : { ...record };
    for (const { name } of this.#unstored) document[name] = valueOf(name);
    return document;
  }
}
