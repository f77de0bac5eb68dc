// The form of records for a collection or a Batch: the fields of a schema and, for Contacts, the
// members `list` and `fields`. Readers check records here, where an error can still name the line;
// writers get the values from here.

import {
  Contact,
  LIST_FIELDS_MEMBER,
  LIST_MEMBER,
  type BatchContactInput,
  type ListFieldType,
} from "../service/contact.ts";
import { File, type FileInput } from "../service/file.ts";
import { describe, InputError, member, quote } from "../schema/errors.ts";
import { explainRefusal, int, readField, string, toWire } from "../schema/field.ts";
import type { Field, WireValue } from "../schema/field.ts";
import { isMembers } from "../schema/input.ts";
import { suggestion } from "../schema/nearest.ts";
import { requireSchema, schemaOfEntries, type InputOf, type Schema } from "../schema/schema.ts";
import { Unreadable } from "./flat-value.ts";

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

/** What is wrong with a record, or with a member of it, such as `.size`. */
export interface Refusal {
  readonly path: string;
  readonly reason: string;
  /** The record's undeclared List Fields. */
  readonly undeclared?: readonly string[];
}

/** The check of records before they are returned. */
export interface RecordCheck {
  refusalOf(record: unknown): Refusal | undefined;
}

/**
 * Columns that are no fields, or members of a Contact's `fields` that are no List Fields. The message names
 * them all; `columns` and `listFields` hold the names that the options `columns` and `listFields` would need.
 */
export class UndeclaredError extends InputError {
  readonly #columns: readonly string[];
  readonly #listFields: readonly string[];

  /** @internal */
  constructor(
    path: string,
    reason: string,
    { columns = [], listFields = [] }: { columns?: string[]; listFields?: readonly string[] },
  ) {
    super(path, reason);
    this.#columns = columns;
    this.#listFields = listFields;
  }

  get columns(): readonly string[] {
    return this.#columns;
  }

  get listFields(): readonly string[] {
    return this.#listFields;
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

export class RecordForm {
  readonly schema: Schema;
  /** The fields, then for Contacts the id of the List and the declared List Fields. */
  readonly columns: readonly Column[];
  readonly isContact: boolean;
  readonly #fields: Known;
  readonly #listFields: Known;
  /** Whether only List Fields that were declared are accepted. */
  readonly #isDeclared: boolean;
  readonly #required: readonly string[];
  readonly #complete: (record: unknown) => unknown;

  /**
   * @param listFields the declared List Fields; without them, any name is accepted
   * @param list the id of the List for Contacts that name none; without it, none has a default
   */
  constructor(schema: Schema, listFields?: ListFields, list?: string) {
    requireSchema(schema);
    this.schema = schema;
    this.isContact = schema === Contact;
    const fields = schema.places.map(({ name, field }) => [name, field] as const);
    // The id of the List is checked like a field.
    const listId = int(list === undefined ? {} : { default: list });
    this.#fields = new Known(this.isContact ? [...fields, [LIST_MEMBER, listId]] : fields);
    this.#isDeclared = listFields !== undefined;
    const types = Object.entries(listFields ?? {});
    this.#listFields = new Known(types.map(([name, type]) => [name, typed(name, type)]));
    this.#required = fields
      .filter(([, { default: value }]) => value === undefined)
      .map(([name]) => name);
    this.#complete = (this.isContact ? undefined : schema.complete) ?? ((record) => record);
    this.columns = [
      ...Array.from(this.#fields.all, ([name, field]) => ({ name, field, path: [name] as const })),
      ...Array.from(this.#listFields.all, ([name, field]) => listFieldColumn(name, field)),
    ];
  }

  /** The schema of a table with these columns. */
  get table(): Schema {
    if (!this.isContact) return this.schema;
    const fields = this.columns.map(({ name, field }) => [name, field] as const);
    return schemaOfEntries(fields, "wire");
  }

  /** The column with this name, or `undefined`. */
  columnOf(name: string): Column | undefined {
    const known = this.columns.find((column) => column.name === name);
    if (known !== undefined || this.#isDeclared) return known;
    const listField = this.listFieldIn(name);
    return listField === undefined ? undefined : listFieldColumn(listField, anyListField);
  }

  /** The List Field, declared or not, for a column with this name. */
  listFieldIn(name: string): string | undefined {
    const prefix = `${LIST_FIELDS_MEMBER}.`;
    return this.isContact && name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
  }

  /** What is wrong with a record, if anything. */
  refusalOf(record: unknown): Refusal | undefined {
    const given = this.#complete(record);
    if (!isMembers(given)) return { path: "", reason: `must be an object, not ${describe(given)}` };
    const refusal = this.#fields.refusalIn(given, "", (name, value) => {
      if (this.isContact && name === LIST_FIELDS_MEMBER) return this.#refusalOfListFields(value);
      const fields = [...this.#fields.all.keys()].filter((known) => known !== LIST_MEMBER);
      const reason = `has the unknown field ${quote(name)}${suggestion(name, fields)}`;
      return { path: "", reason };
    });
    if (refusal !== undefined) return refusal;
    for (const name of this.#required) {
      if (!Object.hasOwn(given, name) || given[name] === undefined) {
        return { path: member("", name), reason: "is missing" };
      }
    }
    return undefined;
  }

  /** The record. @throws InputError if it does not have this form; its path begins with `path` */
  checked(record: AnyRecord, path: string): AnyRecord {
    const refusal = this.refusalOf(record);
    if (refusal !== undefined) throw toError(path, refusal);
    return record;
  }

  /** The value of each column of a checked record, in wire form. */
  valuesOf(record: AnyRecord): readonly WireValue[] {
    const given = this.#complete(record) as AnyRecord;
    const inner = given[LIST_FIELDS_MEMBER];
    return this.columns.map(({ path: [outer, name], field }) => {
      if (name === undefined) return readField(given, outer, field)[0] ?? null;
      return isMembers(inner) ? (readField(inner, name, field)[0] ?? null) : null;
    });
  }

  #refusalOfListFields(value: unknown): Refusal | undefined {
    const path = member("", LIST_FIELDS_MEMBER);
    if (!isMembers(value)) return { path, reason: `must be an object, not ${describe(value)}` };
    const undeclared: string[] = [];
    const refusal = this.#listFields.refusalIn(value, path, (name, each) => {
      if (!this.#isDeclared) return refusalBy(anyOf(each), path, name, each);
      undeclared.push(name);
      return undefined;
    });
    if (refusal !== undefined || undeclared.length === 0) return refusal;
    const [one, more] = ["has the unknown field %", "has unknown fields: %"];
    const unknown = new Map(undeclared.map((each) => [each, each]));
    const known = [...this.#listFields.all.keys()];
    return { path, reason: unknownNames(unknown, known, one, more), undeclared };
  }
}

/** Fields by name. */
class Known {
  readonly all: ReadonlyMap<string, Field>;
  /** The fields of the previous object's members: most objects have the same. */
  #names: readonly string[] = [];
  #fields: readonly (Field | undefined)[] = [];

  constructor(all: Iterable<readonly [string, Field]>) {
    this.all = new Map(all);
  }

  /**
   * What is wrong with the members of an object, if anything.
   *
   * @param refusalOfOther judges a member that is no field
   */
  refusalIn(
    given: AnyRecord,
    path: string,
    refusalOfOther: (name: string, value: unknown) => Refusal | undefined,
  ): Refusal | undefined {
    const names = Object.keys(given);
    const values: readonly unknown[] = Object.values(given);
    const fields = this.#of(names);
    for (let i = 0; i < names.length; i++) {
      const [name, value, field] = [names[i]!, values[i], fields[i]];
      if (value === undefined) continue;
      const refusal =
        field === undefined ? refusalOfOther(name, value) : refusalBy(field, path, name, value);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  #of(names: readonly string[]): readonly (Field | undefined)[] {
    const last = this.#names;
    let i = 0;
    if (names.length === last.length) while (i < names.length && names[i] === last[i]) i++;
    if (i < names.length || names.length !== last.length) {
      this.#names = names;
      this.#fields = names.map((name) => this.all.get(name));
    }
    return this.#fields;
  }
}

/** The error for a record at a place. */
export function toError(place: string, { path, reason, undeclared }: Refusal): InputError {
  if (undeclared === undefined) return new InputError(place + path, reason);
  return new UndeclaredError(place + path, reason, { listFields: undeclared });
}

/** How many unknown names an error lists. */
const MOST_NAMED = 20;

/**
 * The message about unknown names, with suggestions.
 *
 * @param unknown each with the name that was looked up for it
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

function refusalBy(field: Field, path: string, name: string, value: unknown): Refusal | undefined {
  if (toWire(field, value) !== undefined) return undefined;
  const reason = value instanceof Unreadable ? value.reason : explainRefusal(field, value);
  return { path: member(path, name), reason };
}

/** A List Field of any type, which the value determines. */
function anyOf(value: unknown): Field {
  return typeof value === "number" || typeof value === "bigint" ? listFieldOf.int : anyListField;
}

function typed(name: string, type: unknown): Field {
  if (type === "int" || type === "string") return listFieldOf[type];
  throw new InputError(
    member("options.listFields", name),
    `must be "int" or "string", not ${describe(type)}`,
  );
}

function listFieldColumn(name: string, field: Field): Column {
  return { name: `${LIST_FIELDS_MEMBER}.${name}`, field, path: [LIST_FIELDS_MEMBER, name] };
}
