// The benchmark: `npm run bench -- --help`. Measures what is requested, stores it, and prints it.

import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { Command, InvalidArgumentError } from "commander";
import { makeAvailable, versionOf } from "./available.ts";
import type { Plan } from "./figure.ts";
import { FIGURES } from "./figures/index.ts";
import { PEERS } from "./peers/index.ts";
import { sectionsOf, tableOf } from "./report.ts";
import type { Results } from "./results.ts";

interface Options {
  readonly figures: readonly string[];
  readonly peers: readonly string[];
  readonly size?: number;
  readonly quick: boolean;
  readonly out: string;
}

const options = readOptions();
const leftOut: Record<string, string> = {};
for (const name of options.peers) {
  const why = makeAvailable(name);
  if (why !== undefined) leftOut[name] = why;
}
const plan = planOf(options);
mkdirSync(options.out, { recursive: true });
for (const figure of FIGURES) {
  if (!options.figures.includes(figure.name)) continue;
  const started = performance.now();
  const result = await figure.measure({
    plan,
    say: (text) => void process.stderr.write(`${text}\n`),
  });
  const results: Results = {
    figure: figure.name,
    command: `npm run bench -- --figures ${figure.name}${sizeOf(options)}`,
    date: new Date().toISOString().slice(0, 10),
    minutes: Number(((performance.now() - started) / 60_000).toFixed(1)),
    machine: thisMachine(),
    rounds: plan.rounds.rounds,
    versions: Object.fromEntries(plan.peers.map((name) => [name, versionOf(name)])),
    leftOut,
    result,
  };
  writeFileSync(`${options.out}/${figure.name}.json`, `${JSON.stringify(results)}\n`);
  print(results);
}
process.stdout.write(`\nraw results: ${options.out}\n`);

function planOf({ size, quick, peers }: Options): Plan {
  return {
    size: size ?? (quick ? 10_000 : 1_000_000),
    peers: peers.filter((name) => !(name in leftOut)),
    quick,
    rounds: quick
      ? { rounds: 2, milliseconds: 20, warmUp: 60 }
      : { rounds: 3, milliseconds: 300, warmUp: 300 },
    limits: quick ? { load: 20, query: 5, again: 3 } : { load: 150, query: 20, again: 30 },
  };
}

function sizeOf({ size, quick }: Options): string {
  return (size === undefined ? "" : ` --size ${size}`) + (quick ? " --quick" : "");
}

function print(results: Results): void {
  for (const { title, note, head, rows } of sectionsOf([results])) {
    process.stdout.write(`\n${title}\n${note === undefined ? "" : `${note}\n`}`);
    process.stdout.write(`\n${tableOf(head, rows)}\n`);
  }
}

function thisMachine(): Results["machine"] {
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
  const peers = Object.keys(PEERS);
  const names = FIGURES.map(({ name }) => name);
  const list = FIGURES.map(({ name, what, isExtra }) => {
    return `  ${name.padEnd(9)} ${what}${isExtra === true ? " (only on request)" : ""}`;
  });
  return new Command("npm run bench --")
    .description("Measures tercet beside its peers, on the same contacts and the same questions.")
    .option("--figures <names>", "separated by commas", oneOf(names), defaults())
    .option("--peers <names>", `separated by commas: ${peers.join(", ")}`, oneOf(peers), peers)
    .option("--size <contacts>", "how many contacts (default: 1000000)", positive)
    .option("--quick", "10,000 contacts and short rounds", false)
    .option(
      "--out <folder>",
      "where the raw results go, a file for each figure",
      // Ignored by git.
      "bench/node_modules/.cache/results",
    )
    .addHelpText("after", `\nFigures:\n${list.join("\n")}`)
    .parse()
    .opts<Options>();
}

function defaults(): string[] {
  return FIGURES.filter(({ isExtra }) => isExtra !== true).map(({ name }) => name);
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
