// Files of other tools: their columns are read completely, batch by batch, and made into records, which
// are checked like any input.

import { createField } from "../../schema/declare.ts";
import { type Field } from "../../schema/field.ts";
import { schemaOfEntries, type Schema } from "../../schema/schema.ts";
import type { ByteSource } from "../byte-source.ts";
import { SCHEMA } from "../directory.ts";
import { FileError } from "../file-error.ts";
import { readFooter, reading, type Footer, type FooterField } from "./footer.ts";
import {
  readColumn,
  readValues,
  skipColumn,
  takesNoBytes,
  typeOf,
  type ForeignValue,
} from "./foreign-array.ts";
import { readDictionaryBatch, readRecordBatch, requireApart } from "./message.ts";
import type { Block } from "../format.ts";
import { ReadBudget } from "../read-budget.ts";
import { readSchema } from "../schema-json.ts";

/** The content of a foreign file. */
export interface Foreign {
  readonly schema: Schema;
  /** Its records in input form, read batch by batch. */
  readonly records: Iterable<Readonly<Record<string, ForeignValue>>>;
}

/**
 * @param given the schema of the records; columns that it does not name are ignored. Default: the schema
 *   that tercet has left in a file which another tool has rewritten, otherwise one made from the names
 * and
 *   types of the columns
 * @throws FileError; reading the records may throw one, too
 */
export function readForeign(source: ByteSource, footer: Footer, given?: Schema): Foreign {
  const schema = given ?? schemaIn(footer);
  const columns = new Set(footer.fields.map(({ name }) => name));
  // A field without a column has its default in each row. The caller may decide how many there are.
  const absent = given === undefined ? schema.places.filter(({ name }) => !columns.has(name)) : [];
  return { schema, records: recordsOf(source, footer, schema, absent.length) };
}

function schemaIn({ fields, schemaMetadata }: Footer): Schema {
  const noted = schemaMetadata.get(SCHEMA);
  return noted === undefined ? schemaOfFields(fields) : readNoted(noted);
}

function readNoted(text: string): Schema {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new FileError("schema", "is not JSON", { cause: error });
  }
  return readSchema(json);
}

function schemaOfFields(fields: readonly FooterField[]): Schema {
  const entries = fields.map((field): [string, Field] => {
    const { name } = field;
    const type = typeOf(field);
    // Not all tools declare a column of nothing but null as nullable.
    const nullable = field.nullable || takesNoBytes(field);
    if (type !== undefined) return [name, createField(type, { nullable })];
    throw new FileError(`column ${name}`, "is of a type that no field has", {
      code: "unsupported",
    });
  });
  if (entries.length === 0) throw new FileError("footer", "has no column");
  return schemaOfEntries(entries, "values");
}

function* recordsOf(
  source: ByteSource,
  footer: Footer,
  schema: Schema,
  absent: number,
): Generator<Readonly<Record<string, ForeignValue>>, void> {
  const isAsked = (name: string) => Object.hasOwn(schema.fields, name);
  for (const { rows, columns } of batchesOf(source, footer, isAsked, absent)) {
    for (let row = 0; row < rows; row++) {
      // No prototype: a column may be called `__proto__`.
      const record = Object.create(null) as Record<string, ForeignValue>;
      for (const [name, values] of columns) record[name] = values[row] ?? null;
      yield record;
    }
  }
}

/** Some rows of a file. */
export interface ForeignBatch {
  readonly rows: number;
  /** The values by the names of their columns. A column of nothing but null has none. */
  readonly columns: ReadonlyMap<string, readonly ForeignValue[]>;
}

/** @internal The columns of any Arrow file, ours included, as stored. */
export interface ForeignColumns {
  readonly names: readonly string[];
  /** The file's own schema. @throws FileError if a column has a type that no field has */
  schema(): Schema;
  /** @throws FileError while it is iterated over */
  batches(isAsked: (name: string) => boolean): Iterable<ForeignBatch>;
}

/** @internal @throws FileError */
export function openColumns(source: ByteSource): ForeignColumns {
  const footer = readFooter(source);
  const names = footer.fields.map(({ name }) => name);
  return {
    names,
    schema: () => schemaIn(footer),
    batches: (isAsked) => batchesOf(source, footer, isAsked),
  };
}

/** How many values without bytes a file may have, in addition to one for each of its bytes. */
const FREE_VALUES = 1 << 20;

/**
 * @param isAsked whether a column is wanted; others are skipped
 * @param absent how many values a row has besides those of its columns
 */
function* batchesOf(
  source: ByteSource,
  { fields, dictionaries, records }: Footer,
  isAsked: (name: string) => boolean,
  absent = 0,
): Generator<ForeignBatch, void> {
  requireApart([...dictionaries, ...records], source.size);
  const asked = new Set(fields.filter(({ name }) => isAsked(name)));
  const valuesOf = readDictionaries(source, dictionaries, asked);
  const empty = [...asked].filter(takesNoBytes).length;
  // A row counts as a value if none of its values takes a byte.
  const free = Math.max(absent + empty, empty === asked.size ? 1 : 0);
  const limit = FREE_VALUES + source.size;
  const budget = new ReadBudget(
    limit,
    "batches",
    `have more than ${limit} values that take no bytes, as those of a column of type Null do not`,
  );
  for (const [number, block] of records.entries()) {
    const section = `batch ${number}`;
    const batch = readRecordBatch(source, block, section);
    budget.spend(free * batch.rows);
    const columns = new Map<string, readonly ForeignValue[]>();
    reading(section, () => {
      for (const field of fields) {
        if (asked.has(field)) {
          const values = field.dictionary && valuesOf.get(field.dictionary.id);
          columns.set(field.name, readColumn(field, batch, values));
        } else skipColumn(field, batch);
      }
    });
    yield { rows: batch.rows, columns };
  }
}

/** The values of each dictionary of a wanted column. */
function readDictionaries(
  source: ByteSource,
  blocks: readonly Block[],
  asked: ReadonlySet<FooterField>,
): ReadonlyMap<number, readonly ForeignValue[]> {
  const fieldOf = new Map<number, FooterField>();
  for (const field of asked) {
    const id = field.dictionary?.id;
    if (id !== undefined && !fieldOf.has(id)) fieldOf.set(id, field);
  }
  const valuesOf = new Map<number, ForeignValue[]>();
  for (const [number, block] of blocks.entries()) {
    const section = `dictionary ${number}`;
    const { id, isDelta, batch } = readDictionaryBatch(source, block, section);
    const field = fieldOf.get(id);
    if (field === undefined) continue;
    const values = reading(section, () => readValues(field, batch));
    const before = isDelta ? valuesOf.get(id) : undefined;
    if (before === undefined) valuesOf.set(id, values);
    // There may be any number of deltas: earlier values are not copied for each.
    else for (const value of values) before.push(value);
  }
  return valuesOf;
}
