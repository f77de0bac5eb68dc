// Groups, profiles and ticks as they are computed, compared with plain computations over the records.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCollection, defineSchema, float, int, string, strings } from "../../src/index.ts";
import { withFacet } from "../../src/playground/criteria-list.ts";
import { Columns } from "../../src/playground/engine/columns.ts";
import { fieldsOf } from "../../src/playground/engine/fields.ts";
import { groupBy } from "../../src/playground/engine/group-by.ts";
import { TABLE } from "../../src/playground/engine/hints.ts";
import { pivotOf } from "../../src/playground/engine/pivot.ts";
import { profileOf } from "../../src/playground/engine/profile.ts";
import { facetOfGroups, fits, groupsAsJson, groupsFromJson } from "../../src/playground/groups.ts";
import { MEASURES, PARTS, type Group, type Measure } from "../../src/playground/groups.ts";
import { logTicksOf, ticksOf, timeTicksOf } from "../../src/playground/ticks.ts";
import { settings } from "../property.ts";

const Row = defineSchema({
  at: int({ nullable: true }),
  text: string({ nullable: true }),
  whole: int({ nullable: true }),
  part: float({ nullable: true }),
  tags: strings({ nullable: true }),
});

const DAY = 86_400_000;
const HOUR = 3_600_000;

const row = fc.record({
  // Around the turn of years, and before 1970.
  at: fc.option(
    fc.integer({ min: -3 * 365 * 24, max: 60 * 365 * 24 }).map((hours) => hours * HOUR),
  ),
  text: fc.option(fc.constantFrom("", "a", "b", "null", "\u{10000}")),
  whole: fc.option(fc.oneof(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -1e6, max: 1e6 }))),
  part: fc.option(fc.integer({ min: -500, max: 500 }).map((cents) => cents / 100)),
  tags: fc.option(fc.uniqueArray(fc.constantFrom("", "a", "b"))),
});

const asked = fc.record({
  rows: fc.array(row, { maxLength: 60, size: "max" }),
  by: fc.constantFrom("at", "text", "whole", "part", "tags"),
  part: fc.constantFrom(...PARTS),
  zone: fc.constantFrom(undefined, "Europe/Berlin", "Asia/Kathmandu"),
  measure: fc.constantFrom(...(Object.keys(MEASURES) as Measure[])),
  of: fc.constantFrom("whole", "part"),
  where: fc.option(fc.constantFrom(["text", "a"] as const, ["text", null] as const), {
    nil: undefined,
  }),
  also: fc.constantFrom<readonly Measure[] | undefined>(undefined, ["mean", "p95"]),
  edges: fc.constantFrom(undefined, [-2, 0, 5]),
  having: fc.constantFrom(undefined, ["at least", 1] as const, ["at most", 0] as const),
  order: fc.constantFrom("most" as const, "least" as const, "key" as const, "share" as const),
  least: fc.constantFrom(1, 1, 2),
  limit: fc.constantFrom(1, 3, 1000),
});

type Values = { readonly at: number | null } & Record<
  string,
  string | number | readonly string[] | null
>;

/** What somebody would compute by hand. */
function measureBy(measure: Measure, of: string, records: readonly Values[]): number | null {
  if (measure === "count") return records.length;
  const numbers = records.flatMap(({ [of]: value }) => (typeof value === "number" ? [value] : []));
  numbers.sort((a, b) => a - b);
  // Of cents and integers, so that the sum is exact.
  const sum = numbers.reduce((all, each) => all + Math.round(each * 100), 0) / 100;
  if (measure === "sum") return sum;
  if (measure === "distinct") return new Set(numbers).size;
  if (numbers.length === 0) return null;
  const at = (share: number) => numbers[Math.max(0, Math.ceil(share * numbers.length - 1e-9) - 1)];
  const mean = sum / numbers.length;
  const squares = numbers.reduce((all, each) => all + (each - mean) ** 2, 0);
  const found = {
    mean,
    deviation: numbers.length < 2 ? null : Math.sqrt(squares / (numbers.length - 1)),
    minimum: numbers[0],
    median: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    maximum: numbers.at(-1),
  }[measure];
  return found ?? null;
}

const near = (value: number | null): unknown => (value === null ? null : expect.closeTo(value, 6));

test("groups have the records that their choice selects, and these are measured", () => {
  let grouped = 0;
  const holds = fc.property(asked, ({ rows, limit, ...of }) => {
    const collection = createCollection(Row, rows);
    const fields = fieldsOf(collection, TABLE, new Map([["at", "numbers"]]));
    if (!fits(of, fields)) return;
    const columns = new Columns();
    const found = groupBy(
      collection,
      (...given) => columns.get(collection, ...given),
      [],
      of,
      fields,
      limit,
    );
    const { where } = of;
    const isIn = (record: Values) => where !== undefined && record[where[0]] === where[1];
    const all = rows as readonly Values[];
    expect(found.total.records).toBe(all.length);
    expect(found.total.value).toEqual(near(measureBy(of.measure, of.of, all)));
    expect(found.groups.length).toBeLessThanOrEqual(Math.max(limit, 2000));
    for (const group of found.groups) {
      if (
        group.choice === undefined ||
        ("values" in group.choice && group.choice.values.length === 0)
      )
        continue;
      const criteria = withFacet([], facetOfGroups(of, fields), group.choice);
      const records = collection.query({ criteria }) as readonly Values[];
      grouped++;
      expect([group.records, group.within?.records]).toEqual([
        records.length,
        where && records.filter(isIn).length,
      ]);
      expect(group.value).toEqual(near(measureBy(of.measure, of.of, records)));
      if (of.having !== undefined) {
        const [bound, value] = of.having;
        expect(group.value ?? NaN)[
          bound === "at least" ? "toBeGreaterThanOrEqual" : "toBeLessThanOrEqual"
        ](value);
      }
      if (of.also !== undefined && of.measure !== "count" && group.others !== undefined) {
        const others = of.also.map((each) => near(measureBy(each, of.of, records)));
        expect(group.others).toEqual(others);
      }
      if (where !== undefined) {
        const own = measureBy(of.measure, of.of, records.filter(isIn));
        expect(group.within?.value).toEqual(near(own));
      }
    }
    // Every record is in one group, unless it has several strings or none.
    const isAll = of.least === 1 && of.having === undefined;
    if (of.by !== "tags" && isAll && limit === 1000) {
      expect(found.groups.reduce((sum, { records }) => sum + records, 0)).toBe(all.length);
    }
    const values = found.groups.map(({ value }) => value ?? -Infinity);
    if (of.order === "most") expect(values).toEqual([...values].sort((a, b) => b - a));
    // What has no measure comes last.
    const last = found.groups.map(({ value }) => value ?? Infinity);
    if (of.order === "least") expect(last).toEqual([...last].sort((a, b) => a - b));
    if (of.order === "share" && where !== undefined && of.measure === "count") {
      const shares = found.groups.map(({ within, records }) =>
        records === 0 ? -Infinity : (within?.records ?? 0) / records,
      );
      expect(shares).toEqual([...shares].sort((a, b) => b - a));
    }
    if (where !== undefined) {
      const some = all.filter(isIn);
      const value = near(measureBy(of.measure, of.of, some));
      expect(found.within).toMatchObject({ records: some.length, value });
    }
    const numbers = all.filter((record) => record[of.of] !== null);
    expect(found.nulls).toBe(of.measure === "count" ? 0 : all.length - numbers.length);
    if (of.part === "value") {
      const counts = collection.countBy(of.by);
      const enough = counts.filter(({ count }) => count >= of.least);
      if (of.having === undefined) expect(found.found).toBe(enough.length);
      else expect(found.found).toBeLessThanOrEqual(enough.length);
      expect(found.smaller).toBe(counts.length - found.found);
      expect(found.groups.length).toBe(Math.min(limit, found.found));
    }
    // The zone is that of the page.
    expect(groupsFromJson(groupsAsJson(of))).toEqual({ ...of, zone: undefined });
  });
  fc.assert(holds, settings(300));
  expect(grouped).toBeGreaterThan(0);
});

test("cells of two keys have what both select, and each group has its first ones", () => {
  const holds = fc.property(
    asked,
    fc.constantFrom("at", "text", "whole", "tags"),
    fc.constantFrom("value" as const, "top3" as const),
    ({ rows, ...single }, by, show) => {
      const collection = createCollection(Row, rows);
      const fields = fieldsOf(collection, TABLE, new Map([["at", "numbers"]]));
      const part = by === "at" ? "month" : "value";
      const of = { ...single, then: { by, part, zone: single.zone, show } as const };
      if (!fits(of, fields)) return;
      const columns = new Columns();
      const found = pivotOf(
        collection,
        (...given) => columns.get(collection, ...given),
        [],
        of,
        fields,
        [1000, 1000],
      );
      const measured = (row: Group, column: Group) => {
        if (row.choice === undefined || column.choice === undefined) return undefined;
        const list = withFacet([], facetOfGroups(of, fields), row.choice);
        const criteria = withFacet(list, facetOfGroups(found.columns.of, fields), column.choice);
        const records = collection.query({ criteria }) as readonly Values[];
        return records.length === 0 ? null : measureBy(of.measure, of.of, records);
      };
      // A second choice on the same field takes the place of the first.
      if (by === of.by) return;
      for (const [i, row] of found.rows.groups.entries()) {
        const all = found.columns.groups.map((column) => measured(row, column));
        if (all.includes(undefined)) continue;
        if (found.tops !== undefined) {
          const sorted = all.flatMap((each) => each ?? []).sort((a, b) => b - a);
          const values = found.tops[i]?.flatMap(({ value }) => value ?? []) ?? [];
          const first = of.order === "least" ? sorted.toReversed() : sorted;
          expect(values).toEqual(first.slice(0, values.length).map(near));
          continue;
        }
        const across = found.columns.groups.length;
        const cells = Array.from(found.cells.subarray(i * across, (i + 1) * across));
        expect(cells.map((each) => (Number.isNaN(each) ? null : each))).toEqual(
          all.map((each) => near(each ?? null)),
        );
      }
    },
  );
  fc.assert(holds, settings(200));
});

test("a week begins on Monday, and all days and hours are listed", () => {
  const monday = Date.UTC(2024, 0, 1);
  const rows = [0, 1, 1, 6, 7].map((day) => ({
    ...{ at: monday + day * DAY + 9 * HOUR, text: null, whole: null, part: null, tags: null },
  }));
  const collection = createCollection(Row, rows);
  const fields = fieldsOf(collection, TABLE, new Map([["at", "numbers"]]));
  const countsBy = (part: "weekday" | "hourOfDay" | "week") => {
    const of = { by: "at", part, measure: "count", of: "", where: undefined } as const;
    const columnsOf = new Columns();
    const asked = { ...of, order: "key", least: 1 } as const;
    const { groups } = groupBy(
      collection,
      (...given) => columnsOf.get(collection, ...given),
      [],
      asked,
      fields,
      99,
    );
    return groups.map(({ records }) => records);
  };
  expect(countsBy("weekday")).toEqual([2, 2, 0, 0, 0, 0, 1]);
  expect(countsBy("hourOfDay")).toEqual(
    Array.from({ length: 24 }, (_, hour) => (hour === 9 ? 5 : 0)),
  );
  expect(countsBy("week")).toEqual([4, 1]);
});

test("a profile has what the records hold", () => {
  const holds = fc.property(fc.array(row, { maxLength: 40, size: "max" }), (rows) => {
    const collection = createCollection(Row, rows);
    const columns = new Columns();
    for (const field of fieldsOf(collection, TABLE)) {
      const profile = profileOf((...given) => columns.get(collection, ...given), [], field);
      if (field.name === "tags") {
        expect(profile).toEqual({ field: "tags", isKnown: false });
        continue;
      }
      const name = field.name as keyof typeof Row.fields;
      const counts = collection.countBy(name).filter(({ value }) => value !== null);
      const values = counts.flatMap(({ value, count }) =>
        Array.from({ length: count }, () => value),
      );
      expect(profile).toMatchObject({
        count: values.length,
        nulls: rows.length - values.length,
        distinct: counts.length,
        smallest: values[0] ?? null,
        median: values[Math.max(0, Math.ceil(values.length / 2) - 1)] ?? null,
        largest: values.at(-1) ?? null,
      });
      if (!profile.isKnown) throw new Error("a field of values has a profile");
      expect(profile.frequent.map(({ count }) => count)).toEqual(
        counts
          .map(({ count }) => count)
          .sort((a, b) => b - a)
          .slice(0, 3),
      );
    }
  });
  fc.assert(holds, settings(100));
});

describe("ticks", () => {
  test.each([
    [0, 855, 4, ["0", "500"]],
    [0, 160_000, 4, ["0", "50K", "100K", "150K"]],
    [-0.3, 0.3, 6, ["-0.3", "-0.2", "-0.1", "0", "0.1", "0.2", "0.3"]],
    [5, 5, 4, ["5"]],
  ])("from %d to %d", (from, to, most, texts) => {
    expect(ticksOf(from, to, most).map(({ text }) => text)).toEqual(texts);
  });

  test("are at powers of ten on a logarithmic axis", () => {
    const ticks = logTicksOf(1, 5000, 4);
    expect(ticks.map(({ text }) => text)).toEqual(["1", "10", "100", "1K"]);
    for (const [power, { at }] of ticks.entries()) {
      expect(at).toBeCloseTo(power / Math.log10(5000));
    }
  });

  test.each([
    ["2023-01-01", "2024-12-31", ["2023-01", "2023-07", "2024-01", "2024-07"]],
    ["1987-03-01", "2021-01-01", ["1990", "2000", "2010", "2020"]],
    ["2024-02-27", "2024-03-02", ["02-27", "02-28", "02-29", "03-01", "03-02"]],
    ["2024-03-01T22:00Z", "2024-03-02T02:00Z", ["22:00", "23:00", "03-02", "01:00", "02:00"]],
  ])("of times from %s to %s begin a step of the calendar", (from, to, texts) => {
    const ticks = timeTicksOf(Date.parse(from), Date.parse(to), 5);
    expect(ticks.map(({ text }) => text)).toEqual(texts);
  });

  test("lie on their axis, whatever its ends are", () => {
    const ends = fc.tuple(fc.double({ noNaN: true }), fc.double({ noNaN: true }));
    const holds = fc.property(ends, fc.integer({ min: 2, max: 9 }), ([a, b], most) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const all = [...ticksOf(from, to, most), ...timeTicksOf(from, to, most)];
      expect(all.length).toBeLessThanOrEqual(4 * most + 8);
      for (const { at } of all) {
        expect(at).toBeGreaterThanOrEqual(-1e-6);
        expect(at).toBeLessThanOrEqual(1 + 1e-6);
      }
    });
    fc.assert(holds, settings(200));
  });
});
