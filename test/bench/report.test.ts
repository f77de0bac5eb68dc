// bench/RESULTS.md, its charts and the table of bench/README.md match the raw results, and no measurement runs a query
// twice.

import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fingerprintOf } from "../../bench/charts.ts";
import { FIGURES } from "../../bench/figures/index.ts";
import { flatContacts } from "../../bench/load.ts";
import { Asking } from "../../bench/measure.ts";
import { queriesFor } from "../../bench/queries.ts";
import {
  chartsOf,
  HEADLINE,
  headline,
  readResults,
  reportOf,
  withTable,
} from "../../bench/report.ts";

const results = readResults("bench/results");

describe("the committed report", () => {
  it("is what the raw results give", () => {
    const figures = results.map(({ figure }) => figure);
    expect(FIGURES.map(({ name }) => name)).toEqual(expect.arrayContaining(figures));
    expect(figures).toEqual(expect.arrayContaining(["queries", "updates", "loading"]));
    expect(readFileSync("bench/RESULTS.md", "utf8")).toBe(reportOf(results));
    const readme = readFileSync("bench/README.md", "utf8");
    expect(withTable(readme, HEADLINE, headline(results))).toBe(readme);
  });

  it("has pictures that were drawn from these results", () => {
    const charts = chartsOf(results);
    expect(readdirSync("bench/charts").sort()).toEqual(
      charts.map(({ name }) => `${name}.svg`).sort(),
    );
    for (const chart of charts) {
      const svg = readFileSync(`bench/charts/${chart.name}.svg`, "utf8");
      expect(svg, chart.name).toContain(fingerprintOf(chart));
    }
  });

  it("has pictures whose text is read on a light page and on a dark one", () => {
    for (const name of readdirSync("bench/charts")) {
      const svg = readFileSync(`bench/charts/${name}`, "utf8");
      const rules = svg.matchAll(/\[fill="(#[0-9a-f]+)"\]\{fill:(#[0-9a-f]+)\}/gu);
      const dark = new Map(Array.from(rules, ([, from = "", to = ""]) => [from, to]));
      const texts = svg.matchAll(/<text[^>]*fill="(#[0-9a-f]+)"/gu);
      const colors = new Set(Array.from(texts, ([, color = ""]) => color));
      expect(colors.size, name).toBeGreaterThan(0);
      for (const color of colors) {
        expect(contrast(color, "#ffffff"), `${name}: ${color}`).toBeGreaterThan(4.5);
        const onDark = contrast(dark.get(color) ?? color, dark.get("#ffffff") ?? "#ffffff");
        expect(onDark, `${name}: ${color}, dark`).toBeGreaterThan(4.5);
      }
    }
  });
});

describe("a measurement", () => {
  it("has no call twice among those of a question", () => {
    for (const { label, calls } of queriesFor(flatContacts(2000))) {
      expect(calls.length, label).toBeGreaterThan(10);
      expect(new Set(calls.map((call) => JSON.stringify(call))).size, label).toBe(calls.length);
    }
  });

  it.each([false, true])(
    "makes each call once, whether or not it returns a promise: %s",
    async (isAsync) => {
      const asked: number[] = [];
      const items = Array.from({ length: 5000 }, (_, i) => i);
      const asking = new Asking((item: number) => {
        asked.push(item);
        return isAsync ? Promise.resolve() : undefined;
      }, items);
      for (const most of [10, 2000, Infinity]) await asking.sample(Infinity, most);
      expect(asked).toEqual(items);
      expect(await asking.sample(Infinity, 1)).toEqual([]);
    },
  );
});

/** Of two colours, as the Web Content Accessibility Guidelines 2.2 define it: 1 to 21. */
function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: string): number {
  const digits = color.length === 4 ? color.replace(/[0-9a-f]/gu, "$&$&") : color;
  const channels = [1, 3, 5].map((at) => {
    const part = parseInt(digits.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const [red = 0, green = 0, blue = 0] = channels;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
