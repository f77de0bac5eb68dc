// The plans that queries get, as explain tells them: where rows come from, what removes some, what
// each step is estimated to leave. What the whole is estimated to cost is left out. Where the cost model
// changes, `npx vitest run test/engine/units/plans.test.ts -u` writes the plans anew; read the diff.

import { describe, expect, test } from "vitest";
import {
  createCollection,
  defineSchema,
  formatPlan,
  int,
  string,
  type Query,
} from "../../../src/index.ts";
import { lazily } from "../../lazily.ts";

const Person = defineSchema({
  id: int(),
  kind: string(),
  city: string({ nullable: true }),
  name: string(),
  note: string(),
});

const SIZE = 20_000;

const people = lazily(() =>
  createCollection(
    Person,
    Array.from({ length: SIZE }, (_, id) => ({
      id,
      kind: ["a", "b", "c", "d"][id % 4] ?? "",
      city: id % 200 === 0 ? null : `city ${id % 200}`,
      name: `${(id * 7919) % SIZE} person`,
      note: `note ${id}`,
    })),
    { indexes: "none" },
  ).prepare({ match: ["kind", "city"], sort: ["id"], contains: ["name"] }),
);

/** Without the estimated time: that is the cost model's, and may change. */
const planOf = (query: Query<typeof Person>) =>
  `\n${formatPlan(people().explain(query)).replace(/, estimated [^\n]*/, "")}\n`;

describe("without criteria", () => {
  test("all rows are scanned, a page of them only as far as it goes", () => {
    expect(planOf({})).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        scan every row — about 20,000 rows
      "
    `);
    expect(planOf({ offset: 100, limit: 1000 })).toMatchInlineSnapshot(`
      "
      page: 1,000 rows at offset 100
        scan every row — about 20,000 rows
      "
    `);
  });

  test("a sort walks its index, or sorts where there is none", () => {
    expect(planOf({ sortBy: "id", limit: 1000 })).toMatchInlineSnapshot(`
      "
      page: 1,000 rows at offset 0
        sort by id DESC: in order as read
          index scan of id — about 20,000 rows
      "
    `);
    expect(planOf({ sortBy: "note", sortOrder: "ASC", limit: 10 })).toMatchInlineSnapshot(`
      "
      page: 10 rows at offset 0
        sort by note ASC: sort the values, without an index
          scan every row — about 20,000 rows
      "
    `);
  });
});

describe("with one criterion", () => {
  test("equality reads a run", () => {
    expect(planOf({ criteria: [["city", "exactly", "city 7"]] })).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        index lookup of city: city exactly "city 7" — about 100 rows
      "
    `);
    expect(planOf({ criteria: [["city", "exactly", null]], limit: 5 })).toMatchInlineSnapshot(`
      "
      page: 5 rows at offset 0
        index lookup of city: city exactly null — about 100 rows
      "
    `);
  });

  test("a value that no row has reads nothing", () => {
    expect(planOf({ criteria: [["city", "exactly", "city 200"]] })).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        read nothing, no row can match of city: city exactly "city 200" — about 0 rows
      "
    `);
  });

  test("several values are gathered where they are few rows, and kept by code where many", () => {
    const cities = ["city 7", "city 8"];
    expect(planOf({ criteria: [["city", "in", cities]] })).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        bitmap scan of several values of city: city in "city 7", "city 8" — about 200 rows
      "
    `);
    expect(planOf({ criteria: [["city", "not", "city 7"]] })).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        keep by code: city not "city 7" — about 19,900 rows
          scan every row — about 20,000 rows
      "
    `);
    expect(planOf({ criteria: [["city", "not", "city 7"]], offset: 500, limit: 1000 }))
      .toMatchInlineSnapshot(`
        "
        page: 1,000 rows at offset 500
          keep by code: city not "city 7" — about 19,900 rows
            scan every row — about 20,000 rows
        "
      `);
  });

  test("a substring of many values is found by trigrams, of few by testing each", () => {
    expect(planOf({ criteria: [["name", "contains", "1234"]] })).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        keep by testing the value: name contains "1234" — about 38 rows
          find candidates by trigrams: name contains "1234" — about 40 rows
      "
    `);
    expect(planOf({ criteria: [["name", "contains", "person"]] })).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        keep by trigrams: name contains "person" — about 19,000 rows
          keep by testing the value: name contains "person" — about 19,000 rows
            scan every row — about 20,000 rows
      "
    `);
    expect(planOf({ criteria: [["name", "contains", "12"]] })).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        keep by testing the value: name contains "12" — about 2,000 rows
          scan every row — about 20,000 rows
      "
    `);
    expect(planOf({ criteria: [["city", "ends_with", "99"]] })).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        bitmap scan of several values of city: city ends_with "99" — about 200 rows
      "
    `);
  });

  test("a field without an index is tested, row by row", () => {
    expect(planOf({ criteria: [["note", "exactly", "note 7"]] })).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        keep by testing the value: note exactly "note 7" — about 2,000 rows; no index ordered(note)
          scan every row — about 20,000 rows
      "
    `);
    expect(planOf({ criteria: [["note", "contains", "7"]], limit: 10 })).toMatchInlineSnapshot(`
      "
      page: 10 rows at offset 0
        keep by testing the value: note contains "7" — about 2,000 rows; no index ordered(note)
          scan every row — about 20,000 rows
      "
    `);
  });
});

describe("with several criteria", () => {
  test("the one that selects the fewest rows is the source, the others are filters", () => {
    expect(
      planOf({
        criteria: [
          ["kind", "exactly", "c"],
          ["city", "exactly", "city 6"],
          ["note", "contains", "0"],
        ],
      }),
    ).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        keep by testing the value: note contains "0" — about 3 rows; no index ordered(note)
          keep by code: kind exactly "c" — about 25 rows
            index lookup of city: city exactly "city 6" — about 100 rows
      "
    `);
  });

  test("a cheap filter that removes much comes before a dear one that removes little", () => {
    expect(
      planOf({
        criteria: [
          ["note", "contains", "0"],
          ["name", "contains", "person"],
          ["kind", "not", "a"],
        ],
        limit: 10,
      }),
    ).toMatchInlineSnapshot(`
      "
      page: 10 rows at offset 0
        keep by testing the value: name contains "person" — about 1,425 rows
          keep by testing the value: note contains "0" — about 1,500 rows; no index ordered(note)
            keep by code: kind not "a" — about 15,000 rows
              find candidates by trigrams: name contains "person" — about 20,000 rows
      "
    `);
  });

  test("one row is looked up, not gathered with others", () => {
    const criteria = [
      ["id", "less_than", 10],
      ["name", "exactly", "7919 person"],
    ] as const;
    expect(planOf({ criteria })).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        keep by code: id less_than 10 — about 0 rows
          index lookup of name: name exactly "7919 person" — about 1 row
      "
    `);
  });

  test("for a few rows no table of thousands of codes is made to filter by", () => {
    const names = ["7919 person", "15838 person"];
    expect(
      planOf({
        criteria: [
          ["name", "in", names],
          ["id", "exactly", 2],
        ],
      }),
    ).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        keep by code: id exactly "2" — about 0 rows
          bitmap scan of several values of name: name in "7919 person", "15838 person" — about 2 rows
      "
    `);
    // A range needs none.
    expect(
      planOf({
        criteria: [
          ["id", "less_than", 15],
          ["city", "exactly", "city 7"],
        ],
      }),
    ).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        keep by code: id less_than 15 — about 0 rows
          index lookup of city: city exactly "city 7" — about 100 rows
      "
    `);
  });

  test("one that no row can meet makes an end of it", () => {
    expect(
      planOf({
        criteria: [
          ["note", "contains", "0"],
          ["kind", "exactly", "x"],
        ],
        sortBy: "id",
      }),
    ).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        sort by id DESC: in order as read
          read nothing, no row can match of kind: kind exactly "x" — about 0 rows
      "
    `);
  });
});

describe("with criteria and a sort", () => {
  test("few rows are selected and a page of them picked by the sort index", () => {
    expect(planOf({ criteria: [["city", "exactly", "city 7"]], sortBy: "id", limit: 10 }))
      .toMatchInlineSnapshot(`
        "
        page: 10 rows at offset 0
          sort by id DESC: select the page by index codes
            index lookup of city: city exactly "city 7" — about 100 rows
        "
      `);
  });

  test("where many match, the sort index is walked until the page is full", () => {
    expect(
      planOf({ criteria: [["kind", "exactly", "c"]], sortBy: "id", sortOrder: "ASC", limit: 10 }),
    ).toMatchInlineSnapshot(`
      "
      page: 10 rows at offset 0
        sort by id ASC: in order as read
          keep by code: kind exactly "c" — about 5,000 rows
            index scan of id — about 20,000 rows
      "
    `);
    expect(planOf({ criteria: [["note", "contains", "0"]], sortBy: "id", limit: 10 }))
      .toMatchInlineSnapshot(`
        "
        page: 10 rows at offset 0
          sort by id DESC: in order as read
            keep by testing the value: note contains "0" — about 2,000 rows; no index ordered(note)
              index scan of id — about 20,000 rows
        "
      `);
  });

  test("the longer the page, the sooner all rows are read as they stand and a page picked", () => {
    const sorted = (limit: number) =>
      planOf({ criteria: [["note", "contains", "0"]], sortBy: "id", limit });
    expect(sorted(100)).toMatchInlineSnapshot(`
      "
      page: 100 rows at offset 0
        sort by id DESC: in order as read
          keep by testing the value: note contains "0" — about 2,000 rows; no index ordered(note)
            index scan of id — about 20,000 rows
      "
    `);
    // Half of all rows would be looked at, each in another place of the memory.
    expect(sorted(1000)).toMatchInlineSnapshot(`
      "
      page: 1,000 rows at offset 0
        sort by id DESC: select the page by index codes
          keep by testing the value: note contains "0" — about 2,000 rows; no index ordered(note)
            scan every row — about 20,000 rows
      "
    `);
  });

  test("where codes tell, the sort index is walked for longer pages", () => {
    expect(planOf({ criteria: [["kind", "exactly", "c"]], sortBy: "id", limit: 1000 }))
      .toMatchInlineSnapshot(`
      "
      page: 1,000 rows at offset 0
        sort by id DESC: in order as read
          keep by code: kind exactly "c" — about 5,000 rows
            index scan of id — about 20,000 rows
      "
    `);
  });

  test("a criterion on the sort field leaves only a stretch of the index to walk", () => {
    expect(
      planOf({
        criteria: [
          ["id", "greater_than", 19_000],
          ["kind", "exactly", "c"],
        ],
        sortBy: "id",
        limit: 10,
      }),
    ).toMatchInlineSnapshot(`
      "
      page: 10 rows at offset 0
        sort by id DESC: in order as read
          keep by code: kind exactly "c" — about 250 rows
            index scan of id: id greater_than 19000 — about 999 rows
      "
    `);
  });

  test("without an index of the sort field the rows that match are sorted", () => {
    expect(planOf({ criteria: [["city", "exactly", "city 7"]], sortBy: "note" }))
      .toMatchInlineSnapshot(`
        "
        page: all rows at offset 0
          sort by note DESC: sort the values, without an index
            index lookup of city: city exactly "city 7" — about 100 rows
        "
      `);
  });
});

describe("with OR", () => {
  const few = [["city", "exactly", "city 7"], "OR", ["name", "contains", "1234"]] as const;
  const many = [["note", "contains", "7"], "OR", ["kind", "exactly", "c"]] as const;

  test("groups that select few rows are united", () => {
    expect(planOf({ criteria: few })).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        unite: city exactly "city 7" | name contains "1234" — about 140 rows
          index lookup of city: city exactly "city 7" — about 100 rows
          keep by testing the value: name contains "1234" — about 38 rows
            find candidates by trigrams: name contains "1234" — about 40 rows
      "
    `);
    expect(planOf({ criteria: few, sortBy: "id", limit: 10 })).toMatchInlineSnapshot(`
      "
      page: 10 rows at offset 0
        sort by id DESC: select the page by index codes
          unite: city exactly "city 7" | name contains "1234" — about 140 rows
            index lookup of city: city exactly "city 7" — about 100 rows
            keep by testing the value: name contains "1234" — about 38 rows
              find candidates by trigrams: name contains "1234" — about 40 rows
      "
    `);
  });

  test("groups of which one has no index are judged by the predicate, until the page is full", () => {
    expect(planOf({ criteria: many, limit: 10 })).toMatchInlineSnapshot(`
      "
      page: 10 rows at offset 0
        keep by the predicate: note contains "7" | kind exactly "c" — about 6,500 rows; no index ordered(note)
          scan every row — about 20,000 rows
      "
    `);
    expect(planOf({ criteria: many, sortBy: "id", limit: 10 })).toMatchInlineSnapshot(`
      "
      page: 10 rows at offset 0
        sort by id DESC: in order as read
          keep by the predicate: note contains "7" | kind exactly "c" — about 6,500 rows; no index ordered(note)
            index scan of id — about 20,000 rows
      "
    `);
  });

  test("a few rows are united, even where a page would soon be full", () => {
    const criteria = [["city", "exactly", "city 7"], "OR", ["id", "exactly", 5]] as const;
    expect(planOf({ criteria, limit: 1 })).toMatchInlineSnapshot(`
      "
      page: 1 row at offset 0
        unite: city exactly "city 7" | id exactly "5" — about 101 rows
          index lookup of city: city exactly "city 7" — about 100 rows
          index lookup of id: id exactly "5" — about 1 row
      "
    `);
  });

  test("nearly all rows are united by their codes, for no value is read then", () => {
    const criteria = [["kind", "exactly", "c"], "OR", ["city", "not", "city 7"]] as const;
    expect(planOf({ criteria })).toMatchInlineSnapshot(`
      "
      page: all rows at offset 0
        unite: kind exactly "c" | city not "city 7" — about 20,000 rows
          index lookup of kind: kind exactly "c" — about 5,000 rows
          keep by code: city not "city 7" — about 19,900 rows
            scan every row — about 20,000 rows
      "
    `);
  });

  test("of many rows a page is judged by the predicate, for a union has to have them all", () => {
    const criteria = [["kind", "exactly", "c"], "OR", ["id", "less_than", 10_000]] as const;
    expect(planOf({ criteria, limit: 80 })).toMatchInlineSnapshot(`
      "
      page: 80 rows at offset 0
        keep by the predicate: kind exactly "c" | id less_than 10000 — about 12,500 rows
          scan every row — about 20,000 rows
      "
    `);
  });

  test("rows from all over the collection are not tested where a scan finds a page as soon", () => {
    const cities = (from: number) => Array.from({ length: 20 }, (_, i) => `city ${from + i}`);
    const criteria = [
      ...[["city", "in", cities(20)], ["note", "contains", "7"], "OR"],
      ...[
        ["id", "less_than", 2000],
        ["note", "contains", "8"],
      ],
    ] as never;
    expect(planOf({ criteria, limit: 200 })).toMatchInlineSnapshot(`
      "
      page: 200 rows at offset 0
        keep by the predicate: city in "city 20", "city 21", "city 22", … 17 more and note contains "7" | id less_than 2000 and note contains "8" — about 398 rows; no index ordered(note), ordered(note)
          scan every row — about 20,000 rows
      "
    `);
  });

  test("in the order of an index the predicate is dear: a union is made first", () => {
    expect(planOf({ criteria: many, sortBy: "id", limit: 2000 })).toMatchInlineSnapshot(`
      "
      page: 2,000 rows at offset 0
        sort by id DESC: in order as read
          keep what is in the union: note contains "7" | kind exactly "c" — about 6,500 rows
            index scan of id — about 20,000 rows
      "
    `);
  });
});
