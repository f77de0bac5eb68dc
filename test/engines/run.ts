// `npm run test:engines`: the tests that ask databases, on all engines that can be started here. What
// comes as a package is installed in this folder on first use: chdb, which is half a gigabyte, and the
// driver of MariaDB. Servers of the system are used where they are installed; those that are not are
// skipped, and said.
//
//   npm run test:engines                                     2,000 queries each
//   TERCET_RUNS=500 npm run test:engines -- test/differential    30,000; of a cluster 20,000

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const { dependencies } = readJson(join(here, "package.json")) as {
  dependencies: Record<string, string>;
};
if (!Object.entries(dependencies).every(([name, version]) => versionOf(name) === version)) {
  // Not `npm ci`, which refuses the lock file where a registry lacks what other platforms need.
  run("npm", ["install", "--no-save", "--silent", "--prefix", here], {});
}

/** The tests that start engines. */
const TESTS = ["test/engines", "test/differential", "test/sql"];
const given = process.argv.slice(2);
const vitest = ["vitest", "run", "--typecheck.enabled=false", "--testTimeout=0"];
run("npx", [...vitest, "--reporter=verbose", ...(given.length > 0 ? given : TESTS)], {
  TERCET_ENGINES: "all",
});

function versionOf(name: string): string | undefined {
  const path = join(here, "node_modules", name, "package.json");
  return existsSync(path) ? (readJson(path) as { version: string }).version : undefined;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

function run(
  command: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
): void {
  const env = { ...process.env, ...environment };
  const { status, error } = spawnSync(command, parameters, { stdio: "inherit", env });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
