// `tercet rpc`: one request per line on stdin, one response per line on stdout, in order.

import { constants } from "node:buffer";
import { errorNames } from "../index.ts";
import { StoreError } from "../store/index.ts";
import { systemReason, UsageError } from "./errors.ts";
import { STDIN } from "./bytes.ts";
import type { ReadingFlags } from "./formats.ts";
import { openService } from "./input.ts";
import { splitLines } from "./lines.ts";
import { send } from "./output.ts";
import type { Source } from "./records.ts";
import { openBatch, openFiles } from "./sources.ts";
import { openReader } from "./store.ts";

export interface RpcOptions extends ReadingFlags {
  readonly store?: string;
  readonly files?: string;
  readonly batch?: readonly string[];
  readonly maxLine?: number;
}

/** The default maximum of bytes per line. */
const LONGEST_LINE = 64 * 1024 * 1024;

const blank = /^[ \t\r]*$/;

/** Responds until stdin ends. Blank lines and notifications get no response. */
export async function rpc(options: RpcOptions): Promise<void> {
  const { store, files: place, batch = [], maxLine = LONGEST_LINE } = options;
  if (store !== undefined && (place !== undefined || batch.length > 0)) {
    throw new UsageError("--store: can't be combined with --files or --batch");
  }
  if ([...batch, place].includes(STDIN)) {
    throw new UsageError("standard input holds the requests; give --files and --batch a file");
  }
  const batches: Source[] = [];
  for (const file of batch) batches.push(await openBatch(file, { index: batches.length }));
  const files = place === undefined ? undefined : await openFiles(place, options);
  const stored = store === undefined ? undefined : openReader(store);
  const service = stored ?? openService({ files, batches });

  // A line longer than the maximum length of a string could not be read.
  const longest = Math.min(maxLine, constants.MAX_STRING_LENGTH);
  try {
    for await (const line of splitLines(process.stdin, longest)) {
      if (line === undefined) {
        await send(process.stdout, `${tooLong(longest)}\n`);
        continue;
      }
      const text = textOf(line);
      if (text !== undefined && blank.test(text)) continue;
      stored?.refresh();
      // Bytes that are not UTF-8 are not JSON either, and the service says so.
      let end = "";
      for (const piece of service.dispatchChunks(text ?? "")) {
        await send(process.stdout, piece);
        end = "\n";
      }
      await send(process.stdout, end);
    }
  } catch (thrown) {
    if (thrown instanceof StoreError) throw thrown;
    throw new UsageError(`stdin: ${systemReason(thrown)}`);
  }
}

/** The response to a line that is too long to read (rule E1). */
function tooLong(longest: number): string {
  const data = `request: is longer than the ${longest} bytes that --max-line allows`;
  return JSON.stringify({
    id: null,
    result: null,
    error: { code: 310, message: errorNames[310], data },
  });
}

/** Ignores a byte order mark, and throws if the bytes are not UTF-8. */
const decoder = new TextDecoder("utf-8", { fatal: true });

function textOf(line: Uint8Array): string | undefined {
  try {
    return decoder.decode(line);
  } catch {
    return undefined;
  }
}
