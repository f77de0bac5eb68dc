// `npm run bench`, and with the argument `report` `npm run bench:report`: installs the peers on first use,
// bundles the timed code, and runs the rest with tsx.
//
// Timed code is a bundle because tsx keeps the names of functions: it wraps each new function, closures too,
// in a call that names it. With the worker run by tsx, a lookup among 100,000 contacts took 1.33 µs instead
// of 0.47; a bundle with esbuild's `keepNames` is as slow (Node 20.20, AMD EPYC).

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath, URL } from "node:url";

const here = fileURLToPath(new URL("./", import.meta.url));
const parameters = process.argv.slice(2);
const isReport = parameters[0] === "report";

const quietly = ["--no-audit", "--no-fund"];
if (!existsSync(`${here}../node_modules/tsx`)) {
  run("npm", ["ci", "--prefix", `${here}..`, ...quietly]);
}
if (!isInstalled()) {
  process.stderr.write("installing the peers into bench/node_modules, once\n");
  // Without scripts: nothing is compiled unless a run needs it.
  run("npm", ["ci", "--prefix", here, "--ignore-scripts", ...quietly]);
}
if (!isReport) {
  const { build } = await import("esbuild");
  const bundle = {
    // Within bench/node_modules, so that the bundles find the peers where they are installed.
    outdir: `${here}node_modules/.cache`,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node20",
    format: "esm",
    sourcemap: "inline",
    logLevel: "warning",
  };
  // The command, because imports are measured in it.
  const cli = `${here}../src/cli/main.ts`;
  await build({ ...bundle, entryPoints: { worker: `${here}worker.ts`, cli } });
  // In parts, so that a fresh process reads only what its peer needs; and without maps, which no package
  // has in its files: they were three quarters of what V8 read, and half of the time of an import. What
  // tercet's package has in its files is in these, too: flatbuffers alone took 7 ms more.
  const { dependencies } = readJson("package.json");
  const parts = {
    splitting: true,
    sourcemap: false,
    packages: "bundle",
    external: [...Object.keys(dependencies), "immer"],
  };
  await build({ ...bundle, ...parts, entryPoints: [`${here}fresh.ts`] });
}
const entry = isReport ? "write-report.ts" : "main.ts";
run(process.execPath, ["--import", "tsx", here + entry, ...parameters.slice(isReport ? 1 : 0)]);

function isInstalled() {
  const { dependencies } = readJson("package.json");
  return Object.entries(dependencies).every(([name, version]) => {
    try {
      return readJson(`node_modules/${name}/package.json`).version === version;
    } catch {
      return false;
    }
  });
}

function readJson(path) {
  return JSON.parse(readFileSync(here + path, "utf8"));
}

function run(command, parameters) {
  const { status, error } = spawnSync(command, parameters, { stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
