// Sources of rows: whatever the batch size and the number of skipped rows, they give the same rows in
// the same order as a plain list.

import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { addRows, createBitset } from "../../../src/collection/algorithms/bitset.ts";
import { RankedBits } from "../../../src/collection/algorithms/ranked-bits.ts";
import { DeadRows } from "../../../src/collection/snapshot/dead-rows.ts";
import { onlyCode, type CodeRanges } from "../../../src/collection/index/code-set.ts";
import {
  bitsetOfCodes,
  BitsetSource,
  DescendingSource,
  ListSource,
  openBitmapScan,
  ScanSource,
  StretchSource,
  type Source,
} from "../../../src/collection/pipeline/source.ts";
import { SelectedSource } from "../../../src/collection/pipeline/selected-source.ts";
import { lazily } from "../../lazily.ts";
import { settings } from "../../property.ts";
import { ascending } from "./ascending.ts";
import { fieldIndexOf, inPieces } from "./built.ts";

afterEach(() => void vi.restoreAllMocks());

type Step = { readonly next: number } | { readonly skip: number };

/** Takes the steps, then reads to the end; the source must do at each what the list does. */
function expectSame(source: Source, rows: readonly number[], steps: readonly Step[]): void {
  let position = 0;
  const batch = new Uint32Array(1000);
  const read = (capacity: number): void => {
    const length = source.next(batch, capacity);
    expect(length).toBe(Math.min(capacity, rows.length - position));
    expect(Array.from(batch.subarray(0, length))).toEqual(rows.slice(position, position + length));
    position += length;
  };
  for (const step of steps) {
    if ("next" in step) {
      read(step.next);
    } else {
      source.skip(step.skip);
      position = Math.min(rows.length, position + step.skip);
    }
  }
  while (position < rows.length) read(batch.length);
  read(32);
  source.skip(1);
  read(32);
}

const steps = fc.array(
  fc.oneof(
    fc.integer({ min: 32, max: 100 }).map((next): Step => ({ next })),
    fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 400 })).map((skip): Step => ({ skip })),
  ),
  { maxLength: 8 },
);
const rowSets = fc.array(fc.nat({ max: 299 }), { maxLength: 500 });

const bitsetOf = (rows: readonly number[]) => {
  const bits = createBitset(300);
  addRows(bits, Uint32Array.from(rows));
  return bits;
};

/** Some rows of a segment are dead, or none. */
const deaths = fc.oneof(fc.constant<number[]>([]), rowSets);
const dying = (rows: readonly number[], size: number): DeadRows =>
  DeadRows.NONE.with(Uint32Array.from(new Set(rows.filter((row) => row < size))));

test("a scan has every live row", () => {
  fc.assert(
    fc.property(fc.nat({ max: 300 }), deaths, steps, (size, dead, taken) => {
      const live = [...Array(size).keys()].filter((row) => !dead.includes(row));
      expectSame(new ScanSource(size, dying(dead, size)), live, taken);
      expectSame(new ScanSource(size), [...Array(size).keys()], taken);
    }),
    settings(200),
  );
});

test("a list has its rows", () => {
  fc.assert(
    fc.property(rowSets, steps, (rows, taken) => {
      expectSame(new ListSource(Uint32Array.from(rows)), rows, taken);
    }),
    settings(200),
  );
});

test("bitsets have the rows that are in each of them", () => {
  fc.assert(
    fc.property(rowSets, rowSets, rowSets, steps, (a, b, c, taken) => {
      expectSame(new BitsetSource([bitsetOf(a)]), ascending(a), taken);
      const all = ascending(a).filter((row) => b.includes(row) && c.includes(row));
      expectSame(new BitsetSource([bitsetOf(a), bitsetOf(b), bitsetOf(c)]), all, taken);
    }),
    settings(200),
  );
});

/** An index of few values: digits, of which 0 stands for null. */
const indexOf = (digits: readonly number[]) =>
  fieldIndexOf("int", digits.length, (row) => (digits[row] === 0 ? null : String(digits[row])));

const columns = fc.array(fc.nat({ max: 6 }), { maxLength: 300 });

test("a stretch of an index has its live rows in the order of the index", () => {
  fc.assert(
    fc.property(columns, fc.nat(), fc.nat(), deaths, steps, (digits, a, b, dead, taken) => {
      const index = indexOf(digits);
      const from = a % (digits.length + 1);
      const to = from + (b % (digits.length - from + 1));
      const rows = Array.from(index.order.subarray(from, to));
      const live = rows.filter((row) => !dead.includes(row));
      expectSame(new StretchSource(index, from, to, dying(dead, digits.length)), live, taken);
      expectSame(new StretchSource(index, from, to, DeadRows.NONE), rows, taken);
    }),
    settings(300),
  );
});

test("the descending source goes through the live rows from the highest value, ties in order", () => {
  const codes = fc.nat({ max: 7 });
  fc.assert(
    fc.property(columns, codes, codes, deaths, steps, (digits, a, b, dead, taken) => {
      const index = indexOf(digits);
      const low = Math.min(a, index.values.length);
      const high = Math.max(low, Math.min(b, index.values.length));
      const digitOf = (row: number) => digits[row] ?? 0;
      const rows = [...digits.keys()]
        .filter((row) => {
          const code = index.codes[row] ?? -1;
          return code >= low && code < high;
        })
        .sort((x, y) => digitOf(y) - digitOf(x));
      const live = rows.filter((row) => !dead.includes(row));
      const source = new DescendingSource(index, low, high, dying(dead, digits.length));
      expectSame(source, live, taken);
      expectSame(new DescendingSource(index, low, high), rows, taken);
    }),
    settings(400),
  );
});

test("selected positions have their live rows, both ways, of an index in memory or in pieces", () => {
  const codes = fc.nat({ max: 7 });
  const digitsOf = (max: number) =>
    fc.array(fc.nat({ max }), { minLength: 1, maxLength: 700, size: "max" });
  fc.assert(
    fc.property(
      fc.oneof(digitsOf(6), digitsOf(0), digitsOf(400)),
      fc.func<[number], boolean>(fc.boolean()),
      ...[codes, codes, deaths, steps],
      (digits, draw, a, b, dead, taken) => {
        const isIn = (row: number) => draw(row);
        const index = indexOf(digits);
        const low = Math.min(a, b, index.values.length);
        const high = Math.min(Math.max(a, b) * 80, index.values.length);
        const range = [Math.min(low, high), Math.max(low, high)] as const;
        const bits = createBitset(digits.length);
        addRows(
          bits,
          [...index.order.keys()].filter((at) => isIn(index.order[at] ?? -1)),
        );
        const selected = new RankedBits(bits);
        for (const died of [DeadRows.NONE, dying(dead, digits.length)]) {
          for (const descending of [false, true]) {
            const all = descending
              ? new DescendingSource(index, ...range, died)
              : new StretchSource(index, index.startOf(range[0]), index.startOf(range[1]), died);
            const batch = new Uint32Array(1000);
            const rows = Array.from(batch.subarray(0, all.next(batch, 1000))).filter(isIn);
            for (const each of [index, inPieces(index)]) {
              expectSame(
                new SelectedSource(each, selected, ...range, descending, died),
                rows,
                taken,
              );
            }
          }
        }
      },
    ),
    settings(200),
  );
});

test("an index that is read in pieces has its rows in the same order, both ways", () => {
  const codes = fc.nat({ max: 7 });
  fc.assert(
    fc.property(columns, codes, codes, deaths, steps, (digits, a, b, dead, taken) => {
      const index = indexOf(digits);
      const low = Math.min(a, b, index.values.length);
      const high = Math.min(Math.max(a, b), index.values.length);
      const died = dying(dead, digits.length);
      const all = (source: Source) => {
        const batch = new Uint32Array(1000);
        return Array.from(batch.subarray(0, source.next(batch, batch.length)));
      };
      const pieces = inPieces(index);
      for (const each of [died, DeadRows.NONE]) {
        const descending = all(new DescendingSource(index, low, high, each));
        expectSame(new DescendingSource(pieces, low, high, each), descending, taken);
        const [from, to] = [index.startOf(low), index.startOf(high)];
        const upward = all(new StretchSource(index, from, to, each));
        expectSame(new StretchSource(pieces, from, to, each), upward, taken);
      }
    }),
    settings(200),
  );
});

describe("batches smaller than runs", () => {
  const digits = Array.from({ length: 300 }, (_, row) => (row * 7) % 5);
  const index = indexOf(digits);
  const inOrder = Array.from(index.order);
  const descending = [4, 3, 2, 1, 0].flatMap((code) =>
    inOrder.filter((row) => index.codes[row] === code),
  );
  const third = [...digits.keys()].filter((row) => row % 3 === 1);
  const taken = [{ next: 7 }, { skip: 5 }, { next: 40 }, { next: 1 }, { skip: 61 }, { next: 33 }];

  test.each([
    ["in memory", index],
    ["read in pieces", inPieces(index)],
  ])("are full until the end, dead rows or not: %s", (_, each) => {
    for (const dead of [[], third, third.slice(0, 1)]) {
      const died = dying(dead, digits.length);
      const live = (rows: readonly number[]) => rows.filter((row) => !dead.includes(row));
      for (const steps of [[], taken, Array<Step>(90).fill({ next: 4 })]) {
        expectSame(new StretchSource(each, 0, 300, died), live(inOrder), steps);
        expectSame(new StretchSource(each, 50, 250, died), live(inOrder.slice(50, 250)), steps);
        expectSame(new DescendingSource(each, 0, 5, died), live(descending), steps);
        expectSame(new DescendingSource(each, 1, 4, died), live(descending.slice(60, 240)), steps);
      }
    }
  });
});

describe("the runs of codes", () => {
  test.each<[CodeRanges, number | undefined]>([
    [[], undefined],
    [[3, 4], 3],
    [[0, 1], 0],
    [[3, 3], undefined],
    [[3, 5], undefined],
    [[0, 1, 2, 3], undefined],
    [[0, 1, 0], undefined],
  ])("%j are one code: %s", (ranges, expected) => {
    expect(onlyCode(ranges)).toBe(expected);
  });

  test("are sorted where they have few rows, and held as a set where they have more", () => {
    // Of 640 rows ten are one in 64.
    const index = indexOf(
      Array.from({ length: 640 }, (_, row) => (row < 10 ? 0 : row < 21 ? 1 : 2)),
    );
    const kindOf = (code: number) => {
      const set = [code, code + 1];
      return openBitmapScan(index, set, index.count(set)).constructor;
    };
    expect([0, 1, 2].map(kindOf)).toEqual([ListSource, BitsetSource, BitsetSource]);
  });

  const anyRanges = fc
    .subarray([0, 1, 2, 3, 4, 5, 6])
    .map((codes) => codes.flatMap((code) => [code, code + 1]));

  test("have the rows of those codes in insertion order, few or many", () => {
    fc.assert(
      fc.property(columns, anyRanges, steps, (digits, all, taken) => {
        // Long enough that a rare value is in few rows.
        const index = indexOf([...digits, ...Array<number>(600).fill(1)]);
        const ranges = all.map((code) => Math.min(code, index.values.length));
        const rows = [...index.codes.keys()].filter((row) =>
          ranges.some((low, i) => {
            const code = index.codes[row] ?? -1;
            return i % 2 === 0 && code >= low && code < (ranges[i + 1] ?? 0);
          }),
        );
        expectSame(openBitmapScan(index, ranges, index.count(ranges)), rows, taken);
        expectSame(new BitsetSource([bitsetOfCodes(index, ranges)]), rows, taken);
      }),
      settings(300),
    );
  });
});

describe("every source", () => {
  const index = lazily(() => indexOf(Array.from({ length: 200 }, (_, row) => row % 7)));
  const every = lazily(() => new RankedBits(bitsetOfCodes(index(), [0, 8])));
  const sources: [string, () => Source][] = [
    ["of all rows", () => new ScanSource(200)],
    ["of a stretch of an index", () => new StretchSource(index(), 0, 200, DeadRows.NONE)],
    ["of an index from its end", () => new DescendingSource(index(), 0, 8)],
    ["of a list", () => new ListSource(index().order)],
    ["of a set", () => new BitsetSource([bitsetOfCodes(index(), [0, 8])])],
    [
      "of selected positions",
      () => new SelectedSource(index(), every(), 0, 7, false, DeadRows.NONE),
    ],
    [
      "of these from their end",
      () => new SelectedSource(index(), every(), 0, 7, true, DeadRows.NONE),
    ],
  ];

  test.each(sources)("%s writes no more than it is asked for", (_, open) => {
    const source = open();
    const batch = new Uint32Array(100).fill(999);
    for (const capacity of [10, 5, 1]) {
      expect(source.next(batch, capacity)).toBe(capacity);
      expect(batch.indexOf(999)).toBe(capacity);
      batch.fill(999);
    }
  });

  test.each(sources)("%s asks of no row whether it is dead, where none is", (_, open) => {
    const has = vi.spyOn(DeadRows.prototype, "has");
    const source = open();
    expect(source.next(new Uint32Array(100), 100)).toBe(100);
    source.skip(10);
    expect(source.next(new Uint32Array(100), 100)).toBe(90);
    expect(has).not.toHaveBeenCalled();
  });
});

test("of an index that is in pieces only those are read that are asked for", () => {
  const pieces = inPieces(indexOf(Array.from({ length: 200 }, (_, row) => row % 7)));
  for (const array of ["order", "starts"] as const) {
    vi.spyOn(pieces, array, "get").mockImplementation(() => {
      throw new Error(`all of ${array} is read`);
    });
  }
  for (const source of [
    new StretchSource(pieces, 0, 200, DeadRows.NONE),
    new DescendingSource(pieces, 0, 8),
  ]) {
    expect(source.next(new Uint32Array(50), 50)).toBe(50);
    source.skip(60);
    expect(source.next(new Uint32Array(200), 200)).toBe(90);
  }
});

test("of an index that is in memory the arrays are read as they stand, from its end too", () => {
  const index = indexOf(Array.from({ length: 200 }, (_, row) => row % 7));
  const source = new DescendingSource(index, 0, 8);
  const calls = [vi.spyOn(index, "copyRows"), vi.spyOn(index, "startOf")];
  expect(source.next(new Uint32Array(50), 50)).toBe(50);
  source.skip(60);
  expect(source.next(new Uint32Array(200), 200)).toBe(90);
  for (const call of calls) expect(call).not.toHaveBeenCalled();
});
