// `tercet rpc`: one request envelope per line on stdin, one response per line on stdout, in order.

import { stat } from "node:fs/promises";
import { systemReason, UsageError } from "./errors.ts";
import { decodeUtf8, openService, readJson, type Source } from "./input.ts";
import { splitLines } from "./lines.ts";
import { send } from "./output.ts";
import { scanDirectory } from "./scan.ts";

export interface RpcOptions {
  readonly files?: string;
  readonly batch: readonly string[];
}

const blank = /^[ \t\r]*$/;

/** Answers until stdin ends. Blank lines are skipped: they get no response. */
export async function rpc(options: RpcOptions): Promise<void> {
  const batches: Source<unknown>[] = [];
  for (const place of options.batch) batches.push({ place, content: await readJson(place) });
  const files = options.files === undefined ? undefined : await readFiles(options.files);
  const service = openService({ files, batches });

  try {
    for await (const line of splitLines(process.stdin)) {
      const text = line === undefined ? undefined : decodeUtf8(line);
      if (text !== undefined && blank.test(text)) continue;
      // What is no text is no JSON either, and the service has the answer to that.
      await send(process.stdout, `${service.dispatchJson(text ?? "")}\n`);
    }
  } catch (thrown) {
    throw new UsageError(`stdin: ${systemReason(thrown)}`);
  }
}

async function readFiles(place: string): Promise<Source<unknown>> {
  let isDirectory: boolean;
  try {
    isDirectory = (await stat(place)).isDirectory();
  } catch (thrown) {
    throw new UsageError(`${place}: ${systemReason(thrown)}`);
  }
  return { place, content: isDirectory ? await scanDirectory(place) : await readJson(place) };
}
