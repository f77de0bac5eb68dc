// Mutation testing: makes thousands of small changes to the code and checks whether a test detects them. Fails if fewer
// mutants of a folder are detected than its threshold says.
//
//   npm run test:mutation                          every folder that has a threshold: see folders.ts
//   npm run test:mutation -- src/criteria          a folder, or a file; results for files that have not
//                                                  changed since come from earlier runs
//   npm run test:mutation -- --force src/criteria  everything again, whatever was found before
//   npm run test:mutation -- --processes 1         with other than two processes
//   npm run test:mutation -- --sample 8 src/sql    one mutant of eight: an estimate in minutes, which fails only
//                                                  if the folder is surely below its threshold
//
// The survivors are in reports/mutation, a report for each folder.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import type { schema } from "@stryker-mutator/api/core";
import setUp from "../temporary.ts";
import { FOLDERS } from "./folders.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    force: { type: "boolean", default: false },
    processes: { type: "string", default: "2" },
    sample: { type: "string" },
  },
});

const named = filesIn(positionals.length === 0 ? Object.keys(FOLDERS) : positionals);

const sample = values.sample === undefined ? 1 : Number(values.sample);
if (!Number.isSafeInteger(sample) || sample < 1)
  throw new Error("--sample must be a positive number");

const isDetected = ({ status }: schema.MutantResult) => status === "Killed" || status === "Timeout";
const isSurvivor = ({ status }: schema.MutantResult) => status === "Survived";
/** Known without being run, so a sample has all of them. */
const isUncovered = ({ status }: schema.MutantResult) => status === "NoCoverage";

process.on("exit", setUp());

for (const [folder, { least }] of Object.entries(FOLDERS)) {
  const files = named.filter((each) => each.startsWith(`${folder}/`));
  if (files.length === 0) continue;
  const reports = reportsOf(folder, files);
  let detected = 0;
  let mutants = 0;
  for (const file of files) {
    const found = reports[file]?.mutants ?? [];
    const killed = sample * found.filter(isDetected).length;
    const missed = sample * found.filter(isSurvivor).length + found.filter(isUncovered).length;
    if (killed + missed > 0) console.log(`${share(killed, killed + missed)} ${file}`);
    detected += killed;
    mutants += killed + missed;
  }
  if (mutants === 0) continue;
  const part = detected / mutants;
  // Two standard errors of a sample of so many.
  const margin = sample === 1 ? 0 : 200 * Math.sqrt((part * (1 - part) * sample) / mutants);
  const about = sample === 1 ? "" : `, give or take ${margin.toFixed(1)} %`;
  console.log(`${share(detected, mutants)} ${folder}: ${detected} of ${mutants} detected${about}`);
  if (100 * part + margin >= least) continue;
  console.log(`that is less than ${least} %`);
  process.exitCode = 1;
}

function share(part: number, whole: number): string {
  return `${(whole === 0 ? 100 : (100 * part) / whole).toFixed(1).padStart(5)} %`;
}

/** The TypeScript files that are named, and those in folders that are. */
function filesIn(paths: readonly string[]): string[] {
  const all = paths.flatMap((path) =>
    statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name))
      : [path],
  );
  return [...new Set(all.map((path) => path.replaceAll("\\", "/")))]
    .filter((path) => path.endsWith(".ts"))
    .sort();
}

/** What becomes of the mutants of files of a folder. */
function reportsOf(folder: string, files: readonly string[]): schema.FileResultDictionary {
  const force = values.force ? ["--force"] : [];
  const { status } = spawnSync(
    process.execPath,
    [
      "node_modules/@stryker-mutator/core/bin/stryker.js",
      "run",
      ...force,
      "--concurrency",
      values.processes,
      "--mutate",
      files.join(),
    ],
    // The test runner is TypeScript, in each process.
    {
      stdio: "inherit",
      env: {
        ...process.env,
        NODE_OPTIONS: "--import tsx",
        TERCET_MUTATED: folder,
        ...(sample > 1 && { TERCET_SAMPLE: String(sample) }),
      },
    },
  );
  if (status !== 0) throw new Error(`Stryker ended with ${status ?? "a signal"}`);
  const report = readFileSync(
    `reports/mutation/${folder}${sample === 1 ? "" : "/sample"}/report.json`,
    "utf8",
  );
  return (JSON.parse(report) as schema.MutationTestResult).files;
}
