// Creating a store: acknowledged changes and the folder are durable. A creation that fails or is interrupted leaves
// nothing, removes nothing else, and does not disturb a concurrent creation.

import fc from "fast-check";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Disk } from "../../src/store/disk.ts";
import { nodeDisk } from "../../src/store/node-disk.ts";
import { createStore, openStore, StoreError } from "../../src/store/index.ts";
import { createStoreOn, openStoreOn, type StoredService } from "../../src/store/store.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { thrownBy } from "../updates/fixtures.ts";
import { change, makeService, newFolder, stateOf } from "./fixtures.ts";
import { randomFrom, SimulatedDisk } from "./simulated-disk.ts";

const unlocked = { lock: false } as const;
const FOLDER = "/a/b/store";

const create = (disk: Disk, fewInData = 1000) => {
  using _ = tuned({ fewInData });
  return createStoreOn(disk, FOLDER, makeService(), unlocked);
};
const open = (disk: Disk) => openStoreOn(disk, FOLDER, unlocked) as StoredService;

test("what was acknowledged survives a power cut, with the folders that it is in", () => {
  for (const there of [[], ["/a"], ["/a", "/a/b", FOLDER]]) {
    for (let seed = 0; seed < 20; seed++) {
      const disk = new SimulatedDisk();
      for (const directory of there) disk.makeDirectory(directory);
      // All but the folder above is somebody else's to sync.
      for (const above of ["/", "/a"].slice(0, there.length)) disk.syncDirectory(above);
      change(create(disk), 0);
      const after = disk.afterPowerCut(randomFrom(seed));
      expect(after.names()).toContain(FOLDER);
      expect(open(after).searchFiles()).toHaveLength(4);
    }
  }
});

test("the folder above is synced if it may be, and must be if it may", () => {
  const failing = (code: string) => {
    const disk = new SimulatedDisk();
    disk.fails = (_, what) => (what === "syncDirectory /" ? { code } : undefined);
    return disk;
  };
  for (const code of ["EACCES", "EPERM"]) {
    const disk = failing(code);
    create(disk);
    expect(open(disk).searchFiles()).toHaveLength(3);
  }
  const disk = failing("EIO");
  expect(() => create(disk)).toThrow("/: can't be synced: failed");
  expect(disk.names()).toEqual(["/"]);
});

describe("a making", () => {
  const cases = fc.record({
    fewInData: fc.constantFrom(0, 1000),
    moment: fc.nat(),
    isFolderThere: fc.boolean(),
    seed: fc.integer(),
  });

  function given(isFolderThere: boolean): SimulatedDisk {
    const disk = new SimulatedDisk();
    for (const directory of isFolderThere ? ["/a", "/a/b", FOLDER] : []) {
      disk.makeDirectory(directory);
      disk.syncDirectory(dirname(directory));
    }
    disk.operations = 0;
    return disk;
  }

  /** One of the operations that it takes. */
  function operationAt(moment: number, fewInData: number, isFolderThere: boolean): number {
    const disk = given(isFolderThere);
    create(disk, fewInData);
    return 1 + (moment % disk.operations);
  }

  test("that fails leaves nothing, not even a folder, and can be tried again", () => {
    fc.assert(
      fc.property(cases, ({ fewInData, moment, isFolderThere }) => {
        const disk = given(isFolderThere);
        const before = disk.names();
        const failing = operationAt(moment, fewInData, isFolderThere);
        disk.fails = (operation) =>
          operation === failing ? { code: "ENOSPC", share: 0.5 } : undefined;
        try {
          create(disk, fewInData);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(StoreError);
          expect(disk.names()).toEqual(before);
          expect(disk.openFiles).toBe(0);
        }
        if (!disk.names().includes(`${FOLDER}/store.json`)) create(disk, fewInData);
        expect(stateOf(open(disk))).toEqual(stateOf(makeService()));
      }),
      settings(30),
    );
  });

  test("that is killed, or loses power, leaves what the next one removes, or who opens a store", () => {
    fc.assert(
      fc.property(
        cases,
        fc.boolean(),
        fc.boolean(),
        ({ fewInData, moment, isFolderThere, seed }, isPowerCut, isOpened) => {
          const disk = given(isFolderThere);
          const last = operationAt(moment, fewInData, isFolderThere);
          disk.fails = (operation) => (operation >= last ? { code: "EIO", share: 0.5 } : undefined);
          expect(thrownBy(() => create(disk, fewInData))).toBeInstanceOf(StoreError);
          disk.fails = () => undefined;
          const left = isPowerCut ? disk.afterPowerCut(randomFrom(seed)) : disk;
          const filesLeft = () => [...left.contents().keys()];
          if (filesLeft().includes(`${FOLDER}/store.json`)) {
            // It was whole, and not acknowledged.
            expect(stateOf(open(left))).toEqual(stateOf(makeService()));
            return;
          }
          if (isOpened) {
            expect(thrownBy(() => open(left))).toMatchObject({ file: `${FOLDER}/store.json` });
            expect(filesLeft()).toEqual([]);
          }
          create(left, 1000).close();
          const names = ["data-1.log", "journal-1.log", "store.json"];
          expect(filesLeft().sort()).toEqual(names.map((name) => `${FOLDER}/${name}`));
        },
      ),
      settings(30),
    );
  });

  test("or opening takes nothing away that is somebody's, whatever it is called", () => {
    const names = [
      "notes.txt",
      "lock",
      "store.json.next",
      "store.json.new",
      "store.json",
      "data-1.log",
    ];
    const arrows = ["files-1.arrow", "batch-5-1.arrow", "journal-1.log", "data-2.log"];
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom(...names, ...arrows), { minLength: 1 }),
        fc.constantFrom(create, open),
        (given, run) => {
          const theirs = given.map((name) => [`${FOLDER}/${name}`, Buffer.from("mine")] as const);
          const disk = new SimulatedDisk(new Map(theirs));
          const before = disk.contents();
          expect(thrownBy(() => run(disk))).toBeInstanceOf(StoreError);
          expect(disk.contents()).toEqual(before);
        },
      ),
      settings(30),
    );
  });
});

describe("the lock", () => {
  const full: Disk = {
    ...nodeDisk,
    write() {
      throw new Error("ENOSPC: no space left on device, write");
    },
  };

  test("goes, with the folders, where making a store fails", () => {
    const folder = newFolder();
    const path = join(folder, "new", "store");
    expect(thrownBy(() => createStoreOn(full, path, makeService(), {}))).toMatchObject({
      reason: "can't be written: no space left on device",
    });
    expect(readdirSync(folder)).toEqual([]);
    createStore(path, makeService()).close();
  });

  test("is not made in somebody else's folder, and files of these names are not touched", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "notes.txt"), "");
    const refused = () => thrownBy(() => createStore(folder, makeService()));
    expect(refused()).toMatchObject({ reason: "is not empty: there is notes.txt" });
    expect(readdirSync(folder)).toEqual(["notes.txt"]);
    const other = newFolder();
    writeFileSync(join(other, "lock"), "of somebody else");
    expect(thrownBy(() => createStore(other, makeService()))).toMatchObject({
      reason: "is not empty: there is lock",
    });
    expect(thrownBy(() => openStore(other))).toBeInstanceOf(StoreError);
    expect(readFileSync(join(other, "lock"), "utf8")).toBe("of somebody else");
  });

  test("of a process that was killed as it began is removed by who opens a store", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "lock"), "process 1 on host\n");
    expect(thrownBy(() => openStore(folder))).toMatchObject({ file: join(folder, "store.json") });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("keeps others out while a store is being made", () => {
    const folder = newFolder();
    const refusals: unknown[] = [];
    const disk: Disk = {
      ...nodeDisk,
      sync(file) {
        for (const run of [() => openStore(folder), () => createStore(folder, makeService())]) {
          refusals.push(thrownBy(run));
        }
        nodeDisk.sync(file);
      },
    };
    const store = createStoreOn(disk, folder, makeService(), { durability: "os" });
    expect(refusals.length).toBeGreaterThan(4);
    const reason = expect.stringMatching(/^another writer has the store open/) as string;
    for (const each of refusals) expect(each).toMatchObject({ name: "StoreError", reason });
    change(store, 0);
    expect(existsSync(join(folder, "store.json"))).toBe(true);
  });

  test.skipIf(process.platform !== "linux")(
    "is taken again where its file was removed between opening and locking it",
    () => {
      const folder = newFolder();
      const bin = newFolder();
      // Removes the file once, as one does whose making has failed.
      const script = `#!/bin/sh\nif mkdir ${bin}/once 2>&-; then rm ${folder}/lock; fi\nPATH=$OTHER exec flock "$@"\n`;
      writeFileSync(join(bin, "flock"), script);
      chmodSync(join(bin, "flock"), 0o755);
      vi.stubEnv("OTHER", process.env.PATH);
      vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
      try {
        const store = createStore(folder, makeService());
        expect(existsSync(join(bin, "once"))).toBe(true);
        expect(thrownBy(() => openStore(folder))).toMatchObject({ file: join(folder, "lock") });
        store.close();
      } finally {
        vi.unstubAllEnvs();
      }
    },
  );
});

test.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
  "needs no right to read the folder above",
  () => {
    const above = join(newFolder(), "above");
    mkdirSync(above, 0o300);
    createStore(join(above, "store"), makeService()).close();
    chmodSync(above, 0o700);
  },
);
