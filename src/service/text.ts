// Answers as JSON text: the same as JSON.stringify makes of them, but some records at a time, so that
// no answer need be held as a whole.

import type { Deadline } from "../collection/algorithms/deadline.ts";
import type { AnyResponse } from "./envelope.ts";
import { askForPage } from "./methods.ts";

/** How many records become text at once: fewer take longer each, more are beside each other for longer. */
const SLICE = 64;

/** The length at which a piece is long enough, in characters. */
const PIECE_LENGTH = 64 * 1024;

/** The JSON text of an answer, in parts. */
export function* textOf(answer: AnyResponse): Generator<string, void> {
  const { result } = answer;
  if (typeof result !== "object" || result === null) {
    yield JSON.stringify(answer);
    return;
  }
  let separator = "{";
  for (const [name, value] of Object.entries(answer)) {
    yield `${separator}${JSON.stringify(name)}:`;
    if (value !== result) yield JSON.stringify(value);
    else if (Array.isArray(result)) yield* textOfRecords(result);
    else yield* textOfGroups(result);
    separator = ",";
  }
  yield "}";
}

function* textOfGroups(groups: object): Generator<string, void> {
  let separator = "{";
  for (const [name, records] of Object.entries(groups) as [string, readonly unknown[]][]) {
    yield `${separator}${JSON.stringify(name)}:`;
    yield* textOfRecords(records);
    separator = ",";
  }
  yield separator === "{" ? "{}" : "}";
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

/**
 * The JSON text of an answer as a whole.
 *
 * @throws ServiceError 310 where it is longer than `most`, DeadlineError where it is too late
 */
export function wholeTextOf(
  answer: AnyResponse,
  most: number,
  deadline: Deadline | undefined,
): string {
  const parts: string[] = [];
  let length = 0;
  for (const part of textOf(answer)) {
    length += part.length;
    if (length > most) throw askForPage(`is longer than ${most} characters`);
    parts.push(part);
    deadline?.check();
  }
  return parts.join("");
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
