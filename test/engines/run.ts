// `npm run test:engines`: the tests that ask databases, on all engines that can be started here. Servers of
// the system are used where they are installed; those that are not are skipped, and said.
//
//   npm run test:engines                                     1,000 queries each; of a cluster 600
// A shard stands still for a minute, or as many seconds as TERCET_FREEZE says.
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
