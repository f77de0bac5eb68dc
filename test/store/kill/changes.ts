// The changes of the writer that is killed, and the expected state after any number of them. Each
// change affects several records, so that a partial one is noticed.

import { createBatch, createService, type Service } from "../../../src/index.ts";
import { generateBatch } from "../../../src/synthetic/index.ts";

/** How many Files there are at most: so that a store of many changes does not grow. */
const FILES = 100;

/** Before the first change: one Batch whose Contacts make a checkpoint take a while. */
export function firstService(): Service {
  return createService({ batches: [generateBatch({ count: 200, lists: 1, seed: 1, id: 1 })] });
}

/** The change with a number, counted from 1. */
export function change(number: number): Parameters<Service["update"]>[0] {
  return (draft) => {
    draft.files = draft.files
      .insert([{ id: number, folder_id: 1, name: `${number}.txt`, size: number }])
      .remove([["id", "exactly", number - FILES]]);
    const batch = draft.batches["1"];
    if (batch === undefined) throw new Error("the Batch is not there");
    batch.contacts = batch.contacts.update([["open_country", "not", null]], (contact) => {
      contact.open_count = number;
    });
    draft.batches[1 + number] = createBatch({ id: 1 + number, lists: [{ id: 7, contacts: [] }] });
    if (number > 1) Reflect.deleteProperty(draft.batches, String(number));
  };
}

/**
 * How many changes were made to a service.
 *
 * @throws Error where one is there in part
 */
export function changesIn(service: Service): number {
  const files = service.searchFiles(null, null, null, "id", "ASC");
  const number = Number(files.at(-1)?.id ?? 0);
  const first = Math.max(1, number - FILES + 1);
  const ids = Array.from({ length: number - first + 1 }, (_, i) => String(first + i));
  expectEqual(
    files.map(({ id }) => id),
    ids,
  );
  expectEqual(
    files.map(({ size }) => size),
    ids,
  );
  expectEqual(Object.keys(service.batches), number === 0 ? ["1"] : ["1", String(number + 1)]);
  const contacts = Object.values(service.getBatchContacts(1)).flat();
  expectEqual(contacts.length, 200);
  const opened = contacts.filter((contact) => contact.open_country !== null);
  const counts = new Set(opened.map((contact) => contact.open_count));
  if (number > 0) expectEqual([...counts], [String(number)]);
  return number;
}

function expectEqual(found: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`a change is there in part: ${a} instead of ${b}`);
}
