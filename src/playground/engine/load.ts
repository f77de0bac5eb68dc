// The service that a page asks: of generated data, or of a file that the reader brought.

import { parquetMetadataAsync, parquetRead, parquetSchema } from "hyparquet";
import { Contact, createService, File } from "../../index.ts";
import type { Batch, BatchInput, FileInput, Service } from "../../index.ts";
import { openCollection } from "../../arrow/index.ts";
import { loadBatch, loadContacts, readParquet, readRecords, toBatch } from "../../import/index.ts";
import { generateFiles, generateLazyBatch } from "../../synthetic/index.ts";
import type { Kind, Progress, Source } from "../messages.ts";

export interface Loading {
  readonly service: Service;
  readonly kind: Kind;
}

/** Is told how far it is. */
export type Tell = (progress: Progress) => void;

/** So many records are read between two of its reports. */
const REPORT = 10_000;

/** How many Lists a generated Batch has. */
const LISTS = 3;

const KEY = "secret";

/**
 * @param indexes whether queries build indexes, as the option of a service
 * @throws TercetError where the file is none that can be read
 */
export async function load(source: Source, indexes: "auto" | "none", tell: Tell): Promise<Loading> {
  const make: Make = (data) => createService({ ...data, indexes, authenticate });
  if ("file" in source) return await read(source, make, tell);
  const { kind, count, seed } = source;
  const counted = counting(tell, "Generating", count);
  if (kind === "files") {
    return { kind, service: make({ files: counted(generateFiles({ count, seed })) }) };
  }
  const batch = generateLazyBatch({ count, seed, lists: LISTS });
  const lists = batch.lists.map((list) => ({ ...list, contacts: counted(list.contacts) }));
  return { kind, service: make({ batches: [{ ...batch, lists }] }) };
}

/** Every key but one is refused; and one more makes authentication itself fail, which is error 100. */
function authenticate(key: string): boolean {
  if (key === "broken") throw new Error("the directory of keys can't be reached");
  return key === KEY;
}

function counting(tell: Tell, phase: string, total: number | undefined) {
  let done = 0;
  return function* <Item>(items: Iterable<Item>): Generator<Item> {
    for (const item of items) {
      if (done++ % REPORT === 0) tell({ phase, done, total });
      yield item;
    }
  };
}

type Make = (data: {
  files?: Iterable<FileInput>;
  batches?: Iterable<BatchInput | Batch>;
}) => Service;

/** A Batch as JSON, or records of any format: Contacts where they have a `send_id`, else Files. */
async function read(
  { file, name }: { readonly file: Blob; readonly name: string },
  make: Make,
  tell: Tell,
): Promise<Loading> {
  const bytes = (phase: string) => bytesOf(file, `${phase} ${name}`, tell);
  const ofBatch = (batch: BatchInput | Batch): Loading => ({
    kind: "contacts",
    service: make({ batches: [batch] }),
  });
  const head = BINARY.test(name) ? undefined : await headOf(file);
  if (head !== undefined && /^\s*\{\s*"(?:id|lists)"/.test(head) && head.includes('"lists"')) {
    return ofBatch(loadBatch((pass) => bytes(pass === "check" ? "Checking" : "Reading")));
  }
  if (head !== undefined && !/^\s*[[{]/.test(head)) {
    const [columns = ""] = head.split("\n", 1);
    if (/\bsend_id\b/.test(columns))
      return ofBatch(loadContacts(bytes("Reading"), { name, id: 1 }));
    return {
      kind: "files",
      service: make({ files: readRecords(bytes("Reading"), { name, schema: File }) }),
    };
  }
  const records = await recordsOf(file, name, bytes);
  // What they are is checked by the service, which names the place of what is wrong.
  const [first] = records;
  if (first === undefined || !Object.hasOwn(first, "send_id")) {
    return { kind: "files", service: make({ files: records as never }) };
  }
  return ofBatch(toBatch(records.map(contactOf) as never, { id: 1 }));
}

type Members = Readonly<Record<string, unknown>>;

const BINARY = /\.(parquet|arrow|ipc|feather|tercet)$/i;

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

async function headOf(file: Blob): Promise<string> {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isGzipped = start[0] === 0x1f && start[1] === 0x8b;
  const whole = isGzipped ? file.stream().pipeThrough(new DecompressionStream("gzip")) : undefined;
  const reader = (whole ?? file.slice(0, HEAD).stream()).getReader();
  const { value = new Uint8Array() } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value.subarray(0, HEAD));
}

const HEAD = 65_536;

/** Records that are in no columns, or in columns of others. */
async function recordsOf(
  file: Blob,
  name: string,
  bytes: (phase: string) => Iterable<Uint8Array>,
): Promise<readonly Members[]> {
  if (!BINARY.test(name)) return [...readRecords(bytes("Reading"), { name })];
  const whole = new Uint8Array(await file.arrayBuffer());
  if (!/\.parquet$/i.test(name)) return [...openCollection(whole)];
  return await readParquet({ parquetMetadataAsync, parquetRead, parquetSchema }, whole).collect();
}

/** A Contact of a flat record: what is no field of it, and not its List, is a List Field. */
function contactOf(record: Members): Members {
  const contact: Record<string, unknown> = {};
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    if (name === "list" || Object.hasOwn(Contact.fields, name)) contact[name] = value;
    else if (name === "fields") Object.assign(fields, value);
    else fields[name.replace(/^fields\./, "")] = value;
  }
  return { ...contact, fields };
}
