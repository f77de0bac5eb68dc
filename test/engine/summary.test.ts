// summary, compared with adding up the records that the predicate accepts, as exact fractions.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ExactSum } from "../../src/collection/algorithms/exact-sum.ts";
import {
  compileCriteria,
  createCollection,
  createService,
  CriteriaError,
  defineSchema,
  float,
  InputError,
  int,
  string,
  type Summary,
} from "../../src/index.ts";
import { criteria } from "../../src/testing/index.ts";
import { reopened, reopenings } from "../arrow/reopened.ts";
import { settings } from "../property.ts";
import { aFile, untyped } from "../rules/fixtures.ts";
import { tuned } from "../tuned.ts";

const fields = {
  id: int({ unique: true }),
  whole: int({ nullable: true }),
  part: float({ nullable: true }),
  same: int({ default: 7, stored: false }),
  kind: string(),
};
const Row = defineSchema(fields);
const WireRow = defineSchema(fields, { form: "wire" });
const names = ["id", "whole", "part", "same"] as const;

/** A number as a fraction of 2^1074, of which every number is a multiple. */
function exactly(number: number): bigint {
  let [shift, rest] = [0, number];
  while (!Number.isInteger(rest)) {
    rest *= 2;
    shift++;
  }
  return (BigInt(rest) << 1074n) >> BigInt(shift);
}

/** The nearest number, by its decimal digits, of which none is left out. */
const nearest = (fraction: bigint) => Number(`${fraction * 5n ** 1074n}e-1074`);

/** In either form. */
const numberOf = (value: unknown) => (value === null ? null : Number(value));

function expected(values: readonly (number | null)[]): Summary {
  const numbers = values.filter((value) => value !== null);
  const count = numbers.length;
  const nulls = values.length - count;
  if (count === 0) return { count, nulls, sum: 0, minimum: null, maximum: null, mean: null };
  const sum = numbers.reduce((sum, number) => sum + exactly(number), 0n);
  // The mean as a decimal fraction of 40 more digits than a number of 2^-1074 needs; a rest counts.
  const scaled = sum * 5n ** 1074n * 10n ** 40n;
  const rest = scaled % BigInt(count) === 0n ? "" : "1";
  const digits = scaled / BigInt(count);
  return {
    count,
    nulls,
    sum: nearest(sum),
    minimum: numbers.reduce((a, b) => Math.min(a, b)) + 0,
    maximum: numbers.reduce((a, b) => Math.max(a, b)) + 0,
    mean: Number(`${digits}${rest}e${rest === "" ? -1114 : -1115}`),
  };
}

const wholes = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.maxSafeInteger(),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 2 ** 32, 2 ** 52),
);
const parts = fc.oneof(
  fc.constantFrom(0.1, 0.2, 0.3, -0.1, 1e16, 1, -1e16, 5e-324, -5e-324, 1e308, -1e308),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -200, max: 200 }).map((cents) => cents / 100),
);
const row = fc.record({
  whole: fc.option(wholes),
  part: fc.option(parts),
  kind: fc.constantFrom("a", "b", "c"),
});
const rows = fc.oneof(
  fc.array(row, { maxLength: 30 }),
  fc.array(row, { minLength: 100, maxLength: 200, size: "max" }),
  fc
    .array(row, { minLength: 1, maxLength: 4 })
    .map((few) => Array.from({ length: 60 }, () => few).flat()),
);

test("a summary is that of the values that the selected records have", () => {
  const scenario = rows
    .map((given) => given.map((each, id) => ({ ...each, id })))
    .chain((given) =>
      fc.record({
        given: fc.constant(given),
        schema: fc.constantFrom(Row, WireRow),
        asked: fc.oneof(fc.constant(null), criteria(Row, { records: given })),
        prepared: fc.subarray([...names, "kind" as const]),
        indexes: fc.constantFrom("auto" as const, "none" as const),
        fewRows: fc.constantFrom(0, 64),
        opening: fc.option(fc.constantFrom(...reopenings), { nil: undefined }),
        removed: fc.array(fc.nat({ max: 200 }), { maxLength: 20 }),
        changed: fc.array(fc.nat({ max: 200 }), { maxLength: 20 }),
        value: fc.option(wholes),
      }),
    );
  fc.assert(
    fc.property(scenario, ({ given, schema, asked, opening, ...more }) => {
      using _ = tuned({ fewRows: more.fewRows });
      const made = createCollection(schema, given, { indexes: more.indexes });
      const collection = (opening === undefined ? made : reopened(made, opening))
        .prepare({ sort: more.prepared })
        .remove([["id", "in", more.removed]])
        .update([["id", "in", more.changed]], { whole: more.value, same: 8 });
      const accepts = compileCriteria(schema, untyped(asked));
      const all = [...collection].map((record) => ({
        ...record,
        same: more.changed.includes(numberOf(record.id) ?? -1) ? 8 : 7,
      }));
      const selected = all.filter((record) => accepts(untyped(record)));
      // Several times: an index may become due, and results are kept.
      for (const name of [...names, ...names, ...names]) {
        const values = selected.map(({ [name]: value }) => numberOf(value));
        expect(collection.summary(name, untyped(asked))).toEqual(expected(values));
      }
    }),
    settings(40),
  );
});

test("an exact sum does not depend on the order, and is rounded once", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(parts, fc.constantFrom(1, 2, 3, 1000)), { minLength: 1 }),
      (terms) => {
        const sum = new ExactSum();
        for (const [number, times] of terms) sum.add(number, times);
        const exact = terms.reduce(
          (sum, [number, times]) => sum + exactly(number) * BigInt(times),
          0n,
        );
        expect(sum.dividedBy(1)).toBe(nearest(exact) + 0);
        const back = new ExactSum();
        for (const [number, times] of terms.toReversed()) back.add(number, times);
        expect(back.dividedBy(7)).toBe(sum.dividedBy(7));
      },
    ),
    settings(100),
  );
});

describe("a summary", () => {
  const many = Array.from({ length: 3000 }, (_, id) => ({ id, whole: id % 5, kind: "a" }));

  test("is exact where adding one by one is not", () => {
    const parts = [1e16, 1, -1e16, 0.1, 0.2, 0.3];
    const rows = createCollection(
      Row,
      parts.map((part, id) => ({ id, part, whole: Number.MAX_SAFE_INTEGER - id, kind: "a" })),
    );
    expect(rows.summary("part")).toMatchObject({
      count: 6,
      sum: 1.6,
      minimum: -1e16,
      maximum: 1e16,
    });
    const { sum, mean } = rows.summary("whole");
    expect(sum).toBe(Number(6n * BigInt(Number.MAX_SAFE_INTEGER) - 15n));
    // Between 2^53 − 4 and 2^53 − 3: the even one.
    expect(mean).toBe(Number.MAX_SAFE_INTEGER - 3 + 0.5);
    expect(rows.summary("whole", [["id", "in", [0, 3]]]).sum).toBe(2 ** 54 - 5 + 0);
  });

  test("is infinite beyond all numbers, and its mean is not", () => {
    const rows = createCollection(
      Row,
      [1e308, 1.5e308].map((part, id) => ({ id, part, kind: "a" })),
    );
    expect(rows.summary("part")).toMatchObject({ sum: Infinity, mean: 1.25e308 });
  });

  test("of no number has none", () => {
    const rows = createCollection(Row, [{ id: 1, kind: "a" }]);
    const none = { sum: 0, minimum: null, maximum: null, mean: null };
    expect(rows.summary("whole")).toEqual({ count: 0, nulls: 1, ...none });
    expect(rows.summary("id", [["id", "exactly", 2]])).toEqual({ count: 0, nulls: 0, ...none });
  });

  test("of all records is made once; the kept result can't be changed", () => {
    const rows = createCollection(Row, many).prepare({ match: ["whole"] });
    const found = rows.summary("whole");
    expect(found).toEqual({ count: 3000, nulls: 0, sum: 6000, minimum: 0, maximum: 4, mean: 2 });
    expect(rows.summary("whole", null)).toBe(found);
    expect(Object.isFrozen(found)).toBe(true);
    expect(Object.isFrozen(rows.summary("whole", [["kind", "exactly", "a"]]))).toBe(true);
    expect(rows.update([["id", "exactly", 0]], { whole: 1 }).summary("whole").sum).toBe(6001);
  });

  test("builds the index that it lacks once reading values has cost as much", () => {
    const rows = createCollection(Row, many);
    rows.summary("whole");
    expect(rows.indexes()).toEqual([]);
    for (let i = 0; i < 20; i++) rows.summary("whole");
    expect(rows.indexes().map(({ field }) => field)).toEqual(["whole"]);
  });

  test("reads no record where there is an index", () => {
    const rows = reopened(
      createCollection(Row, many).prepare({ match: ["id", "whole"] }),
      reopenings[0],
    );
    const { rows: columns } = rows.state.snapshot.segments[0];
    columns.record = () => {
      throw new Error("a record is read");
    };
    expect(rows.summary("id", [["whole", "exactly", 3]]).count).toBe(600);
    expect(rows.summary("whole", [["id", "less_than", 10]]).sum).toBe(20);
  });

  test("refuses a field that does not hold numbers, and invalid criteria", () => {
    const rows = createCollection(Row, many);
    const reasons = ["kind", "nothing", 5].map((field) => {
      try {
        return rows.summary(untyped(field));
      } catch (error) {
        return error instanceof InputError ? error.message : error;
      }
    });
    expect(reasons).toEqual([
      'field: must be an int or float field, not "kind"',
      'field: unknown field "nothing"',
      "field: unknown field 5",
    ]);
    expect(() => rows.summary("id", untyped([["nothing", "exactly", 1]]))).toThrow(CriteriaError);
  });

  test("is there for the collections of a service", () => {
    const service = createService({ files: [aFile(1, { size: 3 }), aFile(2, { size: 4 })] });
    expect(service.files.summary("size")).toMatchObject({ count: 2, sum: 7, mean: 3.5 });
  });
});
