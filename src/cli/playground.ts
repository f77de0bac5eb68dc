// `tercet playground` writes the page for exploring data, and prints its path.

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL, URL } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { UsageError } from "./errors.ts";
import { send } from "./output.ts";
import { openTarget, writeTarget, type TargetOptions } from "./target.ts";

/** Next to the packed command or, in a checkout, where the build puts it. */
const PLACES = ["./playground.html.br", "../../dist/playground.html.br"];

export async function writePlayground(
  path: string,
  { force }: Pick<TargetOptions, "force">,
): Promise<void> {
  if (!/\.html$/i.test(path)) {
    throw new UsageError(
      `${path}: the name of the page must end in .html; drop your data onto it in a browser`,
    );
  }
  const target = openTarget(path, { content: "HTML", force });
  const built = PLACES.map((place) => new URL(place, import.meta.url)).find((place) =>
    existsSync(place),
  );
  if (built === undefined) throw new UsageError("the page is not built: npm run build");
  writeTarget(target, [brotliDecompressSync(readFileSync(built))]);
  const absolute = resolve(path);
  await send(
    process.stdout,
    `${absolute}\nOpen it in a browser and drop your own file onto it: ${pathToFileURL(absolute).href}\n`,
  );
}
