// The correlation of two columns of numbers: DuckDB's of the same pairs, and that of exact integers where DuckDB has
// lost its digits.

import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { createCollection, defineSchema, float, type Collection } from "../../src/index.ts";
import { Columns } from "../../src/playground/engine/columns.ts";
import { scatterOf } from "../../src/playground/engine/scatter.ts";
import type { CriteriaList } from "../../src/playground/messages.ts";
import { settings } from "../property.ts";

const schema = defineSchema({ x: float({ nullable: true }), y: float({ nullable: true }) });
type Pair = readonly [x: number | null, y: number | null];

const columns = new Columns();
const correlation = (pairs: readonly Pair[], criteria: CriteriaList = []) => {
  const collection: Collection = createCollection(
    schema,
    pairs.map(([x, y]) => ({ x, y })),
  );
  const [x, y] = [
    { field: "x", isLog: false },
    { field: "y", isLog: false },
  ] as const;
  return scatterOf((...asked) => columns.get(collection, ...asked), criteria, x, y).correlation;
};

let duckdb: Awaited<ReturnType<DuckDBInstance["connect"]>>;
beforeAll(async () => {
  duckdb = await (await DuckDBInstance.create(":memory:")).connect();
});

const RANK = (by: string) =>
  `avg(position) OVER (PARTITION BY ${by}) FROM (SELECT *, row_number() OVER (ORDER BY ${by}) AS position FROM t)`;

async function byDuckdb(pairs: readonly Pair[]) {
  const rows = pairs.map(([x, y], i) => `(${i}, ${x}::DOUBLE, ${y}::DOUBLE)`).join();
  const reader = await duckdb.runAndReadAll(`
    WITH t AS (SELECT * FROM (VALUES ${rows}) v(i, x, y) WHERE x IS NOT NULL AND y IS NOT NULL),
      xs AS (SELECT i, ${RANK("x").replace(" FROM", " AS r FROM")}),
      ys AS (SELECT i, ${RANK("y").replace(" FROM", " AS r FROM")})
    SELECT corr(x, y), corr(xs.r, ys.r), count(*) FROM t JOIN xs USING (i) JOIN ys USING (i)`);
  return reader.getRows()[0]?.map(Number) ?? [];
}

const few = fc.constantFrom(null, -1, 0, -0, 0.1, 0.2, 0.3, 1, 7, 1e6);
const any = fc.double({ min: -1e6, max: 1e6, noNaN: true });
const number = fc.oneof(
  few,
  any.map((each) => Math.round(each * 1000) / 1000),
);

test("is that of DuckDB, of values and of ranks", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(number, number), { minLength: 1, maxLength: 30 }),
      async (all) => {
        const { pairs, pearson, spearman } = correlation(all);
        const [r = NaN, rho = NaN, count] = await byDuckdb(all);
        expect(pairs).toBe(count);
        const both = all.filter(([x, y]) => x !== null && y !== null);
        const isConstant = [0, 1].some(
          (i) => new Set(both.map((pair) => (pair[i] ?? 0) + 0)).size < 2,
        );
        if (isConstant) expect([pearson, spearman]).toEqual([null, null]);
        else {
          expect(Math.abs((pearson ?? NaN) - r)).toBeLessThan(1e-9);
          expect(Math.abs((spearman ?? NaN) - rho)).toBeLessThan(1e-9);
        }
      },
    ),
    settings(100),
  );
});

test("keeps its digits where all numbers are large, large or small, and far apart", () => {
  const exact = (pairs: readonly (readonly [bigint, bigint])[]) => {
    const n = BigInt(pairs.length);
    const sum = (of: (pair: readonly [bigint, bigint]) => bigint) =>
      pairs.reduce((all, pair) => all + of(pair), 0n);
    const [x, y] = [sum(([x]) => x), sum(([, y]) => y)];
    const product = n * sum(([x, y]) => x * y) - x * y;
    const [xx, yy] = [n * sum(([x]) => x * x) - x * x, n * sum(([, y]) => y * y) - y * y];
    return Number(product) / Math.sqrt(Number(xx)) / Math.sqrt(Number(yy));
  };
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 1000 })), {
        minLength: 2,
        maxLength: 50,
      }),
      fc.constantFrom(0, 1e9, 2 ** 52, -(2 ** 52)),
      fc.constantFrom(1, 2 ** 900, 2 ** -900, 2 ** -1060),
      (all, shift, scale) => {
        const scaled =
          Math.abs(shift * scale) < 1e300 && (shift === 0 || scale > 1e-300) ? scale : 1;
        const given = all.map(([x, y]) => [(x + shift) * scaled, y] as const);
        const expected = exact(all.map(([x, y]) => [BigInt(x), BigInt(y)] as const));
        const { pearson } = correlation(given);
        if (Number.isNaN(expected) || !Number.isFinite(expected)) expect(pearson).toBeNull();
        else expect(Math.abs((pearson ?? NaN) - expected)).toBeLessThan(1e-9);
      },
    ),
    settings(300),
  );
});

test("is of the records that are selected", () => {
  const pairs = [
    [1, 1],
    [2, 2],
    [3, 9],
    [4, 0],
    [null, 5],
  ] as const;
  expect(correlation(pairs, [["x", "less_than", 3]])).toEqual({
    pairs: 2,
    pearson: 1,
    spearman: 1,
  });
  expect(correlation(pairs, [["x", "exactly", null]])).toEqual({
    pairs: 0,
    pearson: null,
    spearman: null,
  });
});
