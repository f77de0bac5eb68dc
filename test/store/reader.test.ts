// Readers of a store that follow its writer.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Service, ServiceDraft, DatabaseChange } from "../../src/index.ts";
import { createStore, openStore, StoreError } from "../../src/store/index.ts";
import type { StoreReader } from "../../src/store/reader.ts";
import { createStoreOn, openStoreOn } from "../../src/store/store.ts";
import { thrownBy } from "../updates/fixtures.ts";
import { change, makeService, newFolder, stateOf } from "./fixtures.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

function setOpened({ batches }: ServiceDraft, times: number): void {
  const batch = batches["5"];
  if (batch !== undefined) batch.contacts = batch.contacts.update(null, { open_count: times });
}

describe("a reader", () => {
  const expectSame = (reader: Service, store: Service) =>
    expect(stateOf(reader)).toEqual(stateOf(store));

  test("follows the writer, change by change, and tells its own subscribers", () => {
    const folder = newFolder();
    const store = createStore(folder, makeService());
    const reader = openStore(folder, { readOnly: true });
    const notified = vi.fn();
    reader.subscribe(notified);
    expect(reader.refresh()).toBe(0);
    for (let n = 0; n < 12; n++) {
      change(store, n);
      if (n % 3 === 0) continue;
      expect(reader.refresh()).toBe(n % 3 === 1 ? 2 : 1);
      expectSame(reader, store);
    }
    expect(notified).toHaveBeenCalledTimes(12);
    reader.close();
    store.close();
  });

  test("with follow takes over changes by itself, also over checkpoints, until it is closed", async () => {
    const folder = newFolder();
    const store = createStore(folder, makeService());
    const reader = openStore(folder, { readOnly: true, follow: 5 });
    for (let n = 0; n < 3; n++) {
      change(store, n);
      if (n === 1) store.checkpoint();
      await vi.waitFor(() => expectSame(reader, store), 120_000);
    }
    reader.close();
    const before = stateOf(reader);
    change(store, 3);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(stateOf(reader)).toEqual(before);
    store.close();
  });

  test("that follows reports what goes wrong, once, and goes on when it is well again", async () => {
    const folder = newFolder();
    const store = createStore(folder, makeService());
    const onInternalError = vi.fn();
    const reader = openStore(folder, { readOnly: true, follow: 2, onInternalError });
    const name = join(folder, "store.json");
    const bytes = readFileSync(name);
    writeFileSync(name, "damaged");
    await vi.waitFor(() => expect(onInternalError).toHaveBeenCalled(), 120_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(onInternalError).toHaveBeenCalledTimes(1);
    expect(onInternalError).toHaveBeenCalledWith(expect.any(StoreError));
    writeFileSync(name, bytes);
    change(store, 0);
    await vi.waitFor(() => expectSame(reader, store), 120_000);
    reader.close();
    store.close();
  });

  test("follow is refused if it is not a time, and for writers", () => {
    const folder = newFolder();
    createStore(folder, makeService()).close();
    for (const follow of [0, -1, NaN, Infinity, 2 ** 31]) {
      expect(() => openStore(folder, { readOnly: true, follow })).toThrow("options.follow");
    }
    expect(() => openStore(folder, { follow: 10 })).toThrow("options.follow: needs readOnly: true");
  });

  test("follows over a checkpoint, and over several that it has missed", () => {
    const folder = newFolder();
    const store = createStore(folder, makeService());
    const reader = openStore(folder, { readOnly: true });
    let n = 0;
    const notified = vi.fn();
    reader.subscribe(notified);
    for (const checkpoints of [1, 1, 2, 0, 3]) {
      change(store, n++);
      for (let i = 0; i < checkpoints; i++) {
        store.checkpoint();
        change(store, n++);
      }
      expect(reader.refresh()).toBe(1 + checkpoints);
      expectSame(reader, store);
    }
    // What it had missed came as one change.
    expect(notified.mock.calls.length).toBeLessThan(n);
    expect(notified.mock.calls.length).toBeGreaterThan(5);
    reader.close();
    store.close();
  });

  test("tells over a checkpoint of what has changed only", () => {
    const folder = newFolder();
    const store = createStore(folder, makeService());
    const reader = openStore(folder, { readOnly: true });
    const notified = vi.fn<(change: DatabaseChange) => void>();
    reader.subscribe(notified);
    store.checkpoint();
    reader.refresh();
    expect(notified).not.toHaveBeenCalled();
    const { patches } = store.update((draft) => {
      draft.files = draft.files.remove([["id", "exactly", 1]]);
    });
    store.checkpoint();
    reader.refresh();
    expect(notified.mock.calls.map(([change]) => change.patches)).toEqual([patches]);
    reader.close();
    store.close();
  });

  test.each<[what: string, ...recipes: ((draft: ServiceDraft) => void)[]]>([
    ["Files", (draft) => void (draft.files = draft.files.update(null, { name: "a" }))],
    ["the Contacts of a Batch", (draft) => setOpened(draft, 77)],
    ["a Batch with other Lists", ({ batches }) => batches["5"]?.addListField(20, "new")],
    ["a Batch that is removed", ({ batches }) => void delete batches["5"]],
    [
      "nothing, in several changes",
      (draft) => setOpened(draft, 77),
      (draft) => setOpened(draft, 0),
    ],
  ])("that missed checkpoints tells of %s as the writer did", (_, ...recipes) => {
    const folder = newFolder();
    const store = createStore(folder, makeService());
    const reader = openStore(folder, { readOnly: true });
    const before = stateOf(store);
    const notified = vi.fn<(change: DatabaseChange) => void>();
    reader.subscribe(notified);
    // The journal in between is gone when the reader looks for it.
    store.checkpoint();
    const [only, ...others] = recipes.map((recipe) => store.update(recipe).patches);
    store.checkpoint();
    reader.refresh();
    expect(notified.mock.calls.map(([change]) => change.patches)).toEqual(
      others.length > 0 ? [] : [only],
    );
    for (const [change] of notified.mock.calls) {
      const undone = makeService();
      undone.applyPatches(change.patches);
      expect(stateOf(undone)).toEqual(stateOf(store));
      undone.applyPatches(change.inversePatches);
      expect(stateOf(undone)).toEqual(before);
    }
    reader.close();
    store.close();
  });

  test("sees what changed beside records that only moved", () => {
    const folder = newFolder();
    const store = createStore(folder, makeService());
    const reader = openStore(folder, { readOnly: true });
    const { files } = store;
    const { inversePatches } = store.update((draft) => {
      draft.files = files.update(null, { name: "a" });
    });
    store.applyPatches(inversePatches);
    store.update((draft) => {
      draft.files = files;
      setOpened(draft, 77);
    });
    expect(reader.refresh()).toBe(3);
    expectSame(reader, store);
    reader.close();
    store.close();
  });

  test("holds no lock and leaves no trace, and needs no right to write", () => {
    const folder = newFolder();
    createStore(folder, makeService(), { lock: false }).close();
    const reader = openStore(folder, { readOnly: true });
    expect(existsSync(join(folder, "lock"))).toBe(false);
    openStore(folder).close();
    reader.close();
    reader.close();
    expect(thrownBy(() => reader.refresh())).toMatchObject({ reason: "is closed" });
    expect(reader.searchFiles()).toHaveLength(3);
  });

  test("takes no changes of its own, not even of a subscriber while it follows", () => {
    const folder = newFolder();
    const reported: unknown[] = [];
    const store = createStore(folder, makeService());
    const reader = openStore(folder, {
      readOnly: true,
      onInternalError: (thrown) => void reported.push(thrown),
    });
    const refusal = { name: "StoreError", file: folder, reason: "is open for reading only" };
    expect(thrownBy(() => change(reader, 0))).toMatchObject(refusal);
    reader.subscribe(() => {
      expect(reader.refresh()).toBe(0);
      change(reader, 7);
    });
    change(store, 0);
    change(store, 1);
    expect(reader.refresh()).toBe(2);
    expect(reported).toMatchObject([refusal, refusal]);
    expectSame(reader, store);
    reader.close();
    store.close();
  });

  test("does not see a change that the writer is still writing, nor one that it takes back", () => {
    const disk = new SimulatedDisk();
    const folder = "/store";
    const store = createStoreOn(disk, folder, makeService(), { lock: false });
    const reader = openStoreOn(disk, folder, { readOnly: true }) as StoreReader;
    change(store, 0);
    reader.refresh();
    // The entry is written, and can't be synced; only then it is taken back.
    let isRead = false;
    disk.fails = (_, what) => {
      if (!what.startsWith("sync") || isRead) return undefined;
      isRead = true;
      expect(reader.refresh()).toBe(1);
      return { code: "EIO" };
    };
    expect(thrownBy(() => change(store, 1))).toBeInstanceOf(StoreError);
    expect(reader.refresh()).toBe(-1);
    expectSame(reader, store);
    // A disk that is full in the middle of an entry.
    store.checkpoint();
    disk.fails = (_, what) => (what === "write" ? { code: "ENOSPC", share: 0.5 } : undefined);
    expect(thrownBy(() => change(store, 1))).toBeInstanceOf(StoreError);
    disk.fails = () => undefined;
    expect(reader.refresh()).toBe(0);
    change(store, 1);
    expect(reader.refresh()).toBe(1);
    expectSame(reader, store);
  });

  test("finds the next files where a checkpoint takes away those that it is about to open", () => {
    /** Does something once, when a file is closed or opened. */
    class RacingDisk extends SimulatedDisk {
      onClose: (() => void) | undefined;
      onOpen: (() => void) | undefined;

      override open(name: string, mode: "r" | "r+" | "w+"): number {
        const run = name.includes("journal") ? this.onOpen : undefined;
        if (run !== undefined) this.onOpen = undefined;
        run?.();
        return super.open(name, mode);
      }

      override close(file: number): void {
        super.close(file);
        const run = this.onClose;
        this.onClose = undefined;
        run?.();
      }
    }
    const disk = new RacingDisk();
    const folder = "/store";
    const store = createStoreOn(disk, folder, makeService(), { lock: false });
    const follow = () => openStoreOn(disk, folder, { readOnly: true }) as StoreReader;
    const reader = follow();
    for (const moment of ["onClose", "onOpen"] as const) {
      change(store, 0);
      store.checkpoint();
      // It has read the number of the generation, and not opened its files yet.
      disk[moment] = () => store.checkpoint();
      expect(reader.refresh()).toBe(1);
      expectSame(reader, store);
      disk[moment] = () => store.checkpoint();
      expectSame(follow(), store);
      store.update((draft) => {
        draft.files = draft.files.remove([["id", "exactly", 1000]]);
      });
      expect(reader.refresh()).toBe(1);
    }
  });
});
