// Runs inside a fresh process: it saves a peer's contacts as a file, opens one and answers its first
// questions, imports, or does what few.ts says. Separate from the figures, which call it, because it may
// import tercet only when that is measured.

import { closeSync, createWriteStream, openSync, readSync, statSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Question } from "./compare.ts";
import { answerTo, fewTasks } from "./few.ts";
import { answerCalls } from "./host.ts";
import { clock } from "./measure.ts";
import { FILE_PEERS, type FilePeer } from "./peers/files.ts";
import type { Peer } from "./peers/peer.ts";

/** What a process did with a file. */
export interface Opening {
  /** Of importing the peer's package. */
  readonly imported: number;
  readonly open: number;
  /** The first answer of each kind. */
  readonly lookup: number;
  readonly page: number;
  /** The growth of the process until both were answered. */
  readonly resident: number;
}

export type SourceFormat = "json" | "csv";

const tasks = {
  ...fewTasks,

  /** Saves the contacts, with the indexes that the queries use. @returns the time from the records to the file */
  save: async (name: string, file: string, size: number): Promise<number> => {
    const { FIELD_TYPES } = await import("./contacts.ts");
    const { flatContacts } = await import("./load.ts");
    const contacts = flatContacts(size);
    const make = await peerNamed(name).on();
    return clock(async () => {
      const peer = await make(file);
      await peer.load(contacts, FIELD_TYPES);
      await peer.prepare?.();
      await peer.close?.();
    });
  },

  /** Opens the file, and answers both questions. Nothing is warmed up. */
  open: async (name: string, file: string, lookup: Question, page: Question): Promise<Opening> => {
    const { load, on } = peerNamed(name);
    const make = await on();
    const before = process.memoryUsage.rss();
    const opened: { peer?: Peer } = {};
    const imported = await clock(load);
    const open = await clock(async () => void (opened.peer = await make(file)));
    const { peer } = opened;
    if (peer === undefined) throw new Error(`${name} was not opened`);
    const first = await answerTo(lookup, peer);
    const second = await answerTo(page, peer);
    const resident = process.memoryUsage.rss() - before;
    return { imported, open, lookup: first, page: second, resident };
  },

  /** Writes the contacts as a source of an import. @returns its bytes */
  source: async (path: string, format: SourceFormat, size: number): Promise<number> => {
    await pipeline(piecesOf(format, size), createWriteStream(path));
    return statSync(path).size;
  },

  /**
   * Makes a store from a source, like the command `tercet import`. @returns the peak resident memory, too
   */
  importing: async (path: string, format: SourceFormat, folder: string, size: number) => {
    const { createService } = await import("../src/index.ts");
    const { loadBatch, loadContacts } = await import("../src/import/index.ts");
    const { createStore } = await import("../src/store/index.ts");
    const { LIST_FIELDS } = await import("./contacts.ts");
    let made: number | undefined;
    const time = await clock(() => {
      const batch =
        format === "json"
          ? loadBatch(() => chunksOf(path))
          : loadContacts(chunksOf(path), { id: 1, format, listFields: LIST_FIELDS });
      const service = createService({ batches: [batch] });
      createStore(folder, service).close();
      made = service.batches["1"]?.contacts.size;
    });
    if (made !== size) throw new Error(`the store has ${made ?? 0} contacts`);
    // In kibibytes.
    return { time, resident: process.resourceUsage().maxRSS * 1024 };
  },

  /** Makes a database of DuckDB from CSV, with an index on the field that is looked up. @returns the time */
  importingDuckdb: async (path: string, file: string, size: number): Promise<number> => {
    const { importCsv } = await import("./peers/duckdb.ts");
    let made = 0;
    const time = await clock(async () => void (made = await importCsv(path, file)));
    if (made !== size) throw new Error(`the database has ${made} contacts`);
    return time;
  },
};

export type FreshTasks = typeof tasks;

answerCalls(tasks);

function peerNamed(name: string): FilePeer {
  const peer = FILE_PEERS[name];
  if (peer === undefined) throw new Error(`${name} keeps no file`);
  return peer;
}

/** How much the command reads at once. */
const CHUNK = 1 << 18;

async function* piecesOf(format: SourceFormat, size: number): AsyncGenerator<string, void> {
  const { LIST_FIELDS, wireContacts } = await import("./contacts.ts");
  if (format === "csv") {
    const { Contact } = await import("../src/index.ts");
    const { writeCsv } = await import("../src/import/index.ts");
    yield* writeCsv(wireContacts(size), { schema: Contact, listFields: LIST_FIELDS });
    return;
  }
  yield `{"id":"1","lists":[{"id":"101","fields":${JSON.stringify(LIST_FIELDS)},"contacts":[`;
  let before = "\n";
  for (const contact of wireContacts(size)) {
    yield before + JSON.stringify(contact);
    before = ",\n";
  }
  yield "]}]}\n";
}

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
