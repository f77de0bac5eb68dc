// Whether two names refer to one file: no command overwrites what it reads.

import { fstatSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { STDIN } from "./bytes.ts";
import { UsageError } from "./errors.ts";

/** @throws UsageError if standard output is a file that the command reads */
export function refuseStdout(sources: readonly string[]): void {
  if (fstatSync(STDOUT).isFile()) refuseSource("standard output", STDOUT, sources);
}

const STDOUT = 1;

/** @throws UsageError if the target is one of the sources */
export function refuseSource(
  name: string,
  target: string | number,
  sources: readonly string[],
): void {
  const identity = identityOf(target);
  if (!sources.some((source) => identityOf(source === STDIN ? 0 : source) === identity)) return;
  throw new UsageError(`${name}: is a source of this command and can't be overwritten`);
}

/** Equal for all names of a file; follows links. */
export function identityOf(file: string | number): string {
  const options = { bigint: true } as const;
  try {
    const { dev, ino } =
      typeof file === "number" ? fstatSync(file, options) : statSync(file, options);
    return `${dev}:${ino}`;
  } catch {
    return resolve(String(file));
  }
}
