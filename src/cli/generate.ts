// `tercet generate` writes synthetic Files or a Batch as JSON, piece by piece.

import { writeJson } from "../import/index.ts";
import { InputError } from "../index.ts";
import { generateFiles, generateLazyBatch } from "../synthetic/index.ts";
import { batchText } from "./batch-text.ts";
import { UsageError } from "./errors.ts";
import { sendAll } from "./output.ts";

export interface GenerateOptions {
  readonly count: number;
  readonly seed?: number;
}

export interface GenerateBatchOptions extends GenerateOptions {
  readonly lists?: number;
}

/** An array of Files, for `tercet rpc --files`. */
export async function printFiles(options: GenerateOptions): Promise<void> {
  const files = inOptions(() => generateFiles(options));
  await sendAll(process.stdout, writeJson(files));
}

/** A Batch, for `tercet contacts` and `tercet rpc --batch`. */
export async function printBatch(options: GenerateBatchOptions): Promise<void> {
  const batch = inOptions(() => generateLazyBatch(options));
  await sendAll(process.stdout, batchText(batch));
}

/** Returns the result of `make`. An error about an option names it as typed. */
function inOptions<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    throw new UsageError(thrown.message.replace(/^options\./, "--"));
  }
}
