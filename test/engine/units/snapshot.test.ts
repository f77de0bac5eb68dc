// Segments and snapshots: keys, when segments are merged, and which are indexed.

import { NO_IDS } from "../../../src/engine/columns/last-ids.ts";
import { describe, expect, test, vi } from "vitest";
import { Segment } from "../../../src/engine/versions/segment.ts";
import type { Snapshot } from "../../../src/engine/versions/snapshot.ts";
import { createCollection, int, string, type CollectionOptions } from "../../../src/index.ts";
import { expectRefused } from "../../updates/fixtures.ts";
import { untyped } from "../../rules/fixtures.ts";
import { wireSchema } from "../../wire-schema.ts";

const Row = wireSchema({ id: int(), text: string() });
const rowsFrom = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: from + i, text: `text ${from + i}` }));
const make = (count: number, options?: CollectionOptions) =>
  createCollection(Row, rowsFrom(0, count), options);
type Rows = ReturnType<typeof make>;
const without = (rows: Rows, ...ids: readonly number[]) => rows.remove([["id", "in", ids]]);

/** Of each segment how many rows are live, and how many dead where there are such: "700-100 10". */
const shape = ({ state: { snapshot } }: Rows) =>
  snapshot.segments
    .map(({ live, dead }) => (dead.count === 0 ? String(live) : `${live}-${dead.count}`))
    .join(" ");
const snapshotOf = ({ state }: Rows): Snapshot => state.snapshot;
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe("segments are merged", () => {
  test("where one has an eighth of the rows of the one before it", () => {
    expect(shape(make(800).insert(rowsFrom(800, 99)))).toBe("800 99");
    expect(shape(make(800).insert(rowsFrom(800, 100)))).toBe("900");
    // Those of a part that has become large enough, one after the other.
    const parts = make(8000).insert(rowsFrom(8000, 900)).insert(rowsFrom(8900, 80));
    expect(shape(parts)).toBe("8000 900 80");
    expect(shape(parts.insert(rowsFrom(8980, 66)))).toBe("9046");
  });

  test("and where few have become many", () => {
    const parts = make(2000).insert(rowsFrom(2000, 100)).insert(rowsFrom(2100, 64));
    expect(shape(parts)).toBe("2000 100 64");
    expect(shape(parts.insert(rowsFrom(2164, 1)))).toBe("2000 165");
  });

  test("where both are small", () => {
    const small = make(2000).insert(rowsFrom(2000, 64));
    expect(shape(small.insert(rowsFrom(2064, 1)))).toBe("2000 65");
    const large = make(2000).insert(rowsFrom(2000, 65));
    expect(shape(large.insert(rowsFrom(2065, 8)))).toBe("2000 65 8");
    expect(shape(make(64).insert(rowsFrom(64, 1)))).toBe("65");
    expect(shape(make(65).insert(rowsFrom(65, 1)))).toBe("65 1");
  });

  test("where more than an eighth of the base is dead, all of them", () => {
    const rows = make(800).insert(rowsFrom(800, 10));
    expect(shape(without(rows, ...range(0, 100)))).toBe("700-100 10");
    expect(shape(without(rows, ...range(0, 101)))).toBe("709");
  });

  test("and those without a row are dropped, except the base", () => {
    const rows = make(800).insert(rowsFrom(800, 10));
    expect(shape(without(rows, ...range(800, 810)))).toBe("800");
    expect(shape(make(5).remove([]))).toBe("0");
  });

  test("those with the fewest rows first, so that few are moved twice", () => {
    const parts = make(80_000).insert(rowsFrom(80_000, 900)).insert(rowsFrom(80_900, 80));
    const merge = vi.spyOn(Segment, "merge");
    const merged = parts.insert(rowsFrom(80_980, 700));
    expect(merge.mock.calls.map(([a, b]) => [a.size, b.size])).toEqual([
      [80, 700],
      [900, 780],
    ]);
    merge.mockClear();
    const large = parts.insert(rowsFrom(80_980, 5000));
    expect(merge.mock.calls.map(([a, b]) => [a.size, b.size])).toEqual([
      [900, 80],
      [980, 5000],
    ]);
    merge.mockRestore();
    for (const { size, state } of [merged, large]) {
      expect(Array.from(state.snapshot.segments, (each) => each.size)).toEqual([
        80_000,
        size - 80_000,
      ]);
    }
  });

  test("by who asks for it, where there is something to merge", () => {
    const rows = make(800);
    expect(rows.compact()).toBe(rows);
    for (const each of [rows.insert(rowsFrom(800, 1)), without(rows, 5)]) {
      const compacted = each.compact();
      expect(shape(compacted)).toBe(String(each.size));
      expect([...compacted]).toEqual([...each]);
      expect(compacted.compact()).toBe(compacted);
      expect(snapshotOf(compacted).nextKey).toBe(snapshotOf(each).nextKey);
    }
  });
});

describe("keys", () => {
  test("are the rows' numbers until one is missing, and stay what they are", () => {
    const rows = make(200);
    const [base] = snapshotOf(rows).segments;
    expect(base.keys).toBeUndefined();
    expect([base.keyOf(7), base.rowOf(7), base.rowOf(199), base.rowOf(200)]).toEqual([
      ...[7, 7, 199, -1],
    ]);
    const [dead] = snapshotOf(without(rows, 7)).segments;
    expect([dead.keyOf(7), dead.rowOf(7), dead.rowOf(8)]).toEqual([7, -1, 8]);
    const [merged] = snapshotOf(without(rows, 7).compact()).segments;
    expect(merged.keys).toEqual(range(0, 200).filter((key) => key !== 7));
    expect([merged.keyOf(7), merged.rowOf(7), merged.rowOf(8), merged.rowOf(200)]).toEqual([
      ...[8, -1, 7, -1],
    ]);
    const [whole] = snapshotOf(without(rows, 199).compact()).segments;
    expect(whole.keys).toBeUndefined();
    const [none] = snapshotOf(rows.remove([]).compact()).segments;
    expect([none.keys, none.rowOf(0)]).toEqual([undefined, -1]);
  });

  test("of new rows follow all that were given, whatever became of those", () => {
    const rows = make(100);
    const last = rows.insert(rowsFrom(100, 5));
    const gone = without(last, ...range(100, 105));
    expect([rows, last, gone].map((each) => snapshotOf(each).nextKey)).toEqual([100, 105, 105]);
    const again = snapshotOf(gone.insert(rowsFrom(200, 1)));
    expect([again.nextKey, again.find(105)?.row, again.find(104)]).toEqual([106, 0, undefined]);
    expect(again.find(5)).toEqual({ segment: again.segments[0], row: 5 });
    const from = snapshotOf(rows);
    expect(from.countingFrom(100, NO_IDS)).toBe(from);
    expect(from.countingFrom(99, NO_IDS)).toBe(from);
    expect(from.countingFrom(101, NO_IDS).nextKey).toBe(101);
    expect(from.countingFrom(101, NO_IDS).segments).toBe(from.segments);
    expect(from.size).toBe(100);
  });

  test("a snapshot that loses no row of a segment has the same one", () => {
    const rows = make(800).insert(rowsFrom(800, 10));
    const [base, more] = snapshotOf(rows).segments;
    const changed = snapshotOf(without(rows, 3));
    expect(changed.segments[1]).toBe(more);
    expect(changed.segments[0].rows).toBe(base.rows);
    expect(changed.segments[0].indexes).toBe(base.indexes);
    expect(base.without(new Uint32Array())).toBe(base);
  });
});

describe("the live rows of a stretch of an order are counted", () => {
  test("however long it is", () => {
    const rows = make(1000, { indexes: "none" }).prepare({ sort: ["id"] });
    const ids = range(0, 100).map((i) => i * 7);
    const [{ dead, indexes }] = snapshotOf(without(rows, ...ids)).segments;
    const index = indexes.buildOrdered("id");
    const live = (from: number, to: number) =>
      Array.from(index.order.subarray(from, to)).filter((row) => !dead.has(row)).length;
    for (const [from, to] of [
      ...[[0, 1000] as const, [1, 1000] as const, [0, 999] as const, [3, 3] as const],
      ...[[10, 74] as const, [10, 75] as const, [0, 1] as const, [600, 990] as const],
    ]) {
      expect(dead.liveIn(index, from, to)).toBe(live(from, to));
    }
    const [base] = snapshotOf(rows).segments;
    expect(base.dead.liveIn(index, 5, 50)).toBe(45);
  });
});

describe("indexes are built", () => {
  test("in the base and in segments that are not small, if they are named", () => {
    const rows = make(2000, { indexes: "none" })
      .insert(rowsFrom(2000, 100))
      .insert(rowsFrom(2100, 5))
      .prepare({ sort: ["id"] });
    const counts = () => snapshotOf(rows).segments.map(({ indexes }) => indexes.count);
    expect(counts()).toEqual([1, 1, 0]);
    const [one, other] = snapshotOf(rows).segments.map(({ indexes }) => indexes.bytes);
    expect(rows.indexes()).toEqual([
      { field: "id", kind: "ordered", bytes: (one ?? 0) + (other ?? 0) },
    ]);
    rows.prepare({ match: ["text"] });
    expect(counts()).toEqual([2, 2, 0]);
    expect(
      make(5)
        .prepare({ match: ["id"] })
        .indexes(),
    ).toHaveLength(1);
    expect(make(5).prepare({}).indexes()).toEqual([]);
  });

  test("with what finds values, where they are to be matched", () => {
    const rows = make(5000, { indexes: "none" });
    rows.prepare({ sort: ["text"] });
    const before = rows.indexes()[0]?.bytes ?? 0;
    rows.prepare({ match: ["text"] });
    expect(rows.indexes()[0]?.bytes).toBeGreaterThan(before);
  });

  test("when they are due, as long as there is time, and the report says how many are left", () => {
    const rows = make(3000, { indexes: "deferred" });
    for (let i = 0; i < 10; i++) rows.query({ criteria: [["text", "exactly", "text 5"]] });
    rows.query({ sortBy: "id" });
    const [{ indexes }] = snapshotOf(rows).segments;
    expect(indexes.due()).toHaveLength(2);
    expect(rows.buildDue({ milliseconds: 60_000 })).toEqual({ built: 2, due: 0 });
    expect(rows.buildDue()).toEqual({ built: 0, due: 0 });
    expect(Object.isFrozen(rows.buildDue())).toBe(true);
    for (const [milliseconds, shown] of [
      [-1, "-1"],
      [NaN, "NaN"],
      ["5", '"5"'],
      [null, "null"],
    ]) {
      expectRefused(
        () => rows.buildDue(untyped({ milliseconds })),
        "options.milliseconds",
        `must be a non-negative number, not ${String(shown)}`,
      );
    }
    expect(rows.buildDue({ milliseconds: undefined })).toEqual({ built: 0, due: 0 });
  });
});

test("a misspelt option of a collection is refused by its place", () => {
  expectRefused(
    () => make(1, untyped({ maxCriterias: 5 })),
    "options",
    'has no member "maxCriterias"; use "maxCriteria", "maxValues", "indexes", "indexBytes", "onQuery", "slowerThan" or "storage"',
  );
});
