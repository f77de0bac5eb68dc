// Times in columns of numbers: what somebody names in a zone selects what it selects of a time field (rule C18).

import fc from "fast-check";
import { describe, expect, test } from "vitest";
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

describe("periods up to the latest time", () => {
  const found = (
    typed: string,
    latest: string,
    given: {
      readonly zone?: string;
      readonly operator?: string;
      readonly type?: "int" | "float";
    } = {},
  ) => {
    const { operator = "exactly", type = "int", ...zone } = given;
    const field = {
      ...{ name: "at", type, unit: "milliseconds" as const, latest: Date.parse(latest) },
      ...{ ...zone, operators: operatorsOf(defineSchema({ at: int() }), "at") },
    };
    const [row] = withTimes([["at", operator, typed]], [field]) as [[string, string, unknown]];
    const iso = (each: unknown) => (typeof each === "number" ? new Date(each).toISOString() : each);
    return Array.isArray(row[2]) ? row[2].map(iso) : iso(row[2]);
  };

  test("are so long, and begin just after the time that is as long before", () => {
    const end = "2024-05-31T10:30:00.000Z";
    expect(found("last 7 days", end)).toEqual(["2024-05-24T10:30:00.001Z", end]);
    expect(found("last week", end)).toEqual(["2024-05-24T10:30:00.001Z", end]);
    expect(found(" Last 24 hours ", end)).toEqual(["2024-05-30T10:30:00.001Z", end]);
    expect(found("last 90 minutes", end)).toEqual(["2024-05-31T09:00:00.001Z", end]);
    expect(found("last day", end, { operator: "at_least" })).toBe("2024-05-30T10:30:00.001Z");
    expect(found("last day", end, { operator: "less_than" })).toBe("2024-05-30T10:30:00.001Z");
    expect(found("last 7 days", end, { type: "float" })).toEqual(["2024-05-24T10:30:00.000Z", end]);
  });

  test("of months, begin on the same day, or on the last one of a shorter month", () => {
    const end = "2024-05-31T10:30:00.000Z";
    expect(found("last 3 months", end)).toEqual(["2024-02-29T10:30:00.001Z", end]);
    expect(found("last quarter", end)).toEqual(["2024-02-29T10:30:00.001Z", end]);
    expect(found("last month", end)).toEqual(["2024-04-30T10:30:00.001Z", end]);
    expect(found("last 2 months", end)).toEqual(["2024-03-31T10:30:00.001Z", end]);
    expect(found("last 5 months", end)).toEqual(["2023-12-31T10:30:00.001Z", end]);
    expect(found("last year", "2024-02-29T00:00:00.000Z")).toEqual([
      "2023-02-28T00:00:00.001Z",
      "2024-02-29T00:00:00.000Z",
    ]);
    // Clocks in Berlin show noon at both ends, before and after the change of the clocks.
    expect(found("last month", "2024-04-20T10:00:00.000Z", { zone: "Europe/Berlin" })).toEqual([
      "2024-03-20T11:00:00.001Z",
      "2024-04-20T10:00:00.000Z",
    ]);
  });

  test("are no periods without a latest time, or if they are named otherwise", () => {
    const field = {
      ...{ name: "at", type: "int" as const, unit: "milliseconds" as const },
      operators: operatorsOf(defineSchema({ at: int() }), "at"),
    };
    for (const typed of [
      "last 7 days",
      "last 7",
      "last",
      "last -1 days",
      "7 days",
      "last 12345 days",
    ]) {
      const latest = typed === "last 7 days" ? undefined : 0;
      const list = [["at", "exactly", typed]];
      expect(withTimes(list, [{ ...field, latest }])).toEqual(list);
    }
  });
});
