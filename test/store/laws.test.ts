// A durable service is a service: it keeps every law of tercet/testing, both new and reopened. After
// any changes, it is the same when it is reopened, and to readers that follow it.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createBatch,
  createService,
  TercetError,
  type BatchInput,
  type FileInput,
  type Service,
  type ServiceOptions,
} from "../../src/index.ts";
import type { StoreReader } from "../../src/store/reader.ts";
import { createStoreOn, openStoreOn, type StoredService } from "../../src/store/store.ts";
import { batch, checkService, files, formatReport } from "../../src/testing/index.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { SEGMENTED, SEPARATE, SHARED, stateOf } from "./fixtures.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

const FOLDER = "/store";
const unlocked = { lock: false } as const;

function made(options?: ServiceOptions): Service {
  return createStoreOn(new SimulatedDisk(), FOLDER, createService(options), unlocked);
}

const openedAgain =
  (thresholds: typeof SHARED) =>
  (options: ServiceOptions = {}): Service => {
    using _ = tuned(thresholds);
    const disk = new SimulatedDisk();
    createStoreOn(disk, FOLDER, createService(options), unlocked).close();
    const { authenticate, onInternalError, limits, indexes, indexBytes, compatibility } = options;
    const others = { authenticate, onInternalError, limits, indexes, indexBytes, compatibility };
    return openStoreOn(disk, FOLDER, { ...others, ...unlocked }) as Service;
  };

describe.each([
  ["made", made],
  ["opened again", openedAgain(SHARED)],
  ["opened again from files of collections", openedAgain(SEPARATE)],
])("a store that was %s", (_, make) => {
  test("keeps every law of a service", async () => {
    const report = await checkService(make, settings(3));
    expect(report.passed ? "" : formatReport(report)).toBe("");
  });
});

type Step =
  | { readonly what: "insert" | "replace"; readonly files: readonly FileInput[] }
  | { readonly what: "add" | "join"; readonly batch: BatchInput }
  | { readonly what: "remove" | "undo" | "checkpoint" | "open" | "refresh" };

const step = (): fc.Arbitrary<Step> =>
  fc.oneof(
    fc.record({ what: fc.constantFrom("insert", "replace"), files: files({ maxLength: 4 }) }),
    fc.record({ what: fc.constantFrom("add", "join"), batch: batch() }),
    fc.record({
      what: fc.constantFrom("remove", "undo", "checkpoint", "open", "refresh"),
    }),
  );

test("whatever is changed, in whatever order, it is the same when it is opened again", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(SEPARATE, SHARED, SEGMENTED),
      fc.array(step(), { minLength: 1, maxLength: 12 }),
      (thresholds, steps) => {
        using _ = tuned(thresholds);
        const disk = new SimulatedDisk();
        let store = createStoreOn(disk, FOLDER, createService(), unlocked);
        const reader = openStoreOn(disk, FOLDER, { readOnly: true }) as StoreReader;
        /** The same changes, without a store. */
        const model = createService();
        const undo: Parameters<Service["applyPatches"]>[0][] = [];
        for (const each of steps) {
          if (each.what === "checkpoint") store.checkpoint();
          else if (each.what === "refresh") reader.refresh();
          else if (each.what === "open") {
            store.close();
            store = openStoreOn(disk, FOLDER, unlocked) as StoredService;
          } else if (each.what === "undo") {
            const patches = undo.pop() ?? [];
            for (const service of [store, model]) service.applyPatches(patches);
          } else {
            try {
              undo.push(change(model, each).inversePatches);
            } catch (thrown) {
              // Such as an id that occurs twice: neither may change.
              if (!(thrown instanceof TercetError)) throw thrown;
              expect(() => change(store, each)).toThrow(TercetError);
              continue;
            }
            change(store, each);
          }
        }
        reader.refresh();
        const state = stateOf(model);
        expect(stateOf(store)).toEqual(state);
        store.close();
        const again = openStoreOn(disk, FOLDER, unlocked) as StoredService;
        expect(stateOf(again)).toEqual(state);
        again.close();
        expect(stateOf(reader)).toEqual(state);
        reader.close();
        expect(disk.openFiles).toBe(0);
      },
    ),
    settings(30),
  );
});

function change(service: Service, step: Step) {
  return service.update((draft) => {
    if (step.what === "insert") draft.files = draft.files.insert(step.files);
    else if (step.what === "replace") draft.files = draft.files.remove([]).insert(step.files);
    else if (step.what === "add") {
      draft.batches[String(step.batch.id)] = createBatch(step.batch);
    } else if (step.what === "join") {
      const [first] = Object.values(draft.batches);
      for (const list of step.batch.lists) first?.addList(list);
    } else if (step.what === "remove") {
      const [id] = Object.keys(draft.batches);
      if (id !== undefined) Reflect.deleteProperty(draft.batches, id);
    }
  });
}
