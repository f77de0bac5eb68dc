// The statements that insert records, in pieces: each is made when it is asked for, and its records
// are forgotten then.

import { hash } from "../collection/algorithms/hash.ts";
import { locationsIn } from "../collection/change/differences.ts";
import { Collection } from "../collection/collection.ts";
import { Codec } from "../collection/records/codec.ts";
import type { DocumentReader } from "../collection/records/layout.ts";
import { Loader, RecordSink } from "../collection/records/loader.ts";
import type { ColumnName, Rows } from "../collection/records/rows.ts";
import { InputError, member } from "../schema/errors.ts";
import type { WireValue } from "../schema/field.ts";
import { iterate } from "../schema/input.ts";
import { anything, count, optional, readOptions, type OptionReaders } from "../schema/options.ts";
import { requireSchema, wireColumn, type InputOf, type Schema } from "../schema/schema.ts";
import { Batch, declareBatch, type BatchInput } from "../service/batch.ts";
import { LIST } from "../service/contact-layout.ts";
import { Contact, LIST_FIELDS_MEMBER } from "../service/contact.ts";
import { completeNames, File, type FileInput } from "../service/file.ts";
import type { Lists } from "../service/lists.ts";
import type { Files } from "../service/load.ts";
import type { Cell, Dialect, DialectName, TableDefinition } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { listFieldKey, writeListFields } from "./list-fields.ts";
import { readTable, type RecordTable, type TableName, type TableNames } from "./names.ts";
import { readShard, THE_ONLY, type Part, type Shard } from "./shard.ts";
import type { Statement } from "./statement.ts";
import { readTables, type ServiceTables, type Tables } from "./tables.ts";

export interface InsertRecordsOptions<Name extends string = string> {
  readonly dialect: DialectName;
  readonly table: TableName | TableNames<Name>;
  /** The position of the first record: how many there were before. Default 0. */
  readonly from?: number | undefined;
}

/**
 * The statements that insert records of a schema.
 *
 * @param records as `createCollection` takes them, or a collection: its records keep the keys that patches
 *   have for them
 * @throws InputError with the path of the first offending member, such as `records[3].name`, when the statement is
 *   asked for in which it would be
 */
export function insertRecords<S extends Schema>(
  schema: S,
  records: Iterable<InputOf<S>> | Collection<S>,
  options: InsertRecordsOptions<keyof S["fields"] & string>,
): Iterable<Statement>;
export function insertRecords(
  schema: Schema,
  records: unknown,
  options: unknown,
): Iterable<Statement> {
  requireSchema(schema);
  const given = readOptions(options, "options", {
    dialect: dialectOf,
    table: anything,
    from: optional(count, 0),
  });
  const { dialect, from } = given;
  const table = readTable(schema, dialect, given.table, "options.table");
  const rows = rowsOf(records, new Codec(schema), "records", from);
  const readers = [readPosition, ...fieldReaders(schema, table, dialect)];
  return insertStatements(dialect, table, cellsOf(readers, rows));
}

export interface InsertOptions {
  readonly dialect: DialectName;
  /** Files as a service takes them, or those of a service, which keep the keys that patches have for them. */
  readonly files?: Iterable<FileInput> | Files | undefined;
  /** A Batch as a service takes it, or one of a service, whose Contacts keep the keys that patches have for them. */
  readonly batch?: BatchInput | Batch | undefined;
  readonly tables?: ServiceTables | undefined;
  /** The position of the first File: how many there were before. Default 0. */
  readonly from?: number | undefined;
  /** Of several databases, the one whose records are to be inserted; all others are only read. */
  readonly shard?: Shard | undefined;
}

/**
 * The statements that insert Files, a Batch, or both, into the tables of a service. Records that are given
 * as an iterable are read when they are needed, and then forgotten; a File's id is checked by the
 * table, where the engine has unique indexes.
 *
 * @throws InputError with the path of the first offending member, such as `files[3].name` or
 *   `batch.lists[0].contacts[5].fields.Email`, when the statement is asked for in which it would be
 */
export function insertRows(options: InsertOptions): Iterable<Statement>;
export function insertRows(options: unknown): Iterable<Statement> {
  const given = readOptions(options, "options", insertOptions);
  const { dialect, from, shard: part } = given;
  const tables = readTables(dialect, given.tables);
  return (function* () {
    if (given.files !== undefined) {
      const codec = new Codec(File, { complete: completeNames });
      const rows = rowsOf(given.files, codec, "files", from);
      const readers = [readPosition, ...fieldReaders(File, tables.files, dialect)];
      const cells = cellsOf(readers, rows, (position) => part.holds(undefined, position));
      yield* insertStatements(dialect, tables.files, cells);
    }
    if (given.batch === undefined) return;
    for (const [into, rows] of rowsOfBatch(dialect, tables, part, given.batch)) {
      yield* insertStatements(dialect, into, rows);
    }
  })();
}

const insertOptions = {
  dialect: dialectOf,
  files: anything,
  batch: anything,
  tables: anything,
  from: optional(count, 0),
  shard: optional(readShard, THE_ONLY),
} satisfies OptionReaders<Record<keyof InsertOptions, unknown>>;

/** The rows of a Batch as it is given, or of one of a service, by the table that they go into. */
export function* rowsOfBatch(
  dialect: Dialect,
  { lists: listTable, contacts }: Tables,
  part: Part,
  input: unknown,
): Generator<readonly [into: TableDefinition, rows: Iterable<readonly Cell[]>], void> {
  const { id, lists, sources } = Batch.is(input)
    ? {
        id: input.id,
        lists: input.declared,
        sources: [{ id: null, contacts: input.contacts, path: "batch" }],
      }
    : declareBatch(input, "batch");
  if (part.holds(id, undefined)) yield [listTable, listCells(id, lists)];
  const rows = function* () {
    let from = 0;
    for (const { id: list, contacts, path } of sources) {
      const layout = list === null ? lists.layout : lists.layout.within(list);
      for (const row of rowsOf(contacts, lists.codec, `${path}.contacts`, from, layout)) {
        yield row;
        from = row.position + 1;
      }
    }
  };
  const readers = [
    () => id,
    ...[readPosition, readerOf(LIST)],
    ...fieldReaders(Contact, contacts, dialect),
    listFieldsReader(lists.codec.schema, dialect),
  ];
  yield [contacts, cellsOf(readers, rows(), (position) => part.holds(id, position))];
}

/** The row of the Batch itself, with the version of its Lists, and those of the Lists. */
export function listCells(batch: string, { all }: Lists): Cell[][] {
  const lists = all.map((list, i) => [batch, String(i + 1), list.id, writeListFields(list)]);
  return [[batch, "0", null, versionOf(JSON.stringify(lists))], ...lists];
}

/** A text that is another one for other Lists, and of one length. */
const versionOf = (lists: string) =>
  ["a", "b", "c"].map((salt) => (hash(salt + lists) >>> 0).toString(16).padStart(8, "0")).join("");

/** A record that was checked. */
interface SourceRow {
  readonly rows: Rows;
  readonly row: number;
  /** Its place in the order of insertion. */
  readonly position: number;
  /** What it is called in errors: `source[index]`. */
  readonly source: string;
  readonly index: number;
}

/** How many records are read at once, and how many are in a statement at most. */
const PIECE_ROWS = 1000;

/** A statement of so many characters is long enough. */
const PIECE_LENGTH = 512 * 1024;

/**
 * The records of an iterable, or of a collection.
 *
 * @param source what it is called in errors
 * @param from the position of the first record of an iterable; those of a collection have their keys
 * @param layout of an iterable's documents; default: that of the codec
 * @throws InputError with the path of the first offending member
 */
function* rowsOf(
  input: unknown,
  codec: Codec,
  source: string,
  from: number,
  layout: DocumentReader = codec.layout,
): Generator<SourceRow, void> {
  if (Collection.is(input)) {
    for (const { segment, row } of locationsIn(input.state.snapshot)) {
      const position = segment.keyOf(row);
      yield { rows: segment.rows, row, position, source, index: position };
    }
    return;
  }
  let sink = new RecordSink(codec);
  let loader = new Loader(codec, sink);
  let index = 0;
  const take = function* (count: number): Generator<SourceRow, void> {
    const rows = sink.finish();
    sink = new RecordSink(codec);
    loader = new Loader(codec, sink);
    const first = index - count;
    for (let row = 0; row < count; row++) {
      yield { rows, row, position: from + first + row, source, index: first + row };
    }
  };
  for (const each of iterate(input, source)) {
    loader.addOne(each, source, index++, undefined, layout);
    if (index % PIECE_ROWS === 0) yield* take(PIECE_ROWS);
  }
  yield* take(index % PIECE_ROWS);
}

/** Reads a cell of the row that it is given. */
type CellReader = (row: SourceRow) => Cell;

/** The cells of the rows that a database holds. */
function* cellsOf(
  readers: readonly CellReader[],
  rows: Iterable<SourceRow>,
  holds: (position: number) => boolean = () => true,
): Generator<Cell[], void> {
  for (const row of rows) if (holds(row.position)) yield readers.map((read) => read(row));
}

const readPosition: CellReader = ({ position }) => String(position);

/** Reads the value of a column; most rows are of the same rows as the one before. */
function readerOf(name: ColumnName): (row: SourceRow) => WireValue {
  let last: Rows | undefined;
  let read: (row: number) => WireValue = () => null;
  return ({ rows, row }) => {
    if (rows !== last) {
      last = rows;
      read = rows.readerOf(name);
    }
    return read(row);
  };
}

/** Reads the value of a column that is to be in a table. @param path of the field in its record */
function textReader(name: ColumnName, path: string, dialect: Dialect) {
  const read = readerOf(name);
  return (row: SourceRow): WireValue =>
    requireText(read(row), dialect, () => `${row.source}[${row.index}]${path}`);
}

/** @throws InputError for a text that the engine can't hold */
export function requireText(value: WireValue, { hasNul, name }: Dialect, pathOf: () => string) {
  if (hasNul || value?.includes("\0") !== true) return value;
  throw new InputError(pathOf(), `holds U+0000, which no text of ${name} can`);
}

/** Read the fields of a schema, in its order: one that ignores case perhaps in lower case, too. */
function fieldReaders(schema: Schema, { fields }: RecordTable, dialect: Dialect): CellReader[] {
  return schema.places.flatMap(({ name, field }) => {
    const own = wireColumn(schema, name);
    const hasLower = field.ignoreCase && fields.get(name)?.missing === undefined;
    const columns = hasLower ? [own, name] : [own];
    return columns.map((column) => textReader(column, member("", name), dialect));
  });
}

/** Reads the List Fields of a Contact that are not null. */
function listFieldsReader({ places }: Schema, dialect: Dialect): CellReader {
  const fields = places
    .filter(({ field }) => !field.stored)
    .map(({ name }) => {
      const path = member(`.${LIST_FIELDS_MEMBER}`, name);
      return { key: listFieldKey(name), read: textReader(name, path, dialect) };
    });
  return (row) => {
    // No prototype: `__proto__` is a List Field as any other.
    const values = Object.create(null) as Record<string, string>;
    for (const { key, read } of fields) {
      const value = read(row);
      if (value !== null) values[key] = value;
    }
    return values;
  };
}

/** Statements that insert rows, each of some. */
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
    if (piece.length < PIECE_ROWS && length < PIECE_LENGTH) continue;
    yield dialect.insert({ ...table, columns }, piece);
    piece = [];
    length = 0;
  }
  if (piece.length > 0) yield dialect.insert({ ...table, columns }, piece);
}

const lengthOf = (cell: Cell): number =>
  typeof cell === "string" ? cell.length : Object.values(cell ?? {}).join("").length;
