// Which of the requested peers can take part, and their versions.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { PEERS } from "./peers/index.ts";

/** Has npm build the peer's native code if necessary. @returns why it can't take part */
export function makeAvailable(name: string): string | undefined {
  const built = PEERS[name]?.built;
  if (built === undefined || existsSync(`bench/node_modules/${built}`)) return undefined;
  process.stderr.write(
    `building ${name}, once: a minute or two without a binary for this platform\n`,
  );
  const { status } = spawnSync("npm", ["rebuild", name, "--prefix", "bench"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return status === 0 ? undefined : `npm could not build it (status ${status ?? "none"})`;
}

/** The version of a peer's package, or tercet's own. */
export function versionOf(name: string): string {
  if (name === "loop") return "hand-written";
  if (name === "tercet") return versionIn("package.json");
  return versionIn(`bench/node_modules/${PEERS[name]?.package ?? name}/package.json`);
}

function versionIn(path: string): string {
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}
