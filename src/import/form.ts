// The form of records for a collection or a Batch: the fields of a schema and, for Contacts, the
// members `list` and `fields`. Readers check records here, where an error can still name the line;
// writers get the values from here.

import { Codec } from "../engine/columns/codec.ts";
import { Part, type DocumentReader } from "../engine/columns/layout.ts";
import { NO_INDEX, Loader, type RowSink, type Uniqueness } from "../engine/columns/loader.ts";
import { InputError, member, quote, type TercetErrorCode } from "../schema/errors.ts";
import { int, string } from "../schema/declare.ts";
import { explainRefusal, isComputed, isNext, toTextForm } from "../schema/field.ts";
import type { Field, FieldValue, TextValue } from "../schema/field.ts";
import { membersOf } from "../schema/input.ts";
import { suggestion } from "../schema/nearest.ts";
import type { InputOf } from "../schema/record-types.ts";
import { requireSchema, schemaOfEntries, type Schema } from "../schema/schema.ts";
import {
  Contact,
  LIST_FIELDS_MEMBER,
  LIST_MEMBER,
  type BatchContactInput,
  type ListFieldType,
} from "../service/contact.ts";
import type { File, FileInput } from "../service/file.ts";
import { readListFieldType } from "../service/lists.ts";

/** An unchecked record of any form. */
export type AnyRecord = Readonly<Record<string, unknown>>;

/** Records for a collection of a schema or, if the schema is that of Contacts, for a Batch. */
export type ImportOf<S extends Schema | undefined> = S extends typeof Contact
  ? BatchContactInput
  : S extends typeof File
    ? FileInput
    : S extends Schema
      ? InputOf<S>
      : AnyRecord;

/** The types of List Fields by name. */
export type ListFields = Readonly<Record<string, ListFieldType>>;

/** What is wrong with a record, or with one of its members, such as `.size`. */
export interface Refusal {
  readonly path: string;
  readonly reason: string;
  readonly code?: TercetErrorCode | undefined;
}

export interface RecordCheck {
  refusalOf(record: unknown): Refusal | undefined;
}

/**
 * Columns that are not fields, or members of a Contact's `fields` that are not List Fields. The message names
 * them all; `columns` and `listFields` hold the names that the options `columns` and `listFields` would need.
 */
export class UndeclaredError extends InputError {
  readonly #names: Pick<UndeclaredError, "columns" | "listFields">;

  /** @internal */
  constructor(
    path: string,
    reason: string,
    names: Pick<UndeclaredError, "columns" | "listFields">,
  ) {
    super(path, reason, { code: "unknown_field" });
    this.#names = names;
  }

  get columns(): readonly string[] {
    return this.#names.columns;
  }

  get listFields(): readonly string[] {
    return this.#names.listFields;
  }
}

/** A place in a flat row: a field, a List Field, or the id of the List. */
export interface Column {
  /** `contact_email`, `fields.Age`, `list`. */
  readonly name: string;
  readonly field: Field;
  /** Its path in a record: a name, and perhaps a name within that member. */
  readonly path: readonly [string] | readonly [string, string];
}

const anyListField = string({ nullable: true });
const listFieldOf = { int: int({ nullable: true }), string: anyListField };

/** The collection or store that the records go into checks what is unique, unless invalid records are skipped. */
const NOT_UNIQUE: Uniqueness = { constraints: [] };

/** Stands for the computation of a value from a record of which some values are not known yet. */
const UNKNOWN = { nullable: true, path: undefined, compute: () => null };

export class RecordForm {
  readonly schema: Schema;
  /** The fields that are not computed, then for Contacts the id of the List and the declared List Fields. */
  readonly columns: readonly Column[];
  /**
   * The schema of the columns and of computed fields, without unique fields: see {@link NOT_UNIQUE}. It is in text form,
   * unless fields are computed.
   */
  readonly codec: Codec;
  readonly #isContact: boolean;
  /** Whether only declared List Fields are accepted. */
  readonly #isDeclared: boolean;
  readonly #reader: DocumentReader;
  readonly #reads: RecordCheck;
  /** Does not call default functions (V14), nor number records: that happens when the record is made. */
  readonly #checked: Codec;
  readonly #check: RecordCheck;
  /** The values of the last accepted record, by the positions of the codec. */
  #values: readonly FieldValue[] = [];
  /** The positions of the columns in the codec. */
  readonly #positions: readonly number[];

  /**
   * @param listFields the declared List Fields; without them, any name is accepted
   * @param list the id of the List for Contacts that name none; without it, none has a default
   */
  constructor(schema: Schema, listFields?: ListFields, list: string | null = null) {
    requireSchema(schema);
    this.schema = schema;
    this.#isContact = schema === Contact;
    this.#isDeclared = listFields !== undefined;
    const all = schema.places.map(({ name, field }): Column => {
      return { name, field, path: [name] };
    });
    if (this.#isContact) {
      // The id of the List is checked like a field; it may be omitted, but not null.
      all.push({ name: LIST_MEMBER, field: { ...int(), default: list }, path: [LIST_MEMBER] });
      for (const [name, type] of Object.entries(listFields ?? {})) {
        const read = readListFieldType(type, member("options.listFields", name));
        all.push(listFieldColumn(name, listFieldOf[read]));
      }
    }
    const columns = all.filter(({ field }) => !isComputed(field));
    this.columns = columns;
    this.#positions = all.flatMap(({ field }, position) => (isComputed(field) ? [] : position));
    const fields = all.map(({ name, field }) => [name, { ...field, unique: false }] as const);
    const { deriveFields, computed } = schema;
    const form = computed.size === 0 ? "wire" : "values";
    this.codec = new Codec(schemaOfEntries(fields, form), { deriveFields });
    const { layout } = this.codec;
    this.#reader = this.#isContact ? contactReader(columns, this.#isDeclared) : layout;
    this.#reads = this.into({ add: (values) => (this.#values = values) });
    const isGenerated = (field: Field) =>
      typeof field.default === "function" || isNext(field.default);
    const isComplete = !fields.some(([, field]) => isGenerated(field));
    const constant = fields.map(([name, field]): [string, Field] => {
      if (isGenerated(field)) return [name, { ...field, default: null }];
      return [name, isComplete || !isComputed(field) ? field : { ...field, ...UNKNOWN }];
    });
    this.#checked = new Codec(schemaOfEntries(constant, form), { deriveFields });
    this.#check = this.checking(NOT_UNIQUE);
  }

  columnOf(name: string): Column | undefined {
    const known = this.columns.find((column) => column.name === name);
    if (known !== undefined || this.#isDeclared) return known;
    const listField = this.listFieldIn(name);
    return listField === undefined ? undefined : listFieldColumn(listField, anyListField);
  }

  /** The List Field, declared or not, for a column with this name. */
  listFieldIn(name: string): string | undefined {
    const prefix = `${LIST_FIELDS_MEMBER}.`;
    return this.#isContact && name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
  }

  /** Returns a check that puts the values of each accepted record into a sink, in text form. */
  into(sink: RowSink, unique: Uniqueness = NOT_UNIQUE): RecordCheck {
    return this.#loading(this.codec, sink, unique);
  }

  /** Returns a check that also compares the records with each other. It does not call default functions. */
  checking(unique: Uniqueness): RecordCheck {
    return this.#loading(this.#checked, { add: () => undefined }, unique);
  }

  #loading(codec: Codec, sink: RowSink, unique: Uniqueness): RecordCheck {
    const loader = new Loader(codec, sink, unique);
    return {
      refusalOf: (record) => {
        try {
          loader.addOne(record, "", NO_INDEX, undefined, this.#reader);
          return undefined;
        } catch (thrown) {
          if (thrown instanceof InputError) return thrown;
          throw thrown;
        }
      },
    };
  }

  refusalOf(record: unknown): Refusal | undefined {
    return this.#check.refusalOf(record);
  }

  /**
   * The value of each column of a record, in text form.
   *
   * @throws InputError if the record does not have this form; its path begins with `path`
   */
  valuesOf(record: AnyRecord, path: string): readonly TextValue[] {
    const refusal = this.#reads.refusalOf(record);
    if (refusal !== undefined) throw toError(path, refusal);
    const { codec } = this;
    return this.#positions.map((position) =>
      codec.textFormIn({ field: codec.fields[position] }, this.#values[position] ?? null),
    );
  }
}

/** Reads Contacts into columns: their fields, the id of the List, and List Fields, either the declared ones or any. */
function contactReader(columns: readonly Column[], isDeclared: boolean): DocumentReader {
  const places = columns.map((column, position) => ({ ...column, position }));
  const outer = places.filter(({ path }) => path.length === 1);
  const inner = places.flatMap((place) =>
    place.path[1] === undefined ? [] : { ...place, name: place.path[1] },
  );
  const fields = outer.map(({ name }) => name).filter((name) => name !== LIST_MEMBER);
  const declared = inner.map(({ name }) => name);
  const contact = new Part(outer, [LIST_FIELDS_MEMBER], (name) => suggestion(name, fields));
  const listFields = new Part(inner);
  return {
    read(document, reading) {
      const [given] = reading.take(document, contact);
      if (given === undefined) return;
      const path = member("", LIST_FIELDS_MEMBER);
      const values = membersOf(given, path);
      if (!isDeclared) {
        for (const [name, value] of Object.entries(values)) {
          if (value === undefined || toTextForm(anyOf(value), value) !== undefined) continue;
          throw new InputError(member(path, name), explainRefusal(anyOf(value), value));
        }
        return;
      }
      const undeclared = Object.keys(values).filter((name) => !declared.includes(name));
      if (undeclared.length > 0) {
        const [one, more] = ["has the unknown field %", "has unknown fields: %"];
        const unknown = new Map(undeclared.map((each) => [each, each]));
        const reason = unknownNames(unknown, declared, one, more);
        throw new UndeclaredError(path, reason, { columns: [], listFields: undeclared });
      }
      reading.take(values, listFields, LIST_FIELDS_MEMBER);
    },
  };
}

export function toError(place: string, refusal: Refusal): InputError {
  const { path, reason, code } = refusal;
  return refusal instanceof UndeclaredError
    ? new UndeclaredError(place + path, reason, refusal)
    : new InputError(place + path, reason, { code });
}

const MOST_NAMED = 20;

/**
 * The message about unknown names, with suggestions.
 *
 * @param unknown the names, each with the name it was looked up as
 * @param one the message for one name, and `more` for several; the names replace `%`
 */
export function unknownNames(
  unknown: ReadonlyMap<string, string>,
  known: readonly string[],
  one: string,
  more: string,
): string {
  const [[name, target] = ["", ""]] = unknown;
  if (unknown.size === 1) return one.replace("%", () => quote(name)) + suggestion(target, known);
  const named = [...unknown].slice(0, MOST_NAMED).map(([name, target]) => {
    const hint = suggestion(target, known).replace(/^; (.*)$/s, " ($1)");
    return quote(name) + hint;
  });
  const left = unknown.size - named.length;
  return more.replace("%", () => named.join(", ") + (left > 0 ? ` and ${left} more` : ""));
}

/** A List Field whose type depends on the value. */
function anyOf(value: unknown): Field {
  return typeof value === "number" || typeof value === "bigint" ? listFieldOf.int : anyListField;
}

function listFieldColumn(name: string, field: Field): Column {
  return { name: `${LIST_FIELDS_MEMBER}.${name}`, field, path: [LIST_FIELDS_MEMBER, name] };
}
