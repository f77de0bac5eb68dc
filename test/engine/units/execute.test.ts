// How plans are run: how much is read at a time, what reaches whoever asked, and what is left as it was.

import { describe, expect, test } from "vitest";
import { execute, type Watcher } from "../../../src/collection/execute/execute.ts";
import { openFilter } from "../../../src/collection/execute/open.ts";
import { planQuery } from "../../../src/collection/plan/planner.ts";
import { parseQuery } from "../../../src/collection/plan/query.ts";
import type { Source } from "../../../src/collection/pipeline/source.ts";
import { createCollection, defineSchema, int, string, type Query } from "../../../src/index.ts";
import { reopened } from "../../arrow/reopened.ts";
import { lazily } from "../../lazily.ts";
import { predicatePage } from "../../reference-page.ts";
import { trigramIndexOf } from "./built.ts";

const strict = { maxCriteria: 1000, maxValues: 1000, unknownOperator: "error" } as const;
const Row = defineSchema({
  id: int(),
  number: int({ nullable: true }),
  text: string({ nullable: true }),
  kind: string(),
});

const rowsFrom = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => {
    const id = from + i;
    return {
      id,
      // In an order that is not that of their texts, with ties.
      number: id % 11 === 0 ? null : ((id * 37) % 120) - 7,
      text: id % 13 === 0 ? null : `${(id * 31) % 120}\u{1f600}`,
      kind: `kind ${(id >>> 1) % 10}`,
    };
  });

const many = lazily(() => createCollection(Row, rowsFrom(0, 20_000), { indexes: "none" }));

/** What a run reads at a time and hands out. */
function run(rows: ReturnType<typeof many>, query: object) {
  const [segment] = rows.state.snapshot.segments;
  const plan = planQuery(segment, parseQuery(Row, query, strict));
  const capacities: number[] = [];
  const batches = new Set<Uint32Array>();
  let skipped = 0;
  const watcher: Watcher = {
    source: (source): Source => ({
      next: (batch, capacity) => {
        capacities.push(capacity);
        batches.add(batch);
        return source.next(batch, capacity);
      },
      skip: (count) => {
        skipped += count;
        source.skip(count);
      },
    }),
    filter: (filter) => filter,
  };
  const found: number[] = [];
  const handed: number[] = [];
  const sink = (page: Uint32Array, from: number, to: number) => {
    handed.push(to - from);
    found.push(...page.subarray(from, to));
  };
  execute(segment, plan, sink, undefined, watcher);
  return { capacities, batches: [...batches], skipped, found, handed };
}

describe("without filters", () => {
  test("a page is read at once, after a jump to where it begins", () => {
    const { capacities, skipped, found } = run(many(), { offset: 500, limit: 1000 });
    expect([capacities, skipped, found.length, found[0]]).toEqual([[1000], 500, 1000, 500]);
  });

  test("everything is read some thousand rows at a time", () => {
    const { capacities, skipped, found } = run(many(), {});
    expect(capacities).toEqual(Array<number>(6).fill(4096));
    expect([skipped, found.length]).toEqual([0, 20_000]);
  });

  test("of no rows nothing is read", () => {
    for (const more of [{}, { sortBy: "id" }, { criteria: [["kind", "exactly", "kind 1"]] }]) {
      expect(run(many(), { ...more, limit: 0 })).toMatchObject({ capacities: [], found: [] });
    }
  });
});

describe("with filters", () => {
  const criteria = [["kind", "exactly", "kind 1"]];
  const matching = (count: number) =>
    Array.from({ length: count }, (_, i) => 20 * (i >>> 1) + 2 + (i & 1));

  test("the first rows tell how many more a page needs", () => {
    const page = run(many(), { criteria, limit: 30 });
    // Of 64 rows 8 are kept: for 22 more, 176 rows and a twentieth of that.
    expect(page.capacities).toEqual([64, 185, 64]);
    expect(page.found).toEqual(matching(30));
    const deep = run(many(), { criteria, offset: 100, limit: 30 });
    expect(deep.capacities).toEqual([64, 1025, 208]);
    expect(deep.found).toEqual(matching(130).slice(100));
    expect(deep.handed.every((count) => count > 0)).toBe(true);
  });

  test("where none is kept, twice as many are looked at each time", () => {
    const none = run(many(), { criteria: [["kind", "exactly", "none"]], limit: 5 });
    expect(none.capacities).toEqual([64, 128, 384, 1152, 3456, 4096, 4096, 4096, 4096, 4096]);
    expect([none.found, none.handed]).toEqual([[], []]);
  });

  test("without a limit batches are large, and smaller for many criteria", () => {
    expect(run(many(), { criteria }).capacities).toEqual(Array<number>(6).fill(4096));
    const nots = (count: number) => ({
      criteria: Array.from({ length: count }, (_, i) => ["kind", "not", `none ${i}`]),
    });
    expect(run(many(), nots(3)).capacities[0]).toBe(4096);
    expect(run(many(), nots(4)).capacities[0]).toBe(2048);
    expect(run(many(), nots(18)).capacities[0]).toBe(1024);
    expect(run(many(), nots(700)).capacities[0]).toBe(64);
    const groups = nots(40).criteria.flatMap((each) => [each, "OR"]);
    expect(run(many(), { criteria: groups.slice(0, -1) }).capacities[0]).toBe(512);
  });

  test("a page that ends within a batch ends there", () => {
    const { found, handed } = run(many(), { criteria, offset: 3, limit: 4 });
    expect([found, handed]).toEqual([matching(7).slice(3), [4]]);
  });
});

test("one batch serves run after run", () => {
  const [first, second] = [run(many(), { limit: 5 }), run(many(), { limit: 9 })];
  expect(first.batches).toHaveLength(1);
  expect(second.batches[0]).toBe(first.batches[0]);
});

test("of thousands of rows each is in its place, whichever way they are found", () => {
  const rows = createCollection(
    Row,
    rowsFrom(0, 12_000).map((row) => ({ ...row, kind: row.id === 5 ? "other" : "same" })),
    { indexes: "none" },
  );
  const query = { criteria: [["kind", "exactly", "same"]] } as const;
  const expected = Array.from({ length: 12_000 }, (_, id) => id).filter((id) => id !== 5);
  for (const each of [rows, rows.prepare({ match: ["kind"] })]) {
    expect(each.query(query).map(({ id }) => Number(id))).toEqual(expected);
    expect(each.count(query.criteria)).toBe(11_999);
  }
});

test("rows that are columns are asked as others are: all of them, a page, by criteria", () => {
  const rows = createCollection(Row, rowsFrom(0, 300), { indexes: "none" });
  const opened = reopened(rows);
  for (const query of [
    {},
    { offset: 290, limit: 20 },
    { criteria: [["kind", "not", "kind 1"]] },
    { criteria: [["text", "contains", "1"]], sortBy: "number" },
  ] as readonly Query<typeof Row>[]) {
    expect(opened.query(query)).toEqual(rows.query(query));
  }
});

describe("what has changed is merged in order", () => {
  const prepared = lazily(() => {
    const changed = createCollection(Row, rowsFrom(0, 900), { indexes: "none" })
      .update([["kind", "exactly", "kind 2"]], (row) => void (row.text = "changed"))
      .insert(rowsFrom(900, 905));
    return { changed, flat: [...changed] };
  });

  test.each(["number", "text", "id", undefined] as const)("by %s", (sortBy) => {
    const { changed, flat } = prepared();
    expect(changed.state.snapshot.segments.map(({ isSmall }) => isSmall)).toEqual([
      ...[false, false, true],
    ]);
    for (const sortOrder of ["ASC", "DESC"] as const) {
      for (const page of [{}, { offset: 450, limit: 7 }, { limit: 120 }, { offset: 880 }]) {
        const query = { sortBy, sortOrder, ...page };
        expect(changed.query(query)).toEqual(predicatePage(Row, flat, query));
      }
    }
  });
});

describe("the filter by trigrams", () => {
  const values = Array.from({ length: 400 }, (_, i) =>
    [i % 2 === 0 ? "even." : "", i % 3 === 0 ? "third" : "", i === 42 ? "rare" : ""].join(""),
  );
  const prepared = lazily(() => ({
    index: trigramIndexOf(values.length, (row) => values[row] ?? null),
    segment: createCollection(Row, rowsFrom(0, values.length)).state.snapshot.segments[0],
  }));
  const unite = () => {
    throw new Error("there is no union");
  };
  const kept = (texts: readonly string[]) => {
    const { index, segment } = prepared();
    const postings = texts.flatMap((text) => index.postings(text));
    postings.sort((a, b) => a.count - b.count);
    const before = postings.map(({ rows, bits }) => (rows ?? bits).slice());
    const filter = openFilter({ path: "trigrams", postings, groups: [] }, 0, {
      ...{ segment, unite, deadline: undefined },
    });
    expect(postings.map(({ rows, bits }) => rows ?? bits)).toEqual(before);
    const batch = Uint32Array.from(values.keys());
    return Array.from(batch.subarray(0, filter.keep(batch, batch.length)));
  };
  const having = (...texts: readonly string[]) =>
    [...values.keys()].filter((row) => texts.every((text) => values[row]?.includes(text)));

  test("keeps the rows that have all of them, and leaves the index as it is", () => {
    expect(kept(["even"])).toEqual(having("even"));
    expect(kept(["even", "third"])).toEqual(having("even", "third"));
    expect(kept(["rare", "even"])).toEqual([42]);
    expect(kept(["rare"])).toEqual([42]);
    expect(kept(["none"])).toEqual([]);
    expect(kept(["even"])).toEqual(having("even"));
  });
});
