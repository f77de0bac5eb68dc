// The rows of a question and how many match are asked for apart: a page says whether it tells how many.

import { expect, test, vi } from "vitest";
import { Session } from "../../src/playground/engine/session.ts";
import type { CriteriaList } from "../../src/playground/messages.ts";

const COUNT = 200;

test.each<[string, CriteriaList]>([
  ["all", []],
  ["none", [["contact_email", "exactly", "nobody"]]],
  ["some", [["contact_email", "contains", "an"]]],
  ["few", [["contact_email", "contains", "anna"]]],
])("a page that is not open ends with the last record that matches: %s", async (_, criteria) => {
  const session = new Session(() => undefined);
  await session.load({ kind: "contacts", count: COUNT, seed: 1 }, "auto", { types: [], csv: {} });
  const asked = { criteria, sort: [] };
  const { matching } = session.count(criteria);
  for (const offset of [0, 1, 7, COUNT - 1, COUNT]) {
    for (const limit of [1, 10, COUNT, COUNT + 1]) {
      const { rows, isOpen } = session.rows(asked, offset, limit);
      expect(rows).toHaveLength(Math.max(0, Math.min(limit, matching - offset)));
      if (!isOpen) expect(offset + rows.length).toBe(matching);
      else expect(rows.length === 0 || rows.length === limit).toBe(true);
    }
  }
});

test("records that are tested one by one are found and counted in parts, anew after a change", async () => {
  const [session, other] = [new Session(() => undefined), new Session(() => undefined)];
  for (const each of [session, other])
    await each.load({ kind: "contacts", count: 20_000, seed: 1 }, "auto", { types: [], csv: {} });
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 5));
  const criteria = [["contact_email", "contains", "zo"]];
  const asked = { criteria, sort: [] };
  const limit = 60;
  // One that is asked for all keeps what it found.
  const { rows } = other.rows(asked, 0, limit);
  const { matching } = other.count(criteria);
  const partsOf = <Part extends { readonly isPartial: boolean }>(ask: () => Part): Part[] => {
    const part = ask();
    return part.isPartial ? [part, ...partsOf(ask)] : [part];
  };
  const pages = partsOf(() => session.rows(asked, 0, limit, true));
  expect(pages.length).toBeGreaterThan(1);
  for (const page of pages) expect(page.rows).toEqual(rows.slice(0, page.rows.length));
  expect(pages.at(-1)?.rows).toEqual(rows);
  const counts = partsOf(() => session.count(criteria, true)).map((part) => part.matching);
  expect(counts.length).toBeGreaterThan(1);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(counts.at(-1)).toBe(matching);
  const [row = []] = rows;
  session.change({ kind: "remove", place: { asked, position: 0, row } });
  const [page] = partsOf(() => session.rows(asked, 0, limit, true)).slice(-1);
  expect(page?.rows.slice(0, -1)).toEqual(rows.slice(1));
  expect(partsOf(() => session.count(criteria, true)).at(-1)?.matching).toBe(matching - 1);
  // In an order all are needed.
  const sort = [["contact_email", "ASC"]] as const;
  expect(session.rows({ ...asked, sort }, 0, limit, true).isPartial).toBe(false);
  clock.mockRestore();
});
