// The text of a plan: one line for each step, the last step first, each level indented further.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type QueryPlan } from "../../../src/engine/explain/explain.ts";
import { formatPlan } from "../../../src/engine/explain/format-plan.ts";
import { countOperators } from "../../../src/engine/operators/counts/table.ts";
import { sourceOperators, filterOperators, orders } from "../../../src/engine/operators/table.ts";

const access: QueryPlan["access"] = {
  path: "scan",
  field: undefined,
  criteria: [],
  estimatedRows: 1200,
  actualRows: undefined,
  milliseconds: undefined,
  parts: [],
};

const plan: QueryPlan = {
  access,
  filters: [],
  sort: undefined,
  ties: undefined,
  delta: undefined,
  offset: 0,
  limit: null,
  estimatedRows: 1200,
  estimatedMilliseconds: 0.0012,
  actualRows: undefined,
  milliseconds: undefined,
  bytesRead: undefined,
};

const filter: QueryPlan["filters"][number] = {
  path: "test",
  criteria: ['name contains "x"'],
  estimatedRows: 120,
  actualRows: undefined,
  milliseconds: undefined,
  missingIndexes: [],
};

const text = (more: Partial<QueryPlan>): string[] => formatPlan({ ...plan, ...more }).split("\n");

/** The rows of a table of paths, each after its name. */
function rowsOf<Table extends object>(table: Table) {
  return Object.entries(table) as { [Path in keyof Table]: [Path, Table[Path]] }[keyof Table][];
}

test("a scan of all rows", () => {
  expect(text({})).toEqual([
    "page: all rows at offset 0, estimated 1.2 µs",
    "  scan every row — about 1,200 rows",
  ]);
});

test("a page, with one row and with many", () => {
  const line = (limit: number, offset: number) => text({ limit, offset })[0];
  expect(line(1, 2000)).toBe("page: 1 row at offset 2,000, estimated 1.2 µs");
  expect(line(0, 0)).toBe("page: 0 rows at offset 0, estimated 1.2 µs");
  expect(line(1000, 1)).toBe("page: 1,000 rows at offset 1, estimated 1.2 µs");
});

test.each([
  [0, "0 ns"],
  [0.0000034, "3 ns"],
  [0.00051, "510 ns"],
  [0.001, "1.0 µs"],
  [0.999, "999.0 µs"],
  [1, "1.0 ms"],
  [1234.56, "1234.6 ms"],
])("a time of %d ms is written as %s", (estimatedMilliseconds, written) => {
  expect(text({ estimatedMilliseconds })[0]).toBe(
    `page: all rows at offset 0, estimated ${written}`,
  );
});

test.each(rowsOf(sourceOperators))("the access path %s", (path, { words }) => {
  expect(text({ access: { ...access, path } })[1]).toBe(`  ${words} — about 1,200 rows`);
  const criteria = ["a exactly 1", "a not 2"];
  expect(text({ access: { ...access, path, field: "a", criteria, estimatedRows: 1 } })[1]).toBe(
    `  ${words} of a: a exactly 1 | a not 2 — about 1 row`,
  );
});

test.each(rowsOf(filterOperators))("the filter %s", (path, { words }) => {
  expect(text({ filters: [{ ...filter, path }] })[1]).toBe(
    `  ${words}: name contains "x" — about 120 rows`,
  );
  const missingIndexes = ["ordered(name)", "trigram(name)"];
  expect(text({ filters: [{ ...filter, path, criteria: ["a", "b"], missingIndexes }] })[1]).toBe(
    `  ${words}: a | b — about 120 rows; no index ordered(name), trigram(name)`,
  );
});

test.each(rowsOf(orders))("the order %s", (path, { words }) => {
  expect(text({ sort: { path, field: "name", order: "ASC" } })[1]).toBe(
    `  sort by name ASC: ${words}`,
  );
});

test("each path has words of its own, and the README describes it", () => {
  const file = new URL("../../../src/collection/README.md", import.meta.url);
  const [, table = ""] = /\n\| Step (.*?)\n\n/s.exec(readFileSync(file, "utf8")) ?? [];
  const described = [...table.matchAll(/`([\w-]+)`/g)].map(([, path]) => path);
  const rows = [...rowsOf(sourceOperators), ...rowsOf(filterOperators), ...rowsOf(orders)];
  expect(described.sort()).toEqual(rows.map(([path]) => path).sort());
  const words = rows.map(([, row]) => row.words);
  expect(new Set(words).size).toBe(rows.length);
  for (const each of words) expect(each).toMatch(/^[a-z]+ [ a-z,]+$|^unite$/);
});

test("so does each path of counts", () => {
  const file = new URL("../../../src/collection/README.md", import.meta.url);
  const [, table = ""] = /\n\| Path (.*?)\n\n/s.exec(`${readFileSync(file, "utf8")}\n`) ?? [];
  const described = [...table.matchAll(/^\| `([\w-]+)`/gm)].map(([, path]) => path);
  expect(described.sort()).toEqual(Object.keys(countOperators).sort());
  const words = Object.values(countOperators).map((each) => each.words);
  expect(new Set(words).size).toBe(words.length);
});

test("ties are put in order after everything else, the last field last", () => {
  const sorts = [
    { path: "select", field: "votes", order: "DESC" },
    { path: "sort", field: "name", order: "ASC" },
  ] as const;
  const ties = { sorts, actualRows: undefined, milliseconds: undefined };
  const sort = { path: "source", field: "state", order: "ASC" } as const;
  const delta = {
    ...{ changedRows: 1, deadRows: 0, segments: 1, plans: [plan] },
    ...{ actualRows: undefined, milliseconds: undefined },
  };
  expect(text({ sort, ties, delta }).slice(1)).toEqual([
    "  order ties by name ASC: sort the values, without an index",
    "    order ties by votes DESC: select the page by index codes",
    "      merge with what changed since: 1 row in 1 segment; 0 rows of the indexes dead",
    "        scan every row — about 1,200 rows",
    "        sort by state ASC: in order as read",
    "          scan every row — about 1,200 rows",
  ]);
  expect(text({ sort, ties: { sorts, actualRows: 20, milliseconds: 0.5 } })[1]).toBe(
    "  order ties by name ASC: sort the values, without an index — 20 rows in 500.0 µs",
  );
});

test("what happens last stands first, and parts stand below what unites them", () => {
  const part = { ...plan, access: { ...access, estimatedRows: 7 } };
  const [first, second] = [
    { ...filter, criteria: ["first"] },
    { ...filter, criteria: ["second"] },
  ];
  expect(
    text({
      sort: { path: "select", field: "name", order: "DESC" },
      filters: [first, second],
      access: { ...access, path: "union", parts: [{ ...part, filters: [first] }, part] },
    }),
  ).toEqual([
    "page: all rows at offset 0, estimated 1.2 µs",
    "  sort by name DESC: select the page by index codes",
    "    keep by testing the value: second — about 120 rows",
    "      keep by testing the value: first — about 120 rows",
    "        unite — about 1,200 rows",
    "          keep by testing the value: first — about 120 rows",
    "            scan every row — about 7 rows",
    "          scan every row — about 7 rows",
  ]);
});

test("with analyze, what happened stands beside what was estimated", () => {
  const measured = { actualRows: 1100, milliseconds: 2.25 };
  expect(
    text({
      ...measured,
      access: { ...access, ...measured },
      filters: [{ ...filter, actualRows: 1, milliseconds: 0.5, missingIndexes: ["ordered(name)"] }],
    }),
  ).toEqual([
    "page: all rows at offset 0, estimated 1.2 µs, took 2.3 ms for 1,100 rows",
    '  keep by testing the value: name contains "x" — about 120 rows, actually 1 in 500.0 µs; no index ordered(name)',
    "    scan every row — about 1,200 rows, actually 1,100 in 2.3 ms",
  ]);
});
