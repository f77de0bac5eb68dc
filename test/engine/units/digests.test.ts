// The digests that new rows keep: they give the same answers as the values.

import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { collect } from "../../../src/collection/collection.ts";
import { Order } from "../../../src/collection/snapshot/sort-order.ts";
import { Codec } from "../../../src/collection/records/codec.ts";
import { digestOf } from "../../../src/collection/records/digests.ts";
import { defineSchema, int, string } from "../../../src/index.ts";
import { settings } from "../../property.ts";
import { predicatePage } from "../../reference-page.ts";
import { stringsOfOneHash } from "../adversaries.ts";
import { tuned } from "../../tuned.ts";

const Row = defineSchema(
  {
    id: int(),
    time: int({ nullable: true }),
    text: string({ nullable: true }),
    hidden: string({ nullable: true, stored: false }),
    letter: string(),
  },
  { form: "wire" },
);

const ALIKE = stringsOfOneHash(6);
const times = ["0", "-1", "7", "9007199254740991", "-9007199254740991", null];

const rowOf = (id: number) => ({
  id,
  time: times[id % times.length] ?? null,
  text: id % 9 === 0 ? null : id % 2 === 0 ? (ALIKE[id % ALIKE.length] ?? "") : `text ${id}`,
  hidden: id % 5 === 0 ? null : `${ALIKE[id % 7] ?? ""}${id}`,
  letter: "abc"[id % 3] ?? "",
});
const rowsFrom = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => rowOf(from + i));

const strict = { maxCriteria: 1000, maxValues: 1000, unknownOperator: "error" } as const;
function made(count: number, fewRows: number) {
  const restored = tuned({ fewRows, fewValues: 5 });
  onTestFinished(() => restored[Symbol.dispose]());
  return collect(new Codec(Row), strict, (loader) => loader.add(rowsFrom(0, count)));
}
const base = () =>
  made(300, 4).prepare({ match: ["text", "hidden", "letter"], sort: ["id", "time"] });
type Rows = ReturnType<typeof base>;

/** Of each segment the fields whose digests it keeps. */
const kept = ({ state: { snapshot } }: Rows) =>
  snapshot.segments.map(({ rows }) =>
    Object.keys(Row.fields).filter((name) => rows.digestsOf(name) !== undefined),
  );

/** How many fields of segments keep digests, all of them those of the values. */
function digestsThatAreTrue(rows: Rows): number {
  let count = 0;
  for (const { rows: all } of rows.state.snapshot.segments) {
    for (const [name, { type }] of Object.entries(Row.fields)) {
      const read = all.readerOf(name);
      const digests = all.digestsOf(name);
      if (digests === undefined) continue;
      count++;
      expect([...digests]).toEqual(
        Array.from({ length: all.size }, (_, row) => digestOf(type, read(row))),
      );
    }
  }
  return count;
}

describe("are kept", () => {
  test("of the fields that have an index in the rest, but not of texts of few values", () => {
    expect(kept(base().insert(rowsFrom(300, 5)))).toEqual([[], ["id", "time", "text", "hidden"]]);
    expect(kept(made(300, 4).insert(rowsFrom(300, 5)))).toEqual([[], []]);
  });

  test("not of few rows, and not of the base", () => {
    expect(kept(base().insert(rowsFrom(300, 4)))).toEqual([[], []]);
    expect(kept(base().insert(rowsFrom(300, 200)))).toEqual([[]]);
  });
});

test("are those of the values, whatever was inserted, changed, removed and merged", () => {
  const step = fc.record({
    from: fc.nat(400),
    count: fc.nat(30),
    what: fc.constantFrom("insert", "update", "remove"),
  });
  let seen = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let rows = base();
      let next = 300;
      for (const { from, count, what } of steps) {
        const some = [["id", "in", Array.from({ length: count }, (_, i) => from + i)]] as const;
        if (what === "insert") rows = rows.insert(rowsFrom((next += count) - count, count));
        else if (what === "remove") rows = rows.remove(some);
        else {
          rows = rows.update(some, (draft) => {
            const other = rowOf(Number(draft.id) + 1);
            draft.time = other.time === null ? null : Number(other.time);
            draft.text = other.text;
            draft.hidden = other.hidden;
          });
        }
      }
      seen += digestsThatAreTrue(rows);
    }),
    settings(100),
  );
  expect(seen).toBeGreaterThan(100);
});

test("find the rows of a value among others of the same hash", () => {
  const rows = base().insert(rowsFrom(300, 30));
  const all = Array.from({ length: 330 }, (_, id) => rowOf(id));
  expect(kept(rows)[1]).toContain("text");
  for (const field of ["text", "hidden", "time"] as const) {
    for (const value of [...new Set(all.map((row) => row[field])), "none", "007", "-"]) {
      const found = rows.query({ criteria: [[field, "exactly", value]] });
      const expected = all.filter((row) => row[field] === value).map(({ id }) => id);
      expect(found.map(({ id }) => Number(id))).toEqual(expected);
      // With another criterion, and in an order, by a plan.
      const criteria = [
        [field, "exactly", value],
        ["id", "greater_than", 20],
      ] as const;
      const sorted = rows.query({ criteria, sortBy: "id", sortOrder: "ASC" });
      expect(sorted.map(({ id }) => Number(id))).toEqual(expected.filter((id) => id > 20));
      expect(rows.count([[field, "exactly", value]])).toBe(expected.length);
    }
  }
});

test("sort by integers, null lowest, as the values do", () => {
  const rows = base().insert(rowsFrom(300, 36));
  const all = Array.from({ length: 336 }, (_, id) => rowOf(id));
  const number = (value: string | null) => (value === null ? -Infinity : Number(value));
  for (const sign of [1, -1]) {
    const sorted = all.toSorted((a, b) => {
      const [x, y] = [number(a.time), number(b.time)];
      return x === y ? a.id - b.id : sign * (x < y ? -1 : 1);
    });
    for (const [offset, limit] of [
      [0, 3],
      [0, 336],
      [130, 60],
    ] as const) {
      const page = rows.query({
        sortBy: "time",
        sortOrder: sign > 0 ? "ASC" : "DESC",
        offset,
        limit,
      });
      expect(page.map(({ id }) => Number(id))).toEqual(
        sorted.slice(offset, offset + limit).map(({ id }) => id),
      );
    }
  }
});

test("serve the first lookups and pages after many insertions: no index is built for these", () => {
  const rows = made(8000, 64)
    .prepare({ match: ["text"], sort: ["id"] })
    .insert(rowsFrom(8000, 900));
  const young = rows.state.snapshot.segments[1];
  const ask = (offset: number) => {
    expect(rows.query({ criteria: [["text", "exactly", "text 8003"]] })).toHaveLength(1);
    const page = rows.query({ sortBy: "id", limit: 10, offset });
    expect(page.map(({ id }) => Number(id))).toEqual(
      Array.from({ length: 10 }, (_, i) => 8899 - offset - i),
    );
  };
  for (let i = 0; i < 4; i++) ask(i);
  expect(young?.indexes.count).toBe(0);
  // They are charged all the same, but for the same page again.
  for (let i = 0; i < 40; i++) ask(3);
  expect(young?.indexes.count).toBe(1);
  for (let i = 0; i < 40; i++) ask(i);
  expect(young?.indexes.count).toBe(2);
});

test.each([
  { what: "digests", few: 4, sorts: ["id", "time"] as const },
  { what: "few rows", few: 200, sorts: ["id", "time", "text"] as const },
])(
  "$what give the first rows in an order again, on each of the collections that share them",
  ({ few, sorts }) => {
    const first = made(2000, few).prepare({ sort: sorts }).insert(rowsFrom(2000, 200));
    const changed = [
      first,
      first.remove([["id", "in", [5, 9, 1000]]]),
      first.remove([["id", "in", [2199, 2198, 2003, 2001]]]),
      first.update([["id", "exactly", 2190]], (draft) => void (draft.time = "9007199254740991")),
    ];
    expect(kept(first)[1]?.includes("time") === true).toBe(few < 200);
    const asked = changed.flatMap((rows) =>
      sorts.flatMap((sortBy) =>
        (["ASC", "DESC"] as const).flatMap((sortOrder) =>
          [
            { offset: 0, limit: 3 },
            { offset: 0, limit: 40 },
            { offset: 7, limit: 5 },
            { offset: 350, limit: 40 },
          ].map((page) => ({ rows, query: { sortBy, sortOrder, ...page } })),
        ),
      ),
    );
    const predicate = (query: (typeof asked)[number]["query"], rows: ReturnType<typeof made>) =>
      predicatePage(Row, [...rows], query);
    for (const order of [asked, [...asked].reverse(), asked]) {
      for (const { rows, query } of order) {
        expect(rows.query(query)).toEqual(predicate(query, rows));
      }
    }
  },
);

test("few rows are put in an order once, and again when they change", () => {
  const rows = made(2000, 64).insert(rowsFrom(2000, 40));
  const sort = { field: "text", order: "DESC" } as const;
  const young = (of: typeof rows) => of.state.snapshot.segments[1]?.topRows.get(sort);
  const page = (of: typeof rows) => of.query({ sortBy: "text", limit: 5 });
  expect(young(rows)).toBeUndefined();
  page(rows);
  const kept = young(rows);
  expect(kept).toMatchObject({ areAll: true, rows: { length: 40 } });
  page(rows);
  page(rows.remove([["id", "exactly", 3]]));
  expect(young(rows)).toBe(kept);
  const changed = rows.insert(rowsFrom(2040, 1));
  expect(young(changed)).toBeUndefined();
  page(changed);
  expect(young(changed)?.rows).toHaveLength(41);
  rows.query({ sortBy: "text", sortOrder: "ASC", limit: 5 });
  expect(young(rows)).toBe(kept);
});

test("few rows that are in an order stay in it when some go and others come", () => {
  using sorted = vi.spyOn(Order.prototype, "sorted");
  let rows = made(2000, 64).insert(rowsFrom(2000, 40));
  const orders = ["ASC", "DESC"] as const;
  const askPages = () => {
    for (const sortOrder of orders) {
      const query = { sortBy: "text", sortOrder, limit: 50 } as const;
      expect(rows.query(query)).toEqual(predicatePage(Row, [...rows], query));
    }
  };
  const change = (ids: readonly number[], text: string | null) => {
    rows = rows.update([["id", "in", ids]], (draft) => void (draft.text = text));
  };
  askPages();
  expect(sorted).toHaveBeenCalledTimes(orders.length);
  for (const [i, text] of ["", "\u{10000}", "\uffff", "text 2003", null].entries()) {
    change([2000 + i, 2020, 7 * i], text);
    askPages();
    rows = rows.remove([["id", "in", [2030 + i, 3 * i + 1]]]);
    askPages();
  }
  expect(sorted).toHaveBeenCalledTimes(orders.length);
  // With no page between two changes, all are sorted anew.
  change([2010], "a");
  change([2011], "a");
  askPages();
  expect(sorted).toHaveBeenCalledTimes(2 * orders.length);
});
