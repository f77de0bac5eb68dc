// The rows of a query and the number of matches are requested separately: a page says whether it has the number.

import fc from "fast-check";
import * as flechette from "@uwdata/flechette";
import * as hyparquet from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, test, vi } from "vitest";
import { inferSchema, readArrow, readParquet } from "../../src/import/index.ts";
import {
  facetChoice,
  isChosen,
  withFacet,
  withoutFacet,
} from "../../src/playground/criteria-list.ts";
import { Session } from "../../src/playground/engine/session.ts";
import {
  facetOfGroups,
  groupedBy,
  isWithin,
  PARTS,
  partsOf,
  toggled,
} from "../../src/playground/groups.ts";
import type { CriteriaList, FacetCounts, Generated } from "../../src/playground/messages.ts";
import { settings } from "../property.ts";
import { ReadFile, readFilesAtOnce } from "./read-file.ts";

readFilesAtOnce();

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
  // Two letters that are too frequent for an index of substrings.
  const asked = { criteria: [["contact_email", "contains", "ae"]], sort: [] };
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

const TOWNS = ["Bonn", "Köln", "Ulm", "\u{1d54c}lm", "null"];
const TAGS = ["new", "old", "", "\u{10000}"];
const FIRST = Date.UTC(2023, 11, 25);
const DAY = 86_400_000;

/** A column of each kind of chart: few strings, few integers, many integers, fractions, times, arrays. */
const orders = Array.from({ length: 90 }, (_, i) => ({
  town: i % 7 === 0 ? null : TOWNS[(i * i) % 5],
  items: (i * 5) % 7,
  weight: i % 11 === 0 ? null : (i * 7919) % 301,
  total: ((i * 31) % 97) / 8,
  placed: new Date(FIRST + ((i * 13) % 90) * DAY).toISOString().slice(0, 10),
  tags: TAGS.filter((_, at) => (i * 3) % (at + 2) === 0),
}));

const bounds = fc.constantFrom("greater_than", "at_least", "less_than", "at_most", "exactly");
const someOf = <Value>(values: readonly Value[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 });
const few = fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { minLength: 1 });
const upTo = (most: number) => fc.integer({ min: 0, max: most });

const conditions = {
  town: fc.oneof(
    fc.tuple(fc.constantFrom("exactly", "not"), fc.constantFrom(...TOWNS, null)),
    fc.tuple(fc.constantFrom("at_least", "contains"), fc.constantFrom("l", "U")),
    fc.tuple(fc.constant("in"), someOf([...TOWNS, null])),
  ),
  items: fc.oneof(fc.tuple(bounds, upTo(7)), fc.tuple(fc.constant("in"), few)),
  weight: fc.oneof(fc.tuple(bounds, upTo(301)), fc.tuple(fc.constant("in"), few)),
  total: fc.tuple(
    bounds,
    upTo(97).map((eighths) => eighths / 8),
  ),
  placed: fc.tuple(
    bounds,
    upTo(90).map((days) => FIRST + days * DAY),
  ),
  tags: fc.oneof(
    fc.tuple(fc.constant("has"), fc.constantFrom(...TAGS)),
    fc.tuple(fc.constant("has_any"), someOf(TAGS)),
  ),
} as const;
const names = Object.keys(conditions) as (keyof typeof conditions)[];

/** Criteria on some columns: with "OR", "NOT", and groups in them. */
function criteriaOn(columns: readonly (keyof typeof conditions)[]): fc.Arbitrary<CriteriaList> {
  const criterion = fc.oneof(
    ...columns.map((name) => conditions[name].map(([operator, value]) => [name, operator, value])),
  );
  const { list } = fc.letrec<{ list: CriteriaList; part: CriteriaList }>((tie) => ({
    part: fc
      .tuple(
        fc.constantFrom([], [], [], ["NOT"]),
        fc.oneof({ maxDepth: 2 }, { arbitrary: criterion, weight: 6 }, tie("list")),
      )
      .map(([not, element]) => [...not, element]),
    // Mostly one group, which charts select from.
    list: fc
      .array(fc.array(tie("part"), { minLength: 1, maxLength: 3 }), { maxLength: 3 })
      .chain((groups) => fc.constantFrom(groups, groups.slice(0, 1)))
      .map((groups) =>
        groups.flatMap((group, i) => (i === 0 ? group.flat(1) : ["OR", ...group.flat(1)])),
      ),
  }));
  return list;
}

const asked = fc
  .uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 })
  .chain((columns) =>
    fc.record({
      columns: fc.constant(columns),
      list: criteriaOn(columns),
      part: fc.constantFrom(...PARTS),
      sample: fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
    }),
  );

/** The criteria of other columns than one, and how many groups there are. */
const besides = (list: CriteriaList, field: string): unknown[] =>
  list.filter((element) => !Array.isArray(element) || element[0] !== field);

test("every number is of the records that the header counts, or of those that the other charts select", async () => {
  const session = new Session(() => undefined);
  const file = new ReadFile(Buffer.from(JSON.stringify(orders)), "orders.json");
  const loaded = await session.load({ file, name: file.name }, "auto", { types: [], text: {} });
  const { fields, facets } = loaded;
  expect(new Map(facets.map(({ field, kind }) => [field, kind]))).toEqual(
    new Map([
      ...(["town", "items", "tags"] as const).map((name) => [name, "values"] as const),
      ...(["weight", "total", "placed"] as const).map((name) => [name, "range"] as const),
    ]),
  );
  const count = (...all: CriteriaList[]) =>
    session.count(all.filter(({ length }) => length > 0)).matching;
  let [ofGroups, ofBars, chosen] = [0, 0, 0];
  const holds = fc.asyncProperty(asked, async ({ columns, list, part, sample }) => {
    const [name] = columns;
    const field = fields.find((each) => each.name === name);
    if (field === undefined) throw new Error("there is no such field");
    const parts = partsOf(field);
    const of = groupedBy(field, parts.includes(part) ? part : undefined);
    const { matching } = session.count(list);

    const profile = session.profile(list, field.name);
    if (profile.isKnown) {
      expect(profile.count + profile.nulls).toBe(matching);
      expect(profile.nulls).toBe(count(list, [[field.name, "exactly", null]]));
    }

    const grouped = session.groups(list, of, Infinity);
    const facetOf = facetOfGroups(of, fields);
    const choice = facetChoice(list, facetOf);
    expect(grouped.total.records).toBe(matching);
    if (field.type !== "strings") {
      expect(grouped.groups.reduce((sum, { records }) => sum + records, 0)).toBe(matching);
    }
    for (const at of grouped.groups.length === 0 ? [] : sample) {
      const { choice: group, records = 0 } = grouped.groups[at % grouped.groups.length] ?? {};
      if (group === undefined) continue;
      ofGroups++;
      expect(records).toBe(count(list, withFacet([], facetOf, group)));
      // A click selects them, unless others are chosen already.
      if (field.type === "strings" || (choice !== undefined && "values" in choice)) continue;
      if (isWithin(group, choice)) continue;
      expect(session.count(withFacet(list, facetOf, toggled(choice, group))).matching).toBe(
        records,
      );
    }

    for (const [i, counts] of (await session.facets(list, facets, new Map())).entries()) {
      const facet = facets[i];
      if (facet === undefined || !columns.some((each) => each === facet.field)) continue;
      const others = withoutFacet(list, facet);
      const selected = facetChoice(list, facet);
      if (selected !== undefined) chosen++;
      expect(besides(withFacet(list, facet, undefined), facet.field)).toEqual(
        besides(list, facet.field),
      );
      if (selected === undefined) {
        expect(others).toBe(list);
        const clicked = withFacet(list, facet, { values: [1] });
        expect(withFacet(clicked, facet, undefined)).toEqual(list);
      }
      if ("bars" in counts) {
        const { bars, below, above, nulls } = counts;
        expect(bars.reduce((sum, each) => sum + each, below + above + nulls)).toBe(count(others));
        const isNothing =
          selected !== undefined && "values" in selected && selected.values.length === 0;
        const own = selected === undefined ? [] : withFacet([], facet, selected);
        expect(isNothing ? 0 : count(others, own)).toBe(matching);
        continue;
      }
      expect(counts.total).toBe(count(others));
      let inSelection = 0;
      for (const { value, count: found, all } of counts.values) {
        ofBars++;
        const own = withFacet([], facet, { values: [value] });
        expect([found, all]).toEqual([count(others, own), count(own)]);
        expect(session.count(withFacet(list, facet, { values: [value] })).matching).toBe(found);
        if (selected === undefined || isChosen(selected, value)) inSelection += found;
      }
      // The bars that are not dimmed are what the header counts.
      if (facet.field !== "tags") expect(inSelection).toBe(matching);
    }
  });
  await fc.assert(holds, settings(250));
  for (const times of [ofGroups, ofBars, chosen]) expect(times).toBeGreaterThan(0);
});

/** The values that are counted, in any order; those of 0 may be among them. */
function sorted(counts: FacetCounts): FacetCounts {
  if ("bars" in counts) return counts;
  const values = counts.values
    .filter(({ count }) => count > 0)
    .sort((a, b) => (String(a.value) < String(b.value) ? -1 : 1));
  return { ...counts, values };
}

test("columns named by numbers keep their place, also beside times and chosen types", async () => {
  const names = ["town", "2024", "when", "2023", "0"];
  const content = Buffer.from(`${names.join(",")}\nOslo,5,2024-03-05,7,x\n`);
  const session = new Session(() => undefined);
  const file = new ReadFile(content, "years.csv");
  const types = [["2023", "string"]] as const;
  const { fields } = await session.load({ file, name: file.name }, "auto", { types, text: {} });
  expect(fields.map(({ name }) => name)).toEqual(names);
  expect(fields.find(({ name }) => name === "when")?.unit).toBeDefined();
  const saved = await session.save({ criteria: [], sort: [] }, "csv").text();
  expect(saved).toBe(`${names.join(",")}\nOslo,5,2024-03-05,7,x\n`);
});

test("times with a zone are saved as times, and are times when they are loaded again", async () => {
  const whole = [
    "1969-12-31T23:59:59.999Z",
    "0000-01-01T00:00:00.000Z",
    "9999-12-31T23:59:59.999Z",
  ];
  const fine = [
    "1969-12-31T23:59:59.999999Z",
    "2024-02-29T00:00:00.000001Z",
    "2024-03-01T12:00:00.500000Z",
  ];
  const day = ["2024-02-29", "1969-12-31", "2024-03-01"];
  const lines = whole.map((text, i) => `${text},${fine[i]},${day[i]}\n`).join("");
  const content = Buffer.from(`whole,fine,day\n${lines},,\n`);
  const asked = { criteria: [], sort: [] };
  const load = async (file: File) => {
    const session = new Session(() => undefined);
    const loaded = await session.load({ file, name: file.name }, "auto", { types: [], text: {} });
    expect(loaded.fields.map(({ unit }) => unit)).toEqual(Array(3).fill("milliseconds"));
    return session;
  };
  const session = await load(new ReadFile(content, "times.csv"));
  for (const format of ["parquet", "arrow"] as const) {
    const bytes = Buffer.from(await session.save(asked, format).arrayBuffer());
    const { fields } = await inferSchema(
      format === "arrow" ? readArrow(flechette, bytes) : readParquet(hyparquet, bytes),
    );
    expect(fields.whole).toMatchObject({ type: "time", precision: "milliseconds" });
    expect(fields.fine).toMatchObject({ type: "time", precision: "microseconds" });
    expect(fields.day).toMatchObject({ type: "string" });
    const again = await load(new ReadFile(bytes, `times.${format}`));
    expect(await again.save(asked, "csv").text()).toBe(String(content));
  }
});

test("what is not as it stands in a file is said: values that are read as null", async () => {
  const data = [1, NaN, Infinity, 4];
  const bytes = parquetWriteBuffer({ columnData: [{ name: "speed", data, type: "DOUBLE" }] });
  const file = new File([bytes], "speeds.parquet");
  const session = new Session(() => undefined);
  const { read } = await session.load({ file, name: file.name }, "auto", { types: [], text: {} });
  expect(read?.notices).toEqual([
    "Column speed has NaN or infinite values, which are read as null",
  ]);
  const { rows } = session.rows({ criteria: [], sort: [] }, 0, 10);
  expect(rows).toHaveLength(4);
});

test("periods up to the latest time follow changes", async () => {
  const session = new Session(() => undefined);
  const days = ["2024-02-29", "2024-03-01", "2024-03-09"];
  const file = new ReadFile(Buffer.from(`day\n${days.join("\n")}\n`), "days.csv");
  const loaded = await session.load({ file, name: file.name }, "auto", { types: [], text: {} });
  expect(loaded.fields[0]?.latest).toBe(Date.parse("2024-03-09"));
  const criteria = [["day", "at_least", Date.parse("2024-03-02")]];
  expect(session.change({ kind: "remove", criteria }).fields[0]?.latest).toBe(
    Date.parse("2024-03-01"),
  );
  expect(session.change({ kind: "undo" }).fields).toEqual(loaded.fields);
});
