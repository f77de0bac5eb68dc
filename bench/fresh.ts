// The inside of a process that has done nothing yet: it saves a peer's contacts as a file, or opens one
// and answers its first questions. See opening.ts for the outside.

import { answerCalls } from "./answer.ts";
import type { SourceFormat } from "./figures/importing.ts";
import { clock } from "./measure.ts";
import { FILE_PEERS, type FilePeer } from "./peers/files.ts";
import type { Awaitable, Peer, Run } from "./peers/peer.ts";
import type { Importing, Opening, Saving } from "./results.ts";
import type { Question } from "./worker.ts";

const tasks = {
  /** Saves the contacts, with the indexes that the queries use. */
  save: async (name: string, file: string, size: number): Promise<Saving> => {
    const { FIELD_TYPES } = await import("./contacts.ts");
    const { flatContacts } = await import("./load.ts");
    const contacts = flatContacts(size);
    const make = await peerNamed(name).on();
    const time = await clock(async () => {
      const peer = await make(file);
      await peer.load(contacts, FIELD_TYPES);
      await peer.prepare?.();
      await peer.close?.();
    });
    return { time };
  },

  /** Opens the file, and answers both questions. Nothing of it is warm. */
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

  /** Writes the contacts as a source of an import. */
  source: async (path: string, format: SourceFormat, size: number): Promise<number> => {
    const { writeSource } = await import("./figures/importing.ts");
    return writeSource(path, format, size);
  },

  /** Makes a store of a source. */
  importing: async (
    path: string,
    format: SourceFormat,
    folder: string,
    size: number,
  ): Promise<Importing> => {
    const { toStore } = await import("./figures/importing.ts");
    let made = 0;
    const time = await clock(() => void (made = toStore(path, format, folder)));
    if (made !== size) throw new Error(`the store has ${made} contacts`);
    // In kibibytes.
    return { time, resident: process.resourceUsage().maxRSS * 1024 };
  },
};

export type FreshTasks = typeof tasks;

answerCalls(tasks);

function peerNamed(name: string): FilePeer {
  const peer = FILE_PEERS[name];
  if (peer === undefined) throw new Error(`${name} keeps no file`);
  return peer;
}

/** How long an answer takes, with what a peer makes of the query first. */
async function answerTo(
  { query, answers }: Question,
  { compile }: Pick<Peer, "compile">,
): Promise<number> {
  let rows: Awaited<Awaitable<ReturnType<Run>>> = [];
  const time = await clock(async () => {
    const run = await compile(query);
    if (!("cannot" in run)) rows = await run(query.values[0] ?? []);
  });
  const ids = rows.map(({ send_id }) => String(send_id));
  if (ids.join() !== answers[0]?.join()) throw new Error(`query ${query.id} is answered wrongly`);
  return time;
}
