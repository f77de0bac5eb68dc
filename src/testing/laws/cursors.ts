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
  readonly previous: string | null;
  readonly next: string | null;
  readonly cursors: readonly unknown[];
}

/** Where a page is. */
type At = Readonly<Partial<Record<"after" | "before" | "last" | "cursors", unknown>>>;

async function pageOf(table: Table, query: PageQuery, limit: number, at: At): Promise<Page> {
  const result = await table.page({ ...query, limit, ...at });
  const { records, previous, next, cursors } = membersOf(result, "the page");
  const cursorIn = (name: string, given: unknown) => {
    expect(
      given === null || typeof given === "string",
      () => `${name}: expected a string or null, found ${fc.stringify(given)}`,
    );
    return given;
  };
  return {
    records: table.read(records),
    previous: cursorIn("previous", previous),
    next: cursorIn("next", next),
    cursors: Array.isArray(cursors) ? cursors : [],
  };
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
        const { records, next }: Page = await pageOf(table, query, size, { after });
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
    name: "a walk backwards by cursors visits the same records, from the last ones on",
    rules: ["P10"],
    about: "query",
    needs: ["a field to sort by", "page"],
    generate: (setting) =>
      fc.record({ query: pageQuery(setting), size: fc.integer({ min: 1, max: 5 }) }),
    async holds(table, { query, size }) {
      const whole = await table.run(query);
      let end = whole.length;
      let at: At = { last: true };
      for (;;) {
        const { records, previous }: Page = await pageOf(table, query, size, at);
        const start = Math.max(0, end - size);
        expectSame(`records ${start} to ${end}`, records, whole.slice(start, end));
        expect(
          (previous !== null) === start > 0,
          () => `${start} records come before, and previous is ${String(previous)}`,
        );
        if (previous === null) return;
        end = start;
        at = { before: previous };
      }
    },
  }),
  defineLaw({
    name: "each record of a page has a cursor, and pages lead back to where they came from",
    rules: ["P10"],
    about: "query",
    needs: ["a field to sort by", "page"],
    generate: (setting) =>
      fc.record({
        query: pageQuery(setting),
        size: fc.integer({ min: 1, max: 3 }),
        pick: fc.nat({ max: 20 }),
      }),
    async holds(table, { query, size, pick }) {
      const whole = await table.run(query);
      const { cursors } = await pageOf(table, query, whole.length, { cursors: true });
      expect(
        cursors.length === whole.length,
        () => `a page of ${whole.length} records has ${cursors.length} cursors`,
      );
      if (whole.length === 0) return;
      const place = pick % whole.length;
      const cursor = cursors[place];
      const next = await pageOf(table, query, size, { after: cursor });
      expectSame(`after ${place}`, next.records, whole.slice(place + 1, place + 1 + size));
      const before = await pageOf(table, query, size, { before: cursor });
      expectSame(`before ${place}`, before.records, whole.slice(Math.max(0, place - size), place));
      if (next.records.length > 0) {
        const back = await pageOf(table, query, size, { before: next.previous });
        const from = Math.max(0, place + 1 - size);
        expectSame("the page before that", back.records, whole.slice(from, place + 1));
      }
      if (before.records.length > 0) {
        const again = await pageOf(table, query, size, { after: before.next });
        expectSame("the page after that", again.records, whole.slice(place, place + size));
      }
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
      const { next } = await pageOf(table, query, 1, {});
      if (next === null) return;
      const asked = other(query);
      // A query may be written in several ways. Queries that find other records, or in another order, are different.
      if (difference(await table.run(asked), await table.run(query)) === undefined) return;
      for (const at of [{ after: next }, { before: next }]) {
        await expectRefused("a cursor of another query", pageOf(table, asked, 1, at));
      }
    },
  }),
];

const opposite = { ASC: "DESC", DESC: "ASC" } as const;

/** The query with each of its sort orders reversed. */
const turned = (query: Sorted): Sorted =>
  "sort" in query
    ? { ...query, sort: query.sort.map(([field, order]) => [field, opposite[order]] as const) }
    : { ...query, sortOrder: opposite[query.sortOrder] };
