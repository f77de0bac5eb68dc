// The benchmark: `npm run bench -- --help`. Measures what is asked for, stores it, and prints it.

import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { dirname } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { startProgress } from "../src/cli/progress.ts";
import { makeAvailable, versionOf } from "./available.ts";
import { compare, cost, type Limits } from "./compare.ts";
import { COUNTING } from "./figures/counts.ts";
import type { Amounts } from "./figures/updates.ts";
import { installPackages } from "../test/engines/install.ts";
import { placeNames, type PlaceName } from "./figures/places.ts";
import { callEngine, callOnce, orMissing } from "./host.ts";
import type { Rounds } from "./measure.ts";
import { opening } from "./opening.ts";
import { PEERS } from "./peers/index.ts";
import { tableOf } from "./report.ts";
import {
  isMissing,
  type Comparison,
  type Counts,
  type EngineFigures,
  type Machine,
  type Missing,
  type Results,
  type Updates,
  type WatchedKind,
  type Watchers,
} from "./results.ts";
import { KEYED } from "./queries.ts";
import { sectionsOf } from "./tables.ts";

const FIGURES = [
  "queries",
  "growth",
  "first",
  "parts",
  "envelope",
  "prepared",
  "profiles",
  "counts",
  "page",
  "updates",
  "watchers",
  "open",
  "share",
  "engines",
];
/** How many fresh processes open a file. */
const OPENINGS = 7;
/** Those whose growth is shown: lookup, selective contains, sorted page, unsorted page. */
const GROWTH_QUERIES = [1, 5, 9, 11];
const SMALLEST = 1000;
/** Beyond this, only these. */
const LARGE = 1_000_000;
const LARGE_PEERS = ["tercet", "loop"];
/** Those that are changed and then asked. */
const UPDATING = [
  "tercet",
  "loop",
  "immer",
  "lokijs",
  "@tanstack/db",
  "better-sqlite3",
  "node:sqlite",
];
/** Those that have live queries. */
const WATCHING = ["tercet", "@tanstack/db"];
/** How many contacts they are over, at most. */
const WATCHED = 100_000;
/** Ignored by git. */
const LAST_RUN = "bench/node_modules/.cache/last-run.json";

interface Options {
  readonly size?: number;
  readonly peers?: readonly string[];
  readonly engines: readonly PlaceName[];
  readonly queries: readonly number[];
  readonly figures: readonly string[];
  readonly growthTo?: number;
  readonly quick: boolean;
  readonly out: string;
}

await main();

async function main(): Promise<void> {
  const started = performance.now();
  const options = readOptions();
  const { quick } = options;
  const size = options.size ?? (quick ? 10_000 : 1_000_000);
  const rounds: Rounds = quick
    ? { rounds: 2, milliseconds: 20, warmUp: 60 }
    : { rounds: 3, milliseconds: 300, warmUp: 300 };
  const limits: Limits = quick
    ? { load: 20, query: 5, again: 3 }
    : { load: 150, query: 20, again: 30 };
  const amounts: Amounts = {
    ...rounds,
    single: 100,
    row: Math.min(10_000, size / 10),
    bulk: Math.min(10_000, size / 10),
    most: quick ? 700 : 30_000,
  };
  const wants = (figure: string) => options.figures.includes(figure);

  const leftOut: Record<string, string> = {};
  const asked = options.peers ?? Object.keys(PEERS);
  const peers = asked.filter((name) => {
    const why = makeAvailable(name, { byName: options.peers !== undefined, quick });
    if (why === undefined) return true;
    process.stderr.write(`${name} is left out: ${why}\n`);
    leftOut[name] = why;
    return false;
  });
  const comparing = peers.filter((name) => PEERS[name]?.onlyUpdates !== true);
  const updating = wants("updates") ? peers.filter((name) => UPDATING.includes(name)) : [];
  const counting = wants("counts") ? comparing.filter((name) => name in COUNTING) : [];
  const watching = wants("watchers") ? peers.filter((name) => WATCHING.includes(name)) : [];

  const sizes: number[] = [];
  if (wants("growth")) {
    const largest = options.growthTo ?? size;
    for (let each = SMALLEST; each * 10 <= largest; each *= 10) sizes.push(each);
    sizes.push(largest);
  }
  // A key is looked up in memory only, and beside peers.
  const queried = options.queries.filter((id) => id !== KEYED);
  const comparesAll = wants("queries") ? [size] : [];
  const planned = [
    ...sizes
      .filter((each) => !comparesAll.includes(each))
      .map((each) => ({ size: each, ids: GROWTH_QUERIES })),
    ...comparesAll.map((each) => ({ size: each, ids: options.queries })),
  ].sort((a, b) => a.size - b.size);
  const within = (at: number) =>
    comparing.filter((name) => at <= LARGE || LARGE_PEERS.includes(name));
  const costs = planned.map((each) =>
    cost.compare(each.size, within(each.size).length, each.ids.length, rounds),
  );
  const figureCost = 2 + size / 30_000;
  const one = [
    "first",
    "parts",
    "envelope",
    "prepared",
    "profiles",
    "open",
    "share",
    "page",
    "engines",
  ].filter(wants);
  const figures = one.length + counting.length + 2 * updating.length + 2 * watching.length;
  const progress = startProgress("", {
    total: costs.reduce((sum, each) => sum + each, figures * figureCost),
    unit: "seconds",
    log: true,
  });

  const comparisons: Comparison[] = [];
  for (const each of planned) {
    const names = within(each.size).filter((name) => reached(comparisons.at(-1), name));
    comparisons.push(await compare(each.size, names, each.ids, rounds, limits, progress));
  }
  const figure = async <Result>(label: string, run: () => Promise<Result>, weight = 1) => {
    progress.say(label);
    const result = await run();
    progress.advance(weight * figureCost);
    return result;
  };
  const seconds = 3600;
  const first =
    wants("first") &&
    (await figure("the first query", () => callOnce("first", [size, queried, rounds], seconds)));
  const parts =
    wants("parts") &&
    (await figure("the parts of tercet", () => callOnce("parts", [size], seconds)));
  const envelope =
    wants("envelope") &&
    (await figure("the envelope", () => callOnce("envelope", [size, rounds], seconds)));
  const prepared =
    wants("prepared") &&
    (await figure("prepared queries", () => callOnce("prepared", [size, rounds], seconds)));
  const profiles =
    wants("profiles") &&
    (await figure("profiles", () => callOnce("profiles", [size, amounts.row], seconds)));
  const share =
    wants("share") &&
    (await figure("the share", () => callOnce("share", [size, amounts.row, rounds], seconds)));
  const open =
    wants("open") &&
    (await figure("opening", () =>
      opening(size, comparing, queried, quick ? 2 : OPENINGS, rounds, 8 * limits.load, progress),
    ));
  if (wants("engines")) installPackages();
  const enginesAt = async (contacts: number) => {
    const engines: Record<string, EngineFigures | Missing> = {};
    for (const name of wants("engines") ? options.engines : []) {
      progress.say(`engines: ${name} with ${contacts}`);
      engines[name] = await orMissing(
        callEngine("engine", [name, contacts, queried, rounds], 8 * limits.load),
      );
    }
    return { size: contacts, engines };
  };
  const before = await enginesAt(Math.round(size / 10));
  const engines = await enginesAt(size);
  const compiling =
    wants("engines") &&
    (await figure("engines: compiling", () =>
      callEngine("compiling", [Math.min(size, 10_000), queried, rounds], seconds),
    ));
  const updates: Record<string, Updates | Missing> = {};
  for (const name of updating) {
    const limit = 2 * limits.load + 4 * (amounts.most / 1000);
    updates[name] = await figure(
      `updates of ${name}`,
      () => orMissing(callOnce("updates", [name, size, amounts], limit)),
      2,
    );
  }
  const page =
    wants("page") &&
    (await figure("the page", async () => {
      // A browser is started by those who ask for this.
      const { measurePage } = await import("./page.ts");
      return await measurePage(size);
    }));
  const counts: Record<string, readonly Counts[] | Missing> = {};
  for (const name of counting) {
    counts[name] = await figure(`counts of ${name}`, () =>
      orMissing(callOnce("counts", [name, size, rounds], 4 * limits.load)),
    );
  }
  const watched = Math.min(size, WATCHED);
  const watchers: Record<WatchedKind, Record<string, readonly Watchers[] | Missing>> = {
    contact: {},
    page: {},
  };
  for (const kind of ["contact", "page"] as const) {
    for (const name of watching) {
      watchers[kind][name] = await figure(`watchers of ${name}`, () =>
        orMissing(callOnce("watchers", [name, kind, watched, quick ? 20 : 200], 4 * limits.load)),
      );
    }
  }
  progress.stop();

  const results: Results = {
    command: `npm run bench -- ${process.argv.slice(2).join(" ")}`.trim(),
    date: new Date().toISOString().slice(0, 10),
    minutes: Number(((performance.now() - started) / 60_000).toFixed(1)),
    machine: thisMachine(),
    rounds: rounds.rounds,
    versions: Object.fromEntries(peers.map((name) => [name, versionOf(name)])),
    leftOut,
    comparisons: comparisons.filter((each) => comparesAll.includes(each.size)),
    growth: comparisons.filter((each) => !comparesAll.includes(each.size)),
    ...(first && { first: { size, queries: first } }),
    ...(parts && { parts }),
    ...(envelope && { envelope: { size, pages: envelope } }),
    ...(prepared && { prepared: { size, queries: prepared } }),
    ...(open && { open }),
    ...(counting.length > 0 && { counts: { size, peers: counts } }),
    ...(page && { page }),
    ...(compiling && { engines: { ...engines, before, compiling } }),
    ...(profiles && { profiles: { size, rows: profiles } }),
    ...(share && { share: { size, shares: share } }),
    ...(watching.length > 0 && { watchers: { size: watched, kinds: watchers } }),
    ...(updating.length > 0 && { updates: { size, peers: updates } }),
  };
  mkdirSync(dirname(options.out), { recursive: true });
  writeFileSync(options.out, `${JSON.stringify(results, null, 2)}\n`);
  print(results);
  process.stdout.write(`\nraw results: ${options.out}\n`);
}

/** Whether a peer got through the smaller size. */
function reached(smaller: Comparison | undefined, name: string): boolean {
  const loading = smaller?.loading[name];
  return smaller === undefined || (loading !== undefined && !isMissing(loading));
}

function print(results: Results): void {
  for (const { title, note, head, rows, remarks = [] } of sectionsOf(results)) {
    process.stdout.write(`\n${title}\n${note === undefined ? "" : `${note}\n`}`);
    if (rows.length === 0) continue;
    process.stdout.write(`\n${tableOf(head, rows)}\n`);
    for (const [i, remark] of remarks.entries()) process.stdout.write(`${i + 1}. ${remark}\n`);
  }
}

function thisMachine(): Machine {
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
  return new Command("npm run bench --")
    .description("Measures tercet against its peers.")
    .option("--size <contacts>", "how many contacts (default: 1000000)", positive)
    .option(
      "--peers <names>",
      `which, by comma: ${Object.keys(PEERS).join(", ")} (default: all but chdb)`,
      oneOf(Object.keys(PEERS)),
    )
    .option(
      "--queries <numbers>",
      "which of the twelve, by comma",
      numbers,
      numbers("1,2,3,4,5,6,7,8,9,10,11,12"),
    )
    .option(
      "--figures <names>",
      `which, by comma: ${FIGURES.join(", ")}`,
      oneOf(FIGURES),
      FIGURES.filter((name) => !["profiles", "share", "open", "page", "engines"].includes(name)),
    )
    .option(
      "--engines <names>",
      `of the figure engines, by comma: ${placeNames.join(", ")}`,
      oneOf(placeNames),
      [...placeNames],
    )
    .option("--growth-to <contacts>", "the largest size of growth (default: as --size)", positive)
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

function numbers(text: string): number[] {
  return text.split(",").map(positive);
}

function oneOf<Name extends string>(known: readonly Name[]): (text: string) => Name[] {
  return (text) => {
    const names = text.split(",");
    const isKnown = (name: string): name is Name => known.some((each) => each === name);
    const unknown = names.find((name) => !isKnown(name));
    if (unknown === undefined) return names.filter(isKnown);
    throw new InvalidArgumentError(`${unknown} is not one of ${known.join(", ")}`);
  };
}
