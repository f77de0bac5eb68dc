// The laws of counting, for services with tercet's collections: `files`, and the `contacts` of `batches`, with
// `countBy` and `histogram`.

import * as fc from "fast-check";
import type { Field, FieldValue, TextValue } from "../../index.ts";
import { countableNames } from "../arbitraries/query.ts";
import { countedForm } from "../arbitraries/values.ts";
import { compareTextForms, countedOf } from "../reference-page.ts";
import { expect } from "./compare.ts";
import { anyCriteria } from "./generate.ts";
import { defineLaw, type DefinedLaw } from "./law.ts";
import { membersOf } from "./members.ts";
import { poolOf, type Setting } from "./setting.ts";
import type { Table } from "./table.ts";

export interface Counting {
  readonly field: string;
  readonly criteria: readonly unknown[] | null;
}

/** A field to count, and criteria. */
export const counting = (
  setting: Setting,
  is: (field: Field) => boolean = () => true,
): fc.Arbitrary<Counting> => {
  const { schema } = poolOf(setting);
  const names = countableNames(schema).filter((name) => {
    const field = schema.fields[name];
    return field !== undefined && is(field);
  });
  return fc.record({
    field: fc.constantFrom(...names),
    criteria: fc.oneof(fc.constant(null), anyCriteria(setting)),
  });
};

interface Counted {
  readonly value: FieldValue;
  readonly count: number;
}

/** Counts the records of a query: each value of a field in order, and how many records have it. */
async function countsFound(table: Table, { field, criteria }: Counting): Promise<Counted[]> {
  const counts = new Map<TextValue, number>();
  const described = table.schema.fields[field];
  if (described === undefined) throw new Error(`there is no field ${field}`);
  for (const found of await table.run({ criteria })) {
    for (const value of countedOf(table.valuesOf(found)[field] ?? null, described.type)) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return Array.from(counts)
    .sort(([a], [b]) => compareTextForms(a, b, described.type))
    .map(([value, count]) => ({ value: countedForm(table.schema, described, value), count }));
}

export function expectEqual(what: string, found: unknown, expected: unknown): void {
  const [a, b] = [fc.stringify(found), fc.stringify(expected)];
  expect(a === b, () => `${what}: expected ${b}, found ${a}`);
}

/** Only the values and counts, since an implementation may return additional members. */
function countsIn(result: unknown): { value: unknown; count: unknown }[] {
  if (!Array.isArray(result)) throw new Error("countBy gives no array");
  return result.map((each: unknown) => {
    const { value, count } = membersOf(each, "what countBy gives");
    return { value, count };
  });
}

export const asNumber = (value: unknown): number => {
  if (typeof value !== "number") throw new Error(`${fc.stringify(value)} is not a number`);
  return value;
};

export const countingLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "count is how many records a query finds",
    rules: ["C2"],
    needs: ["count"],
    generate: (setting) =>
      fc.record({ criteria: fc.oneof(fc.constant(null), anyCriteria(setting)) }),
    async holds(table, { criteria }) {
      const { length } = await table.run({ criteria });
      expectEqual("count", await table.count("count", [criteria]), length);
    },
  }),
  defineLaw({
    name: "countBy has the values of the records that a query finds, in order, and how many have each",
    rules: ["P3", "P4"],
    ownRules: ["V10", "V11"],
    needs: ["countBy"],
    generate: (setting) => counting(setting),
    async holds(table, generated) {
      const { field, criteria } = generated;
      const counts = countsIn(await table.count("countBy", [field, criteria]));
      expectEqual("values", counts, await countsFound(table, generated));
    },
  }),
  defineLaw({
    name: "each count is that of exactly, and together they are that of the criteria",
    rules: ["C4"],
    needs: ["countBy", "count"],
    generate: (setting) => counting(setting),
    async holds(table, { field, criteria }) {
      const isSearchable = table.schema.fields[field]?.searchable === true;
      const isByElement = table.schema.fields[field]?.type === "strings";
      const counts = countsIn(await table.count("countBy", [field, criteria]));
      let sum = 0;
      for (const { value, count } of counts) {
        sum += asNumber(count);
        if (!isSearchable) continue;
        const beside = [field, isByElement && value !== null ? "has" : "exactly", value];
        // AND has precedence, so it is added to each group.
        const both = (criteria ?? []).flatMap((each) => (each === "OR" ? [beside, each] : [each]));
        const found = await table.count("count", [[...both, beside]]);
        expectEqual(`exactly ${fc.stringify(value)}`, count, found);
      }
      // A record has any number of elements.
      if (isByElement) return;
      expectEqual("together", sum, await table.count("count", [criteria]));
    },
  }),
  defineLaw({
    name: "countBy by count has the most frequent first, ties in order, and no more than its limit",
    rules: ["P4"],
    needs: ["countBy"],
    generate: (setting) =>
      fc.record({ counted: counting(setting), limit: fc.option(fc.nat({ max: 4 })) }),
    async holds(table, { counted, limit }) {
      const { field, criteria } = counted;
      const all = await countsFound(table, counted);
      const most = limit ?? undefined;
      for (const [order, expected] of [
        ["count", all.toSorted((a, b) => b.count - a.count)],
        ["value", all],
      ] as const) {
        const options = { order, limit: most };
        const found = countsIn(await table.count("countBy", [field, criteria, options]));
        expectEqual(`by ${order}`, found, expected.slice(0, most));
      }
    },
  }),
  defineLaw({
    name: "the bins of a histogram follow each other, and each record found is counted once",
    rules: ["V2"],
    needs: ["histogram", "count", "an int field"],
    generate: (setting) =>
      fc.record({
        counted: counting(setting, ({ type }) => type === "int"),
        bins: fc.integer({ min: 1, max: 8 }),
        range: fc.option(fc.tuple(fc.integer(), fc.nat())),
      }),
    async holds(table, { counted, bins: most, range }) {
      const { field, criteria } = counted;
      const [from, length = 0] = range ?? [];
      const to = from === undefined ? undefined : from + length;
      const result = await table.count("histogram", [field, { bins: most, criteria, from, to }]);
      const { bins, below, above, nulls } = membersOf(result, "a histogram");
      if (!Array.isArray(bins)) throw new Error("a histogram has no bins");
      expect(bins.length <= most, () => `${bins.length} bins`);
      const all = await countsFound(table, counted);
      const within = (low: number, high: number) =>
        all.reduce((sum, { value, count }) => {
          const isIn = value !== null && Number(value) >= low && Number(value) <= high;
          return sum + (isIn ? count : 0);
        }, 0);
      const known = { sum: 0, next: undefined as number | undefined };
      for (const each of bins) {
        const bin = membersOf(each, "a bin");
        const [low, high] = [asNumber(bin.from), asNumber(bin.to)];
        expectEqual("where a bin begins", low, known.next ?? from ?? low);
        expectEqual(`from ${low} to ${high}`, bin.count, within(low, high));
        known.next = high + 1;
        known.sum += asNumber(bin.count);
      }
      if (to !== undefined) expectEqual("where the last bin ends", (known.next ?? 0) - 1, to);
      const outside = [below, above, nulls].map(asNumber);
      const sum = outside.reduce((sum, count) => sum + count, known.sum);
      expectEqual("together", sum, await table.count("count", [criteria]));
      expectEqual("null", nulls, all.find(({ value }) => value === null)?.count ?? 0);
    },
  }),
];
