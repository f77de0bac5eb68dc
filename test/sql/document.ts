// Runs the code of src/sql/README.md, as written there, on servers of the test.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/**
 * The code under a heading, as a module.
 *
 * @param replacements what is written otherwise, such as addresses: each stands there
 * @param more lines behind it
 */
export async function loadDocument<Code>(
  heading: string,
  replacements: readonly (readonly [there: string, instead: string])[],
  more: readonly string[] = [],
): Promise<Code> {
  const document = readFileSync(join(root, "src/sql/README.md"), "utf8");
  const [section = ""] = document.split(`\n## ${heading}\n`)[1]?.split("\n## ") ?? [];
  const blocks = Array.from(section.matchAll(/```ts\n(.*?)```/gsu), ([, text = ""]) => text);
  const text = replacements.reduce(
    (before, [there, instead]) => {
      const after = before.replaceAll(there, instead);
      expect(after, `${there} is there`).not.toBe(before);
      return after;
    },
    [...blocks, ...more].join("\n"),
  );
  const cache = join(root, "node_modules/.cache/tercet");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "sql-readme-"));
  try {
    const outfile = join(folder, "readme.mjs");
    await build({
      stdin: { contents: text, loader: "ts", resolveDir: root },
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      alias: {
        tercet: join(root, "src/index.ts"),
        "tercet/sql": join(root, "src/sql/index.ts"),
      },
      external: ["express", "pg", "sql.js"],
      logLevel: "silent",
    });
    return (await import(pathToFileURL(outfile).href)) as Code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
