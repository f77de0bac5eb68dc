// summary, compared with adding up the records that the predicate accepts, as exact fractions.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ExactSquares } from "../../src/engine/algorithms/exact-squares.ts";
import { ExactSums, rangeOfFloats, unitsOf } from "../../src/engine/algorithms/exact-sum.ts";
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
  strings,
} from "../../src/index.ts";
import { criteria } from "../../src/testing/index.ts";
import { fractionOf, nearest, summaryOf } from "../../src/testing/reference-aggregates.ts";
import { reopened, reopenings } from "../arrow/reopened.ts";
import { settings } from "../property.ts";
import { aFile, untyped } from "../rules/fixtures.ts";
import { tuned } from "../tuned.ts";
import { wireSchema } from "../wire-schema.ts";
import { parts, wholes } from "./numbers.ts";

const fields = {
  id: int({ unique: true }),
  whole: int({ nullable: true }),
  part: float({ nullable: true }),
  same: int({ default: 7, stored: false }),
  kind: string(),
};
const Row = defineSchema(fields);
const WireRow = wireSchema(fields);
const names = ["id", "whole", "part", "same"] as const;

/** In either form. */
const numberOf = (value: unknown) => (value === null ? null : Number(value));

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
        const values = selected.map(({ [name]: value }) => ({
          values: new Map([[name, value === null ? null : String(value)]]),
        }));
        const expected = summaryOf(values, name, schema.fields[name].type);
        expect(collection.summary(name, untyped(asked))).toEqual(expected);
      }
    }),
    settings(25),
  );
});

test("an exact sum does not depend on the order, and is rounded once", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(parts, fc.constantFrom(1, 2, 3, 1000, 2 ** 32 - 1, 2 ** 40 + 1)), {
        minLength: 1,
      }),
      (terms) => {
        const sums = new ExactSums();
        sums.reserve(2);
        for (const [number, times] of terms) sums.add(0, number, times);
        for (const [number, times] of terms.toReversed()) sums.add(1, number, times);
        const exact = terms.reduce(
          (sum, [number, times]) => sum + fractionOf(number) * BigInt(times),
          0n,
        );
        for (const divisor of [1, 7]) {
          expect(sums.dividedBy(0, divisor)).toBe(nearest(exact, divisor));
          expect(sums.dividedBy(1, divisor)).toBe(nearest(exact, divisor));
        }
      },
    ),
    settings(300),
  );
});

test("sums of many numbers are exact, however many fit before one could be rounded, and with some taken out again", () => {
  const drawn = fc.record({
    // The number of bits between the unit and the highest: of 81, 8,192 numbers fit.
    bits: fc.constantFrom(60, 81, 83),
    exponent: fc.integer({ min: -100, max: 100 }),
    places: fc.constantFrom(1, 3, 200),
    batches: fc.constantFrom(2, 60),
    fractions: fc.array(fc.integer({ min: 2 ** 53 - 2 ** 40, max: 2 ** 53 - 1 }), {
      minLength: 1,
      maxLength: 20,
    }),
    // Of the first place, between batches.
    removed: fc.constantFrom(0, 300, 700),
  });
  fc.assert(
    fc.property(drawn, ({ bits, exponent, places, batches, fractions, removed }) => {
      const spread = bits - 53;
      const numbers = fractions.map(
        (fraction, i) => fraction * 2 ** (exponent + (i % 8 === 1 ? 0 : spread)),
      );
      const sizes = [...numbers, 2 ** (exponent + 52)];
      const range = rangeOfFloats(Math.min(...sizes), Math.max(...sizes));
      const sums = new ExactSums();
      sums.reserve(places);
      const exact = Array.from({ length: places }, () => 0n);
      const counts = Array.from({ length: places }, () => 0);
      const add = (place: number, number: number, times: number) => {
        exact[place] = (exact[place] ?? 0n) + unitsOf(number) * BigInt(times);
        counts[place] = (counts[place] ?? 0) + times;
      };
      const length = 1000;
      const [any = 0] = numbers;
      for (let batch = 0; batch < batches; batch++) {
        // In the first half of each batch, most are at the first place.
        const at = Int32Array.from({ length }, (_, i) => (i < length >> 1 ? 0 : i % places));
        const some = Float64Array.from(
          { length },
          (_, i) => numbers[(i + batch) % numbers.length] ?? 0,
        );
        sums.addEach(at, some, length, range);
        some.forEach((number, i) => {
          add(at[i] ?? 0, number, 1);
        });
        if (removed === 0) continue;
        sums.add(0, any, -removed);
        add(0, any, -removed);
      }
      expect(Array.from(exact, (_, place) => sums.units(place))).toEqual(exact);
      expect(Array.from(counts, (_, place) => sums.count(place))).toEqual(counts);
    }),
    settings(60),
  );
});

test("sums of squares are exact, whatever the range of the numbers", () => {
  const drawn = fc.record({
    // Of 53 bits, or of a few.
    fractions: fc.array(
      fc.tuple(
        fc.oneof(
          fc.integer({ min: 1, max: 2 ** 53 - 1 }),
          fc.constantFrom(1, 2 ** 52, 2 ** 53 - 1),
        ),
        fc.integer({ min: 0, max: 30 }),
        fc.boolean(),
      ),
      { minLength: 1, maxLength: 40 },
    ),
    exponent: fc.oneof(fc.integer({ min: -80, max: 10 }), fc.integer({ min: -1070, max: 930 })),
    spread: fc.integer({ min: 0, max: 30 }),
    repeated: fc.integer({ min: 1, max: 300 }),
    isWhole: fc.boolean(),
  });
  fc.assert(
    fc.property(drawn, ({ fractions, exponent, spread, repeated, isWhole }) => {
      const numbers = fractions.map(([fraction, more, isNegative]) => {
        const number = isWhole
          ? fraction % 2 ** 20
          : fraction * 2 ** (exponent + (more % (spread + 1)));
        return isNegative ? -number : number;
      });
      const sizes = numbers.map(Math.abs).filter((size) => size > 0);
      const range = isWhole
        ? { most: Math.max(...sizes, 0), unit: 1 }
        : rangeOfFloats(Math.min(...sizes), Math.max(...sizes));
      const many = Array.from({ length: repeated }, () => numbers).flat();
      const [one, other] = [new ExactSquares(), new ExactSquares()];
      one.reserve(2);
      other.reserve(1);
      // So that most of what fits without rounding is pending.
      const places = Int32Array.from(many, (_, i) => i & 1);
      for (let i = 0; i < 8; i++) {
        one.addEach(places, Float64Array.from(many), many.length, range);
      }
      other.addSum(0, one, 0);
      other.addSum(0, one, 1);
      const exact = numbers.reduce((sum, number) => sum + unitsOf(Math.abs(number)) ** 2n, 0n);
      expect(other.units(0)).toBe(exact * BigInt(8 * repeated));
    }),
    settings(300),
  );
});

test("sums are exact in whatever way numbers are added, taken away and moved", () => {
  const number = fc.constantFrom(0, 1, 2, -3, 0.1, -0.5, 1e300, -1e300, 2 ** 53, Number.MIN_VALUE);
  const step = fc.record({
    kind: fc.constantFrom("add", "each", "move"),
    numbers: fc.array(number, { minLength: 1, maxLength: 4 }),
    times: fc.constantFrom(1, -1, 3),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const sums = new ExactSums();
      let exact = 0n;
      for (const { kind, numbers, times } of steps) {
        const sizes = numbers.map(Math.abs).filter((size) => size > 0);
        const range = rangeOfFloats(Math.min(...sizes), Math.max(...sizes));
        const places = new Int32Array(numbers.length);
        if (kind === "each")
          sums.addEach(places, Float64Array.from(numbers), numbers.length, range);
        if (kind === "add") for (const each of numbers) sums.add(0, each, times);
        if (kind === "move") {
          const others = new ExactSums();
          for (const each of numbers) others.add(0, each);
          sums.addSum(0, others, 0);
        }
        const factor = kind === "add" ? BigInt(times) : 1n;
        for (const each of numbers) exact += unitsOf(each) * factor;
      }
      expect(sums.units(0)).toBe(exact);
    }),
    settings(1000),
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
    const none = {
      ...{ distinct: 0, sum: 0, minimum: null, maximum: null, mean: null },
      quantiles: [],
    };
    expect(rows.summary("whole")).toEqual({ count: 0, nulls: 1, ...none });
    expect(rows.summary("id", [["id", "exactly", 2]])).toEqual({ count: 0, nulls: 0, ...none });
  });

  test("of all records is made once; the kept result can't be changed", () => {
    const rows = createCollection(Row, many).prepare({ match: ["whole"] });
    const found = rows.summary("whole");
    expect(found).toEqual({
      ...{ count: 3000, nulls: 0, distinct: 5, sum: 6000, minimum: 0, maximum: 4, mean: 2 },
      quantiles: [],
    });
    expect(rows.summary("whole", null)).toBe(found);
    expect(Object.isFrozen(found)).toBe(true);
    expect(Object.isFrozen(rows.summary("whole", [["kind", "exactly", "a"]]))).toBe(true);
    expect(rows.update([["id", "exactly", 0]], { whole: 1 }).summary("whole").sum).toBe(6001);
  });

  test("builds the index that it lacks once reading values has cost as much", () => {
    const rows = createCollection(Row, many);
    const kinds = () => rows.indexes().map(({ kind }) => kind);
    rows.summary("whole");
    expect(kinds()).toEqual(["numbers"]);
    for (let i = 0; i < 20; i++) rows.summary("whole");
    expect(kinds()).toEqual(["ordered", "numbers"]);
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

  test("of a field that does not hold numbers has only counts", () => {
    const rows = createCollection(Row, many);
    expect(rows.summary("kind")).toEqual({ count: 3000, nulls: 0, distinct: 1 });
    expect(rows.summary("kind", [["id", "less_than", 0]])).toEqual({
      ...{ count: 0, nulls: 0, distinct: 0 },
    });
  });

  test("takes quantiles as the decimals that are written, and refuses what is none", () => {
    const rows = createCollection(
      Row,
      Array.from({ length: 100 }, (_, id) => ({ id, whole: id + 1, kind: "a" })),
    );
    const { quantiles } = rows.summary("whole", null, { quantiles: [0.07, 1, 0, 0.99, 0.991] });
    expect(quantiles).toEqual([7, 100, 1, 99, 100]);
    const most = Array.from({ length: 101 }, () => 0.5);
    const hostile = new Proxy([], {
      get: () => {
        throw new Error("no");
      },
    });
    const reasons = [[99], [NaN], ["0.5"], new Array(1), most, 0.5, new Set([0.5]), hostile].map(
      (given) => {
        try {
          return rows.summary("whole", null, untyped({ quantiles: given }));
        } catch (error) {
          return error instanceof InputError ? error.message : error;
        }
      },
    );
    expect(reasons).toEqual([
      "options.quantiles[0]: must be a number from 0 to 1, not 99",
      "options.quantiles[0]: must be a number from 0 to 1, not NaN",
      'options.quantiles[0]: must be a number from 0 to 1, not "0.5"',
      "options.quantiles[0]: must be a number from 0 to 1, not undefined",
      "options.quantiles: must have at most 100 elements, not 101",
      "options.quantiles: must be an array of numbers from 0 to 1, not 0.5",
      "options.quantiles: must be an array of numbers from 0 to 1, not an object",
      "options.quantiles: could not be read",
    ]);
    expect(() => rows.summary("kind", null, untyped({ quantiles: [0.5] }))).toThrow(
      "options.quantiles: must be omitted for a field of the type string",
    );
    expect(() => rows.summary("whole", null, untyped({ quantile: [0.5] }))).toThrow(
      'options: has no member "quantile"; use "quantiles"',
    );
  });

  test("refuses an unknown field, and invalid criteria", () => {
    const rows = createCollection(Row, many);
    const reasons = ["nothing", 5].map((field) => {
      try {
        return rows.summary(untyped(field));
      } catch (error) {
        return error instanceof InputError ? error.message : error;
      }
    });
    expect(reasons).toEqual(['field: unknown field "nothing"', "field: unknown field 5"]);
    expect(() => rows.summary("id", untyped([["nothing", "exactly", 1]]))).toThrow(CriteriaError);
  });

  test("is there for the collections of a service", () => {
    const service = createService({ files: [aFile(1, { size: 3 }), aFile(2, { size: 4 })] });
    expect(service.files.summary("size")).toMatchObject({ count: 2, sum: 7, mean: 3.5 });
  });
});

test("a strings field is summarized by element, as it is counted, after changes too", () => {
  const Labelled = defineSchema({ id: int({ unique: true }), labels: strings({ nullable: true }) });
  const lists = [["red", "blue"], ["blue", "red"], ["red", "red"], ["blue"], [], null];
  const first = createCollection(
    Labelled,
    lists.map((labels, id) => ({ id, labels })),
  ).prepare({ match: ["labels"] });
  const expectSummary = (of: typeof first, count: number, nulls: number, distinct: number) => {
    expect(of.summary("labels")).toEqual({ count, nulls, distinct });
    const counted = of.countBy("labels").filter(({ value }) => value !== null);
    expect(counted).toHaveLength(distinct);
  };
  expectSummary(first, 5, 1, 2);
  expectSummary(first.insert([{ id: 6, labels: ["", "green"] }]), 6, 1, 4);
  expectSummary(first.remove([["labels", "has", "red"]]), 2, 1, 1);
  expectSummary(first.update([["id", "exactly", 5]], { labels: [] }), 6, 0, 2);
});
