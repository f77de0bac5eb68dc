// Times in columns of numbers: what somebody names in a zone selects what it selects of a time field (rule C18).

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  CriteriaError,
  createCollection,
  defineSchema,
  float,
  int,
  operatorsOf,
  time,
} from "../../src/index.ts";
import { withTimes } from "../../src/playground/criteria-list.ts";
import { isInForm, readTime, typedTime, writeTime } from "../../src/playground/times.ts";

const ZONES = ["Europe/Berlin", "Asia/Kathmandu", "America/St_Johns", undefined] as const;

/** Around both changes of the clocks, the turn of a year, and a leap day. */
const STARTS = ["2024-03-31T00:30", "2024-10-27T00:30", "2023-12-31T22:00", "2024-02-28T20:00"];

const instants = STARTS.flatMap((start) =>
  Array.from({ length: 60 }, (_, i) => Date.parse(`${start}:00Z`) + i * 1_234_567),
);

const names = fc.constantFrom(
  ...["2023", "2024", "2024-03", "2024-10", "2024-12", "2024-02-29", "2024-03-31"],
  ...["2024-10-27 01", "2024-10-27T02", "2024-10-27 02:10", "2024-03-31 02:30"],
  ...["2024-03-31T03", "2024-02-29 12:00", "2024-03-31T00:30:00Z", "2023-12-31T23:00+01:00"],
);

const criteria = fc.oneof(
  fc.tuple(
    fc.constantFrom("exactly", "not", "at_least", "at_most", "greater_than", "less_than"),
    names,
  ),
  fc.tuple(fc.constant("in"), fc.array(fc.oneof(names, fc.constant(null)), { maxLength: 3 })),
  fc.tuple(fc.constant("between"), fc.tuple(names, names)),
);

test.each(ZONES)("in the zone %s, the same as of a time field", (zone) => {
  const own = defineSchema({
    n: int(),
    at: time({ nullable: true, precision: "microseconds", ...(zone && { zone }) }),
    whole: int({ nullable: true }),
    fine: float({ nullable: true }),
  });
  const records = [...instants, null].map((instant, n) => ({
    n,
    at: instant,
    whole: instant,
    fine: instant,
  }));
  const collection = createCollection(own, records);
  const field = (name: "whole" | "fine") => ({
    name,
    type: own.fields[name].type,
    unit: "milliseconds" as const,
    ...(zone && { zone }),
    operators: operatorsOf(own, name),
  });
  const found = (list: readonly unknown[]) => {
    try {
      return collection.query({ criteria: list as never }).map((record) => record.n);
    } catch (thrown) {
      if (thrown instanceof CriteriaError) return "refused";
      throw thrown;
    }
  };
  fc.assert(
    fc.property(criteria, ([operator, value]) => {
      const expected = found([["at", operator, value]]);
      for (const name of ["whole", "fine"] as const) {
        const list = withTimes([[name, operator, value]], [field(name)]);
        expect(list).toHaveLength(1);
        expect(found(list)).toEqual(expected);
      }
    }),
  );
});

test("microseconds are read, written and named", () => {
  for (const text of ["2024-05-01T00:00:00.000080Z", "1969-12-31T23:59:59.999999Z"]) {
    const time = readTime(text);
    expect(time && isInForm(text, time.form)).toBe(true);
    expect(time && writeTime(time.value, time.form)).toBe(text);
  }
  // Nanoseconds are beyond a double.
  const text = "2024-05-01T00:00:00.000080001Z";
  const nanos = readTime(text);
  expect(nanos && isInForm(text, nanos.form)).toBe(false);
});

test("a time is shown and typed as the clocks of its zone show it", () => {
  const scale = { unit: "milliseconds", zone: "Europe/Berlin" } as const;
  const noon = Date.UTC(2024, 6, 1, 10);
  expect(typedTime(noon, "exactly", scale)).toBe("2024-07-01 12:00:00");
  expect(typedTime(noon, "at_least", scale)).toBe("2024-07-01 12:00");
  expect(typedTime(Date.UTC(2024, 5, 30, 22), "at_least", scale)).toBe("2024-07");
});
