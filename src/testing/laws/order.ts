// The laws of order and pages (rules P1 to P7).

import * as fc from "fast-check";
import { sortPairs } from "../arbitraries/query.ts";
import { AROUND_SURROGATES, text } from "../arbitraries/values.ts";
import { compareTextForms } from "../reference-page.ts";
import { expect, expectNeighbours, expectSame, inBoth } from "./compare.ts";
import type { Found, FoundList } from "./compare.ts";
import { anyCriteria, anyQuery, anySortBy } from "./generate.ts";
import { defineLaw, type DefinedLaw } from "./law.ts";
import { poolOf, type Setting } from "./setting.ts";
import type { Table } from "./table.ts";

/** A query with one sort field or, for a collection, several. */
export const sorted = (setting: Setting): fc.Arbitrary<Sorted> => {
  // Criteria leave few records, whose order can hardly be wrong.
  const criteria = fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: anyCriteria(setting) },
  );
  const sortBy = anySortBy(setting);
  const byOne = fc.record({ criteria, sortBy, sortOrder: fc.constantFrom("ASC", "DESC") });
  if (setting.operation !== "query") return byOne;
  return fc.oneof(byOne, fc.record({ criteria, sort: sortPairs(setting.schema) }));
};

/** Order depends on the field, so a case has several. */
const severalSorted = (setting: Setting): fc.Arbitrary<Sorted[]> =>
  fc.array(sorted(setting), { minLength: 1, maxLength: 12, size: "max" });

/** A number of records, up to one more than there are. */
const withinOf = (setting: Setting): fc.Arbitrary<number> =>
  fc.nat({ max: poolOf(setting).records.length + 1 });

type Order = "ASC" | "DESC";

/** By one field or, for a collection, by several. */
export type Sorted = { readonly criteria: readonly unknown[] | null } & (
  | { readonly sortBy: string; readonly sortOrder: Order }
  | { readonly sort: readonly (readonly [field: string, order: Order])[] }
);

/** Ordered by List, and within a List in the given order. */
const byList = (table: Table, found: FoundList): FoundList =>
  listsOf(table).flatMap((id) => found.filter(({ list }) => list === id));

const listsOf = (table: Table): string[] => [...new Set(table.all.map(({ list }) => list))];

/** Compares two records in the requested order: negative if the first comes first. */
function inOrder(table: Table, query: Sorted): (a: Found, b: Found) => number {
  const pairs = "sort" in query ? query.sort : [[query.sortBy, query.sortOrder] as const];
  const comparisons = pairs.map(([field, order]) => {
    const type = table.schema.fields[field]?.type ?? "string";
    const sign = order === "ASC" ? 1 : -1;
    const keyOf = (found: Found) => table.valuesOf(found)[field] ?? null;
    return (a: Found, b: Found) => sign * compareTextForms(keyOf(a), keyOf(b), type);
  });
  return (a, b) => {
    for (const compare of comparisons) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
}

export const orderLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "sorting permutes",
    rules: ["P1", "P3"],
    needs: ["a field to sort by"],
    generate: severalSorted,
    async holds(table, queries) {
      const byKey = (found: FoundList) => found.toSorted((a, b) => (a.key < b.key ? -1 : 1));
      for (const query of queries) {
        const { criteria } = query;
        expectSame("sorted", byKey(await table.run(query)), byKey(await table.run({ criteria })));
      }
    },
  }),
  defineLaw({
    name: "sorting orders: null first, numbers by number, text by code point",
    rules: ["V4", "P3", "P4"],
    ownRules: ["V10", "V11", "P9"],
    needs: ["a field to sort by"],
    texts: fc.oneof(text(), fc.constantFrom(...AROUND_SURROGATES)),
    generate: severalSorted,
    async holds(table, queries) {
      for (const query of queries) {
        const order = inOrder(table, query);
        expectNeighbours("out of order", await table.run(query), (a, b) => order(a, b) <= 0);
      }
    },
  }),
  defineLaw({
    name: "ties keep insertion order in both directions",
    rules: ["P4"],
    ownRules: ["P9"],
    needs: ["a field to sort by"],
    generate: severalSorted,
    async holds(table, queries) {
      const position = new Map(table.all.map(({ key }, i) => [key, i]));
      const placeOf = ({ key }: Found) => position.get(key) ?? -1;
      for (const query of queries) {
        const order = inOrder(table, query);
        expectNeighbours(
          "equal, and turned round",
          await table.run(query),
          (a, b) => order(a, b) !== 0 || placeOf(a) < placeOf(b),
        );
      }
    },
  }),
  defineLaw({
    name: "without sort_by there is insertion order, whatever sort_order is",
    rules: ["P2", "P5"],
    generate: (setting) =>
      fc.record({
        criteria: fc.oneof(fc.constant(null), anyCriteria(setting)),
        sortBy: fc.constantFrom(undefined, null, ""),
        sortOrder: fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom("DESC", "ASC") },
          { weight: 1, arbitrary: fc.constantFrom(undefined, null, "") },
        ),
      }),
    async holds(table, query) {
      const selected = await table.run({ criteria: query.criteria });
      expectSame("without sort_by", await table.run(query), inBoth(table.all, selected));
    },
  }),
  defineLaw({
    name: "sort_order is DESC by default",
    rules: ["P4", "P5"],
    needs: ["a field to sort by"],
    generate: (setting) =>
      fc.record({ sortBy: anySortBy(setting), omitted: fc.constantFrom(undefined, null, "") }),
    async holds(table, { sortBy, omitted }) {
      const descending = await table.run({ sortBy, sortOrder: "DESC" });
      expectSame("without sort_order", await table.run({ sortBy, sortOrder: omitted }), descending);
    },
  }),
  defineLaw({
    name: "a Batch is sorted as one collection, its Lists in the order given",
    rules: ["P4", "P7"],
    needs: ["a field to sort by"],
    about: "getBatchContacts",
    generate: (setting) => fc.record({ query: sorted(setting) }),
    async holds(table, { query }) {
      const { criteria } = query;
      const found = await table.runOneByOne({ criteria });
      const expected = found.toSorted(inOrder(table, query));
      expectSame("one by one", await table.runOneByOne(query), expected);
    },
  }),
  defineLaw({
    name: "pages of any size partition the whole",
    rules: ["P1", "P4"],
    needs: ["a field to sort by"],
    generate: (setting) =>
      fc.record({
        query: fc.oneof(
          { weight: 4, arbitrary: sorted(setting) },
          { weight: 1, arbitrary: fc.record({ criteria: anyCriteria(setting) }) },
        ),
        size: fc.integer({ min: 1, max: 7 }),
      }),
    async holds(table, { query, size }) {
      const whole = await table.run(query);
      const count = Math.ceil(whole.length / size) + 1;
      const paged: Found[] = [];
      for (let page = 0; page < count; page++) {
        paged.push(...(await table.run({ ...query, limit: size, offset: page * size })));
      }
      expectSame(`pages of ${size}`, byList(table, paged), byList(table, whole));
    },
  }),
  defineLaw({
    name: "limit and offset count the records of the whole result",
    rules: ["P5", "P7"],
    needs: ["a field to sort by"],
    generate: (setting) =>
      fc.record({
        query: sorted(setting),
        pages: fc.array(
          fc.record({
            limit: withinOf(setting).map((count) => count + 1), // another law is about 0
            offset: fc.oneof(fc.constant(0), withinOf(setting)),
          }),
          { minLength: 1, maxLength: 4, size: "max" },
        ),
      }),
    async holds(table, { query, pages }) {
      const total = (await table.run(query)).length;
      for (const { limit, offset } of pages) {
        const page = await table.run({ ...query, limit, offset });
        const expected = Math.min(limit, Math.max(total - offset, 0));
        expect(
          page.length === expected,
          () => `of ${total} records, limit ${limit} and offset ${offset} leave ${page.length}`,
        );
      }
    },
  }),
  defineLaw({
    name: "limit 0 gives nothing",
    rules: ["P5"],
    generate: (setting) =>
      fc.record({
        query: anyQuery(setting),
        zero: fc.constantFrom<(number | string)[]>(0, -0, "0"),
      }),
    async holds(table, { query, zero }) {
      expectSame("limit 0", await table.run({ ...query, limit: zero }), []);
    },
  }),
  defineLaw({
    name: "limit and offset may be omitted, null, empty or text",
    rules: ["P5"],
    generate: (setting) =>
      fc.record({
        query: anyQuery(setting),
        none: fc.constantFrom(null, ""),
        count: fc.nat({ max: 9 }),
      }),
    async holds(table, { query, none, count }) {
      for (const name of ["limit", "offset"] as const) {
        const given = (value: unknown) => table.run({ ...query, [name]: value });
        expectSame(`${name} omitted`, await given(none), await given(undefined));
        expectSame(`${name} as text`, await given(String(count)), await given(count));
      }
    },
  }),
];
