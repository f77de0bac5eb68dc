// The programs of the documents that need a browser: `test/documents.test.ts` checks their types, `browser.test.ts` runs
// them.

import { readFileSync } from "node:fs";

/** The document and the heading of each. */
export const IN_BROWSERS = ["src/store/README.md, In browsers", "src/store/README.md, In all tabs"];

/** The `ts` blocks below a heading, each a module. */
export function modulesIn(place: string): string[] {
  const [document = "", section = ""] = place.split(", ");
  const [, below = ""] = readFileSync(document, "utf8").split(`\n## ${section}\n`);
  const [own = ""] = below.split("\n## ");
  return Array.from(own.matchAll(/^```ts\n([^]*?)^```$/gm), ([, text = ""]) => text);
}
