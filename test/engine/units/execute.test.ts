// How plans run: how much is read at a time, what reaches the caller, and what stays unchanged.

import { describe, expect, test, vi } from "vitest";
import { planning } from "../../../src/engine/execution/planning.ts";
import { Deadline } from "../../../src/engine/algorithms/deadline.ts";
import { collect } from "../../../src/collection/create.ts";
import { execute, type Watcher } from "../../../src/engine/execution/execute.ts";
import { forEachRow } from "../../../src/engine/execution/merge-segments.ts";
import { openFilter } from "../../../src/engine/operators/table.ts";
import { planQuery } from "../../../src/engine/optimizer/optimizer.ts";
import { parseQuery } from "../../../src/engine/query.ts";
import { Order } from "../../../src/engine/versions/sort-order.ts";
import type { Source } from "../../../src/engine/operators/source.ts";
import { Codec } from "../../../src/engine/columns/codec.ts";
import { createCollection, int, string, type Query } from "../../../src/index.ts";
import { reopened } from "../../arrow/reopened.ts";
import { lazily } from "../../lazily.ts";
import { predicatePage } from "../../reference-page.ts";
import { trigramIndexOf, readsOf } from "./built.ts";
import { tuned } from "../../tuned.ts";
import { wireSchema } from "../../wire-schema.ts";

const strict = {
  maxCriteria: 1000,
  maxValues: 1000,
  unknownOperator: "error",
  finder: planning,
} as const;
const Row = wireSchema({
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

const unwatched: Watcher = {
  source: (source) => source,
  list: (find) => find(),
  filter: (filter) => filter,
  part: (_, run) => void run(unwatched),
};

/** What a run reads at a time and hands out. */
function run(rows: ReturnType<typeof many>, query: object) {
  const [segment] = rows.state.snapshot.segments;
  const plan = planQuery(segment, parseQuery(Row, query, strict));
  const capacities: number[] = [];
  const batches = new Set<Uint32Array>();
  const skips: number[] = [];
  const watcher: Watcher = {
    source: (source): Source => ({
      next: (batch, capacity) => {
        capacities.push(capacity);
        batches.add(batch);
        return source.next(batch, capacity);
      },
      skip: (count) => {
        skips.push(count);
        source.skip(count);
      },
    }),
    list: (find) => find(),
    filter: (filter) => filter,
    part: (_, run) => void run(unwatched),
  };
  const found: number[] = [];
  const handed: number[] = [];
  const sink = (page: ArrayLike<number>, from: number, to: number) => {
    handed.push(to - from);
    found.push(...Array.from(page).slice(from, to));
  };
  execute({ segment, plan, deadline: undefined, decided: undefined, watcher }, sink);
  return { capacities, batches: [...batches], skips, found, handed };
}

describe("without filters", () => {
  test("a page is read at once, after a jump to where it begins", () => {
    const { capacities, skips, found } = run(many(), { offset: 500, limit: 1000 });
    expect([capacities, skips, found.length, found[0]]).toEqual([[1000], [500], 1000, 500]);
  });

  test("everything is read some thousand rows at a time", () => {
    const { capacities, skips, found } = run(many(), {});
    expect(capacities).toEqual(Array<number>(6).fill(4096));
    expect([skips, found.length]).toEqual([[], 20_000]);
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

  test("without a limit batches are large", () => {
    expect(run(many(), { criteria }).capacities).toEqual(Array<number>(6).fill(4096));
  });

  test("batches are smaller for many criteria, and for a page", () => {
    const few = createCollection(Row, rowsFrom(0, 100), { indexes: "none" });
    expect(run(few, { criteria }).capacities[0]).toBe(4096);
    expect(run(few, { criteria, limit: 5 }).capacities[0]).toBe(64);
    const nots = (count: number) => ({
      criteria: Array.from({ length: count }, (_, i) => ["kind", "not", `none ${i}`]),
    });
    expect(run(few, nots(3)).capacities[0]).toBe(4096);
    expect(run(few, nots(4)).capacities[0]).toBe(2048);
    expect(run(few, nots(18)).capacities[0]).toBe(1024);
    expect(run(few, nots(700)).capacities[0]).toBe(64);
    // One is not negated: otherwise they would be the complement of one group.
    const groups = [...nots(39).criteria, ...criteria].flatMap((each) => [each, "OR"]);
    expect(run(few, { criteria: groups.slice(0, -1) }).capacities[0]).toBe(512);
  });

  test("a page that begins within a batch and ends in another is whole", () => {
    const rows = createCollection(Row, rowsFrom(0, 500), { indexes: "none" });
    const page = rows.query({ criteria: [["kind", "exactly", "kind 1"]], offset: 3, limit: 30 });
    expect(page.map((row) => Number(row.id))).toEqual(matching(33).slice(3));
  });

  test("a page that ends within a batch ends there", () => {
    const { found, handed } = run(many(), { criteria, offset: 3, limit: 4 });
    expect([found, handed]).toEqual([matching(7).slice(3), [4]]);
  });
});

test("one batch serves run after run", () => {
  const few = createCollection(Row, rowsFrom(0, 10));
  const [first, second] = [run(few, { limit: 5 }), run(few, { limit: 9 })];
  expect(first.batches).toHaveLength(1);
  expect(second.batches[0]).toBe(first.batches[0]);
});

test("a page that an index selects is selected by its codes: no value is read", () => {
  const rows = createCollection(Row, rowsFrom(0, 500), { indexes: "none" });
  const prepared = rows.prepare({ match: ["kind"], sort: ["number"] });
  const criteria = [["kind", "exactly", "kind 3"]] as const;
  const [segment] = prepared.state.snapshot.segments;
  for (const sortOrder of ["ASC", "DESC"] as const) {
    const query = { criteria, sortBy: "number", sortOrder, offset: 3, limit: 30 } as const;
    const read = vi.spyOn(segment.rows, "readerOf");
    const page = prepared.query(query);
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
    expect(page).toEqual(rows.query(query));
    expect(page).toHaveLength(30);
  }
});

describe("an answer that is merged", () => {
  const Numbered = wireSchema({ number: int() });
  /** Records of two segments, which take turns in the order of their numbers. */
  const inTurns = (count: number) => {
    using _ = tuned({ fewRows: 8, sizeRatio: 0.5 });
    return collect(new Codec(Numbered), { ...strict, indexes: "none" }, (loader) =>
      loader.add(Array.from({ length: count }, (_, i) => ({ number: 2 * i }))),
    ).insert(Array.from({ length: count }, (_, i) => ({ number: 2 * i + 1 })));
  };
  const sorted = (page: object) =>
    parseQuery(Numbered, { sortBy: "number", sortOrder: "ASC", ...page }, strict);

  test("has no empty stretches, and goes no farther than its page", () => {
    const { snapshot } = inTurns(40).state;
    expect(snapshot.segments).toHaveLength(2);
    for (const page of [{}, { offset: 11, limit: 5 }, { limit: 3 }, { offset: 79 }]) {
      const query = sorted(page);
      const lengths: number[] = [];
      const compare = vi.spyOn(Order.prototype, "compare");
      forEachRow(snapshot, query, (_, __, from, to) => void lengths.push(to - from));
      const { length } = compare.mock.calls;
      compare.mockRestore();
      const { offset, limit } = query;
      expect(lengths).toEqual(Array<number>(Math.min(limit, 80 - offset)).fill(1));
      // Two heads are compared once for each stretch.
      expect(length).toBeLessThanOrEqual(Math.min(80, offset + limit));
    }
  });

  test("is looked at by its deadline once in thousands of stretches, if there is one", () => {
    const changed = inTurns(9000);
    const query = sorted({});
    const deadline = new Deadline(60_000);
    const check = vi.spyOn(deadline, "check");
    const checks: number[] = [];
    forEachRow(changed.state.snapshot, { ...query, deadline }, () => {
      checks.push(check.mock.calls.length);
    });
    expect(checks).toHaveLength(18_000);
    expect((checks.at(-1) ?? 0) - (checks[0] ?? 0)).toBe(4);
    expect(changed.query({ sortBy: "number", sortOrder: "ASC", offset: 17_999 })).toEqual([
      { number: "17999" },
    ]);
    expect(changed.query({ sortBy: "number", sortOrder: "ASC" })).toHaveLength(18_000);
  });
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
    const filter = openFilter(
      { path: "trigrams", postings, groups: [] },
      { segment, unite, deadline: undefined },
      0,
    );
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

test("the filter by codes reads the codes of all rows, or makes a set if it has to check more rows than the set has", () => {
  const rows = createCollection(Row, rowsFrom(0, 200), { indexes: "none" });
  const [segment] = rows.prepare({ match: ["kind"] }).state.snapshot.segments;
  const index = segment.indexes.ordered("kind");
  if (index === undefined) throw new Error("it was prepared");
  const set = [1, 3];
  const opening = { segment, deadline: undefined, unite: () => expect.unreachable() };
  const step = { path: "codes", index, groups: [], set, rows: index.count(set) } as const;
  expect(step.rows).toBe(40);
  const readsCodes = (scatteredRows: number) => {
    const codes = readsOf(index, "codes");
    const filter = openFilter(step, opening, scatteredRows);
    const { count } = codes;
    codes.restore();
    const batch = Uint32Array.from({ length: 200 }, (_, row) => row);
    expect(filter.keep(batch, 200)).toBe(40);
    return count > 0;
  };
  expect([0, 40, 41, 200].map(readsCodes)).toEqual([true, true, false, false]);
});

test("what an index counts is not read to be counted", () => {
  const rows = createCollection(Row, rowsFrom(0, 200), { indexes: "none" });
  const prepared = rows.prepare({ match: ["kind"] });
  const index = prepared.state.snapshot.segments[0].ordered("kind");
  if (index === undefined) throw new Error("it was prepared");
  const order = readsOf(index, "order");
  const copyRows = vi.spyOn(index, "copyRows");
  expect(prepared.count([["kind", "exactly", "kind 1"]])).toBe(20);
  expect(prepared.count()).toBe(200);
  expect(order.count).toBe(0);
  expect(copyRows).not.toHaveBeenCalled();
  expect(prepared.query({ criteria: [["kind", "exactly", "kind 1"]] })).toHaveLength(20);
  expect(order.count).toBeGreaterThan(0);
});

test("a scan is charged the time that it took, if that is longer than estimated", () => {
  const Keyed = wireSchema({ id: int({ unique: true }), kind: string() });
  const records = Array.from({ length: 10_000 }, (_, id) => ({ id, kind: `kind ${id % 3}` }));
  const charged = (milliseconds: number, ask: (rows: ReturnType<typeof make>) => unknown) => {
    let now = 0;
    using _ = tuned({ clock: () => (now += milliseconds) });
    const rows = make();
    const spy = vi.spyOn(rows.state.snapshot.segments[0].indexes, "charge");
    ask(rows);
    return spy.mock.calls.reduce((sum, [, , nanoseconds]) => sum + nanoseconds, 0);
  };
  const make = () => createCollection(Keyed, records);
  const asked = [
    (rows: ReturnType<typeof make>) => rows.count([["kind", "contains", "1"]]),
    (rows: ReturnType<typeof make>) => rows.countBy("kind"),
    (rows: ReturnType<typeof make>) => rows.query({ sortBy: "kind", limit: 3 }),
  ];
  for (const ask of asked) {
    const estimate = charged(0, ask);
    expect(estimate).toBeGreaterThan(100_000);
    // A little of it is for producing the rows.
    const took = (estimate / 1e6) * 2;
    expect(charged(took, ask) / estimate).toBeGreaterThan(1.9);
    expect(charged(took, ask) / estimate).toBeLessThanOrEqual(2.1);
    // A pause is not the scan's own.
    expect(charged(1e6, ask) / estimate).toBeCloseTo(8, 1);
  }
});

test("the few rows that came last are checked one by one: they get no index and no charges", () => {
  const Keyed = wireSchema({ id: int({ unique: true }), kind: string() });
  const rowsOf = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => ({ id: from + i, kind: `kind ${i % 3}` }));
  const changed = createCollection(Keyed, rowsOf(0, 1000)).insert(rowsOf(1000, 1020));
  const [, last] = changed.state.snapshot.segments;
  if (last === undefined) throw new Error("there are two segments");
  const asked = [vi.spyOn(last.indexes, "ordered"), vi.spyOn(last.indexes, "charge")];
  const sorted = vi.spyOn(Order.prototype, "sorted");
  const criteria = [["kind", "exactly", "kind 1"]] as const;
  expect(changed.query({ criteria })).toHaveLength(333 + 7);
  expect(sorted).not.toHaveBeenCalled();
  expect(changed.query({ criteria, sortBy: "kind" })).toHaveLength(333 + 7);
  expect(sorted).toHaveBeenCalledTimes(1);
  expect(changed.count(criteria)).toBe(333 + 7);
  expect(changed.get("id", 1019)?.kind).toBe("kind 1");
  for (const spy of asked) expect(spy).not.toHaveBeenCalled();
  sorted.mockRestore();
});
