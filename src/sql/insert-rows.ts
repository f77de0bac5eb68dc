// The statements that insert records, in pieces: each is made when it is asked for, and its records
// are forgotten then.

import { hash } from "../collection/algorithms/hash.ts";
import { Codec } from "../collection/records/codec.ts";
import { Collection } from "../collection/collection.ts";
import { anything, count, optional, readOptions, type OptionReaders } from "../schema/options.ts";
import { requireSchema, type InputOf, type Schema } from "../schema/schema.ts";
import { Batch, declareBatch, type BatchInput } from "../service/batch.ts";
import { Contact } from "../service/contact.ts";
import { completeNames, File, type FileInput } from "../service/file.ts";
import type { Lists } from "../service/lists.ts";
import type { Files } from "../service/load.ts";
import type { Cell, Dialect, DialectName, TableDefinition } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { writeListFields } from "./list-fields.ts";
import { readTable, type TableName, type TableNames } from "./names.ts";
import {
  fieldReaders,
  insertStatements,
  listFieldsReader,
  listReader,
  rowsOf,
  type CellReader,
  type SourceRow,
} from "./rows.ts";
import { readShard, THE_ONLY, type Part, type Shard } from "./shard.ts";
import type { Statement } from "./statement.ts";
import {
  contactDefinition,
  definitionOf,
  listDefinition,
  readTables,
  type ServiceTables,
  type Tables,
} from "./tables.ts";

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
  const hasLower = (field: string) => table.fields.get(field)?.lowerColumn !== undefined;
  const readers = fieldReaders(schema, dialect, hasLower);
  return insertStatements(dialect, definitionOf(table, dialect), cellsOf(readers, rows));
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
    if (given.files !== undefined) yield* insertFiles(dialect, tables, part, given.files, from);
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

/** Position, and the values of all fields. */
function* cellsOf(
  readers: readonly CellReader[],
  rows: Iterable<SourceRow>,
): Generator<Cell[], void> {
  for (const row of rows) yield [String(row.position), ...readers.map((read) => read(row))];
}

function insertFiles(
  dialect: Dialect,
  { files }: Tables,
  part: Part,
  input: unknown,
  from: number,
): Generator<Statement, void> {
  const codec = new Codec(File, { complete: completeNames });
  const rows = where(rowsOf(input, codec, "files", from), ({ position }) => part.hasFile(position));
  const cells = cellsOf(fieldReaders(File, dialect), rows);
  return insertStatements(dialect, definitionOf(files, dialect), cells);
}

/** The rows of a Batch as it is given, or of one of a service, by the table that they go into. */
export function* rowsOfBatch(
  dialect: Dialect,
  tables: Tables,
  part: Part,
  input: unknown,
): Generator<readonly [into: TableDefinition, rows: Iterable<readonly Cell[]>], void> {
  const { id, lists, rows } = Batch.is(input) ? batchRows(input) : readBatch(input);
  if (part.hasLists(id)) yield [listDefinition(tables.lists), listCells(id, lists)];
  const own = where(rows, ({ position }) => part.hasContact(id, position));
  yield [contactDefinition(tables.contacts, dialect), contactCells(id, lists, dialect, own)];
}

function* where<Row>(rows: Iterable<Row>, holds: (row: Row) => boolean): Generator<Row, void> {
  for (const row of rows) if (holds(row)) yield row;
}

/** A Batch that is to be inserted. */
interface BatchRows {
  readonly id: string;
  readonly lists: Lists;
  readonly rows: Iterable<SourceRow>;
}

function batchRows({ id, contacts, declared }: Batch): BatchRows {
  return { id, lists: declared, rows: rowsOf(contacts, declared.codec, "batch.contacts", 0) };
}

/** A Batch whose Contacts are read when they are asked for. */
function readBatch(input: unknown): BatchRows {
  const { id, lists, sources } = declareBatch(input, "batch");
  const rows = function* () {
    let from = 0;
    for (const { id: list, contacts, path } of sources) {
      const layout = lists.layout.within(list);
      for (const row of rowsOf(contacts, lists.codec, `${path}.contacts`, from, layout)) {
        yield row;
        from = row.position + 1;
      }
    }
  };
  return { id, lists, rows: rows() };
}

/** The row of the Batch itself, with the version of its Lists, and those of the Lists. */
export function listCells(batch: string, { all }: Lists): Cell[][] {
  const lists = all.map((list, i) => [batch, String(i + 1), list.id, writeListFields(list)]);
  return [[batch, "0", null, versionOf(JSON.stringify(lists))], ...lists];
}

/** A text that is another one for other Lists, and of one length. */
const versionOf = (lists: string) =>
  ["a", "b", "c"].map((salt) => (hash(salt + lists) >>> 0).toString(16).padStart(8, "0")).join("");

/** Batch, position, List, the values of all Contact fields, and the List Fields. */
export function* contactCells(
  batch: string,
  { codec: { schema } }: Lists,
  dialect: Dialect,
  rows: Iterable<SourceRow>,
): Generator<Cell[], void> {
  const readList = listReader();
  const readers = [...fieldReaders(Contact, dialect), listFieldsReader(schema, dialect)];
  for (const row of rows) {
    yield [batch, String(row.position), readList(row), ...readers.map((read) => read(row))];
  }
}
