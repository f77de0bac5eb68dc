// Numbers and labels are correct: how values are shown, how columns are classified, which types they can be given, how
// wide they are, and how values are ranked. Tested without a browser.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { FieldValue } from "../../src/index.ts";
import { shownColumns } from "../../src/playground/columns.ts";
import { withFacet } from "../../src/playground/criteria-list.ts";
import { Session } from "../../src/playground/engine/session.ts";
import type { ColumnType, FieldInfo, Loaded, ReadAs } from "../../src/playground/messages.ts";
import { percent, percents } from "../../src/playground/page/words.ts";
import { numberIn, PLAIN, resultIn, textIn, type Format } from "../../src/playground/texts.ts";
import { settings } from "../property.ts";
import { ReadFile, readFilesAtOnce } from "./read-file.ts";

/** The number that a person reads in a text. */
const read = (text: string) => Number(text.replaceAll(",", ""));

const formats = fc.record({
  isMeasure: fc.boolean(),
  decimals: fc.option(fc.nat(6), { nil: undefined }),
});
const amounts = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100),
);

test("a number is shown as itself, and what follows from numbers is exact or says that it is rounded", () => {
  fc.assert(
    fc.property(amounts, formats, (value, format) => {
      expect(read(numberIn(value, { ...PLAIN, ...format }))).toBe(value === 0 ? 0 : value);
      const text = resultIn(value, { ...PLAIN, ...format });
      if (text.startsWith("≈ ")) return;
      expect(Math.abs(read(text) - value)).toBeLessThanOrEqual(Math.abs(value) * 1e-12);
    }),
    settings(500),
  );
  expect([numberIn(-0, PLAIN), resultIn(-0, { ...PLAIN, decimals: 0 })]).toEqual(["0", "0"]);
  const cents: Format = { ...PLAIN, decimals: 2 };
  expect([0.1 + 0.2, 1234.5, 10 / 3, 2 ** 60].map((sum) => resultIn(sum, cents))).toEqual([
    ...["0.30", "1,234.50", "≈ 3.33", "≈ 1.15292e+18"],
  ]);
  const year: Format = { ...PLAIN, type: "int", isMeasure: false };
  expect(textIn(1979, year)).toBe("1979");
});

test("shares say whether they are all or nothing, and which is higher", () => {
  const wholes = fc.oneof(fc.integer({ min: 1, max: 2_000_000 }), fc.constantFrom(1000, 1_000_000));
  const parts = wholes.chain((whole) =>
    fc
      .array(fc.oneof(fc.nat(whole), fc.constantFrom(0, 1, whole - 1, whole)), { maxLength: 30 })
      .map((counts) => counts.map((count) => count / whole)),
  );
  const holds = fc.property(parts, (shares) => {
    const text = percents(shares);
    const sorted = [...new Set(shares)].sort((a, b) => a - b);
    for (const [i, share] of sorted.entries()) {
      const [number = "", digits = ""] = text(share).replace(" %", "").split(".");
      // Rounded, with a digit fewer or more where it needs them.
      const error = Math.abs(Number(`${number}.${digits}`) - share * 100);
      expect(error).toBeLessThanOrEqual(0.5 * 10 ** -digits.length + 1e-9);
      expect(Number(number) === 100 && share !== 1).toBe(false);
      expect(Number(`${number}.${digits}`) === 0).toBe(share === 0);
      const before = sorted[i - 1];
      if (before !== undefined) {
        expect(read(text(before).replace(" %", ""))).toBeLessThanOrEqual(
          read(text(share).replace(" %", "")),
        );
        expect(text(before)).not.toBe(text(share));
      }
    }
  });
  fc.assert(holds, settings(300));
  const [up, lost, all] = [1995 / 2000, 5 / 2000, 1];
  expect([up, lost, all].map(percents([up, lost, all]))).toEqual(["99.8 %", "0.3 %", "100 %"]);
  expect([0, 1, 1 / 3, 1e-12, 1 - 1e-12].map(percent)).toEqual([
    ...["0 %", "100 %", "33 %", "< 0.000001 %", "> 99.999999 %"],
  ]);
});

test("no text is shown as null is, or as another text", () => {
  const texts: FieldValue[] = ["", "null", "NULL", " null", "Null", null];
  expect(new Set(texts.map((text) => textIn(text, { ...PLAIN, type: "string" }))).size).toBe(
    texts.length,
  );
});

readFilesAtOnce();

async function load(
  content: string,
  name = "table.csv",
  types: ReadAs["types"] = [],
): Promise<Loaded & { readonly session: Session; readonly cells: readonly FieldValue[][] }> {
  const session = new Session(() => undefined);
  const file = new ReadFile(Buffer.from(content), name);
  const loaded = await session.load({ file, name }, "auto", { types, text: {} });
  const { rows } = session.rows({ criteria: [], sort: [] }, 0, 1000);
  return { ...loaded, session, cells: rows.map((row) => [...row]) };
}

/** The only column of a table. */
async function columnOf(name: string, values: readonly (number | string)[]): Promise<FieldInfo> {
  const { fields } = await load(`${name}\n${values.join("\n")}\n`);
  const [field] = fields;
  if (field === undefined) throw new Error("there is no column");
  return field;
}

const upTo = (length: number) => Array.from({ length }, (_, i) => i);
const SECONDS = 1_700_000_000;

test.each([
  // A name alone makes no time, nor do numbers alone.
  ["candidate", upTo(12).map((i) => SECONDS + i * 17), "measure"],
  ["mandate", upTo(12).map((i) => SECONDS * 1000 + i * 17), "measure"],
  ["lifetime", upTo(12).map((i) => SECONDS + i * 17), "measure"],
  ["date", [12, 600, 7], "measure"],
  ["update", upTo(12).map((i) => i * i), "measure"],
  ["created_at", upTo(12).map((i) => SECONDS + i * i), "seconds"],
  ["sendTime", upTo(12).map((i) => SECONDS * 1000 + i * i), "milliseconds"],
  ["Order Date", upTo(12).map((i) => SECONDS + i * i), "seconds"],
  ["day", ["2024-01-01", "2024-02-29"], "milliseconds"],
  // Nobody sums these up.
  ["customer_id", [70, 12, 12, 9], "label"],
  ["orderId", [70, 12, 12, 9], "label"],
  ["row", upTo(12), "label"],
  ["year", [1979, 1985, 2020], "label"],
  ["birth year", [1979, 1985, 2020], "label"],
  ["lat", [48.1, -33.9], "label"],
  ["home_longitude", [11.5, 151.2], "label"],
  ["zip", [80331, 10115], "label"],
  // And these everybody does, whatever they are called.
  ["years", [3, 5, 12], "measure"],
  ["latitude", [500.5, 7.25], "measure"],
  ["amount", [7_009_720, 8], "measure"],
  ["paid", [1, 0, 1], "measure"],
  ["identity", [70, 12, 12, 9], "measure"],
] as const)("%s is taken for what name and values say", async (name, values, expected) => {
  const { unit, isMeasure } = await columnOf(name, values);
  expect(unit ?? (isMeasure ? "measure" : "label")).toBe(expected);
});

const MIXED = [
  { text: "Alien", number: 1979, mixed: "a", flag: true, stamp: SECONDS, nested: { a: 1 } },
  { text: "12", number: 0, mixed: 1941, flag: false, stamp: null, nested: null },
  { text: "", number: null, mixed: null, flag: null, stamp: SECONDS + 60, nested: [1] },
];

test.each<[string, ColumnType, readonly FieldValue[] | RegExp]>([
  ["text", "string", ["Alien", "12", ""]],
  ["number", "string", ["1979", "0", null]],
  ["mixed", "string", ["a", "1941", null]],
  ["flag", "string", ["true", "false", null]],
  ["nested", "string", ['{"a":1}', null, "[1]"]],
  ["mixed", "string, any case", ["a", "1941", null]],
  ["flag", "int", [1, 0, null]],
  ["flag", "float", [1, 0, null]],
  ["number", "float", [1979, 0, null]],
  ["stamp", "time", [SECONDS, null, SECONDS + 60]],
  ["stamp", "int", [SECONDS, null, SECONDS + 60]],
  ["number", "boolean", /^records\[0\]\.number: must be/],
  ["text", "int", /^records\[0\]\.text: must be a number such as 1,234\.50/],
  ["text", "time", /^records\[0\]\.text: must be a time/],
])("%s can be read as %s, or is refused with its place", async (name, type, expected) => {
  const reading = load(JSON.stringify(MIXED), "mixed.json", [[name, type]]);
  if (expected instanceof RegExp) {
    await expect(reading).rejects.toThrow(expected);
    return;
  }
  const { cells, fields, session } = await reading;
  const at = fields.findIndex((field) => field.name === name);
  expect(cells.map((row) => row[at])).toEqual(expected);
  expect(fields[at]?.unit).toBe(type === "time" ? "seconds" : undefined);
  // It can be searched and sorted now.
  const [first] = expected;
  const criteria = [[name, "exactly", first]];
  expect(session.count(criteria).matching).toBe(1);
  expect(session.rows({ criteria: [], sort: [[name, "ASC"]] }, 0, 9).rows).toHaveLength(3);
});

test.each([
  ['{"data":[{"a":1},{"a":2}]}', 2],
  ['{"status":"ok","page":1,"data":{"items":[{"a":1},{"a":2}]}}', 2],
  // Only names decide.
  ['{"meta":{"columns":[{"name":"a"}]},"data":[{"a":1},{"a":2}]}', 2],
  ['{"a":1,"b":{"c":2}}', 1],
  ['{"a":1,"lines":[{"b":1},{"b":2}]}', 1],
])("records are found in what wraps them: %s", async (text, size) => {
  const { fields, cells } = await load(text, "wrapped.json");
  expect(cells).toHaveLength(size);
  expect(fields[0]?.name).toBe("a");
});

const columnWidths = fc.array(
  fc.record({
    width: fc.nat(200),
    type: fc.constantFrom<FieldInfo["type"]>("string", "int", "float", "boolean"),
    chosen: fc.option(fc.integer({ min: 56, max: 1200 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 30 },
);

test("columns take the space that is there: none is cut off beside space that is left over", () => {
  fc.assert(
    fc.property(columnWidths, fc.nat(4000), (made, space) => {
      const fields = made.map(({ width, type }, i) => ({
        ...{ name: `c${i}`, type, width, nullable: false, stored: true, operators: [] },
        ...{ ignoreCase: false, unit: undefined, form: undefined, isMeasure: true, decimals: 0 },
      }));
      const chosen = made.map((column, i) => ({
        name: `c${i}`,
        ...(column.chosen !== undefined && { width: column.chosen }),
      }));
      const widths = (room: number) => shownColumns(fields, chosen, room).map(({ width }) => width);
      const sumOf = (all: readonly number[]) => all.reduce((sum, width) => sum + width, 0);
      const [least, shared] = [widths(0), widths(space)];
      for (const [i, width] of shared.entries()) {
        expect(width).toBeGreaterThanOrEqual(least[i] ?? 0);
        if (made[i]?.chosen !== undefined) expect(width).toBe(made[i].chosen);
      }
      if (sumOf(least) >= space) expect(shared).toEqual(least);
      else expect(sumOf(shared)).toBeLessThanOrEqual(space);
      const isFlexible = made.some((column) => column.chosen === undefined);
      if (isFlexible && sumOf(least) < space) {
        expect(space - sumOf(shared)).toBeLessThanOrEqual(4 * made.length);
      }
    }),
    settings(300),
  );
});

test("values are ranked by what is selected, each with how many of all records have it", async () => {
  const lines = upTo(600).map((i) => `${i % 17 === 0 ? "x" : "y"},city${Math.floor(Math.sqrt(i))}`);
  const { session, facets } = await load(`state,city\n${lines.join("\n")}\n`);
  const [state, city] = ["state", "city"].map((name) =>
    facets.find((facet) => facet.field === name),
  );
  if (state === undefined || city?.kind !== "values") throw new Error("there are no facets");
  for (const value of ["x", "y", "z"]) {
    const criteria = withFacet([], state, { values: [value] });
    const [counted] = await session.facets(criteria, [city], new Map());
    if (counted === undefined || !("values" in counted)) throw new Error("nothing is counted");
    const countIn = (name: string, wanted?: string) =>
      lines.filter((line) => {
        const [state, city] = line.split(",");
        return city === name && (wanted === undefined || state === wanted);
      }).length;
    const names = upTo(25).map((i) => `city${i}`);
    const best = names
      .map((name) => ({ value: name, count: countIn(name, value), all: countIn(name) }))
      .sort((a, b) => b.count - a.count || b.all - a.all);
    expect(counted.values.map(({ count, all }) => [count, all])).toEqual(
      best.slice(0, 8).map(({ count, all }) => [count, all]),
    );
    for (const { value: name, count, all } of counted.values) {
      expect([count, all]).toEqual([countIn(String(name), value), countIn(String(name))]);
    }
    expect(counted.found).toBe(25);
  }
});
