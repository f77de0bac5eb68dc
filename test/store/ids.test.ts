// Stores keep the numbers that the default `next` has given: in checkpoints, in journals, through migrations and
// repairs, and when the power is cut.

import { writeFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  type Database,
  defineSchema,
  int,
  next,
  string,
} from "../../src/index.ts";
import {
  type CollectionsOf,
  createStore,
  openStore,
  repairStore,
  StoreError,
  type StoredDatabase,
} from "../../src/store/index.ts";
import { createStoreOn, openStoreOn } from "../../src/store/store.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { untyped } from "../rules/fixtures.ts";
import { newFolder, SEGMENTED, SHARED } from "./fixtures.ts";
import { randomFrom, SimulatedDisk } from "./simulated-disk.ts";

const Ticket = defineSchema({
  id: int({ unique: true, default: next }),
  subject: string({ default: "" }),
});
const schemas = { tickets: Ticket };
type Store = StoredDatabase<CollectionsOf<typeof schemas>>;

const FOLDER = "/store";

type Step = "insert" | "insert two" | "remove all" | "checkpoint" | "reopen" | number;

const anyStep = fc.oneof(
  fc.constantFrom<Step>("insert", "insert two", "remove all", "checkpoint", "reopen"),
  fc.integer({ min: 1, max: 40 }),
);

const emptied = () => createDatabase({ tickets: createCollection(Ticket) });

const holder = (): Database => untyped(emptied());

const forms = [
  { form: "in one file", thresholds: SHARED },
  { form: "in files of segments", thresholds: SEGMENTED },
];

describe.each(forms)("collections $form:", ({ thresholds }) => {
  let usual: Disposable;
  beforeEach(() => (usual = tuned(thresholds)));
  afterEach(() => usual[Symbol.dispose]());

  const open = (disk: SimulatedDisk): Store =>
    untyped(openStoreOn(disk, FOLDER, { lock: false }, new Map(Object.entries(schemas))));

  /** Takes a step. @param done called with the greatest number given, once it is acknowledged */
  function take(store: Store, step: Step, last: number): number {
    if (step === "remove all") {
      store.update((draft) => {
        draft.tickets = draft.tickets.remove(null);
      });
      return last;
    }
    const records = step === "insert" ? [{}] : step === "insert two" ? [{}, {}] : [{ id: step }];
    if (typeof step === "number" && store.tickets.get("id", step) !== undefined) return last;
    store.update((draft) => {
      draft.tickets = draft.tickets.insert(records);
    });
    return Math.max(last, ...Array.from(store.tickets, ({ id }) => id));
  }

  test("numbers go on after a restart, and after a power cut", () => {
    const holds = (steps: readonly Step[], failsAt: number, seed: number) => {
      const disk = new SimulatedDisk();
      let acknowledged = 0;
      let isMade = false;
      disk.fails = (operation) => (operation >= failsAt ? { code: "EIO", share: 0.6 } : undefined);
      try {
        createStoreOn(disk, FOLDER, holder(), { lock: false }).close();
        isMade = true;
        let store = open(disk);
        for (const step of steps) {
          if (step === "checkpoint") store.checkpoint();
          else if (step === "reopen") {
            store.close();
            store = open(disk);
          } else acknowledged = take(store, step, acknowledged);
        }
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(StoreError);
      }
      if (!isMade) return;
      const after = open(disk.afterPowerCut(randomFrom(seed)));
      const there = Math.max(0, ...Array.from(after.tickets, ({ id }) => id));
      after.update((draft) => {
        draft.tickets = draft.tickets.insert({});
      });
      // A change that was not acknowledged may be there, with two numbers at most, or with one of its own.
      const id = after.tickets.at(-1)?.id ?? 0;
      if (there > acknowledged) expect(id).toBe(there + 1);
      else expect(id).toBeGreaterThan(acknowledged);
      expect(id).toBeLessThanOrEqual(Math.max(acknowledged, 40) + 3);
    };
    const never = fc.constant(Number.MAX_SAFE_INTEGER);
    fc.assert(
      fc.property(
        fc.array(anyStep, { maxLength: 12 }),
        fc.oneof(never, fc.integer({ min: 1, max: 150 })),
        fc.integer(),
        holds,
      ),
      settings(60),
    );
  });

  test("numbers are exact after a restart without a failure", () => {
    const holds = (steps: readonly Step[], isCheckpointed: boolean) => {
      const disk = new SimulatedDisk();
      let last = 0;
      let store: Store = untyped(createStoreOn(disk, FOLDER, holder(), { lock: false }));
      for (const step of steps) {
        if (step === "checkpoint") store.checkpoint();
        else if (step === "reopen") {
          store.close();
          store = open(disk);
        } else last = take(store, step, last);
      }
      if (isCheckpointed) store.checkpoint();
      store.close();
      store = open(disk);
      store.update((draft) => {
        draft.tickets = draft.tickets.insert({});
      });
      expect(store.tickets.at(-1)?.id).toBe(last + 1);
    };
    fc.assert(fc.property(fc.array(anyStep, { maxLength: 12 }), fc.boolean(), holds), settings(40));
  });
});

/** A store in which the greatest number, 3, was given to a record that is no longer there. */
function counted(directory: string, isCheckpointed: boolean): void {
  const store = createStore(directory, emptied());
  store.update((draft) => {
    draft.tickets = draft.tickets.insert([{}, {}, {}]);
  });
  store.update((draft) => {
    draft.tickets = draft.tickets.remove([["id", "at_least", 2]]);
  });
  if (isCheckpointed) store.checkpoint();
  store.close();
}

const nextIn = (store: {
  tickets: { insert: (record: object) => { at: (i: number) => unknown } };
}) => store.tickets.insert({}).at(-1);

describe.each([true, false])("with a checkpoint: %s", (isCheckpointed) => {
  const made = () => {
    const directory = join(newFolder(), "store");
    counted(directory, isCheckpointed);
    return directory;
  };

  test("a reader gives the same numbers as the writer", () => {
    const directory = made();
    const reader = openStore(directory, schemas, { readOnly: true });
    expect(nextIn(reader)).toMatchObject({ id: 4 });
    const store = openStore(directory, schemas);
    store.update((draft) => {
      draft.tickets = draft.tickets.insert({});
    });
    reader.refresh();
    expect(nextIn(reader)).toMatchObject({ id: 5 });
    reader.close();
    store.close();
  });

  test("a migration keeps the numbers, also of a field that it renames", () => {
    const directory = made();
    const Numbered = defineSchema({
      number: int({ unique: true, default: next }),
      subject: string({ default: "" }),
      line: int({ default: next }),
    });
    const store = openStore(
      directory,
      { tickets: Numbered },
      { migrate: { tickets: { rename: { id: "number" } } } },
    );
    expect([...store.tickets]).toEqual([{ number: 1, subject: "", line: 1 }]);
    expect(nextIn(store)).toEqual({ number: 4, subject: "", line: 2 });
    store.close();
    const again = openStore(directory, { tickets: Numbered }, { migrate: { tickets: { rename: { id: "number" } } } }); // oxfmt-ignore
    expect(nextIn(again)).toEqual({ number: 4, subject: "", line: 2 });
    again.close();
  });

  test("a repair keeps the numbers of intact data", () => {
    const directory = made();
    const journal = readdirSync(directory).find((name) => name.includes("journal")) ?? "";
    const path = join(directory, journal);
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([bytes, Buffer.from("rubbish")]));
    repairStore(directory);
    const store = openStore(directory, schemas);
    expect(nextIn(store)).toMatchObject({ id: 4 });
    store.close();
  });
});
