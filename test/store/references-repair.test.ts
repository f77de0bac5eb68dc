// A repaired store has no reference to a lost record (C21): whoever referred to it by `onRemove: "null"` has null, and
// others are gone, with those that referred to them.

import fc from "fast-check";
import { expect, test } from "vitest";
import { createCollection, createDatabase, defineSchema, int, string } from "../../src/index.ts";
import type { CollectionsOf } from "../../src/store/index.ts";
import { repairStoreOn } from "../../src/store/repair.ts";
import { createStoreOn, openStoreOn, type StoredDatabase } from "../../src/store/store.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";
import { tuned } from "../tuned.ts";
import { SEGMENTED, SEPARATE, SHARED } from "./fixtures.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

const FOLDER = "/store";
const unlocked = { lock: false } as const;

const Region = defineSchema({ code: string({ unique: true }) });
const Customer = defineSchema({
  id: int({ unique: true }),
  region: string({ references: ["regions", "code"], nullable: true, onRemove: "null" }),
  boss: int({ references: ["customers", "id"], nullable: true, onRemove: "null" }),
  note: string(),
});
const Order = defineSchema({
  id: int({ unique: true }),
  customer: int({ references: ["customers", "id"], onRemove: "remove" }),
});
const Line = defineSchema({ order: int({ references: ["orders", "id"] }), text: string() });
const schemas = { regions: Region, customers: Customer, orders: Order, lines: Line };

const numbers = (length: number) => Array.from({ length }, (_, i) => i);

function database() {
  return createDatabase({
    regions: createCollection(Region, numbers(40).map((i) => ({ code: `r${i}` }))),
    customers: createCollection(
      Customer,
      numbers(400).map((id) => ({
        id,
        region: id % 5 === 0 ? null : `r${id % 40}`,
        boss: id % 3 === 0 ? null : (id * 7) % 400,
        note: `${id} ${"x".repeat(id % 60)}`,
      })),
    ),
    orders: createCollection(Order, numbers(600).map((id) => ({ id, customer: (id * 11) % 400 }))),
    lines: createCollection(Line, numbers(700).map((i) => ({ order: (i * 13) % 600, text: `line ${i}` }))),
  });
} // oxfmt-ignore

type Store = StoredDatabase<CollectionsOf<typeof schemas>>;
const stored = (opened: unknown): Store => untyped(opened);

/** The files of a store, with changes in its journal. */
function original(thresholds: typeof SHARED): ReadonlyMap<string, Uint8Array> {
  using _ = tuned(thresholds);
  const disk = new SimulatedDisk();
  const store = stored(createStoreOn(disk, FOLDER, untyped(database()), unlocked));
  for (const id of [5, 17]) {
    store.update((draft) => {
      draft.customers = draft.customers.insert({ id: 1000 + id, boss: id, note: "new" });
      draft.orders = draft.orders.insert({ id: 1000 + id, customer: 1000 + id });
      draft.lines = draft.lines.insert({ order: 1000 + id, text: "new" });
    });
    if (id === 5) store.checkpoint();
  }
  store.close();
  return disk.contents();
}

const forms = [SEPARATE, SHARED, SEGMENTED];
const originals = new Map(forms.map((each) => [each, original(each)]));

test("whatever is damaged", () => {
  let [lost, nulled] = [0, 0];
  fc.assert(
    fc.property(
      fc.constantFrom(...forms),
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 9999 })), { minLength: 1, maxLength: 4 }),
      (thresholds, damages) => {
        using _ = tuned(thresholds);
        const files = new Map(originals.get(thresholds));
        const names = [...files.keys()].filter((name) => !name.endsWith("store.json"));
        for (const [file, at] of damages) {
          const name = names[file % names.length] ?? "";
          const bytes = files.get(name)?.slice() ?? new Uint8Array();
          const offset = Math.floor((at / 10_000) * bytes.length);
          bytes[offset] = (bytes[offset] ?? 0) ^ 4;
          files.set(name, bytes);
        }
        const disk = new SimulatedDisk(files);
        const { problems, collections } = repairStoreOn(disk, FOLDER, unlocked);
        if (problems.length === 0) return;
        const store = stored(openStoreOn(disk, FOLDER, unlocked, new Map(Object.entries(schemas))));
        const { regions, customers, orders, lines } = store;
        // Fails for a reference to nothing.
        createDatabase({ regions, customers, orders, lines });
        // The last change may be cut off, which is no damage.
        // If one file has all, the names of the collections can be damaged with their schemas, at its beginning.
        const isNameless =
          thresholds === SHARED &&
          problems.some(({ file, offset }) => file.endsWith(".log") && (offset ?? 0) < 200);
        const effectsOf = (wanted: string) => collections.find(({ name }) => name === wanted);
        for (const [name, size] of [["customers", 401], ["orders", 601], ["lines", 701]] as const) {
          if (store[name].size < size) {
            lost++;
            if (!isNameless) expect(effectsOf(name)?.mayBeLost).toBe(true);
          }
        } // oxfmt-ignore
        const withRegion = 400 - 80;
        const found = customers.count([["region", "not", null]]);
        if (found < withRegion && customers.size >= 401) {
          nulled++;
          expect(effectsOf("customers")?.mayBeOutdated).toBe(true);
        }
        store.close();
      },
    ),
    // One of customers is lost, and one of the regions to which they refer.
    {
      ...settings(25),
      examples: [
        [SEPARATE, [[1, 5000]]],
        [SEPARATE, [[0, 5000]]],
      ],
    },
  );
  expect(lost).toBeGreaterThan(0);
  expect(nulled).toBeGreaterThan(0);
});

test("records stay whose references may be null, and others go with those that refer to them", () => {
  using _ = tuned(SEPARATE);
  const without = (...wanted: readonly string[]) => {
    const files = new Map(originals.get(SEPARATE));
    for (const name of files.keys()) {
      if (wanted.some((part) => name.includes(part))) files.set(name, new Uint8Array(9));
    }
    const disk = new SimulatedDisk(files);
    const { refused } = repairStoreOn(disk, FOLDER, unlocked);
    const store = stored(openStoreOn(disk, FOLDER, unlocked, new Map(Object.entries(schemas))));
    const { regions, customers, orders, lines } = store;
    const found = {
      sizes: [regions.size, customers.size, orders.size, lines.size],
      refs: [customers.count([["region", "not", null]]), customers.count([["boss", "not", null]])],
      refused,
    };
    store.close();
    return found;
  };
  const bosses = numbers(400).filter((id) => id % 3 !== 0).length + 2;
  expect(without("none")).toEqual({ sizes: [40, 402, 602, 702], refs: [320, bosses], refused: 0 });
  expect(without("regions-1")).toEqual({
    sizes: [0, 402, 602, 702],
    refs: [0, bosses],
    refused: 0,
  });
  // A collection that is lost as a whole has no records either.
  expect(without("regions-1", "data-")).toMatchObject({
    sizes: [0, 402, 602, 702],
    refs: [0, bosses],
  });
  // Those of the second file, and of the journal, refer to each other.
  const { sizes, refs, refused } = without("customers-1");
  expect(sizes).toEqual([40, 2, 2, 2]);
  expect(refs).toEqual([0, 0]);
  expect(refused).toBeGreaterThanOrEqual(600 + 700);
});
