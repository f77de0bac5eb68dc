// Backups, made while a writer continues: complete stores as of one change, or nothing.

import fc from "fast-check";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  createService,
  defineSchema,
  int,
  type Service,
} from "../../src/index.ts";
import { checkStore, createStore, openStore, StoreError } from "../../src/store/index.ts";
import { createStoreOn, openStoreOn, type StoredService } from "../../src/store/store.ts";
import type { StoreReader } from "../../src/store/reader.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { change, makeService, newFolder, recipe, SEGMENTED, SHARED, stateOf } from "./fixtures.ts";
import { randomFrom, SimulatedDisk } from "./simulated-disk.ts";

const unlocked = { lock: false } as const;
const CHANGES = 9;

/** What a service holds after so many changes. */
const states = Array.from({ length: CHANGES + 1 }, (_, count) => {
  const service = makeService();
  for (let n = 0; n < count; n++) change(service, n);
  return JSON.stringify(stateOf(service));
});

const numberOf = (service: Service) => states.indexOf(JSON.stringify(stateOf(service)));

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a backup", () => {
  test.each([SHARED, SEGMENTED])(
    "has all changes, says how many, and goes on as a store of its own: %j",
    async (thresholds) => {
      using _ = tuned(thresholds);
      const place = newFolder();
      const store = createStore(join(place, "store"), makeService());
      for (let n = 0; n < 5; n++) {
        change(store, n);
        if (n === 2) store.checkpoint();
      }
      const copy = join(place, "not", "there", "copy");
      expect(await store.backup(copy)).toEqual({ change: 5 });
      change(store, 5);
      store.close();
      expect(checkStore(copy)).toEqual({ changes: 2, unfinishedBytes: 0, problems: [] });
      const again = openStore(copy);
      expect(numberOf(again)).toBe(5);
      for (let n = 5; n < CHANGES; n++) {
        change(again, n);
        again.checkpoint();
      }
      expect(numberOf(again)).toBe(CHANGES);
      expect(await again.backup(join(place, "second"))).toEqual({ change: CHANGES });
      again.close();
      const original = openStore(join(place, "store"), { readOnly: true });
      expect(numberOf(original)).toBe(6);
      original.close();
    },
  );

  test("of a reader is as of the last change on disk, whatever the reader has seen", async () => {
    const place = newFolder();
    const store = createStore(join(place, "store"), makeService());
    const reader = openStore(join(place, "store"), { readOnly: true });
    change(store, 0);
    store.checkpoint();
    change(store, 1);
    expect(await reader.backup(join(place, "copy"))).toEqual({ change: 2 });
    expect(numberOf(reader)).toBe(0);
    reader.close();
    await expect(reader.backup(join(place, "other"))).rejects.toMatchObject({ code: "closed" });
    store.close();
    await expect(store.backup(join(place, "other"))).rejects.toMatchObject({ code: "closed" });
    expect(readdirSync(place).sort()).toEqual(["copy", "store"]);
    const copy = openStore(join(place, "copy"));
    expect(numberOf(copy)).toBe(2);
    copy.close();
  });

  test("of a database has its collections, by their schemas", async () => {
    const place = newFolder();
    const Ticket = defineSchema({ id: int({ unique: true }) });
    const ids = Array.from({ length: 1500 }, (_, id) => ({ id }));
    const tickets = createCollection(Ticket, ids);
    const store = createStore(join(place, "store"), createDatabase({ tickets }));
    await store.updateAsync((draft) => {
      draft.tickets = draft.tickets.insert({ id: 2000 });
    });
    await store.backup(join(place, "copy"));
    store.close();
    const copy = openStore(join(place, "copy"), { tickets: Ticket });
    expect(copy.tickets.size).toBe(1501);
    copy.close();
  });

  test("has what was in flight at the call", async () => {
    const disk = new SimulatedDisk();
    const store = createStoreOn(disk, "/store", makeService(), unlocked);
    const all = [0, 1, 2].map((n) => store.updateAsync(recipe(n)));
    expect(await store.backup("/copy")).toEqual({ change: 3 });
    await Promise.all(all);
    store.close();
    expect(disk.openFiles).toBe(0);
  });

  test("is of one state, whatever is changed meanwhile, checkpoints and a close included", async () => {
    const steps = fc.array(fc.constantFrom("change", "later", "checkpoint", "turn"), {
      maxLength: 12,
    });
    const at = async (taken: readonly string[], thresholds: typeof SHARED, isReader: boolean) => {
      using _ = tuned(thresholds);
      const disk = new SimulatedDisk();
      const store = createStoreOn(disk, "/store", makeService(), unlocked);
      change(store, 0);
      const from = isReader
        ? (openStoreOn(disk, "/store", { ...unlocked, readOnly: true }) as StoreReader)
        : store;
      const backup = from.backup("/copy");
      let n = 1;
      for (const step of taken) {
        if (step === "turn") await turn();
        else if (step === "checkpoint") store.checkpoint();
        else if (n < CHANGES) {
          if (step === "change") change(store, n++);
          else void store.updateAsync(recipe(n++));
        }
      }
      store.close();
      if (isReader) from.close();
      const { change: last } = await backup;
      const copy = openStoreOn(disk, "/copy", unlocked) as StoredService;
      expect(numberOf(copy)).toBe(last);
      expect(last).toBeGreaterThanOrEqual(1);
      expect(last).toBeLessThanOrEqual(n);
      copy.close();
      await turn();
      expect(disk.openFiles).toBe(0);
    };
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(SHARED, SEGMENTED), fc.boolean(), at),
      settings(30),
    );
  });
});

describe("a folder", () => {
  test("with something in it is refused, and stays as it is", async () => {
    const place = newFolder();
    const store = createStore(join(place, "store"), makeService());
    const reader = openStore(join(place, "store"), { readOnly: true });
    const other = join(place, "other");
    mkdirSync(other);
    writeFileSync(join(other, "notes.txt"), "mine");
    for (const each of [store, reader]) {
      await expect(each.backup(other)).rejects.toMatchObject({
        name: "StoreError",
        file: other,
        code: "conflict",
        reason: "is not empty: there is notes.txt",
      });
      await expect(each.backup("")).rejects.toMatchObject({ name: "InputError", path: "folder" });
    }
    expect(readdirSync(other)).toEqual(["notes.txt"]);
    expect(readFileSync(join(other, "notes.txt"), "utf8")).toBe("mine");
    await store.backup(join(place, "copy"));
    await expect(store.backup(join(place, "copy"))).rejects.toMatchObject({
      reason: "is already a store",
    });
    await expect(store.backup(join(place, "store"))).rejects.toBeInstanceOf(StoreError);
    store.close();
    await expect(reader.backup(join(place, "store"))).rejects.toMatchObject({
      reason: "is already a store",
    });
    reader.close();
    openStore(join(place, "store")).close();
  });

  test("that is empty is taken, and so is that of an unfinished backup", async () => {
    const place = newFolder();
    const store = createStore(join(place, "store"), makeService());
    for (let n = 0; n < 3; n++) store.checkpoint();
    change(store, 0);
    const copy = join(place, "copy");
    mkdirSync(copy);
    await store.backup(copy);
    // As if it had been killed before the end.
    const name = readFileSync(join(copy, "store.json"));
    const half = join(place, "half");
    mkdirSync(half);
    writeFileSync(join(half, "store.json.new"), name);
    writeFileSync(join(half, "data-4.log"), "half");
    expect(() => openStore(half, { readOnly: true })).toThrow(StoreError);
    expect(() => checkStore(half)).toThrow(StoreError);
    await store.backup(half);
    store.close();
    const again = openStore(half);
    expect(numberOf(again)).toBe(1);
    again.close();
    expect(readdirSync(half).sort()).toEqual(readdirSync(copy).sort());
  });
});

describe("a backup that ends early", () => {
  const cases = fc.record({
    thresholds: fc.constantFrom(SHARED, SEGMENTED),
    moment: fc.nat(),
    seed: fc.integer(),
  });

  /** A store with changes in files and in its journal, in a later generation. */
  function made(): { readonly disk: SimulatedDisk; readonly store: StoredService } {
    const disk = new SimulatedDisk();
    const store = createStoreOn(disk, "/store", makeService(), unlocked);
    for (let n = 0; n < 4; n++) {
      change(store, n);
      if (n === 1) store.checkpoint();
    }
    return { disk, store };
  }

  /** One of the operations that it takes. */
  async function operationAt(moment: number): Promise<number> {
    const { disk, store } = made();
    const before = disk.operations;
    await store.backup("/copies/copy");
    store.close();
    return before + 1 + (moment % (disk.operations - before));
  }

  test("by an error leaves nothing, and can be made again", async () => {
    const at = async ({ thresholds, moment }: { thresholds: typeof SHARED; moment: number }) => {
      using _ = tuned(thresholds);
      const failing = await operationAt(moment);
      const { disk, store } = made();
      // In the store itself, files may be merged meanwhile.
      const others = () => disk.names().filter((name) => !name.startsWith("/store/"));
      const before = others();
      disk.fails = (operation) =>
        operation === failing ? { code: "ENOSPC", share: 0.5 } : undefined;
      const [outcome] = await Promise.allSettled([store.backup("/copies/copy")]);
      disk.fails = () => undefined;
      if (outcome.status === "rejected") {
        expect(outcome.reason).toBeInstanceOf(StoreError);
        expect(others()).toEqual(before);
        expect(await store.backup("/copies/copy")).toEqual({ change: 4 });
      }
      store.close();
      const copy = openStoreOn(disk, "/copies/copy", unlocked) as StoredService;
      expect(numberOf(copy)).toBe(4);
      copy.close();
      expect(disk.openFiles).toBe(0);
    };
    await fc.assert(fc.asyncProperty(cases, at), settings(30));
  });

  test("by a kill or a power cut leaves a whole store, or none and room for the next", async () => {
    const at = async (
      { thresholds, moment, seed }: { thresholds: typeof SHARED; moment: number; seed: number },
      isPowerCut: boolean,
    ) => {
      using _ = tuned(thresholds);
      const last = await operationAt(moment);
      const { disk, store } = made();
      disk.fails = (operation) => (operation >= last ? { code: "EIO", share: 0.5 } : undefined);
      await expect(store.backup("/copies/copy")).rejects.toBeInstanceOf(StoreError);
      disk.fails = () => undefined;
      const left = isPowerCut ? disk.afterPowerCut(randomFrom(seed)) : disk;
      const again = isPowerCut ? (openStoreOn(left, "/store", unlocked) as StoredService) : store;
      expect(numberOf(again)).toBe(4);
      if (!left.names().includes("/copies/copy/store.json")) await again.backup("/copies/copy");
      again.close();
      const copy = openStoreOn(left, "/copies/copy", unlocked) as StoredService;
      expect(numberOf(copy)).toBe(4);
      copy.close();
    };
    await fc.assert(fc.asyncProperty(cases, fc.boolean(), at), settings(40));
  });
});

test("a damaged file is an error, and no backup", async () => {
  using _ = tuned({ fewInData: 0 });
  const place = newFolder();
  const folder = join(place, "store");
  createStore(folder, createService({ files: [{ id: 1, folder_id: 1, name: "a" }] })).close();
  const reader = openStore(folder, { readOnly: true });
  writeFileSync(join(folder, "files-1.arrow"), "cut");
  await expect(reader.backup(join(place, "copy"))).rejects.toMatchObject({
    name: "StoreError",
    file: join(folder, "files-1.arrow"),
  });
  expect(readdirSync(place)).toEqual(["store"]);
  reader.close();
});
