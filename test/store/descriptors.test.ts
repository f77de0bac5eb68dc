// The files of collections are closed with their store, not by garbage collection. A collection
// that is still in use afterwards is readable, or gives an error that says why not.

import fc from "fast-check";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createBatch,
  createService,
  type BatchContactCollection,
  type Service,
} from "../../src/index.ts";
import { nodeDisk } from "../../src/store/node-disk.ts";
import { StoreError } from "../../src/store/index.ts";
import type { StoreReader } from "../../src/store/reader.ts";
import { createStoreOn, openStoreOn, type StoredService } from "../../src/store/store.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { thrownBy } from "../updates/fixtures.ts";
import { contact, newFolder } from "./fixtures.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

const FOLDER = "/store";
const unlocked = { lock: false } as const;
let usual: Disposable;
/** Each collection has a file of its own. */
beforeEach(() => (usual = tuned({ fewInData: 0 })));
afterEach(() => usual[Symbol.dispose]());

const batchOf = (id: number, size = 2) => ({
  id,
  lists: [{ id: 1, contacts: Array.from({ length: size }, (_, i) => contact(i)) }],
});

/** Batches 0 to `count` − 1. */
const serviceOf = (count: number) =>
  createService({ batches: Array.from({ length: count }, (_, id) => batchOf(id)) });

/** Sets a value in every Contact of some Batches. */
function setIn(service: Service, ids: Iterable<number>, value: number): void {
  service.update(({ batches }) => {
    for (const id of ids) {
      const batch = batches[String(id)];
      if (batch === undefined) throw new Error(`there is no Batch ${id}`);
      batch.contacts = batch.contacts.update([], (each) => void (each.open_count = value));
    }
  });
}

/** Sets a value between two checkpoints: a reader can't follow by its journal. */
function outrun(store: StoredService, ids: readonly number[], value: number): void {
  store.checkpoint();
  setIn(store, ids, value);
  store.checkpoint();
}

const readOn = (disk: SimulatedDisk) =>
  openStoreOn(disk, FOLDER, { readOnly: true }) as StoreReader;

const contactsIn = (service: Service, batch: number): BatchContactCollection => {
  const found = service.batches[String(batch)];
  if (found === undefined) throw new Error(`there is no Batch ${batch}`);
  return found.contacts;
};

/** What the Contacts have, by reading them all from where they are. */
const valuesIn = (contacts: BatchContactCollection) => [
  ...new Set([...contacts].map(({ open_count }) => Number(open_count))),
];

describe("of 60 Batches, with 256 files", () => {
  const COUNT = 60;

  function limitedDisk(): { disk: SimulatedDisk; store: StoredService } {
    const disk = new SimulatedDisk();
    disk.limit = 256;
    return { disk, store: createStoreOn(disk, FOLDER, serviceOf(COUNT), unlocked) };
  }

  test("a store is opened and closed as often as one likes", () => {
    const { disk, store } = limitedDisk();
    store.close();
    for (let round = 0; round < Math.min(100, settings(8).numRuns); round++) {
      const options = round % 2 === 0 ? unlocked : ({ readOnly: true } as const);
      const again = openStoreOn(disk, FOLDER, options) as StoredService;
      expect(valuesIn(contactsIn(again, round % COUNT))).toEqual([0]);
      again.close();
      expect(disk.openFiles).toBe(0);
    }
  });

  test("a reader takes over one generation after the other, all changed or one", () => {
    const { disk, store } = limitedDisk();
    const reader = readOn(disk);
    for (let round = 1; round <= Math.min(100, settings(6).numRuns); round++) {
      outrun(store, round % 3 === 0 ? [7] : [...Array(COUNT).keys()], round);
      const before = contactsIn(reader, 7);
      reader.refresh();
      expect(valuesIn(contactsIn(reader, 7))).toEqual([round]);
      // What was just left can still be read.
      expect(valuesIn(before)).toEqual([round - 1]);
    }
    reader.close();
    store.close();
    expect(disk.openFiles).toBe(0);
  });
});

test("whatever is opened, refreshed, held and closed: every answer is right, or an error", () => {
  const COUNT = 4;
  const step = fc.oneof(
    fc.record({ what: fc.constant("change"), batches: fc.subarray([...Array(COUNT).keys()]) }),
    fc.record({ what: fc.constantFrom("checkpoint", "refresh", "hold", "read", "reopen") }),
  );
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) => {
      const disk = new SimulatedDisk();
      // Those of the writer, those of the reader while it opens others, those that it has left; two
      // journals, the reader's next one, and the data.
      disk.limit = 3 * COUNT + 32 + 4;
      let store = createStoreOn(disk, FOLDER, serviceOf(COUNT), unlocked);
      const reader = readOn(disk);
      /** What each Batch has in the store, and what in the reader. */
      const written = Array<number>(COUNT).fill(0);
      let read = [...written];
      const held: { readonly contacts: BatchContactCollection; readonly value: number }[] = [];
      for (const [value, { what, ...given }] of steps.entries()) {
        if (what === "change" && "batches" in given) {
          setIn(store, given.batches, value);
          for (const id of given.batches) written[id] = value;
        } else if (what === "checkpoint") store.checkpoint();
        else if (what === "refresh") {
          reader.refresh();
          read = [...written];
        } else if (what === "hold") {
          const id = value % COUNT;
          held.push({ contacts: contactsIn(reader, id), value: read[id] ?? NaN });
        } else if (what === "read") {
          for (const { contacts, value } of held) {
            try {
              expect(valuesIn(contacts)).toEqual([value]);
            } catch (thrown) {
              if (!(thrown instanceof StoreError)) throw thrown;
              expect(thrown.reason).toBe("is closed: refresh() has dropped it");
            }
          }
        } else {
          store.close();
          store = openStoreOn(disk, FOLDER, unlocked) as StoredService;
        }
      }
      for (const [id, value] of read.entries()) {
        expect(valuesIn(contactsIn(reader, id))).toEqual([value]);
      }
      reader.close();
      store.close();
      expect(disk.openFiles).toBe(0);
    }),
    settings(20),
  );
});

test("of files that a reader has left, those of the last refresh stay open, and 32 in all", () => {
  const disk = new SimulatedDisk();
  const store = createStoreOn(disk, FOLDER, serviceOf(2), unlocked);
  const reader = readOn(disk);
  const left: BatchContactCollection[] = [];
  for (let round = 1; round <= 40; round++) {
    left.push(contactsIn(reader, 1));
    outrun(store, [1], round);
    reader.refresh();
  }
  // The reader's two, and its journal; the writer has its own journal, and its data are in memory.
  expect(disk.openFiles).toBe(32 + 2 + 1 + 1);
  for (const [round, contacts] of left.entries()) {
    if (round >= 8) expect(valuesIn(contacts)).toEqual([round]);
    else {
      expect(thrownBy(() => valuesIn(contacts))).toMatchObject({
        name: "StoreError",
        reason: "is closed: refresh() has dropped it",
      });
    }
  }
  reader.close();
  store.close();
  expect(disk.openFiles).toBe(0);
});

test("a refresh keeps what has not changed: its file, and its records", () => {
  const disk = new SimulatedDisk();
  const store = createStoreOn(disk, FOLDER, serviceOf(2), unlocked);
  const reader = readOn(disk);
  const before = contactsIn(reader, 0);
  outrun(store, [1], 1);
  reader.refresh();
  expect(contactsIn(reader, 0)).toBe(before);
  expect(valuesIn(contactsIn(reader, 1))).toEqual([1]);
});

test("a refresh that finds damage leaves no file open, however often it tries", () => {
  const disk = new SimulatedDisk();
  const store = createStoreOn(disk, FOLDER, serviceOf(3), unlocked);
  const reader = readOn(disk);
  const open = disk.openFiles;
  outrun(store, [0, 1, 2], 1);
  const path = `${FOLDER}/batch-2-3.arrow`;
  const bytes = disk.contents().get(path) ?? new Uint8Array();
  const file = disk.open(path, "w+");
  disk.write(file, bytes.subarray(0, -20), 0);
  for (let i = 0; i < 3; i++) {
    expect(thrownBy(() => reader.refresh())).toMatchObject({ file: path });
    expect(disk.openFiles).toBe(open + 1);
  }
  disk.write(file, bytes, 0);
  reader.refresh();
  expect(valuesIn(contactsIn(reader, 2))).toEqual([1]);
});

test("closing leaves no file open, also if the last changes can't be made durable", () => {
  const disk = new SimulatedDisk();
  createStoreOn(disk, FOLDER, serviceOf(2), unlocked).close();
  const options = { ...unlocked, durability: "os" } as const;
  const store = openStoreOn(disk, FOLDER, options) as StoredService;
  disk.fails = () => ({ code: "EIO" });
  expect(thrownBy(() => store.close())).toMatchObject({ file: `${FOLDER}/journal-1.log` });
  expect(disk.openFiles).toBe(0);
});

test("a file that was cut short while it is open is an error that says so", () => {
  const disk = new SimulatedDisk();
  createStoreOn(disk, FOLDER, serviceOf(2), unlocked).close();
  const store = openStoreOn(disk, FOLDER, unlocked) as StoredService;
  const path = `${FOLDER}/batch-1-1.arrow`;
  const other = disk.open(path, "r+");
  disk.truncate(other, 30);
  disk.close(other);
  const reason = "was truncated since it was opened";
  expect(thrownBy(() => valuesIn(contactsIn(store, 1)))).toMatchObject({ file: path, reason });
  expect(valuesIn(contactsIn(store, 0))).toEqual([0]);
  store.close();
});

describe("a store that is closed", () => {
  const folder = newFolder();

  function closedStore(): StoredService {
    const path = join(folder, String(Math.random()));
    createStoreOn(nodeDisk, path, serviceOf(1), unlocked).close();
    const store = openStoreOn(nodeDisk, path, unlocked) as StoredService;
    store.close();
    return store;
  }

  test("reads nothing of the file that has the number of its own now", () => {
    const store = closedStore();
    const other = join(folder, "other");
    writeFileSync(other, "x".repeat(100_000));
    const files = Array.from({ length: 8 }, () => openSync(other, "r"));
    const error = { name: "StoreError", reason: "is closed, as its store is" };
    expect(thrownBy(() => valuesIn(contactsIn(store, 0)))).toMatchObject(error);
    for (const file of files) closeSync(file);
  });

  test("tells who asks it by a request, and the process, that it is closed", () => {
    const path = join(folder, "reader");
    createStoreOn(nodeDisk, path, serviceOf(1), unlocked).close();
    const reported: unknown[] = [];
    const reader = openStoreOn(nodeDisk, path, {
      readOnly: true,
      onInternalError: (thrown: unknown) => void reported.push(thrown),
    }) as StoreReader;
    reader.close();
    const request = { id: 1, method: "getBatchContacts", params: ["key", 0] } as const;
    expect(reader.dispatch(request).error).toMatchObject({ code: 100 });
    expect(reported).toEqual([expect.any(StoreError)]);
  });

  test("answers what needs no file, and goes on taking no changes", () => {
    const store = closedStore();
    expect(store.files.size).toBe(0);
    expect(contactsIn(store, 0).size).toBe(2);
    const add = () =>
      store.update(({ batches }) => {
        batches[9] = createBatch(batchOf(9));
      });
    expect(thrownBy(add)).toMatchObject({ reason: "is closed" });
  });
});
