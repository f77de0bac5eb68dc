// A repair interrupted at any call: damaged files are still in place or renamed, even if the store was opened in
// between, and the next repair gives the result that the first would have given.

import fc from "fast-check";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCollection, createDatabase, defineSchema, int } from "../../src/index.ts";
import { StoreError } from "../../src/store/errors.ts";
import { checkStore, createStore, openStore, repairStore } from "../../src/store/index.ts";
import { repairStoreOn } from "../../src/store/repair.ts";
import { createStoreOn, openStoreOn, type StoredService } from "../../src/store/store.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { thrownBy } from "../updates/fixtures.ts";
import {
  change,
  makeService,
  newFolder,
  SEGMENTED,
  SEPARATE,
  SHARED,
  stateOf,
} from "./fixtures.ts";
import { randomFrom, SimulatedDisk } from "./simulated-disk.ts";

const FOLDER = "/store";
const unlocked = { lock: false } as const;

type Contents = ReadonlyMap<string, Uint8Array>;

/** The files of a store with changes in its data and in its journal. */
function original(thresholds: typeof SHARED): Contents {
  using _ = tuned(thresholds);
  const disk = new SimulatedDisk();
  const store = createStoreOn(disk, FOLDER, makeService(), unlocked);
  for (let n = 0; n < 8; n++) {
    if (n === 4) store.checkpoint();
    change(store, n);
  }
  store.close();
  return disk.contents();
}

const forms = [SEPARATE, SHARED, SEGMENTED];
const originals = new Map(forms.map((each) => [each, original(each)]));

/** What becomes of a file; `at` is a part of its length. */
interface Damage {
  readonly file: number;
  readonly at: number;
  readonly kind: "a flipped bit" | "cut short" | "zeros" | "missing";
}

const damage: fc.Arbitrary<Damage> = fc.record({
  file: fc.nat(),
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  kind: fc.constantFrom("a flipped bit", "cut short", "zeros", "missing"),
});

function damaged(files: Contents, damages: readonly Damage[]): Map<string, Uint8Array> {
  const result = new Map(files);
  for (const { file, at, kind } of damages) {
    const [name = "", whole = new Uint8Array()] = [...files][file % files.size] ?? [];
    const offset = Math.floor(at * whole.length);
    const bytes = whole.slice(0, kind === "cut short" ? offset : whole.length);
    if (kind === "a flipped bit") bytes[offset] = (bytes[offset] ?? 0) ^ 4;
    else if (kind === "zeros") bytes.fill(0, offset);
    if (kind === "missing") result.delete(name);
    else result.set(name, bytes);
  }
  return result;
}

/** What a disk holds that ends as `*.kept`, or has the name that it had. */
function isThere(disk: SimulatedDisk, name: string, bytes: Uint8Array): boolean {
  const contents = disk.contents();
  const kept = [...contents].filter(([each]) => each.startsWith(name) && each.endsWith(".kept"));
  const places = [...kept.map(([, found]) => found), contents.get(name)];
  if (places.some((found) => found !== undefined && isSame(found, bytes))) return true;
  // Opening cuts off the end of a journal that is no whole change, and keeps it.
  const rest = contents.get(name) ?? new Uint8Array();
  return kept.some(([, end]) => isSame(Buffer.concat([rest, end]), bytes));
}

const isSame = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

test("broken off at any call, or failing there: nothing is lost, and the next repair finds all", () => {
  let repairs = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...forms),
      fc.array(damage, { minLength: 1, maxLength: 3 }),
      fc.nat(),
      fc.constantFrom("a kill", "a power cut", "an error of the disk"),
      fc.integer(),
      (thresholds, damages, moment, what, seed) => {
        using _ = tuned(thresholds);
        const before = damaged(originals.get(thresholds) ?? new Map(), damages);
        if (![...before.keys()].some((name) => name.endsWith(".log"))) return;
        const repair = (disk: SimulatedDisk) => repairStoreOn(disk, FOLDER, unlocked);
        const stateOn = (disk: SimulatedDisk) => {
          const store = openStoreOn(disk, FOLDER, unlocked) as StoredService;
          const state = stateOf(store);
          store.close();
          return state;
        };
        const whole = new SimulatedDisk(before);
        const { problems, kept } = repair(whole);
        if (problems.length === 0) return;
        repairs++;
        const names = [...before.keys()].filter((name) =>
          kept.some((each) => each.startsWith(name)),
        );
        const expectKept = (disk: SimulatedDisk) => {
          for (const name of names) {
            const bytes = before.get(name) ?? new Uint8Array();
            expect([name, isThere(disk, name, bytes)]).toEqual([name, true]);
          }
        };
        expectKept(whole);
        for (const { file } of problems) if (before.has(file)) expect(names).toContain(file);

        const disk = new SimulatedDisk(before);
        const last = 1 + (moment % whole.operations);
        const isOver = what === "an error of the disk";
        const fails = (operation: number) => (isOver ? operation === last : operation >= last);
        const named: string[] = [];
        disk.fails = (operation, name) => {
          if (name === `rename ${FOLDER}/store.json`) named.push(name);
          return fails(operation) ? { code: "EIO", share: 0.6 } : undefined;
        };
        try {
          repair(disk);
          // What is removed at last need not be.
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(StoreError);
          if (isOver && named.length === 0) {
            const names = [...disk.contents().keys()].filter((name) => !name.endsWith(".kept"));
            expect(names.filter((name) => !before.has(name))).toEqual([]);
          }
        }
        disk.fails = () => undefined;
        const left = what === "a power cut" ? disk.afterPowerCut(randomFrom(seed)) : disk;
        expectKept(left);
        try {
          stateOn(left);
        } catch (thrown) {
          // It is damaged still.
          expect(thrown).toBeInstanceOf(StoreError);
        }
        expectKept(left);
        repair(left);
        expectKept(left);
        expect(stateOn(left)).toEqual(stateOn(whole));
        expectKept(left);
        expect(left.openFiles).toBe(0);
      },
    ),
    settings(30),
  );
  expect(repairs).toBeGreaterThan(0);
}, 120_000);

describe("something other than a file in the place of one", () => {
  const places = ["store.json", "store.json.next", "data-1.log", "journal-1.log"];
  const kinds = [
    { kind: "a directory", make: (path: string) => mkdirSync(path) },
    // Who opens one waits for somebody who writes to it.
    { kind: "a FIFO", make: (path: string) => execFileSync("mkfifo", [path]) },
  ].filter(({ kind }) => process.platform !== "win32" || kind === "a directory");

  /** A store with a change in its journal. */
  function makeStore(): string {
    const folder = newFolder();
    const store = createStore(folder, makeService(), unlocked);
    change(store, 0);
    store.close();
    return folder;
  }

  describe.each(kinds)("$kind", ({ make }) => {
    test.each(places)("for %s is an error, and repair sets it aside", (name) => {
      const folder = makeStore();
      const path = join(folder, name);
      rmSync(path, { force: true });
      make(path);
      const reason = expect.stringMatching(/it is (?:not a regular file|a folder; .*)$/) as string;
      expect(checkStore(folder).problems).toEqual([{ file: path, offset: undefined, reason }]);
      const { kept, changes } = repairStore(folder, unlocked);
      expect(kept).toEqual([`${path}.kept`]);
      expect(readdirSync(folder)).toContain(`${name}.kept`);
      expect(checkStore(folder).problems).toEqual([]);
      const store = openStore(folder, unlocked);
      expect(changes).toBe(name === "journal-1.log" ? 0 : 1);
      const lost = name === "data-1.log" ? 3 : changes === 0 ? 1 : 0;
      expect(store.searchFiles()).toHaveLength(4 - lost);
      store.checkpoint();
      store.close();
    });

    test("for the lock is an error", () => {
      const folder = makeStore();
      make(join(folder, "lock"));
      const error = { name: "StoreError", file: join(folder, "lock") };
      expect(thrownBy(() => openStore(folder))).toMatchObject(error);
      expect(thrownBy(() => createStore(folder, makeService()))).toMatchObject(error);
    });
  });
});

test("a file of a collection that is missing, or that the disk can't read, is as good as lost", () => {
  const lost = (disk: SimulatedDisk) => {
    using _ = tuned(SEPARATE);
    const { kept } = repairStoreOn(disk, FOLDER, unlocked);
    const store = openStoreOn(disk, FOLDER, unlocked) as StoredService;
    expect(store.files.size).toBe(4);
    expect(Object.keys(store.batches)).toEqual(["2", "5"]);
    store.close();
    expect(disk.openFiles).toBe(0);
    return kept;
  };
  const files = originals.get(SEPARATE) ?? new Map<string, Uint8Array>();
  // The Files before the last checkpoint: those that there were first, and those that changes added.
  const paths = [...files.keys()].filter((name) => name.includes("/files-"));
  expect(paths.length).toBeGreaterThan(0);
  const others = new Map([...files].filter(([name]) => !paths.includes(name)));
  expect(lost(new SimulatedDisk(others))).toEqual([]);

  class FailingDisk extends SimulatedDisk {
    readonly #failing = new Set<number>();

    override open(name: string, mode: "r" | "r+" | "w+"): number {
      const file = super.open(name, mode);
      if (paths.includes(name)) this.#failing.add(file);
      return file;
    }

    override read(file: number, into: Uint8Array, position: number): number {
      if (this.#failing.has(file) && position === 0) throw new Error("EIO: i/o error, read");
      return super.read(file, into, position);
    }
  }
  expect(lost(new FailingDisk(files))).toEqual(paths.map((path) => `${path}.kept`));
});

test("a collection whose schema is lost with the data has the schema of its file", () => {
  using _ = tuned(SEPARATE);
  const folder = newFolder();
  const Item = defineSchema({ id: int({ unique: true }) });
  const items = createCollection(Item, [{ id: 1 }, { id: 2 }]);
  createStore(folder, createDatabase({ items }), unlocked).close();
  rmSync(join(folder, "data-1.log"));
  repairStore(folder, unlocked);
  const store = openStore(folder, { items: Item }, unlocked);
  expect(store.items.size).toBe(2);
  store.close();
});
