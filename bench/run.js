// `npm run bench`: installs the peers on first use, bundles the harness (Node 20 runs no TypeScript)
// and runs it with what it needs: gc() at hand, and a heap for 1,000,000 contacts several times over.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = `${dirname(fileURLToPath(import.meta.url))}/`;
// Within bench/node_modules, so that the bundle finds the peers where they are installed.
const bundle = `${here}node_modules/.cache/bench.mjs`;

if (!existsSync(`${here}node_modules/mitata`)) run("npm", ["ci", "--prefix", here]);
await build({
  entryPoints: [`${here}main.ts`],
  outfile: bundle,
  bundle: true,
  packages: "external",
  platform: "node",
  target: "node20",
  format: "esm",
  sourcemap: "inline",
  logLevel: "warning",
});
run(process.execPath, [
  "--expose-gc",
  "--max-old-space-size=16000",
  bundle,
  ...process.argv.slice(2),
]);

function run(command, parameters) {
  const { status, error } = spawnSync(command, parameters, { stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
