// Mutation testing: changes the code in thousands of small ways and asks whether a test notices.
// Fails on a mutant that survives and is not in `survivors.json`, and on one there that does not.
//
//   npm run test:mutation                          every file
//   npm run test:mutation -- src/criteria          a folder, or a file; what is not changed since is
//                                                  taken from the runs before
//   npm run test:mutation -- --force src/criteria  anew, whatever was found before
//   npm run test:mutation -- --write src/criteria  brings the list up to date; survivors that are new
//                                                  get an empty reason, which fails until it is
//                                                  written, or they are moved to one that is there
//   npm run test:mutation -- --processes 1         with other than two processes

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import type { schema } from "@stryker-mutator/api/core";
import { format as prettier, resolveConfig } from "prettier";
import { compare, faultsOf, format, readReport, revise, type KnownSurvivors } from "./survivors.ts";

const LIST = "test/mutation/survivors.json";
const REPORT = "reports/mutation/report.json";
const FOLDERS = ["src/criteria", "src/collection", "src/service"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    force: { type: "boolean", default: false },
    processes: { type: "string", default: "2" },
    write: { type: "boolean", default: false },
  },
});

const files = filesIn(positionals.length === 0 ? FOLDERS : positionals);
runStryker(files);
const { files: reports } = JSON.parse(readFileSync(REPORT, "utf8")) as schema.MutationTestResult;
const known = JSON.parse(readFileSync(LIST, "utf8")) as KnownSurvivors;
const next: Record<string, KnownSurvivors[string]> = { ...known };

let failures = 0;
let mutants = 0;
let detected = 0;
for (const file of Object.keys(known)) {
  if (existsSync(file)) continue;
  fail(`${file} is listed, and is no file`);
  Reflect.deleteProperty(next, file);
}
for (const file of files) {
  // Stryker says nothing of a file in which there is nothing to change.
  const report = readReport(reports[file] ?? { source: "", mutants: [], language: "typescript" });
  mutants += report.mutants;
  detected += report.detected;
  const { unlisted, stale } = compare(report.survivors, known[file]?.survivors);
  for (const mutant of unlisted)
    fail(`${file} has a survivor that is not listed: ${format(mutant)}`);
  for (const mutant of stale) fail(`${file} has no such survivor any more: ${format(mutant)}`);
  for (const fault of faultsOf(known[file]?.survivors)) fail(`${file} has ${fault}`);
  if (report.mutants > 0) {
    console.log(`${share(report.detected, report.mutants)} ${file}`);
    next[file] = revise(report, known[file]?.survivors);
  } else Reflect.deleteProperty(next, file);
}
console.log(`${share(detected, mutants)} in all: ${detected} of ${mutants} mutants were detected`);
if (values.write) {
  const sorted = Object.fromEntries(Object.entries(next).sort(([a], [b]) => (a < b ? -1 : 1)));
  const text = JSON.stringify(sorted);
  writeFileSync(LIST, await prettier(text, { ...(await resolveConfig(LIST)), filepath: LIST }));
  console.log(`${LIST} is written`);
} else if (failures > 0) {
  console.log(`${failures} differences from ${LIST}`);
  process.exitCode = 1;
}

function fail(text: string): void {
  failures++;
  console.log(text);
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

function runStryker(files: readonly string[]): void {
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
    { stdio: "inherit", env: { ...process.env, NODE_OPTIONS: "--import tsx" } },
  );
  if (status !== 0) throw new Error(`Stryker ended with ${status ?? "a signal"}`);
}
