// Changes that become durable together: the guarantees of `updateAsync`, and the state after disk errors.

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createService, type Service } from "../../src/index.ts";
import { createStore, openStore, StoreError } from "../../src/store/index.ts";
import type { StoreReader } from "../../src/store/reader.ts";
import { createStoreOn, openStoreOn, type StoredService } from "../../src/store/store.ts";
import { thrownBy } from "../updates/fixtures.ts";
import { change, makeService, newFolder, recipe, stateOf } from "./fixtures.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

const FOLDER = "/store";
const unlocked = { lock: false } as const;

const create = (disk: SimulatedDisk, service: Service = makeService()) =>
  createStoreOn(disk, FOLDER, service, unlocked);
const open = (disk: SimulatedDisk) => openStoreOn(disk, FOLDER, unlocked) as StoredService;

/** The state after so many changes. */
function after(count: number): unknown {
  const service = makeService();
  for (let n = 0; n < count; n++) change(service, n);
  return stateOf(service);
}

/** The changes from one number up to another, all in flight. */
const later = (store: StoredService, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => store.updateAsync(recipe(from + i)));

/** Notes the operations of a disk from now on. */
function operationsOf(disk: SimulatedDisk): string[] {
  const operations: string[] = [];
  disk.fails = (_, what) => void operations.push(what.trim());
  return operations;
}

/** The state that a power cut leaves at worst. */
const leftOn = (disk: SimulatedDisk) => stateOf(open(disk.afterPowerCut(() => 0)));

const full = { code: "ENOSPC", share: 0.5 };

test("a change is in memory at once, and on disk when its promise resolves with it", async () => {
  const disk = new SimulatedDisk();
  const store = create(disk);
  const promise = store.updateAsync(recipe(0));
  expect(stateOf(store)).toEqual(after(1));
  expect(leftOn(disk)).toEqual(after(0));
  const { patches, inversePatches } = await promise;
  expect(patches).toContainEqual(expect.objectContaining({ op: "add", path: ["files", "1000"] }));
  expect(leftOn(disk)).toEqual(after(1));
  store.applyPatches(inversePatches);
  expect(store.searchFiles()).toEqual(makeService().searchFiles());
  store.close();
});

test("changes in flight share one write and one sync; those that come meanwhile, the next", async () => {
  const disk = new SimulatedDisk();
  const store = create(disk);
  const operations = operationsOf(disk);
  const resolved: number[] = [];
  const all = later(store, 0, 20).map((each, n) => each.then(() => resolved.push(n)));
  expect(operations).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(operations).toEqual(["write"]);
  for (const [i, each] of later(store, 20, 30).entries()) {
    all.push(each.then(() => resolved.push(20 + i)));
  }
  await Promise.all(all);
  expect(operations).toEqual(["write", "sync", "write", "sync"]);
  expect(resolved).toEqual(Array.from({ length: 30 }, (_, n) => n));
  expect(leftOn(disk)).toEqual(after(30));
  const again = open(disk);
  expect(again.found.replayed).toBe(30);
  again.close();
  store.close();
});

test("with durability os nothing is synced", async () => {
  const disk = new SimulatedDisk();
  const store = createStoreOn(disk, FOLDER, makeService(), { ...unlocked, durability: "os" });
  const operations = operationsOf(disk);
  await Promise.all(later(store, 0, 3));
  expect(operations).toEqual(["write"]);
  store.close();
  expect(leftOn(disk)).toEqual(after(3));
});

test("an update makes durable whatever is in flight before it, in order", async () => {
  const disk = new SimulatedDisk();
  const store = create(disk);
  const first = later(store, 0, 2);
  await new Promise((resolve) => setImmediate(resolve));
  // Two are being synced, two have not been written.
  const second = later(store, 2, 4);
  change(store, 4);
  expect(leftOn(disk)).toEqual(after(5));
  const third = later(store, 5, 6);
  await Promise.all([...first, ...second, ...third]);
  expect(leftOn(disk)).toEqual(after(6));
  store.close();
  const again = open(disk);
  expect(stateOf(again)).toEqual(after(6));
  again.close();
});

test("a checkpoint makes durable whatever is in flight, and the next ones go on from it", async () => {
  const disk = new SimulatedDisk();
  const store = create(disk);
  const first = later(store, 0, 2);
  await new Promise((resolve) => setImmediate(resolve));
  const second = later(store, 2, 4);
  store.checkpoint();
  expect(leftOn(disk)).toEqual(after(4));
  await Promise.all([...first, ...second, ...later(store, 4, 5)]);
  expect(leftOn(disk)).toEqual(after(5));
  store.close();
  expect(disk.openFiles).toBe(0);
});

test("a change that changes nothing resolves when those that it may depend on are durable", async () => {
  const disk = new SimulatedDisk();
  const store = create(disk);
  const order: string[] = [];
  const same = (draft: Parameters<ReturnType<typeof recipe>>[0]) => {
    draft.files = draft.files.update([["id", "exactly", 1]], (file) => void (file.name = "x"));
  };
  const first = store.updateAsync(same).then(() => order.push("first"));
  const second = store.updateAsync(same).then(({ patches }) => {
    expect(patches).toEqual([]);
    order.push("second");
  });
  await Promise.all([first, second]);
  expect(order).toEqual(["first", "second"]);
  // Nothing is in flight.
  await store.updateAsync(same);
  store.close();
});

test("what is refused is a rejection, and changes nothing", async () => {
  const disk = new SimulatedDisk();
  const store = create(disk);
  const thrown = new Error("mine");
  await expect(
    store.updateAsync(() => {
      throw thrown;
    }),
  ).rejects.toBe(thrown);
  await expect(store.updateAsync(async () => Promise.resolve())).rejects.toMatchObject({
    name: "InputError",
    reason: expect.stringContaining("promise") as string,
  });
  // @ts-expect-error a number is no recipe
  await expect(store.updateAsync(7)).rejects.toMatchObject({ name: "InputError" });
  store.close();
  await expect(store.updateAsync(recipe(0))).rejects.toMatchObject({
    name: "StoreError",
    code: "closed",
  });
  expect(stateOf(store)).toEqual(after(0));
});

describe("where the disk is full", () => {
  test("all in flight reject and are taken back, subscribers know, and the next change is made", async () => {
    const disk = new SimulatedDisk();
    const store = create(disk);
    change(store, 0);
    const notified: number[] = [];
    store.subscribe(({ patches }) => notified.push(patches.length));
    const all = later(store, 1, 4);
    const made = [...notified];
    expect(made).toHaveLength(3);
    disk.fails = (_, what) => (what.trim() === "write" ? full : undefined);
    const outcomes = await Promise.allSettled(all);
    for (const each of outcomes) {
      expect(each).toMatchObject({
        status: "rejected",
        reason: { name: "StoreError", file: `${FOLDER}/journal-1.log`, code: "io" },
      });
    }
    expect(stateOf(store)).toEqual(after(1));
    expect(notified).toHaveLength(6);
    disk.fails = () => undefined;
    await Promise.all(later(store, 1, 2));
    change(store, 2);
    expect(stateOf(store)).toEqual(after(3));
    expect(leftOn(disk)).toEqual(after(3));
    store.close();
  });

  test("what came after a group that fails is taken back with it", async () => {
    const disk = new SimulatedDisk();
    const store = create(disk);
    const first = later(store, 0, 1);
    await new Promise((resolve) => setImmediate(resolve));
    disk.fails = () => ({ code: "EIO" });
    const second = later(store, 1, 3);
    for (const each of await Promise.allSettled([...first, ...second])) {
      expect(each.status).toBe("rejected");
    }
    expect(stateOf(store)).toEqual(after(0));
  });

  test("an update fails alone: what is in flight has its own turn", async () => {
    const disk = new SimulatedDisk();
    const store = create(disk);
    const all = later(store, 0, 2);
    disk.fails = () => full;
    expect(thrownBy(() => change(store, 2))).toMatchObject({ name: "StoreError", code: "io" });
    expect(stateOf(store)).toEqual(after(2));
    disk.fails = () => undefined;
    await Promise.all(all);
    expect(leftOn(disk)).toEqual(after(2));
    store.close();
  });

  test("who tries again whenever a change is taken back does not block the process", async () => {
    const disk = new SimulatedDisk();
    const store = create(disk);
    const rejected: unknown[] = [];
    const add = (id: number) =>
      store
        .updateAsync((draft) => {
          draft.files = draft.files.insert([{ id, folder_id: 1, name: "x" }]);
        })
        .catch((thrown: unknown) => rejected.push(thrown));
    disk.fails = () => full;
    store.subscribe(({ patches }) => {
      if (patches[0]?.op === "remove") void add(100 + rejected.length);
    });
    void add(99);
    while (rejected.length < 20) await new Promise((resolve) => setImmediate(resolve));
    disk.fails = () => undefined;
    await store.updateAsync(() => undefined);
    expect(store.searchFiles()).toHaveLength(4);
    store.close();
    const again = open(disk);
    expect(stateOf(again)).toEqual(stateOf(store));
    again.close();
  });
});

describe("where the disk can't sync", () => {
  test("all in flight are taken back, and nothing is accepted until a checkpoint", async () => {
    const disk = new SimulatedDisk();
    const store = create(disk);
    change(store, 0);
    disk.fails = (_, what) => (what.trim() === "sync" ? { code: "EIO" } : undefined);
    for (const each of await Promise.allSettled(later(store, 1, 4))) {
      expect(each).toMatchObject({ status: "rejected", reason: { name: "StoreError" } });
    }
    disk.fails = () => undefined;
    expect(stateOf(store)).toEqual(after(1));
    const reason = expect.stringMatching(/could not be synced; checkpoint\(\)/) as string;
    await expect(store.updateAsync(recipe(1))).rejects.toMatchObject({ reason });
    expect(thrownBy(() => change(store, 1))).toMatchObject({ reason });
    expect(stateOf(store)).toEqual(after(1));
    store.checkpoint();
    await Promise.all(later(store, 1, 3));
    expect(leftOn(disk)).toEqual(after(3));
    store.close();
  });

  test("for an update, what is in flight is taken back too", async () => {
    const disk = new SimulatedDisk();
    const store = create(disk);
    const all = later(store, 0, 2);
    disk.fails = (_, what) => (what.trim() === "sync" ? { code: "EIO" } : undefined);
    expect(thrownBy(() => change(store, 2))).toBeInstanceOf(StoreError);
    disk.fails = () => undefined;
    for (const each of await Promise.allSettled(all)) expect(each.status).toBe("rejected");
    expect(stateOf(store)).toEqual(after(0));
    store.checkpoint();
    change(store, 0);
    store.close();
    expect(leftOn(disk)).toEqual(after(1));
  });
});

test.each([
  ["an update", (store: StoredService) => change(store, 1), after(2)],
  ["an update without effect", (store: StoredService) => store.update(() => undefined), after(1)],
])(
  "a background sync that fails after %s has returned takes nothing back",
  async (_, make, expected) => {
    const disk = new SimulatedDisk();
    const store = create(disk);
    const reader = openStoreOn(disk, FOLDER, { ...unlocked, readOnly: true }) as StoreReader;
    const [first] = later(store, 0, 1);
    await new Promise((resolve) => setImmediate(resolve));
    make(store);
    disk.fails = (_number, what) => (what.trim() === "sync" ? { code: "EIO" } : undefined);
    await first;
    // The background sync has failed by then.
    await new Promise((resolve) => setImmediate(resolve));
    expect(thrownBy(() => change(store, 2))).toMatchObject({
      reason: expect.stringContaining("could not be synced") as string,
    });
    disk.fails = () => undefined;
    expect(stateOf(store)).toEqual(expected);
    for (const left of [0, 1]) {
      const again = open(disk.afterPowerCut(() => left));
      expect(stateOf(again)).toEqual(expected);
      again.close();
    }
    expect(stateOf(reader)).toEqual(after(0));
    reader.refresh();
    expect(stateOf(reader)).toEqual(expected);
    reader.close();
    store.checkpoint();
    change(store, 2);
    store.close();
  },
);

describe("a call that finds nothing to change", () => {
  const calls: [string, (store: StoredService) => unknown][] = [
    ["update", (store) => store.update(() => undefined)],
    ["applyPatches", (store) => store.applyPatches([])],
    ["an update that has been made", (store) => store.update(removeFirst)],
    [
      "a compaction",
      (store) =>
        store.update((draft) => {
          draft.files = draft.files.compact();
        }),
    ],
  ];
  const removeFirst = (draft: Parameters<ReturnType<typeof recipe>>[0]) => {
    draft.files = draft.files.remove([["id", "exactly", 1]]);
  };

  test.each(calls)("%s: what it could see is durable when it returns", async (_, call) => {
    for (const turns of [0, 1]) {
      const disk = new SimulatedDisk();
      const store = create(disk);
      const inFlight = store.updateAsync(removeFirst);
      // After one turn, it has been written, and is being synced.
      for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
      call(store);
      expect(leftOn(disk)).toEqual(stateOf(store));
      await inFlight;
      const operations = operationsOf(disk);
      call(store);
      expect(operations).toEqual([]);
      store.close();
    }
  });

  test.each(calls)("%s: it throws if that can't be made durable", async (_, call) => {
    const disk = new SimulatedDisk();
    const store = create(disk);
    const inFlight = store.updateAsync(removeFirst);
    disk.fails = () => full;
    expect(thrownBy(() => call(store))).toMatchObject({ name: "StoreError", code: "io" });
    await expect(inFlight).rejects.toBeInstanceOf(StoreError);
    expect(stateOf(store)).toEqual(after(0));
  });

  test.each(calls)("%s: it throws after a close() that could not make it durable", (_, call) => {
    const disk = new SimulatedDisk();
    const store = create(disk);
    store.updateAsync(removeFirst).catch(() => undefined);
    disk.fails = () => full;
    expect(() => store.close()).toThrow(StoreError);
    disk.fails = () => undefined;
    expect(() => call(store)).toThrow(StoreError);
  });
});

describe("closing", () => {
  test.each([0, 1, 2])("makes what is in flight durable, after %i turns", async (turns) => {
    const disk = new SimulatedDisk();
    const store = create(disk);
    const first = later(store, 0, 2);
    for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
    const second = later(store, 2, 4);
    store.close();
    expect(leftOn(disk)).toEqual(after(4));
    await Promise.all([...first, ...second]);
    expect(stateOf(store)).toEqual(after(4));
    await new Promise((resolve) => setImmediate(resolve));
    expect(disk.openFiles).toBe(0);
  });

  test("throws if it can't, and what was in flight is taken back", async () => {
    const disk = new SimulatedDisk();
    const store = create(disk);
    const all = later(store, 0, 2);
    disk.fails = () => full;
    const thrown = thrownBy(() => store.close());
    expect(thrown).toBeInstanceOf(StoreError);
    for (const each of await Promise.allSettled(all)) {
      expect(each).toEqual({ status: "rejected", reason: thrown });
    }
    expect(stateOf(store)).toEqual(after(0));
    expect(disk.openFiles).toBe(0);
    disk.fails = () => undefined;
    const again = open(disk);
    expect(stateOf(again)).toEqual(after(0));
    again.close();
  });
});

test("a reader sees one change after the other, and takes back what the writer does", async () => {
  const disk = new SimulatedDisk();
  const store = create(disk, createService());
  const reader = openStoreOn(disk, FOLDER, { ...unlocked, readOnly: true }) as StoreReader;
  const add = (ids: readonly number[]) =>
    ids.map((id) =>
      store.updateAsync((draft) => {
        draft.files = draft.files.insert([{ id, folder_id: 1, name: "x" }]);
      }),
    );
  let notified = 0;
  reader.subscribe(() => notified++);
  await Promise.all(add([1, 2, 3]));
  expect([reader.refresh(), notified]).toEqual([3, 3]);
  const taken = add([4, 5]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(reader.refresh()).toBe(2);
  disk.fails = (_, what) => (what.trim() === "sync" ? { code: "EIO" } : undefined);
  await Promise.allSettled(taken);
  disk.fails = () => undefined;
  store.checkpoint();
  expect(reader.refresh()).toBe(-2);
  // As long as those before, and the last of them is the same.
  await Promise.all(add([6, 5]));
  expect(reader.refresh()).toBe(2);
  expect(reader.searchFiles().map(({ id }) => Number(id))).toEqual([1, 2, 3, 6, 5]);
  reader.close();
  store.close();
});

test("on a disk of the system", async () => {
  const folder = mkdtempSync(join(newFolder(), "store-"));
  const store = createStore(folder, makeService());
  for (let n = 0; n < 30; n += 10) {
    const all = later(store, n, n + 10);
    if (n === 10) store.checkpoint();
    await Promise.all(all);
  }
  const last = later(store, 30, 31);
  store.close();
  await Promise.all(last);
  const again = openStore(folder);
  expect(stateOf(again)).toEqual(after(31));
  again.close();
});
