// `npm run test:engines`: the tests that query databases, on all engines that can be started. Servers installed on the
// system are used; missing ones are skipped and listed.
//
//   npm run test:engines                                     1,000 queries each; of a cluster 600
//
// A shard is stopped for a minute, or for TERCET_FREEZE seconds.
//
//   TERCET_RUNS=500 npm run test:engines -- test/differential    30,000; of a cluster 20,000

import { spawnSync } from "node:child_process";
import { installPackages } from "./install.ts";

/** The tests that start engines. */
const TESTS = ["test/engines", "test/differential", "test/sql"];

installPackages();
const given = process.argv.slice(2);
const { status, error } = spawnSync(
  "npx",
  [
    ...["vitest", "run", "--testTimeout=0", "--reporter=verbose"],
    ...(given.length > 0 ? given : TESTS),
  ],
  { stdio: "inherit", env: { TERCET_FREEZE: "60", ...process.env, TERCET_ENGINES: "all" } },
);
if (error !== undefined) throw error;
process.exit(status ?? 1);
