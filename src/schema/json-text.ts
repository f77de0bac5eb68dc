// Converts values to JSON like JSON.stringify, but a few records at a time, so that the whole text is never in memory.

import { LongNumber } from "./exact-json.ts";
import { isMembers } from "./input.ts";

/** How many records are converted at once: fewer take more time per record, more take more memory. */
const SLICE = 64;

/** The minimum length of a piece, in characters. */
const PIECE_LENGTH = 64 * 1024;

/** A response has a result, whose members may be arrays of records. */
const DEPTH = 2;

/** The JSON of a value, in parts; a {@link LongNumber} near the top is written as it was read. */
export function* textOf(value: unknown, depth = DEPTH): Generator<string, void> {
  const digits = LongNumber.textIn(value);
  if (digits !== undefined) yield digits;
  else if (Array.isArray(value)) yield* textOfRecords(value);
  else if (depth > 0 && isMembers(value)) {
    let separator = "{";
    for (const [name, member] of Object.entries(value)) {
      yield `${separator}${JSON.stringify(name)}:`;
      yield* textOf(member, depth - 1);
      separator = ",";
    }
    yield separator === "{" ? "{}" : "}";
  } else yield JSON.stringify(value);
}

function* textOfRecords(records: readonly unknown[]): Generator<string, void> {
  if (records.length <= SLICE) {
    yield JSON.stringify(records);
    return;
  }
  for (let start = 0; start < records.length; start += SLICE) {
    const slice = JSON.stringify(records.slice(start, start + SLICE));
    yield (start === 0 ? "[" : ",") + slice.slice(1, -1);
  }
  yield "]";
}

/** The same text in pieces of about 64 Ki characters. */
export function* inPieces(parts: Iterable<string>): Generator<string, void> {
  let piece: string[] = [];
  let length = 0;
  for (const part of parts) {
    piece.push(part);
    length += part.length;
    if (length < PIECE_LENGTH) continue;
    yield piece.join("");
    piece = [];
    length = 0;
  }
  if (length > 0) yield piece.join("");
}
