// Mutation testing, as `test/mutation/run.ts` has it done: it names the files, and judges the report.

import process from "node:process";

// Few cases: each mutant meets them all. The same ones for each, so that a survivor is one again.
process.env.TERCET_RUNS ??= "20";
process.env.TERCET_SEED ??= "1";

// What a sample finds is no result of a file.
const isSample = process.env.TERCET_SAMPLE !== undefined;
const reports = `reports/mutation/${process.env.TERCET_MUTATED ?? "all"}${isSample ? "/sample" : ""}`;

/** @type {import("@stryker-mutator/api/core").PartialStrykerOptions} */
export default {
  plugins: ["./test/mutation/runner/runner.ts"],
  testRunner: "hot",
  coverageAnalysis: "perTest",
  // The runner ends what does not end by itself; this is for what it does not see, beside the time
  // that Stryker took to begin.
  timeoutMS: 5_000,
  timeoutFactor: 0.1,
  dryRunTimeoutMinutes: 15,
  ignorePatterns: ["bench", "data", "dist", "coverage"],
  // What was found of a file that has not changed since is kept from run to run.
  incremental: !isSample,
  incrementalFile: `${reports}/incremental.json`,
  reporters: ["progress", "json", "html"],
  jsonReporter: { fileName: `${reports}/report.json` },
  htmlReporter: { fileName: `${reports}/report.html` },
};
