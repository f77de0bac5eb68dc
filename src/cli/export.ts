// `tercet export` writes the Files or Contacts of a store or a file in another format.

import { parquetWriteBuffer } from "hyparquet-writer";
import { writeArrow, writeCsv, writeNdjson, writeParquet } from "../import/index.ts";
import type { AnyRecord, FlatOptions, ListFields, WriteCsvOptions } from "../import/index.ts";
import { toBatch } from "../import/to-batch.ts";
import { Contact, File } from "../index.ts";
import type { Batch, BatchContactInput, Query, Schema } from "../index.ts";
import { Asked } from "./asked.ts";
import type { PageFlags } from "./ask-flags.ts";
import { batchText } from "./batch-text.ts";
import { UsageError } from "./errors.ts";
import { fileFormat, writingOptions } from "./formats.ts";
import type { FileFormat, FormatFlags } from "./formats.ts";
import { sendAll } from "./output.ts";
import { refuseStdout } from "./same-file.ts";
import { contactsTable, filesTable, type BatchFlags } from "./tables.ts";
import { openTarget, writeTarget } from "./target.ts";
import { FORMAT_NAMES } from "./words.ts";

/** The destination and format of records, as typed. */
export interface OutputFlags {
  readonly format?: string | undefined;
  readonly to?: string;
  readonly force?: true;
  readonly escapeFormulas?: true | undefined;
}

/** The options, as typed. */
export interface ExportOptions extends PageFlags, BatchFlags, FormatFlags, OutputFlags {
  readonly files?: true;
}

/** Records to write, and their columns in a flat format. */
interface Exported<S extends Schema> {
  readonly records: Iterable<AnyRecord>;
  readonly columns: FlatOptions<S>;
  /** The JSON in the form that the commands read. */
  readonly json: () => Iterable<string>;
}

/** Writes the records of a source to standard output or into a file. */
export async function exportRecords(place: string, options: ExportOptions): Promise<void> {
  const output = openOutput(options, [place], options);
  const pieces = options.files
    ? write(await filesOf(place, options), output)
    : write(await contactsOf(place, options), output);
  await output.send(pieces);
}

/** The destination of records. */
interface Output {
  readonly format: FileFormat;
  readonly csv: Omit<WriteCsvOptions, keyof FlatOptions>;
  readonly send: (pieces: Iterable<string | Uint8Array>) => Promise<void>;
}

/**
 * Opens standard output or a file, before the sources are read.
 *
 * @param flags how to write CSV
 */
export function openOutput(
  { format: given, to, force, escapeFormulas }: OutputFlags,
  sources: readonly string[],
  flags: FormatFlags = {},
): Output {
  const format = fileFormat("--format", given, to);
  if (format === undefined) throw new UsageError(`--format: must be ${FORMAT_NAMES}`);
  const content = format;
  const target = to === undefined ? undefined : openTarget(to, { content, force, sources });
  if (target === undefined) refuseStdout(sources);
  const send = async (pieces: Iterable<string | Uint8Array>) => {
    if (target === undefined) await sendAll(process.stdout, pieces);
    else writeTarget(target, pieces);
  };
  const csv = { ...writingOptions(flags), ...(escapeFormulas && { escapeFormulas }) };
  if (target?.isTabbed !== true) return { format, csv, send };
  if (csv.delimiter !== undefined && csv.delimiter !== "\t") {
    throw new UsageError(`--delimiter: ${to} has tabs, by its name; use the ending .csv`);
  }
  return { format, csv: { ...csv, delimiter: "\t" }, send };
}

/** The records in a format, as text or bytes. */
export function write<S extends Schema>(
  { records, columns, json }: Exported<S>,
  { format, csv }: Pick<Output, "format" | "csv">,
): Iterable<string | Uint8Array> {
  switch (format) {
    case "csv":
      return writeCsv<S>(records, { ...columns, ...csv });
    case "ndjson":
      return writeNdjson(records, { schema: columns.schema });
    case "json":
      return json();
    case "arrow":
      return [writeArrow<S>(records, columns)];
    case "parquet":
      return [writeParquet<S>({ parquetWriteBuffer }, records, columns)];
  }
}

async function filesOf(place: string, options: ExportOptions): Promise<Exported<typeof File>> {
  const table = filesTable(place, options);
  const asked = new Asked(table, options);
  asked.check();
  return { ...asked.answer(await table.load()), columns: { schema: File } };
}

async function contactsOf(
  place: string,
  options: ExportOptions,
): Promise<Exported<typeof Contact>> {
  const table = await contactsTable(place, options);
  const { batch } = table;
  const asked = new Asked(table, options);
  asked.check();
  const { offset, limit, ...whole } = asked.query;
  const start = Number(offset ?? 0);
  const end = limit ? start + Number(limit) : undefined;
  const records = wholeContacts(batch, whole).slice(start, end);
  const listFields = listFieldsOf(batch);
  return {
    records,
    columns: { schema: Contact, listFields },
    json: () => textOf(batch, records, listFields),
  };
}

function textOf(
  batch: Batch,
  contacts: readonly BatchContactInput[],
  listFields: ListFields,
): Iterable<string> {
  const { id, lists } = toBatch(contacts, { id: batch.id });
  // Includes Lists without Contacts, and the types of List Fields, which can't be inferred from
  // their values.
  const byId = new Map(Array.from(lists, (list) => [String(list.id), list]));
  const whole = batch.lists.map((list) => {
    const { fields = {}, contacts = [] } = byId.get(list) ?? {};
    const names = Object.keys(fields);
    return {
      id: list,
      fields: Object.fromEntries(names.map((name) => [name, listFields[name] ?? "string"])),
      contacts,
    };
  });
  return batchText({ id, lists: whole });
}

/** Contacts with their List and List Fields, as in patches that would restore removed ones. */
function wholeContacts({ contacts }: Batch, query: Query): BatchContactInput[] {
  const { criteria, sortBy } = query;
  const { inversePatches } = contacts.withPatches((all) => all.remove(criteria as []));
  const whole = inversePatches.map(({ value }) => value as BatchContactInput);
  if (!sortBy) return whole;
  // A record is the same object in every result while something refers to it.
  const unsorted = contacts.query({ criteria } as object);
  const places = new Map(unsorted.map((record, place) => [record, place]));
  return contacts.query(query as object).flatMap((record) => whole[places.get(record) ?? -1] ?? []);
}

function listFieldsOf({ contacts }: Batch): ListFields {
  const fields = Object.entries(contacts.toJSON().fields);
  return Object.fromEntries(
    fields.flatMap(([name, { stored, type }]) =>
      stored === false && (type === "int" || type === "string") ? [[name, type]] : [],
    ),
  );
}
