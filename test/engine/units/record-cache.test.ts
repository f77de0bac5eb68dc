// Records by row: the same object as long as somebody holds it.

import { afterEach, expect, test, vi } from "vitest";
import { RecordCache } from "../../../src/collection/index/record-cache.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const recordOf = (row: number) => Object.freeze({ id: String(row) });

/** As many as are held by the cache itself. */
const HELD = 1024;

test("a record is what was put there for its row, and there is none for another row", () => {
  const cache = new RecordCache();
  const records = [0, 1, 5, HELD, HELD + 1, 2 * HELD].map((row) => [row, recordOf(row)] as const);
  for (const [row, record] of records) cache.set(row, record);
  for (const [row, record] of records) expect(cache.get(row)).toBe(record);
  for (const row of [2, HELD - 1, HELD + 2, 3 * HELD]) expect(cache.get(row)).toBeUndefined();
});

test("the last ones are held, the others as long as somebody else does", () => {
  const gone = vi.spyOn(WeakRef.prototype, "deref").mockReturnValue(undefined);
  const cache = new RecordCache();
  for (let row = 0; row < HELD + 10; row++) cache.set(row, recordOf(row));
  for (let row = 10; row < HELD + 10; row++) expect(cache.get(row)).toEqual(recordOf(row));
  expect(gone).not.toHaveBeenCalled();
  for (let row = 0; row < 10; row++) expect(cache.get(row)).toBeUndefined();
});

test("references to what is gone are forgotten, with no more than two looks for each new record", () => {
  const deref = vi.spyOn(WeakRef.prototype, "deref").mockReturnValue(recordOf(0));
  /** How many references are looked at in all, after each of so many records. */
  const looksFor = (count: number): number[] => {
    const cache = new RecordCache();
    deref.mockClear();
    return Array.from({ length: count }, (_, row) => {
      cache.set(row, recordOf(row));
      return deref.mock.calls.length;
    });
  };
  const kept = looksFor(40_000);
  expect(kept.slice(0, 4 * HELD - 1).every((looks) => looks === 0)).toBe(true);
  // Those that are there stay: they are looked at again when there are more than twice as many.
  expect(kept.at(-1)).toBe((4 + 12 + 28) * HELD);
  expect(kept.every((looks, row) => looks <= 2 * (row + 1))).toBe(true);
  deref.mockReturnValue(undefined);
  // Each time nothing is left of them.
  expect(looksFor(40_000).at(-1)).toBe(4 * HELD * Math.floor(40_000 / (4 * HELD)));
});
