// The charts of the report as Vega-Lite specifications: plain data made from raw results, so that a test
// can tell whether a picture is that of the results without drawing it. `withDark` makes one picture for
// light and for dark pages.

import { createHash } from "node:crypto";
import { queryRows, UPDATE_ROWS, updateRows, type Row } from "./behind.ts";
import { count } from "./format.ts";
import { isMissing, isTiming, type Comparison, type Results } from "./results.ts";
import { growthOf } from "./tables.ts";

export interface Chart {
  /** Of its file, without `.svg`. */
  readonly name: string;
  /** What it says, in words. */
  readonly title: string;
  readonly spec: object;
}

/** Arrays are circles, stores of objects triangles, tables of columns or rows squares. */
const STYLES: Readonly<Record<string, readonly [color: string, shape: string]>> = {
  tercet: ["#d7191c", "diamond"],
  loop: ["#555555", "circle"],
  sift: ["#a6761d", "circle"],
  mingo: ["#e6ab02", "circle"],
  immer: ["#1b9e77", "circle"],
  lokijs: ["#e7298a", "triangle-up"],
  "@tanstack/db": ["#ff7f00", "triangle-up"],
  alasql: ["#b15928", "triangle-up"],
  crossfilter2: ["#7570b3", "triangle-up"],
  arquero: ["#66a61e", "square"],
  "better-sqlite3": ["#1f78b4", "square"],
  "node:sqlite": ["#a6cee3", "square"],
  duckdb: ["#000000", "square"],
  chdb: ["#cab2d6", "square"],
};

/** What each colour of a picture becomes on a dark page; one that is not here is seen on both. */
const DARK: Readonly<Record<string, string>> = {
  "#ffffff": "#0d1117",
  "#000": "#e6edf3",
  "#000000": "#f0f6fc",
  "#555555": "#9aa4af",
  "#888": "#6e7681",
  "#dddddd": "#30363d",
  "#eeeeee": "#21262d",
  "#d7191c": "#ff5c57",
  "#a6761d": "#c8973f",
  "#b15928": "#d27a47",
  "#7570b3": "#a19cdb",
  "#1f78b4": "#58a6ff",
  "#3182bd": "#58a6ff",
};

const POINT = { type: "point", filled: true, opacity: 0.9 };

const TIME_LABEL =
  "datum.value < 1e3 ? datum.value + ' ns' : datum.value < 1e6 ? datum.value / 1e3 + ' µs' : datum.value < 1e9 ? datum.value / 1e6 + ' ms' : datum.value / 1e9 + ' s'";

const TIME_AXIS = {
  field: "time",
  type: "quantitative",
  scale: { type: "log", nice: true },
  title: null,
  axis: {
    values: Array.from({ length: 12 }, (_, i) => 10 ** i),
    labelExpr: TIME_LABEL,
    labelOverlap: false,
    labelFlush: false,
    gridColor: "#dddddd",
  },
};

export function chartsOf(results: Results): Chart[] {
  const { comparisons, updates } = results;
  return [
    ...comparisons.filter(({ queries }) => queries.length > 0).map(queriesChart),
    ...(results.growth.length > 0 ? [growthChart(results)] : []),
    ...comparisons.map(memoryChart),
    ...(updates === undefined ? [] : [updatesChart(updates)]),
  ];
}

/** By this a picture names the specification that it was drawn from. */
export function fingerprintOf({ spec }: Chart): string {
  return createHash("sha256").update(JSON.stringify(spec)).digest("hex");
}

/** A picture that is dark where the reader's pages are. */
export function withDark(svg: string): string {
  const rules = Object.entries(DARK).flatMap(([light, dark]) => [
    `[fill="${light}"]{fill:${dark}}`,
    `[stroke="${light}"]{stroke:${dark}}`,
  ]);
  const style = `<style>@media(prefers-color-scheme:dark){${rules.join("")}}</style>`;
  return svg.replace(/^<svg[^>]*>/, (tag) => tag + style);
}

function queriesChart(comparison: Comparison): Chart {
  const { size, queries } = comparison;
  const title = aheadIn("queries", queryRows(comparison));
  const points = queries.flatMap(({ id, label, outcomes }) =>
    Object.entries(outcomes).flatMap(([peer, outcome]) =>
      isTiming(outcome) ? [{ query: `${id}  ${label}`, peer, time: outcome.median }] : [],
    ),
  );
  return {
    name: `queries-${size}`,
    title: `${title}, ${count(size)} contacts`,
    spec: {
      ...frame(
        title,
        `Median time of a call over ${count(size)} contacts; log scale, less is better`,
      ),
      data: { values: tercetLast(points) },
      width: 560,
      height: { step: 30 },
      mark: POINT,
      encoding: {
        y: {
          field: "query",
          type: "nominal",
          sort: null,
          title: null,
          axis: { labelLimit: 0, grid: true, gridColor: "#eeeeee", ticks: false },
        },
        x: TIME_AXIS,
        ...styleOf(points.map(({ peer }) => peer)),
      },
    },
  };
}

function growthChart(results: Results): Chart {
  const bySize = growthOf(results);
  const ids = [...new Set(results.growth.flatMap(({ queries }) => queries.map(({ id }) => id)))];
  const points = bySize.flatMap(({ size, queries }) =>
    queries
      .filter(({ id }) => ids.includes(id))
      .flatMap(({ id, label, outcomes }) =>
        Object.entries(outcomes).flatMap(([peer, outcome]) =>
          isTiming(outcome) ? [{ query: `${id}  ${label}`, size, peer, time: outcome.median }] : [],
        ),
      ),
  );
  const sizes = bySize.map(({ size }) => size);
  const title = `From ${count(Math.min(...sizes))} to ${count(Math.max(...sizes))} contacts`;
  return {
    name: "growth",
    title,
    spec: {
      ...frame(title, "Median time of a call by number of contacts; both scales logarithmic"),
      data: { values: points },
      facet: {
        field: "query",
        type: "nominal",
        sort: [...new Set(points.map(({ query }) => query))],
        title: null,
        header: { labelFontSize: 13, labelFontWeight: "bold" },
      },
      columns: 2,
      spec: {
        width: 300,
        height: 240,
        mark: { type: "line", point: { size: 40, filled: true }, strokeWidth: 1.5 },
        encoding: {
          x: {
            field: "size",
            type: "quantitative",
            scale: { type: "log", domain: [Math.min(...sizes), Math.max(...sizes)] },
            title: "contacts",
            axis: { values: sizes, format: "~s", gridColor: "#eeeeee" },
          },
          y: TIME_AXIS,
          color: colorOf(points.map(({ peer }) => peer)),
          strokeWidth: { condition: { test: "datum.peer === 'tercet'", value: 4 }, value: 1.5 },
        },
      },
    },
  };
}

function memoryChart({ size, loading }: Comparison): Chart {
  const bars = Object.entries(loading).flatMap(([peer, each]) =>
    isMissing(each)
      ? []
      : [
          { peer, part: "records", order: 0, megabytes: each.records / 1e6 },
          { peer, part: "indexes", order: 1, megabytes: each.indexes / 1e6 },
        ],
  );
  const title = "Memory of records and indexes";
  return {
    name: `memory-${size}`,
    title: `${title}, ${count(size)} contacts`,
    spec: {
      ...frame(title, `MB for ${count(size)} contacts, each peer in a process of its own`),
      data: { values: bars.map((bar) => ({ ...bar, megabytes: Math.max(0, bar.megabytes) })) },
      width: 560,
      height: { step: 24 },
      mark: "bar",
      encoding: {
        y: {
          field: "peer",
          type: "nominal",
          title: null,
          sort: { field: "megabytes", op: "sum", order: "ascending" },
        },
        x: {
          field: "megabytes",
          type: "quantitative",
          title: "MB",
          axis: { gridColor: "#eeeeee", tickCount: 8 },
        },
        color: {
          field: "part",
          type: "nominal",
          title: null,
          scale: { domain: ["records", "indexes"], range: ["#9ecae1", "#3182bd"] },
        },
        order: { field: "order", type: "quantitative" },
      },
    },
  };
}

function updatesChart({ size, peers }: NonNullable<Results["updates"]>): Chart {
  const points = Object.entries(UPDATE_ROWS).flatMap(([what, of]) =>
    Object.entries(peers).flatMap(([peer, each]) =>
      isMissing(each) ? [] : [{ what, peer, time: of(each) }],
    ),
  );
  const title = aheadIn("kinds of update and query after it", updateRows(size, peers));
  const names = points.map(({ peer }) => peer);
  return {
    name: "updates",
    title: `${title}, ${count(size)} contacts`,
    spec: {
      ...frame(title, `Time over ${count(size)} contacts; log scale, less is better`),
      data: { values: tercetLast(points) },
      width: 560,
      height: { step: 34 },
      mark: POINT,
      encoding: {
        y: {
          field: "what",
          type: "nominal",
          sort: null,
          title: null,
          axis: { labelLimit: 0, grid: true, gridColor: "#eeeeee", ticks: false },
        },
        x: TIME_AXIS,
        ...styleOf(names),
      },
    },
  };
}

function frame(title: string, subtitle: string): object {
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    background: "#ffffff",
    padding: 16,
    title: {
      text: title,
      subtitle,
      anchor: "start",
      fontSize: 17,
      subtitleFontSize: 13,
      subtitleColor: "#555555",
      subtitlePadding: 6,
      offset: 14,
    },
    config: {
      font: "Helvetica, Arial, sans-serif",
      axis: { labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal" },
      legend: { labelFontSize: 12, symbolSize: 90, symbolStrokeWidth: 2 },
      view: { stroke: null },
    },
  };
}

function aheadIn(what: string, rows: readonly Row[]): string {
  const faster = rows.map(({ values }) => {
    const { tercet = Infinity, ...others } = values;
    return Object.values(others).filter((other) => other <= tercet).length;
  });
  const first = faster.filter((peers) => peers === 0).length;
  if (2 * first > rows.length) {
    return `tercet is the fastest in ${first} of ${rows.length} ${what}`;
  }
  const firstOrSecond = faster.filter((peers) => peers <= 1).length;
  return `tercet is first or second in ${firstOrSecond} of ${rows.length} ${what}`;
}

/** What is drawn last is not covered. */
function tercetLast<Point extends { readonly peer: string }>(points: readonly Point[]): Point[] {
  const isTercet = ({ peer }: Point) => peer === "tercet";
  return [...points.filter((point) => !isTercet(point)), ...points.filter(isTercet)];
}

/** The peers among these names, in the order of STYLES, with one part of their style. */
function scaleOf(names: readonly string[], part: 0 | 1): object {
  const domain = Object.keys(STYLES).filter((name) => names.includes(name));
  return { domain, range: domain.map((name) => STYLES[name]?.[part]) };
}

function colorOf(names: readonly string[]): object {
  return { field: "peer", type: "nominal", title: null, scale: scaleOf(names, 0) };
}

function styleOf(names: readonly string[]): object {
  return {
    color: colorOf(names),
    shape: { field: "peer", type: "nominal", title: null, scale: scaleOf(names, 1) },
    size: { condition: { test: "datum.peer === 'tercet'", value: 170 }, value: 75 },
  };
}
