// The laws of sums by group, calendar bins and summaries, for collections and for services with tercet's collections.

import * as fc from "fast-check";
import type { CalendarStep } from "../../index.ts";
import { countedForm } from "../arbitraries/values.ts";
import { groupsOf, stepOf, summaryOf, type Listing, type Valued } from "../reference-aggregates.ts";
import { asNumber, counting, expectEqual, type Counting } from "./counting.ts";
import { several } from "./generate.ts";
import { defineLaw, type DefinedLaw } from "./law.ts";
import { membersOf, type Members } from "./members.ts";
import { isNumeric } from "./setting.ts";
import type { Table } from "./table.ts";

/** The records that criteria select. */
export async function rowsFound(
  table: Table,
  { criteria }: Pick<Counting, "criteria">,
): Promise<Valued[]> {
  const found = await table.run({ criteria });
  return found.map((each) => ({ values: new Map(Object.entries(table.valuesOf(each))) }));
}

/** Some members of a result, since an implementation may return additional ones. */
const membersIn = (result: unknown, names: readonly string[]): Members => {
  const members = membersOf(result, "the result");
  return Object.fromEntries(names.map((name) => [name, members[name]]));
};

const TOTALS = ["count", "sum", "minimum", "maximum", "mean"] as const;

/** Compares the result of `countBy` with the selected records. */
async function expectGroups(table: Table, counted: Counting, listing: Listing): Promise<void> {
  const { field, criteria } = counted;
  const described = table.schema.fields[field];
  if (described === undefined) throw new Error(`there is no field ${field}`);
  const names = ["value", ...(listing.summarize === undefined ? ["count"] : TOTALS)];
  const found = await table.count("countBy", [field, criteria, listing]);
  if (!Array.isArray(found)) throw new Error("countBy gives no array");
  const groups = groupsOf(await rowsFound(table, counted), field, described.type, listing);
  const expected = groups.map((group) => ({
    ...group,
    value: countedForm(table.schema, described, group.value),
  }));
  expectEqual(
    "values",
    found.map((each: unknown) => membersIn(each, names)),
    expected.map((each) => membersIn(each, names)),
  );
}

/** Compares a summary with the records that the criteria select. */
async function expectSummary(
  table: Table,
  counted: Counting,
  quantiles?: readonly number[],
): Promise<void> {
  const { field, criteria } = counted;
  const described = table.schema.fields[field];
  if (described === undefined) throw new Error(`there is no field ${field}`);
  const options = quantiles === undefined ? [] : [{ quantiles }];
  const found = await table.count("summary", [field, criteria, ...options]);
  const rows = await rowsFound(table, counted);
  const expected = summaryOf(rows, field, described.type, quantiles);
  expectEqual("the summary", membersIn(found, Object.keys(expected)), expected);
}

const DAY = 86_400;

const spans: Readonly<Record<CalendarStep, number>> = {
  ...{ day: DAY, week: 7 * DAY, month: 28 * DAY, quarter: 90 * DAY, year: 365 * DAY },
};
const steps = Object.keys(spans) as CalendarStep[];

export const totalsLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "countBy has the totals of a field that it summarizes, and orders the values by any of them",
    rules: ["P4"],
    needs: ["countBy", "a field of numbers"],
    generate: (setting) =>
      fc.record({
        counted: counting(setting),
        numbers: counting(setting, isNumeric),
        order: fc.constantFrom("value", ...TOTALS),
        ascending: fc.option(fc.boolean(), { nil: undefined }),
        limit: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
      }),
    holds: (table, { counted, numbers, ...listing }) =>
      expectGroups(table, counted, { ...listing, summarize: numbers.field }),
  }),
  defineLaw({
    name: "countBy with a prefix counts by so many first characters, of which none is cut in half",
    rules: ["V3"],
    needs: ["countBy", "a string field"],
    generate: (setting) =>
      fc.record({
        counted: counting(setting, ({ type }) => type === "string"),
        prefix: fc.integer({ min: 1, max: 4 }),
        order: fc.constantFrom("value", "count"),
      }),
    holds: (table, { counted, ...listing }) => expectGroups(table, counted, listing),
  }),
  defineLaw({
    name: "the bins of a histogram by the calendar have the records of each step in UTC",
    rules: ["V2"],
    needs: ["histogram", "an int field"],
    generate: (setting) =>
      fc.record({
        counted: counting(setting, ({ type }) => type === "int"),
        step: fc.constantFrom(...steps),
        pick: fc.nat(),
        length: fc.integer({ min: 0, max: 12 }),
      }),
    async holds(table, { counted, step, pick, length }) {
      const { field, criteria } = counted;
      const rows = await rowsFound(table, counted);
      const seconds = rows.flatMap(({ values }) => values.get(field) ?? []).map(Number);
      // At the ends of the calendar, complete steps may lie outside it.
      const dates = seconds.filter((each) => Math.abs(each) < 8e12);
      const from = dates[pick % dates.length] ?? 0;
      const to = from + length * spans[step];
      const asked = { step, unit: "seconds", from, to, criteria };
      const result = await table.count("histogram", [field, asked]);
      const { bins, below, above, nulls } = membersOf(result, "a histogram");
      if (!Array.isArray(bins)) throw new Error("a histogram has no bins");
      const labels: (string | undefined)[] = [];
      let [next, sum] = [undefined as number | undefined, 0];
      for (const each of bins) {
        const bin = membersOf(each, "a bin");
        const [low, high] = [asNumber(bin.from), asNumber(bin.to)];
        const label = stepOf(step, low * 1000);
        labels.push(label);
        expectEqual("where a bin begins", low, next ?? low);
        expectEqual("what is before a bin", stepOf(step, low * 1000 - 1) === label, false);
        const within = seconds.filter((second) => stepOf(step, second * 1000) === label);
        expectEqual(`from ${low} to ${high}`, bin.count, within.length);
        next = high + 1;
        sum += within.length;
      }
      const ends = [from, to].map((end) => stepOf(step, end * 1000));
      expectEqual("the first and the last bin", [labels[0], labels.at(-1)], ends);
      expectEqual("null", nulls, rows.length - seconds.length);
      expectEqual("together", sum + asNumber(below) + asNumber(above), seconds.length);
    },
  }),
  defineLaw({
    name: "a summary of numbers has the totals and quantiles of those that a query finds",
    rules: ["P3"],
    needs: ["summary", "a field of numbers"],
    generate: (setting) =>
      fc.record({
        counted: counting(setting, isNumeric),
        quantiles: several(
          fc.oneof(
            fc.constantFrom(0, 0.07, 0.5, 0.99, 1),
            fc.double({ min: 0, max: 1, noNaN: true }),
          ),
        ),
      }),
    holds: (table, { counted, quantiles }) => expectSummary(table, counted, quantiles),
  }),
  defineLaw({
    name: "a summary counts the records that have a value, and the distinct values",
    rules: ["P4"],
    needs: ["summary"],
    generate: (setting) => fc.record({ counted: counting(setting) }),
    holds: (table, { counted }) => expectSummary(table, counted),
  }),
];
