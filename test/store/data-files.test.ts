// A store of many records: each collection has its own Arrow file, which is read only as far as needed, is kept while
// the collection does not change, and can be checked and repaired.

import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import { beforeAll, describe, expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  createService,
  defineSchema,
  int,
  type Service,
} from "../../src/index.ts";
import { FileError } from "../../src/arrow/index.ts";
import { ownDirectory, requireSource } from "../../src/arrow/read/open.ts";
import type { Disk } from "../../src/store/disk.ts";
import { nodeDisk } from "../../src/store/node-disk.ts";
import {
  checkStore,
  createStore,
  openStore,
  repairStore,
  StoreError,
  type StoredService,
} from "../../src/store/index.ts";
import { openStoreOn } from "../../src/store/store.ts";
import { thrownBy } from "../updates/fixtures.ts";
import { tuned } from "../tuned.ts";
import { contact, newFolder, SEGMENTED, stateOf } from "./fixtures.ts";

const MANY = 1100;
const unlocked = { lock: false, durability: "os" } as const;
const open = (folder: string) => openStore(folder, unlocked);

/** Many Files, a Batch of many Contacts, and one of few. */
function manyService(): Service {
  return createService({
    files: Array.from({ length: MANY }, (_, id) => ({ id, folder_id: id % 7, name: `${id}.txt` })),
    batches: [
      {
        id: 5,
        lists: [
          {
            id: 20,
            fields: { Email: "string", "2024": "int" },
            contacts: Array.from({ length: MANY }, (_, i) => ({
              ...contact(i),
              fields: { Email: i % 3 === 0 ? null : `${i}@example.com`, "2024": i % 5 },
            })),
          },
          { id: 10, fields: ["Email"], contacts: [contact(MANY)] },
        ],
      },
      { id: 6, lists: [{ id: 1, contacts: [contact(1)] }] },
    ],
  });
}

const arrowFiles = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".arrow"))
    .sort();

/** @param from changes the records after this one, and makes one segment of all; default: only one */
const changeBatch = (service: Service, count: number, from?: number) =>
  service.update((draft) => {
    const batch = draft.batches["5"];
    if (batch === undefined) throw new Error("there is no Batch 5");
    const changed = batch.contacts.update(
      [from === undefined ? ["send_id", "exactly", 7] : ["send_id", "greater_than", from]],
      (each) => {
        each.open_count = count;
      },
    );
    batch.contacts = from === undefined ? changed : changed.compact();
  });

test("collections of many records are Arrow files, which other tools read; the others are not", () => {
  const folder = newFolder();
  const service = manyService();
  createStore(folder, service, unlocked).close();
  expect(arrowFiles(folder)).toEqual(["batch-5-1.arrow", "files-1.arrow"]);
  const table = tableFromIPC(readFileSync(join(folder, "batch-5-1.arrow")));
  expect(table.numRows).toBe(MANY + 1);
  expect(table.getChild("contact_email")?.get(7)).toBe("7@example.com");
  expect(table.getChild("list")?.get(MANY)).toBe("10");
  const store = open(folder);
  expect(stateOf(store)).toEqual(stateOf(service));
  store.close();
});

test("opening reads the ends of the files, not all of them", () => {
  const folder = newFolder();
  createStore(folder, manyService(), unlocked).close();
  let read = 0;
  const disk: Disk = {
    ...nodeDisk,
    read(file, into, position) {
      const count = nodeDisk.read(file, into, position);
      read += count;
      return count;
    },
  };
  const store = openStoreOn(disk, folder, unlocked) as StoredService;
  const size = arrowFiles(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  expect(read).toBeLessThan(size / 2);
  store.close();
});

/** Files with numbers from one up to another, added to a store. */
const addFiles = (service: Service, from: number, to: number) =>
  service.update((draft) => {
    const added = Array.from({ length: to - from }, (_, i) => ({
      id: from + i,
      folder_id: 9,
      name: `${from + i}.txt`,
    }));
    draft.files = draft.files.insert(added);
  });

test("files of many rows have the orders of fields of many values: a new process makes none", () => {
  using _ = tuned({ manyRows: 1000 });
  const folder = newFolder();
  createStore(folder, manyService(), unlocked).close();
  const { columns } = ownDirectory(
    requireSource(readFileSync(join(folder, "files-1.arrow"))),
  ).directory;
  const ordered = columns.filter(({ order }) => order !== undefined).map(({ name }) => name);
  expect(ordered).toEqual(["id", "basename", "name"]);
});

describe("a checkpoint", () => {
  test("keeps the files of segments, and has what was changed beside them", () => {
    using _ = tuned({ fewRows: 3 });
    const folder = newFolder();
    const store = createStore(folder, manyService(), unlocked);
    const first = ["batch-5-1.arrow", "files-1.arrow"];
    const bytes = first.map((name) => readFileSync(join(folder, name)));
    changeBatch(store, 3);
    store.checkpoint();
    expect(arrowFiles(folder)).toEqual(first);
    for (const isAgain of [false, true]) {
      if (isAgain) store.close();
      const again = isAgain ? open(folder) : store;
      expect(again.batches["5"]?.contacts.count([["open_count", "exactly", 3]])).toBe(1);
      expect(again.batches["5"]?.contacts.size).toBe(MANY + 1);
      again.update((draft) => {
        draft.files = draft.files.remove([["id", "exactly", isAgain ? 8 : 6]]);
      });
      again.checkpoint();
      expect(arrowFiles(folder)).toEqual(first);
      if (isAgain) again.close();
    }
    expect(first.map((name) => readFileSync(join(folder, name)))).toEqual(bytes);
    const last = open(folder);
    expect(last.files.size).toBe(MANY - 2);
    expect(last.files.query({ limit: 3, offset: 5 }).map(({ id }) => id)).toEqual(["5", "7", "9"]);
    last.close();
    expect(checkStore(folder).problems).toEqual([]);
  });

  test("writes segments of many rows once, and merged ones anew", () => {
    using _ = tuned({ fewInData: 5 });
    const folder = newFolder();
    const store = createStore(folder, manyService(), unlocked);
    const names = () => arrowFiles(folder).filter((name) => name.startsWith("files"));
    addFiles(store, 2000, 2100);
    store.checkpoint();
    expect(names()).toEqual(["files-1.arrow", "files-2.arrow"]);
    const written = readFileSync(join(folder, "files-2.arrow"));
    store.update((draft) => {
      draft.files = draft.files.remove([["id", "in", ["2001", "17"]]]);
      draft.files = draft.files.update([["id", "exactly", 2003]], (file) => void (file.size = "7"));
    });
    store.checkpoint();
    expect(names()).toEqual(["files-1.arrow", "files-2.arrow"]);
    expect(readFileSync(join(folder, "files-2.arrow"))).toEqual(written);
    store.close();
    const again = open(folder);
    const ids = (service: Service) =>
      service.files.query({ sortBy: "id", sortOrder: "DESC", limit: 100 });
    expect(ids(again)).toEqual(ids(store));
    expect(again.files.query({ criteria: [["size", "exactly", 7]] })).toMatchObject([
      { id: "2003" },
    ]);
    expect(stateOf(again)).toEqual(stateOf(store));
    again.update((draft) => {
      draft.files = draft.files.remove([["id", "less_than", 400]]).compact();
    });
    again.checkpoint();
    expect(names()).toEqual(["files-4.arrow"]);
    again.update((draft) => {
      draft.files = draft.files.remove([["id", "greater_than", 3]]);
      Reflect.deleteProperty(draft.batches, "5");
    });
    again.checkpoint();
    again.close();
    expect(arrowFiles(folder)).toEqual([]);
    expect(stateOf(open(folder))).toEqual(stateOf(again));
  });

  test("of several segments that have no file yet gives each one; what was dead is not in it", () => {
    using _ = tuned(SEGMENTED);
    const folder = newFolder();
    const store = createStore(folder, createService(), unlocked);
    for (const [from, to] of [
      [0, 40],
      [100, 120],
      [200, 210],
    ] as const)
      addFiles(store, from, to);
    const remove = (id: number) =>
      store.update((draft) => {
        draft.files = draft.files.remove([["id", "exactly", id]]);
      });
    remove(10);
    store.checkpoint();
    expect(arrowFiles(folder)).toEqual(["files-2.2.arrow", "files-2.3.arrow", "files-2.arrow"]);
    const table = tableFromIPC(readFileSync(join(folder, "files-2.arrow")));
    expect(table.numRows).toBe(39);
    // Their numbers in the file are other than in memory.
    for (const id of [9, 11, 30, 105]) remove(id);
    store.checkpoint();
    expect(arrowFiles(folder)).toEqual(["files-2.2.arrow", "files-2.3.arrow", "files-2.arrow"]);
    store.close();
    const again = open(folder);
    expect(stateOf(again)).toEqual(stateOf(store));
    again.close();
  });

  test("gives each collection files of its own, though they share their rows", () => {
    using _ = tuned({ fewInData: 5 });
    const folder = newFolder();
    const Item = defineSchema({ id: int({ unique: true }) });
    const items = createCollection(
      Item,
      Array.from({ length: 20 }, (_, id) => ({ id })),
    );
    const store = createStore(folder, createDatabase({ a: items, b: items }), unlocked);
    for (let n = 0; n < 2; n++) {
      store.checkpoint();
      expect(arrowFiles(folder)).toEqual(["a-1.arrow", "b-1.arrow"]);
    }
    store.close();
    const again = openStore(folder, { a: Item, b: Item }, unlocked);
    expect([again.a.size, again.b.size]).toEqual([20, 20]);
    again.close();
  });
});

test("a collection that comes back after its file was removed gets another one", () => {
  const folder = newFolder();
  const store = createStore(folder, manyService(), unlocked);
  const files = store.files;
  const put = (collection: typeof files) =>
    store.update((draft) => ((draft.files = collection), undefined));
  put(files.remove([["id", "less_than", 500]]).compact());
  store.checkpoint();
  expect(arrowFiles(folder)).not.toContain("files-1.arrow");
  put(files);
  store.checkpoint();
  expect(arrowFiles(folder)).toContain("files-3.arrow");
  store.close();
  expect(open(folder).files.size).toBe(MANY);
});

test("who has a file open reads on in it when a checkpoint has removed it", () => {
  const folder = newFolder();
  const writer = createStore(folder, manyService(), unlocked);
  const reader = openStore(folder, { readOnly: true });
  const before = stateOf(writer);
  changeBatch(writer, 3);
  writer.checkpoint();
  expect(stateOf(reader)).toEqual(before);
  expect(reader.refresh()).toBe(1);
  expect(stateOf(reader)).toEqual(stateOf(writer));
  writer.close();
});

test("Lists and List Fields come and go, and last", () => {
  const folder = newFolder();
  createStore(folder, manyService(), unlocked).close();
  const [store, model] = [open(folder), manyService()];
  const change = (service: Service) =>
    service.update((draft) => {
      const batch = draft.batches["5"];
      batch?.addListField(20, "later", "int");
      batch?.removeListField(20, "2024");
      batch?.addList({ id: 30, fields: ["Email"], contacts: [contact(9999)] });
      batch?.removeList(10);
    });
  change(model);
  change(store);
  // The Contacts are columns still.
  expect(store.batches["5"]?.contacts.state.snapshot.segments[0].rows.records).toBeUndefined();
  expect(stateOf(store)).toEqual(stateOf(model));
  store.close();
  for (const checkpoint of [true, false]) {
    const again = open(folder);
    expect(stateOf(again)).toEqual(stateOf(model));
    if (checkpoint) again.checkpoint();
    again.close();
  }
});

describe("a damaged file of a collection", () => {
  const folder = newFolder();
  const at = (name: string) => join(folder, name);
  const original = new Map<string, Buffer>();
  const states = { before: "", after: "" };

  beforeAll(() => {
    const store = createStore(folder, manyService(), unlocked);
    states.before = JSON.stringify(stateOf(store));
    changeBatch(store, 3);
    states.after = JSON.stringify(stateOf(store));
    store.close();
    for (const name of readdirSync(folder)) original.set(name, readFileSync(at(name)));
  });

  function restore(): void {
    for (const name of readdirSync(folder)) rmSync(at(name));
    for (const [name, bytes] of original) writeFileSync(at(name), bytes);
  }

  /** Changes a byte of a file. */
  function damage(name: string, offset: number): Buffer {
    const bytes = Buffer.from(original.get(name) ?? []);
    bytes[offset] = (bytes[offset] ?? 0) ^ 4;
    writeFileSync(at(name), bytes);
    return bytes;
  }

  test("is a typed error when it is opened or read, never another answer", () => {
    for (const name of ["batch-5-1.arrow", "files-1.arrow"]) {
      const size = original.get(name)?.length ?? 0;
      const found = { whole: 0, opening: 0, reading: 0 };
      for (let offset = 5; offset < size; offset += Math.ceil(size / 40)) {
        restore();
        damage(name, offset);
        let store: StoredService;
        try {
          store = open(folder);
        } catch (thrown) {
          expect(thrown).toMatchObject({ name: "StoreError", file: at(name) });
          found.opening++;
          continue;
        }
        try {
          expect(JSON.stringify(stateOf(store))).toBe(states.after);
          found.whole++;
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(FileError);
          found.reading++;
        }
        store.close();
      }
      // What Arrow says of the columns, and the bitmaps of nulls, tercet does not read.
      expect(found.whole).toBeLessThan(15);
      expect(found.opening).toBeGreaterThan(3);
      expect(found.reading).toBeGreaterThan(3);
    }
  });

  test("is found by a check, and repaired: only the rows of the damaged page are lost", () => {
    const name = "batch-5-1.arrow";
    const size = original.get(name)?.length ?? 0;
    for (const offset of [size >> 3, size >> 1]) {
      restore();
      const bytes = damage(name, offset);
      const { problems } = checkStore(folder);
      expect(problems).toEqual([
        {
          file: at(name),
          offset: undefined,
          reason: expect.stringMatching(
            /^is damaged: .+: is damaged: a checksum does not match$/,
          ) as string,
        },
      ]);
      const { changes, refused, kept } = repairStore(folder, { lock: false });
      expect(kept).toEqual([`${at(name)}.kept`]);
      expect(readFileSync(at(`${name}.kept`))).toEqual(bytes);
      expect(changes).toBe(1);
      expect(checkStore(folder).problems).toEqual([]);
      const store = open(folder);
      const rest = store.batches["5"]?.contacts;
      expect((rest?.size ?? 0) + refused).toBeGreaterThanOrEqual(MANY + 1);
      const emails = new Set(Array.from({ length: MANY + 1 }, (_, i) => `${i}@example.com`));
      for (const { contact_email } of rest ?? []) expect(emails.delete(contact_email)).toBe(true);
      expect(store.batches["5"]?.lists).toEqual(["20", "10"]);
      expect(store.files.size).toBe(MANY);
      store.close();
    }
  });

  test("whose end is damaged is lost, and kept beside; all else is there", () => {
    restore();
    const name = "files-1.arrow";
    damage(name, (original.get(name)?.length ?? 0) - 30);
    expect(repairStore(folder, { lock: false })).toMatchObject({
      changes: 1,
      kept: [`${at(name)}.kept`],
    });
    const store = open(folder);
    store.close();
    expect(store.files.size).toBe(0);
    expect(store.batches["5"]?.contacts.size).toBe(MANY + 1);
  });

  test("that is missing, or another one of that name, is a typed error", () => {
    restore();
    rmSync(at("files-1.arrow"));
    expect(thrownBy(() => open(folder))).toMatchObject({
      file: at("files-1.arrow"),
      reason: expect.stringMatching(/^can't be opened: no such file/) as string,
    });
    const other = newFolder();
    const store = createStore(other, manyService(), unlocked);
    store.update((draft) => {
      draft.files = draft.files.update([], (file) => void (file.size = "1"));
    });
    store.checkpoint();
    store.close();
    copyFileSync(join(other, "files-2.arrow"), at("files-1.arrow"));
    const error = {
      file: at("files-1.arrow"),
      reason: expect.stringMatching("does not belong") as string,
    };
    expect(thrownBy(() => open(folder))).toMatchObject(error);
    expect(thrownBy(() => open(folder))).toBeInstanceOf(StoreError);
    expect(checkStore(folder).problems).toMatchObject([error]);
  });

  test("is found where the data are damaged that name it: repair reads the files by themselves", () => {
    restore();
    const data = original.get("data-1.log") ?? Buffer.alloc(0);
    writeFileSync(at("data-1.log"), data.subarray(0, 40));
    const { changes, refused } = repairStore(folder, { lock: false });
    expect([changes, refused]).toEqual([1, 0]);
    const store = open(folder);
    expect(store.files.size).toBe(MANY);
    expect(store.batches["5"]?.contacts.count([["open_count", "exactly", 3]])).toBe(1);
    // The Batch of few Contacts stood in the data.
    expect(Object.keys(store.batches)).toEqual(["5"]);
    store.close();
  });

  describe("of several where the data are damaged that name one: repair reads", () => {
    /** Repairs a store with the files of three generations, the second named, its data cut off at a place. */
    function repaired(second: (service: Service) => void, end: number): StoredService {
      const other = newFolder();
      const names = new Map<string, Buffer>();
      const keep = () => {
        for (const name of readdirSync(other)) names.set(name, readFileSync(join(other, name)));
      };
      const store = createStore(other, manyService(), unlocked);
      keep();
      second(store);
      store.checkpoint();
      keep();
      const named = readFileSync(join(other, "store.json"));
      changeBatch(store, 4, 900);
      store.checkpoint();
      keep();
      store.close();
      const data = names.get("data-2.log") ?? Buffer.alloc(0);
      names.set("data-2.log", data.subarray(0, end));
      names.set("store.json", named);
      names.delete("data-3.log");
      names.delete("journal-3.log");
      for (const [name, bytes] of names) writeFileSync(join(other, name), bytes);
      repairStore(other, { lock: false });
      return open(other);
    }

    test("the latest, but none of a generation that was never named", () => {
      const store = repaired((service) => changeBatch(service, 3, 900), 40);
      expect(store.files.size).toBe(MANY);
      const { contacts } = store.batches["5"] ?? expect.fail("there is no Batch 5");
      expect([3, 4].map((count) => contacts.count([["open_count", "exactly", count]]))).toEqual([
        200, 0,
      ]);
      store.close();
    });

    test("none of a Batch that the data say has no Contacts", () => {
      const empty = (service: Service) =>
        service.update((draft) => {
          const batch = draft.batches["5"] ?? expect.fail("there is no Batch 5");
          batch.contacts = batch.contacts.remove([]);
        });
      const store = repaired(empty, -1);
      expect(store.batches["5"]?.contacts.size).toBe(0);
      expect(store.batches["5"]?.lists).toHaveLength(2);
      store.close();
    });
  });

  test("that was left by a checkpoint that was broken off is removed", () => {
    restore();
    writeFileSync(at("files-2.arrow"), "half of it");
    writeFileSync(at("batch-77-2.arrow"), "");
    open(folder).close();
    expect(arrowFiles(folder)).toEqual(["batch-5-1.arrow", "files-1.arrow"]);
    renameSync(at("files-1.arrow"), at("notes.arrow"));
    expect(thrownBy(() => open(folder))).toBeInstanceOf(StoreError);
    rmSync(at("notes.arrow"));
  });
});

describe("in the background, segments", () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const arrows = (folder: string) => arrowFiles(folder).filter((name) => name.startsWith("files"));

  /** Until nothing is left to be merged: a checkpoint names the merged files. */
  async function merged(folder: string, count: number): Promise<void> {
    while (arrows(folder).length > count) await turn();
  }

  test("are merged, while changes go on", async () => {
    using _ = tuned(SEGMENTED);
    const folder = newFolder();
    const store = createStore(folder, createService(), unlocked);
    const model = createService();
    const both = (run: (service: Service) => void) => [store, model].forEach(run);
    for (const [from, to] of [
      [0, 150],
      [1000, 1200],
      [2000, 2400],
    ] as const) {
      both((service) => void addFiles(service, from, to));
      store.checkpoint();
      both((service) =>
        service.update((draft) => {
          draft.files = draft.files.update(
            [["id", "exactly", from + 3]],
            (file) => void (file.name = "x"),
          );
        }),
      );
    }
    store.checkpoint();
    const before = store.files;
    // It has begun: these rows die in segments that are being merged.
    await turn();
    for (const id of [3, 7, 1003, 2100]) {
      both((service) =>
        service.update((draft) => {
          draft.files = draft.files.remove([["id", "exactly", id]]);
        }),
      );
    }
    await merged(folder, 1);
    expect(stateOf(store)).toEqual(stateOf(model));
    expect(before.size).toBe(750);
    expect([...before].at(-1)).toMatchObject({ id: "2399" });
    both((service) => void addFiles(service, 3000, 3010));
    store.close();
    expect(checkStore(folder).problems).toEqual([]);
    const again = open(folder);
    expect(stateOf(again)).toEqual(stateOf(model));
    again.close();
  });

  test("stay as they are if the store is closed, or the collection is another meanwhile", async () => {
    using _ = tuned(SEGMENTED);
    const folder = newFolder();
    const store = createStore(folder, createService(), unlocked);
    for (const from of [0, 1000]) {
      addFiles(store, from, from + 300);
      store.checkpoint();
    }
    await turn();
    store.close();
    const names = arrowFiles(folder);
    expect(names).toEqual(["files-2.arrow", "files-3.arrow"]);
    const again = open(folder);
    again.update((draft) => {
      draft.files = draft.files.compact();
    });
    again.checkpoint();
    await merged(folder, 1);
    for (let i = 0; i < 20; i++) await turn();
    expect(arrowFiles(folder)).toEqual(["files-4.arrow"]);
    expect(again.files.size).toBe(600);
    again.close();
  });

  test("of a damaged file are left alone: the error is reported", async () => {
    using _ = tuned(SEGMENTED);
    const folder = newFolder();
    const store = createStore(folder, createService(), unlocked);
    for (const from of [0, 1000]) {
      addFiles(store, from, from + 300);
      store.checkpoint();
    }
    store.close();
    const path = join(folder, "files-2.arrow");
    const bytes = readFileSync(path);
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 4, bytes.length >> 1);
    writeFileSync(path, bytes);
    const reported = new Promise((resolve) => {
      const again = openStore(folder, {
        ...unlocked,
        onInternalError: (thrown) => {
          again.close();
          resolve(thrown);
        },
      });
    });
    expect(await reported).toMatchObject({ name: "StoreError", file: path });
    expect(arrowFiles(folder)).toEqual(["files-2.arrow", "files-3.arrow"]);
  });
});
