// The index of a field, compared with its definition: the distinct values in order, the position of
// each row among them, and the rows by position.

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { criteriaIn } from "../../../src/criteria/tree.ts";
import { Deadline } from "../../../src/engine/algorithms/deadline.ts";
import { sortNumbers, sortStrings } from "../../../src/engine/algorithms/radix-sort.ts";
import type { CodeSet } from "../../../src/engine/indexes/code-set.ts";
import { FieldIndex } from "../../../src/engine/indexes/field-index.ts";
import { int, operatorsOf, parseCriteria, string } from "../../../src/index.ts";
import { compareTextForms, inOrder } from "../../../src/testing/reference-page.ts";
import { settings } from "../../property.ts";
import { tuned } from "../../tuned.ts";
import { ADVERSARY_SEED, stringsOfOneHash } from "../adversaries.ts";
import {
  codesIn,
  fieldIndexOf,
  inPieces,
  stepsOf,
  valuesOf,
  withValuesElsewhere,
} from "./built.ts";
import { wireSchema } from "../../wire-schema.ts";
import { buildingIndex } from "../../../src/engine/indexes/memory-index.ts";

type Column = readonly (string | null)[];

const Row = wireSchema({ text: string({ nullable: true }), number: int({ nullable: true }) });

const FIELD_OF = { string: "text", int: "number" } as const;

function indexOf(type: "int" | "string", column: Column): FieldIndex {
  return fieldIndexOf(type, column.length, (row) => column[row] ?? null);
}

/** Sorted as the type wants. */
function distinct(type: "int" | "string", column: Column): string[] {
  const values = [...new Set(column)].filter((value) => value !== null);
  return values.sort((a, b) => compareTextForms(a, b, type));
}

function expectIndexed(type: "int" | "string", column: Column): void {
  const index = indexOf(type, column);
  const values = [null, ...distinct(type, column)];
  expect(valuesOf(index)).toEqual(values);
  expect(Array.from(index.codes)).toEqual(column.map((value) => values.indexOf(value)));
  const codeOf = (row: number) => index.codes[row] ?? -1;
  const rows = [...column.keys()];
  expect(Array.from(index.order)).toEqual(rows.toSorted((a, b) => codeOf(a) - codeOf(b)));
  expect(Array.from(index.starts)).toEqual(
    [...values, undefined].map((_, code) => rows.filter((row) => codeOf(row) < code).length),
  );
  expect(index.rows).toBe(column.length);
  for (const [code, value] of values.entries()) {
    expect(index.codeOf(value)).toBe(code);
    expect(index.count([code, code + 1])).toBe(column.filter((each) => each === value).length);
  }
  expect(index.codeOf("no such value")).toBe(-1);
  expect(index.count([])).toBe(0);
  expect(index.count([0, values.length])).toBe(column.length);
}

const strings = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "\uffff", "\u{10000}", "é"), maxLength: 5 }),
  fc.string({ unit: "binary", maxLength: 3 }).filter((text) => text.isWellFormed()),
);
const integers = fc.oneof(fc.integer({ min: -20, max: 20 }), fc.maxSafeInteger()).map(String);

/** All kinds of columns: values all distinct, from a few, or one; with nulls or without. */
const columnsOf = (value: fc.Arbitrary<string>): fc.Arbitrary<Column> => {
  const orNull = fc.option(value, { nil: null, freq: 6 });
  return fc.oneof(
    fc.array(orNull, { maxLength: 60 }),
    fc
      .array(orNull, { minLength: 1, maxLength: 4 })
      .chain((few) => fc.array(fc.constantFrom(...few), { maxLength: 200 })),
  );
};

describe.each([
  ["string", columnsOf(strings)],
  ["int", columnsOf(integers)],
] as const)("the index of a field of type %s", (type, columns) => {
  test("is what it is said to be", () => {
    fc.assert(
      fc.property(columns, (column) => expectIndexed(type, column)),
      settings(100),
    );
  });

  test("of no rows, of nulls only, and of one value", () => {
    const value = "7";
    for (const column of [[], [null], [null, null], [value], [value, null, value]]) {
      expectIndexed(type, column);
    }
  });

  test.each([255, 256, 257, 65_535, 65_536])("tells %d values apart", (count) => {
    const column = Array.from({ length: count }, (_, row) => String((row * 7919) % count));
    const index = indexOf(type, column);
    expect(index.values).toHaveLength(count + 1);
    expect(column.every((value, row) => index.values.at(index.codeAt(row)) === value)).toBe(true);
    const bytes = count + 1 <= 2 ** 8 ? 1 : count + 1 <= 2 ** 16 ? 2 : 4;
    expect(index.codes.BYTES_PER_ELEMENT).toBe(bytes);
  });

  test("of more rows than a step of its making has", () => {
    const few = Array.from({ length: 20_000 }, (_, row) =>
      row % 7 === 0 ? null : `${5 * (row % 3)}`,
    );
    expectIndexed(type, few);
  });

  test("finds the first value that is not lower than another one", () => {
    fc.assert(
      fc.property(columns, type === "int" ? integers : strings, (column, sought) => {
        const lower = distinct(type, column).filter(
          (value) => compareTextForms(value, sought, type) < 0,
        );
        expect(indexOf(type, column).firstCodeOf(sought)).toBe(1 + lower.length);
      }),
      settings(100),
    );
  });

  test("reaches the values for which a criterion holds", () => {
    fc.assert(
      fc.property(
        columns.chain((column) => {
          const known = fc.constantFrom(...distinct(type, column), type === "int" ? "0" : "");
          const other = type === "int" ? integers : strings;
          return fc.record({
            column: fc.constant(column),
            operator: fc.constantFrom(...operatorsOf(Row, FIELD_OF[type])),
            values: fc.array(fc.oneof(known, other), { minLength: 1, maxLength: 4 }),
            negates: fc.boolean(),
          });
        }),
        ({ column, operator, values, negates }) => {
          const index = indexOf(type, column);
          const { name, takes } = operator;
          const [first = "", second = first] = values;
          const operands = { values, range: inOrder({ type }, [first, second]) };
          const operand = takes === "values" || takes === "range" ? operands[takes] : first;
          const triple = [FIELD_OF[type], name, operand];
          const [criterion] = criteriaOf(...(negates ? ["NOT", triple] : [triple]));
          if (criterion === undefined) throw new Error("there is one criterion");
          const holding = Array.from({ length: index.values.length }, (_, code) => code).filter(
            (code) => criterion.test(index.values.at(code) ?? null),
          );
          const codes = index.codesFor(criterion);
          const bounds =
            criterion.bounds.kind === "complement" ? criterion.bounds.of : criterion.bounds;
          const { kind } = bounds;
          const isSearch = kind === "suffix" || kind === "substring";
          const text = "text" in bounds ? bounds.text : undefined;
          const hasCodes =
            kind === "prefix" ? type === "string" : text === undefined || (isSearch && text === "");
          expect(codes === undefined).toBe(!hasCodes);
          expect(codesIn(index.test([criterion]))).toEqual(holding);
          if (codes !== undefined) expect(codesIn(codes)).toEqual(holding);
          expect(index.count(codes ?? index.test([criterion]))).toBe(
            column.filter((value) => criterion.test(value)).length,
          );
        },
      ),
      settings(150),
    );
  });
});

test("neighbouring codes are one range, and every set of values has the fewest ranges", () => {
  const index = indexOf("string", ["a", "b", "c", "d", "e", null]);
  const codesFor = (...criterion: unknown[]) =>
    criteriaOf(["text", ...criterion]).map((each) => index.codesFor(each));
  expect(codesFor("in", ["b", "a", "e", "b", "x"])).toEqual([[1, 3, 5, 6]]);
  expect(codesFor("in", [null, "a"])).toEqual([[0, 2]]);
  expect(codesFor("in", [])).toEqual([[]]);
  expect(codesFor("not", "c")).toEqual([[0, 3, 4, 6]]);
  expect(codesFor("not", null)).toEqual([[1, 6]]);
  expect(codesFor("not", "e")).toEqual([[0, 5]]);
  expect(codesFor("not", "x")).toEqual([[0, 6]]);
  expect(codesFor("starts_with", "")).toEqual([[1, 6]]);
  expect(codesFor("starts_with", "c")).toEqual([[3, 4]]);
});

test("a prefix reaches the value that it is, those that go on, and no more", () => {
  const index = indexOf("string", ["A", "a", "ab", "aba", "b", "ba"]);
  const [startsWithA] = criteriaOf(["text", "starts_with", "a"]);
  expect(startsWithA && index.codesFor(startsWithA)).toEqual([2, 5]);
});

test("its bytes are those of its arrays, and of the table of values once that is there", () => {
  const index = indexOf("string", ["a", "b", "a", null]);
  const arrays = index.codes.byteLength + index.order.byteLength + index.starts.byteLength;
  expect(index.bytes).toBe(8 * 3 + arrays);
  index.prepareLookup();
  // Eight slots for three values.
  expect(index.bytes).toBe(8 * 3 + arrays + 4 * 8);
});

test("few values are found by halves; many get a table at the first search, once", () => {
  const few = indexOf(
    "string",
    Array.from({ length: 4095 }, (_, i) => `value ${i}`),
  );
  const many = indexOf(
    "string",
    Array.from({ length: 4096 }, (_, i) => `value ${i}`),
  );
  const [fewBytes, manyBytes] = [few.bytes, many.bytes];
  expect([few, many].map((index) => index.values.at(index.codeOf("value 77")))).toEqual([
    "value 77",
    "value 77",
  ]);
  expect(few.bytes).toBe(fewBytes);
  expect(many.bytes).toBe(manyBytes + 4 * 16_384);
  expect(many.codeOf("another")).toBe(-1);
  expect(many.bytes).toBe(manyBytes + 4 * 16_384);
});

test("values that were made to collide in the table of values are found without it", () => {
  using _ = tuned({ hashSeed: () => ADVERSARY_SEED });
  const values = stringsOfOneHash(13);
  const index = indexOf("string", values);
  expect(
    values.every(
      (value) => index.codeOf(value) > 0 && index.values.at(index.codeOf(value)) === value,
    ),
  ).toBe(true);
  expect(index.codeOf("another")).toBe(-1);
  const before = index.bytes;
  index.prepareLookup();
  expect(index.bytes).toBe(before);
});

describe("what making an index takes", () => {
  const building = (type: "int" | "string", column: Column) =>
    stepsOf(buildingIndex(type, column.length, (row) => column[row] ?? null));
  const textsOf = (count: number, rows: number) =>
    Array.from({ length: rows }, (_, row) => `value ${(row * 7919) % count}`);
  const sorting = (column: readonly string[]) =>
    stepsOf(sortStrings(column, Uint32Array.from(column.keys())));

  test("is little where it has few values: up to one for four rows, and they are counted", () => {
    // Rows are read, numbered, given codes, counted and put in order, in a step each.
    expect(sorting(textsOf(400, 400))).toBe(0);
    expect(building("string", textsOf(400, 1600))).toBe(5);
    expect(building("string", [...textsOf(400, 1600), null])).toBe(5);
    const many = textsOf(401, 1600);
    expect(building("string", many)).toBe(5 + sorting(many));
    expect(building("string", [])).toBe(0);
  });

  test("is a step for each some thousand rows, of those that have a value where they are sorted", () => {
    expect(building("string", textsOf(3, 4096))).toBe(5);
    expect(building("string", textsOf(3, 4097))).toBe(10);
  });

  test("of integers close together is no sorting, but a few steps for each some thousand rows", () => {
    const integers = Array.from({ length: 8192 }, (_, row) => String(row));
    expect(building("int", integers)).toBe(14);
    expect(building("int", [...integers, null])).toBe(20);
    const spaced = integers.map((integer) => `${integer}000`);
    const numbers = Float64Array.from(spaced, Number);
    const sorted = stepsOf(sortNumbers(numbers, Uint32Array.from(numbers.keys()), true));
    expect(building("int", spaced)).toBe(12 + sorted);
  });

  test("of few integers near the largest is exact", () => {
    const most = Number.MAX_SAFE_INTEGER;
    const column = [most, most - 1, most - 40, -most].map(String);
    expectIndexed("int", column);
    expectIndexed("int", column.slice(0, 3));
    expectIndexed("int", column.slice(3));
  });
});

const criteriaOf = (...criteria: unknown[]) => criteriaIn(parseCriteria(Row, criteria).groups);
const manyTexts = (count: number) => Array.from({ length: count }, (_, i) => `value ${i}`);

test("values that are read from elsewhere are found without a table, and by their texts", () => {
  const index = indexOf("string", [...manyTexts(5000), null]);
  const { elsewhere, asked } = withValuesElsewhere(index);
  expect([index.findsTexts, elsewhere.findsTexts]).toEqual([false, true]);
  const before = elsewhere.bytes;
  expect(elsewhere.codeOf("value 77")).toBe(index.codeOf("value 77"));
  expect(elsewhere.codeOf("none")).toBe(-1);
  elsewhere.prepareLookup();
  expect([elsewhere.bytes, elsewhere.mostBytes]).toEqual([before, before]);
  const same = (among: CodeSet | undefined, ...criteria: unknown[]) => {
    const parsed = criteriaOf(...criteria);
    expect(codesIn(elsewhere.test(parsed, among))).toEqual(codesIn(index.test(parsed, among)));
    return asked.splice(0);
  };
  expect(same(undefined, ["text", "contains", "77"])).toEqual(["77"]);
  expect(same([10, 900], ["text", "contains", "77"])).toEqual(["77"]);
  // The longest first, which leaves the fewest values to the others.
  expect(
    same(
      undefined,
      ["text", "contains", "7"],
      ["text", "contains", "e 1"],
      ["text", "contains", "1"],
    ),
  ).toEqual(["e 1", "7", "1"]);
  expect(same(undefined, ["text", "ends_with", "77"], ["text", "contains", "1"])).toEqual([
    "77",
    "1",
  ]);
  expect(same(undefined, ["text", "contains", ""])).toEqual([""]);
  expect(same(undefined, ["text", "not", "value 5"])).toEqual([]);
  expect(same(undefined, "NOT", ["text", "contains", "7"])).toEqual(["7"]);
  expect(same([0, 900], "NOT", ["text", "ends_with", "7"], ["text", "contains", "e 7"])).toEqual([
    "e 7",
    "7",
  ]);
});

test("the bytes that it will take once values are found are known before", () => {
  const [few, many] = [indexOf("string", manyTexts(4000)), indexOf("string", manyTexts(5000))];
  expect(few.mostBytes).toBe(few.bytes);
  const most = many.mostBytes;
  expect(most).toBe(many.bytes + 4 * 16_384);
  many.prepareLookup();
  expect([many.bytes, many.mostBytes]).toEqual([most, most]);
  many.prepareLookup();
  expect(many.bytes).toBe(most);
});

test("a row of the order is read where it stands, in memory or not", () => {
  const index = indexOf("string", ["b", "a", null, "b"]);
  const pieces = inPieces(index);
  expect([index.isInPieces, pieces.isInPieces]).toEqual([false, true]);
  const order = vi.spyOn(pieces, "order", "get").mockImplementation(() => {
    throw new Error("read as a whole");
  });
  for (const [position, row] of [2, 1, 0, 3].entries()) {
    expect([index.rowAt(position), pieces.rowAt(position)]).toEqual([row, row]);
  }
  order.mockRestore();
  const copied = vi.spyOn(index, "copyRows");
  expect(index.rowAt(3)).toBe(3);
  expect(copied).not.toHaveBeenCalled();
});

test("the rows of one range are counted by its ends, those of several by all that is known", () => {
  const pieces = inPieces(indexOf("string", ["b", "a", null, "b"]));
  const starts = vi.spyOn(pieces, "starts", "get");
  expect([pieces.count([1, 3]), starts.mock.calls.length]).toEqual([3, 0]);
  expect(pieces.count([0, 1, 2, 3])).toBe(3);
  expect(starts).toHaveBeenCalled();
});

test("values in memory are read there, and found by their table once there is one", () => {
  const index = indexOf("string", manyTexts(5000));
  const at = vi.spyOn(Array.prototype, "at");
  const calls = (work: () => unknown) => {
    at.mockClear();
    work();
    return at.mock.calls.length;
  };
  expect(calls(() => index.codeOf("value 77", new Deadline(1000)))).toBeGreaterThan(0);
  expect(calls(() => index.test(criteriaOf(["text", "contains", "7"])))).toBe(0);
  index.prepareLookup();
  expect(calls(() => index.codeOf("value 77", new Deadline(1000)))).toBe(0);
});

test("a table of values is made once: by the rows, where most values are new, else by the values", () => {
  const steps = (count: number, rows: number) => {
    const column = Array.from({ length: rows }, (_, row) => `value ${row % count}`);
    const index = indexOf("string", column);
    const first = stepsOf(index.preparingLookup());
    expect(stepsOf(index.preparingLookup())).toBe(0);
    return first;
  };
  // With null, which every index has, there is one value more.
  expect(steps(4999, 20_000)).toBe(2);
  expect(steps(5000, 20_000)).toBe(5);
});

test("a stretch of the order is copied to its place, and nothing is written beside it", () => {
  const index = indexOf(
    "string",
    Array.from({ length: 1000 }, (_, row) => `${row % 10}`),
  );
  const order = Array.from(index.order);
  const stretches = [
    { from: 5, to: 5 },
    { from: 0, to: 3 },
    { from: 7, to: 300 },
    { from: 990, to: 1000 },
    { from: 0, to: 1000 },
  ];
  for (const { from, to } of stretches) {
    const target = new Uint32Array(to - from + 4).fill(7777);
    index.copyRows(from, to, target, 2);
    expect(Array.from(target)).toEqual([7777, 7777, ...order.slice(from, to), 7777, 7777]);
  }
});

test("the deadline is asked again and again while values are looked up, or tested", () => {
  const index = indexOf("string", manyTexts(40_000));
  const deadline = new Deadline(60_000);
  const check = vi.spyOn(deadline, "check");
  const checksIn = (work: () => unknown) => {
    check.mockClear();
    work();
    return check.mock.calls.length;
  };
  index.prepareLookup();
  const [values] = criteriaOf(["text", "in", manyTexts(40_000)]);
  expect(checksIn(() => values && index.codesFor(values, deadline))).toBe(9);
  const test = (...criteria: unknown[][]) =>
    checksIn(() => index.test(criteriaOf(...criteria), undefined, deadline));
  expect(test(["text", "contains", "7"], ["text", "contains", "8"])).toBe(19);
  expect(test(["text", "contains", "7"])).toBe(9);
  // Nobody has to have one.
  expect(index.count((values && index.codesFor(values)) ?? [])).toBe(40_000);
  expect(index.count(index.test(criteriaOf(["text", "contains", "39999"])))).toBe(1);
});
