// What a person reads: progress, times, tables, and the machine they are from.

import { cpus, totalmem } from "node:os";
import Table from "cli-table3";
import type { Comparison, Outcome } from "./compare.ts";
import type { Timing } from "./measure.ts";
import { versionOf } from "./peers/index.ts";

export function progress(text: string): void {
  // On a terminal one line that is written over; in a log one line each would be too many.
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  else if (!text.startsWith("query") || text.includes("round 1 of"))
    process.stderr.write(`${text}\n`);
}

export function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Nanoseconds in the unit that suits them, to three digits. */
export function time(nanoseconds: number): string {
  const [unit, size] =
    nanoseconds < 1e3
      ? (["ns", 1] as const)
      : nanoseconds < 1e6
        ? (["µs", 1e3] as const)
        : nanoseconds < 1e9
          ? (["ms", 1e6] as const)
          : (["s", 1e9] as const);
  return `${digits(nanoseconds / size)} ${unit}`;
}

export function count(n: number): string {
  return n.toLocaleString("en-US");
}

/** Three significant digits, without an exponent. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

function isTiming(outcome: Outcome | undefined): outcome is Timing {
  return outcome !== undefined && "median" in outcome;
}

function cell(outcome: Outcome | undefined): string {
  if (outcome === undefined) return "";
  if ("cannot" in outcome) return "can't";
  if ("wrong" in outcome) return "WRONG";
  return `${time(outcome.median)}\n${time(outcome.p25)} – ${time(outcome.p75)}`;
}

/** The fastest other peer of a query, and how many times its time tercet takes. */
function against({ outcomes }: Comparison): { best: string; ratio: number } | undefined {
  const tercet = outcomes.get("tercet");
  if (!isTiming(tercet)) return undefined;
  let best: { name: string; median: number } | undefined;
  for (const [name, outcome] of outcomes) {
    if (name === "tercet" || !isTiming(outcome)) continue;
    if (best === undefined || outcome.median < best.median) best = { name, median: outcome.median };
  }
  return best && { best: best.name, ratio: tercet.median / best.median };
}

/** Prints a table; a cell may have several lines. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const table = new Table({
    head: [...head],
    style: { head: [], border: [], compact: true },
    colAligns: head.map((_, i) => (i === 0 ? "left" : "right")),
  });
  for (const row of rows) table.push([...row]);
  print(table.toString());
}

export function printComparisons(
  comparisons: readonly Comparison[],
  peers: readonly string[],
): void {
  print(
    "\nMedian time of a call, and from p25 to p75. Ratio: tercet's median to the best other peer's.",
  );
  printTable(
    ["query", "matching", ...peers, "ratio"],
    comparisons.map((comparison) => {
      const { query, matching, outcomes } = comparison;
      const result = against(comparison);
      return [
        `${query.id} ${query.label}${query.offset > 0 ? `\n  (offset ${count(query.offset)})` : ""}`,
        count(matching),
        ...peers.map((name) => cell(outcomes.get(name))),
        result === undefined ? "" : `${digits(result.ratio)}\n${result.best}`,
      ];
    }),
  );
  for (const { query, outcomes } of comparisons) {
    for (const [name, outcome] of outcomes) {
      if ("wrong" in outcome) print(`WRONG: query ${query.id}, ${name}: ${outcome.wrong}`);
      if ("cannot" in outcome) print(`can't: query ${query.id}, ${name}: ${outcome.cannot}`);
    }
  }
}

/** Always printed: an empty list is an answer too. */
export function printWhereBehind(comparisons: readonly Comparison[]): void {
  print("\nWhere tercet is behind");
  const behind = comparisons.flatMap((comparison) => {
    const { query, outcomes } = comparison;
    const own = outcomes.get("tercet");
    if (own !== undefined && "wrong" in own) return [`query ${query.id}: its answer is wrong`];
    const result = against(comparison);
    return result === undefined || result.ratio <= 1
      ? []
      : [`query ${query.id}, ${query.label}: ${digits(result.ratio)} times ${result.best}`];
  });
  const nowhere = comparisons.length === 0 ? "(nothing was compared)" : "(nowhere)";
  print((behind.length === 0 ? [nowhere] : behind).map((line) => `  ${line}`).join("\n"));
}

export function printMachine(peers: readonly string[]): void {
  const processors = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  print(`\n${processors[0]?.model.trim() ?? "processor"} × ${processors.length}, ${memory} GiB`);
  print(`Node ${process.version}, V8 ${process.versions.v8}, ${process.platform} ${process.arch}`);
  print(peers.map((name) => `${name} ${versionOf(name)}`).join(", "));
}
