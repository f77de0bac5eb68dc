// `tercet export`: the Files or the Contacts of a store, or of JSON, in another format.

import { formatOf, toBatch, writeCsv, writeJson, writeNdjson } from "../import/index.ts";
import type { ListFields } from "../import/index.ts";
import { Contact, File, type Batch, type BatchContactInput, type Service } from "../index.ts";
import { UsageError } from "./errors.ts";
import { csvOptions } from "./formats.ts";
import { openService, parseJson } from "./input.ts";
import { sendAll } from "./output.ts";
import { openBatch, openFiles } from "./records.ts";
import { inOptions } from "./search.ts";
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

/** Writes what a source holds to standard output, or into a file. */
export async function exportRecords(place: string, options: ExportOptions): Promise<void> {
  const { to, format = to === undefined ? undefined : formatOf(to) } = options;
  if (format === undefined) throw new UsageError("--format: must say csv, ndjson or json");
  const criteria = options.criteria === undefined ? [] : parseJson(options.criteria, "--criteria");
  const service = await open(place, options);
  const text = options.files
    ? textOfFiles(service, criteria, format, options)
    : textOfContacts(batchOf(service, options.batch), service, criteria, format, options);
  if (to === undefined) await sendAll(process.stdout, text);
  else await replaceFile(to, text);
}

async function open(place: string, { files }: ExportOptions): Promise<Service> {
  const store = openIfStore(place);
  if (store !== undefined) return store;
  return files
    ? openService({ files: await openFiles(place) })
    : openService({ batches: [await openBatch(place)] });
}

function batchOf({ batches }: Service, id: string | undefined): Batch {
  const all = new Map(Object.entries(batches));
  const [only] = all.values();
  const batch = id === undefined && all.size === 1 ? only : all.get(id ?? "");
  if (batch !== undefined) return batch;
  const ids = all.size === 0 ? "there is none" : [...all.keys()].join(", ");
  throw new UsageError(`--batch: ${id === undefined ? "must say which" : `not ${id}`}: ${ids}`);
}

function textOfFiles(
  service: Service,
  criteria: unknown,
  format: string,
  options: ExportOptions,
): Iterable<string> {
  const { limit, offset, escapeFormulas = false } = options;
  const typed = [criteria, limit, offset] as Parameters<Service["searchFiles"]>;
  const files = inOptions(() => service.searchFiles(...typed));
  if (format === "csv") {
    return writeCsv(files, { schema: File, escapeFormulas, ...csvOptions(options) });
  }
  return format === "ndjson" ? writeNdjson(files) : onlyJson(format, writeJson(files));
}

function textOfContacts(
  batch: Batch,
  service: Service,
  criteria: unknown,
  format: string,
  options: ExportOptions,
): Iterable<string> {
  // Checked, and counted over the whole Batch, as getBatchContacts does it.
  const { limit, offset, escapeFormulas = false } = options;
  const typed = [batch.id, criteria, 0] as Parameters<Service["getBatchContacts"]>;
  inOptions(() => service.getBatchContacts(...typed));
  const contacts = slice(wholeContacts(batch, criteria), limit, offset);
  const listFields = listFieldsOf(batch);
  if (format === "csv") {
    return writeCsv(contacts, {
      schema: Contact,
      listFields,
      escapeFormulas,
      ...csvOptions(options),
    });
  }
  if (format === "ndjson") return writeNdjson(contacts);
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
  return onlyJson(
    format,
    batchText({ id, lists: whole }, (all) => all),
  );
}

function onlyJson(format: string, text: Iterable<string>): Iterable<string> {
  if (format === "json") return text;
  throw new UsageError(`--format: must be csv, ndjson or json, not ${format}`);
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
