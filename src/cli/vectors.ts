// `tercet vectors`: requests for a service in any language, and the required answers, as NDJSON.

import { vectors } from "../testing/index.ts";
import type { GenerateOptions } from "./generate.ts";
import { sendAll } from "./output.ts";

export async function printVectors(options: GenerateOptions): Promise<void> {
  await sendAll(process.stdout, textOf(vectors(options)));
}

function* textOf(lines: Iterable<object>): Generator<string, void> {
  for (const line of lines) yield `${JSON.stringify(line)}\n`;
}
