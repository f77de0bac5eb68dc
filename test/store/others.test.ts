// Several processes on one store: one writer, and readers that follow it.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { createService, type Service } from "../../src/index.ts";
import { createStore, openStore, StoreError } from "../../src/store/index.ts";
import { createStoreOn, openStoreOn } from "../../src/store/store.ts";
import type { StoreReader } from "../../src/store/reader.ts";
import { thrownBy } from "../updates/fixtures.ts";
import { change, makeService, newFolder, stateOf } from "./fixtures.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

const program = join(newFolder(), "writer.mjs");

beforeAll(async () => {
  const entryPoints = [join(import.meta.dirname, "kill/writer.ts")];
  const outfile = program;
  await build({ entryPoints, bundle: true, platform: "node", format: "esm", outfile });
});

/** A process that writes to a store, once it has it open. */
async function startWriter(folder: string): Promise<ChildProcess> {
  const writer = spawn(process.execPath, [program, folder, "20"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(writer.stdout, "data");
  return writer;
}

async function kill(process: ChildProcess): Promise<void> {
  const closed = once(process, "close");
  process.kill("SIGKILL");
  await closed;
}

describe("one writer", () => {
  test("in the same process: the second gets an error that says who has it open", () => {
    const folder = newFolder();
    const store = createStore(folder, makeService());
    for (const second of [() => openStore(folder), () => createStore(folder, createService())]) {
      const error = thrownBy(second);
      expect(error).toBeInstanceOf(StoreError);
      expect(error).toMatchObject({
        file: join(folder, "lock"),
        reason: expect.stringMatching(
          new RegExp(`^another writer has the store open: process ${process.pid} on `),
        ) as string,
      });
    }
    change(store, 0);
    store.close();
    openStore(folder).close();
  });

  test("in another process, till it dies, however it does; who waits then has it at once", async () => {
    const folder = join(newFolder(), "store");
    const writer = await startWriter(folder);
    const reason = new RegExp(`another writer has the store open: process ${writer.pid} on `);
    expect(thrownBy(() => openStore(folder))).toMatchObject({
      message: expect.stringMatching(reason) as string,
    });
    // It is stopped, and can tell nobody that it is alive.
    writer.kill("SIGSTOP");
    expect(thrownBy(() => openStore(folder))).toBeInstanceOf(StoreError);
    await kill(writer);
    const store = openStore(folder);
    expect(readFileSync(join(folder, "lock"), "utf8")).toMatch(`process ${process.pid} on `);
    store.close();
  });

  test("whatever is in the lock file of a writer that has ended", () => {
    const folder = newFolder();
    createStore(folder, makeService()).close();
    // The id of a process that lives, which is no writer.
    writeFileSync(join(folder, "lock"), `process ${process.ppid} on elsewhere\n`);
    openStore(folder).close();
  });

  test("has let go of the lock where the store could not be opened", () => {
    const folder = newFolder();
    createStore(folder, makeService()).close();
    const journal = join(folder, "journal-1.log");
    const bytes = readFileSync(journal);
    writeFileSync(journal, "");
    for (let i = 0; i < 2; i++) {
      expect(thrownBy(() => openStore(folder))).toMatchObject({ file: journal });
    }
    writeFileSync(journal, bytes);
    openStore(folder).close();
  });

  test("lock: false takes none, and makes no lock file", () => {
    const folder = newFolder();
    const store = createStore(folder, makeService(), { lock: false });
    openStore(folder, { lock: false }).close();
    expect(existsSync(join(folder, "lock"))).toBe(false);
    store.close();
  });

  test("if no command can lock, the error says what to do", () => {
    vi.stubEnv("PATH", "/nowhere");
    try {
      expect(thrownBy(() => createStore(newFolder(), makeService()))).toMatchObject({
        reason: expect.stringMatching(/by the command flock: .*ENOENT; .* lock: false/) as string,
      });
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe("a reader", () => {
  const expectSame = (reader: Service, store: Service) =>
    expect(stateOf(reader)).toEqual(stateOf(store));

  test("follows the writer, change by change, and tells its own subscribers", () => {
    const folder = newFolder();
    const store = createStore(folder, makeService());
    const reader = openStore(folder, { readOnly: true });
    const told = vi.fn();
    reader.subscribe(told);
    expect(reader.refresh()).toBe(0);
    for (let n = 0; n < 12; n++) {
      change(store, n);
      if (n % 3 === 0) continue;
      expect(reader.refresh()).toBe(n % 3 === 1 ? 2 : 1);
      expectSame(reader, store);
    }
    expect(told).toHaveBeenCalledTimes(12);
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
      await vi.waitFor(() => expectSame(reader, store), 10_000);
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
    await vi.waitFor(() => expect(onInternalError).toHaveBeenCalled(), 10_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(onInternalError).toHaveBeenCalledTimes(1);
    expect(onInternalError).toHaveBeenCalledWith(expect.any(StoreError));
    writeFileSync(name, bytes);
    change(store, 0);
    await vi.waitFor(() => expectSame(reader, store), 10_000);
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
    const told = vi.fn();
    reader.subscribe(told);
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
    expect(told.mock.calls.length).toBeLessThan(n);
    expect(told.mock.calls.length).toBeGreaterThan(5);
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

  test("of a writer that is at work, in another process, sees whole changes only", async () => {
    const folder = join(newFolder(), "store");
    const writer = await startWriter(folder);
    const { changesIn } = await import("./kill/changes.ts");
    const reader = openStore(folder, { readOnly: true });
    let last = changesIn(reader);
    try {
      const end = Date.now() + 1000;
      while (Date.now() < end || last < 10) {
        const count = reader.refresh();
        const changes = changesIn(reader);
        expect(changes).toBe(last + count);
        last = changes;
        const fresh = openStore(folder, { readOnly: true });
        expect(changesIn(fresh)).toBeGreaterThanOrEqual(last);
        fresh.close();
      }
    } finally {
      await kill(writer);
    }
    reader.refresh();
    const store = openStore(folder);
    expectSame(reader, store);
    store.close();
    reader.close();
  });
});
