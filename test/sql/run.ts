// `npm run test:sql`: the tests of databases, repeated any number of times. The engines of `npm run test:engines` are
// included if they are installed.
//
//   npm run test:sql -- --queries 30000 --faults 1000
//
// `--queries` is the number of queries on each engine, compared with the in-memory service and the reference.
// `--faults` is the number of points in requests at which a server is stopped or killed, or a change is committed.

import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    queries: { type: "string", default: "3000" },
    faults: { type: "string", default: "100" },
  },
});

function readCount(name: "queries" | "faults"): number {
  const count = Number(values[name]);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new Error(`--${name} must be a number, not ${values[name]}`);
}

const queries = readCount("queries");
const faults = readCount("faults");
const ENGINES = ["sqlite", "duckdb", "postgres", "chdb", "mariadb"];
const CLUSTERS = ["postgres-shards"];
/** How many queries a data set of each kind is asked: of any schema, Files and Contacts; a cluster has the last two. */
const EACH = 20;
const PROPERTIES =
  "records of any schema|Files of a service|Contacts of a Batch|a table of any schema";

const differential = (names: readonly string[]) =>
  names.map((name) => `test/differential/${name}.test.ts`);

const runs: readonly [variable: string, count: number, files: readonly string[], only?: string][] =
  [
    ["TERCET_RUNS", Math.ceil(queries / (3 * EACH)), differential(ENGINES), PROPERTIES],
    ["TERCET_RUNS", Math.ceil(queries / (2 * EACH)), differential(CLUSTERS), PROPERTIES],
    ["TERCET_FAULTS", faults, ["test/sql/faults.test.ts"]],
  ];

let failed = 0;
for (const [variable, count, files, only] of runs) {
  const { status, error } = spawnSync(
    "npx",
    ["vitest", "run", "--testTimeout=0", ...files, ...(only === undefined ? [] : ["-t", only])],
    {
      stdio: "inherit",
      env: { ...process.env, TERCET_ENGINES: "all", [variable]: String(count) },
    },
  );
  if (error !== undefined) throw error;
  if (status !== 0) failed++;
}
process.exitCode = failed;
