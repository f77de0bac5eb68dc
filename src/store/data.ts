// Files and Batches in a file: the patches that make them of nothing, so that each row keeps its key.
// The last entry says that it is the last, and which change was the last that is in them.

import { isMembers } from "../schema/input.ts";
import type { ServiceState } from "../service/state.ts";
import type { Disk } from "./disk.ts";
import { StoreError } from "./errors.ts";
import { Log } from "./log.ts";
import { linesOf, patchesOf } from "./patches.ts";

/** How many characters an entry of data has, about: what is lost where a bit of it is changed. */
const ENTRY_LENGTH = 64 * 1024;

/**
 * Writes a state into a new file. When it returns, the bytes last.
 *
 * @param number of the last change in the state
 * @returns the size of the file
 */
export function writeData(disk: Disk, path: string, state: ServiceState, number: number): number {
  const log = new Log(disk, path, "w+");
  try {
    let end = 0;
    let entries = 0;
    let lines: string[] = [];
    let length = 0;
    const flush = () => {
      end = log.write(end, ++entries, lines).end;
      lines = [];
      length = 0;
    };
    for (const line of linesOf(patchesOf(state))) {
      lines.push(line);
      length += line.length;
      if (length >= ENTRY_LENGTH) flush();
    }
    flush();
    lines.push(JSON.stringify({ number }));
    flush();
    log.sync();
    return end;
  } finally {
    log.close();
  }
}

/**
 * The patches in a file of data.
 *
 * @returns the number of the last change in them
 * @throws StoreError where it is not as it was written
 */
export function* readData(log: Log): Generator<unknown, number> {
  const { path, size } = log;
  let last: unknown;
  for (let offset = 0, number = 1; offset < size; number++) {
    const entry = log.entryAt(offset);
    if (entry?.number !== number) throw new StoreError(path, "is damaged", { offset });
    offset = entry.end;
    if (offset < size) yield* log.values(entry);
    else [last] = log.values(entry);
  }
  const number = numberIn(last);
  if (number === undefined) throw new StoreError(path, "has no end");
  return number;
}

/** The number of the last change, where a value is what stands at the end of data. */
export function numberIn(last: unknown): number | undefined {
  return isMembers(last) && typeof last.number === "number" ? last.number : undefined;
}
