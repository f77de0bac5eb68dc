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

test("records that are tested one by one are shown as far as they are found in time", async () => {
  const session = new Session(() => undefined);
  await session.load({ kind: "contacts", count: 20_000, seed: 1 }, "auto", { types: [], csv: {} });
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 5));
  const asked = { criteria: [["contact_email", "contains", "zo"]], sort: [] };
  const some = session.rows(asked, 0, 60, true);
  expect(some.isPartial).toBe(true);
  const whole = session.rows(asked, 0, 60);
  expect(whole).toMatchObject({ isPartial: false, isOpen: true });
  expect(some.rows).toEqual(whole.rows.slice(0, some.rows.length));
  expect(some.rows.length).toBeLessThan(60);
  // In time, all are found.
  expect(session.rows(asked, 0, 1, true)).toMatchObject({
    isPartial: false,
    rows: [whole.rows[0]],
  });
  // In an order all are needed.
  const sort = [["contact_email", "ASC"]] as const;
  expect(session.rows({ ...asked, sort }, 0, 60, true).isPartial).toBe(false);
  clock.mockRestore();
});
