// The data of the reference, by the rules V1 to V8 and V10: converts records of any schema, Files and Batches from
// input to text form, or throws an error that names the place.

import {
  InputError,
  next,
  type FieldType,
  type FieldValue,
  type FileInput,
  type ListInput,
  type Next,
  type Schema,
  type TextValue,
} from "../index.ts";
import { computedValue, isComputed } from "./arbitraries/computed.ts";
import { uniqueIn, uniqueText } from "./arbitraries/unique.ts";
import { storedForm } from "./arbitraries/values.ts";
import { timeText } from "./reference-time.ts";

export interface Field {
  readonly type: FieldType;
  /** Whether it may be `null` (V5). */
  readonly nullable?: boolean;
  /** The value if the field is omitted (V6), or a function that returns one in input form (V14), or `next`. */
  readonly default?: TextValue | (() => unknown) | Next | undefined;
  readonly searchable?: boolean;
  readonly oneOf?: readonly string[] | undefined;
  /** Of a time field (V15). */
  readonly precision?: string | undefined;
  readonly zone?: string | undefined;
}

export type Fields = ReadonlyMap<string, Field>;

/** A record: all its values, including List Fields, and the part that queries return (P8, R1). */
export interface Row {
  readonly list: string;
  readonly values: ReadonlyMap<string, TextValue>;
  readonly record: Readonly<Record<string, FieldValue>>;
}

/** The Files, or the Contacts of a Batch, List by List (P7). */
export interface Table {
  readonly fields: Fields;
  readonly rows: readonly Row[];
  readonly lists: readonly string[];
}

const id: Field = { type: "int" };
const count: Field = { type: "int", default: "0" };
const intOrNull: Field = { type: "int", nullable: true, default: null };
const text: Field = { type: "string" };
const textOrNull: Field = { type: "string", nullable: true, default: null };
const sendStatus = ["pending", "completed", "failed", "split_sms"];
const openType = ["not_opened", "html", "text", "sms"];

// oxfmt-ignore
const FILE: Fields = new Map<string, Field>(Object.entries({
  id, folder_id: id, basename: text, extension: text, size: count, creation_time: count,
  image_width: count, image_height: count, mime_type: { ...text, default: "" },
  last_modified_time: count, last_modified_user_id: count, name: text,
  url: { ...text, default: "" },
}));

// oxfmt-ignore
const CONTACT: Fields = new Map<string, Field>(Object.entries({
  send_id: id, contact_id: id, contact_email: text, unsubscribe_email: textOrNull,
  unsubscribe_time: intOrNull, unsubscribe_id: intOrNull, unsubscribe_count: intOrNull,
  updated_profile_count: count,
  send_status: { ...text, oneOf: sendStatus, default: "pending" }, send_time: count,
  open_type: { ...text, oneOf: openType, default: "not_opened" }, open_count: count,
  open_country: textOrNull, bounce_smtp_error_code: textOrNull,
  bounce_description: { ...textOrNull, searchable: false }, is_temporary_bounce: count,
  first_open_time: count, last_open_time: count, first_updated_profile_time: count,
  first_unsubscribe_time: count, first_permanent_bounce_time: count,
  first_temporary_bounce_time: count, first_bounce_time: count,
  links_clicked: { ...count, searchable: false },
}));

/** V2: the canonical string of an integer of magnitude at most 2^53 − 1, given as a string or number. */
export function integer(value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const written = String(value);
  const isCanonical = /^(0|-?[1-9][0-9]*)$/.test(written);
  return isCanonical && Number.isSafeInteger(Number(written)) ? written : undefined;
}

/** V10: a finite number, given as a number or in the form that `String` gives. */
export function finite(value: unknown): number | undefined {
  const number = typeof value === "string" && String(Number(value)) === value ? +value : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** V2, V3, V10: the text form of an input value; `undefined` if the type does not accept it. */
const TEXTS: Readonly<Record<FieldType, (value: unknown, field: Field) => string | undefined>> = {
  int: (value) => integer(typeof value === "bigint" ? String(value) : value),
  float: (value) => finite(value)?.toString(),
  boolean: (value) =>
    value === true || value === false || value === "true" || value === "false"
      ? String(value)
      : undefined,
  string: (value) => (typeof value === "string" && value.isWellFormed() ? value : undefined),
  strings: (value) => (isStrings(value) ? JSON.stringify(value) : undefined),
  json: (value) => (isJson(value) ? JSON.stringify(value) : undefined),
  time: timeText,
};

/** V12: an array of strings without lone surrogates. */
const isStrings = (value: unknown): boolean =>
  Array.isArray(value) &&
  Array.from(value).every((each) => typeof each === "string" && each.isWellFormed());

/** Members that are `undefined` count as omitted. */
function isJson(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) {
    return value === null || typeof value === "boolean" || Number.isFinite(value);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || prototype === null || prototype === Object.prototype;
  return (
    isPlain &&
    Object.entries(value).every(
      ([name, each]) => name.isWellFormed() && (each === undefined || isJson(each)),
    )
  );
}

/** V1 to V7, V10: an input value in text form, or `undefined` if the field does not accept it. */
function toTextForm(value: unknown, field: Field): TextValue | undefined {
  if (value === undefined && typeof field.default === "function") {
    const made = field.default();
    return made === undefined ? undefined : toTextForm(made, field);
  }
  if (value === undefined) {
    const { default: otherwise } = field;
    return typeof otherwise === "string" || otherwise === null ? otherwise : undefined;
  }
  if (value === null) return field.nullable === true ? null : undefined;
  const textForm = TEXTS[field.type](value, field);
  return textForm === undefined || field.oneOf?.includes(textForm) === false ? undefined : textForm;
}

/**
 * The values of an input record, in the order of the fields.
 *
 * @param greatest the greatest numbers so far of fields that number records; those of the record are added
 */
function load(
  input: object,
  fields: Fields,
  place: string,
  greatest = new Map<string, number>(),
): Map<string, TextValue> {
  const given = new Map<string, unknown>(Object.entries(input));
  for (const name of given.keys()) {
    if (!fields.has(name)) throw new InputError(place, `there is no field ${name}`);
  }
  const values = new Map<string, TextValue>();
  for (const [name, field] of fields) {
    const number = field.default === next ? (greatest.get(name) ?? 0) + 1 : undefined;
    const value = toTextForm(given.get(name) ?? (given.get(name) === null ? null : number), field);
    if (number !== undefined) greatest.set(name, Math.max(number - 1, Number(value)));
    if (value === undefined) throw new InputError(`${place}.${name}`, "is missing or not valid");
    values.set(name, value);
  }
  return values;
}

/** The canonical string of an id, which must be new. */
export function newId(value: unknown, earlier: ReadonlySet<string>, place: string): string {
  const found = toTextForm(value, id);
  if (typeof found === "string" && !earlier.has(found)) return found;
  throw new InputError(`${place}.id`, "is missing, not valid or there twice");
}

const recordOf = (values: ReadonlyMap<string, TextValue>) =>
  Object.freeze(Object.fromEntries(values));

/** Records of a schema: the stored fields of each, in the schema's form (V1, V10). */
export function loadRecords(schema: Schema, records: Iterable<object>): Table {
  const fields = Object.entries(schema.fields);
  const computed = fields.filter(([, field]) => isComputed(field));
  const given = fields.filter(([, field]) => !isComputed(field));
  const stored = fields.filter(([, field]) => field.stored);
  const greatest = new Map<string, number>();
  const seen = uniqueIn(schema).map((names) => [names, new Set<string>()] as const);
  const rows = Array.from(records, (input, index): Row => {
    const place = `records[${index}]`;
    const values = load(input, new Map(given), place, greatest);
    const entries = stored.map(([name, field]) => {
      return [name, storedForm(schema, field, values.get(name) ?? null)] as const;
    });
    const record = Object.freeze(Object.fromEntries(entries));
    for (const [name, field] of computed) {
      const value = toTextForm(computedValue(field, record), field);
      if (value === undefined) throw new InputError(`${place}.${name}`, "has no such value");
      values.set(name, value);
    }
    for (const [names, earlier] of seen) {
      const text = uniqueText(schema, names, (name) => values.get(name) ?? null);
      if (text === undefined) continue;
      if (earlier.has(text)) throw new InputError(`${place}.${names.join()}`, "occurs twice");
      earlier.add(text);
    }
    return { list: "", values, record };
  });
  return { fields: new Map(fields), rows, lists: [] };
}

export function loadFiles(files: Iterable<FileInput>): Table {
  const ids = new Set<string>();
  const rows = Array.from(files, (file, index): Row => {
    const place = `files[${index}]`;
    const values = load(withNames(file), FILE, place);
    ids.add(newId(values.get("id"), ids, place));
    return { list: "", values, record: recordOf(values) };
  });
  return { fields: FILE, rows, lists: [] };
}

/** V6: derives the three names of a File from each other. */
function withNames(input: object): object {
  const file: { name?: unknown; basename?: unknown; extension?: unknown } = { ...input };
  if (typeof file.name === "string") {
    const dot = file.name.lastIndexOf(".");
    const end = dot > 0 ? dot : file.name.length;
    if (file.basename === undefined) file.basename = file.name.slice(0, end);
    if (file.extension === undefined) file.extension = file.name.slice(end);
  }
  const { basename, extension } = file;
  if (typeof extension !== "string") return file;
  const dotted = extension === "" || extension.startsWith(".") ? extension : `.${extension}`;
  const name = typeof basename === "string" ? basename + dotted : undefined;
  return { ...file, extension: dotted, name: file.name === undefined ? name : file.name };
}

export function loadBatch(lists: Iterable<ListInput>, batchPlace: string): Table {
  const ids = new Set<string>();
  const fields = new Map(CONTACT);
  const given = Array.from(lists, (list, index) => {
    const place = `${batchPlace}.lists[${index}]`;
    const listId = newId(list.id, ids, place);
    ids.add(listId);
    const own = listFields(list.fields ?? [], place);
    for (const [name, field] of own) {
      if (CONTACT.has(name) || (fields.get(name) ?? field) !== field) {
        throw new InputError(`${place}.fields.${name}`, "is a Contact field or has another type");
      }
      fields.set(name, field);
    }
    return { listId, place, own, contacts: list.contacts };
  });
  const rows = given.flatMap(({ listId, place, own, contacts }) =>
    Array.from(contacts, ({ fields: listed = {}, ...contact }, index): Row => {
      const where = `${place}.contacts[${index}]`;
      const stored = load(contact, CONTACT, where);
      const values = new Map([...stored, ...load(listed, own, `${where}.fields`)]);
      return { list: listId, values, record: recordOf(stored) };
    }),
  );
  return { fields, rows, lists: [...ids] };
}

/** The fields of a List; if only their names are given, all are string fields. */
function listFields(given: NonNullable<ListInput["fields"]>, place: string): Fields {
  const isNames = (fields: typeof given): fields is readonly string[] => Array.isArray(fields);
  const types = isNames(given) ? given.map((name) => [name, "string"]) : Object.entries(given);
  const fields = new Map<string, Field>();
  for (const [name = "", type = ""] of types) {
    if (fields.has(name) || !["int", "string"].includes(type)) {
      throw new InputError(`${place}.fields.${name}`, "occurs twice or has no such type");
    }
    fields.set(name, type === "int" ? intOrNull : textOrNull);
  }
  return fields;
}
