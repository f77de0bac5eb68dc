// `npm run test:runtimes`: the packed library in the oldest Node.js that is supported, in the newest, in bun, and in
// Jest; its types in the oldest TypeScript that the README names. The tests run in the Node.js that is installed; this
// file tests what may differ in others: what they can load, and what they have built in. Installs the runtimes on first
// use.

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
import { packed } from "../packed.ts";
import { consumerOptions, typedConsumer } from "../typed-consumer.ts";
import { inferredLibrary, libraryOptions } from "../typed-library.ts";

const here = import.meta.dirname;
const project = resolve(here, "../..");
const runtimes = {
  "node-oldest": "node_modules/node-oldest/bin/node",
  "node-newest": "node_modules/node-newest/bin/node",
  bun: "node_modules/bun/bin/bun.exe",
};

/** The environments of Jest that tests of a client or of a page run in. */
const ENVIRONMENTS = ["node", "jsdom"];

const manifest = readJson(join(project, "package.json")) as {
  engines: { node: string };
  devDependencies: Record<string, string>;
};
const { dependencies: pinned } = readJson(join(here, "package.json")) as {
  dependencies: Record<string, string>;
};
if (pinned["node-oldest"] !== `npm:node@${manifest.engines.node.slice(">=".length)}.0.0`) {
  throw new Error(`node-oldest is not the oldest of ${manifest.engines.node}`);
}
const [, oldest = "none"] =
  /TypeScript (\d+\.\d+)/.exec(readFileSync(join(project, "README.md"), "utf8")) ?? [];
if (pinned["typescript-oldest"]?.startsWith(`npm:typescript@${oldest}.`) !== true) {
  throw new Error(`typescript-oldest is not the ${oldest} of the README`);
}
if (
  !Object.entries(pinned).every(([name, pin]) => pin.endsWith(installedVersion(name) ?? "none"))
) {
  run("npm", ["ci", "--silent", "--prefix", here], project);
}

const folder = mkdtempSync(join(tmpdir(), "tercet-runtimes-"));
try {
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const packages = [packed().tarball, `fast-check@${manifest.devDependencies["fast-check"] ?? ""}`];
  run("npm", ["install", "--silent", "--prefer-offline", ...packages], folder);
  for (const file of ["program.js", "commonjs.test.cjs"]) {
    copyFileSync(join(here, file), join(folder, file));
  }
  for (const path of Object.values(runtimes)) {
    const runtime = join(here, path);
    run(runtime, ["program.js"], folder);
    run(runtime, ["node_modules/tercet/dist/cli.js", "--version"], folder);
  }
  const compiler = join(here, "node_modules/typescript-oldest/bin/tsc");
  for (const [module, files] of [
    ["Node16", ["main.mts", "main.cts"]],
    ["Preserve", ["main.ts"]],
  ] as const) {
    for (const file of files) writeFileSync(join(folder, file), typedConsumer);
    const tsconfig = { compilerOptions: { ...consumerOptions, module }, files };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
    run(process.execPath, [compiler], folder);
  }
  writeFileSync(join(folder, "library.mts"), inferredLibrary);
  const library = { ...libraryOptions, module: "Node16", outDir: "out" };
  const tsconfig = { compilerOptions: library, files: ["library.mts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  run(process.execPath, [compiler], folder);
  const jest = join(here, "node_modules/jest/bin/jest.js");
  for (const environment of ENVIRONMENTS) {
    const testEnvironment = join(here, `node_modules/jest-environment-${environment}`);
    const config = JSON.stringify({ testMatch: ["**/*.test.cjs"], testEnvironment });
    run(process.execPath, [jest, "--rootDir", folder, "--config", config], folder);
  }
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
