// The statements that insert records. Each is made on demand; its records are then released.

import { isFolded } from "../schema/folding.ts";
import { hash } from "../engine/algorithms/hash.ts";
import { Collection } from "../collection/collection.ts";
import { Codec } from "../engine/columns/codec.ts";
import type { Document, DocumentReader } from "../engine/columns/layout.ts";
import { Loader, RecordSink } from "../engine/columns/loader.ts";
import { documentsOf } from "../database/changes.ts";
import { describe, InputError, member } from "../schema/errors.ts";
import { string } from "../schema/declare.ts";
import {
  comparisonText,
  explainRefusal,
  readField,
  textFormOfStored,
  toTextForm,
  type Field,
  type TextValue,
} from "../schema/field.ts";
import { valueAt, type ComputedPlace } from "../schema/computed.ts";
import type { AnyRecord } from "../schema/field-types.ts";
import { isEqualJson } from "../schema/json.ts";
import { iterate, membersOf } from "../schema/input.ts";
import { toIntegerText } from "../schema/numbers.ts";
import { parseStrings } from "../schema/strings.ts";
import {
  anything,
  count,
  flag,
  optional,
  readOptions,
  type OptionReaders,
} from "../schema/options.ts";
import type { InputOf } from "../schema/record-types.ts";
import { requireSchema, type Schema } from "../schema/schema.ts";
import { Batch, declareBatch, type BatchInput } from "../service/batch.ts";
import { LIST_FIELDS_MEMBER, LIST_MEMBER } from "../service/contact.ts";
import { completeNames, File, type FileInput } from "../service/file.ts";
import type { Lists } from "../service/lists.ts";
import type { Files } from "../service/state.ts";
import type { Cell, Dialect, DialectName, Statement, TableDefinition } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { listFieldKey, writeListFields } from "./list-fields.ts";
import {
  readTable,
  readTables,
  type RecordTable,
  type ServiceTables,
  type TableName,
  type TableNames,
  type Tables,
} from "./names.ts";

/** The options of `insertRecords`. */
export interface InsertRecordsOptions<Name extends string = string> {
  readonly dialect: DialectName;
  readonly table: TableName | TableNames<Name>;
  /** The position of the first record: how many records were inserted before. Default 0. */
  readonly from?: number | undefined;
}

/**
 * The statements that insert records of a schema.
 *
 * @param records as for `createCollection`, or a collection, whose records keep their keys
 * @throws InputError with the path of the first offending member, such as `records[3].name`, when the statement with it
 *   is requested
 */
export function insertRecords<S extends Schema>(
  schema: S,
  records: Iterable<InputOf<S>> | Collection<S>,
  options: InsertRecordsOptions<keyof S["fields"] & string>,
): Iterable<Statement> {
  requireSchema(schema);
  const given = readOptions(options, "options", {
    dialect: dialectOf,
    table: anything,
    from: optional(count, 0),
  });
  const { dialect, from } = given;
  const table = readTable(schema, dialect, given.table, "options.table");
  const rows = recordRows(dialect, table, recordsOf(records, new Codec(schema), "records", from));
  return insertStatements(dialect, table, rows);
}

/** The options of `insertRows`. */
export interface InsertOptions {
  readonly dialect: DialectName;
  /** Files as input, or those of a service, which keep their keys. */
  readonly files?: Iterable<FileInput> | Files | undefined;
  /** A Batch as input, or one of a service, whose Contacts keep their keys. */
  readonly batch?: BatchInput | Batch | undefined;
  readonly tables?: ServiceTables | undefined;
  /** The position of the first File: how many Files were inserted before. Default 0. */
  readonly from?: number | undefined;
  /** PostgreSQL: whether the statements are `COPY … FROM STDIN`, each with its input as `data`. Default `false`. */
  readonly copy?: boolean | undefined;
}

/**
 * The statements that insert Files, a Batch, or both, into the tables of a service. An iterable is read on demand and
 * not kept; duplicate File ids are detected by the table, if the engine has unique indexes.
 *
 * @throws InputError with the path of the first offending member, such as `files[3].name` or
 *   `batch.lists[0].contacts[5].fields.Email`, when the statement with it is requested
 */
export function insertRows(options: InsertOptions): Iterable<Statement> {
  const given = readOptions(options, "options", insertOptions);
  const { from } = given;
  const { copy } = given.dialect;
  if (given.copy && copy === undefined) {
    throw new InputError("options.copy", `needs PostgreSQL, not ${given.dialect.name}`);
  }
  const dialect =
    given.copy && copy !== undefined ? { ...given.dialect, insert: copy } : given.dialect;
  const tables = readTables(dialect, given.tables);
  return (function* () {
    if (given.files !== undefined) {
      const files = recordsOf(
        given.files,
        new Codec(File, { deriveFields: completeNames }),
        "files",
        from,
      );
      const rows = recordRows(dialect, tables.files, files);
      yield* insertStatements(dialect, tables.files, rows);
    }
    if (given.batch === undefined) return;
    for (const [table, rows] of rowsOfBatch(dialect, tables, given.batch)) {
      yield* insertStatements(dialect, tables[table], rows);
    }
  })();
}

const insertOptions = {
  dialect: dialectOf,
  files: anything,
  batch: anything,
  tables: anything,
  from: optional(count, 0),
  copy: optional(flag, false),
} satisfies OptionReaders<Record<keyof InsertOptions, unknown>>;

/** The rows of a Batch, by the table to insert them into. */
export function* rowsOfBatch(
  dialect: Dialect,
  { contacts }: Tables,
  input: unknown,
): Generator<readonly [table: "lists" | "contacts", rows: Iterable<readonly Cell[]>], void> {
  const { id, lists, sources } = Batch.is(input)
    ? {
        id: input.id,
        lists: input.declared,
        sources: [{ id: null, contacts: input.contacts, path: "batch" }],
      }
    : declareBatch(input, "batch");
  yield ["lists", listCells(id, lists)];
  const rows = function* () {
    let from = 0;
    for (const { id: list, contacts: given, path } of sources) {
      const layout = list === null ? lists.layout : lists.layout.within(list);
      for (const contact of recordsOf(given, lists.codec, `${path}.contacts`, from, layout)) {
        yield contactCells(id, contacts, contact, dialect);
        from = contact.position + 1;
      }
    }
  };
  yield ["contacts", rows()];
}

/** The row of the Batch itself, with the version of its Lists, and the rows of the Lists. */
export function listCells(batch: string, { all }: Lists): Cell[][] {
  const lists = all.map((list, i) => [batch, String(i + 1), list.id, writeListFields(list)]);
  return [[batch, "0", null, versionOf(JSON.stringify(lists))], ...lists];
}

/** A hash of the Lists. */
const versionOf = (lists: string) =>
  ["a", "b", "c"].map((salt) => (hash(salt + lists) >>> 0).toString(16).padStart(8, "0")).join("");

/** A record to insert. */
export interface SourceRecord {
  readonly document: Document;
  /** Its place in the order of insertion. */
  readonly position: number;
  /** Its name in errors. */
  readonly path: string;
}

/** How many records are read at a time, and the maximum number changed by a statement. */
export const PIECE_ROWS = 1000;

/** A statement with this many characters per allowed row is long enough. */
const ROW_LENGTH = 512;

/**
 * The records of an iterable, or of a collection.
 *
 * @param source its name in errors
 * @param from the position of the first record of an iterable; records of a collection have their keys
 * @param layout of an iterable's documents; default: that of the codec
 * @throws InputError with the path of the first offending member
 */
function* recordsOf(
  input: unknown,
  codec: Codec,
  source: string,
  from: number,
  layout: DocumentReader = codec.layout,
): Generator<SourceRecord, void> {
  if (Collection.is(input)) {
    for (const [position, document] of documentsOf(input.state)) {
      yield { document, position, path: `${source}[${position}]` };
    }
    return;
  }
  let sink = new RecordSink(codec);
  // The numbers in a table are not known here.
  const loading = () => new Loader(codec, sink, undefined, null);
  let loader = loading();
  let index = 0;
  const take = function* (count: number): Generator<SourceRecord, void> {
    const rows = sink.finish();
    sink = new RecordSink(codec);
    loader = loading();
    for (let row = 0, i = index - count; row < count; row++, i++) {
      yield { document: codec.write(rows, row), position: from + i, path: `${source}[${i}]` };
    }
  };
  for (const each of iterate(input, source)) {
    loader.addOne(each, source, index++, undefined, layout);
    if (index % PIECE_ROWS === 0) yield* take(PIECE_ROWS);
  }
  yield* take(index % PIECE_ROWS);
}

function* recordRows(
  dialect: Dialect,
  table: RecordTable,
  records: Iterable<SourceRecord>,
): Generator<TextValue[], void> {
  for (const record of records) yield recordCells(table, record, dialect);
}

/** The position and the values of all fields; for a field that ignores case or accents, possibly also its folded value. */
export function recordCells(
  { fields }: RecordTable,
  { document, position, path }: SourceRecord,
  dialect: Dialect,
): TextValue[] {
  const cells: TextValue[] = [String(position)];
  for (const [name, { field, missing, computed, columns }] of fields) {
    const isGenerated = computed !== undefined && columns[0]?.generated !== undefined;
    const [value, reason] =
      computed === undefined
        ? readField(document, name, field)
        : readComputed(document, computed, isGenerated);
    if (reason !== undefined) throw new InputError(member(path, name), reason);
    requireText(field, value, dialect, path, name);
    if (!isGenerated) cells.push(value);
    if (isFolded(field) && missing === undefined) cells.push(comparisonText(field, value));
  }
  return cells;
}

/**
 * The value of a computed field in text form, or the reason why the table would have another value.
 *
 * @param isGenerated whether the table computes it, from JSON
 */
function readComputed(
  document: Document,
  { field, read }: ComputedPlace,
  isGenerated: boolean,
): ReturnType<typeof readField> {
  // Documents of a schema with computed fields have the values of records.
  const record = document as AnyRecord;
  const value = read(record);
  if (isGenerated && field.path !== undefined && !isEqualJson(value, valueAt(record, field.path))) {
    const written = describe(value);
    return [
      undefined,
      `is computed from ${JSON.stringify(field.path)}, where a table needs it as records have it; write ${written}`,
    ];
  }
  return [textFormOfStored(field, value)];
}

/** The Batch, position, List, the values of all Contact fields, and the List Fields that are not null. */
export function contactCells(
  batch: string,
  table: RecordTable,
  record: SourceRecord,
  dialect: Dialect,
): Cell[] {
  const { document, path } = record;
  const list = readListId(document[LIST_MEMBER], `${path}.${LIST_MEMBER}`);
  const [position = null, ...values] = recordCells(table, record, dialect);
  const place = `${path}.${LIST_FIELDS_MEMBER}`;
  const listFields: [string, string][] = [];
  const given = membersOf(document[LIST_FIELDS_MEMBER] ?? {}, place);
  for (const name of Object.keys(given)) {
    const value = readCell(LIST_FIELD, given[name], dialect, place, name);
    if (value !== null) listFields.push([listFieldKey(name), value]);
  }
  // Also works for a property called `__proto__`.
  return [batch, position, list, ...values, Object.fromEntries(listFields)];
}

/** The values of a List Field: strings, whatever its type. */
export const LIST_FIELD = string({ nullable: true });

/** @throws InputError if it is not one */
export function readListId(given: unknown, path: string): string {
  const id = toIntegerText(given);
  if (id !== undefined) return id;
  throw new InputError(path, `must be the id of a List, not ${describe(given)}`);
}

/** @throws InputError if the field can't have the value, or the engine can't store it */
export function readCell(
  field: Field,
  given: unknown,
  dialect: Dialect,
  path: string,
  name?: string,
): TextValue {
  const value = toTextForm(field, given);
  if (value === undefined) throw new InputError(placeOf(path, name), explainRefusal(field, given));
  requireText(field, value, dialect, path, name);
  return value;
}

function requireText(
  { type }: Field,
  value: TextValue,
  dialect: Dialect,
  path: string,
  name?: string,
): void {
  if (dialect.hasNul || value === null) return;
  const texts = type === "strings" ? parseStrings(value) : [value];
  if (!texts.some((text) => text.includes("\0"))) return;
  const reason = `contains U+0000, which strings of ${dialect.name} can't`;
  throw new InputError(placeOf(path, name), reason);
}

/** Computed only for invalid values. */
const placeOf = (path: string, name: string | undefined) =>
  name === undefined ? path : member(path, name);

export function* insertStatements(
  dialect: Dialect,
  table: TableDefinition,
  rows: Iterable<readonly Cell[]>,
): Generator<Statement, void> {
  let piece: (readonly Cell[])[] = [];
  let length = 0;
  const columns = table.columns.filter(({ generated }) => generated === undefined);
  for (const cells of rows) {
    piece.push(cells);
    for (const cell of cells) length += lengthOf(cell);
    if (piece.length < dialect.mostRows && length < dialect.mostRows * ROW_LENGTH) continue;
    yield dialect.insert({ ...table, columns }, piece);
    piece = [];
    length = 0;
  }
  if (piece.length > 0) yield dialect.insert({ ...table, columns }, piece);
}

function lengthOf(cell: Cell): number {
  if (typeof cell === "string") return cell.length;
  if (cell === null) return 0;
  return Object.values(cell).reduce((sum, { length }) => sum + length, 0);
}
