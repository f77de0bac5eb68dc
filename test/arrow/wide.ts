// Files whose texts and postings need offsets of 64 bits, and are too large for memory, since the limits are low.

import { narrowLimits } from "../../src/arrow/offsets.ts";
import { memoryLimits } from "../../src/arrow/read/section.ts";

/** Lowers the limits until it is disposed of. */
export function wide(text = 20, postings = 100, memory = 30): Disposable {
  const before = [{ ...narrowLimits }, { ...memoryLimits }] as const;
  Object.assign(narrowLimits, { text, postings });
  memoryLimits.bytes = memory;
  return {
    [Symbol.dispose]() {
      Object.assign(narrowLimits, before[0]);
      Object.assign(memoryLimits, before[1]);
    },
  };
}
