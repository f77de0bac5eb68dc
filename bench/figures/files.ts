// What saving costs tercet, and what an update costs that lasts.

import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Service } from "../../src/index.ts";
import { createStore, openFile, saveFile } from "../../src/store/index.ts";
import { wireContacts } from "../contacts.ts";
import { flatContacts } from "../load.ts";
import { clock, collectGarbage, once, timingOf } from "../measure.ts";
import { prepareAll } from "../peers/tercet-run.ts";
import { collectionOfFlat } from "../peers/tercet-flat.ts";
import { serviceOf } from "../peers/tercet.ts";
import type { Cost, Timing } from "../results.ts";

/** How many updates are synced, and how many times as many bytes are without tercet. */
const UPDATES = 100;

export async function files(size: number): Promise<Cost[]> {
  const place = mkdtempSync(join(tmpdir(), "tercet-bench-"));
  try {
    return [...(await saving(size, place)), ...(await lasting(size, place))];
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function saving(size: number, place: string): Promise<Cost[]> {
  const contacts = flatContacts(size);
  let made = collectionOfFlat([]);
  const create = await once(() => void (made = collectionOfFlat(contacts)));
  const [bare, whole, again] = ["bare", "whole", "again"].map((name) => join(place, name));
  const saved = async (file = "", ...rest: [Parameters<typeof saveFile>[1], object?]) => {
    const time = await once(() => saveFile(file, ...rest));
    return { time, bytes: statSync(file).size };
  };
  const objects = await saved(bare, made, { orders: "none" });
  prepareAll(made);
  const indexed = await saved(whole, made);
  const opened = openFile(whole ?? "");
  const columns = await saved(again, opened);
  return [
    { label: "createCollection of objects", time: create },
    { label: "saveFile, from objects without an index", time: objects.time },
    { label: "saveFile, from objects with the indexes of the queries", time: indexed.time },
    { label: "saveFile, from a file that was opened", time: columns.time },
    { label: "file without orders and trigrams", bytes: objects.bytes },
    { label: "file with those of the queries", bytes: indexed.bytes },
  ];
}

/** Updates of one contact each that are on disk when they return, and as many bytes written and synced. */
async function lasting(size: number, place: string): Promise<Cost[]> {
  const folder = join(place, "store");
  const emails = Array.from(wireContacts(UPDATES), (contact) => contact.contact_email);
  const store = createStore(folder, preparedService(size));
  const journal = journalIn(folder);
  const before = statSync(journal).size;
  let time = 0;
  const open = (email: string) => {
    store.update((draft) => {
      const batch = draft.batches["1"];
      if (batch === undefined) throw new Error("there is no Batch 1");
      batch.contacts = batch.contacts.update(
        [["contact_email", "exactly", email]],
        (contact) => void (contact.last_open_time = String(++time)),
      );
    });
  };
  for (const email of emails) open(email);
  const bytes = Math.round((statSync(journal).size - before) / UPDATES);
  const plain = openSync(join(place, "plain"), "w");
  const written = Buffer.alloc(bytes, "x");
  const samples = { update: [] as number[], sync: [] as number[] };
  collectGarbage();
  for (const email of emails) {
    samples.update.push(await clock(() => open(email)));
    samples.sync.push(
      await clock(() => {
        writeSync(plain, written);
        fsyncSync(plain);
      }),
    );
  }
  closeSync(plain);
  store.close();
  const [update, sync]: Timing[] = [samples.update, samples.sync].map(timingOf);
  return [
    { label: "an update of one Contact in a store, synced", time: update?.median ?? NaN },
    { label: `writing and syncing as many bytes, ${bytes}`, time: sync?.median ?? NaN },
  ];
}

function preparedService(size: number): Service {
  const service = serviceOf(wireContacts(size));
  service.batches["1"]?.contacts.prepare({ match: ["contact_email"] });
  return service;
}

function journalIn(folder: string): string {
  const name = readdirSync(folder).find((each) => each.startsWith("journal"));
  if (name === undefined) throw new Error("the store has no journal");
  return join(folder, name);
}
