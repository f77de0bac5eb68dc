// Mutation testing: `npm run test:mutation`, or a part of it: `npm run test:mutation -- --mutate 'src/criteria/**'`.
// A mutant that survives is a change of the code that no test notices.

import process from "node:process";

// Few cases: each mutant meets them all. The same ones for each, so that a survivor is one again.
process.env.TERCET_RUNS ??= "20";
process.env.TERCET_SEED ??= "1";

/** @type {import("@stryker-mutator/api/core").PartialStrykerOptions} */
export default {
  mutate: ["src/criteria/**/*.ts", "src/collection/**/*.ts", "src/service/**/*.ts"],
  testRunner: "vitest",
  vitest: { configFile: "vitest.mutation.config.ts", related: false },
  coverageAnalysis: "perTest",
  concurrency: 2,
  timeoutMS: 4000,
  dryRunTimeoutMinutes: 15,
  ignorePatterns: ["bench", "data", "dist", "coverage"],
  reporters: ["clear-text", "progress", "json", "html"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, allowEmojis: false },
  jsonReporter: { fileName: "reports/mutation.json" },
  htmlReporter: { fileName: "reports/mutation.html" },
  thresholds: { high: 95, low: 90, break: 90 },
};
