// Records as an Arrow file, with the same columns as CSV.

import { saveCollection } from "../arrow/write/save.ts";
import { createCollection } from "../collection/collection.ts";
import { int, string } from "../schema/field.ts";
import { schemaOf, type Schema } from "../schema/schema.ts";
import { Contact } from "../service/contact.ts";
import type { AnyRecord } from "./form.ts";
import { flatTable, type FlatOptions } from "./write-text.ts";

/**
 * Writes records as an Arrow file, which other tools can read. Integer fields become 64-bit integers,
 * all others strings, each with an ordered dictionary. The file is in memory. For any schema except
 * that of Contacts, it is the file that `saveCollection` makes.
 *
 * @throws InputError with the path of what can't be written, such as `records[3].size`
 */
export function writeArrow<S extends Schema | undefined = undefined>(
  records: Iterable<AnyRecord>,
  options: FlatOptions<S> = {},
): Uint8Array {
  const { columns, rows } = flatTable(records, options) ?? { columns: [], rows: [] };
  const names = columns.map(({ name }) => name);
  const nullable = { nullable: true };
  const fields = columns.map(({ isInteger }) => (isInteger ? int(nullable) : string(nullable)));
  const flat = schemaOf(Object.fromEntries(names.map((name, i) => [name, fields[i]!])), {
    form: "wire",
    names,
  });
  const given: Schema | undefined = options.schema;
  const schema = given === undefined || given === Contact ? flat : given;
  const all = function* () {
    for (const values of rows) {
      yield Object.fromEntries(names.map((name, i) => [name, values[i] ?? null]));
    }
  };
  return saveCollection(createCollection(schema, all()));
}
