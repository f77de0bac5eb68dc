// The rows of a query and the number of matches are requested separately: a page says whether it has the number.

import fc from "fast-check";
import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, test, vi } from "vitest";
import { withFacet } from "../../src/playground/criteria-list.ts";
import { Session } from "../../src/playground/engine/session.ts";
import type { CriteriaList, FacetCounts, Generated } from "../../src/playground/messages.ts";
import { settings } from "../property.ts";

const COUNT = 200;

test.each<[string, CriteriaList]>([
  ["all", []],
  ["none", [["contact_email", "exactly", "nobody"]]],
  ["some", [["contact_email", "contains", "an"]]],
  ["few", [["contact_email", "contains", "anna"]]],
])("a page that is not open ends with the last record that matches: %s", async (_, criteria) => {
  const session = new Session(() => undefined);
  await session.load({ kind: "contacts", count: COUNT, seed: 1 }, "auto", { types: [], text: {} });
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
  await session.load({ kind: "contacts", count: 20_000, seed: 1 }, "auto", { types: [], text: {} });
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

test("records that an index selects are not tested one by one", async () => {
  const session = new Session(() => undefined);
  await session.load({ kind: "contacts", count: 20_000, seed: 1 }, "auto", { types: [], text: {} });
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 5));
  const asked = { criteria: [["open_country", "in", ["Japan", "Peru"]]], sort: [] };
  expect(session.rows(asked, 0, 60, true).isPartial).toBe(false);
  clock.mockRestore();
});

test.each<Generated>(["contacts", "orders"])(
  "a step of a brush counts as the same criteria do without it: %s",
  async (kind) => {
    const session = new Session(() => undefined);
    const readAs = { types: [], text: {} };
    const { facets } = await session.load({ kind, count: 500, seed: 1 }, "auto", readAs);
    const ranges = facets.filter((facet) => facet.kind === "range");
    const values = facets.filter((facet) => facet.kind === "values");
    expect(Math.min(ranges.length, values.length)).toBeGreaterThan(1);
    const edge = fc.oneof(fc.nat({ max: 60 }), fc.constant(Infinity));
    const step = fc.record({
      range: fc.constantFrom(...ranges.slice(0, 2)),
      value: fc.constantFrom(undefined, ...values.slice(0, 2)),
      ends: fc.tuple(edge, edge),
      hasOther: fc.boolean(),
      isChange: fc.boolean(),
    });
    const countsFor = async (criteria: CriteriaList) =>
      (await session.facets(criteria, facets, new Map())).map(sorted);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        let criteria: CriteriaList = [];
        for (const { range, value, ends, hasOther, isChange } of steps) {
          const [from = 0, end = 0] = ends
            .map((at) => range.edges[at] ?? Infinity)
            .sort((a, b) => a - b);
          criteria = withFacet(criteria, range, {
            from: Number.isFinite(from) ? from : -Infinity,
            end,
          });
          if (value !== undefined && hasOther)
            criteria = withFacet(criteria, value, { values: value.values.slice(0, 2) });
          if (isChange)
            session.change({
              kind: "remove",
              criteria: [[kind === "orders" ? "items" : "open_count", "exactly", 2], ...criteria],
            });
          const stepped = await countsFor(criteria);
          await countsFor([]);
          expect(stepped).toEqual(await countsFor(criteria));
        }
      }),
      settings(30),
    );
  },
);

/** The values that are counted, in any order; those of 0 may be among them. */
function sorted(counts: FacetCounts): FacetCounts {
  if ("bars" in counts) return counts;
  const values = counts.values
    .filter(({ count }) => count > 0)
    .sort((a, b) => (String(a.value) < String(b.value) ? -1 : 1));
  return { ...counts, values };
}

test("what is not as it stands in a file is said: values that are read as null", async () => {
  const data = [1, NaN, Infinity, 4];
  const bytes = parquetWriteBuffer({ columnData: [{ name: "speed", data, type: "DOUBLE" }] });
  const file = new File([bytes], "speeds.parquet");
  const session = new Session(() => undefined);
  const { read } = await session.load({ file, name: file.name }, "auto", { types: [], text: {} });
  expect(read?.notices).toEqual(["speed has NaN or infinite values, which are read as null"]);
  const { rows } = session.rows({ criteria: [], sort: [] }, 0, 10);
  expect(rows).toHaveLength(4);
});
