// Saves the matching records to a file.

import { parquetWriteBuffer } from "hyparquet-writer";
import { saveCollection } from "../../arrow/index.ts";
import { writeArrow, writeCsv, writeJson, writeNdjson, writeParquet } from "../../import/index.ts";
import type { AnyRecord, ColumnType, WriteTypedOptions } from "../../import/index.ts";
import { Contact, createCollection, readSchema, writeSchema } from "../../index.ts";
import type { BatchContactCollection, Collection, Schema } from "../../index.ts";
import type { Asked, FileFormat, TimeForm } from "../messages.ts";
import { isFine, isInForm, writeTime } from "../times.ts";
import { formOf, type Times } from "./types.ts";

/** How many records are made at a time, and how many characters are written. */
const PAGE = 20_000;
const PIECE = 1_000_000;

/** @throws InputError if a value can't be written */
export function save(
  collection: Collection,
  asked: Asked,
  format: FileFormat,
  times: Times = new Map(),
  schema: Schema = collection.schema,
): Blob {
  // Records of the contract are written as they are: their List Fields are in no schema.
  const isAsItIs = ![...times.keys()].some((name) => formOf(times, name) !== undefined);
  const written = isAsItIs ? schema : withTexts(schema, times, format);
  const options =
    schema.form === "contract"
      ? {}
      : {
          schema: written,
          ...(isTyped(format) && { types: typesOf(collection, times, written) }),
        };
  const records = asTexts(recordsOf(collection, asked), times);
  return new Blob(Array.from(writers[format](records, options), partOf));
}

/** Whether files of a format have times and decimals. */
const isTyped = (format: FileFormat): boolean => format === "parquet" || format === "arrow";

/** Some records, with the fields of a schema. @throws InputError where a value can't be written */
export const writeRecords = (
  records: Iterable<AnyRecord>,
  schema: Schema,
  format: FileFormat,
): Blob => new Blob(writers[format](records, { schema }) as BlobPart[]);

/** All records, as `openCollection` opens them. Of Contacts, without their List Fields. */
export function saveAll(collection: Collection | BatchContactCollection): Blob {
  // The Contacts of a Batch have hidden columns for their Lists.
  const saved = isOfBatch(collection) ? createCollection(Contact, collection.query()) : collection;
  return new Blob([partOf(saveCollection(saved))]);
}

const isOfBatch = (
  collection: Collection | BatchContactCollection,
): collection is BatchContactCollection =>
  "contact_id" in collection.schema.fields && collection.schema.form === "contract";

type Write = (
  records: Iterable<AnyRecord>,
  options: WriteTypedOptions<Schema | undefined>,
) => Iterable<string | Uint8Array>;

const writers: Readonly<Record<FileFormat, Write>> = {
  csv: (records, { schema }) => joined(writeCsv(records, { schema })),
  ndjson: (records, { schema }) => joined(writeNdjson(records, { schema })),
  json: (records, { schema }) => joined(writeJson(records, { schema })),
  arrow: (records, options) => [writeArrow(records, options)],
  parquet: (records, options) => [writeParquet({ parquetWriteBuffer }, records, options)],
};

/** A view of memory that no other thread shares, as a Blob takes it. */
const partOf = (part: string | Uint8Array): BlobPart =>
  typeof part === "string" ? part : new Uint8Array(part);

/** Times that were texts are texts again. */
function* asTexts(records: Iterable<AnyRecord>, times: Times): Generator<AnyRecord> {
  const forms = [...times].flatMap(([name, form]) =>
    typeof form === "object" ? [{ name, form }] : [],
  );
  for (const record of records) {
    const texts = forms.map(({ name, form }) => {
      const value = record[name];
      return [name, typeof value === "number" ? writeTime(value, form) : value] as const;
    });
    yield texts.length === 0 ? record : { ...record, ...Object.fromEntries(texts) };
  }
}

/** Times with a zone are times in formats that have them: their texts name instants. */
function withTexts(schema: Schema, times: Times, format: FileFormat): Schema {
  const { fields, order } = writeSchema(schema);
  const entries = Object.entries(fields).map(([name, field]) => {
    const form = formOf(times, name);
    if (form === undefined) return [name, field] as const;
    const precision = isFine(form) ? "microseconds" : "milliseconds";
    const isTime = form.zone !== "" && isTyped(format);
    const type = isTime ? { type: "time", precision } : { type: "string" };
    return [name, { ...field, ...type }] as const;
  });
  return readSchema({ fields: Object.fromEntries(entries), order });
}

/** The columns of strings that are dates, local times or decimals, whichever records are saved. */
function typesOf(
  collection: Collection,
  times: Times,
  { places }: Schema,
): Record<string, ColumnType> {
  const types = places.flatMap(({ name, field }): [string, ColumnType][] => {
    if (field.type !== "string") return [];
    const form = formOf(times, name);
    const [column] = collection.columns([name]);
    const values = Array.from({ length: column.distinct }, (_, code) => column.valueAt(code));
    const type = form === undefined ? decimalOf(values) : typeIn(form, values);
    return type === undefined ? [] : [[name, type]];
  });
  return Object.fromEntries(types);
}

/** A time that was changed to one that the form can't say has another form. */
function typeIn(form: TimeForm, values: readonly unknown[]): ColumnType | undefined {
  const isKnown = (value: unknown) =>
    typeof value !== "number" || isInForm(writeTime(value, form), form);
  if (form.zone !== "" || !values.every(isKnown)) return undefined;
  return form.separator === "" ? "date" : isFine(form) ? "timestamp(6)" : "timestamp(3)";
}

/** Decimals with more digits than these are read as strings, because numbers would round them. */
const SAFE_DIGITS = 15;
const MOST_DIGITS = 38;
const DECIMAL = /^(?!-0\.0+$)-?(?:0|[1-9]\d*)\.(\d+)$/;

/** The type of decimals that all have the same number of digits after the point. */
function decimalOf(values: readonly unknown[]): ColumnType | undefined {
  let [digits, scale] = [0, 0];
  for (const value of values) {
    if (typeof value !== "string") continue;
    const { length } = DECIMAL.exec(value)?.[1] ?? "";
    if (length === 0 || (scale > 0 && length !== scale)) return undefined;
    scale = length;
    digits = Math.max(digits, value.replace(/\D/g, "").length);
  }
  return digits > SAFE_DIGITS && digits <= MOST_DIGITS ? `decimal(${digits},${scale})` : undefined;
}

function* recordsOf(collection: Collection, asked: Asked): Generator<AnyRecord> {
  const { size } = collection;
  for (let offset = 0; offset < size; offset += PAGE) {
    const page = { ...asked, offset, limit: PAGE };
    const records = collection.query(page);
    yield* records;
    if (records.length < PAGE) return;
  }
}

/** Fewer and longer pieces: a Blob of a million lines takes long to make. */
function* joined(pieces: Iterable<string>): Generator<string> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < PIECE) continue;
    yield text;
    text = "";
  }
  yield text;
}
