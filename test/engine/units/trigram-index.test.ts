// The trigram index returns every row whose value contains a string, and perhaps a few others.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addRows, createBitset } from "../../../src/engine/algorithms/bitset.ts";
import { BitsetSource } from "../../../src/engine/operators/source.ts";
import type { Posting } from "../../../src/engine/indexes/postings.ts";
import {
  bitsetsOf,
  intersection,
  intersectLists,
  joinPostings,
  TrigramIndex,
} from "../../../src/engine/indexes/trigram-index.ts";
import { settings } from "../../property.ts";
import { tuned } from "../../tuned.ts";
import { ascending } from "./ascending.ts";
import { stepsOf, trigramIndexOf } from "./built.ts";

const indexOf = (values: readonly (string | null)[]) =>
  trigramIndexOf(values.length, (row) => values[row] ?? null);

function rowsOf({ rows, bits }: Posting): number[] {
  if (rows !== undefined) return Array.from(rows);
  const batch = new Uint32Array(32 * bits.length + 1);
  return Array.from(batch.subarray(0, new BitsetSource([bits]).next(batch, batch.length)));
}

const rowsWith = (values: readonly (string | null)[], text: string): number[] =>
  [...values.keys()].filter((row) => values[row]?.includes(text) === true);

/** Long runs in common, so that trigrams are in many rows, in few and in one. */
const alphabet = fc.constantFrom("a", "b", "c", "é", "\u{1f600}");
const columns = fc
  .array(fc.option(fc.string({ unit: alphabet, maxLength: 8 }), { nil: null, freq: 8 }), {
    minLength: 1,
    maxLength: 20,
  })
  .chain((few) =>
    fc.array(fc.constantFrom(...few), { maxLength: 300 }).map((more) => [...few, ...more]),
  );

describe("postings", () => {
  const texts = (unit: fc.Arbitrary<string>, maxLength: number) =>
    fc.array(fc.string({ unit, minLength: 3, maxLength }), { minLength: 1, maxLength: 12 });

  test("each is ascending, has its count, and has every row with the text", () => {
    fc.assert(
      fc.property(columns, texts(alphabet, 6), (column, asked) => {
        const index = indexOf(column);
        for (const text of asked) {
          const postings = index.postings(text);
          expect(postings.length).toBeGreaterThan(0);
          for (const posting of postings) {
            const rows = rowsOf(posting);
            expect(rows).toHaveLength(posting.count);
            expect(rows).toEqual(ascending(rows));
            expect(rows).toEqual(expect.arrayContaining(rowsWith(column, text)));
          }
          const counts = postings.map(({ count }) => count);
          expect(counts).toEqual(counts.toSorted((a, b) => a - b));
        }
      }),
      settings(50),
    );
  });

  test("what several have in common is one, shorter than each, with every row that has the text", () => {
    fc.assert(
      fc.property(columns, texts(alphabet, 8), (column, asked) => {
        const index = indexOf(column);
        for (const text of asked) {
          const postings = index.postings(text);
          const common = intersection(postings);
          const rows = rowsOf(common);
          expect(rows).toHaveLength(common.count);
          expect(rows).toEqual(ascending(rows));
          expect(rows).toEqual(expect.arrayContaining(rowsWith(column, text)));
          const [shortest] = postings.map(rowsOf);
          expect(shortest).toEqual(expect.arrayContaining(rows));
          // Only a list that would remove few rows may be skipped.
          const bitsets = postings.filter(({ bits }) => bits !== undefined).map(rowsOf);
          for (const bitset of bitsets) expect(bitset).toEqual(expect.arrayContaining(rows));
        }
      }),
      settings(50),
    );
  });

  test("shorter texts are counted exactly, and their rows are among those of trigrams with them", () => {
    const others = fc.constantFrom("1", "q", "\u{1f601}", "\u0000", "\uffff", "A");
    const unit = fc.oneof(alphabet, others);
    const value = fc.option(fc.string({ unit, maxLength: 4 }), { nil: null, freq: 8 });
    const short = fc.string({ unit, minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 100 }),
        fc.array(short, { maxLength: 12 }),
        (column, asked) => {
          const index = indexOf(column);
          for (const text of asked) {
            const rows = rowsWith(column, text);
            // An astral character has two units, and two of them are no short text.
            expect(index.countOf(text)).toBe(text.length > 2 ? undefined : rows.length);
            const found = index.postings(text).slice(0, 1).flatMap(rowsOf);
            expect(found).toEqual(expect.arrayContaining(rows));
          }
        },
      ),
      settings(100),
    );
  });

  test("of shorter texts are those of every trigram with them, and of values as short", () => {
    const index = indexOf(["xay", "axy", "xya", "xy", "a", "ya", null, "", "aa"]);
    expect(index.postings("a").map(rowsOf)).toEqual([[0, 1, 2, 3, 4, 5, 8]]);
    expect(index.postings("ya").map(rowsOf)).toEqual([[2, 3, 4, 5, 8]]);
    expect(index.countOf("")).toBeUndefined();
    expect(index.countOf("a")).toBe(6);
  });

  test("too many characters beyond ASCII are not counted, the others are", () => {
    using _ = tuned({ mostShortTexts: 5 });
    const values = ["a\u4e00\u4e01", "a\u4e02", "a"];
    // Three characters and three pairs.
    const index = indexOf(values);
    expect(index.countOf("\u4e00")).toBeUndefined();
    expect(index.countOf("a")).toBe(values.length);
  });

  test("of a trigram are exactly the rows that have it, where no characters are alike", () => {
    const unit = fc.constantFrom("a", "b", "c");
    const column = fc.array(fc.option(fc.string({ unit, maxLength: 6 })), { maxLength: 120 });
    fc.assert(
      fc.property(column, texts(unit, 3), (values, asked) => {
        const index = indexOf(values);
        for (const text of asked) {
          const rows = rowsWith(values, text);
          const postings = index.postings(text);
          expect(postings.map(rowsOf)).toEqual([rows]);
          expect(postings.map(({ count }) => count)).toEqual([rows.length]);
        }
      }),
      settings(50),
    );
  });

  test("a text has one posting for each of its trigrams, repeated or not", () => {
    const index = indexOf(["abcde", "abcabc", "abc"]);
    expect(index.postings("abc")).toHaveLength(1);
    expect(index.postings("abcd")).toHaveLength(2);
    expect(index.postings("abcabc").map(rowsOf)).toEqual([[1], [1], [0, 1, 2]]);
  });

  test("a trigram that no row has ends the search", () => {
    const index = indexOf(["abcde", "abcabc", null, "ab"]);
    expect(index.postings("abcx")).toEqual([{ count: 0, rows: new Uint32Array() }]);
    expect(indexOf([]).postings("abc")).toEqual([{ count: 0, rows: new Uint32Array() }]);
  });

  test("a row is named once, however often its value has the trigram", () => {
    expect(indexOf(["aaaaaa", "baaab"]).postings("aaa").map(rowsOf)).toEqual([[0, 1]]);
  });

  test("a list names a row once, and ends where its values end", () => {
    // "@" is in the class of what a text does not have.
    const values = Array.from({ length: 200 }, () => "no");
    values.splice(7, 3, "aaaaaa", "wxy", "wxy@");
    const index = indexOf(values);
    expect(index.postings("aaa").map(({ rows }) => rows)).toEqual([Uint32Array.of(7)]);
    expect(index.postings("xy@").map(({ rows }) => rows)).toEqual([Uint32Array.of(9)]);
  });

  test("a row that has a trigram many times takes no other row's place", () => {
    const values = Array.from({ length: 200 }, () => "no");
    values[3] = "aab";
    values[10] = "aaaaaa";
    const index = indexOf(values);
    expect(index.postings("aab").map(rowsOf)).toEqual([[3]]);
    expect(index.postings("aaa").map(rowsOf)).toEqual([[10]]);
  });

  test("of a long text only some are looked up", () => {
    const long = Array.from({ length: 100 }, (_, i) =>
      String.fromCharCode(64 + (i % 50), 64 + ((i * 7) % 60)),
    ).join("");
    const index = indexOf([long, "other"]);
    expect(index.postings(long)).toHaveLength(64);
    expect(index.postings(long.slice(0, 12)).length).toBeLessThan(64);
  });

  test("the bytes are those of the lists, the bitsets, and where each begins", () => {
    const numbers = 4 * 2 ** 18;
    const short = 4 * 128 * 129;
    expect(indexOf([]).bytes).toBe(numbers + short + 4);
    const few = Array.from({ length: 320 }, () => "no");
    few[7] = "abcd";
    // Two lists of a row, which take two bytes; the empty one, and the end of all.
    const noRows = 8 * 319;
    expect(indexOf(few).bytes).toBe(numbers + short + noRows + 2 * (2 + 4) + 8);
    // Of one trigram in many rows a bit for each row.
    expect(indexOf(few.map(() => "abc")).bytes).toBe(numbers + short + 320 / 8 + 8);
  });

  test("of several texts are one list, the shortest first", () => {
    const index = indexOf(["abc", "abcxyz", "xyz", "xyz"]);
    const lists = ["xyz", "abc"].map((text) => index.postings(text));
    const countsOf = (postings: readonly Posting[]) => postings.map(({ count }) => count);
    expect(countsOf(joinPostings(lists))).toEqual([2, 3]);
    expect(joinPostings(lists.slice(0, 1))).toBe(lists[0]);
    expect(joinPostings([])).toEqual([]);
  });

  test("of many rows are a bitset, of few a list", () => {
    const values = Array.from({ length: 3200 }, (_, row) =>
      row < 100 ? "many" : row < 199 ? "few." : "no",
    );
    const index = indexOf(values);
    expect(index.postings("man")[0]?.bits).toBeDefined();
    expect(index.postings("few")[0]?.rows).toHaveLength(99);
  });
});

describe("building", () => {
  const steps = (values: readonly (string | null)[]) =>
    stepsOf(TrigramIndex.building(values.length, (row) => values[row] ?? null));

  test("is done in steps of a number of characters, and rows count, too", () => {
    const values = (rows: number, value: string | null) => Array<string | null>(rows).fill(value);
    // Each value is read twice. Room for the rows is made in between, in two steps.
    expect(steps(values(3 * 4096, null))).toBe(6 + 2);
    expect(steps(values(4096, "abcdefgh"))).toBe(4 + 2);
    expect(steps(values(7, "a".repeat(32_768)))).toBe(14 + 2);
    expect(steps([])).toBe(1);
  });
});

describe("of more rows than a block has", () => {
  const BLOCK = 65_536;
  const rows = 3 * BLOCK + 1000;
  /** Rows at the ends of blocks and anywhere, but none of the block in the middle. */
  const listed = fc
    .uniqueArray(
      fc.oneof(
        fc.constantFrom(0, 1, BLOCK - 1, 2 * BLOCK, 3 * BLOCK - 1, 3 * BLOCK, rows - 1),
        fc.nat({ max: BLOCK - 1 }),
        fc.nat({ max: BLOCK + 999 }).map((row) => row + 2 * BLOCK),
      ),
      { minLength: 1, maxLength: 1000 },
    )
    .map(ascending);

  test("a list names its rows, and which of others are among them", () => {
    fc.assert(
      fc.property(listed, listed, (some, others) => {
        const values = new Map(some.map((row) => [row, "abc"]));
        for (const row of others) values.set(row, `${values.get(row) ?? ""} xyz`);
        const index = trigramIndexOf(rows, (row) => values.get(row) ?? "none of both");
        const [abc, xyz] = ["abc", "xyz"].map((text) => index.postings(text));
        expect(abc?.map(rowsOf)).toEqual([some]);
        expect(xyz?.map(rowsOf)).toEqual([others]);
        expect(abc?.map(({ count }) => count)).toEqual([some.length]);
        const common = some.filter((row) => values.get(row)?.endsWith("xyz"));
        for (const postings of [
          [abc, xyz],
          [xyz, abc],
        ]) {
          // A list that is many times as long is passed over.
          const [first, second] = postings.flatMap((each) => each ?? []);
          if (first === undefined || second === undefined) throw new Error("there is no posting");
          if (second.count > 64 * first.count) continue;
          expect(Array.from(intersectLists([first, second]))).toEqual(common);
        }
      }),
      settings(10),
    );
  });

  test("a bitset has its rows, and no other trigram's", () => {
    const index = trigramIndexOf(rows, (row) =>
      row % 20 === 3 ? "abc" : row % 29 === 5 ? "xyz" : "no",
    );
    const expected = (holds: (row: number) => boolean) =>
      Array.from({ length: rows }, (_, row) => row).filter(holds);
    const [abc, xyz] = ["abc", "xyz"].map((text) => index.postings(text)[0]);
    expect([abc?.bits, xyz?.bits].map((bits) => bits?.length)).toEqual([6176, 6176]);
    expect(abc && rowsOf(abc)).toEqual(expected((row) => row % 20 === 3));
    expect(xyz && rowsOf(xyz)).toEqual(expected((row) => row % 29 === 5 && row % 20 !== 3));
  });
});

describe("intersections", () => {
  const list = (rows: readonly number[]): Posting => {
    const sorted = Uint32Array.from(ascending(rows));
    return { count: sorted.length, rows: sorted };
  };
  const bitset = (rows: readonly number[]): Posting => {
    const bits = createBitset(400);
    addRows(bits, Uint32Array.from(rows));
    return { count: new Set(rows).size, bits };
  };
  const rowSets = fc.array(fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 399 })), { maxLength: 60 });

  test("the intersection of lists and bitsets has the rows that are in all of them", () => {
    fc.assert(
      fc.property(rowSets, rowSets, rowSets, rowSets, (a, b, c, d) => {
        const common = ascending(a).filter((row) => [b, c, d].every((rows) => rows.includes(row)));
        const postings = [list(a), list(b), bitset(c), list(d)];
        const before = structuredClone(postings);
        expect(Array.from(intersectLists(postings))).toEqual(common);
        expect(postings).toEqual(before);
      }),
      settings(300),
    );
  });

  test("of nothing are nothing", () => {
    expect(intersectLists([])).toHaveLength(0);
  });

  test("a list many times as long as the rows left is passed over: verifying costs less", () => {
    const even = Array.from({ length: 200 }, (_, i) => 2 * i);
    expect(Array.from(intersectLists([list([3]), list(even.slice(0, 64))]))).toEqual([]);
    expect(Array.from(intersectLists([list([3]), list(even.slice(0, 65))]))).toEqual([3]);
    expect(Array.from(intersectLists([list([3]), list(even), bitset([5])]))).toEqual([]);
    expect(Array.from(intersectLists([list([3, 5]), list(even.slice(0, 100))]))).toEqual([]);
    expect(Array.from(intersectLists([list([3, 5]), list(even.slice(0, 129))]))).toEqual([3, 5]);
  });

  test("the bitsets among postings are found", () => {
    const one = bitset([1]);
    const other = bitset([2]);
    expect(bitsetsOf([list([1]), one, list([2]), other])).toEqual([one.bits, other.bits]);
  });
});
