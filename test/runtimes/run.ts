// `npm run test:runtimes`: the packed library in the oldest Node.js that is supported, in the newest,
// in bun, and in Jest. The tests run in the Node.js that is installed; here is what may differ in another: what
// it can load, and what it has built in. Installs the runtimes on first use.

import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const here = import.meta.dirname;
const project = resolve(here, "../..");
const runtimes = {
  "node-oldest": "node_modules/node-oldest/bin/node",
  "node-newest": "node_modules/node-newest/bin/node",
  bun: "node_modules/bun/bin/bun.exe",
};

const JEST = JSON.stringify({ testMatch: ["**/*.test.cjs"] });

const manifest = readJson(join(project, "package.json")) as {
  name: string;
  version: string;
  engines: { node: string };
  devDependencies: Record<string, string>;
};
const { dependencies: pinned } = readJson(join(here, "package.json")) as {
  dependencies: Record<string, string>;
};
if (pinned["node-oldest"] !== `npm:node@${manifest.engines.node.slice(">=".length)}.0.0`) {
  throw new Error(`node-oldest is not the oldest of ${manifest.engines.node}`);
}
if (
  !Object.entries(pinned).every(([name, pin]) => pin.endsWith(installedVersion(name) ?? "none"))
) {
  run("npm", ["ci", "--silent", "--prefix", here], project);
}

const folder = mkdtempSync(join(tmpdir(), "tercet-runtimes-"));
try {
  run("npm", ["pack", "--silent", "--pack-destination", folder], project);
  const { name, version, devDependencies } = manifest;
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const packages = [`${name}-${version}.tgz`, `fast-check@${devDependencies["fast-check"] ?? ""}`];
  run("npm", ["install", "--silent", "--prefer-offline", ...packages], folder);
  for (const file of ["program.js", "commonjs.test.cjs"]) {
    copyFileSync(join(here, file), join(folder, file));
  }
  for (const path of Object.values(runtimes)) {
    const runtime = join(here, path);
    run(runtime, ["program.js"], folder);
    run(runtime, ["node_modules/tercet/dist/cli.js", "--version"], folder);
  }
  const jest = join(here, "node_modules/jest/bin/jest.js");
  run(process.execPath, [jest, "--rootDir", folder, "--config", JEST], folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function installedVersion(name: string): string | undefined {
  const path = join(here, "node_modules", name, "package.json");
  return existsSync(path) ? (readJson(path) as { version: string }).version : undefined;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** @throws Error where the command fails */
function run(command: string, parameters: readonly string[], cwd: string): void {
  const { status, error } = spawnSync(command, parameters, { cwd, stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${parameters.join(" ")}: exit code ${status}`);
}
