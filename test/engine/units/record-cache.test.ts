// Records by row: the same object as long as anything refers to it.

import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { RecordCache } from "../../../src/collection/records/record-cache.ts";
import { settings } from "../../property.ts";
import { tuned } from "../../tuned.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const recordOf = (row: number) => Object.freeze({ id: String(row) });

/** As many as are held by the cache itself, of so many rows. */
const HELD = 1024;
const ROWS = 40_000;
/** As many references may be there before the first look at them. */
const FEW = 4096;

test("a record is what was put there for its row, and there is none for another row", () => {
  const cache = new RecordCache(ROWS);
  const records = [0, 1, 5, HELD, HELD + 1, 2 * HELD].map((row) => [row, recordOf(row)] as const);
  for (const [row, record] of records) cache.set(row, record);
  for (const [row, record] of records) expect(cache.get(row)).toBe(record);
  for (const row of [2, HELD - 1, HELD + 2, 3 * HELD]) expect(cache.get(row)).toBeUndefined();
});

test("a slice has the record of each row, and makes those that are not there", () => {
  const row = fc.nat(40);
  fc.assert(
    fc.property(fc.array(row), row, row, (put, from, to) => {
      using _ = tuned({ mostRecords: 8 });
      const cache = new RecordCache(41);
      const records = new Map(put.map((each) => [each, recordOf(each)]));
      for (const [each, record] of records) cache.set(each, record);
      const made: number[] = [];
      const slice = cache.slice(from, to, (each) => {
        made.push(each);
        const record = recordOf(each);
        records.set(each, record);
        return record;
      });
      const rows = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
      expect(made).toEqual(rows.filter((each) => !put.includes(each)));
      expect(slice).toHaveLength(rows.length);
      for (const [i, each] of rows.entries()) expect(slice[i]).toBe(records.get(each));
    }),
    settings(300),
  );
});

test("the page that was read last is there again, in an array of its own", () => {
  vi.spyOn(WeakRef.prototype, "deref").mockReturnValue(undefined);
  const row = fc.nat(40);
  fc.assert(
    fc.property(fc.array(fc.tuple(row, row), { minLength: 1 }), (pages) => {
      using _ = tuned({ mostRecords: 4 });
      const cache = new RecordCache(41);
      let last: readonly [number, number] = [0, 0];
      let held: readonly object[] = [];
      for (const [from, to] of pages) {
        const made: number[] = [];
        const page = cache.slice(from, to, (each) => {
          made.push(each);
          const record = recordOf(each);
          cache.set(each, record);
          return record;
        });
        const rows = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
        expect(page).toEqual(rows.map(recordOf));
        if (last[0] <= from && from < to && to <= last[1]) {
          expect(made).toEqual([]);
          for (const [i, each] of page.entries()) expect(each).toBe(held[from - last[0] + i]);
        } else if (from < to) [last, held] = [[from, to], page.slice()];
        // What the caller does with its page changes no other.
        page.fill(recordOf(-1));
      }
    }),
    settings(300),
  );
});

test("the last ones are held, the others as long as somebody else does", () => {
  const gone = vi.spyOn(WeakRef.prototype, "deref").mockReturnValue(undefined);
  using _ = tuned({ mostRecords: HELD });
  const cache = new RecordCache(ROWS);
  for (let row = 0; row < HELD + 10; row++) cache.set(row, recordOf(row));
  for (let row = 10; row < HELD + 10; row++) expect(cache.get(row)).toEqual(recordOf(row));
  expect(gone).not.toHaveBeenCalled();
  for (let row = 0; row < 10; row++) expect(cache.get(row)).toBeUndefined();
});

test("one that somebody else held is held again when it was asked for", () => {
  using _ = tuned({ mostRecords: 4 });
  const cache = new RecordCache(ROWS);
  const record = recordOf(3);
  const others = [10, 11, 12, 13];
  cache.set(3, record);
  for (const row of others) cache.set(row, recordOf(row));
  expect(cache.get(3)).toBe(record);
  vi.spyOn(WeakRef.prototype, "deref").mockReturnValue(undefined);
  expect(cache.get(3)).toBe(record);
  const [first, ...rest] = others;
  expect(cache.get(first ?? -1)).toBeUndefined();
  for (const row of rest) expect(cache.get(row)).toEqual(recordOf(row));
});

test("all rows are held, or the last 32,768, whichever they are", () => {
  vi.spyOn(WeakRef.prototype, "deref").mockReturnValue(undefined);
  for (const [rows, held, step] of [
    [1, 1, 1],
    [5, 5, 1],
    [1_000_000, 32_768, 1],
    // Their lowest bits are the same.
    [1_000_000, 15_625, 64],
  ] as const) {
    const cache = new RecordCache(rows);
    const all = Array.from({ length: Math.min(rows / step, held + 1) }, (_, i) => step * i);
    for (const row of all) cache.set(row, recordOf(row));
    const kept = all.filter((row) => cache.get(row) !== undefined);
    expect(kept).toEqual(all.slice(-held));
    for (const row of kept) expect(cache.get(row)).toEqual(recordOf(row));
  }
});

test("references to collected records are dropped, with at most two looks for each new record", () => {
  const deref = vi.spyOn(WeakRef.prototype, "deref").mockReturnValue(recordOf(0));
  /** How many references are looked at in all, after each of so many records. */
  const looksFor = (count: number): number[] => {
    const cache = new RecordCache(ROWS);
    deref.mockClear();
    return Array.from({ length: count }, (_, row) => {
      cache.set(row, recordOf(row));
      return deref.mock.calls.length;
    });
  };
  const kept = looksFor(40_000);
  expect(kept.slice(0, FEW - 1).every((looks) => looks === 0)).toBe(true);
  // Those that are there stay: they are looked at again when there are more than twice as many.
  expect(kept.at(-1)).toBe((1 + 3 + 7) * FEW);
  expect(kept.every((looks, row) => looks <= 2 * (row + 1))).toBe(true);
  deref.mockReturnValue(undefined);
  // Each time nothing is left of them.
  expect(looksFor(40_000).at(-1)).toBe(FEW * Math.floor(40_000 / FEW));
});
