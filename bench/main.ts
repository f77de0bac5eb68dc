// The benchmark: `npm run bench -- --help`. Measures what is requested, stores it, and prints it.

import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { dirname } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { startProgress } from "../src/cli/progress.ts";
import { makeAvailable, versionOf } from "./available.ts";
import { stepSeconds, type Plan, type Run } from "./figure.ts";
import { PLACES } from "./figures/engines.ts";
import { FIGURES, type Results } from "./figures/index.ts";
import { PEERS } from "./peers/index.ts";
import { mergedParts, sectionsOf, tableOf } from "./report.ts";
import type { RunInfo } from "./results.ts";

/** Ignored by git. */
const LAST_RUN = "bench/node_modules/.cache/last-run.json";

interface Options extends Pick<Plan, "figures" | "queries" | "engines" | "quick"> {
  readonly size?: number;
  readonly growthTo?: number;
  readonly peers?: readonly string[];
  readonly out: string;
}

const started = performance.now();
const options = readOptions();
const { peers, leftOut } = available(options);
const plan = planOf(options, peers);
const figures = FIGURES.filter(({ names }) => names.some((name) => plan.figures.includes(name)));
const progress = startProgress("", {
  total: figures.reduce((sum, figure) => sum + figure.seconds(plan), 0),
  unit: "seconds",
  log: true,
});
const run: Run = {
  plan,
  progress,
  async step(label, run) {
    progress.say(label);
    const result = await run();
    progress.advance(stepSeconds(plan));
    return result;
  },
};
const measured = mergedParts([]);
for (const figure of figures) Object.assign(measured, await figure.measure(run));
progress.stop();
const results: Results = {
  command: `npm run bench -- ${process.argv.slice(2).join(" ")}`.trim(),
  date: new Date().toISOString().slice(0, 10),
  minutes: Number(((performance.now() - started) / 60_000).toFixed(1)),
  machine: thisMachine(),
  rounds: plan.rounds.rounds,
  versions: Object.fromEntries(peers.map((name) => [name, versionOf(name)])),
  leftOut,
  ...measured,
};
mkdirSync(dirname(options.out), { recursive: true });
writeFileSync(options.out, `${JSON.stringify(results, null, 2)}\n`);
print(results);
process.stdout.write(`\nraw results: ${options.out}\n`);

/** The peers that can take part, and why the others can't. */
function available({ peers: named, quick }: Options) {
  const leftOut: Record<string, string> = {};
  for (const name of named ?? Object.keys(PEERS)) {
    const why = makeAvailable(name, { byName: named !== undefined, quick });
    if (why === undefined) continue;
    process.stderr.write(`${name} is left out: ${why}\n`);
    leftOut[name] = why;
  }
  return { peers: (named ?? Object.keys(PEERS)).filter((name) => !(name in leftOut)), leftOut };
}

function planOf(options: Options, peers: readonly string[]): Plan {
  const { figures, queries, engines, quick } = options;
  const size = options.size ?? (quick ? 10_000 : 1_000_000);
  return {
    ...{ figures, queries, engines, quick, peers, size },
    growthTo: options.growthTo ?? size,
    many: Math.min(10_000, size / 10),
    rounds: quick
      ? { rounds: 2, milliseconds: 20, warmUp: 60 }
      : { rounds: 3, milliseconds: 300, warmUp: 300 },
    limits: quick ? { load: 20, query: 5, again: 3 } : { load: 150, query: 20, again: 30 },
  };
}

function print(results: Results): void {
  for (const { title, note, head, rows, remarks = [] } of sectionsOf(results)) {
    process.stdout.write(`\n${title}\n${note === undefined ? "" : `${note}\n`}`);
    if (rows.length === 0) continue;
    process.stdout.write(`\n${tableOf(head, rows)}\n`);
    for (const [i, remark] of remarks.entries()) process.stdout.write(`${i + 1}. ${remark}\n`);
  }
}

function thisMachine(): RunInfo["machine"] {
  const [processor] = cpus();
  return {
    processor: processor?.model.trim() ?? "unknown",
    cores: cpus().length,
    memory: totalmem(),
    node: process.version,
    v8: process.versions.v8,
    platform: `${process.platform} ${process.arch}`,
  };
}

function readOptions(): Options {
  const namesOf = (all: typeof FIGURES) => all.flatMap(({ names }) => names);
  const peers = Object.keys(PEERS);
  return new Command("npm run bench --")
    .description("Measures tercet against its peers.")
    .option("--size <contacts>", "how many contacts (default: 1000000)", positive)
    .option(
      "--peers <names>",
      `separated by commas: ${peers.join(", ")} (default: all but chdb)`,
      oneOf(peers),
    )
    .option(
      "--queries <numbers>",
      "numbers from 1 to 12, separated by commas",
      (text) => text.split(",").map(positive),
      Array.from({ length: 12 }, (_, i) => i + 1),
    )
    .option(
      "--figures <names>",
      `separated by commas: ${namesOf(FIGURES).join(", ")}`,
      oneOf(namesOf(FIGURES)),
      namesOf(FIGURES.filter(({ isExtra }) => isExtra !== true)),
    )
    .option(
      "--engines <names>",
      `for the figure engines, separated by commas: ${PLACES.join(", ")}`,
      oneOf(PLACES),
      PLACES,
    )
    .option(
      "--growth-to <contacts>",
      "the largest size in the tables of growth (default: as --size)",
      positive,
    )
    .option("--quick", "10,000 contacts and short rounds: about two minutes", false)
    .option("--out <file>", "where the raw results go", LAST_RUN)
    .parse()
    .opts<Options>();
}

function positive(text: string): number {
  const value = Number(text.replaceAll("_", ""));
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError("must be a positive integer");
}

function oneOf(known: readonly string[]): (text: string) => string[] {
  return (text) => {
    const names = text.split(",");
    const unknown = names.find((name) => !known.includes(name));
    if (unknown === undefined) return names;
    throw new InvalidArgumentError(`${unknown} is not one of ${known.join(", ")}`);
  };
}
