// The laws of groupBy, for collections and for services with tercet's collections.

import * as fc from "fast-check";
import type { Field } from "../../index.ts";
import { countableNames, sortableNames } from "../arbitraries/query.ts";
import {
  groupsAsked,
  type AskedGroups,
  type AskedKey,
  type AskedMeasure,
} from "../reference-groups.ts";
import { counting, expectEqual } from "./counting.ts";
import { several } from "./generate.ts";
import { defineLaw, type DefinedLaw } from "./law.ts";
import { membersOf } from "./members.ts";
import { isNumeric, poolOf, type Setting } from "./setting.ts";
import type { Table } from "./table.ts";
import { rowsFound } from "./totals.ts";

const STEPS = ["minute", "hour", "day", "week", "month", "quarter", "year", "weekday", "hourOfDay"];

/** Ranges with whose numbers no quotient is rounded. */
const WIDTHS = [1, 2, 1024];

const EDGES = [-1e6, -1, 0, 0.5, 1, 1024, 1e12];

/** A key of a field: its value, or a part of it. */
function keyOf(name: string, { type }: Field): fc.Arbitrary<AskedKey> {
  const field = fc.constant(name);
  const keys: fc.Arbitrary<AskedKey>[] = [fc.record({ field })];
  if (type === "string") keys.push(fc.record({ field, prefix: fc.integer({ min: 1, max: 3 }) }));
  if (type === "int") {
    const unit = fc.constantFrom("seconds", "milliseconds");
    keys.push(fc.record({ field, step: fc.constantFrom(...STEPS), unit }));
  }
  if (type === "int" || type === "float") {
    const edges = fc.subarray(EDGES, { minLength: 1 });
    keys.push(fc.record({ field, width: fc.constantFrom(...WIDTHS) }), fc.record({ field, edges }));
  }
  return fc.oneof(...keys);
}

const shares = fc.oneof(
  fc.constantFrom(0, 0.07, 0.5, 1),
  fc.double({ min: 0, max: 1, noNaN: true }),
);

/** A measure, if the schema has a field for it. */
function measures(setting: Setting): fc.Arbitrary<AskedMeasure> {
  const { schema } = poolOf(setting);
  const names = countableNames(schema);
  const ordered = sortableNames(schema);
  const numeric = Object.entries(schema.fields).flatMap(([name, field]) =>
    isNumeric(field) ? [name] : [],
  );
  const of = (of: readonly string[], ...aggregates: string[]) =>
    of.length === 0 ? [] : [fc.tuple(fc.constantFrom(...aggregates), fc.constantFrom(...of))];
  const quantiles =
    numeric.length === 0
      ? []
      : [fc.tuple(fc.constant("quantile"), fc.constantFrom(...numeric), shares)];
  return fc.oneof(
    fc.constant("count"),
    ...of(names, "count", "distinct"),
    ...of(ordered, "minimum", "maximum"),
    ...of(numeric, "sum", "mean", "variance", "deviation"),
    ...quantiles,
  );
}

interface Generated {
  readonly criteria: readonly unknown[] | null;
  readonly keys: readonly AskedKey[];
  readonly found: readonly AskedMeasure[];
  readonly least: number | null;
  readonly sort: readonly (readonly [place: number, order: string])[];
  readonly limit: number | null;
  readonly offset: number;
}

function grouping(setting: Setting): fc.Arbitrary<Generated> {
  const { schema } = poolOf(setting);
  const names = countableNames(schema);
  const fields = Object.entries(schema.fields).filter(([name]) => names.includes(name));
  const key = fc.constantFrom(...fields).chain(([name, field]) => keyOf(name, field));
  return counting(setting).chain(({ criteria }) =>
    fc.record({
      criteria: fc.constant(criteria),
      keys: several(key, 3),
      found: several(measures(setting), 3),
      least: fc.option(fc.nat({ max: 2 })),
      sort: fc.array(fc.tuple(fc.nat(), fc.constantFrom("ASC", "DESC")), { maxLength: 2 }),
      limit: fc.option(fc.nat({ max: 4 })),
      offset: fc.nat({ max: 2 }),
    }),
  );
}

/** The query, which has names of its own for keys and measures. */
async function askedOf(table: Table, { keys, found, ...others }: Generated): Promise<AskedGroups> {
  const { fields } = table.schema;
  const rows = await rowsFound(table, others);
  const isArray = ({ field }: AskedKey) => fields[field]?.type === "strings";
  const first = keys.findIndex(isArray);
  const by = keys
    // Only one key may be a strings field.
    .filter((key, i) => !isArray(key) || i === first)
    .map((key, i) => {
      const isInCalendar = rows.every(
        ({ values }) => Math.abs(Number(values.get(key.field) ?? 0)) < 8e12,
      );
      const isAsIs = key.step === undefined || isInCalendar;
      return { ...(isAsIs ? key : { field: key.field }), as: `key ${i}` };
    });
  const named = found.map((measure, i) => [`found ${i}`, measure] as const);
  const names = [...by.map((key) => key.as), ...named.map(([name]) => name)];
  const sort = others.sort.map(([place, order]) => [names[place % names.length] ?? "", order]);
  return {
    by,
    measures: { ...Object.fromEntries(named), records: "count" },
    having: others.least === null ? null : [["records", "at_least", others.least]],
    sort: [...new Map(sort as [string, string][])],
    limit: others.limit ?? undefined,
    offset: others.offset,
  };
}

/** The groups of a result, without its order of members. */
function groupsIn(result: unknown, names: readonly string[]): unknown[] {
  if (!Array.isArray(result)) throw new Error("groupBy gives no array");
  return result.map((each: unknown) => {
    const members = membersOf(each, "a group");
    return names.map((name) => [name, members[name]]);
  });
}

const TOTALS = ["sum", "minimum", "maximum", "mean"] as const;

export const groupByLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "groupBy has the groups of the records that a query finds, and of these what was asked for",
    rules: ["P3"],
    ownRules: ["G1", "G2", "G3"],
    needs: ["groupBy"],
    generate: grouping,
    async holds(table, generated) {
      const asked = await askedOf(table, generated);
      const expected = groupsAsked(table.schema, await rowsFound(table, generated), asked);
      const { criteria } = generated;
      const found = await table.count("groupBy", [{ ...asked, criteria }]);
      const names = [
        ...generated.keys.map((_, i) => `key ${i}`),
        ...Object.keys(asked.measures ?? {}),
      ];
      expectEqual("groups", groupsIn(found, names), groupsIn(expected, names));
    },
  }),
  defineLaw({
    name: "countBy and summary find what groupBy finds",
    rules: ["P3"],
    ownRules: ["G3"],
    needs: ["groupBy", "countBy", "summary", "a field of numbers"],
    generate: (setting) =>
      fc.record({
        counted: counting(setting),
        numbers: counting(setting, isNumeric),
        share: shares,
      }),
    async holds(table, { counted, numbers: { field: summarized }, share }) {
      const { field, criteria } = counted;
      const measures = {
        count: "count",
        ...Object.fromEntries(TOTALS.map((name) => [name, [name, summarized]])),
      };
      const names = ["value", ...Object.keys(measures)];
      const by = { field, as: "value" };
      const groups = await table.count("groupBy", [{ by, measures, criteria }]);
      const counts = await table.count("countBy", [field, criteria, { summarize: summarized }]);
      expectEqual("countBy", groupsIn(counts, names), groupsIn(groups, names));

      // All numbers are in one range.
      const every = {
        by: { field: summarized, edges: [-Number.MAX_VALUE], as: "range" },
        measures: {
          ...Object.fromEntries(
            ["count", "distinct", ...TOTALS].map((name) => [name, [name, summarized]]),
          ),
          quantile: ["quantile", summarized, share],
        },
        criteria,
      };
      const ranges = await table.count("groupBy", [every]);
      if (!Array.isArray(ranges)) throw new Error("groupBy gives no array");
      const range: unknown = ranges.find((each) => membersOf(each, "a group").range !== null);
      if (range === undefined) return;
      const whole = await table.count("summary", [summarized, criteria, { quantiles: [share] }]);
      const summary = membersOf(whole, "the summary");
      const quantiles: unknown = summary.quantiles;
      const quantile: unknown = Array.isArray(quantiles) ? quantiles[0] : undefined;
      const totals = Object.keys(every.measures);
      expectEqual(
        "summary",
        groupsIn([{ ...summary, quantile }], totals),
        groupsIn([range], totals),
      );
    },
  }),
  defineLaw({
    name: "a histogram counts what groupBy counts between its edges",
    rules: ["P3"],
    ownRules: ["G3"],
    needs: ["groupBy", "histogram", "an int field"],
    generate: (setting) =>
      fc.record({
        counted: counting(setting, ({ type }) => type === "int"),
        bins: fc.integer({ min: 1, max: 8 }),
      }),
    async holds(table, { counted: { field, criteria }, bins: most }) {
      const result = await table.count("histogram", [field, { bins: most, criteria }]);
      const { bins } = membersOf(result, "a histogram");
      if (!Array.isArray(bins)) throw new Error("a histogram has no bins");
      const all = bins.map((each: unknown) => membersOf(each, "a bin"));
      if (all.length === 0) return;
      const edges = all.map(({ from }) => from);
      const by = { field, edges, as: "from" };
      const groups = await table.count("groupBy", [{ by, criteria }]);
      if (!Array.isArray(groups)) throw new Error("groupBy gives no array");
      const ofNumbers: unknown = groups.filter((each) => membersOf(each, "a group").from !== null);
      const filled = all.filter(({ count }) => count !== 0);
      const names = ["from", "count"];
      expectEqual("bins", groupsIn(ofNumbers, names), groupsIn(filled, names));
    },
  }),
];
