// The command as its tests run it: bundled from the source.

import { build } from "esbuild";

/** Writes the `tercet` command to a file, whose name ends in `.mjs`. */
export async function bundleCommand(outfile: string): Promise<void> {
  await build({
    entryPoints: ["src/cli/main.ts"],
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    banner: {
      // For the CommonJS packages in it.
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    outfile,
    logLevel: "warning",
  });
}
