// `tercet vectors` writes requests for a service in any language, and the required responses, as
// NDJSON.

import { vectors } from "../testing/index.ts";
import type { GenerateOptions } from "./generate.ts";
import { send } from "./output.ts";

export async function printVectors(options: GenerateOptions): Promise<void> {
  for await (const line of vectors(options)) {
    await send(process.stdout, `${JSON.stringify(line)}\n`);
  }
}
