// Arrow files from any tool, as rows, and records as Arrow files. Columns are mapped to fields as in CSV.

import { FileError } from "../arrow/file-error.ts";
import { openColumns, type ForeignColumns } from "../arrow/read/foreign.ts";
import { requireSource, type FileBytes } from "../arrow/read/open.ts";
import { saveCollection } from "../arrow/write/save.ts";
import { createCollection } from "../collection/collection.ts";
import { InputError, reworded } from "../schema/errors.ts";
import { createField } from "../schema/declare.ts";
import type { Field } from "../schema/field.ts";
import { parseJson } from "../schema/json.ts";
import { fieldOf, schemaOfEntries, type Schema } from "../schema/schema.ts";
import { Contact } from "../service/contact.ts";
import { recordMaker, ROWS, type RowOptions } from "./columns.ts";
import type { AnyRecord, ImportOf } from "./form.ts";
import { formOf, SyncRecords, type SyncReading } from "./reading.ts";
import { rowWith, type Sink } from "./sink.ts";
import { flatTable, type FlatOptions } from "./write-text.ts";

export type ArrowOptions<S extends Schema | undefined = undefined> = RowOptions<S>;

/**
 * Reads the records of an Arrow file batch by batch, holding one in memory. `openCollection` of
 * `tercet/arrow` opens a file as it is; use this if its columns have other names, or if its rows
 * may be refused.
 *
 * @param file the bytes, or an object that reads ranges of them
 * @throws InputError with the place, such as `row 17.size` (counted from 1), during iteration; the
 *   place is `source` if the file is damaged or in another format
 */
export function readArrow<S extends Schema | undefined = undefined>(
  file: FileBytes,
  options: ArrowOptions<S> = {},
): SyncReading<ImportOf<S>> {
  const form = formOf(options);
  const source = requireSource(file);

  const makerOf = ({ names }: ForeignColumns) => recordMaker(names, form, options, "columns");

  function schemaOfFile(): Schema {
    const file = damaged(() => openColumns(source));
    const schema = damaged(() => file.schema());
    const entries = makerOf(file).columns.flatMap(({ name, path: [target] }): [string, Field][] => {
      const field = fieldOf(schema, name);
      return field === undefined ? [] : [[target, field]];
    });
    return schemaOfEntries(entries, schema.form);
  }

  function* read<To extends Sink>(sink: To): Generator<To, void> {
    const file = damaged(() => openColumns(source));
    const maker = makerOf(file);
    const wanted = new Set(maker.columns.map(({ name }) => name));
    let before = 0;
    const all = file.batches((name) => wanted.has(name))[Symbol.iterator]();
    for (;;) {
      const next = damaged(() => all.next());
      if (next.done === true) return;
      const { rows, columns } = next.value;
      const read = Array.from(wanted, (name) => columns.get(name));
      for (let start = 0; start < rows; start += ROWS) {
        const end = Math.min(rows, start + ROWS);
        for (let row = start; row < end; row++) {
          const record = maker.recordOfRow(read.map((values) => values?.[row]));
          sink.take(record, before + row + 1, rowWith);
        }
        yield sink;
        options.onProgress?.(before + end);
      }
      before += rows;
    }
  }
  // The schema that types the records has checked them.
  const reading = new SyncRecords(read, form, options, schemaOfFile);
  return reading as unknown as SyncReading<ImportOf<S>>;
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

const damaged = <Result>(run: () => Result): Result =>
  reworded(
    run,
    (message, cause) => new InputError("source", `can't be read as Arrow: ${message}`, cause),
    FileError,
  );
