// How much of a disk do an import and a merge of files take at most, beyond what they leave?

import { expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  defineSchema,
  int,
  string,
  type Collections,
  type Database,
} from "../../src/index.ts";
import { loadCollection, readNdjson, writeNdjson } from "../../src/import/index.ts";
import { importCollectionOn } from "../../src/store/import.ts";
import { createStoreOn } from "../../src/store/store.ts";
import { tuned } from "../tuned.ts";
import { SEGMENTED } from "./fixtures.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

/** Counts the bytes on it. */
class MeasuredDisk extends SimulatedDisk {
  /** The most there were since this was set to 0. */
  peak = 0;

  get used(): number {
    return [...this.contents().values()].reduce((sum, { length }) => sum + length, 0);
  }

  override write(...given: Parameters<SimulatedDisk["write"]>): number {
    const count = super.write(...given);
    this.peak = Math.max(this.peak, this.used);
    return count;
  }
}

const FOLDER = "/store";
const unlocked = { lock: false, durability: "os" } as const;
const Contact = defineSchema({
  id: int({ unique: true }),
  email: string({ unique: true }),
  city: string({ nullable: true }),
  sent: int(),
});

/** In an order that is neither that of the ids nor that of the addresses. */
const contacts = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => {
    const id = ((from + i) * 7919) % 1000003;
    return {
      id,
      email: `${id % 89}.name${id}@host${id % 13}.example`,
      city: id % 5 === 0 ? null : `City ${id % 30}`,
      sent: 1_700_000_000 + ((id * 31) % 5000),
    };
  });

test("an import takes less than twice the disk of its store", async () => {
  using _ = tuned({ fewInData: 1, manyRows: 1000, runBytes: 1 << 18 });
  const disk = new MeasuredDisk();
  const lines = [...writeNdjson(contacts(0, 20_000))].join("");
  const load = (spill: Parameters<Parameters<typeof importCollectionOn>[3]>[0]) =>
    loadCollection(Contact, readNdjson(lines, { schema: Contact }), { spill });
  expect(await importCollectionOn(disk, FOLDER, "contacts", load, unlocked)).toBe(20_000);
  expect(disk.used).toBeGreaterThan(1_000_000);
  expect(disk.peak / disk.used).toBeLessThan(1.6);
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("merging files takes the disk of the merged one, and three bytes for each distinct value", async () => {
  using _ = tuned({ ...SEGMENTED, manyRows: 1000 });
  const disk = new MeasuredDisk();
  const first = createCollection(Contact, contacts(0, 10_000));
  const database: Database = createDatabase<Collections>({ contacts: first });
  const store = createStoreOn(disk, FOLDER, database, unlocked);
  store.update((draft) => {
    draft.contacts = first.insert(contacts(10_000, 20_000));
  });
  const files = () => [...disk.names()].filter((name) => name.endsWith(".arrow"));
  store.checkpoint();
  expect(files()).toHaveLength(2);
  const before = disk.used;
  disk.peak = 0;
  while (files().length !== 1) await turn();
  const merged = disk.contents().get(files()[0] ?? "")?.length ?? 0;
  expect(merged).toBeGreaterThan(1_000_000);
  // Ids and addresses are distinct, the others few.
  expect(disk.peak - before - merged).toBeLessThan(3 * 2 * 20_000);
  // All that there was may have been in the files.
  expect(disk.peak).toBeLessThan(2.1 * before);
  expect(store.contacts?.size).toBe(20_000);
  store.close();
});
