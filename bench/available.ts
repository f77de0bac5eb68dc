// Which of the requested peers can take part: installs what the default install leaves out, and says why
// a peer can't.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { PEERS } from "./peers/index.ts";

export interface Asked {
  /** Named explicitly, not included in `all`. */
  readonly byName: boolean;
  /** There is no time to install anything. */
  readonly quick: boolean;
}

/** Installs the peer if necessary. @returns why it can't take part */
export function makeAvailable(name: string, { byName, quick }: Asked): string | undefined {
  const entry = PEERS[name];
  if (entry?.package?.startsWith("node:") === true) {
    return isBuiltin(entry.package) ? undefined : `Node ${process.version} has no ${entry.package}`;
  }
  const install = entry?.install;
  if (install === undefined || existsSync(`bench/node_modules/${install.makes}`)) return undefined;
  const needs = `it is not installed (${install.cost}); \`--peers ${name}\` installs it`;
  if (!byName && (quick || install.onlyByName === true)) return needs;
  process.stderr.write(`installing ${name}: ${install.cost}\n`);
  const { status } = spawnSync("npm", [...install.npm, "--prefix", "bench"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return status === 0 ? undefined : `npm could not install it (status ${status ?? "none"})`;
}

/** The version of a peer's package, of tercet's own for tercet. */
export function versionOf(name: string): string {
  if (name === "loop") return "hand-written";
  if (name === "tercet") return versionIn("package.json");
  const { package: known = name } = PEERS[name] ?? {};
  if (known.startsWith("node:")) return `Node ${process.version}`;
  const own = `bench/node_modules/${known}/package.json`;
  return versionIn(existsSync(own) ? own : `node_modules/${known}/package.json`);
}

function versionIn(path: string): string {
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}
