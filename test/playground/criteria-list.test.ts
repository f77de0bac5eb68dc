// What the page does with criteria before anybody asks the engine.

import { describe, expect, test } from "vitest";
import {
  asText,
  facetChoice,
  fromText,
  withElement,
  withFacet,
  withoutFacet,
} from "../../src/playground/criteria-list.ts";
import type { RangeFacet } from "../../src/playground/messages.ts";
import { FIRST_VIEW, fromLink, toLink, type View } from "../../src/playground/link.ts";

const open = ["open_type", "exactly", "html"];
const early = ["send_time", "less_than", 11];
const late = ["send_time", "greater_than", 4];

const valuesOf = (field: string) => ({ kind: "values", field, values: [], distinct: 0 }) as const;
const rangeOf = (field: string, part: Partial<RangeFacet> = {}): RangeFacet => ({
  ...{ kind: "range", field, from: 0, end: 100, bins: 10, edges: [], step: 1 },
  ...{ hasAtLeast: false, unit: undefined, calendar: undefined },
  ...part,
});
const country = valuesOf("open_country");
const time = rangeOf("send_time");
const text = { kind: "search", field: "contact_email" } as const;

describe("criteria as text", () => {
  test("are one to a line, and are read again as they were", () => {
    const list = [open, "OR", ["a", "in", [null, "x"]], 5, { broken: true }];
    expect(asText(list).split("\n")).toHaveLength(list.length + 2);
    expect(fromText(asText(list))).toEqual(list);
    expect(fromText(" \n")).toEqual([]);
    expect(fromText(asText([]))).toEqual([]);
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

  test("is counted without its own choice; a group of nothing else selects everything", () => {
    expect(withoutFacet([open, late, early], time)).toEqual([open]);
    expect(withoutFacet([late, "OR", open], time)).toBeNull();
    expect(withFacet([late, "OR", open], time, undefined)).toEqual([]);
  });

  test.each([
    [country, ["open_country", "exactly", "Peru"], { values: ["Peru"] }],
    [country, ["open_country", "exactly", null], { values: [null] }],
    [country, ["open_country", "in", "a,b"], { values: ["a", "b"] }],
    [valuesOf("paid"), ["paid", "exactly", true], { values: [true] }],
    [time, ["send_time", "exactly", "5"], { from: 5, end: 6 }],
    [time, ["send_time", "at_most", 9], { from: -Infinity, end: 10 }],
    [time, ["send_time", "in", [3, 5]], { values: [3, 5] }],
    [text, ["contact_email", "contains", "li"], { text: "li" }],
  ] as const)("knows its own choice, whoever wrote it: %#", (facet, criterion, choice) => {
    expect(facetChoice([open, criterion], facet)).toEqual(choice);
    expect(withoutFacet([open, criterion], facet)).toEqual([open]);
    expect(withFacet([open, criterion], facet, undefined)).toEqual([open]);
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
      { ...FIRST_VIEW, file: "orders & items.csv.gz", criteria: [["", "exactly", "__proto__"]] },
      {
        file: "",
        kind: "files",
        count: 1000,
        seed: 7,
        criteria: [["name", "contains", "a&b=#%ü"], "OR", ["size", "in", [null]]],
        sort: [
          ["last_modified_time", "ASC"],
          ["a DESC", "DESC"],
        ],
        columns: [{ name: "size", width: 90 }, { name: "a,b=&" }],
        isFrozen: true,
        tab: "how",
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
