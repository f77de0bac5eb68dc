// Records on their way to a table: read from what the caller has, a piece at a time, and as the cells of
// rows.

import { locationsIn } from "../collection/change/differences.ts";
import { Collection } from "../collection/collection.ts";
import type { Codec } from "../collection/records/codec.ts";
import type { DocumentReader } from "../collection/records/layout.ts";
import { Loader, RecordSink } from "../collection/records/loader.ts";
import type { ColumnName, Rows } from "../collection/records/rows.ts";
import { InputError, member } from "../schema/errors.ts";
import type { WireValue } from "../schema/field.ts";
import { iterate } from "../schema/input.ts";
import { wireColumn, type Schema } from "../schema/schema.ts";
import { LIST } from "../service/contact-layout.ts";
import { LIST_FIELDS_MEMBER } from "../service/contact.ts";
import type { Cell, Dialect, TableDefinition } from "./dialect.ts";
import { listFieldKey } from "./list-fields.ts";
import type { Statement } from "./statement.ts";

/** A record that was checked. */
export interface SourceRow {
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
export function* rowsOf(
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
export type CellReader = (row: SourceRow) => Cell;

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

/** The error of a text that the engine can't hold. */
export const holdsNul = (path: string, dialect: string) =>
  new InputError(path, `holds U+0000, which no text of ${dialect} can`);

function checkText(value: WireValue, dialect: Dialect, { source, index }: SourceRow, path: string) {
  if (dialect.hasNul || value?.includes("\0") !== true) return;
  throw holdsNul(`${source}[${index}]${path}`, dialect.name);
}

/**
 * Read the fields of a schema, in its order.
 *
 * @param hasLower whether a field that ignores case has a column in lower case, which follows its own
 */
export function fieldReaders(
  schema: Schema,
  dialect: Dialect,
  hasLower: (field: string) => boolean = () => false,
): CellReader[] {
  return schema.places.flatMap(({ name }) => {
    const path = member("", name);
    const own = wireColumn(schema, name);
    const columns = own !== name && hasLower(name) ? [own, name] : [own];
    return columns.map((column): CellReader => {
      const read = readerOf(column);
      return (row) => {
        const value = read(row);
        checkText(value, dialect, row, path);
        return value;
      };
    });
  });
}

/** Reads the id of a Contact's List. */
export const listReader = (): CellReader => readerOf(LIST);

/** Reads the List Fields of a Contact that are not null. */
export function listFieldsReader({ places }: Schema, dialect: Dialect): CellReader {
  const fields = places
    .filter(({ field }) => !field.stored)
    .map(({ name }) => {
      const path = member(`.${LIST_FIELDS_MEMBER}`, name);
      return { key: listFieldKey(name), read: readerOf(name), path };
    });
  return (row) => {
    // No prototype: `__proto__` is a List Field as any other.
    const values = Object.create(null) as Record<string, string>;
    for (const { key, read, path } of fields) {
      const value = read(row);
      checkText(value, dialect, row, path);
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
  const stored = table.columns.filter(({ generated }) => generated === undefined);
  const take = () => {
    const statement = dialect.insert({ ...table, columns: stored }, piece);
    piece = [];
    length = 0;
    return statement;
  };
  for (const cells of rows) {
    piece.push(cells);
    for (const cell of cells) length += lengthOf(cell);
    if (piece.length >= PIECE_ROWS || length >= PIECE_LENGTH) yield take();
  }
  if (piece.length > 0) yield take();
}

function lengthOf(cell: Cell): number {
  if (typeof cell === "string") return cell.length;
  if (cell === null) return 0;
  return Object.values(cell).reduce((sum, value) => sum + value.length, 0);
}
