// `npm run bench:report`: writes bench/RESULTS.md, its charts as SVG, and the tables in other documents.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { parse, View } from "vega";
import { compile } from "vega-lite";
import { fingerprintOf, withDark } from "./charts.ts";
import { chartsOf, merge, readRuns, reportOf, TABLES, withTable } from "./report.ts";

const runs = readRuns(process.argv[2] ?? "bench/results");
const target = process.argv[3] ?? "bench";
const report = reportOf(runs);
rmSync(`${target}/charts`, { recursive: true, force: true });
mkdirSync(`${target}/charts`, { recursive: true });
for (const chart of chartsOf(merge(runs))) {
  const view = new View(parse(compile(chart.spec).spec), { renderer: "none" });
  const svg = withDark(lean(await view.toSVG()));
  writeFileSync(`${target}/charts/${chart.name}.svg`, `${svg}\n<!-- ${fingerprintOf(chart)} -->\n`);
}
writeFileSync(`${target}/RESULTS.md`, report);
for (const table of target === "bench" ? TABLES : []) {
  const { document } = table;
  writeFileSync(document, withTable(readFileSync(document, "utf8"), table, runs));
}

/**
 * Half of what Vega writes, for the same picture: without attributes that only matter for an SVG inside
 * a page, and rounded to hundredths of a pixel.
 */
function lean(svg: string): string {
  return svg
    .replace(/ (?:role|class|aria-[a-z]+)="[^"]*"/g, "")
    .replace(/"[^"]*"/g, (value) => value.replace(/(\.\d\d)\d+/g, "$1"));
}
