// Queries of groups for any schema: keys of every kind, every measure, restricted, sorted and paged.

import fc from "fast-check";
import type { Field, Schema } from "../../src/index.ts";

const STEPS = ["minute", "hour", "day", "week", "month", "quarter", "year", "weekday", "hourOfDay"];
/** In São Paulo, clocks were set back past midnight; local times were once off by seconds. */
const ZONES = ["UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kathmandu"];
const EDGES = [-Number.MAX_VALUE, -1e6, -1, -0.5, 0, 0.5, 1, 3, 1024, 1e12, 2 ** 53, 1e300];

function keyOf(name: string, { type }: Field, isTime: boolean): fc.Arbitrary<object> {
  const field = fc.constant(name);
  const keys: fc.Arbitrary<object>[] = [fc.record({ field })];
  if (type === "string") keys.push(fc.record({ field, prefix: fc.integer({ min: 1, max: 3 }) }));
  if (type === "int" || type === "float") {
    const unit = fc.constantFrom("seconds", "milliseconds");
    const step = fc.constantFrom(...STEPS);
    if (isTime) keys.push(fc.record({ field, step, unit, zone: fc.constantFrom(...ZONES) }));
    keys.push(
      fc.record({
        field,
        width: fc.constantFrom(0.1, 0.5, 1, 7, 1e9),
        origin: fc.constantFrom(0, 0.25, -3),
      }),
      fc.record({ field, edges: fc.subarray(EDGES, { minLength: 1 }) }),
    );
  }
  return fc.oneof(...keys);
}

function measureOf(name: string, { type }: Field): fc.Arbitrary<unknown> {
  const isNumber = type === "int" || type === "float";
  const shares = fc.constantFrom(0, 0.07, 0.5, 0.99, 1);
  const aggregates = [
    ...["count", "distinct"],
    ...(type === "strings" ? [] : ["minimum", "maximum"]),
    ...(isNumber ? ["sum", "mean", "variance", "deviation"] : []),
  ];
  const measures = fc.constantFrom(...aggregates).map((each) => [each, name]);
  return isNumber
    ? fc.oneof(
        measures,
        shares.map((share) => ["quantile", name, share]),
      )
    : measures;
}

/**
 * Queries without criteria.
 *
 * @param times fields of numbers that are in the calendar
 */
export function groupQuery(
  { fields }: Schema,
  times: readonly string[] = Object.keys(fields),
): fc.Arbitrary<object> {
  const all = Object.entries(fields).filter(([, { type }]) => type !== "json");
  const numbers = all.flatMap(([name, { type }]) =>
    type === "int" || type === "float" ? [name] : [],
  );
  const some = fc.constantFrom(...all);
  const isArray = ([name]: [string, object]) => fields[name]?.type === "strings";
  const keys = fc
    .array(
      some.chain(([name, field]) =>
        fc.tuple(fc.constant(name), keyOf(name, field, times.includes(name))),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .filter((given) => given.filter(isArray).length < 2);
  const measure = fc.oneof(
    fc.constant("count"),
    some.chain(([name, field]) => measureOf(name, field)),
  );
  return fc
    .record({
      keys,
      measures: fc.array(measure, { maxLength: 4 }),
      summarize: fc.subarray(numbers),
      least: fc.option(fc.nat({ max: 3 })),
      sort: fc.array(fc.tuple(fc.nat(), fc.constantFrom("ASC", "DESC")), { maxLength: 2 }),
      limit: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
      offset: fc.nat({ max: 2 }),
    })
    .map(({ keys, measures, summarize, least, sort, limit, offset }) => {
      const by = keys.map(([, key], i) => ({ ...key, as: `key ${i}` }));
      const found = Object.fromEntries(measures.map((each, i) => [`found ${i}`, each]));
      const names = [...by.map((key) => key.as), ...Object.keys(found), "records"];
      const sorted = new Map(sort.map(([place, order]) => [names[place % names.length], order]));
      return {
        by,
        measures: { ...found, records: "count" },
        summarize: summarize.filter((name) => !names.includes(name)),
        having: least === null ? undefined : [["records", "at_least", least]],
        sort: [...sorted],
        limit,
        offset,
      };
    });
}
