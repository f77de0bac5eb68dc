// The long run: every property test, round after round with new seeds, until the time is up or one fails. It then
// prints how to replay the failure.
//
//   npm run test:soak -- --minutes 480                  a night
//   npm run test:soak -- --runs 20000 test/engine       more cases a round, of some files only
//   npm run test:soak -- --hostile --minutes 1          heavy requests instead: test/load/hostile.ts
//
// When the time is up, the current round is finished and no other begins.

import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "10" },
    runs: { type: "string", default: "1000" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    hostile: { type: "boolean", default: false },
  },
});
const minutes = toNumber("minutes", values.minutes);
const runs = toNumber("runs", values.runs);
const firstSeed = toNumber("seed", values.seed);

if (values.hostile) process.exit(await attack());

const RESULTS = "node_modules/.cache/tercet/soak.json";

/** The files whose properties take their cases and seed from the environment. */
const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((path) => `test/${path.replaceAll("\\", "/")}`)
  .filter((path) => path.endsWith(".test.ts"))
  .filter((path) => /\/(property|harness)\.ts"|TERCET_SEED/.test(readFileSync(path, "utf8")))
  .filter((path) => positionals.length === 0 || positionals.some((part) => path.includes(part)))
  .sort();
if (files.length === 0) throw new Error("no property test has such a name");
console.log(`properties of ${files.join(", ")}`);
console.log(`${runs} cases each a round, for ${minutes} minutes`);

const end = Date.now() + minutes * 60_000;
let rounds = 0;
do {
  const seed = firstSeed + rounds++;
  const start = Date.now();
  const failures = failuresOf(seed);
  const seconds = Math.round((Date.now() - start) / 1000);
  console.log(`round ${rounds}, TERCET_SEED=${seed}: ${failures.length} failures, ${seconds} s`);
  if (failures.length > 0) {
    for (const failure of failures) console.log(`\n${failure}`);
    process.exit(1);
  }
} while (Date.now() < end);
console.log(`no failure in ${rounds} rounds`);

/** Heavy requests, in a process of its own; bundled, since what is timed runs as users run it. */
async function attack(): Promise<number> {
  const outfile = "node_modules/.cache/tercet/hostile.mjs";
  await build({
    entryPoints: ["test/load/hostile.ts"],
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    outfile,
    logLevel: "warning",
  });
  const { status } = spawnSync(process.execPath, [outfile, String(minutes * 60)], {
    stdio: "inherit",
  });
  return status ?? 1;
}

/** What vitest writes, as far as it is read here. */
interface Results {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Runs every property once; what failed, each with the command that replays it. */
function failuresOf(seed: number): string[] {
  const environment = { TERCET_SEED: String(seed), TERCET_RUNS: String(runs) };
  const vitest = ["vitest", "run", "--testTimeout=0"];
  rmSync(RESULTS, { force: true });
  const { status, stdout, stderr, error } = spawnSync(
    "npx",
    [...vitest, "--reporter=json", `--outputFile=${RESULTS}`, ...files],
    { env: { ...process.env, ...environment }, encoding: "utf8", maxBuffer: Infinity },
  );
  if (error !== undefined) throw error;
  if (status === 0) return [];

  const replay = `TERCET_SEED=${seed} TERCET_RUNS=${runs} npx ${vitest.join(" ")}`;
  const { testResults }: Results = existsSync(RESULTS)
    ? (JSON.parse(readFileSync(RESULTS, "utf8")) as Results)
    : { testResults: [] };
  const failures = testResults.flatMap((file) =>
    file.assertionResults
      .filter((test) => test.status === "failed")
      .map((test) => {
        const name = test.fullName.replaceAll(/[^\w ]/g, ".");
        return `${test.fullName}\n${test.failureMessages.join("\n")}\n${replay} ${relative(file.name)} -t '${name}'`;
      }),
  );
  // A file that could not be loaded has no tests, and vitest that crashed has no results.
  return failures.length > 0 ? failures : [`${stdout}\n${stderr}\n${replay} ${files.join(" ")}`];
}

function relative(path: string): string {
  return path.slice(path.replaceAll("\\", "/").lastIndexOf("/test/") + 1);
}

function toNumber(name: string, text: string): number {
  const number = Number(text);
  if (text !== "" && number >= 0) return number;
  throw new Error(`--${name} must be a number, not ${JSON.stringify(text)}`);
}
