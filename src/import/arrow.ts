// Arrow files, as rows, and records as Arrow files. Files of other programs are read by flechette. The caller
// passes it in, so that nobody else needs it and no bundler looks for it. Columns are mapped to fields as in CSV.

import type { ByteSource } from "../arrow/byte-source.ts";
import { MAGIC } from "../arrow/format.ts";
import {
  isSavedCollection,
  openCollection,
  requireSource,
  type FileBytes,
} from "../arrow/read/open.ts";
import { saveCollection } from "../arrow/write/save.ts";
import { createCollection } from "../collection/collection.ts";
import { InputError } from "../schema/errors.ts";
import { createField } from "../schema/declare.ts";
import { fromWire, type Field } from "../schema/field.ts";
import { parseJson } from "../schema/json.ts";
import { amount, optional } from "../schema/options.ts";
import { schemaOfEntries, type Schema } from "../schema/schema.ts";
import { Contact } from "../service/contact.ts";
import { fieldOfColumn, valueReader, type ArrowColumn, type ArrowType } from "./arrow-types.ts";
import { recordMaker, ROWS, type RowOptions } from "./columns.ts";
import type { AnyRecord, ImportOf } from "./form.ts";
import { formOf, SyncRecords, type SyncReading } from "./reading.ts";
import { rowWith, type Sink } from "./sink.ts";
import { flatTable, type FlatOptions } from "./write-text.ts";

/** The part of the package `@uwdata/flechette` that is used. */
export interface Flechette {
  tableFromIPC(
    bytes: Uint8Array,
    options: Readonly<Record<"useBigInt" | "useBigIntTimestamp" | "useDecimalInt", true>>,
  ): ArrowTable;
}

/** A table as flechette reads it. */
export interface ArrowTable {
  readonly numRows: number;
  readonly schema: {
    readonly fields: readonly { readonly name: string; readonly type: ArrowType }[];
  };
  getChildAt(index: number): ArrowColumn;
}

export interface ArrowOptions<S extends Schema | undefined = undefined> extends RowOptions<S> {
  /** The most bytes that a file may have. Default: 1 GiB. */
  readonly maxBytes?: number | undefined;
}

const MAX_BYTES = 2 ** 30;

/**
 * Reads the records of an Arrow file or stream of any program. A field takes values of its own type, a string
 * field also dates (`2024-02-29`), times, timestamps with the digits of their unit, decimals digit for digit
 * and integers beyond 2^53 − 1, and a field of JSON anything nested. Other columns, such as those of bytes,
 * are left out of records without a schema.
 *
 * flechette holds the whole file in memory, and checks little: a file that somebody may have made to do harm
 * can take much memory and time, whatever its size is.
 *
 * @param flechette the package `@uwdata/flechette`: `import * as flechette from "@uwdata/flechette"`. It
 *   decompresses what its `setCompressionCodec` was given a codec for
 * @param file the bytes, or an object that reads ranges of them
 * @throws InputError with the place, such as `row 17.size` (counted from 1), during iteration; the place is
 *   `source` if the file is damaged, in another format, or has more than `maxBytes`
 */
export function readArrow<S extends Schema | undefined = undefined>(
  flechette: Flechette,
  file: FileBytes,
  options: ArrowOptions<S> = {},
): SyncReading<ImportOf<S>> {
  const form = formOf(options);
  const maxBytes = optional(amount, MAX_BYTES)(options.maxBytes, "options.maxBytes");
  const source = requireSource(file);
  if (source.size > maxBytes) {
    throw new InputError(
      "source",
      `has ${source.size} bytes, more than options.maxBytes ${maxBytes}`,
    );
  }
  const open = () => damaged(() => openColumns(flechette, source));
  const makerOf = (columns: readonly Column[]) =>
    recordMaker(
      columns.map(({ name }) => name),
      form,
      options,
      "columns",
    );

  function schemaOfFile(): Schema {
    const { columns } = open();
    const entries = makerOf(columns).columns.map(({ index, path: [target] }): [string, Field] => {
      return [target, damaged(columns[index]!.field)];
    });
    return schemaOfEntries(entries, "values");
  }

  function* read<To extends Sink>(sink: To): Generator<To, void> {
    const { rows, columns } = open();
    const maker = makerOf(columns);
    const readers = maker.columns.map(({ index, field }) =>
      damaged(() => columns[index]!.reader(field)),
    );
    for (let start = 0; start < rows; start += ROWS) {
      const end = Math.min(rows, start + ROWS);
      for (let row = start; row < end; row++) {
        const values = damaged(() => readers.map((valueAt) => valueAt(row)));
        sink.take(maker.recordOfRow(values), row + 1, rowWith);
      }
      yield sink;
      options.onProgress?.(end);
    }
  }
  // The schema that types the records has checked them.
  const reading = new SyncRecords(read, form, options, schemaOfFile);
  return reading as unknown as SyncReading<ImportOf<S>>;
}

/** A column that fields can hold. */
interface Column {
  readonly name: string;
  readonly field: () => Field;
  /** What gives its value in a row. @param field the field that takes it, if there is a schema */
  readonly reader: (field: Field | undefined) => (row: number) => unknown;
}

function openColumns(
  flechette: Flechette,
  source: ByteSource,
): { readonly rows: number; readonly columns: readonly Column[] } {
  if (isSavedCollection(source)) return columnsOfOwn(source);
  const bytes = source.read(0, source.size);
  requireEnd(bytes);
  const table = flechette.tableFromIPC(bytes, {
    useBigInt: true,
    useBigIntTimestamp: true,
    useDecimalInt: true,
  });
  const columns = table.schema.fields.flatMap(({ name, type }, index): Column[] => {
    const toValue = valueReader(type);
    if (toValue === undefined) return [];
    const column = () => table.getChildAt(index);
    return [
      {
        name,
        field: () => fieldOfColumn(type, column()),
        reader: () => {
          const values = column();
          return (row) => toValue(values.at(row));
        },
      },
    ];
  });
  return { rows: table.numRows, columns };
}

/** How a file begins and ends. */
const START = [...new TextEncoder().encode(MAGIC)];
/** How each message of a stream begins; a length of 0 after it ends the stream. */
const CONTINUATION = [255, 255, 255, 255];

/**
 * flechette reads as many messages as there are: of a file or stream whose end is missing, fewer records.
 *
 * @throws InputError
 */
function requireEnd(bytes: Uint8Array): void {
  const starts = (mark: readonly number[]) => mark.every((byte, i) => bytes[i] === byte);
  const ends = (mark: readonly number[]) =>
    mark.every((byte, i) => bytes[bytes.length - mark.length + i] === byte);
  const isFile = starts(START);
  if (!isFile && !starts(CONTINUATION)) {
    throw new InputError(
      "source",
      "can't be read as Arrow: begins neither as a file nor as a stream",
    );
  }
  if (isFile ? bytes.length > 2 * START.length && ends(START) : ends([...CONTINUATION, 0, 0, 0, 0]))
    return;
  const what = isFile ? "file" : "stream";
  throw new InputError(
    "source",
    `can't be read as Arrow: does not end as an Arrow ${what} does; perhaps its end is missing`,
  );
}

/** A file of ours is opened as it is: other readers drop a U+FEFF at the start of a value. */
function columnsOfOwn(source: ByteSource) {
  const collection = openCollection(source);
  const columns = collection.schema.places.map(({ name, field }): Column => ({
    name,
    field: () => field,
    reader(taking) {
      const isText = field.type === "json" && taking !== undefined;
      return (row) => {
        const value = collection.at(row)?.[name] ?? null;
        if (value === null) return null;
        if (isText) return JSON.stringify(value);
        return typeof value === "string" ? fromWire(field, value) : value;
      };
    },
  }));
  return { rows: collection.size, columns };
}

/**
 * Writes records as an Arrow file, which other tools can read. Integer fields become 64-bit integers,
 * float fields doubles, all others strings, each with an ordered dictionary. The file is in memory. For any schema except
 * that of Contacts, it is the file that `saveCollection` makes.
 *
 * @throws InputError with the path of what can't be written, such as `records[3].size`
 */
export function writeArrow<S extends Schema | undefined = undefined>(
  records: Iterable<AnyRecord>,
  options: FlatOptions<S> = {},
): Uint8Array {
  const { columns, rows } = flatTable(records, options) ?? { columns: [], rows: [] };
  const fields = columns.map(
    ({ name, type }) => [name, createField(type, { nullable: true })] as const,
  );
  const flat = schemaOfEntries(fields, "wire");
  const given: Schema | undefined = options.schema;
  const schema = given === undefined || given === Contact ? flat : given;
  const all = function* () {
    for (const values of rows) {
      yield Object.fromEntries(
        columns.map(({ name, type }, i) => {
          const value = values[i] ?? null;
          return [name, type === "json" && value !== null ? parseJson(value) : value];
        }),
      );
    }
  };
  return saveCollection(createCollection(schema, all()));
}

/** An error of ours, or anything that flechette throws, as that of a file that can't be read. */
function damaged<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof InputError) throw thrown;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new InputError("source", `can't be read as Arrow: ${reason}`, { cause: thrown });
  }
}
