// Installs packages that are too large for the project's own dependencies into this folder, on first use: chdb, which
// is half a gigabyte, and the MariaDB driver.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

// From the root of the project, where commands run: the benchmark bundles this file elsewhere.
const FOLDER = resolve("test/engines");

/** @throws Error where npm can't be run, or fails */
export function installPackages(): void {
  const { dependencies } = readJson("package.json") as { dependencies: Record<string, string> };
  if (Object.entries(dependencies).every(([name, version]) => versionOf(name) === version)) return;
  // Not `npm ci`, which refuses the lock file where a registry lacks what other platforms need.
  const parameters = ["install", "--no-save", "--silent", "--prefix", FOLDER];
  const { status, error } = spawnSync("npm", parameters, { stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`npm ${parameters.join(" ")} ended with ${status}`);
}

function versionOf(name: string): string | undefined {
  const path = `node_modules/${name}/package.json`;
  return existsSync(`${FOLDER}/${path}`)
    ? (readJson(path) as { version: string }).version
    : undefined;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(`${FOLDER}/${path}`, "utf8"));
}
