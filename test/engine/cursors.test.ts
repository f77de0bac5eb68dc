// Pages after and before a cursor (P10).

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  boolean,
  createCollection,
  defineSchema,
  float,
  int,
  QueryError,
  string,
  time,
  type Collection,
  type InputOf,
  type Page,
} from "../../src/index.ts";
import { cursorOf } from "../../src/engine/cursor.ts";
import { parsePageQuery } from "../../src/engine/query.ts";
import { reopened, reopenings } from "../arrow/reopened.ts";
import { settings } from "../property.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";
import { tuned } from "../tuned.ts";

const Row = defineSchema({
  id: int({ unique: true }),
  text: string({ nullable: true }),
  folded: string({ ignoreCase: true }),
  number: int({ nullable: true }),
  amount: float({ nullable: true }),
  isOpen: boolean({ nullable: true }),
  when: time({ nullable: true, precision: "microseconds" }),
  "0": int(),
  ["__proto__"]: string(),
});
type RowInput = InputOf<typeof Row>;
const FIELDS = Object.keys(Row.fields);

const words = fc.constantFrom(
  "",
  "a",
  "A",
  "ab",
  "aB",
  "b",
  "\uffff",
  "\u{10000}",
  "é",
  "0",
  "9",
  "10",
);
const row: fc.Arbitrary<Omit<RowInput, "id">> = fc.record({
  text: fc.option(words),
  folded: words,
  number: fc.option(fc.constantFrom(0, -1, 2, 10, 9)),
  amount: fc.option(fc.constantFrom(0.5, -0.25, 2, 1e21, 10)),
  isOpen: fc.option(fc.boolean()),
  when: fc.option(fc.constantFrom("0000-01-01", "1969-12-31T23:59:59.999999Z", "2024-02-29", -1)),
  "0": fc.nat({ max: 2 }),
  ["__proto__"]: words,
});
const sort = fc.uniqueArray(fc.tuple(fc.constantFrom(...FIELDS), fc.constantFrom("ASC", "DESC")), {
  selector: ([field]) => field,
  maxLength: 3,
});
const criteria = fc.constantFrom<readonly unknown[]>(
  [],
  [["0", "not", "1"]],
  [["text", "contains", "a"]],
  [["isOpen", "exactly", true], "OR", ["number", "at_least", 2]],
  [["id", "less_than", 0]],
);

const criteriaSettings = { unknownOperator: "error", maxCriteria: 9, maxValues: 9 } as const;

interface Asked {
  readonly criteria: readonly unknown[];
  readonly sort: readonly (readonly unknown[])[];
  readonly limit: number;
}

type Direction = "forwards" | "backwards";

/** Visits all pages from one end to the other; `between` may change the collection after each. */
function walked(
  start: Collection<typeof Row>,
  asked: Asked,
  direction: Direction,
  between: (rows: Collection<typeof Row>) => Collection<typeof Row> = (rows) => rows,
): number[] {
  let ids: number[] = [];
  let rows = start;
  let at: object = direction === "forwards" ? {} : { last: true };
  for (;;) {
    const page: Page<{ id: number }> = rows.page(untyped({ ...asked, ...at }));
    expect(page.records.length).toBeLessThanOrEqual(asked.limit);
    const found = page.records.map(({ id }) => id);
    ids = direction === "forwards" ? [...ids, ...found] : [...found, ...ids];
    const cursor = direction === "forwards" ? page.next : page.previous;
    rows = between(rows);
    if (cursor === null) return ids;
    expect(cursor).toMatch(/^[\w-]+$/);
    at = direction === "forwards" ? { after: cursor } : { before: cursor };
  }
}

const direction = fc.constantFrom<Direction>("forwards", "backwards");

describe("P10", () => {
  test("P10 the pages of a walk are the records of the query, in its order", () => {
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 60 }),
        fc.record({ criteria, sort, limit: fc.integer({ min: 1, max: 9 }) }),
        fc.subarray(FIELDS),
        fc.constantFrom(0.4, 1),
        fc.array(fc.nat({ max: 60 })),
        direction,
        (given, asked, match, early, removed, towards) => {
          using _ = tuned({ fewRows: 8, fewValues: 3 });
          const records = given.map((each, id) => ({ ...each, id }));
          const first = Math.ceil(records.length * early);
          const rows = createCollection(Row, records.slice(0, first))
            .prepare(untyped({ match }))
            .insert(records.slice(first))
            .remove([["id", "in", removed]]);
          const all = rows.query(untyped({ ...asked, limit: null })).map(({ id }) => id);
          expect(walked(rows, asked, towards)).toEqual(all);
        },
      ),
      settings(300),
    );
  });

  /** What happens between two pages; `touched` gets the ids of records that a change gives other values, or removes. */
  type Step = (rows: Collection<typeof Row>, id: number, touched: Set<number>) => typeof rows;
  const anyId = fc.nat({ max: 40 });
  const steps: fc.Arbitrary<Step> = fc.oneof(
    fc.tuple(anyId, row).map(([removed, given]): Step => (rows, id, touched) => {
      touched.add(removed);
      return rows.remove([["id", "exactly", removed]]).insert({ ...given, id });
    }),
    // In its old place, with other values; or a new record.
    fc.tuple(anyId, row).map(([put, given]): Step => (rows, _, touched) => {
      touched.add(put);
      return rows.upsert([{ ...given, id: put }], "id");
    }),
    // A record that goes, and comes back under its old key.
    anyId.map((id): Step => (rows) => {
      const without = rows.withPatches((all) => all.remove([["id", "exactly", id]]));
      return without.collection.applyPatches(without.inversePatches);
    }),
    fc.constant<Step>((rows) => rows.compact()),
    fc.constantFrom(...reopenings).map(
      (way): Step =>
        (rows) =>
          reopened(rows, way),
    ),
  );

  test("P10 a walk repeats no record and misses none, whatever changes between its pages", () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 40 }),
        fc.record({ criteria, sort, limit: fc.integer({ min: 1, max: 5 }) }),
        fc.array(steps, { maxLength: 20 }),
        direction,
        (given, asked, changes, towards) => {
          using _ = tuned({ fewRows: 8, fewValues: 3 });
          const records = given.map((each, id) => ({ ...each, id }));
          const rows = createCollection(Row, records).remove([["id", "exactly", 0]]);
          const all = rows.query(untyped({ ...asked, limit: null })).map(({ id }) => id);
          let next = 100;
          const touched = new Set<number>();
          const left = [...changes];
          const ids = walked(
            rows,
            asked,
            towards,
            (now) => left.pop()?.(now, next++, touched) ?? now,
          );
          const found = ids.filter((id) => !touched.has(id));
          expect(new Set(found).size).toBe(found.length);
          expect(found.filter((id) => id < 100)).toEqual(all.filter((id) => !touched.has(id)));
        },
      ),
      settings(300),
    );
  });

  test("P10 from any record, pages lead to those before and after it, and back", () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 30 }),
        fc.record({ criteria, sort, limit: fc.nat({ max: 4 }) }),
        fc.nat(),
        fc.boolean(),
        (given, asked, pick, isRemoved) => {
          using _ = tuned({ fewRows: 8, fewValues: 3 });
          const rows = createCollection(
            Row,
            given.map((each, id) => ({ ...each, id })),
          );
          const pageAt = (at: object, now = rows): Page<{ id: number }> =>
            now.page(untyped({ ...asked, ...at }));
          const { records, cursors = [] } = pageAt({ limit: null, cursors: true });
          const all = records.map(({ id }) => id);
          expect(cursors).toHaveLength(all.length);
          if (all.length === 0) return;
          const place = pick % all.length;
          const { limit } = asked;
          const now = isRemoved ? rows.remove([["id", "exactly", all[place] ?? -1]]) : rows;
          const idsOf = (page: Page<{ id: number }>) => page.records.map(({ id }) => id);
          const after = pageAt({ after: cursors[place] }, now);
          expect(idsOf(after)).toEqual(all.slice(place + 1, place + 1 + limit));
          const before = pageAt({ before: cursors[place] }, now);
          expect(idsOf(before)).toEqual(all.slice(Math.max(0, place - limit), place));
          expect(before.previous !== null).toBe(limit > 0 && place > limit);
          expect(before.next !== null).toBe(before.records.length > 0);
          if (after.previous === null || isRemoved) return;
          expect(idsOf(pageAt({ before: after.previous }))).toEqual(
            all.slice(Math.max(0, place + 1 - limit), place + 1),
          );
        },
      ),
      settings(300),
    );
  });

  const few = createCollection(
    Row,
    [3, 1, 2].map((id) => ({ id, folded: "x", "0": 0, ["__proto__"]: "" })),
  );
  const next = () => few.page({ sortBy: "id", limit: 1 }).next ?? "";

  test("a page that is not full is the last, and one that is full may be", () => {
    expect(few.page().next).toBeNull();
    expect(few.page({ limit: 3 }).next).toBeNull();
    expect(few.page({ limit: 0 })).toEqual({ records: [], previous: null, next: null });
    const { records, previous, next } = few.page({ limit: 2 });
    expect(records.map(({ id }) => id)).toEqual([3, 1]);
    expect(previous).toBeNull();
    const second = few.page({ limit: 2, after: next });
    expect(second).toMatchObject({ records: [few.at(2)], next: null });
    expect(few.page({ limit: 2, before: second.previous }).records).toEqual(records);
    expect(few.page({ limit: 2, last: true }).records.map(({ id }) => id)).toEqual([1, 2]);
    expect(few.page({ before: few.page({ last: true, cursors: true }).cursors?.[0] })).toEqual({
      records: [],
      previous: null,
      next: null,
    });
  });

  test.each<[object, string]>([
    [{ after: "a", before: "b" }, "before: must be omitted if after is given"],
    [{ before: "b", last: true }, "last: must be omitted if after or before is given"],
    [{ last: 1 }, "last: must be true or false, not 1"],
    [{ cursors: "yes" }, 'cursors: must be true or false, not "yes"'],
    [{ before: "b" }, "before: is not a cursor; use the previous of a later page"],
    [
      { offset: 1 },
      'query: has no member "offset"; use "criteria", "limit", "sortBy", "sortOrder", "sort", "select", "after", "before", "last" or "cursors"',
    ],
  ])("%j is refused", (query, message) => {
    expect(thrownBy(QueryError, () => few.page(untyped(query))).message).toBe(message);
  });

  test.each<[string, (cursor: string) => object]>([
    ["of another sort", (after) => ({ sortBy: "id", sortOrder: "ASC", after })],
    ["of other criteria", (after) => ({ criteria: [["id", "not", 9]], sortBy: "id", after })],
    ["cut off", (after) => ({ sortBy: "id", after: after.slice(0, -1) })],
    ["with another digit", (after) => ({ sortBy: "id", after: `${after.slice(0, -1)}_` })],
    ["of another version", (after) => ({ sortBy: "id", after: `0${after.slice(1)}` })],
    ["that is no text", () => ({ sortBy: "id", after: 5 })],
    ["that is empty", () => ({ sortBy: "id", after: "" })],
    ["in other characters", (after) => ({ sortBy: "id", after: `${after}ü` })],
  ])("a cursor %s is an error with a code", (_, query) => {
    const error = thrownBy(QueryError, () => few.page(untyped(query(next()))));
    expect(error.code).toBe("cursor");
    expect(error.parameter).toBe("after");
  });

  /** A cursor whose checksum is right, as anybody can make one. */
  const forged = (values: readonly (string | null)[], key: number) => {
    const [query] = parsePageQuery(Row, { sortBy: "id" }, criteriaSettings);
    return cursorOf(Row, query, { values, key });
  };

  test.each<[string, readonly (string | null)[], number, ids: readonly number[]]>([
    ["a key above all", ["2"], Number.MAX_SAFE_INTEGER, [1]],
    ["a key below all", ["2"], Number.MIN_SAFE_INTEGER, [2, 1]],
    ["a value that no record has", ["9007199254740991"], 0, [3, 2, 1]],
    ["null in a field without", [null], 0, []],
  ])("a forged cursor with %s is a position as any other", (_, values, key, ids) => {
    const { records, next } = few.page({ sortBy: "id", after: forged(values, key) });
    expect(records.map(({ id }) => id)).toEqual(ids);
    expect(next).toBeNull();
  });

  test.each<[string, readonly (string | null)[], number]>([
    ["a key that is not a safe integer", ["2"], 2 ** 53],
    ["a key that is not an integer", ["2"], 0.5],
    ["a text in a field of numbers", ["x"], 0],
    ["a number that is not canonical", ["02"], 0],
    ["too few values", [], 0],
    ["too many values", ["2", "2"], 0],
    ["a million digits", ["9".repeat(1_000_000)], 0],
  ])("a forged cursor with %s is refused", (_, values, key) => {
    const error = thrownBy(QueryError, () => {
      few.page({ sortBy: "id", after: forged(values, key) });
    });
    expect(error.code).toBe("cursor");
  });

  test("a cursor of a field that was of another type is refused", () => {
    const texts = createCollection(defineSchema({ id: string() }), [{ id: "3" }, { id: "4" }]);
    const numbers = createCollection(defineSchema({ id: int() }), [{ id: 3 }, { id: 4 }]);
    const query = { sortBy: "id", limit: 1 } as const;
    const { next } = texts.page(query);
    expect(() => numbers.page({ ...query, after: next })).toThrow("after: belongs to another");
  });

  test("a page has no offset", () => {
    expect(() => few.page(untyped({ offset: 1 }))).toThrow('query: has no member "offset"');
  });
});
