// Makes the collection that the page shows, from generated data or a file.

import { parquetMetadataAsync, parquetRead, parquetSchema, type FileMetaData } from "hyparquet";
import { openCollection } from "../../arrow/index.ts";
import {
  findDelimiter,
  formatOf,
  inferSchema,
  loadBatch,
  loadContacts,
  readArrow,
  readCsv,
  readParquet,
  readRecords,
  toBatch,
  type AnyRecord,
  type Reading,
} from "../../import/index.ts";
import {
  Contact,
  createDatabase,
  createService,
  File,
  InputError,
  TercetError,
} from "../../index.ts";
import type {
  Batch,
  BatchInput,
  Collection,
  FileInput,
  Service,
  ServiceDraft,
} from "../../index.ts";
import { generateFiles, generateLazyBatch } from "../../synthetic/index.ts";
import type { CsvFormat, Kind, Progress, Read, ReadAs, Source } from "../messages.ts";
import type { Editable } from "./changes.ts";
import { generateOrders, Order, ORDERS_PIECE } from "./orders.ts";
import { HINTS, kindOf, TABLE, type Hints } from "./hints.ts";
import { loadTable, type Indexes, type Table, type Times } from "./types.ts";

export interface Loading {
  readonly data: Editable;
  readonly hints: Hints;
  /** The service that answers requests about it, if the two methods do. */
  readonly methods?: { readonly kind: Kind; readonly service: Service };
  readonly times?: Times;
  /** How it was read, if somebody can choose otherwise. */
  readonly read?: Read;
}

/** Is told how far it is. */
export type Tell = (progress: Progress) => void;

/** So many records are read between two of its reports. */
const REPORT = 10_000;

/** How many Lists a generated Batch has. */
const LISTS = 3;

const KEY = "secret";

/**
 * @param indexes whether queries build indexes, as the option of a collection
 * @throws TercetError where the file is none that can be read
 */
export async function load(
  source: Source,
  indexes: Indexes,
  readAs: ReadAs,
  tell: Tell,
): Promise<Loading> {
  if ("file" in source) return await read(source, indexes, readAs, tell);
  const { kind, count, seed } = source;
  if (kind === "orders") {
    const counted = counting(tell, "Generating", count, ORDERS_PIECE);
    const table: Table = {
      sample: [],
      infer: () => Order,
      read: (options) => readCsv(counted(generateOrders(count, seed)), options),
    };
    return await ofTable(table, readAs, indexes, { ...TABLE, title: "orders" });
  }
  const counted = counting(tell, "Generating", count);
  if (kind === "files") return ofFiles(counted(generateFiles({ count, seed })), indexes);
  const batch = generateLazyBatch({ count, seed, lists: LISTS });
  const lists = batch.lists.map((list) => ({ ...list, contacts: counted(list.contacts) }));
  return ofBatch({ ...batch, lists }, indexes);
}

async function ofTable(
  table: Table,
  readAs: ReadAs,
  indexes: Indexes,
  hints: Hints,
): Promise<Loading> {
  const { collection, times, read } = await loadTable(table, readAs, indexes);
  const database = createDatabase({ records: collection });
  return {
    ...{ hints, times, read },
    data: {
      get collection() {
        return database.records;
      },
      path: ["records"],
      applyPatches: (patches) => database.applyPatches(patches),
      update: (recipe) =>
        database.update((draft) => {
          draft.records = recipe(draft.records);
        }),
    },
  };
}

function ofFiles(files: Iterable<FileInput>, indexes: Indexes): Loading {
  const service = createService({ files, indexes, authenticate });
  return served("files", service, ["files"], (from) => from);
}

function ofBatch(batch: BatchInput | Batch, indexes: Indexes): Loading {
  const service = createService({ batches: [batch], indexes, authenticate });
  const [id = ""] = Object.keys(service.batches);
  const path = ["batches", id, "contacts"];
  return served("contacts", service, path, ({ batches }) => batches[id]);
}

/**
 * Data of a service, whose fields and criteria are known at run time alone.
 *
 * @param path leads to its records
 * @param holderOf what holds them, in a service or in its draft, by the last name of the path
 */
function served(
  kind: Kind,
  service: Service,
  path: readonly string[],
  holderOf: (from: Pick<ServiceDraft, "files" | "batches">) => unknown,
): Loading {
  const name = path.at(-1) ?? "";
  const holder = (from: unknown) =>
    holderOf(from as ServiceDraft) as Record<string, Collection | undefined>;
  const recordsOf = (from: unknown): Collection => {
    const { [name]: records } = holder(from);
    if (records === undefined) throw new TercetError("there are no records any more");
    return records;
  };
  const data: Editable = {
    get collection() {
      return recordsOf(service);
    },
    path,
    applyPatches: (patches) => service.applyPatches(patches),
    update: (recipe) =>
      service.update((draft) => {
        holder(draft)[name] = recipe(recordsOf(draft));
      }),
  };
  return { data, hints: HINTS[kind], methods: { kind, service } };
}

/** Every key but one is refused; and one more makes authentication itself fail, which is error 100. */
function authenticate(key: string): boolean {
  if (key === "broken") throw new Error("the directory of keys can't be reached");
  return key === KEY;
}

/** @param each how many records an item is */
function counting(tell: Tell, phase: string, total: number, each = 1) {
  let done = 0;
  return function* <Item>(items: Iterable<Item>): Generator<Item> {
    for (const item of items) {
      if (done % REPORT === 0) tell({ phase, done: Math.min(done, total), total });
      done += each;
      yield item;
    }
  };
}

/** A Batch as JSON, or a table: Contacts or Files if its columns are theirs, otherwise any records. */
async function read(
  { file, name }: { readonly file: Blob; readonly name: string },
  indexes: Indexes,
  readAs: ReadAs,
  tell: Tell,
): Promise<Loading> {
  const bytes: Bytes = (phase) => bytesOf(file, `${phase} ${name}`, tell);
  const head = await headOf(file);
  if (BATCH.test(head) && (formatOf(name) ?? "json") === "json") {
    return ofBatch(
      loadBatch((pass) => bytes(pass === "check" ? "Checking" : "Reading")),
      indexes,
    );
  }
  const [, make] = TABLES.find(([pattern]) => pattern.test(head) || pattern.test(name)) ?? [];
  const table = await (make === undefined
    ? textTable(bytes, { name, head, csv: readAs.csv })
    : make(await wholeOf(file)));
  switch (kindOf(Object.keys(table.sample[0] ?? {}))) {
    case "files":
      return ofFiles(await recordsRead(table.read({ schema: File })), indexes);
    case "contacts":
      return ofBatch(
        table.text !== undefined
          ? loadContacts(bytes("Reading"), { ...table.text, id: 1 })
          : toBatch(await recordsRead(table.read({ schema: Contact })), { id: 1 }),
        indexes,
      );
    case undefined:
      return await ofTable(table, readAs, indexes, TABLE);
  }
}

type Bytes = (phase: string) => Iterable<Uint8Array>;

interface FileTable extends Table {
  /** How its text is read, if it has one. */
  readonly text?: CsvFormat & { readonly name: string };
}

/** The beginning of a Batch in JSON. */
const BATCH = /^\uFEFF?\s*\{\s*(?:"id"\s*:\s*(?:"[^"]*"|-?\d+)\s*,\s*)?"lists"\s*:\s*\[/;

/** Formats that are read from their end, recognized by the first bytes or the name of a file. */
const TABLES: readonly (readonly [RegExp, (file: Uint8Array) => FileTable | Promise<FileTable>])[] =
  [
    [/^PAR1|\.parquet(?:\.gz)?$/i, parquetTable],
    [/^ARROW1|\.(?:arrow|ipc|feather|tercet)(?:\.gz)?$/i, arrowTable],
  ];

async function parquetTable(file: Uint8Array): Promise<FileTable> {
  const hyparquet = { parquetMetadataAsync, parquetRead, parquetSchema };
  return {
    sample: await firstOf(readParquet<FileMetaData>(hyparquet, file)),
    infer: () => inferSchema(readParquet(hyparquet, file)),
    read: (options) => readParquet(hyparquet, file, options),
  };
}

function arrowTable(file: Uint8Array): FileTable {
  const collection = openCollection(file);
  return {
    sample: collection.query({ limit: SAMPLE }),
    infer: () => collection.schema,
    read: (options) => readArrow(file, options),
    open: (indexes) => openCollection(file, { indexes }),
  };
}

async function textTable(
  bytes: Bytes,
  { name, head, csv: chosen }: { name: string; head: string; csv: Partial<CsvFormat> },
): Promise<FileTable> {
  const { encoding = "utf-8", nullText = "" } = chosen;
  const isCsv = (formatOf(name) ?? (/^\uFEFF?\s*[[{]/.test(head) ? "json" : "csv")) === "csv";
  const { delimiter = isCsv ? findDelimiter(bytes("Reading"), { name, encoding }) : "," } = chosen;
  const csv = { delimiter, encoding, nullText };
  const format = { name, ...csv };
  return {
    sample: await firstOf(readRecords(bytes("Reading"), format)),
    ...(isCsv ? { csv } : {}),
    text: format,
    infer: () => inferSchema(readRecords(bytes("Finding the types in"), format)),
    read: (options) => readRecords(bytes("Reading"), { ...options, ...format }),
  };
}

/** How many records show what the values of a table are. */
const SAMPLE = 1000;

/** The first records. Loading reports whatever is wrong with them. */
async function firstOf(records: Reading<AnyRecord>): Promise<readonly AnyRecord[]> {
  const first: AnyRecord[] = [];
  try {
    for await (const record of records) if (first.push(record) === SAMPLE) break;
  } catch {
    return first;
  }
  return first;
}

async function recordsRead<Item>(reading: Reading<Item>): Promise<Iterable<Item>> {
  return Symbol.iterator in reading ? (reading as Iterable<Item>) : await reading.collect();
}

/** Of a worker: it reads while its caller waits, as a loader does that takes bytes one after the other. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

const PIECE_BYTES = 4_000_000;

/** The bytes of a file, read while they are taken. */
function* bytesOf(file: Blob, phase: string, tell: Tell): Generator<Uint8Array, void> {
  const reader = new FileReaderSync();
  for (let done = 0; done < file.size; done += PIECE_BYTES) {
    tell({ phase, done, total: file.size, unit: "bytes" });
    yield new Uint8Array(reader.readAsArrayBuffer(file.slice(done, done + PIECE_BYTES)));
  }
  // Whoever has taken them all sorts the values of columns, or has some records left.
  tell({ phase: "Sorting what was read", done: 0, total: undefined });
}

/** The start of a file. Loading reports damage. */
async function headOf(file: Blob): Promise<string> {
  const reader = (await unpacked(file)).getReader();
  const { value } = await reader.read().catch(() => ({ value: undefined }));
  await reader.cancel().catch(() => undefined);
  return new TextDecoder().decode(value?.subarray(0, HEAD));
}

const HEAD = 65_536;

/** @throws InputError if it is damaged gzip */
async function wholeOf(file: Blob): Promise<Uint8Array> {
  try {
    return new Uint8Array(await new Response(await unpacked(file)).arrayBuffer());
  } catch (cause) {
    throw new InputError("source", "is damaged gzip", { cause });
  }
}

async function unpacked(file: Blob): Promise<ReadableStream<Uint8Array>> {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isGzipped = start[0] === 0x1f && start[1] === 0x8b;
  return isGzipped ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
}
