// The tables that commands search: of any schema, in a file of any format or a saved collection; the Files of a
// directory tree; and the Contacts of a Batch.

import { existsSync, readFileSync } from "node:fs";
import { sep } from "node:path";
import { isSavedCollection, openCollection } from "../arrow/index.ts";
import { inferSchema, loadCollection, UndeclaredError, type CsvDialect } from "../import/index.ts";
import type { FoundFormat, Spill } from "../import/index.ts";
import { TYPED_OPTIONS } from "./typed-options.ts";
import {
  Contact,
  createCollection,
  createDatabase,
  File,
  InputError,
  readSchema,
} from "../index.ts";
import type { Batch, BatchContacts, Collection, Query, Schema, Service } from "../index.ts";
import { isStore, openStore, schemasOf } from "../store/index.ts";
import { answeringOf, schemaWithPaths, type Answering } from "./answering.ts";
import { openBytes } from "./bytes.ts";
import { closeAtEnd } from "./closing.ts";
import { refuseOptions, systemReason, UsageError, warn } from "./errors.ts";
import { amended, looseReaders, requireFields } from "./field-types.ts";
import { binaryFormatOf, readingOf } from "./flat.ts";
import { recordOptions } from "./formats.ts";
import type { ContactFlags, FormatFlags, ReadingFlags } from "./formats.ts";
import { openService, parseJson } from "./input.ts";
import { jsonArray, type AnyRecord, type Column } from "./output.ts";
import { inPlace } from "./records.ts";
import { openBatch, openFiles, type Skip } from "./sources.ts";
import { openIfStore, refuseCollections } from "./store.ts";
import { forShell } from "./text.ts";

/** How to read a table, as typed. */
export interface TableFlags extends ReadingFlags, FormatFlags {
  /** A file with its schema. */
  readonly schema?: string;
}

/**
 * A table with a known schema, whose records may not be loaded yet.
 *
 * @typeParam Loaded what answers questions about its records
 */
export interface Table<Loaded extends Answering = Collection> {
  /** The name of its records. */
  readonly what: "records" | "Files" | "Contacts";
  readonly schema: Schema;
  /** The columns to show, in addition to those that a query names. */
  readonly columns: readonly Column[];
  /** Whether the schema was inferred. */
  readonly isInferred?: boolean;
  /**
   * @param spill for what memory should not hold
   * @param as another schema with the same fields; a table that is not read from text may ignore it
   */
  readonly load: (spill?: Spill, as?: Schema) => Loaded | Promise<Loaded>;
  /**
   * The table with fields of the records to which its own refer; `undefined` if they refer to none.
   *
   * @param names those in the question, paths included
   */
  readonly joined?: (names: Iterable<string>) => Table<Answering>;
  /** The same without records. Default: a collection of the schema. */
  readonly empty?: () => Answering;
  /** A page of a valid query. Default: the records that it selects. */
  readonly page?: (query: Query) => Page;
  /** What to add to an error, of which the field is known if it is of a criterion. */
  readonly hintOn?: (reason: string, field?: unknown) => string;
}

/** The records of a page. */
export interface Page {
  readonly records: readonly AnyRecord[];
  readonly json: () => Iterable<string>;
}

/** The requested Batch, as typed. */
export interface BatchFlags extends ContactFlags {
  /** The id of the Batch. */
  readonly batch?: string;
}

export const fileColumns: readonly Column[] = [
  { field: "id", width: 16 },
  { field: "name", width: 28, distinct: true },
  { field: "size", width: 16 },
  { field: "mime_type", width: 26, optional: true },
  { field: "last_modified_time", width: 16 },
  { field: "url", width: 200, distinct: true, rest: true, optional: true },
];

export const contactColumns: readonly Column[] = [
  { field: "List", width: 16 },
  { field: "send_id", width: 16 },
  { field: "contact_email", width: 32 },
  { field: "send_status", width: 9 },
  { field: "open_type", width: 10, optional: true },
  { field: "open_count", width: 10 },
  { field: "last_open_time", width: 16, optional: true },
];

/** The columns of a table of any schema; all except the first may be left out for lack of room. */
export function columnsOf({ places }: Schema): readonly Column[] {
  const inRecords = places.filter(({ field }) => field.stored);
  return inRecords.map(({ name: field }, index) => {
    const column = { field, width: 24 };
    return index === 0 ? column : { ...column, optional: true };
  });
}

const tableOf = (schema: Schema, load: Table["load"], isInferred = false): Table => ({
  ...{ what: "records", schema, columns: columnsOf(schema), isInferred, load },
  ...(isInferred && { hintOn: typeHint }),
});

/** Inferred types can be wrong, or not what a question needs. */
const typeHint = (reason: string): string =>
  /\b(?:int|float|time) field\b/.test(reason) ? "; --type sets another type of a field" : "";

/** The Files of a directory, a store or a file. Nothing is read before they are loaded. */
export const filesTable = (place: string, flags: ReadingFlags): Table => ({
  what: "Files",
  schema: File,
  columns: fileColumns,
  load: async () =>
    (openIfStore(place) ?? openService({ files: await openFiles(place, flags) })).files,
});

/** The Contacts of a Batch. */
export interface BatchTable extends Table {
  readonly batch: Batch;
}

/** The Contacts of a Batch in a store or a file. */
export async function contactsTable(place: string, flags: BatchFlags): Promise<BatchTable> {
  const store = openIfStore(place);
  const source =
    store === undefined ? await openBatch(place, { id: flags.batch ?? "1" }, flags) : undefined;
  const service = store ?? openService({ batches: source === undefined ? [] : [source] });
  if (store !== undefined && Object.keys(store.batches).length === 0) refuseCollections(place);
  const batch = batchOf(service, flags.batch);
  const { contacts } = batch;
  return {
    what: "Contacts",
    schema: contacts.schema,
    columns: contactColumns,
    batch,
    load: () => contacts,
    page({ criteria, limit, offset, sortBy, sortOrder }) {
      // The query was checked.
      const page: readonly unknown[] = [criteria, limit, offset, sortBy, sortOrder];
      const lists = service.getBatchContacts(batch.id, ...(page as []));
      const records = Object.entries(lists).flatMap(([List, list]) =>
        list.map((contact) => ({ List, ...contact })),
      );
      return { records, json: () => jsonOfLists(lists) };
    },
    hintOn(reason, field) {
      // An option may determine the type of a List Field.
      const isUntyped = source?.isFlat === true && /^\w+ needs an int field/.test(reason);
      if (!isUntyped || typeof field !== "string" || Object.hasOwn(Contact.fields, field))
        return "";
      return `; --list-field ${forShell(`${field}=int`)} makes it one`;
    },
  };
}

/** The Batch with an id, or the only one. */
function batchOf({ batches }: Service, id: string | undefined): Batch {
  const ids = Object.keys(batches);
  const [only, another] = ids;
  const chosen = id ?? (another === undefined ? only : undefined);
  const batch = chosen === undefined ? undefined : batches[chosen];
  if (batch !== undefined) return batch;
  const missing = id === undefined ? "must be given" : `there is no Batch ${id}`;
  const known = ids.length === 0 ? "there are none" : `use ${ids.slice(0, 20).join(", ")}`;
  throw new UsageError(`--batch: ${missing}; ${known}`);
}

function* jsonOfLists(contacts: BatchContacts): Generator<string, void> {
  let before = "{";
  for (const [id, list] of Object.entries(contacts)) {
    yield `${before}${JSON.stringify(id)}:`;
    yield* jsonArray(list);
    before = ",\n";
  }
  yield before === "{" ? "{}\n" : "}\n";
}

/**
 * The collection of a store given by a path such as `shop.store/orders`. Its name may be any, such as `2026/05` or `.`,
 * so it is looked for before a file, in every folder that the path names.
 */
function storedTable(place: string): Table | undefined {
  let missing: readonly [directory: string, name: string] | undefined;
  for (const { index } of place.matchAll(SEPARATORS)) {
    const [directory, name] = [place.slice(0, index) || place.slice(0, 1), place.slice(index + 1)];
    if (!isStore(directory)) continue;
    if (Object.hasOwn(schemasOf(directory), name)) return storedIn(directory, name);
    if (name !== "") missing ??= [directory, name];
  }
  return missing === undefined || existsSync(place) ? undefined : storedIn(...missing);
}

const SEPARATORS = sep === "/" ? /\//g : /[\\/]/g;

/** A collection of a store. @throws UsageError if it does not exist */
function storedIn(directory: string, name: string): Table {
  const schemas = schemasOf(directory);
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (schema === undefined) {
    const names = Object.keys(schemas).join(", ");
    const others = names === "" ? "" : `; it has ${names}`;
    throw new UsageError(`${directory}: has no collection ${name}${others}`);
  }
  const open = () => {
    const reader = openStore(directory, schemas, { readOnly: true });
    closeAtEnd(() => reader.close());
    return reader;
  };
  const load = () => {
    const { [name]: collection } = open();
    if (collection === undefined) throw new RangeError(`there is no collection ${name}`);
    return collection;
  };
  const table = tableOf(schema, load);
  const all = Object.entries(schemas);
  const isReferring = ({ places }: Schema) =>
    places.some(({ field }) => field.references !== undefined);
  if (!all.some(([, each]) => isReferring(each))) return table;
  const joined = (names: Iterable<string>) => {
    const reader = open();
    const schema = schemaWithPaths(reader, name, names);
    const without = all.map(([each, schema]) => [each, createCollection(schema)] as const);
    return {
      ...{ ...table, schema, load: () => answeringOf(reader, name, schema) },
      empty: () => answeringOf(createDatabase(Object.fromEntries(without)), name, schema),
    };
  };
  return { ...table, joined };
}

/** The options that say how to read a file. */
const FILE_FLAGS = [
  ...(["schema", "from", ...TYPED_OPTIONS, "looseNumbers", "type", "column"] as const),
  ...(["ignoreColumns", "allowEmpty", "skipInvalid"] as const),
] as const;

/**
 * Opens a table: a file, or a collection of a store.
 *
 * @param skip makes the receiver of invalid records; without it, the first one is an error
 */
export async function openTable(
  place: string,
  flags: TableFlags & { readonly skipInvalid?: string },
  skip?: Skip,
): Promise<Table> {
  const stored = storedTable(place);
  if (stored !== undefined) {
    refuseOptions(flags, FILE_FLAGS, `is for files; ${place} is a collection of a store`);
    return stored;
  }
  const given = flags.schema === undefined ? undefined : schemaIn(flags.schema);
  if (given !== undefined) {
    refuseOptions(flags, ["type"], "is for inferred types; edit the file of --schema instead");
    requireFields(given, flags);
  }
  const bytes = await openBytes(place, flags);
  const options = recordOptions(bytes.path, flags, flags);
  const format = (flags.from === undefined ? binaryFormatOf(bytes) : undefined) ?? options.format;
  const isMapped =
    given !== undefined ||
    flags.column !== undefined ||
    flags.ignoreColumns === true ||
    flags.looseNumbers !== undefined ||
    flags.type !== undefined;
  if (format === "arrow" && !isMapped && (await inPlace(bytes, () => isSavedCollection(bytes)))) {
    // A query reads only the sections it needs.
    const collection = await inPlace(bytes, () => openCollection(bytes));
    return tableOf(collection.schema, () => collection);
  }
  const found = new Map<string, string>();
  const onFormat = (part: FoundFormat) => {
    for (const [name, text] of foundInWords(part, options)) {
      if (!found.has(name)) warn(text);
      found.set(name, text);
    }
  };
  const reading = (schema?: Schema, skipInvalid = skip?.(bytes.place)) =>
    readingOf(bytes, {
      ...{ ...options, format, schema, detect: true, onFormat },
      // The types of what is read without a schema are amended.
      ...(schema !== undefined && looseReaders(flags)),
      ...(skipInvalid && { skipInvalid }),
    });
  // Loading reports the skipped records.
  const unreported = skip && (() => undefined);
  const inTable = <Result>(run: () => Result | Promise<Result>) =>
    inPlace(bytes, async () => {
      try {
        return await run();
      } catch (thrown) {
        throw skip === undefined ? withSuggestions(thrown) : thrown;
      }
    });
  const infer = () => inferSchema(reading(undefined, unreported));
  const schema = given ?? amended(await inTable(infer), flags);
  const load = (spill?: Spill, as = schema) =>
    inTable(() => loadCollection(as, reading(as), spill && { spill }));
  return tableOf(schema, load, given === undefined);
}

/** The command's names for options of text formats. */
const OPTIONS = {
  ...{ quote: "--quote", escape: "--escape", comment: "--comment", skipLines: "--skip-lines" },
  ...{ trim: "--trim", ragged: "--ragged" },
};

const DIALECT = ["quote", "escape", "comment", "skipLines", "trim", "ragged"] as const;

/** Adds the options that help to the error of an invalid record. */
function withSuggestions(thrown: unknown): unknown {
  if (!(thrown instanceof InputError) || thrown instanceof UndeclaredError) return thrown;
  const { path, reason, code } = thrown;
  const isQuote = /closing quote|unclosed quote/.test(reason);
  const isRecord = /^(?:line|row) \d+(?:$|[.[])|\]/.test(path) && !/UTF-8|limit/.test(reason);
  if (!isRecord) return thrown;
  const quoting = isQuote ? '; --quote "" turns quoting off' : "";
  const hint = `${quoting}; --skip-invalid FILE leaves such records out`;
  return new InputError(path, reason + hint, { code, cause: thrown });
}

/** How many columns are listed. */
const MOST_NAMED = 5;

/** Describes the detected properties of a text format, except the usual and the given ones. */
function* foundInWords(
  found: FoundFormat,
  given: CsvDialect,
): Generator<readonly [name: string, text: string]> {
  const { encoding = "utf-8", delimiter = ",", renamed = [], at, arrays = [] } = found;
  if (encoding.startsWith("utf-16")) yield ["encoding", `encoding inferred: ${encoding}`];
  if (delimiter !== "," && given.delimiter === undefined) {
    yield ["delimiter", `delimiter inferred: ${JSON.stringify(delimiter)}`];
  }
  const others = DIALECT.filter(
    (name) => given[name] === undefined && found[name] !== undefined && found[name] !== '"',
  );
  if (others.length > 0) {
    const named = others.map((name) => {
      const value = found[name] === false ? "" : found[name];
      return value === true ? OPTIONS[name] : `${OPTIONS[name]} ${JSON.stringify(value)}`;
    });
    yield ["dialect", `inferred: ${named.join(" ")}`];
  }
  for (const doubt of found.doubts ?? []) yield [doubt, doubt];
  if (renamed.length > 0) {
    const names = renamed.slice(0, MOST_NAMED).map(({ column, from, to }) => {
      return `column ${column}${from === "" ? " without a name" : `, another ${from},`} is ${to}`;
    });
    const more = renamed.length - names.length;
    const text = `${names.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
    yield ["renamed", `columns renamed: ${text}`];
  }
  if (at !== undefined) yield ["at", `records found at ${at}`];
  if (arrays.length > 0) {
    yield ["arrays", `one record; --at reads one of its arrays instead: ${arrays.join(", ")}`];
  }
}

/** @throws UsageError that names the file, and the position in it */
function schemaIn(path: string): Schema {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    throw new UsageError(`${path}: ${systemReason(thrown)}`);
  }
  try {
    return readSchema(parseJson(text, path));
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    throw new UsageError(`${path}: ${thrown.message.replace(/^schema[.:] ?/, "")}`);
  }
}

/** How many fields are shown. */
const MOST_SHOWN = 20;

/** The fields of a schema with their types, as text. */
export function inWords({ places }: Schema): string {
  const all = places.map(
    ({ name, field: { type, nullable } }) => `${name} ${type}${nullable ? " or null" : ""}`,
  );
  const more = all.length - MOST_SHOWN;
  return all.slice(0, MOST_SHOWN).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
