// Files and Batches in a file: the patches that make them of nothing, so that each row keeps its key.

import type { ServiceState } from "../service/state.ts";
import type { Disk } from "./disk.ts";
import { StoreError } from "./errors.ts";
import { Log } from "./log.ts";
import { linesOf, patchesOf } from "./patches.ts";

/** How many characters an entry of data has, about: what is lost where a bit of it is changed. */
const ENTRY_LENGTH = 64 * 1024;

/** Writes a state into a new file, and returns its size. When it returns, the bytes last. */
export function writeData(disk: Disk, path: string, state: ServiceState): number {
  const log = new Log(disk, path, "w+");
  try {
    let end = 0;
    let number = 0;
    let lines: string[] = [];
    let length = 0;
    const flush = () => {
      end = log.write(end, ++number, lines).end;
      lines = [];
      length = 0;
    };
    for (const line of linesOf(patchesOf(state))) {
      lines.push(line);
      length += line.length;
      if (length >= ENTRY_LENGTH) flush();
    }
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
 * @param size how many bytes the file has
 * @throws StoreError where it is not as it was written
 */
export function* readData(disk: Disk, path: string, size: number): Generator<unknown, void> {
  const log = new Log(disk, path, "r");
  try {
    if (log.size !== size) throw new StoreError(path, `has ${log.size} bytes instead of ${size}`);
    for (let offset = 0, number = 1; offset < size; number++) {
      const entry = log.entryAt(offset);
      if (entry?.number !== number) throw new StoreError(path, "is damaged", { offset });
      yield* log.values(entry);
      offset = entry.end;
    }
  } finally {
    log.close();
  }
}
