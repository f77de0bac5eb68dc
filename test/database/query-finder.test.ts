// Live queries are found exactly if their criteria select a record, by what they require or by trying them.

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import {
  compileCriteria,
  createCollection,
  defineSchema,
  float,
  int,
  string,
  strings,
} from "../../src/index.ts";
import { LiveQuery } from "../../src/database/live-query.ts";
import { QueryFinder } from "../../src/database/query-finder.ts";
import { criteria, inputRecord } from "../../src/testing/index.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";

const Row = defineSchema({
  id: int({ unique: true }),
  n: int({ nullable: true }),
  f: float({ nullable: true }),
  text: string({ ignoreCase: true }),
  plain: string({ nullable: true }),
  words: strings({ nullable: true }),
});

const row = inputRecord(Row).map((each) => ({ ...createCollection(Row, [each]).query()[0] }));

const options = { maxCriteria: 1000, maxValues: 10_000, unknownOperator: "error" } as const;
const queryOf = (criteria: unknown) =>
  new LiveQuery({ source: "rows", criteria, options, ask: () => 0 });

/** The queries that select a record, each of which is visited once. */
function selectingIn(finder: QueryFinder, record: object): Set<LiveQuery> {
  const found: LiveQuery[] = [];
  finder.visit(untyped(record), undefined, (query, isBefore, isAfter) => {
    expect([isBefore, isAfter]).toEqual([true, false]);
    found.push(query);
  });
  expect(new Set(found).size).toBe(found.length);
  return new Set(found);
}

test("finds those whose criteria select a record", () => {
  const drawn = row.chain((first) =>
    fc.tuple(
      fc.array(fc.oneof(criteria(Row, { records: [first] }), criteria(Row)), { maxLength: 12 }),
      fc.array(row, { maxLength: 4 }).map((more) => [first, ...more]),
      fc.array(fc.nat({ max: 11 }), { maxLength: 4 }),
    ),
  );
  fc.assert(
    fc.property(drawn, ([all, records, ended]) => {
      const queries = new Map(
        all.map((each) => [queryOf(each), compileCriteria(Row, untyped(each))]),
      );
      const finder = new QueryFinder(Row, queries.keys());
      const check = () => {
        for (const each of records) {
          const selecting = [...queries].filter(([, selects]) => selects(untyped(each)));
          expect(selectingIn(finder, each)).toEqual(new Set(selecting.map(([query]) => query)));
          for (const other of records) {
            const visited = new Map<LiveQuery, [boolean, boolean]>();
            finder.visit(untyped(each), untyped(other), (query, ...found) => {
              expect(visited.has(query)).toBe(false);
              visited.set(query, found);
            });
            const expected = [...queries].flatMap(([query, selects]) => {
              const found = [selects(untyped(each)), selects(untyped(other))] as const;
              return found.includes(true) ? [[query, found] as const] : [];
            });
            expect(visited).toEqual(new Map<unknown, unknown>(expected));
          }
        }
      };
      check();
      for (const at of ended) {
        const query = [...queries.keys()][at];
        if (query === undefined) continue;
        finder.delete(query);
        queries.delete(query);
      }
      check();
    }),
    settings(300),
  );
});

test("tries only those whose required text, range or element a record may have", () => {
  const finder = new QueryFinder(
    Row,
    Array.from({ length: 300 }, (_, i) => [
      queryOf([["plain", "contains", `needle${i}`]]),
      queryOf([
        ["n", "at_least", 1000 + i],
        ["n", "less_than", 2000 + i],
        "NOT",
        ["plain", "contains", "x"],
      ]),
      queryOf([["words", "has", `word${i}`], "NOT", ["plain", "contains", "y"]]),
    ]).flat(),
  );
  const record = { id: 1, n: 1999, f: 0, text: "", plain: "a thread", words: ["word7", "word8"] };
  const tried = vi.spyOn(String.prototype, "includes");
  const found = selectingIn(finder, record);
  const times = tried.mock.contexts.filter((text) => String(text) === "a thread").length;
  tried.mockRestore();
  // All ranges but none of the texts, and two elements.
  expect([found.size, times]).toEqual([302, 302]);
  expect(selectingIn(finder, { ...record, n: 1000 }).size).toBe(3);
});
