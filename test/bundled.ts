// Programs that a test runs in a process of their own, bundled from the source.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

/**
 * What a program prints.
 *
 * @param contents TypeScript, which imports from `resolveDir`
 * @param options those of Node.js
 */
export async function printedBy(
  contents: string,
  resolveDir: string,
  options: readonly string[],
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "tercet-program-"));
  try {
    const program = join(folder, "program.mjs");
    await build({
      stdin: { contents, resolveDir, loader: "ts" },
      bundle: true,
      platform: "node",
      target: "node20",
      format: "esm",
      outfile: program,
      logLevel: "silent",
    });
    return execFileSync(process.execPath, [...options, program], { encoding: "utf8" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
