// The laws of pages after a cursor (rule P10), for collections with `page`.

import * as fc from "fast-check";
import { difference, expect, expectSame, type Found } from "./compare.ts";
import { anyCriteria } from "./generate.ts";
import { defineLaw, type DefinedLaw } from "./law.ts";
import { membersOf } from "./members.ts";
import { sorted, type Sorted } from "./order.ts";
import { expectRefused } from "./response.ts";
import type { Setting } from "./setting.ts";
import type { Table } from "./table.ts";

type PageQuery = Sorted | { readonly criteria: readonly unknown[] };

const pageQuery = (setting: Setting): fc.Arbitrary<PageQuery> =>
  fc.oneof(
    { weight: 4, arbitrary: sorted(setting) },
    { weight: 1, arbitrary: fc.record({ criteria: anyCriteria(setting) }) },
  );

interface Page {
  readonly records: readonly Found[];
  readonly next: string | null;
}

async function pageOf(
  table: Table,
  query: PageQuery,
  limit: number,
  after: unknown,
): Promise<Page> {
  const result = await table.service.page({ ...query, limit, after });
  const { records, next } = membersOf(result, "the page");
  expect(
    next === null || typeof next === "string",
    () => `next: expected a string or null, found ${fc.stringify(next)}`,
  );
  return { records: table.read(records), next };
}

export const cursorLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "the pages of a walk by cursors are the records of the query, in its order",
    rules: ["P10"],
    about: "query",
    needs: ["a field to sort by", "page"],
    generate: (setting) =>
      fc.record({ query: pageQuery(setting), size: fc.integer({ min: 1, max: 5 }) }),
    async holds(table, { query, size }) {
      const whole = await table.run(query);
      const walked: Found[] = [];
      let after: string | null = null;
      do {
        const { records, next }: Page = await pageOf(table, query, size, after);
        const expected = Math.min(size, whole.length - walked.length);
        expect(
          records.length === expected,
          () =>
            `after ${walked.length} of ${whole.length} records: a page of ${records.length}, not ${expected}`,
        );
        walked.push(...records);
        expect(
          (next !== null) === walked.length < whole.length,
          () => `after ${walked.length} of ${whole.length} records: next is ${String(next)}`,
        );
        after = next;
      } while (after !== null);
      expectSame(`pages of ${size}`, walked, whole);
    },
  }),
  defineLaw({
    name: "a cursor of another query is refused",
    rules: ["P10"],
    about: "query",
    needs: ["a field to sort by", "page"],
    generate: (setting) =>
      fc.record({
        query: sorted(setting),
        other: fc.oneof(
          fc.constant(turned),
          anyCriteria(setting).map((criteria) => (query: Sorted) => ({ ...query, criteria })),
        ),
      }),
    async holds(table, { query, other }) {
      const { next } = await pageOf(table, query, 1, null);
      if (next === null) return;
      const asked = other(query);
      // A query may be written in several ways. Queries that find other records, or in another order, are different.
      if (difference(await table.run(asked), await table.run(query)) === undefined) return;
      await expectRefused("a cursor of another query", pageOf(table, asked, 1, next));
    },
  }),
];

const opposite = { ASC: "DESC", DESC: "ASC" } as const;

/** The query with each of its sort orders reversed. */
const turned = (query: Sorted): Sorted =>
  "sort" in query
    ? { ...query, sort: query.sort.map(([field, order]) => [field, opposite[order]] as const) }
    : { ...query, sortOrder: opposite[query.sortOrder] };
