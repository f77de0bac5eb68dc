// Tables of any schema: a file in any format, or a saved collection.

import { existsSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { openCollection } from "../arrow/index.ts";
import { findDelimiter, inferSchema, loadCollection, readSchema } from "../import/index.ts";
import { InputError, type Collection, type Schema } from "../index.ts";
import { isStore, openStore, schemasOf } from "../store/index.ts";
import { openBytes, type ByteSource } from "./bytes.ts";
import { closeAtEnd } from "./closing.ts";
import { refuseOptions, systemReason, UsageError, warn } from "./errors.ts";
import { binaryFormatOf, readingOf, type FlatOptions } from "./flat.ts";
import { recordOptions, type FormatFlags, type ReadingFlags } from "./formats.ts";
import { parseJson } from "./input.ts";
import { inPlace } from "./records.ts";

/** How to read a table, as typed. */
export interface TableFlags extends ReadingFlags, Omit<FormatFlags, "format"> {
  /** The format of the source. */
  readonly from?: string;
  /** A file with its schema. */
  readonly schema?: string;
}

/** A table whose schema is known, and whose records may not be loaded yet. */
export interface Table {
  readonly schema: Schema;
  /** Whether the schema was inferred. */
  readonly isInferred: boolean;
  readonly load: () => Collection | Promise<Collection>;
}

/** The collection of a store that a path names, as `shop.store/orders` does. */
function storedTable(place: string): Table | undefined {
  const directory = dirname(place);
  if (existsSync(place) || !isStore(directory)) return undefined;
  const schemas = schemasOf(directory);
  const name = basename(place);
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (schema === undefined) {
    const names = Object.keys(schemas).join(", ");
    const others = names === "" ? "" : `; it has ${names}`;
    throw new UsageError(`${directory}: has no collection ${name}${others}`);
  }
  const load = () => {
    const reader = openStore(directory, schemas, { readOnly: true });
    closeAtEnd(() => reader.close());
    const { [name]: collection } = reader;
    if (collection === undefined) throw new RangeError(`there is no collection ${name}`);
    return collection;
  };
  return { schema, isInferred: false, load };
}

/** The options that say how to read a file. */
const FILE_FLAGS = [
  "schema",
  "from",
  "delimiter",
  "null",
  "encoding",
  "column",
  "ignoreColumns",
  "allowEmpty",
] as const;

/** Opens a table: a file, or a collection of a store. */
export async function openTable(place: string, flags: TableFlags): Promise<Table> {
  const stored = storedTable(place);
  if (stored !== undefined) {
    refuseOptions(flags, FILE_FLAGS, `is for files; ${place} is a collection of a store`);
    return stored;
  }
  const given = flags.schema === undefined ? undefined : schemaIn(flags.schema);
  const bytes = await openBytes(place, flags);
  const named = recordOptions(bytes.path, flags, { ...flags, format: flags.from }, "--from");
  const found = named.format ?? binaryFormatOf(bytes);
  const options = { delimiter: await delimiterIn(bytes, { ...named, format: found }), ...named };
  const isMapped = given !== undefined || flags.column !== undefined || flags.ignoreColumns;
  if (found === "arrow" && !isMapped) {
    // Of a saved collection, a query reads only what it needs.
    const collection = await inPlace(bytes, () => openCollection(bytes));
    return { schema: collection.schema, isInferred: false, load: () => collection };
  }
  const reading = (schema?: Schema) => readingOf(bytes, { ...options, format: found, schema });
  const schema = given ?? (await inPlace(bytes, () => inferSchema(reading())));
  return {
    schema,
    isInferred: given === undefined,
    load: () => inPlace(bytes, () => loadCollection(schema, reading(schema))),
  };
}

/** The delimiter of a table in CSV. */
async function delimiterIn(
  bytes: ByteSource,
  { delimiter, format, ...options }: FlatOptions<undefined>,
): Promise<string> {
  if (delimiter !== undefined || format === "arrow" || format === "parquet")
    return delimiter ?? ",";
  const inferred = await inPlace(bytes, () =>
    findDelimiter(bytes.chunks("Examining"), { ...options, format }),
  );
  if (inferred !== ",") warn(`delimiter inferred: ${JSON.stringify(inferred)}`);
  return inferred;
}

/** @throws UsageError that names the file, and the place in it */
function schemaIn(path: string): Schema {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    throw new UsageError(`${path}: ${systemReason(thrown)}`);
  }
  try {
    return readSchema(parseJson(text, path));
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    throw new UsageError(`${path}: ${thrown.message.replace(/^schema[.:] ?/, "")}`);
  }
}

/** How many fields are shown. */
const MOST_SHOWN = 20;

/** The fields of a schema with their types, in words. */
export function inWords({ fields }: Schema): string {
  const all = Object.entries(fields).map(
    ([name, { type, nullable }]) => `${name} ${type}${nullable ? " or null" : ""}`,
  );
  const more = all.length - MOST_SHOWN;
  return all.slice(0, MOST_SHOWN).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
