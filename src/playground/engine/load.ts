// The service that a page asks: of generated data, or of a file that the reader brought.

import * as hyparquet from "hyparquet";
import {
  Contact,
  createService,
  File,
  type BatchInput,
  type FileInput,
  type Service,
} from "../../index.ts";
import { openCollection } from "../../arrow/index.ts";
import { readBatch, readParquet, readRecords, toBatch } from "../../import/index.ts";
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
  const make = (data: { files?: Iterable<FileInput>; batches?: Iterable<BatchInput> }) =>
    createService({ ...data, indexes, authenticate });
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

type Make = (data: { files?: Iterable<FileInput>; batches?: Iterable<BatchInput> }) => Service;

/** A Batch as JSON, or records of any format: Contacts where they have a `send_id`, else Files. */
async function read(
  { file, name }: { readonly file: Blob; readonly name: string },
  make: Make,
  tell: Tell,
): Promise<Loading> {
  const report = (done: number) => {
    if (done % REPORT === 0) tell({ phase: `Reading ${name}`, done, total: undefined });
  };
  report(0);
  const isBinary = BINARY.test(name);
  const head = isBinary ? "" : await headOf(file);
  if (/^\s*\{\s*"(?:id|lists)"/.test(head) && head.includes('"lists"')) {
    return { kind: "contacts", service: make({ batches: [await readBatch(file.stream())] }) };
  }
  const records: Members[] = [];
  for await (const record of recordsOf(file, name, head)) {
    report(records.length);
    records.push(record);
  }
  // What they are is checked by the service, which names the place of what is wrong.
  const isContacts = records[0] !== undefined && Object.hasOwn(records[0], "send_id");
  if (!isContacts) return { kind: "files", service: make({ files: records as never }) };
  const batch = toBatch(records.map(contactOf) as never, { id: 1 });
  return { kind: "contacts", service: make({ batches: [batch] }) };
}

type Members = Readonly<Record<string, unknown>>;

const BINARY = /\.(parquet|arrow|ipc|feather|tercet)$/i;

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

async function* recordsOf(file: Blob, name: string, head: string): AsyncGenerator<Members> {
  if (/\.parquet$/i.test(name)) {
    yield* readParquet(hyparquet, new Uint8Array(await file.arrayBuffer()));
  } else if (BINARY.test(name)) {
    yield* openCollection(new Uint8Array(await file.arrayBuffer()));
  } else if (/^\s*[[{]/.test(head)) {
    yield* readRecords(file.stream(), { name });
  } else {
    // By its schema, an empty value is what the field makes of it.
    const columns = head.split("\n", 1)[0] ?? "";
    const listFields = Object.fromEntries(
      Array.from(columns.matchAll(/\bfields\.([^,"\t\r]+)/g), ([, field = ""]) => [
        field,
        "string" as const,
      ]),
    );
    if (/\bsend_id\b/.test(columns)) {
      yield* readRecords(file.stream(), { name, schema: Contact, listFields });
    } else yield* readRecords(file.stream(), { name, schema: File });
  }
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
