// Whatever is opened has an owner that closes it, whatever fails and wherever.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  defineSchema,
  int,
  string,
  type Database,
} from "../../src/index.ts";
import { createStore, openStore, StoreError } from "../../src/store/index.ts";
import { createStoreOn, openStoreOn, type StoredDatabase } from "../../src/store/store.ts";
import { faults } from "../property.ts";
import { tuned } from "../tuned.ts";
import { makeService, newFolder } from "./fixtures.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

const Old = defineSchema({ id: int({ unique: true }), name: string() });
const New = defineSchema({ id: int({ unique: true }), title: string() });

const records = Array.from({ length: 9 }, (_, id) => ({ id, name: `${id}` }));
const made = () => createDatabase({ notes: createCollection(Old, records) });
type Notes = ReturnType<typeof made>["notes"];

const inserting = (id: number) => (draft: { notes: Notes }) => {
  draft.notes = draft.notes.insert({ id, name: "new" }).remove([["id", "at_most", id % 9]]);
};

/** Runs each step, whether or not earlier ones failed. Only StoreErrors may be thrown. */
async function each(...steps: readonly (() => unknown)[]): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(StoreError);
    }
  }
}

/** Uses what `open` returns, and closes it. */
const opened =
  <Store extends { close(): void }>(
    open: () => object,
    ...uses: readonly ((store: Store) => unknown)[]
  ) =>
  async () => {
    const store = open() as Store;
    await each(...uses.map((use) => () => use(store)), () => store.close());
  };

type Writer = StoredDatabase<{ notes: Notes }>;
type Reader = Writer & { refresh(): number };

/** Creates, changes, copies, follows, migrates and closes a store. */
async function useAll(disk: SimulatedDisk): Promise<void> {
  const migrate = { notes: { 1: { rename: { name: "title" } } } };
  const follow = (writer: Writer) =>
    opened<Reader>(
      () => openStoreOn(disk, "/s", { readOnly: true }, new Map([["notes", Old]])),
      () => writer.checkpoint(),
      (reader) => reader.refresh(),
      (reader) => reader.notes.query(),
    )();
  await each(
    opened<Writer>(
      () => createStoreOn(disk, "/s", made() as unknown as Database, { lock: false }),
      (store) => store.update(inserting(100)),
      (store) => store.checkpoint(),
      (store) => Promise.all([store.updateAsync(inserting(101)), store.backup("/copies/a")]),
      follow,
      (store) => void store.updateAsync(inserting(102)).catch(() => undefined),
    ),
    opened<Writer>(
      () => openStoreOn(disk, "/s", { lock: false, migrate }, new Map([["notes", New]])),
      (store) => store.backup("/copies/b"),
    ),
  );
}

test("after any failure of the disk, once or from then on, nothing stays open", async () => {
  using _ = tuned({ fewInData: 1, fewRows: 0, sizeRatio: 1 });
  let most = 0;
  const count = () => void most++;
  const disk = new SimulatedDisk();
  Object.assign(disk, { fails: count, failsReading: count });
  await useAll(disk);
  expect(disk.openFiles).toBe(0);
  for (let run = 0; run < 2 * faults(15); run++) {
    const failing = new SimulatedDisk();
    const isOnce = run % 2 === 0;
    const last = Math.ceil(Math.random() * most);
    let asked = 0;
    const fail = () => {
      asked++;
      return asked === last || (asked > last && !isOnce) ? { code: "EIO" } : undefined;
    };
    Object.assign(failing, { fails: fail, failsReading: fail });
    await useAll(failing);
    expect([last, isOnce, failing.openFiles]).toEqual([last, isOnce, 0]);
  }
});

/** The files of this process in a folder. */
function openIn(folder: string): string[] {
  return fs.readdirSync("/proc/self/fd").flatMap((file) => {
    try {
      const path = fs.readlinkSync(`/proc/self/fd/${file}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}

test.runIf(process.platform === "linux")(
  "a lock that can't be looked at is an error, and is released, whichever look fails",
  () => {
    const folder = join(newFolder(), "store");
    createStore(folder, makeService()).close();
    const { fstatSync } = fs;
    let asked = 0;
    let failures = 0;
    try {
      for (let failing = 1; ; failing++) {
        asked = 0;
        fs.fstatSync = ((file: number, options?: fs.StatSyncOptions) => {
          if (++asked === failing) throw Object.assign(new Error("EIO: i/o"), { code: "EIO" });
          return fstatSync(file, options as undefined);
        }) as typeof fstatSync;
        syncBuiltinESMExports();
        try {
          openStore(folder).close();
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(StoreError);
          failures++;
        }
        expect(openIn(folder)).toEqual([]);
        if (asked < failing) break;
      }
    } finally {
      fs.fstatSync = fstatSync;
      syncBuiltinESMExports();
    }
    expect(failures).toBeGreaterThan(4);
    openStore(folder).close();
  },
);
