// Converts values to JSON like JSON.stringify, but a few records at a time, so that the whole text is never in memory.

import { LongNumber } from "./exact-json.ts";
import { isMembers } from "./input.ts";

/** How many records are converted at once, until it is known how long they are. */
const FIRST_SLICE = 64;

/** The minimum length of a piece, in characters. */
const PIECE_LENGTH = 64 * 1024;

/** The usual length of what is converted at once: less takes more time per record, more takes more memory. */
const SLICE_LENGTH = PIECE_LENGTH / 4;

/** A response has a result, whose members may be arrays of records. */
const DEPTH = 2;

/** How many records, and how many characters by the length of the first one, are converted at once. */
const MOST_AT_ONCE = { records: 1024, characters: 1024 * 1024 };

/**
 * The JSON of a response at once, which takes less time than in parts; `undefined` if it is probably long.
 *
 * @throws RangeError if it is longer than any string can be
 */
export function shortTextOf(response: object): string | undefined {
  const lists: readonly (readonly unknown[])[] = Object.values(response).flatMap(
    (member: unknown) =>
      isMembers(member)
        ? Object.values(member).filter(Array.isArray)
        : Array.isArray(member)
          ? [member]
          : [],
  );
  const records = lists.reduce((sum, list) => sum + list.length, 0);
  if (records > MOST_AT_ONCE.records) return undefined;
  const first: unknown = lists.find(({ length }) => length > 0)?.[0] ?? null;
  if (records * JSON.stringify(first).length > MOST_AT_ONCE.characters) return undefined;
  return JSON.stringify(response);
}

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
  const { length } = records;
  if (length <= FIRST_SLICE) {
    yield JSON.stringify(records);
    return;
  }
  let end = 0;
  let wanted = FIRST_SLICE;
  for (let start = 0; start < length; start = end) {
    end = Math.min(length, start + wanted);
    const slice = JSON.stringify(records.slice(start, end));
    yield (start === 0 ? "[" : ",") + slice.slice(1, -1);
    wanted = Math.ceil((SLICE_LENGTH * wanted) / slice.length);
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
