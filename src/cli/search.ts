// `tercet files` and `tercet contacts`: the two operations on a directory, the file of a Batch, or a
// store.

import {
  Contact,
  formatPlan,
  type Batch,
  type BatchContacts,
  type FileRecord,
  ServiceError,
  type QueryPlan,
  type Service,
} from "../index.ts";
import { writeJson } from "../import/index.ts";
import { UsageError } from "./errors.ts";
import type { ContactFlags, ReadingFlags } from "./formats.ts";
import { openService, parseJson } from "./input.ts";
import { jsonArray, send, sendAll, table, type Column, type AnyRecord } from "./output.ts";
import { openBatch, openFiles } from "./sources.ts";
import { openIfStore } from "./store.ts";
import { forShell } from "./text.ts";
import { TABLE_LIMIT } from "./words.ts";

/** The requested page, as typed. */
export interface PageFlags {
  readonly criteria?: string;
  readonly sortBy?: string;
  readonly order?: string;
  readonly limit?: string;
  readonly offset?: string;
}

/** The options of both commands, as typed. */
export interface SearchOptions extends PageFlags, ReadingFlags {
  readonly json?: true;
  readonly explain?: true;
}

/** The requested Batch, as typed. */
export interface BatchFlags extends ContactFlags {
  /** The id of the Batch. */
  readonly batch?: string;
}

export const fileColumns: readonly Column[] = [
  { field: "id", width: 16 },
  { field: "name", width: 28, apart: true },
  { field: "size", width: 16 },
  { field: "mime_type", width: 26, optional: true },
  { field: "last_modified_time", width: 16 },
  { field: "url", width: 200, apart: true, rest: true, optional: true },
];

export const contactColumns: readonly Column[] = [
  { field: "List", width: 16 },
  { field: "send_id", width: 16 },
  { field: "contact_email", width: 32 },
  { field: "send_status", width: 9 },
  { field: "open_type", width: 10, optional: true },
  { field: "open_count", width: 10 },
  { field: "last_open_time", width: 16, optional: true },
];

/** Searches the Files of a directory, a store or a file. */
export async function searchFilesOf(place: string, options: SearchOptions): Promise<void> {
  const parameters = parametersOf(options);
  // First without Files: a scan may take long, and a misspelt field should not wait for it.
  searchFiles(openService({}), parameters);

  const service = await openFilesOf(place, options);
  const records = searchFiles(service, parameters);
  const json = () => writeJson(records);
  const shown = { what: "Files", columns: fileColumns, records, json } as const;
  await show(service.files, shown, queryOf(parameters), options);
}

/** Searches the Contacts of a Batch in a file or a store. */
export async function searchBatch(
  place: string,
  options: SearchOptions & BatchFlags,
): Promise<void> {
  const parameters = parametersOf(options);
  const opened = await openContacts(place, options);
  const lists = getBatchContacts(opened, parameters);
  const records = Object.entries(lists).flatMap(([List, list]) =>
    list.map((contact) => ({ List, ...contact })),
  );
  const json = () => jsonOfLists(lists);
  const shown = { what: "Contacts", columns: contactColumns, records, json } as const;
  await show(opened.batch.contacts, shown, queryOf(parameters), options);
}

/** A collection of any schema. */
interface Searched {
  readonly size: number;
  count(criteria?: object | null): number;
  explain(query: object, options: { readonly analyze: boolean }): QueryPlan;
}

/** Records to print. */
interface Shown {
  readonly what: "Files" | "Contacts" | "records";
  readonly columns: readonly Column[];
  readonly records: readonly AnyRecord[];
  readonly json: () => Iterable<string>;
}

/** What was asked for, checked. */
interface Asked {
  readonly criteria?: unknown;
  readonly sortBy?: unknown;
  readonly sort?: unknown;
}

/** Prints records as a table or as JSON, or instead of them how the collection finds them. */
export async function show(
  collection: Searched,
  { what, columns, records, json }: Shown,
  query: Asked,
  options: Pick<SearchOptions, "json" | "explain" | "limit">,
): Promise<void> {
  if (options.explain) {
    const plan = collection.explain(query, { analyze: true });
    const text = options.json ? JSON.stringify(plan, null, 2) : formatPlan(plan);
    await send(process.stdout, `${text}\n`);
  } else if (options.json) await sendAll(process.stdout, json());
  else {
    await sendAll(process.stdout, table(withNamed(columns, query, records[0]), records));
    const matching = collection.count(query.criteria as object);
    const { size } = collection;
    const matched = matching === size ? what : `matching ${what}, ${size} in all`;
    const isCut = options.limit === undefined && records.length === TABLE_LIMIT;
    const hint = isCut && records.length < matching ? "; --limit shows more" : "";
    await send(process.stdout, `${records.length} of ${matching} ${matched}${hint}\n`);
  }
}

/** A query of a collection, from the parameters of an operation. */
function queryOf([criteria, limit, offset, sortBy, sortOrder]: readonly unknown[]): Asked {
  return { criteria, limit, offset, sortBy, sortOrder } as Asked;
}

/** A service for the Files of a directory, a store or a file. */
export async function openFilesOf(place: string, flags: ReadingFlags): Promise<Service> {
  return openIfStore(place) ?? openService({ files: await openFiles(place, flags) });
}

/** A Batch, and the service that holds it. */
interface OpenedBatch {
  readonly service: Service;
  readonly batch: Batch;
  /** Whether an option determines the type of a List Field. */
  readonly isFlat: boolean;
}

/** Opens a Batch of a store, or the Contacts in a file. */
export async function openContacts(place: string, flags: BatchFlags): Promise<OpenedBatch> {
  const store = openIfStore(place);
  const source =
    store === undefined ? await openBatch(place, { id: flags.batch ?? "1" }, flags) : undefined;
  const service = store ?? openService({ batches: source === undefined ? [] : [source] });
  const isFlat = source?.isFlat ?? false;
  return { service, isFlat, batch: batchOf(service, flags.batch) };
}

/** The Batch with an id, or the only one. */
function batchOf({ batches }: Service, id: string | undefined): Batch {
  const ids = Object.keys(batches);
  const [only, another] = ids;
  const chosen = id ?? (another === undefined ? only : undefined);
  const batch = chosen === undefined ? undefined : batches[chosen];
  if (batch !== undefined) return batch;
  const missing = id === undefined ? "must be given" : `there is no Batch ${id}`;
  const known = ids.length === 0 ? "there are none" : `use ${ids.slice(0, 20).join(", ")}`;
  throw new UsageError(`--batch: ${missing}; ${known}`);
}

function parametersOf(options: SearchOptions): readonly unknown[] {
  return pageOf(options, options.json ? undefined : TABLE_LIMIT);
}

/** The parameters that both operations share, in their order. */
export function pageOf(
  { criteria, limit, offset, sortBy, order }: PageFlags,
  most?: number,
): readonly unknown[] {
  return [
    criteria === undefined ? undefined : parseJson(criteria, "--criteria"),
    limit ?? most,
    offset,
    sortBy,
    order,
  ];
}

// The service checks its parameters, whatever their types say.

/** @throws UsageError that names the option */
export function searchFiles(service: Service, parameters: readonly unknown[]): FileRecord[] {
  const typed = parameters as Parameters<Service["searchFiles"]>;
  return inOptions(() => service.searchFiles(...typed));
}

/** @throws UsageError that names the option, and says what to add if a List Field has no type */
export function getBatchContacts(
  { service, batch, isFlat }: OpenedBatch,
  parameters: readonly unknown[],
): BatchContacts {
  const typed = [batch.id, ...parameters] as Parameters<Service["getBatchContacts"]>;
  const [criteria] = parameters;
  return inOptions(
    () => service.getBatchContacts(...typed),
    (reason) => (isFlat ? typeHint(reason, criteria) : ""),
  );
}

/** What to add if a criterion needs an int and a List Field is a string by default. */
function typeHint(reason: string, criteria: unknown): string {
  const [, at] = /^criteria\[(\d+)\]: \w+ needs an int field/.exec(reason) ?? [];
  const criterion: unknown = at && Array.isArray(criteria) ? criteria[Number(at)] : undefined;
  const name: unknown = Array.isArray(criterion) ? criterion[0] : undefined;
  if (typeof name !== "string" || Object.hasOwn(Contact.fields, name)) return "";
  return `; --list-field ${forShell(`${name}=int`)} makes it one`;
}

/** The options by the service's names for them. */
const optionNames: Readonly<Record<string, string>> = {
  criteria: "--criteria",
  limit: "--limit",
  offset: "--offset",
  sort_by: "--sort-by",
  sort_order: "--order",
};

/** What `run` returns. An error about a parameter names its option. */
function inOptions<Result>(run: () => Result, hint: (reason: string) => string = () => ""): Result {
  try {
    return run();
  } catch (thrown) {
    if (!(thrown instanceof ServiceError) || thrown.code === 100) throw thrown;
    const reason = thrown.data.replace(/^\w+/, (name) => optionNames[name] ?? name);
    throw new UsageError(reason + hint(thrown.data));
  }
}

function* jsonOfLists(contacts: BatchContacts): Generator<string, void> {
  let before = "{";
  for (const [id, list] of Object.entries(contacts)) {
    yield `${before}${JSON.stringify(id)}:`;
    yield* jsonArray(list);
    before = ",\n";
  }
  yield before === "{" ? "{}\n" : "}\n";
}

/** The columns, and one for each other field that the query names. */
function withNamed(
  columns: readonly Column[],
  { criteria, sort, sortBy }: Asked,
  sample: AnyRecord = {},
): readonly Column[] {
  const firsts = [criteria, sort].flatMap((list): unknown[] =>
    Array.isArray(list)
      ? list.map((each: unknown) => (Array.isArray(each) ? (each[0] as unknown) : each))
      : [],
  );
  const named = new Set([...firsts, sortBy]);
  const more = Object.keys(sample).filter(
    (field) => named.has(field) && !columns.some((column) => column.field === field),
  );
  const needed = columns.map((column) => {
    const { optional, ...rest } = column;
    return optional && named.has(column.field) ? rest : column;
  });
  const own = more.map((field) => ({ field, width: 24 }));
  return [...needed.slice(0, -1), ...own, ...needed.slice(-1)];
}
