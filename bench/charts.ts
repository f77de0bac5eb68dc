// The charts of the report: Vega-Lite specifications, plain data made from raw results, so that a test can check that a
// picture matches the results without drawing it. `withDark` makes one picture for light and dark pages.

import { createHash } from "node:crypto";
import type { Row } from "./figure.ts";

export interface Chart {
  /** The name of its file, without `.svg`. */
  readonly name: string;
  /** Its title. */
  readonly title: string;
  readonly spec: object;
}

/** Arrays are circles, stores of objects triangles, tables of columns or rows squares. */
const STYLES: Readonly<Record<string, readonly [color: string, shape: string]>> = {
  tercet: ["#d7191c", "diamond"],
  loop: ["#555555", "circle"],
  lokijs: ["#e7298a", "triangle-up"],
  "@tanstack/db": ["#ff7f00", "triangle-up"],
  crossfilter2: ["#7570b3", "triangle-up"],
  arquero: ["#66a61e", "square"],
  "better-sqlite3": ["#1f78b4", "square"],
  duckdb: ["#000000", "square"],
};

/** The dark counterpart of each colour; other colours are visible on both. */
const DARK: Readonly<Record<string, string>> = {
  "#ffffff": "#0d1117",
  "#000": "#e6edf3",
  "#000000": "#f0f6fc",
  "#555555": "#9aa4af",
  "#888": "#6e7681",
  "#dddddd": "#30363d",
  "#eeeeee": "#21262d",
  "#d7191c": "#ff5c57",
  "#7570b3": "#a19cdb",
  "#1f78b4": "#58a6ff",
  "#3182bd": "#58a6ff",
};

const TIME_LABEL =
  "datum.value < 1e3 ? datum.value + ' ns' : datum.value < 1e6 ? datum.value / 1e3 + ' µs' : datum.value < 1e9 ? datum.value / 1e6 + ' ms' : datum.value / 1e9 + ' s'";

export const TIME_AXIS = {
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

/** Identifies the specification of a picture. */
export function fingerprintOf({ spec }: Chart): string {
  return createHash("sha256").update(JSON.stringify(spec)).digest("hex");
}

/** Adapts a picture to dark pages. */
export function withDark(svg: string): string {
  const rules = Object.entries(DARK).flatMap(([light, dark]) => [
    `[fill="${light}"]{fill:${dark}}`,
    `[stroke="${light}"]{stroke:${dark}}`,
  ]);
  const style = `<style>@media(prefers-color-scheme:dark){${rules.join("")}}</style>`;
  return svg.replace(/^<svg[^>]*>/, (tag) => tag + style);
}

/** The points of a chart. */
interface Points {
  /** What the rows are, in the plural. */
  readonly what: string;
  /** The name of a row in the specification. */
  readonly field: string;
  /** Of the rows. */
  readonly labels: readonly string[];
  readonly subtitle: string;
  /** The height of a row. */
  readonly step: number;
}

/** A line for each row of times, with a point for each peer. Its title says how often tercet is ahead. */
export function pointsChart(
  name: string,
  rows: readonly Row[],
  { what, field, labels, subtitle, step }: Points,
): Chart {
  const title = aheadIn(what, rows);
  const points = rows.flatMap(({ values }, i) =>
    Object.entries(values).map(([peer, time]) => ({ [field]: labels[i], peer, time })),
  );
  const isTercet = ({ peer }: (typeof points)[number]) => peer === "tercet";
  const peers = points.map(({ peer }) => peer);
  const spec = {
    ...frame(title, `${subtitle}; log scale, less is better`),
    // The last item is drawn on top.
    data: { values: [...points.filter((each) => !isTercet(each)), ...points.filter(isTercet)] },
    width: 560,
    height: { step },
    mark: { type: "point", filled: true, opacity: 0.9 },
    encoding: {
      y: {
        field,
        type: "nominal",
        sort: null,
        title: null,
        axis: { labelLimit: 0, grid: true, gridColor: "#eeeeee", ticks: false },
      },
      x: TIME_AXIS,
      color: peerColors(peers),
      shape: styleOf(peers, 1),
      size: { condition: { test: "datum.peer === 'tercet'", value: 170 }, value: 75 },
    },
  };
  return { name, title, spec };
}

export function frame(title: string, subtitle: string): object {
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
  const faster = rows.map(({ values: { tercet = Infinity, ...others } }) =>
    Object.values(others).filter((other) => other <= tercet),
  );
  const within = (peers: number) => faster.filter(({ length }) => length <= peers).length;
  return 2 * within(0) > rows.length
    ? `tercet is the fastest in ${within(0)} of ${rows.length} ${what}`
    : `tercet is first or second in ${within(1)} of ${rows.length} ${what}`;
}

export const peerColors = (peers: readonly string[]): object => styleOf(peers, 0);

/** One part of the style of these peers, in the order of STYLES. */
function styleOf(peers: readonly string[], part: 0 | 1): object {
  const domain = Object.keys(STYLES).filter((name) => peers.includes(name));
  const scale = { domain, range: domain.map((name) => STYLES[name]?.[part]) };
  return { field: "peer", type: "nominal", title: null, scale };
}
