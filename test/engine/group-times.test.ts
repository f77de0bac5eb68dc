// Times are grouped by steps of the calendar as the numbers of their milliseconds are (G1).

import fc from "fast-check";
import { expect, test } from "vitest";
import { createCollection, createDatabase, defineSchema, int, time } from "../../src/index.ts";
import { referenceCollection } from "../../src/testing/index.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";
import { smallest, tuned } from "../tuned.ts";

const STEPS = ["minute", "hour", "day", "week", "month", "quarter", "year", "weekday", "hourOfDay"];

test("the groups of times are those of their milliseconds, in any zone (G1)", () => {
  const instant = fc.oneof(
    fc.integer({ min: Date.UTC(1999, 11, 31), max: Date.UTC(2030, 0, 1) }),
    fc.integer({ min: Date.UTC(2024, 2, 30), max: Date.UTC(2024, 3, 1) }),
    fc.integer({ min: Date.UTC(2024, 9, 26), max: Date.UTC(2024, 9, 28) }),
  );
  const cases = fc.record({
    instants: fc.array(fc.option(instant), { maxLength: 40 }),
    changed: fc.array(fc.tuple(fc.nat({ max: 39 }), fc.option(instant)), { maxLength: 6 }),
    step: fc.constantFrom(...STEPS),
    zone: fc.constantFrom("UTC", "Europe/Zurich", "America/St_Johns", "Asia/Kathmandu"),
    precision: fc.constantFrom("milliseconds" as const, "microseconds" as const),
    storage: fc.constantFrom("objects" as const, "columns" as const),
    isOwn: fc.boolean(),
    isPrepared: fc.boolean(),
    isSmall: fc.boolean(),
  });
  fc.assert(
    fc.property(cases, ({ instants, changed, step, zone, precision, storage, isOwn, ...of }) => {
      using _ = tuned(of.isSmall ? smallest : {});
      const Visit = defineSchema({
        id: int({ unique: true }),
        at: time({ nullable: true, precision, ...(isOwn && { zone }) }),
        ms: int({ nullable: true }),
      });
      const records = instants.map((ms, id) => ({ id, at: ms, ms }));
      const db = createDatabase({ visits: createCollection(Visit, records, { storage }) });
      if (of.isPrepared) db.visits.prepare({ match: ["at", "ms"] });
      const byTime = { field: "at", step, as: "key", ...(!isOwn && { zone }) };
      const byNumber = { field: "ms", step, zone, as: "key" };
      const sort = [["key", "DESC"]];
      const live: unknown[] = [];
      db.watch(
        "visits",
        untyped({ groupBy: byTime, sort }),
        (groups: unknown) => (live[0] = groups),
      );
      const check = () => {
        const keyOf = (key: unknown) => (typeof key === "string" ? Date.parse(key) : key);
        const found = db.visits.groupBy(untyped({ by: byTime, sort }));
        const expected = db.visits.groupBy(untyped({ by: byNumber, sort }));
        const rows: readonly { readonly key: unknown }[] = untyped(found);
        expect(rows.map((row) => ({ ...row, key: keyOf(row.key) }))).toEqual(expected);
        expect(live[0]).toEqual(found);
      };
      check();
      for (const [id, ms] of changed) {
        db.update((draft) => {
          draft.visits = draft.visits.update([["id", "exactly", id]], { at: ms, ms });
        });
        check();
      }
    }),
    settings(200),
  );
});

test("the reference has the same groups, in UTC", () => {
  const schema = defineSchema({ at: time({ nullable: true, precision: "microseconds" }) });
  const records = ["2026-10-05T10:00:00.123456Z", "2026-12-31T23:59:59Z", null].map((at) => ({
    at,
  }));
  for (const step of STEPS) {
    const query: unknown = { by: { field: "at", step, as: "key" } };
    expect(referenceCollection(schema, records).groupBy(untyped(query))).toEqual(
      createCollection(schema, records).groupBy(untyped(query)),
    );
  }
});

test("keys of steps are times of the field", () => {
  const Visit = defineSchema({ at: time({ zone: "Europe/Zurich", precision: "microseconds" }) });
  const visits = createCollection(Visit, [{ at: "2026-10-05T10:00" }]);
  const criteria = [["at", "exactly", 2026]] as const;
  expect(visits.groupBy({ by: { field: "at", step: "month" }, criteria })).toEqual([
    { at: "2026-09-30T22:00:00.000000Z", count: 1 },
  ]);
  expect(visits.groupBy({ by: { field: "at", step: "hourOfDay" }, criteria })).toEqual([
    { at: 10, count: 1 },
  ]);
  const unit: unknown = { by: { field: "at", step: "month", unit: "seconds" } };
  expect(() => visits.groupBy(untyped(unit))).toThrow(
    'query.by.unit: must be omitted, since "at" is a time field',
  );
});
