// Makes the collection that the page shows, from generated data or a file.

import { formatOf, loadBatch, loadContacts, readCsv, writeNdjson } from "../../import/index.ts";
import type { AnyRecord, Reading } from "../../import/index.ts";
import { Contact, createDatabase, createService, File, TercetError } from "../../index.ts";
import type {
  Batch,
  BatchInput,
  Collection,
  FileInput,
  Service,
  ServiceDraft,
} from "../../index.ts";
import { generateFiles, generateLazyBatch } from "../../synthetic/index.ts";
import type { Kind, Preview, Read, ReadAs, Source, TextRead } from "../messages.ts";
import type { Editable } from "./changes.ts";
import { generateOrders, Order, ORDERS_PIECE } from "./orders.ts";
import { bytesOf, headOf, mostBytes } from "./bytes.ts";
import { tableOf, type Bytes, type FileTable, type Pass, type Tell } from "./file-tables.ts";
import { HINTS, kindOf, TABLE, type Hints } from "./hints.ts";
import { STEPS, type Account } from "./progress.ts";
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

/** How many records are read between two reports. */
const REPORT = 10_000;

/** How many Lists a generated Batch has. */
const LISTS = 3;

const KEY = "secret";

/**
 * @param indexes whether queries build indexes, as the option of a collection
 * @throws TercetError if the file is none that can be read
 */
export async function load(
  source: Source,
  indexes: Indexes,
  readAs: ReadAs,
  account: Account,
): Promise<Loading> {
  if ("file" in source) return await read(source, indexes, readAs, account);
  const { kind, count, seed } = source;
  account.expect(STEPS.typed);
  if (kind === "orders") {
    const counted = counting(account, count, ORDERS_PIECE);
    const table: Table = {
      sample: [],
      infer: () => Order,
      read: (options) => readCsv(counted(generateOrders(count, seed)), options),
    };
    return await ofTable(table, readAs, indexes, { ...TABLE, title: "orders" });
  }
  const counted = counting(account, count);
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
  const service = createService({ files, indexes, ...settings });
  return served("files", service, ["files"], (from) => from);
}

function ofBatch(batch: BatchInput | Batch, indexes: Indexes): Loading {
  const service = createService({ batches: [batch], indexes, ...settings });
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

/** Nobody reads the console of a page: its answer shows that an error was internal. */
const settings = { authenticate, onInternalError: () => undefined };

/** Every key but one is refused; and one more makes authentication itself fail, which is error 100. */
function authenticate(key: string): boolean {
  if (key === "broken") throw new Error("the directory of keys can't be reached");
  return key === KEY;
}

/** @param each how many records an item is */
function counting(account: Account, total: number, each = 1) {
  let done = 0;
  return function* <Item>(items: Iterable<Item>): Generator<Item> {
    for (const item of items) {
      if (done % REPORT === 0) {
        account.at("read", { phase: "Generating", done: Math.min(done, total), total });
      }
      done += each;
      yield item;
    }
    if (done >= total) account.at("sort", SORTING);
  };
}

/** Whoever has taken all records sorts the values of columns. */
const SORTING = { phase: "Sorting what was read", done: 0, total: undefined };

/** A Batch as JSON, or a table: Contacts or Files if its columns are theirs, otherwise any records. */
async function read(
  { file, name }: { readonly file: Blob; readonly name: string },
  indexes: Indexes,
  readAs: ReadAs,
  account: Account,
): Promise<Loading> {
  const bytes: Bytes = (step) =>
    bytesOf(file, (done) => {
      if (step === undefined) return;
      const total = file.size;
      if (step === "read" && done >= total) account.at("sort", SORTING);
      else account.at(step, { phase: `${PHASES[step]} ${name}`, done, total, unit: "bytes" });
    });
  const head = await headOf(file);
  const maxBytes = await mostBytes(file);
  if (BATCH.test(head) && (formatOf(name) ?? "json") === "json") {
    account.expect(STEPS.batch);
    return ofBatch(
      loadBatch((pass) => bytes(pass === "check" ? "check" : "read"), { maxBytes }),
      indexes,
    );
  }
  const tell: Tell = (done, total) =>
    account.at("read", { phase: `${PHASES.read} ${name}`, done, total });
  const table = await tableOf(file, { name, head, maxBytes, text: readAs.text }, bytes, tell);
  const phase = `${PHASES.infer} ${name}`;
  const show = () =>
    account.at("infer", { phase, done: 0, total: undefined, preview: previewOf(table.sample) });
  try {
    return await ofRead(table, readAs, indexes, account, bytes, show);
  } catch (thrown) {
    throw new UnreadError(thrown, readingOf(table, name));
  }
}

/** A preview has at most so many rows, columns, and characters of a value. */
const PREVIEWED = { rows: 30, columns: 30, characters: 100 };

function previewOf(sample: readonly AnyRecord[]): Preview {
  const first = sample.slice(0, PREVIEWED.rows);
  const columns = Object.keys(first[0] ?? {}).slice(0, PREVIEWED.columns);
  const textOf = (value: unknown): string => {
    if (value === null || value === undefined) return "";
    if (typeof value === "string") return value;
    const asText = (_: string, each: unknown) => (typeof each === "bigint" ? String(each) : each);
    return JSON.stringify(value, asText).replace(/^"|"$/g, "");
  };
  const rows = first.map((record) =>
    columns.map((name) => textOf(record[name]).slice(0, PREVIEWED.characters)),
  );
  return { columns, rows };
}

/** Why a file could not be read, and how its text was, if it is one. */
export class UnreadError extends TercetError {
  readonly text: TextRead | undefined;

  constructor(cause: unknown, text: TextRead | undefined) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.text = text;
  }
}

/** Of what is no text at all, nothing was found out, not even its encoding. */
function readingOf({ textRead }: Table, name: string): TextRead | undefined {
  const read = textRead?.();
  if (read?.found.encoding === undefined) return undefined;
  const format = formatOf(name) ?? "csv";
  return { ...read, found: { format, ...read.found } };
}

async function ofRead(
  table: FileTable,
  readAs: ReadAs,
  indexes: Indexes,
  account: Account,
  bytes: Bytes,
  show: () => void,
): Promise<Loading> {
  const kind = kindOf(Object.keys(table.sample[0] ?? {}));
  account.expect(kind === undefined && table.text !== undefined ? STEPS.text : STEPS.typed);
  switch (kind) {
    case "files":
      return ofFiles(await recordsRead(table.read({ schema: File })), indexes);
    case "contacts":
      return ofBatch(
        table.text !== undefined
          ? loadContacts(bytes("read"), { ...table.text, id: 1 })
          : loadContacts(bytesIn(await recordsRead(table.read({ schema: Contact }))), {
              id: 1,
              format: "ndjson",
            }),
        indexes,
      );
    case undefined:
      show();
      return await ofTable(table, readAs, indexes, TABLE);
  }
}

const PHASES: Readonly<Record<Pass, string>> = {
  check: "Checking",
  infer: "Finding the types in",
  read: "Reading",
};

/** The beginning of a Batch in JSON. */
const BATCH = /^\uFEFF?\s*\{\s*(?:"id"\s*:\s*(?:"[^"]*"|-?\d+)\s*,\s*)?"lists"\s*:\s*\[/;

/** Records as the text that Contacts are loaded from, whatever they were in. */
function* bytesIn(records: Iterable<AnyRecord>): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const piece of writeNdjson(records)) yield encoder.encode(piece);
}

async function recordsRead<Item>(reading: Reading<Item>): Promise<Iterable<Item>> {
  return Symbol.iterator in reading ? (reading as Iterable<Item>) : await reading.collect();
}
