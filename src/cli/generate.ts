// `tercet generate`: synthetic Files or a Batch as JSON, made and written piece by piece.

import { writeJson } from "../import/index.ts";
import { InputError } from "../index.ts";
import { generateFiles, generateLazyBatch } from "../synthetic/index.ts";
import { batchText } from "./batch-text.ts";
import { UsageError } from "./errors.ts";
import { sendAll } from "./output.ts";
import { silent, startProgress } from "./progress.ts";

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
  await print(options.count, (counted) => writeJson(counted(files)));
}

/** A Batch, for `tercet contacts` and `tercet rpc --batch`. */
export async function printBatch(options: GenerateBatchOptions): Promise<void> {
  const batch = inOptions(() => generateLazyBatch(options));
  await print(options.count, (counted) => batchText(batch, counted));
}

type Counted = <Item>(items: Iterable<Item>) => Iterable<Item>;

async function print(total: number, pieces: (counted: Counted) => Iterable<string>): Promise<void> {
  // On a terminal the records themselves show progress, and a bar would appear among them.
  const progress = process.stdout.isTTY ? silent : startProgress("Generating", { total });
  const counted: Counted = function* (items) {
    for (const item of items) {
      yield item;
      progress.advance();
    }
  };
  await sendAll(process.stdout, pieces(counted));
  progress.stop();
}

/** What `make` returns. An error about an option names it as typed. */
function inOptions<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    throw new UsageError(thrown.message.replace(/^options\./, "--"));
  }
}
