// Contacts as JSON and as CSV, and a store of each: what the command `tercet import` does.

import { closeSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { Contact, createService, type Batch, type ContactInput } from "../../src/index.ts";
import { loadBatch, loadContacts, writeCsv } from "../../src/import/index.ts";
import { createStore } from "../../src/store/index.ts";
import { LIST_FIELDS, wireContacts } from "../contacts.ts";

export type SourceFormat = "json" | "csv";

/** Writes the contacts as a source. @returns its bytes */
export function writeSource(path: string, format: SourceFormat, size: number): number {
  const file = openSync(path, "w");
  let text = "";
  for (const piece of format === "json" ? jsonOf(size) : csvOf(size)) {
    text += piece;
    if (text.length < PIECE) continue;
    writeSync(file, text);
    text = "";
  }
  writeSync(file, text);
  closeSync(file);
  return statSync(path).size;
}

/** Makes a store of a source. @returns how many contacts it has */
export function toStore(path: string, format: SourceFormat, folder: string): number {
  const service = createService({ batches: [loaded(path, format)] });
  createStore(folder, service).close();
  return service.batches["1"]?.contacts.size ?? 0;
}

function loaded(path: string, format: SourceFormat): Batch {
  return format === "json"
    ? loadBatch(() => chunksOf(path))
    : loadContacts(chunksOf(path), { id: 1, format, listFields: LIST_FIELDS });
}

/** As the command reads. */
const CHUNK = 1 << 18;
const PIECE = 1 << 20;

function* chunksOf(path: string): Generator<Uint8Array, void> {
  const file = openSync(path, "r");
  try {
    const chunk = new Uint8Array(CHUNK);
    for (;;) {
      const read = readSync(file, chunk);
      if (read === 0) return;
      yield chunk.subarray(0, read);
    }
  } finally {
    closeSync(file);
  }
}

function* jsonOf(size: number): Generator<string, void> {
  yield `{"id":"1","lists":[{"id":"101","fields":${JSON.stringify(LIST_FIELDS)},"contacts":[`;
  let before = "\n";
  for (const contact of wireContacts(size)) {
    yield before + JSON.stringify(contact);
    before = ",\n";
  }
  yield "]}]}\n";
}

function csvOf(size: number): Iterable<string> {
  const contacts: Iterable<ContactInput> = wireContacts(size);
  return writeCsv(contacts, { schema: Contact, listFields: LIST_FIELDS });
}
