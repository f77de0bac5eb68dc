// `npm run bench:report`: writes bench/RESULTS.md, its charts as SVG, and the table of bench/README.md.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { parse, View } from "vega";
import { compile } from "vega-lite";
import { fingerprintOf, withDark } from "./charts.ts";
import { chartsOf, HEADLINE, headline, readResults, reportOf, withTable } from "./report.ts";

const results = readResults("bench/results");
rmSync("bench/charts", { recursive: true, force: true });
mkdirSync("bench/charts");
for (const chart of chartsOf(results)) {
  const view = new View(parse(compile(chart.spec).spec), { renderer: "none" });
  const svg = withDark(lean(await view.toSVG()));
  writeFileSync(`bench/charts/${chart.name}.svg`, `${svg}\n<!-- ${fingerprintOf(chart)} -->\n`);
}
writeFileSync("bench/RESULTS.md", reportOf(results));
const readme = "bench/README.md";
writeFileSync(readme, withTable(readFileSync(readme, "utf8"), HEADLINE, headline(results)));

/**
 * Half of what Vega writes, for the same picture: without attributes that only matter for an SVG inside
 * a page, and rounded to hundredths of a pixel.
 */
function lean(svg: string): string {
  return svg
    .replace(/ (?:role|class|aria-[a-z]+)="[^"]*"/g, "")
    .replace(/"[^"]*"/g, (value) => value.replace(/(\.\d\d)\d+/g, "$1"));
}
