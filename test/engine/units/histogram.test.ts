// Where the bins of a histogram begin and end: determined by live rows and by options, with and
// without an index of the field.

import { describe, expect, test } from "vitest";
import { untyped } from "../../rules/fixtures.ts";
import { createCollection, defineSchema, float, InputError, int } from "../../../src/index.ts";
import { like } from "../../likeness.ts";

const Row = defineSchema(
  { id: int({ unique: true }), number: int({ nullable: true }) },
  { form: "wire" },
);

const rowsOf = (numbers: readonly (number | null)[], indexes: "auto" | "none" = "none") =>
  createCollection(
    Row,
    numbers.map((number, id) => ({ id, number })),
    { indexes },
  );

const numbers = [null, 30, -5, 7, 7, 12, null, 0, 19, 8];
/** So many that they are not few. */
const many = Array.from({ length: 20 }, () => numbers).flat();

type Rows = ReturnType<typeof rowsOf>;

const ways: [string, (rows: Rows) => Rows][] = [
  ["with an index", (rows) => rows.prepare({ sort: ["number"], match: ["id"] })],
  ["without an index", (rows) => rows.prepare({ match: ["id"] })],
];

describe.each(ways)("%s", (_, prepare) => {
  const bins = (rows: Rows, options: object) => {
    const { bins, below, above, nulls } = prepare(rows).histogram("number", untyped(options));
    return [...bins.map(({ from, to, count }) => `${from}..${to}: ${count}`), below, above, nulls];
  };

  test("the first bin begins at the lowest value, and the last ends at the highest", () => {
    expect(bins(rowsOf(many), { bins: 3 })).toEqual([
      ...["-5..6: 40", "7..18: 80", "19..30: 40", 0, 0, 40],
    ]);
    expect(bins(rowsOf(many), { bins: 1, criteria: [["id", "less_than", 3]] })).toEqual([
      ...["-5..30: 2", 0, 0, 1],
    ]);
  });

  test("a given end of the range is taken; the other is that of the values", () => {
    expect(bins(rowsOf(many), { bins: 2, from: 8 })).toEqual([
      "8..19: 60",
      "20..30: 20",
      80,
      0,
      40,
    ]);
    expect(bins(rowsOf(many), { bins: 2, to: 8 })).toEqual(["-5..1: 40", "2..8: 60", 0, 60, 40]);
    expect(bins(rowsOf(many), { bins: 2, from: 7, to: 8 })).toEqual([
      ...["7..7: 40", "8..8: 20", 40, 60, 40],
    ]);
    expect(bins(rowsOf(many), { bins: 2, from: 30, to: 30 })).toEqual(["30..30: 20", 140, 0, 40]);
  });

  test("there are no bins where the range holds nothing, and all values are below or above it", () => {
    expect(bins(rowsOf(many), { bins: 2, from: 31 })).toEqual([160, 0, 40]);
    expect(bins(rowsOf(many), { bins: 2, to: -6 })).toEqual([0, 160, 40]);
    const none = Array.from({ length: 100 }, () => null);
    expect(bins(rowsOf(none), { bins: 2 })).toEqual([0, 0, 100]);
    expect(bins(rowsOf(none), { bins: 2, from: 1 })).toEqual([0, 0, 100]);
    expect(bins(rowsOf(none), { bins: 2, to: 1 })).toEqual([0, 0, 100]);
    expect(bins(rowsOf([]), { bins: 2 })).toEqual([0, 0, 0]);
  });

  test("values that only removed records had do not count for the range", () => {
    const outer = [-100, 400, ...many, 500, -200];
    const inner = prepare(rowsOf(outer)).remove([["id", "in", [0, 1, 202, 203]]]);
    expect(inner.state.snapshot.segments[0].dead.count).toBe(4);
    expect(bins(inner, { bins: 1 })).toEqual(["-5..30: 160", 0, 0, 40]);
    const three = [...Array.from({ length: 100 }, () => null), 1, 2, 3];
    const left = (ids: number[]) => prepare(rowsOf(three)).remove([["id", "in", ids]]);
    expect(bins(left([100, 101]), { bins: 1 })).toEqual(["3..3: 1", 0, 0, 100]);
    expect(bins(left([101, 102]), { bins: 1 })).toEqual(["1..1: 1", 0, 0, 100]);
    expect(bins(left([100, 102]), { bins: 1 })).toEqual(["2..2: 1", 0, 0, 100]);
    expect(bins(left([100, 101, 102]), { bins: 1 })).toEqual([0, 0, 100]);
  });

  test("values of records that came later are part of it", () => {
    const later = [77, -77, null].map((number, id) => ({ id: 1000 + id, number }));
    const rows = prepare(rowsOf(many)).insert(later);
    expect(rows.state.snapshot.segments).toHaveLength(2);
    expect(bins(rows, { bins: 1 })).toEqual(["-77..77: 162", 0, 0, 41]);
  });
});

test("as many bins are made as there are integers, ten thousand at most", () => {
  const { bins } = rowsOf([1, 10_000]).histogram("number", { bins: 10_000 });
  expect(bins).toHaveLength(10_000);
  expect(bins.filter(({ count }) => count === 1)).toEqual([
    { from: 1, to: 1, count: 1 },
    { from: 10_000, to: 10_000, count: 1 },
  ]);
});

test("a bound that is not a safe integer is refused by its name, and so is a lower one above the upper", () => {
  const asked = (options: object) => () =>
    rowsOf([1]).histogram("number", untyped({ bins: 1, ...options }));
  expect(asked({ from: 0.5 })).toThrow(
    like(new InputError("options.from", "must be a safe integer, not 0.5")),
  );
  expect(asked({ to: "9" })).toThrow(
    like(new InputError("options.to", 'must be a finite number, not "9"')),
  );
  expect(asked({ from: 1, to: -1 })).toThrow(
    like(new InputError("options.to", "must not be below options.from, which is 1")),
  );
  expect(asked({ from: -1, to: 1 })).not.toThrow();
});

test("if the range is given, only the values of the selected records are read", () => {
  const rows = rowsOf(many, "auto").prepare({ match: ["id"] });
  const criteria = [["id", "exactly", 1]] as const;
  const fields = () => rows.indexes().map(({ field }) => field);
  for (let i = 0; i < 50; i++) rows.histogram("number", { bins: 2, criteria, from: 0, to: 9 });
  expect(fields()).toEqual(["id"]);
  for (let i = 0; i < 50; i++) rows.histogram("number", { bins: 2, criteria, from: 0 });
  expect(fields()).toEqual(["id", "number"]);
});

test.each([1, 2, 3, 7])(
  "%i bins of floats that are infinitely far apart have finite edges",
  (bins) => {
    const most = Number.MAX_VALUE;
    const rows = createCollection(
      defineSchema({ number: float() }),
      [-most, -1, 0, 1, most].map((number) => ({ number })),
    );
    const found = rows.histogram("number", { bins });
    expect(found.bins.map(({ from }) => from).every(Number.isFinite)).toBe(true);
    expect(found.bins).toHaveLength(bins);
    expect(found.bins[0]?.from).toBe(-most);
    expect(found.bins.at(-1)?.to).toBe(most);
    expect(found.bins.reduce((sum, { count }) => sum + count, 0)).toBe(5);
  },
);
