// The postings of a trigram in a file: which bytes stand for which rows, and which are errors, with the reason.

import { describe, expect, test } from "vitest";
import { FileError } from "../../src/arrow/index.ts";
import { arePostingsOf } from "../../src/arrow/read/file-postings.ts";
import { areBits } from "../../src/arrow/trigrams.ts";
import { forEachRow, NO_ROWS, TRIGRAMS, type Posting } from "../../src/engine/indexes/postings.ts";
import { thrownBy } from "../rules/fixtures.ts";
import { inFile, readPostings } from "./postings.ts";

const ROWS = 100;
/** A bitset of a hundred rows: four words. */
const bits = (...rows: readonly number[]) => {
  const bytes = new Uint8Array(16);
  for (const row of rows) bytes[row >>> 3] = (bytes[row >>> 3] ?? 0) | (1 << (row & 7));
  return [...bytes];
};
const upTo = (count: number) => Array.from({ length: count }, (_, row) => row);

/** What is read of the first trigram. */
const posting = (bytes: readonly number[], start = 0, end = bytes.length): Posting => {
  const starts = new Uint32Array(TRIGRAMS + 1).fill(bytes.length);
  [starts[0], starts[1]] = [start, end];
  return readPostings(ROWS, { starts, bytes: Uint8Array.from(bytes) }).posting(0);
};
const rowsOf = (read: Posting) => {
  const rows: number[] = [];
  forEachRow(read, (row) => rows.push(row));
  return rows;
};

describe("rows are read", () => {
  test.each<[string, readonly number[], readonly number[]]>([
    ["of no bytes: none", [], []],
    ["as differences, from −1 on", [3, 1, 2, 97], [0, 2, 99]],
    ["as bits, from one in eight on", [13, ...bits(...upTo(12), 99)], [...upTo(12), 99]],
    ["as differences, if they are one fewer", [12, ...upTo(12).fill(1)], upTo(12)],
  ])("%s", (_, bytes, rows) => {
    const read = posting(bytes);
    expect(rowsOf(read)).toEqual(rows);
    expect(read.count).toBe(rows.length);
  });

  test("of numbers of seven bits a byte, the lowest first", () => {
    const starts = new Uint32Array(TRIGRAMS + 1).fill(3);
    starts[0] = 0;
    const read = readPostings(1000, { starts, bytes: Uint8Array.of(1, 0xd5, 0x02) });
    expect(rowsOf(read.posting(0))).toEqual([0x55 + (2 << 7) - 1]);
  });

  test("of one row in eight, bits are the smaller form", () => {
    expect([areBits(12, 96), areBits(12, 97), areBits(0, 1)]).toEqual([true, false, false]);
  });
});

describe("is refused: they", () => {
  const COUNT = "do not have as many rows as they claim";
  test.each<[string, readonly number[]]>([
    ["name more rows than there are", [0]],
    ["name more rows than there are", [101, ...bits(...upTo(100))]],
    // Five bytes of a number that goes on.
    ["name more rows than there are", [0x80, 0x80, 0x80, 0x80, 0x80, 1]],
    ["lead out of the rows", [3, 1, 1]],
    ["lead out of the rows", [2, 1, 0]],
    ["lead out of the rows", [2, 1, 100]],
    [COUNT, [5, 1, 1]],
    [COUNT, [2, 1, 1, 1]],
    ["are not a bit for each row", [13, ...bits(...upTo(13)), 0]],
    ["are not a bit for each row", [13, ...bits(...upTo(13)).slice(1)]],
    [COUNT, [13, ...bits(...upTo(14))]],
    [COUNT, [13, ...bits(...upTo(12))]],
    [COUNT, [13, ...bits(...upTo(12), 100)]],
  ])("%s: %j", (reason, bytes) => {
    expect(thrownBy(FileError, () => posting(bytes))).toMatchObject({
      section: "trigrams",
      reason,
    });
  });

  test.each([
    [1, 0],
    [0, 2],
  ])("begin at invalid positions, from %i to %i of one byte", (start, end) => {
    const read = () => posting([1], start, end);
    expect(thrownBy(FileError, read).reason).toBe("begin at invalid positions");
  });
});

test("they are those of the values if each row is there that has one of them, and no other", () => {
  // Three values; the first trigram is in two of them, which rows 0, 2, 3 and 5 have.
  const codes = Uint8Array.of(1, 0, 2, 1, 0, 2);
  const of = (rows: number, ...all: readonly number[]) =>
    inFile({
      rows,
      bytes: 0,
      posting: (trigram) =>
        trigram > 0 ? NO_ROWS : { count: all.length, rows: Uint32Array.from(all) },
    });
  const values = of(3, 1, 2);
  expect(arePostingsOf(of(6, 0, 2, 3, 5), codes, values)).toBe(true);
  for (const others of [[0, 2, 3], [0, 2, 3, 4], [0, 1, 2, 3, 5], []]) {
    expect(arePostingsOf(of(6, ...others), codes, values)).toBe(false);
  }
});
