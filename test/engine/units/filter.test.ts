// Filters remove rows from a batch: they move the accepted rows to the front, in their order.

import { expect, test, vi } from "vitest";
import { addRows, createBitset } from "../../../src/collection/algorithms/bitset.ts";
import type { CodeRanges } from "../../../src/collection/index/code-set.ts";
import {
  bitsetFilter,
  codeFilter,
  predicateFilter,
  searchFilter,
  testFilter,
  type Filter,
} from "../../../src/collection/pipeline/filter.ts";
import { ColumnRows } from "../../../src/collection/records/column-rows.ts";
import { Codec } from "../../../src/collection/records/codec.ts";
import { Loader, RecordSink } from "../../../src/collection/records/loader.ts";
import { defineSchema, int, parseCriteria, string } from "../../../src/index.ts";
import { fieldIndexOf } from "./built.ts";

const Row = defineSchema(
  {
    id: int(),
    letter: string({ nullable: true }),
    hidden: string({ nullable: true, stored: false }),
  },
  { form: "wire" },
);

const SIZE = 100;
const letterOf = (row: number) => (row % 5 === 0 ? null : ("abcd"[(row % 5) - 1] ?? null));
const codec = new Codec(Row);
const sink = new RecordSink(codec);
new Loader(codec, sink).add(
  Array.from({ length: SIZE }, (_, id) => ({
    id,
    letter: letterOf(id),
    hidden: letterOf(id + 1),
  })),
);
const rows = sink.finish();
const columns = new ColumnRows(
  Row,
  SIZE,
  new Map([
    ["letter", fieldIndexOf("string", SIZE, letterOf)],
    ["hidden", fieldIndexOf("string", SIZE, (row) => letterOf(row + 1))],
  ]),
  { bytesRead: 0 },
);

/** Only the first rows of the batch are judged; what stands behind them belongs to nobody. */
function expectKept(filter: Filter, accepts: (row: number) => boolean): void {
  const all = Array.from({ length: SIZE }, (_, i) => (i * 37) % SIZE);
  for (const length of [SIZE, 40, 1, 0]) {
    const batch = Uint32Array.from(all);
    const kept = filter.keep(batch, length);
    expect(Array.from(batch.subarray(0, kept))).toEqual(all.slice(0, length).filter(accepts));
  }
}

test.each<[CodeRanges]>([[[]], [[1, 3]], [[0, 1]], [[0, 1, 2, 4]], [[1, 2, 3, 4, 4, 5]]])(
  "the code filter of %j",
  (ranges) => {
    const index = fieldIndexOf("string", SIZE, letterOf);
    expectKept(codeFilter(index, ranges), (row) =>
      ranges.some((low, i) => i % 2 === 0 && low <= row % 5 && row % 5 < (ranges[i + 1] ?? 0)),
    );
  },
);

test("the bitset filter", () => {
  const bits = createBitset(SIZE);
  addRows(bits, Uint32Array.of(0, 31, 32, 63, 64, 99));
  expectKept(bitsetFilter(bits), (row) => [0, 31, 32, 63, 64, 99].includes(row));
});

test("the predicate filter", () => {
  expectKept(
    predicateFilter((row) => row % 3 === 0),
    (row) => row % 3 === 0,
  );
});

test.each([
  ["exactly", "b"],
  ["exactly", null],
  ["exactly", "x"],
  ["not", "b"],
  ["in", ["a", null]],
  ["in", ["c"]],
  ["in", []],
  ["starts_with", "d"],
])(
  "the test filter of %s %j, over a stored field and one that is not, of objects and columns",
  (operator, value) => {
    for (const [field, valueOf] of [
      ["letter", letterOf],
      ["hidden", (row: number) => letterOf(row + 1)],
    ] as const) {
      const criterion = parseCriteria(Row, [[field, operator, value]]).groups[0]?.[0];
      if (criterion === undefined) throw new Error("there is one criterion");
      for (const each of [rows, columns]) {
        expectKept(testFilter(Row, each, criterion), (row) => criterion.test(valueOf(row)));
      }
    }
  },
);

test("the values of a batch are searched at once, whatever its order", () => {
  const index = fieldIndexOf("string", SIZE, letterOf);
  const [[criterion] = []] = parseCriteria(Row, [["letter", "contains", "b"]]).groups;
  if (criterion === undefined) throw new Error("there is a criterion");
  expectKept(searchFilter(index, criterion), (row) => letterOf(row) === "b");
});

test("equality with one value is a comparison, and calls no test", () => {
  const [[criterion] = []] = parseCriteria(Row, [["letter", "exactly", "b"]]).groups;
  if (criterion === undefined) throw new Error("there is a criterion");
  const test = () => expect.unreachable();
  expectKept(testFilter(Row, rows, { ...criterion, test }), (row) => letterOf(row) === "b");
});

test("values that records hold are read from these", () => {
  const [[criterion] = []] = parseCriteria(Row, [["letter", "not", "b"]]).groups;
  if (criterion === undefined) throw new Error("there is a criterion");
  const read = vi.spyOn(rows, "readerOf");
  expectKept(testFilter(Row, rows, criterion), (row) => letterOf(row) !== "b");
  expect(read).not.toHaveBeenCalled();
  read.mockRestore();
});
