// The command as its tests run it: bundled from the source.

import { build } from "esbuild";

/** Writes the `tercet` command to a file. */
export async function bundleCommand(outfile: string): Promise<void> {
  await build({
    entryPoints: ["src/cli/main.ts"],
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    outfile,
    logLevel: "warning",
  });
}
