// Arrow files from any tool, as rows. Columns are mapped to fields as in CSV.

import { FileError } from "../arrow/file-error.ts";
import { openColumns, type ForeignColumns } from "../arrow/read/foreign.ts";
import { requireSource, type FileBytes } from "../arrow/read/open.ts";
import { InputError, reworded } from "../schema/errors.ts";
import type { Field } from "../schema/field.ts";
import { fieldOf, schemaOfEntries, type Schema } from "../schema/schema.ts";
import { recordMaker, ROWS, type RowOptions } from "./columns.ts";
import type { ImportOf } from "./form.ts";
import { formOf, SyncRecords, type SyncReading } from "./reading.ts";
import { rowWith, type Sink } from "./sink.ts";

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

const damaged = <Result>(run: () => Result): Result =>
  reworded(
    run,
    (message, cause) => new InputError("source", `can't be read as Arrow: ${message}`, cause),
    FileError,
  );
