// Shared by the tests of stores: a service whose data are hard to save, and its results.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { createBatch, createService, type Service } from "../../src/index.ts";
import type { tuning } from "../../src/engine/tuning.ts";
import { documentsOf } from "../../src/database/changes.ts";

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A new folder that is removed when the tests are over. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tercet-store-"));
  folders.push(folder);
  return folder;
}

/** Where a store has its collections: all in one file, each in a file of its own, or their segments in files. */
export const SHARED: Partial<typeof tuning> = { fewInData: 1000 };
export const SEPARATE: Partial<typeof tuning> = { fewInData: 0 };
/** Segments stay apart, however few rows they have; those of one row are in no file. */
export const SEGMENTED: Partial<typeof tuning> = { fewInData: 1, fewRows: 0, sizeRatio: 1 };

/** Files 1 to 3, and a Batch whose List Fields have names and values that are hard to keep. */
export function makeService(): Service {
  return createService({
    files: [
      { id: 1, folder_id: 7, name: "a.txt" },
      { id: 2, folder_id: 7, name: "", basename: "ünï\u{1f600}", extension: "" },
      { id: 3, folder_id: 8, name: 'line\nbreak\u0000"quoted"' },
    ],
    batches: [
      {
        id: 5,
        lists: [
          {
            id: 20,
            fields: ["Email", "2024", "__proto__", "constructor"],
            contacts: [
              { ...contact(1), fields: { Email: "", "2024": "\u2028", ["__proto__"]: "p" } },
              { ...contact(2), fields: { Email: null, constructor: "\u{1f600}" } },
            ],
          },
          { id: 10, fields: { Age: "int" }, contacts: [{ ...contact(3), fields: { Age: 9 } }] },
          { id: 30, contacts: [] },
        ],
      },
    ],
  });
}

export const contact = (id: number) => ({
  send_id: id,
  contact_id: 100 + id,
  contact_email: `${id}@example.com`,
});

/** All that a service holds, with the keys of rows, the Lists, and their fields. */
export function stateOf(service: Service): unknown {
  const batches = Object.entries(service.batches).map(([id, batch]) => [
    id,
    // Fields in any order: as members of an object, names like 2024 come first.
    batch.declared.all.map((list) => [list.id, [...list.fields].sort()]),
    [...documentsOf(batch.contacts.state)].map(([key, document]) => [key, plain(document)]),
  ]);
  return plain([[...documentsOf(service.files.state)], batches, service.searchFiles()]);
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/** Changes of every kind; the n-th is always the same. */
export function change(service: Service, n: number): void {
  service.update(recipe(n));
}

/** What {@link change} does. */
export function recipe(n: number): Parameters<Service["update"]>[0] {
  return (draft) => {
    const file = { id: 1000 + n, folder_id: n, name: `${n}.txt`, size: n };
    draft.files = draft.files.insert([file]);
    const batch = draft.batches["5"];
    if (batch === undefined) throw new Error("the Batch is not there");
    switch (n % 6) {
      case 0:
        batch.contacts = batch.contacts.update([["send_id", "exactly", 1]], (each) => {
          each.open_count = n;
        });
        break;
      case 1:
        draft.files = draft.files.update([["id", "exactly", 1]], (each) => {
          // Not what would follow from the parts (V9).
          each.name = `${n}`;
          each.basename = "other";
        });
        break;
      case 2: {
        const lists = [{ id: 1, fields: ["x"], contacts: [contact(n), contact(n + 1)] }];
        draft.batches[n] = createBatch({ id: n, lists });
        break;
      }
      case 3:
        batch.addListField(30, `field ${n}`, "int");
        batch.contacts = batch.contacts.insert([
          { ...contact(n), list: "30", fields: { [`field ${n}`]: n } },
        ]);
        break;
      case 4:
        draft.files = draft.files.remove([["id", "exactly", 1000 + n - 2]]);
        if (n > 4) Reflect.deleteProperty(draft.batches, String(n - 8));
        break;
      default:
        batch.addList({ id: 1000 + n, fields: ["Email"], contacts: [contact(n)] });
        if (n > 5) batch.removeList(1000 + n - 6);
    }
  };
}
