// Reads Arrow files as rows, and writes records as Arrow files. Files from other programs are read with flechette. The
// caller passes it in, so that other programs do not need it and no bundler resolves it. Columns are mapped to fields
// as in CSV.

import type { ByteSource } from "../arrow/byte-source.ts";
import {
  isSavedCollection,
  openCollection,
  requireSource,
  type FileBytes,
} from "../arrow/read/open.ts";
import { integerOf } from "../arrow/column-types.ts";
import { piecesOf } from "../arrow/write/save.ts";
import { joined } from "../arrow/write/output.ts";
import { createCollection } from "../collection/create.ts";
import { InputError, member } from "../schema/errors.ts";
import { createField } from "../schema/create-field.ts";
import { fromTextForm, Unreadable, type Field } from "../schema/field.ts";
import { parseJson } from "../schema/json.ts";
import { amount, optional } from "../schema/options.ts";
import { schemaOfEntries, type Schema } from "../schema/schema.ts";
import { Contact } from "../service/contact.ts";
import { withCodecs, type ArrowCodecs, type DecompressionOptions } from "./arrow-codecs.ts";
import { requireWhole } from "./arrow-messages.ts";
import { typeOfArrow, type ArrowColumn, type ArrowType } from "./arrow-types.ts";
import { distinctNames, fieldWithNotice, isUndeclared, noticeNames } from "./columns.ts";
import { readNonFinite, recordMaker, ROWS } from "./columns.ts";
import type { RowOptions } from "./columns.ts";
import type { AnyRecord, ImportOf } from "./form.ts";
import { isNested } from "./flat-value.ts";
import type { Compressors } from "./parquet-file.ts";
import { formOf, SyncRecords, type SyncReading } from "./reading.ts";
import { rowWith, type Sink } from "./sink.ts";
import { inputReader, isUnsupported, noFacts, observe, type NonFinite } from "./value-types.ts";
import { flatTable } from "./write-text.ts";
import { writtenTypesOf, type WriteTypedOptions } from "./written-types.ts";

/** The part of `@uwdata/flechette` that tercet uses. */
export interface Flechette extends ArrowCodecs {
  tableFromIPC(
    bytes: Uint8Array,
    options: Readonly<Record<"useBigInt" | "useBigIntTimestamp" | "useDecimalInt", true>>,
  ): ArrowTable;
}

/** A table as read by flechette. */
export interface ArrowTable {
  readonly numRows: number;
  readonly schema: {
    readonly fields: readonly { readonly name: string; readonly type: ArrowType }[];
  };
  getChildAt(index: number): ArrowColumn;
}

/** The options of `readArrow`. */
export interface ArrowOptions<S extends Schema | undefined = undefined> extends RowOptions<S> {
  /** The maximum number of bytes of a file, and of its decompressed columns together. Default: 1 GiB. */
  readonly maxBytes?: number | undefined;
  /**
   * A function that decompresses `ZSTD`, such as that of the package fzstd. It receives bytes and the number of bytes
   * to return. Columns that are compressed with LZ4 need none.
   */
  readonly compressors?: Compressors | undefined;
}

const MAX_BYTES = 2 ** 30;

/**
 * Reads the records of an Arrow file or stream from any program, compressed or not. The README of `src/import` says
 * which columns a field accepts. flechette holds the whole file in memory and checks little: open only files that you
 * trust.
 *
 * @param flechette the package `@uwdata/flechette`: `import * as flechette from "@uwdata/flechette"`
 * @param file the bytes, or an object that reads ranges of them
 * @throws InputError with the place, such as `row 17.size` (counted from 1), during iteration; the place is `source` if
 *   the file is damaged, in another format, big-endian, or has more than `maxBytes`
 */
export function readArrow<S extends Schema | undefined = undefined>(
  flechette: Flechette,
  file: FileBytes,
  options: ArrowOptions<S> = {},
): SyncReading<ImportOf<S>> {
  const form = formOf(options);
  const maxBytes = optional(amount, MAX_BYTES)(options.maxBytes, "options.maxBytes");
  const nonFinite = readNonFinite(options);
  const source = requireSource(file);
  if (source.size > maxBytes) {
    throw new InputError(
      "source",
      `has ${source.size} bytes, more than options.maxBytes ${maxBytes}`,
    );
  }
  const { compressors = {} } = options;
  const open = () =>
    damaged(() =>
      isSavedCollection(source)
        ? columnsOfOwn(source)
        : openColumns(flechette, source, { maxBytes, nonFinite, compressors }),
    );
  const makerOf = (opened: Opened, isLeftOut: (column: Column) => boolean) => {
    const { columns } = opened;
    const given = { isLeftOut: (at: number) => isLeftOut(columns[at]!) };
    return recordMaker(namesOf(opened), form, options, "columns", given);
  };

  function schemaOfFile(): Schema {
    const opened = open();
    noticeNames(opened.given, namesOf(opened), options);
    const entries = makerOf(opened, () => false).columns.flatMap(
      ({ index, path: [target] }): [string, Field][] => {
        const field = damaged(() => opened.columns[index]!.field(options));
        return field === undefined ? [] : [[target, field]];
      },
    );
    return schemaOfEntries(entries, "values");
  }

  function isLeftOut({ name, isSupported, field }: Column): boolean {
    if (!isSupported) return true;
    return isUndeclared(name, form, options) && damaged(() => field({})) === undefined;
  }

  function* read<To extends Sink>(sink: To): Generator<To, void> {
    const opened = open();
    const { rows, columns } = opened;
    const maker = makerOf(opened, isLeftOut);
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

interface Opened {
  readonly rows: number;
  readonly columns: readonly Column[];
  /** The names of the columns in the file. */
  readonly given: readonly string[];
}

const namesOf = ({ columns }: Opened): string[] => columns.map(({ name }) => name);

interface Column {
  readonly name: string;
  /** Whether a field can hold its values. */
  readonly isSupported: boolean;
  /** The field for its values, if any. Reports notices. */
  readonly field: (options: Pick<RowOptions, "onNotice">) => Field | undefined;
  /** Reads its value in a row. @param field the field for the value, if there is a schema */
  readonly reader: (field: Field | undefined) => (row: number) => unknown;
}

function openColumns(
  flechette: Flechette,
  source: ByteSource,
  options: DecompressionOptions & { readonly nonFinite: NonFinite },
): Opened {
  const bytes = source.read(0, source.size);
  requireWhole(bytes);
  const table = withCodecs(flechette, options, () =>
    flechette.tableFromIPC(bytes, {
      useBigInt: true,
      useBigIntTimestamp: true,
      useDecimalInt: true,
    }),
  );
  const given = table.schema.fields.map(({ name }) => name);
  const names = distinctNames(given.map((name) => name || undefined));
  const columns = table.schema.fields.map(({ type: declared }, index): Column => {
    const name = names[index]!;
    const type = typeOfArrow(declared, options.nonFinite);
    const factsOf = () => {
      const [column, facts] = [table.getChildAt(index), noFacts()];
      for (let row = 0; row < column.length; row++) observe(type, facts, valueAt(column, row));
      return facts;
    };
    return {
      name,
      isSupported: !isUnsupported(type),
      field: (options) =>
        fieldWithNotice(name, type, isUnsupported(type) ? noFacts() : factsOf(), options),
      reader(field) {
        const column = table.getChildAt(index);
        const facts = type.needsFacts?.(field) === true ? factsOf() : noFacts();
        const toInput = inputReader(type, facts, field) ?? ((value: unknown) => value ?? null);
        return (row) => toInput(valueAt(column, row));
      },
    };
  });
  return { rows: table.numRows, columns, given };
}

/** flechette throws for some values, such as intervals with more nanoseconds than a number can represent. */
function valueAt(column: ArrowColumn, row: number): unknown {
  try {
    return column.at(row);
  } catch (thrown) {
    return new Unreadable(undefined, () => `can't be read: ${String(thrown)}`);
  }
}

/** A file saved by tercet is opened directly: other readers drop a U+FEFF at the start of a value. */
function columnsOfOwn(source: ByteSource): Opened {
  const collection = openCollection(source);
  const columns = collection.schema.places.map(({ name, field }): Column => ({
    name,
    isSupported: true,
    field: () => field,
    reader(taking) {
      const isText = field.type === "json" && taking !== undefined;
      return (row) => {
        const value = collection.at(row)?.[name] ?? null;
        if (value === null) return null;
        if (isText) return JSON.stringify(value);
        return typeof value === "string" ? fromTextForm(field, value) : value;
      };
    },
  }));
  return { rows: collection.size, columns, given: columns.map(({ name }) => name) };
}

/**
 * Writes records as an Arrow file, which other tools can read. Integer fields become 64-bit integers, float fields
 * doubles, times timestamps in UTC, all others strings, each with an ordered dictionary. The file is held in memory. For any schema except that
 * of Contacts, it is the same as the file from `saveCollection`, except that the option `types` makes columns of strings
 * dates, local times or decimals for other tools.
 *
 * @throws InputError with the path of what can't be written, such as `records[3].size`
 */
export function writeArrow<S extends Schema | undefined = undefined>(
  records: Iterable<AnyRecord>,
  options: WriteTypedOptions<S> = {},
): Uint8Array {
  const { columns, rows } = flatTable(records, options) ?? { columns: [], rows: [] };
  const types = writtenTypesOf(columns, options);
  const fields = columns.map(
    ({ name, type }) => [name, createField(type, { nullable: true })] as const,
  );
  const flat = schemaOfEntries(fields, "wire");
  const given: Schema | undefined = options.schema;
  const schema = given === undefined || given === Contact ? flat : given;
  const all = function* () {
    let index = 0;
    for (const values of rows) {
      const path = `records[${index++}]`;
      yield Object.fromEntries(
        columns.map(({ name, type }, i) => {
          const value = values[i] ?? null;
          const as = types.get(name);
          if (as !== undefined && value !== null) integerOf(as, value, () => member(path, name));
          return [name, isNested(type) && value !== null ? parseJson(value) : value];
        }),
      );
    }
  };
  const { state } = createCollection(schema, all());
  return joined(piecesOf(state, { orders: "used", trigrams: "used", types }));
}

/** Converts anything that flechette throws to the error of an unreadable file. */
function damaged<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof InputError) throw thrown;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new InputError("source", `can't be read as Arrow: ${reason}`, { cause: thrown });
  }
}
