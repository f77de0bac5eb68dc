// Records as an Arrow file, with the same columns as CSV.

import { saveCollection } from "../arrow/write/save.ts";
import { createCollection } from "../collection/collection.ts";
import { createField } from "../schema/declare.ts";
import { parseJson } from "../schema/json.ts";
import { schemaOfEntries, type Schema } from "../schema/schema.ts";
import { Contact } from "../service/contact.ts";
import type { AnyRecord } from "./form.ts";
import { flatTable, type FlatOptions } from "./write-text.ts";

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
