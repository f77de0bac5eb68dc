// bench/RESULTS.md and its charts match the raw results beside them.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { behind } from "../../bench/behind.ts";
import { fingerprintOf } from "../../bench/charts.ts";
import type { EngineFigures, EngineResults } from "../../bench/figures/engines.ts";
import { FIGURES, type Results } from "../../bench/figures/index.ts";
import { chartsOf, merge, readRuns, reportOf, TABLES, withTable } from "../../bench/report.ts";
import type { Timing } from "../../bench/results.ts";

const runs = readRuns("bench/results");
const results = merge(runs);
const report = reportOf(runs);

describe("the committed report", () => {
  it("is what the raw results give", () => {
    expect(readFileSync("bench/RESULTS.md", "utf8")).toBe(report);
  });

  it.each(TABLES)("gives $document its table", (table) => {
    const text = readFileSync(table.document, "utf8");
    const { head = [] } = table.section(results) ?? {};
    expect(head.length).toBeGreaterThan(0);
    expect(text).toMatch(new RegExp(`\\n${table.after}[^|]*\\n\\| ${head[0] ?? ""} `));
    expect(withTable(text, table, runs)).toBe(text);
    expect(withTable(text.replaceAll(/\d ns/g, "0 ns"), table, runs)).not.toContain(" 0 ns");
  });

  it("names only pictures that are there", () => {
    const named = readFileSync("bench/RESULTS.md", "utf8").matchAll(/\]\((charts\/.+?\.svg)\)/gu);
    const paths = Array.from(named, ([, path]) => `bench/${path ?? ""}`);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  it("has pictures that were drawn from these results", () => {
    const charts = chartsOf(results);
    const names = charts.map(({ name }) => `${name}.svg`).sort();
    expect(readdirSync("bench/charts").sort()).toEqual(names);
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

  it("compares tercet with peers over 1,000,000 contacts in all queries", () => {
    const whole = results.comparisons.find(({ size }) => size === 1_000_000);
    expect(whole?.queries.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    for (const { outcomes } of whole?.queries ?? []) {
      expect(outcomes.tercet).toHaveProperty("median");
      expect(Object.keys(outcomes).length).toBeGreaterThan(5);
    }
  });
});

describe("the figures", () => {
  it("share no name and no task", () => {
    for (const taken of [
      FIGURES.flatMap(({ names }) => names),
      FIGURES.flatMap(({ tasks = {} }) => Object.keys(tasks)),
    ]) {
      expect(taken).toEqual([...new Set(taken)]);
    }
  });

  it.each(FIGURES)("stand in the report: $names", ({ sections }) => {
    const titles = sections(results).map(({ title }) => title);
    expect(titles.length).toBeGreaterThan(0);
    for (const title of titles) expect(report).toContain(`## ${title}\n`);
  });
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

/** What every run has. */
const RUN = {
  command: "npm run bench",
  date: "2026-01-01",
  minutes: 1,
  machine: { processor: "", cores: 1, memory: 1, node: "", v8: "", platform: "" },
  rounds: 3,
  versions: {},
  leftOut: {},
};

describe("engines of several runs", () => {
  const timing = (median: number): Timing => ({ p25: median, median, p75: median });
  const LOOKUP = "1 unique lookup";
  const figures = (name: string, memory: number, engine: number): EngineFigures => ({
    name: `${name} 1.0`,
    load: 1,
    bytes: 1e6,
    queries: [{ label: LOOKUP, memory: timing(memory), engine: timing(engine) }],
  });
  const runWith = (engines: EngineResults): Results => ({
    ...RUN,
    comparisons: [],
    growth: [],
    engines,
  });
  const runOf = (name: string, memory: number, engine: number, size = 1000): Results =>
    runWith({
      size,
      engines: { [name]: figures(name, memory, engine) },
      before: { size: size / 10, engines: { [name]: figures(name, memory, engine / 2) } },
      compiling: [{ label: LOOKUP, calls: { compileSql: timing(memory) } }],
    });
  const rowsIn = (report: string, start: string) =>
    report
      .split("\n")
      .map((line) => line.replaceAll(/ +/gu, " "))
      .filter((line) => line.startsWith(`| ${start} |`));

  it("are in the same tables, in the order of the runs, beside the memory of the first", () => {
    const report = reportOf([runOf("DuckDB", 3000, 50_000), runOf("MariaDB", 7000, 90_000)]);
    expect(rowsIn(report, "query")).toContain("| query | memory | DuckDB | MariaDB |");
    expect(rowsIn(report, LOOKUP)).toEqual([
      `| ${LOOKUP} | 3 µs | 50 µs | 90 µs |`,
      `| ${LOOKUP} | 3 µs |`,
    ]);
    for (const [name, lookup] of [
      ["DuckDB", "50 µs"],
      ["MariaDB", "90 µs"],
    ] as const) {
      const rows = rowsIn(report, `${name} 1.0`);
      expect(rows).toHaveLength(2);
      expect(rows[1]).toContain(`| 1,000 | ${lookup} |`);
    }
  });

  it("have their bytes in memory or on disk", () => {
    const engines = {
      SQLite: { ...figures("SQLite", 1, 1), inMemory: true },
      DuckDB: figures("DuckDB", 1, 1),
    };
    const report = reportOf([runWith({ size: 1000, engines, compiling: [] })]);
    expect(rowsIn(report, "SQLite 1.0")).toContainEqual(
      expect.stringContaining("| 1000, memory |"),
    );
    expect(rowsIn(report, "DuckDB 1.0")).toContainEqual(expect.stringContaining("| 1000, disk |"));
  });

  it("were not all asked the same queries", () => {
    const more = { label: "11 all, 100 at n/2", memory: timing(1), engine: timing(2) };
    const asked = figures("MariaDB", 1, 90_000);
    const other = { ...asked, queries: [more, ...asked.queries] };
    const report = reportOf([
      runOf("DuckDB", 3000, 50_000),
      runWith({ size: 1000, engines: { MariaDB: other }, compiling: [] }),
    ]);
    expect(rowsIn(report, LOOKUP)[0]).toBe(`| ${LOOKUP} | 3 µs | 50 µs | 90 µs |`);
    expect(rowsIn(report, more.label)).toEqual([`| ${more.label} | – | – | 2 ns |`]);
  });

  it("grow from the tenth that their own run had", () => {
    const one = runOf("DuckDB", 1, 50);
    const other = runOf("MariaDB", 1, 90);
    expect(merge([one, other]).engines?.before).toEqual({
      size: 100,
      engines: { ...one.engines?.before?.engines, ...other.engines?.before?.engines },
    });
    const small = runWith({ size: 1000, engines: {}, compiling: [] });
    expect(merge([small, other]).engines).toMatchObject({ ...other.engines, compiling: [] });
  });

  it.each([
    ["the same engine", runOf("DuckDB", 1, 1)],
    ["other sizes", runOf("MariaDB", 1, 1, 2000)],
  ])("are refused with %s", (_, other) => {
    expect(() => merge([runOf("DuckDB", 1, 1), other])).toThrow(
      "two runs have the same engine, or engines of different sizes",
    );
  });
});

describe("what counts as behind", () => {
  const timing = (median: number): Timing => ({ p25: median, median, p75: median });
  const resultsWith = (
    outcomes: Results["comparisons"][number]["queries"][number]["outcomes"],
  ) => ({
    ...RUN,
    comparisons: [
      {
        size: 1000,
        loading: {},
        queries: [{ id: 11, label: "all", offset: 0, matching: 1000, outcomes }],
      },
    ],
    growth: [],
  });

  it("is every peer with a lower median, and no other", () => {
    const results = resultsWith({
      tercet: timing(100),
      loop: timing(99),
      sift: { cannot: "it filters, and nothing else" },
      mingo: timing(100),
      arquero: { wrong: "0 rows for 100" },
    });
    expect(behind(results).map(({ row, peer }) => [row.name, peer])).toEqual([
      ["query 11", "loop"],
    ]);
  });

  it("is also who opens its file faster, the import included", () => {
    const opened = (imported: number, open: number) => ({
      save: 1,
      bytes: 1,
      imported: timing(imported),
      open: timing(open),
      lookup: timing(1),
      page: timing(1),
      resident: 1,
    });
    const peers = { tercet: opened(5, 5), "better-sqlite3": opened(4, 5), lokijs: opened(9, 3) };
    const results = { ...resultsWith({}), open: { size: 1000, peers } };
    expect(behind(results).map(({ row, peer, other }) => [row.name, peer, other])).toEqual([
      ["opening and first lookup", "better-sqlite3", 10],
    ]);
  });

  it("is nothing where tercet has no number, and the report says that", () => {
    const results = resultsWith({ tercet: { wrong: "1 row for 2" }, loop: timing(1) });
    expect(behind(results)).toEqual([]);
    expect(reportOf([results])).toContain("wrong: 1 row for 2");
  });

  it("fails the report where no sentence says why", () => {
    const results = resultsWith({ tercet: timing(100), "a new peer": timing(1) });
    expect(() => reportOf([results])).toThrow("query 11: a new peer");
  });

  it("prints the list also when it is empty", () => {
    const results = resultsWith({ tercet: timing(1), loop: timing(2) });
    expect(reportOf([results])).toContain("## Where tercet is behind\n\nIn no measured row.");
  });
});

describe("merging runs", () => {
  const [run] = runs;
  it("refuses two answers to one question", () => {
    expect(run).toBeDefined();
    if (run !== undefined) expect(() => merge([run, run])).toThrow(/two runs have/u);
  });

  it("refuses results of different machines", () => {
    if (run === undefined) throw new Error("there are no results");
    const other = { ...run, comparisons: [], growth: [], machine: { ...run.machine, cores: 64 } };
    expect(() => merge([run, other])).toThrow("different machines");
  });
});
