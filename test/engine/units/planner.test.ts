// The plans that the planner compares, step by step: which index answers which criteria, and which criteria are left to
// filters. Costs are not tested, because they may change.

import { describe, expect, test } from "vitest";
import { criteriaIn } from "../../../src/criteria/tree.ts";
import { accessesOf } from "../../../src/engine/optimizer/accesses.ts";
import { knownLength, knownRows } from "../../../src/engine/operators/table.ts";
import type { Plan } from "../../../src/engine/operators/plan.ts";
import { plansOf } from "../../../src/engine/optimizer/optimizer.ts";
import { planQuery } from "../../../src/engine/optimizer/optimizer.ts";
import { parseQuery } from "../../../src/engine/query.ts";
import { createCollection, int, parseCriteria, string } from "../../../src/index.ts";
import { lazily } from "../../lazily.ts";
import { predicatePage } from "../../reference-page.ts";
import { tuned } from "../../tuned.ts";
import { wireSchema } from "../../wire-schema.ts";

const strict = { maxCriteria: 1000, maxValues: 1000, unknownOperator: "error" } as const;
const Row = wireSchema({
  id: int(),
  name: string(),
  kind: string(),
  other: string(),
  number: int(),
});

/** Names all distinct; of kinds there are `kinds`, each twice in a row. */
const rowsOf = (count: number, kinds: number) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `${["left", "right"][id % 2] ?? ""} ${id * 7}`,
    kind: `kind ${(id >>> 1) % kinds}`,
    other: `other ${id % 4}`,
    number: 123_000 + id,
  }));

const make = (count: number, kinds = 10) =>
  createCollection(Row, rowsOf(count, kinds), { indexes: "none" });
type Rows = ReturnType<typeof make>;
const all = { sort: ["id", "name", "kind", "other", "number"] } as const;

const segmentOf = ({ state }: Rows) => state.snapshot.segments[0];
const plansFor = (rows: Rows, query: object): readonly Plan[] =>
  plansOf(segmentOf(rows), parseQuery(Row, query, strict));
const planFor = (rows: Rows, query: object) =>
  planQuery(segmentOf(rows), parseQuery(Row, query, strict));

/** The steps of a plan in a line: source, filters, order. */
const lineOf = ({ source, filters, order }: Plan): string =>
  [source.step.path, ...filters.map(({ step }) => step.path), order.path].join(" ");

/** Whether codes, postings or tests answer for the values, and of which field. */
function accesses(rows: Rows, criteria: readonly unknown[], page: object = {}): string[] {
  const group = criteriaIn(parseCriteria(Row, criteria).groups);
  const query = parseQuery(Row, page, strict);
  return accessesOf(segmentOf(rows), group, query).map(({ codes, source, filters }) => {
    const by = codes !== undefined ? "codes" : source !== undefined ? "postings" : "tests";
    return `${by} ${filters.length}`;
  });
}

describe("criteria are answered together", () => {
  const prepared = lazily(() => make(200).prepare(all));

  test("where they are on one field, and apart where they are not", () => {
    const rows = prepared();
    const [more, less] = [
      ["id", "greater_than", 3],
      ["id", "less_than", 9],
    ];
    const kind = ["kind", "not", "kind 1"];
    const other = ["other", "not", "x"];
    expect(accesses(rows, [more])).toHaveLength(1);
    expect(accesses(rows, [more, kind])).toHaveLength(2);
    expect(accesses(rows, [more, less])).toHaveLength(1);
    expect(accesses(rows, [more, kind, less])).toHaveLength(2);
    expect(accesses(rows, [kind, more, less])).toHaveLength(2);
    expect(accesses(rows, [kind, other, more, less])).toHaveLength(3);
    expect(accesses(rows, [kind, other, less])).toHaveLength(3);
    const same = (count: number) =>
      Array.from({ length: count }, (_, i) => ["id", "greater_than", i]);
    expect(accesses(rows, [...same(8), kind])).toHaveLength(2);
    expect(accesses(rows, [...same(7), kind])).toHaveLength(2);
    const [access] = accessesOf(
      segmentOf(rows),
      criteriaIn(parseCriteria(Row, [more, less] as never).groups),
      parseQuery(Row, {}, strict),
    );
    expect(access?.codes?.rows).toBe(5);
  });
});

describe("criteria of whose values the order tells nothing", () => {
  test("are answered by trigrams from three characters on, and tested where they are shorter", () => {
    const rows = make(5000).prepare({ ...all, contains: ["name", "number"] });
    const left = ["name", "contains", "eft"];
    const short = ["name", "contains", "4"];
    expect(accesses(rows, [left])).toEqual(["postings 2"]);
    expect(accesses(rows, [["name", "ends_with", "t 7"]])).toEqual(["postings 2"]);
    expect(accesses(rows, [short])).toEqual(["tests 1"]);
    expect(accesses(rows, [left, short])).toEqual(["postings 2", "tests 1"]);
    expect(accesses(rows, [left, ["name", "contains", "ight"]])).toEqual(["postings 3"]);
    // Digits of numbers do not stand in the order of numbers.
    expect(accesses(rows, [["number", "starts_with", "127"]])).toEqual(["postings 2"]);
    expect(accesses(rows, [["number", "starts_with", "12"]])).toEqual(["tests 1"]);
    for (const criteria of [
      [left, short],
      [["number", "starts_with", "127"]],
      [
        ["number", "starts_with", "127"],
        ["number", "contains", "9"],
      ],
    ]) {
      const flat = rows.query();
      const expected = predicatePage(Row, flat, { criteria: criteria });
      for (const plan of plansFor(rows, { criteria })) expect(plan.rows).toBeGreaterThan(0);
      expect(rows.query({ criteria: criteria as never })).toEqual(expected);
      expect(expected.length).toBeGreaterThan(0);
    }
  });

  test("are tested value by value where these are few beside the rows that a page needs", () => {
    // With null there are 75 values; a page of 20 is taken to look at 200 rows.
    const contains = ["kind", "contains", "1"];
    // A collection of its own for each: an index knows the search that was made last.
    const few = (page = {}) => accesses(make(2000, 74).prepare(all), [contains], page);
    expect(few()).toEqual(["codes 1"]);
    expect(few({ limit: 19 })).toEqual(["tests 1"]);
    expect(few({ limit: 20 })).toEqual(["codes 1"]);
    expect(few({ limit: 10, offset: 10 })).toEqual(["codes 1"]);
    expect(few({ limit: 1, sortBy: "id" })).toEqual(["codes 1"]);
  });

  test("are tested among the values that other criteria leave, where those are few", () => {
    const rows = make(2000).prepare(all);
    const contains = ["name", "contains", "1"];
    expect(accesses(rows, [contains])).toEqual(["tests 1"]);
    expect(accesses(rows, [contains, ["name", "starts_with", "right 1"]])).toEqual(["codes 1"]);
    expect(accesses(rows, [contains, ["name", "starts_with", "right 99"]])).toEqual(["codes 1"]);
    expect(accesses(rows, [contains, ["name", "starts_with", ""]])).toEqual(["tests 1", "codes 1"]);
  });
});

describe("the plans of a group", () => {
  const prepared = lazily(() => make(400).prepare(all));

  test("have as sources every row, and each criterion that an index answers, up to three", () => {
    const rows = prepared();
    const criteria = [
      ["other", "not", "x"],
      ["kind", "not", "kind 1"],
      ["id", "less_than", 300],
      ["number", "less_than", 123_100],
      ["name", "starts_with", "right 9"],
    ];
    const plans = plansFor(rows, { criteria });
    expect(plans.map(({ source: { step } }) => step.path)).toEqual([
      ...["scan", "bitmap-scan", "bitmap-scan", "bitmap-scan"],
    ]);
    // Those that select the fewest rows.
    expect(plans.slice(1).map(({ source }) => source.rows)).toEqual([
      rows.count(criteria.slice(4) as never),
      100,
      300,
    ]);
    expect(plans.map(({ filters }) => filters.length)).toEqual([5, 4, 4, 4]);
    expect(plansFor(rows, { criteria: criteria.slice(0, 3) })).toHaveLength(4);
    expect(plansFor(rows, { criteria: criteria.slice(0, 2) })).toHaveLength(3);
  });

  test("read the sort index in its order, or the stretch of it that a criterion leaves", () => {
    const rows = prepared();
    const kind = ["kind", "exactly", "kind 1"];
    expect(plansFor(rows, { criteria: [kind], sortBy: "id" }).map(lineOf)).toEqual([
      "scan codes select",
      "index-lookup select",
      "index-scan codes source",
    ]);
    const stretch = plansFor(rows, { criteria: [["id", "less_than", 9], kind], sortBy: "id" });
    expect(stretch.map(lineOf).at(-1)).toBe("index-scan codes source");
    expect(stretch.at(-1)?.source.rows).toBe(9);
    // Only there are rows judged that come from all over the collection.
    expect(stretch.map(({ scatteredRows }) => scatteredRows > 0)).toEqual([
      ...[false, false, false, true],
    ]);
    expect(plansFor(make(100), { criteria: [kind], sortBy: "id" }).map(lineOf)).toEqual([
      "scan test sort",
    ]);
  });

  test("leave out the dead rows that a source hands out, and no others", () => {
    const rows = prepared();
    const changed = rows.remove([["id", "in", [1, 2, 3]]]);
    expect(segmentOf(changed).dead.count).toBe(3);
    const range = ["id", "less_than", 9];
    const kind = ["kind", "exactly", "kind 1"];
    expect(plansFor(changed, { criteria: [range, kind], sortBy: "id" }).map(lineOf)).toEqual([
      "scan codes codes select",
      "bitmap-scan codes live select",
      "index-lookup codes select",
      "index-scan codes source",
    ]);
    const [, byRange] = plansFor(changed, { criteria: [range] });
    expect(byRange && lineOf(byRange)).toBe("bitmap-scan live source");
    expect(byRange?.filters[0]?.selectivity).toBeLessThan(1);
    expect(changed.count([range] as never)).toBe(6);
    const right = ["name", "contains", "right"];
    expect(changed.query({ criteria: [range, right] as never })).toHaveLength(2);
    // None is dead: nothing has to be left out.
    expect(plansFor(rows, { criteria: [range] }).map(lineOf)).toEqual([
      "scan codes source",
      "bitmap-scan source",
    ]);
  });
});

describe("a sorted page of a text", () => {
  // Each trigram of "abc bcd" is in one of three records, all of them in one of nine, and the text in two records.
  const n = 9000;
  const names = Array.from({ length: n }, (_, id) => {
    if (id % 4500 === 7) return `abc bcd ${id}`;
    return [id % 3 === 0 ? "abc b" : "x", id % 9 < 3 ? "c bcd" : "y", id].join("-");
  });
  const records = rowsOf(n, 10).map((row, id) => ({ ...row, name: names[id] ?? "" }));
  const prepared = lazily(() =>
    createCollection(Row, records, { indexes: "none" }).prepare({
      sort: ["number"],
      contains: ["name"],
    }),
  );
  const chosen = (text: string) =>
    planFor(prepared(), { criteria: [["name", "contains", text]], sortBy: "number", limit: 20 });

  test("of few records sorts these, although many have each of its trigrams", () => {
    const { source, order } = chosen("abc bcd");
    expect([source.step.path, order.path]).toEqual(["trigrams", "select"]);
    // As many as have all trigrams, not as many as have the rarest.
    expect(source.rows).toBe(n / 9 + 2);
  });

  test("of many reads in the order of the sort", () => {
    expect(chosen("abc").source.step.path).toBe("index-scan");
  });
});

describe("the plans of several groups", () => {
  const prepared = lazily(() => make(400).prepare(all));

  test("test every row or unite, and with a sort index do either in its order", () => {
    const rows = prepared();
    const criteria = [["kind", "exactly", "kind 1"], "OR", ["other", "exactly", "other 1"]];
    expect(plansFor(rows, { criteria }).map(lineOf)).toEqual(["scan any source", "union source"]);
    expect(plansFor(rows, { criteria, sortBy: "id" }).map(lineOf)).toEqual([
      "scan any select",
      "union select",
      "index-scan any source",
      "index-scan union source",
    ]);
    expect(plansFor(make(400), { criteria, sortBy: "id" }).map(lineOf)).toEqual([
      "scan any sort",
      "union sort",
    ]);
  });

  test("are parts of a union in explain, each of which has all of its rows", () => {
    const criteria = [["kind", "exactly", "kind 1"], "OR", ["other", "exactly", "other 1"]];
    const { access } = prepared().explain({ criteria: criteria as never });
    const parts = access.parts.map(({ offset, limit, sort }) => ({ offset, limit, sort }));
    const whole = { offset: 0, limit: null, sort: undefined };
    expect([access.path, parts]).toEqual(["union", [whole, whole]]);
  });

  test("that are all negated are the complement of one plan", () => {
    // Strings that all differ, so that trigrams narrow them.
    using _ = tuned({ fewValues: 3 });
    const rows = make(400).prepare({ sort: ["id", "number"], contains: ["name"] });
    const [left, right] = [
      ["name", "contains", "left 14"],
      ["name", "contains", "right 7"],
    ];
    const lines = (...criteria: unknown[]) => plansFor(rows, { criteria }).map(lineOf);
    const isRead = (line: string) => line.startsWith("complement");
    expect(lines("NOT", left)).toContain("complement source");
    // NOT (a OR b), NOT (a AND b), and beside another field.
    expect(lines("NOT", left, "NOT", right).filter(isRead)).toEqual(["complement source"]);
    expect(lines("NOT", [left, right]).filter(isRead)).toEqual(["complement source"]);
    expect(lines(["id", "at_least", 390], "NOT", left)).toContain("bitmap-scan complement source");
    const ids = (criteria: unknown[]) =>
      rows.query({ criteria: criteria as never }).map(({ id }) => Number(id));
    const others = rowsOf(400, 1).flatMap(({ id, name }) => (name.includes("left 14") ? [] : id));
    expect(ids(["NOT", left])).toEqual(others);
    expect(rows.count(["NOT", left] as never)).toBe(others.length);
  });

  test("are those of one group where they are codes of one index", () => {
    const rows = prepared();
    const criteria = [
      ...[["kind", "exactly", "kind 1"], "OR", ["kind", "exactly", "kind 3"], "OR"],
      ["kind", "exactly", "kind 1"],
    ];
    expect(plansFor(rows, { criteria }).map(lineOf)).toEqual([
      "scan codes source",
      "bitmap-scan source",
    ]);
    expect(rows.count(criteria as never)).toBe(80);
  });
});

test("a plan that nothing can beat is among those that are weighed, and the same", () => {
  const rows = make(400).prepare(all);
  const criteria = [["kind", "exactly", "kind 1"]];
  for (const query of [{}, { sortBy: "id", limit: 3 }, { criteria }]) {
    const plan = planFor(rows, query);
    const [best] = plansFor(rows, query).toSorted((a, b) => a.cost - b.cost);
    expect([best && lineOf(best), best?.cost]).toEqual([lineOf(plan), plan.cost]);
  }
});

describe("the plan that is run", () => {
  const prepared = lazily(() => make(400).prepare(all));

  test.each([
    [{}, "scan source", 400, 400],
    [{ offset: 390 }, "scan source", 400, 10],
    [{ offset: 500 }, "scan source", 400, 0],
    [{ limit: 7 }, "scan source", 400, 7],
    [{ sortBy: "id", limit: 7 }, "index-scan source", 400, 7],
    [{ criteria: [["kind", "exactly", "kind 1"]] }, "index-lookup source", 40, 40],
    [{ criteria: [["kind", "in", ["kind 1", "kind 3"]]] }, "bitmap-scan source", 80, 80],
    [{ criteria: [["kind", "exactly", "none"]] }, "nothing source", 0, 0],
    [{ criteria: [["kind", "not", "kind 1"]] }, "scan codes source", 360, 360],
    [
      { criteria: [["kind", "not", "kind 1"]], offset: 350, limit: 20 },
      ...(["scan codes source", 360, 10] as const),
    ],
    [
      { criteria: [["kind", "exactly", "kind 1"], "OR", ["id", "exactly", 1]] },
      ...(["union source", undefined, 0] as const),
    ],
  ])("%j has as many rows as are known", (query, line, known, length) => {
    const rows = prepared();
    const plan = planFor(rows, query);
    expect(lineOf(plan)).toBe(line);
    expect(knownRows(plan, segmentOf(rows))).toBe(known);
    expect(knownLength(plan, segmentOf(rows))).toBe(length);
  });

  test("does not know how many rows of codes are live", () => {
    const rows = prepared().remove([["id", "exactly", 0]]);
    const query = { criteria: [["kind", "not", "kind 1"]] };
    const plan = planFor(rows, query);
    expect(lineOf(plan)).toBe("scan codes source");
    expect(knownRows(plan, segmentOf(rows))).toBeUndefined();
    expect(rows.count(query.criteria as never)).toBe(359);
  });
});
