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
import { FIRST_VIEW, fromLink, toLink, type View } from "../../src/playground/link.ts";

const open = ["open_type", "exactly", "html"];
const early = ["send_time", "less_than", 11];
const late = ["send_time", "greater_than", 4];

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
    const chosen = withFacet([open, "OR", early], "open_country", { values: ["Peru", null] });
    const country = ["open_country", "in", ["Peru", null]];
    expect(chosen).toEqual([open, country, "OR", early, country]);
    expect(withFacet(chosen, "open_country", undefined)).toEqual([open, "OR", early]);
    expect(withFacet(chosen, "open_country", { values: [] })).toEqual([open, "OR", early]);
  });

  test("selects integers with both ends", () => {
    const list = withFacet([open], "send_time", { from: 5, to: 10 });
    expect(list).toEqual([open, late, early]);
    expect(facetChoice(list, "send_time")).toEqual({ from: 5, to: 10 });
    expect(facetChoice([open, early], "send_time")).toEqual({ from: -Infinity, to: 10 });
    expect(facetChoice([open], "send_time")).toBeUndefined();
  });

  test("is counted without its own choice; a group of nothing else selects everything", () => {
    expect(withoutFacet([open, late, early], "send_time")).toEqual([open]);
    expect(withoutFacet([late, "OR", open], "send_time")).toBeNull();
    expect(withFacet([late, "OR", open], "send_time", undefined)).toEqual([]);
  });

  test("leaves other criteria on its field as they are", () => {
    const typed = ["open_country", "contains", "land"];
    const list = withFacet([typed], "open_country", { values: ["Finland"] });
    expect(list).toEqual([typed, ["open_country", "in", ["Finland"]]]);
    expect(facetChoice(list, "open_country")).toEqual({ values: ["Finland"] });
    expect(facetChoice([["open_country", "in", "a,b"]], "open_country")).toEqual({
      values: ["a", "b"],
    });
  });
});

describe("a link", () => {
  test("shows what was shown", () => {
    const views: View[] = [
      FIRST_VIEW,
      {
        kind: "files",
        count: 1000,
        seed: 7,
        criteria: [["name", "contains", "a&b=#%ü"], "OR", ["size", "in", [null]]],
        sortBy: "last_modified_time",
        sortOrder: "ASC",
        tab: "how",
        indexes: "none",
      },
    ];
    for (const view of views) expect(fromLink(toLink(view))).toEqual(view);
  });

  test("from anywhere: what is not valid is as if it were not there", () => {
    expect(fromLink("")).toEqual(FIRST_VIEW);
    expect(fromLink("#count=1e9&seed=-1&criteria=%7B&sort=x&show=all&data=rows&indexes=5")).toEqual(
      FIRST_VIEW,
    );
  });
});
