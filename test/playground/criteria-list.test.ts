// How the page handles criteria before it queries the engine.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  asText,
  asValues,
  facetChoice,
  fromText,
  isChosen,
  isOn,
  typedBound,
  valuesIn,
  withElement,
  withFacet,
  withoutFacet,
  withTimes,
} from "../../src/playground/criteria-list.ts";
import { operators } from "../../src/index.ts";
import type { RangeFacet } from "../../src/playground/messages.ts";
import { numberOf, readTime, typedTime, writeTime } from "../../src/playground/times.ts";
import { FIRST_VIEW, fromLink, toLink, type View } from "../../src/playground/link.ts";

const open = ["open_type", "exactly", "html"];
const early = ["send_time", "less_than", 11];
const late = ["send_time", "greater_than", 4];

const valuesOf = (field: string) => ({ kind: "values", field, values: [], distinct: 0 }) as const;
const rangeOf = (field: string, part: Partial<RangeFacet> = {}): RangeFacet => ({
  ...{ kind: "range", field, from: 0, end: 100, bins: 10, edges: [], step: 1 },
  ...{ hasAtLeast: false, unit: undefined, calendar: undefined, highest: 0 },
  ...part,
});
const country = valuesOf("open_country");
const time = rangeOf("send_time");
const text = { kind: "search", field: "contact_email" } as const;

test.each<[string, (string | null)[], string?]>([
  ["", [""]],
  ["Germany, France", ["Germany", "France"]],
  [" Germany ,France ", ["Germany", "France"], "Germany, France"],
  ["a,", ["a", ""], 'a, ""'],
  ['"Paris, TX", Paris', ["Paris, TX", "Paris"]],
  ['null, "null"', [null, "null"]],
  ['" a", "say ""a"""', [" a", 'say "a"'], '" a", say "a"'],
  ['"not closed, b', ['"not closed', "b"], '"""not closed", b'],
])("the values of %j are typed again as they are", (text, values, again = text) => {
  expect(valuesIn(text)).toEqual(values);
  expect(asValues(values)).toBe(again);
  expect(valuesIn(asValues(values))).toEqual(values);
});

test.each([
  ["2024-03-05", "at_least", Date.UTC(2024, 2, 5)],
  ["2024-03-05", "less_than", Date.UTC(2024, 2, 5)],
  ["2024-04-20", "at_most", Date.UTC(2024, 3, 21) - 1],
  ["2024-04-20", "greater_than", Date.UTC(2024, 3, 21) - 1],
  ["2024-04-20 10:30", "at_most", Date.UTC(2024, 3, 20, 10, 31) - 1],
  ["2024-02", "at_most", Date.UTC(2024, 2, 1) - 1],
  ["2024-04-20T10:30:00+02:00", "at_least", Date.UTC(2024, 3, 20, 8, 30)],
  ["2024-02-30", "at_least", undefined],
  ["2024", "at_least", Date.UTC(2024, 0, 1)],
  ["2024", "at_most", Date.UTC(2025, 0, 1) - 1],
  ["2024-03-05 14", "at_most", Date.UTC(2024, 2, 5, 15) - 1],
  ["2024-13", "at_least", undefined],
  ["1709596800000", "at_least", undefined],
])("%s as the bound of %s", (text, operator, expected) => {
  expect(numberOf(text, operator, { unit: "milliseconds" })).toBe(expected);
  const seconds = expected && Math.floor(expected / 1000);
  expect(numberOf(text, operator, { unit: "seconds" })).toBe(seconds);
});

const times = {
  type: "int",
  unit: "milliseconds",
  operators: operators.filter(({ name }) => name !== "has"),
} as const;

test("a range of times begins with its first day and ends with its last", () => {
  const fields = [{ ...times, name: "at" }];
  const days = [["at", "between", ["2024-03-05", "2024-04-20"]]];
  expect(withTimes(days, fields)).toEqual([
    ["at", "between", [Date.UTC(2024, 2, 5), Date.UTC(2024, 3, 21) - 1]],
  ]);
});

test("a number is typed as the shortest time that is read as it, and texts are written as they were", () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date(0), max: new Date("9999-12-30"), noInvalidDate: true }),
      fc.constantFrom("at_least", "at_most", "greater_than", "less_than", "exactly"),
      fc.constantFrom("2024-01-01", "2024-01-01 10:00", "2024-01-01T10:00:00.00+02:00"),
      (date, operator, like) => {
        const scale = { unit: "milliseconds" } as const;
        const typed = typedTime(date.getTime(), operator, scale);
        expect(numberOf(typed ?? "", operator, scale)).toBe(date.getTime());
        const { form } = readTime(like) ?? {};
        const text = form && writeTime(date.getTime(), form);
        expect(readTime(text ?? "")?.value).toBe(date.getTime());
      },
    ),
  );
});

describe("criteria as text", () => {
  test("are one to a line, and are read again as they were", () => {
    const list = [open, "OR", ["a", "in", [null, "x"]], 5, { broken: true }];
    expect(asText(list).split("\n")).toHaveLength(list.length + 2);
    expect(fromText(asText(list))).toEqual(list);
    expect(fromText(" \n")).toEqual([]);
    expect(fromText(asText([]))).toEqual([]);
  });

  test("are groups in groups, thirty-two deep, but not without end", () => {
    let list: unknown[] = [["a", "in", ["x"]]];
    for (let i = 0; i < 32; i++) list = ["NOT", list];
    expect(fromText(asText(list))).toEqual(list);
    const text = "[".repeat(1000) + "]".repeat(1000);
    expect(() => fromText(text)).toThrow("nested at most");
  });

  test("have fields and times in groups, too", () => {
    const fields = [
      { ...times, name: "at" },
      { ...times, name: "open_type", unit: undefined },
    ];
    const at = (value: unknown) => [open, "OR", "NOT", [["at", "less_than", value]]];
    expect(isOn(at(0), fields)).toBe(true);
    expect(isOn(["NOT", [open, early]], fields)).toBe(false);
    expect(isOn([open, { broken: true }], fields)).toBe(false);
    expect(withTimes(at("2024-03-05"), fields)).toEqual(at(Date.UTC(2024, 2, 5)));
  });

  test("are refused where they are no array", () => {
    expect(() => fromText("{}")).toThrow("array");
    expect(() => fromText("[")).toThrow();
  });
});

describe("taking a criterion out", () => {
  test("leaves no OR that joins nothing", () => {
    expect(withElement([open, "OR", early], 0, undefined)).toEqual([early]);
    expect(withElement([open, "OR", early], 2, undefined)).toEqual([open]);
    expect(withElement([open], 0, undefined)).toEqual([]);
    expect(withElement([open, late, "OR", early], 1, undefined)).toEqual([open, "OR", early]);
  });

  test("takes the NOT before it away, and leaves groups as they are", () => {
    const group = [open, "OR", "NOT", late];
    expect(withElement(["NOT", open, early], 1, undefined)).toEqual([early]);
    expect(withElement([early, "NOT", group], 2, undefined)).toEqual([early]);
    expect(withElement([early, "OR", "NOT", group], 3, undefined)).toEqual([early]);
    expect(withElement(["NOT", group, early], 2, undefined)).toEqual(["NOT", group]);
    expect(withElement(["NOT", group, "OR", "NOT"], 1, undefined)).toEqual(["NOT"]);
  });

  test("and putting another in its place changes nothing else", () => {
    expect(withElement([open, early], 1, late)).toEqual([open, late]);
  });
});

describe("a facet", () => {
  test("adds its choice to each group, and takes the one before it away", () => {
    const chosen = withFacet([open, "OR", early], country, { values: ["Peru", null] });
    const one = ["open_country", "in", ["Peru", null]];
    expect(chosen).toEqual([open, one, "OR", early, one]);
    expect(withFacet(chosen, country, undefined)).toEqual([open, "OR", early]);
    expect(withFacet(chosen, country, { values: [] })).toEqual([open, "OR", early]);
  });

  test("selects integers with both ends", () => {
    const list = withFacet([open], time, { from: 5, end: 11 });
    expect(list).toEqual([open, late, early]);
    expect(facetChoice(list, time)).toEqual({ from: 5, end: 11 });
    expect(facetChoice([open, early], time)).toEqual({ from: -Infinity, end: 11 });
    expect(facetChoice([open], time)).toBeUndefined();
  });

  test("selects numbers of a schema of one's own by at_least", () => {
    const total = rangeOf("total", { step: 0, hasAtLeast: true });
    const list = withFacet([], total, { from: 0.1, end: 0.3 });
    expect(list).toEqual([
      ["total", "at_least", 0.1],
      ["total", "less_than", 0.3],
    ]);
    expect(facetChoice(list, total)).toEqual({ from: 0.1, end: 0.3 });
    expect(withFacet([], total, { from: 0.1, end: Infinity })).toEqual([
      ["total", "at_least", 0.1],
    ]);
  });

  test("is counted without its own choice", () => {
    expect(withoutFacet([open, late, early], time)).toEqual([open]);
    expect(withoutFacet([late, early], time)).toEqual([]);
  });

  test.each([
    { of: "one group", list: [late, "OR", open] },
    { of: "groups that differ", list: [late, open, "OR", early, open] },
    { of: "a group of nothing else", list: [late, "OR", late, open] },
  ])("has no choice in criteria of $of", ({ list }) => {
    expect(facetChoice(list, time)).toBeUndefined();
    expect(withoutFacet(list, time)).toBe(list);
    expect(withFacet(list, time, undefined)).toBe(list);
    const chosen = withFacet(list, time, { from: 5, end: 11 });
    expect(facetChoice(chosen, time)).toEqual({ from: 5, end: 11 });
    expect(withoutFacet(chosen, time)).toEqual(list);
  });

  test("has the choice of what all its criteria select", () => {
    const both = ["open_country", "in", ["Peru", "Chile"]];
    expect(facetChoice([["open_country", "in", ["Chile", null]], both], country)).toEqual({
      values: ["Chile"],
    });
    expect(facetChoice([["send_time", "in", [3, 5]], late], time)).toEqual({ values: [5] });
  });

  test("selects up to a fraction as it was typed", () => {
    const total = rangeOf("total", { step: 0, hasAtLeast: true });
    for (const list of [
      [
        ["total", "greater_than", 0.1],
        ["total", "at_most", 0.3],
      ],
      [["total", "greater_than", 0]],
      [["total", "at_most", -2.5]],
    ]) {
      const choice = facetChoice(list, total);
      expect(withFacet([], total, choice)).toEqual(list);
      const ends = choice !== undefined && "from" in choice ? [choice.from, choice.end] : [];
      for (const end of ends.filter(Number.isFinite)) {
        expect(list.map(([, , bound]) => bound)).not.toContain(end);
        expect(list.map(([, , bound]) => bound)).toContain(typedBound(end));
      }
    }
    const exact = facetChoice([["total", "exactly", 0.5]], total);
    expect([0.4999, 0.5, 0.5001].map((each) => exact && isChosen(exact, each))).toEqual([
      ...[false, true, false],
    ]);
  });

  test("leaves bounds of strings, which no chart selects", () => {
    const list = [["open_country", "at_least", "5"]];
    expect(facetChoice(list, country)).toBeUndefined();
    expect(withoutFacet(list, country)).toBe(list);
  });

  test.each([
    [country, ["open_country", "exactly", "Peru"], { values: ["Peru"] }],
    [country, ["open_country", "exactly", null], { values: [null] }],
    [country, ["open_country", "in", "a,b"], { values: ["a", "b"] }],
    [valuesOf("paid"), ["paid", "exactly", true], { values: [true] }],
    [time, ["send_time", "exactly", "5"], { from: 5, end: 6 }],
    [time, ["send_time", "at_most", 9], { from: -Infinity, end: 10 }],
    [time, ["send_time", "between", [3, "5"]], { from: 3, end: 6 }],
    [time, ["send_time", "in", [3, 5]], { values: [3, 5] }],
    [text, ["contact_email", "contains", "li"], { text: "li" }],
  ] as const)("knows its own choice, whoever wrote it: %#", (facet, criterion, choice) => {
    expect(facetChoice([open, criterion], facet)).toEqual(choice);
    expect(withoutFacet([open, criterion], facet)).toEqual([open]);
    expect(withFacet([open, criterion], facet, undefined)).toEqual([open]);
  });

  test("leaves groups, and criteria after NOT, as they are", () => {
    const one = ["open_country", "exactly", "Peru"];
    const list = ["NOT", one, [one, "OR", early], "OR", "NOT", [open]];
    const chosen = ["open_country", "in", ["Chile"]];
    expect(facetChoice(list, country)).toBeUndefined();
    expect(withoutFacet(list, country)).toEqual(list);
    const expected = ["NOT", one, [one, "OR", early], chosen, "OR", "NOT", [open], chosen];
    expect(withFacet(list, country, { values: ["Chile"] })).toEqual(expected);
    expect(withFacet(expected, country, undefined)).toEqual(list);
  });

  test("leaves other criteria on its field as they are", () => {
    const typed = ["open_country", "contains", "land"];
    const list = withFacet([typed], country, { values: ["Finland"] });
    expect(list).toEqual([typed, ["open_country", "in", ["Finland"]]]);
    expect(facetChoice(list, country)).toEqual({ values: ["Finland"] });
    expect(facetChoice([["send_time", "greater_than", "soon"]], time)).toBeUndefined();
  });
});

describe("a link", () => {
  test("shows what was shown", () => {
    const views: View[] = [
      FIRST_VIEW,
      {
        ...FIRST_VIEW,
        file: "orders & items.csv.gz",
        copy: 3,
        criteria: [["", "exactly", "__proto__"]],
      },
      {
        file: "",
        kind: "files",
        zone: "Europe/Berlin",
        count: 1000,
        seed: 7,
        title: "a & b=#",
        criteria: [["name", "contains", "a&b=#%ü"], "OR", ["size", "in", [null]]],
        sort: [
          ["last_modified_time", "ASC"],
          ["a DESC", "DESC"],
        ],
        columns: [{ name: "size", width: 90 }, { name: "a,b=&" }],
        isFrozen: true,
        readAs: {
          types: [
            ["name", "string, any case"],
            ["__proto__", "time"],
          ],
          text: {
            delimiter: ";",
            nullText: ["", "NA"],
            header: false,
            skipLines: 2,
            dateFormat: "%d.%m.%Y",
          },
        },
        computed: [{ name: "a b", expression: 'x > 0.2 * "y z"' }],
        relations: [{ by: "a.b", table: "orders & items.csv", key: "__proto__" }],
        group: {
          ...{ by: "a,b", part: "weekday", measure: "p99", of: "size", order: "share", least: 2 },
          where: ["__proto__", null],
        },
        charts: { one: "1", log: "", x: "size", y: "a&b", logx: "", logy: "1" },
        tab: "how",
        copy: 1,
        byList: true,
        indexes: "none",
      },
    ];
    for (const view of views) expect(fromLink(toLink(view))).toEqual(view);
  });

  test("from anywhere: what is not valid is as if it were not there", () => {
    expect(fromLink("")).toEqual(FIRST_VIEW);
    expect(fromLink('#columns=[1,["a",5],["__proto__",1e9],["b","x"]]').columns).toEqual([
      { name: "a" },
      { name: "__proto__" },
      { name: "b" },
    ]);
    expect(
      fromLink(
        "#count=1e9&seed=-1&criteria=%7B&sort=x&show=all&data=rows&indexes=5&columns={&freeze=2",
      ),
    ).toEqual(FIRST_VIEW);
  });
});
