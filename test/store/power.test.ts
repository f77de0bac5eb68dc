// The power is cut at any moment, and each unsynced block may be lost: every acknowledged change is there, and none is
// partial. Disk errors at any moment: changes that could not be written were not made. `npm test` tries some moments,
// `npm run test:kill` each many times.

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createService, type Service } from "../../src/index.ts";
import { StoreError } from "../../src/store/errors.ts";
import type { StoreReader } from "../../src/store/reader.ts";
import { createStoreOn, openStoreOn, type StoredService } from "../../src/store/store.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { change, makeService, recipe, SEGMENTED, SHARED, stateOf } from "./fixtures.ts";
import { randomFrom, SimulatedDisk, type Failure } from "./simulated-disk.ts";
import { SimulatedPool } from "./simulated-pool.ts";

const FOLDER = "/store";
const CHANGES = 9;
/** What is left of what was not synced. */
const NOTHING_WRITTEN = () => 0;

/** What a service holds after so many changes. */
const states = Array.from({ length: CHANGES + 1 }, (_, count) => {
  const service = makeService();
  for (let n = 0; n < count; n++) change(service, n);
  return JSON.stringify(stateOf(service));
});

/** Collections that stand with the others, and in files of their own; on the files of a system, and of a browser. */
const forms = [
  { form: "in one file", thresholds: SHARED, Simulated: SimulatedDisk },
  { form: "in files of segments", thresholds: SEGMENTED, Simulated: SimulatedDisk },
  { form: "in one file of a pool", thresholds: SHARED, Simulated: SimulatedPool },
  { form: "in files of segments in a pool", thresholds: SEGMENTED, Simulated: SimulatedPool },
];

type Simulated = SimulatedDisk | SimulatedPool;

describe.each(forms)("collections $form:", ({ thresholds, Simulated }) => {
  let usual: Disposable;
  beforeEach(() => (usual = tuned(thresholds)));
  afterEach(() => usual[Symbol.dispose]());

  const create = (disk: Simulated, service: Service) =>
    createStoreOn(disk, FOLDER, service, { lock: false });
  const open = (disk: Simulated) =>
    // The lock is a file of the system.
    openStoreOn(disk, FOLDER, { lock: false }) as StoredService;

  /** Makes a store and all changes, with checkpoints between; says how many were acknowledged. */
  function work(disk: Simulated, acknowledged: (count: number) => void): void {
    const store = create(disk, makeService());
    acknowledged(0);
    for (let n = 0; n < CHANGES; n++) {
      change(store, n);
      acknowledged(n + 1);
      if (n % 4 === 2) store.checkpoint();
    }
    store.close();
  }

  function operationsOf(run: (disk: Simulated) => void): number {
    const disk = new Simulated();
    run(disk);
    return disk.operations;
  }

  /** Which of the states it is. */
  function stateNumber(service: Service): number {
    return states.indexOf(JSON.stringify(stateOf(service)));
  }

  const operations = operationsOf((disk) => work(disk, () => undefined));
  const anyOperation = fc.integer({ min: 1, max: operations });

  describe("the power is cut", () => {
    test("at any operation: what was acknowledged is there, and no change in part", () => {
      const at = (last: number, seed: number) => {
        const disk = new Simulated();
        disk.fails = (operation) => (operation >= last ? { code: "EIO", share: 0.6 } : undefined);
        let acknowledged = -1;
        try {
          work(disk, (count) => (acknowledged = count));
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(StoreError);
        }
        expectState(disk.afterPowerCut(randomFrom(seed)), acknowledged);
      };
      fc.assert(fc.property(anyOperation, fc.integer(), at), settings(15));
    });

    test("after each change, and nothing is left that was not synced: what was acknowledged is there", () => {
      const disk = new Simulated();
      work(disk, (count) => expectState(disk.afterPowerCut(NOTHING_WRITTEN), count));
    });

    test("and again while the store is opened: nothing is lost either", () => {
      const disk = new Simulated();
      let acknowledged = 0;
      disk.fails = (operation) => (operation === operations - 6 ? { code: "EIO" } : undefined);
      try {
        work(disk, (count) => (acknowledged = count));
      } catch {
        // The change that was being made.
      }
      const again = (last: number, seed: number) => {
        const random = randomFrom(seed);
        const first = disk.afterPowerCut(random);
        first.fails = (operation) => (operation > last ? { code: "EIO" } : undefined);
        try {
          open(first).checkpoint();
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(StoreError);
        }
        expectState(first.afterPowerCut(random), acknowledged);
      };
      fc.assert(fc.property(fc.integer({ min: 0, max: 7 }), fc.integer(), again), settings(15));
    });

    /** That a disk has a store with the changes that were acknowledged, and one more at most. */
    function expectState(disk: Simulated, acknowledged: number): void {
      let store: StoredService;
      try {
        store = open(disk);
      } catch (thrown) {
        if (!(thrown instanceof StoreError)) throw thrown;
        // It was not there yet. It can be made now.
        expect([acknowledged, thrown.reason]).toEqual([
          -1,
          expect.stringContaining("no such file"),
        ]);
        create(disk, createService()).close();
        return;
      }
      const number = stateNumber(store);
      expect([Math.max(acknowledged, 0), acknowledged + 1]).toContain(number);
      // It goes on from there.
      for (let n = number; n < CHANGES; n++) change(store, n);
      store.close();
      const again = open(disk);
      expect(stateNumber(again)).toBe(CHANGES);
      again.close();
      expect(disk.openFiles).toBe(0);
    }
  });

  describe("changes in flight", () => {
    const steps = fc.array(
      fc.constantFrom(
        ...["later", "later", "later", "later", "now", "turn", "wait", "checkpoint", "backup"],
        ...["nothing", "nothing later"],
      ),
      { minLength: 1, maxLength: 16 },
    );

    /** Changes that find nothing to do. */
    const withoutEffect: ((store: StoredService) => unknown)[] = [
      (store) => store.update(() => undefined),
      (store) => store.applyPatches([]),
      (store) =>
        store.update((draft) => {
          draft.files = draft.files.remove([["id", "exactly", -1]]);
        }),
      (store) =>
        store.update((draft) => {
          draft.files = draft.files.update([], (file) => {
            const { name } = file;
            file.name = name;
          });
        }),
    ];

    /** A store whose changes are in flight, as the steps say. */
    class InFlight {
      readonly store: StoredService;
      /** The number of the last change that is known to be on disk, and of the last one that was begun. */
      acknowledged = 0;
      begun = 0;
      #all: Promise<void>[] = [];
      #steps = 0;
      readonly #disk: Simulated;

      constructor(disk: Simulated) {
        this.#disk = disk;
        this.store = create(disk, makeService());
      }

      async take(step: string): Promise<void> {
        const { store } = this;
        const n = this.#requireState();
        if (step === "wait") await this.wait();
        else if (step === "turn") await new Promise((resolve) => setImmediate(resolve));
        else if (step === "checkpoint") {
          store.checkpoint();
          this.#acknowledge(n);
        } else if (step === "nothing") {
          // It has returned, so all that it could see is durable.
          withoutEffect[this.#steps++ % withoutEffect.length]?.(store);
          this.#acknowledge(n);
        } else if (step === "nothing later") {
          this.#all.push(this.#later(n, () => undefined, n));
        } else if (step === "backup") {
          this.#all.push(this.#backup(`/copy-${this.#steps++}`));
        } else if (n < CHANGES) {
          this.begun = Math.max(this.begun, n + 1);
          if (step === "later") this.#all.push(this.#later(n, recipe(n), n + 1));
          else {
            change(store, n);
            this.#acknowledge(n + 1);
          }
        }
      }

      /** @param after the number of changes with that of the recipe */
      async #later(n: number, change: ReturnType<typeof recipe>, after: number): Promise<void> {
        try {
          await this.store.updateAsync(change);
          // None before it is still in flight, unless it has no effect itself.
          if (after > n) expect(this.acknowledged).toBeGreaterThanOrEqual(n);
          this.#acknowledge(after);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(StoreError);
        }
      }

      /** What is in a backup is on disk in the store too, and never taken back. */
      async #backup(folder: string): Promise<void> {
        try {
          const { change } = await this.store.backup(folder);
          const copy = openStoreOn(this.#disk, folder, { lock: false, readOnly: true });
          const last = stateNumber(copy as Service);
          (copy as StoreReader).close();
          this.#acknowledge(last);
          // A change that a failed checkpoint took back keeps its number.
          expect(change).toBeGreaterThanOrEqual(last);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(StoreError);
        }
      }

      #acknowledge(count: number): void {
        this.acknowledged = Math.max(this.acknowledged, count);
      }

      /** The number of changes in memory: no acknowledged one is ever taken back, and none in part. */
      #requireState(): number {
        const number = stateNumber(this.store);
        expect(number).toBeGreaterThanOrEqual(this.acknowledged);
        return number;
      }

      /** Until nothing is in flight: memory then has what was acknowledged. */
      async wait(): Promise<void> {
        await Promise.all(this.#all);
        this.#all = [];
        expect(this.#requireState()).toBe(this.acknowledged);
      }
    }

    test("what was acknowledged is there after a power cut at any operation, in order, no change in part", async () => {
      const at = async (taken: readonly string[], last: number, seed: number) => {
        const disk = new Simulated();
        const working = new InFlight(disk);
        const { operations: before } = disk;
        disk.fails = (operation) =>
          operation >= before + last ? { code: "EIO", share: 0.6 } : undefined;
        try {
          for (const step of taken) await working.take(step);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(StoreError);
        }
        // Of those in flight, what the disk has by then.
        for (const turns of [0, 1, 5]) {
          for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
          const { acknowledged, begun } = working;
          const store = open(disk.afterPowerCut(randomFrom(seed)));
          const number = stateNumber(store);
          expect(number).toBeGreaterThanOrEqual(acknowledged);
          expect(number).toBeLessThanOrEqual(begun);
          store.close();
        }
        await working.wait();
      };
      await fc.assert(
        fc.asyncProperty(steps, fc.integer({ min: 1, max: 40 }), fc.integer(), at),
        settings(40),
      );
    });

    test("where the disk fails once, each change is acknowledged and there, or taken back", async () => {
      const at = async (taken: readonly string[], failing: number, failure: Failure) => {
        const disk = new Simulated();
        const working = new InFlight(disk);
        const { operations: before } = disk;
        disk.fails = (operation) => (operation === before + failing ? failure : undefined);
        for (const step of taken) {
          try {
            await working.take(step);
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(StoreError);
          }
        }
        await working.wait();
        disk.fails = () => undefined;
        // The journal accepts no more if it could not be synced.
        working.store.checkpoint();
        await working.take("later");
        await working.wait();
        const { acknowledged } = working;
        working.store.close();
        // A sync may be under way, though everything is durable by an update or a checkpoint.
        await new Promise((resolve) => setImmediate(resolve));
        expect(disk.openFiles).toBe(0);
        for (const left of [disk, disk.afterPowerCut(randomFrom(failing))]) {
          const again = open(left);
          expect(stateNumber(again)).toBe(acknowledged);
          again.close();
        }
      };
      await fc.assert(
        fc.asyncProperty(
          steps,
          fc.integer({ min: 1, max: 40 }),
          fc.constantFrom<Failure>(
            { code: "ENOSPC" },
            { code: "ENOSPC", share: 0.7 },
            { code: "EIO", share: 1 },
          ),
          at,
        ),
        settings(40),
      );
    });
  });

  describe("the disk fails once, and the process goes on", () => {
    const failures: Failure[] = [
      // Full: with nothing written, in the middle of a write, and after it.
      { code: "ENOSPC" },
      { code: "ENOSPC", share: 0.7 },
      { code: "ENOSPC", share: 1 },
      { code: "EIO" },
    ];

    test("a change is acknowledged and there, or neither", () => {
      const at = (failing: number, failure: Failure) => {
        const disk = new Simulated();
        disk.fails = (operation) => (operation === failing ? failure : undefined);
        const service = makeService();
        let store: StoredService;
        try {
          store = create(disk, service);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(StoreError);
          // It has not become a store, and can be made one when the disk is well again.
          store = create(disk, service);
        }
        for (let n = 0; n < CHANGES; n++) {
          attemptTwice(() => change(store, n), store, n);
          if (n % 4 === 2) attemptTwice(() => store.checkpoint(), store, n + 1);
          expect(stateNumber(store)).toBe(n + 1);
        }
        store.close();
        expect(disk.openFiles).toBe(0);
        // What the process before left to the system may be gone: all of it was synced.
        for (const left of [disk, disk.afterPowerCut(randomFrom(failing))]) {
          const again = open(left);
          expect(stateNumber(again)).toBe(CHANGES);
          again.close();
        }
      };
      fc.assert(fc.property(anyOperation, fc.constantFrom(...failures), at), settings(20));
    });

    /** Where it fails, nothing has changed, and the second time it succeeds. */
    function attemptTwice(run: () => void, store: StoredService, number: number): void {
      try {
        run();
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(StoreError);
        expect(stateNumber(store)).toBe(number);
        try {
          run();
        } catch (again) {
          // A file that could not be synced takes no more.
          expect(again).toMatchObject({
            reason: expect.stringMatching(/could not be synced/) as string,
          });
          store.checkpoint();
          run();
        }
      }
    }

    test("a checkpoint that happens by itself and fails is reported, and the change is made", () => {
      const disk = new Simulated();
      const reported: unknown[] = [];
      const service = createService({ onInternalError: (thrown) => void reported.push(thrown) });
      const store = create(disk, service);
      const add = (id: number) =>
        store.update((draft) => {
          const file = { id, folder_id: 1, name: "x", url: "u".repeat(400_000) };
          draft.files = draft.files.insert([file]);
        });
      disk.fails = (_, name) => (name.startsWith("open") ? { code: "ENOSPC" } : undefined);
      for (let id = 1; id <= 5; id++) add(id);
      expect(reported).toEqual([
        expect.objectContaining({
          file: `${FOLDER}/${thresholds === SHARED ? "data-2.log" : "files-2.arrow"}`,
          reason: expect.any(String) as string,
        }),
      ]);
      // It is tried again when the journal is twice as long.
      disk.fails = () => undefined;
      for (let id = 6; id <= 8; id++) add(id);
      store.close();
      expect(disk.list(FOLDER)).toContain("data-2.log");
      const again = open(disk);
      expect(again.searchFiles()).toHaveLength(8);
      again.close();
    });
  });
});
