// `tercet export`: the Files or the Contacts of a store, or of JSON, in another format.

import { parquetWriteBuffer } from "hyparquet-writer";
import {
  toBatch,
  writeArrow,
  writeCsv,
  writeJson,
  writeNdjson,
  writeParquet,
} from "../import/index.ts";
import type { AnyRecord, FlatOptions, ListFields } from "../import/index.ts";
import { Contact, File, type Batch, type BatchContactInput, type Service } from "../index.ts";
import { UsageError } from "./errors.ts";
import { csvOptions, FORMAT_NAMES, fileFormat, type FileFormat } from "./formats.ts";
import { openService, parseJson } from "./input.ts";
import { sendAll } from "./output.ts";
import { inOptions } from "./search.ts";
import { openBatch, openFiles } from "./sources.ts";
import { openIfStore } from "./store.ts";
import { batchText, replaceFile } from "./target.ts";

/** The options, as they are typed. */
export interface ExportOptions {
  readonly to?: string;
  readonly format?: string;
  readonly files?: true;
  readonly batch?: string;
  readonly criteria?: string;
  readonly limit?: string;
  readonly offset?: string;
  readonly delimiter?: string;
  readonly null?: string;
  readonly escapeFormulas?: true;
}

/** Records that are written, and the columns that they have in a flat format. */
interface Exported<S extends typeof File | typeof Contact> {
  readonly records: Iterable<AnyRecord>;
  readonly columns: FlatOptions<S>;
  /** As the JSON that the commands read. */
  readonly json: () => Iterable<string>;
}

/** Writes what a source holds to standard output, or into a file. */
export async function exportRecords(place: string, options: ExportOptions): Promise<void> {
  const { to } = options;
  const format = fileFormat(options.format, to);
  if (format === undefined) throw new UsageError(`--format: must say ${FORMAT_NAMES}`);
  const criteria = options.criteria === undefined ? [] : parseJson(options.criteria, "--criteria");
  const service = await open(place, options);
  const pieces = options.files
    ? write(filesOf(service, criteria, options), format, options)
    : write(contactsOf(service, criteria, options), format, options);
  if (to === undefined) await sendAll(process.stdout, pieces);
  else await replaceFile(to, pieces);
}

async function open(place: string, { files, batch }: ExportOptions): Promise<Service> {
  const store = openIfStore(place);
  if (store !== undefined) return store;
  return files
    ? openService({ files: await openFiles(place) })
    : openService({ batches: [await openBatch(place, { id: batch ?? "1" })] });
}

function write<S extends typeof File | typeof Contact>(
  { records, columns, json }: Exported<S>,
  format: FileFormat,
  options: ExportOptions,
): Iterable<string | Uint8Array> {
  switch (format) {
    case "csv": {
      const { escapeFormulas = false } = options;
      return writeCsv<S>(records, { ...columns, ...csvOptions(options), escapeFormulas });
    }
    case "ndjson":
      return writeNdjson(records);
    case "json":
      return json();
    case "arrow":
      return [writeArrow<S>(records, columns)];
    case "parquet":
      return [writeParquet<S>({ parquetWriteBuffer }, records, columns)];
  }
}

function batchOf({ batches }: Service, id: string | undefined): Batch {
  const all = new Map(Object.entries(batches));
  const [only] = all.values();
  const batch = id === undefined && all.size === 1 ? only : all.get(id ?? "");
  if (batch !== undefined) return batch;
  const ids = all.size === 0 ? "there is none" : [...all.keys()].join(", ");
  throw new UsageError(`--batch: ${id === undefined ? "must say which" : `not ${id}`}: ${ids}`);
}

function filesOf(
  service: Service,
  criteria: unknown,
  { limit, offset }: ExportOptions,
): Exported<typeof File> {
  const typed = [criteria, limit, offset] as Parameters<Service["searchFiles"]>;
  const records = inOptions(() => service.searchFiles(...typed));
  return { records, columns: { schema: File }, json: () => writeJson(records) };
}

function contactsOf(
  service: Service,
  criteria: unknown,
  { batch: id, limit, offset }: ExportOptions,
): Exported<typeof Contact> {
  const batch = batchOf(service, id);
  // Checked, and counted over the whole Batch, as getBatchContacts does it.
  const typed = [batch.id, criteria, 0] as Parameters<Service["getBatchContacts"]>;
  inOptions(() => service.getBatchContacts(...typed));
  const records = slice(wholeContacts(batch, criteria), limit, offset);
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
  // Also Lists without Contacts, and the types of List Fields, which their values do not tell.
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
  return batchText({ id, lists: whole }, (all) => all);
}

/** Contacts with their List and its fields: what a removal would have to bring back. */
function wholeContacts(batch: Batch, criteria: unknown): BatchContactInput[] {
  const { inversePatches } = batch.contacts.removeWithPatches(criteria as []);
  return inversePatches.map(({ value }) => value as BatchContactInput);
}

function listFieldsOf({ contacts }: Batch): ListFields {
  const fields = Object.entries(contacts.toJSON().fields);
  return Object.fromEntries(
    fields.flatMap(([name, { stored, type }]) => (stored === false ? [[name, type]] : [])),
  );
}

function slice<Item>(items: Item[], limit: string | undefined, offset = "0"): Item[] {
  const start = countOf("--offset", offset);
  return items.slice(start, limit === undefined ? undefined : start + countOf("--limit", limit));
}

function countOf(option: string, text: string): number {
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new UsageError(`${option}: must be a non-negative integer, not ${text}`);
}
