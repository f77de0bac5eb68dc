// `tercet playground`: writes the page to look at data with, and says where.

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL, URL } from "node:url";
import { UsageError } from "./errors.ts";
import { replaceFile } from "./target.ts";

/** Beside the command where it is packed; in a checkout, where the build puts it. */
const PLACES = ["./playground.html", "../../dist/playground.html"];

export async function writePlayground(path: string): Promise<void> {
  const built = PLACES.map((place) => new URL(place, import.meta.url)).find((place) =>
    existsSync(place),
  );
  if (built === undefined) throw new UsageError("the page is not built: npm run build");
  await replaceFile(path, [readFileSync(built)]);
  const absolute = resolve(path);
  process.stdout.write(`${absolute}\nOpen it in a browser: ${pathToFileURL(absolute).href}\n`);
}
