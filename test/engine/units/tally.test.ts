// Which rows are read to count the values of a field. The counts always match the predicate; these tests check that
// rows are read only if there is no faster way.

import { describe, expect, test } from "vitest";
import { createCollection, int, string } from "../../../src/index.ts";
import { tuned } from "../../tuned.ts";
import { wireSchema } from "../../wire-schema.ts";
import { readsOf } from "./built.ts";

const Row = wireSchema({
  id: int({ unique: true }),
  letter: string(),
  number: int(),
  share: string(),
});

const SIZE = 1000;

/** Of ten rows one has the letter "a", and nine are "most". */
const rows = (indexes: "auto" | "none" = "none") =>
  createCollection(
    Row,
    Array.from({ length: SIZE }, (_, id) => ({
      id,
      letter: "abcdefghij"[id % 10] ?? "",
      number: id % 4,
      share: id % 10 === 3 ? "rest" : "most",
    })),
    { indexes },
  );

type Rows = ReturnType<typeof rows>;

const prepared = () => rows().prepare({ match: ["id", "letter", "share"], sort: ["number"] });

/** The last row of each letter but one is dead. */
const holed = () => prepared().remove([["id", "in", [991, 992, 994]]]);

/** The counts, as a plain object. */
function counted(rows: Rows, field: "letter" | "number" | "share", criteria: unknown[]) {
  const counts = rows.countBy(field, criteria as never);
  return Object.fromEntries(counts.map(({ value, count }) => [value, count]));
}

/** The same, of records read one by one. */
function expected(rows: Rows, field: "letter" | "number" | "share", criteria: unknown[]) {
  const counts: Record<string, number> = {};
  for (const record of rows.query({ criteria: criteria as never })) {
    counts[record[field]] = (counts[record[field]] ?? 0) + 1;
  }
  return counts;
}

describe("of criteria that the field's own index answers no row is looked at", () => {
  test.each([
    ["none", []],
    ["one value", [["letter", "exactly", "c"]]],
    ["several values", [["letter", "in", ["b", "c", "e"]]]],
    ["all but one value", [["letter", "not", "c"]]],
    ["a range", [["letter", "starts_with", "c"]]],
    ["no value", [["letter", "exactly", "z"]]],
  ])("%s", (_, criteria) => {
    for (const each of [prepared(), holed()]) {
      const { path } = each.explainGroupBy({ by: "letter", criteria: criteria as never });
      // Criteria that match nothing have a plan without rows.
      expect(path).toBe(criteria[0]?.[2] === "z" ? "rows" : "runs");
      expect(counted(each, "letter", criteria)).toEqual(expected(each, "letter", criteria));
    }
  });
});

describe("of criteria that another index answers", () => {
  /** The path, and how many rows are looked up. */
  function planned(each: Rows, criteria: unknown[]) {
    const { path, estimatedRows, parts } = each.explainGroupBy({
      by: "letter",
      criteria: criteria as never,
    });
    expect(counted(each, "letter", criteria)).toEqual(expected(each, "letter", criteria));
    return [path, estimatedRows + (parts[1]?.estimatedRows ?? 0)];
  }

  test("only the rows that they select are looked up, if these are fewer", () => {
    for (const each of [prepared(), holed()]) {
      expect(planned(each, [["share", "exactly", "rest"]])).toEqual(["lookup", 100]);
      expect(planned(each, [["number", "exactly", 0]])).toEqual(["lookup", 250]);
      expect(planned(each, [["number", "in", ["0", "3"]]])).toEqual(["lookup", 500]);
    }
  });

  test("otherwise only those that they do not select, and these are subtracted from all", () => {
    for (const each of [prepared(), holed()]) {
      expect(planned(each, [["share", "not", "rest"]])).toEqual(["difference", 100]);
      expect(planned(each, [["share", "exactly", "most"]])).toEqual(["difference", 100]);
      expect(planned(each, [["number", "in", ["0", "1", "3"]]])).toEqual(["difference", 250]);
      expect(planned(each, [["number", "less_than", 3]])).toEqual(["difference", 250]);
    }
  });
});

test("of criteria on several fields each must hold", () => {
  for (const each of [prepared(), holed(), rows()]) {
    for (const criteria of [
      [
        ["share", "exactly", "most"],
        ["number", "not", "2"],
      ],
      [
        ["share", "exactly", "rest"],
        ["number", "exactly", "3"],
      ],
      [
        ["share", "not", "rest"],
        ["number", "not", "3"],
        ["id", "not", 5],
      ],
      [["share", "exactly", "rest"], "OR", ["number", "exactly", "0"]],
      [["id", "less_than", 900]],
    ]) {
      for (const field of ["letter", "number", "share"] as const) {
        expect(counted(each, field, criteria)).toEqual(expected(each, field, criteria));
      }
    }
  }
});

test("the bins of a histogram are counted without looking at rows", () => {
  const rows = prepared();
  const index = rows.state.snapshot.segments[0].ordered("id");
  if (index === undefined) throw new Error("it was prepared");
  const codes = readsOf(index, "codes");
  const { bins } = rows.histogram("id", { bins: 4, from: 0, to: 999 });
  expect(bins.map(({ count }) => count)).toEqual([250, 250, 250, 250]);
  expect(codes.count).toBe(0);
});

test("a few records that came last are read, however often they are counted: no index is built for them", () => {
  // A search that is repeated would read the rows of the first.
  using _ = tuned({ mostKept: 0 });
  const more = createCollection(Row, rows().query({ limit: 600 }), { indexes: "auto" });
  const few = more.insert(rows().query({ offset: 600, limit: 60 }));
  const asked = ["letter", [["share", "contains", "os"]]] as const;
  for (let i = 0; i < 100; i++) few.countBy(...asked);
  const [base, young] = few.state.snapshot.segments;
  expect([...base.indexes.names.ordered]).toEqual(expect.arrayContaining(["letter", "share"]));
  expect(young?.indexes.count).toBe(0);
});

test("null comes before all values, and values that came later stand among the others", () => {
  const Nullable = wireSchema({ number: int({ nullable: true }) });
  const of = (numbers: readonly (number | null)[]) => numbers.map((number) => ({ number }));
  const values = (numbers: readonly (number | null)[], later: readonly (number | null)[]) => {
    const rows = createCollection(Nullable, of(numbers), { indexes: "none" });
    return [rows, rows.prepare({ sort: ["number"] })].map((each) =>
      each
        .insert(of(later))
        .countBy("number")
        .map(({ value, count }) => `${value}: ${count}`)
        .join(),
    );
  };
  const twice = (line: string) => [line, line];
  for (const few of [
    [null, 3, 1],
    [3, null, 1],
    [3, 1, null],
    [1, 3, null],
  ]) {
    expect(values(few, [])).toEqual(twice("null: 1,1: 1,3: 1"));
  }
  const many = Array.from({ length: 90 }, (_, i) => 10 * (i % 9));
  const counts = Array.from({ length: 9 }, (_, i) => `${10 * i}: 10`);
  expect(values(many, [null, 95, 85, -5, 5])).toEqual(
    twice(["null: 1", "-5: 1", "0: 10", "5: 1", ...counts.slice(1), "85: 1", "95: 1"].join()),
  );
  expect(values(many, [80, 0])).toEqual(twice(["0: 11", ...counts.slice(1, 8), "80: 11"].join()));
});
