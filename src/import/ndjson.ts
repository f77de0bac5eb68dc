// NDJSON: a JSON object on each line. A line ends at \n; blank lines are skipped.

import type { Schema } from "../schema/schema.ts";
import type { ImportOf } from "./form.ts";
import { faultOf } from "./json-fault.ts";
import { unrounded } from "./json-parse.ts";
import { LONGEST_RECORD, TOO_LONG } from "./limits.ts";
import { readBytes, type ReadingOf, type ReadOptions } from "./reading.ts";
import { lineWith } from "./place.ts";
import { Malformed, type Decoder, type Sink } from "./sink.ts";
import type { Bytes } from "./source.ts";
import { concat, decodeAnyway, decodeUtf8, firstBad, lastBoundary } from "./utf8.ts";

/**
 * Reads NDJSON, gzipped or not, in bounded memory. A line may have 16 MiB. Errors name the line.
 *
 * @param source bytes; if they are synchronous, so is iteration
 * @throws InputError with the place, such as `line 17.size`, during iteration
 */
export function readNdjson<Source extends Bytes, S extends Schema | undefined = undefined>(
  source: Source,
  options: ReadOptions<S> = {},
): ReadingOf<Source, ImportOf<S>> {
  return readBytes(source, options, (_, sink) => new NdjsonDecoder(sink), unrounded);
}

const LF = 0x0a;
const blank = /^[ \t\r]*$/;

export class NdjsonDecoder implements Decoder {
  /** The start of an incomplete line. */
  #kept: Uint8Array[] = [];
  #length = 0;
  /** Whether the rest of the line is skipped because it is too long. */
  #isPassing = false;
  #line = 1;
  readonly #sink: Sink;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  push(piece: Uint8Array): void {
    let start = 0;
    if (this.#isPassing) {
      start = piece.indexOf(LF) + 1;
      if (start === 0) return;
      this.#isPassing = false;
    }
    const end = piece.lastIndexOf(LF) + 1;
    if (end > start) {
      this.#kept.push(piece.subarray(start, end));
      this.#take();
    }
    if (end === piece.length) return;
    this.#kept.push(piece.slice(Math.max(start, end)));
    this.#length += this.#kept.at(-1)?.length ?? 0;
    // Refused before its end arrives, which may be far away.
    if (this.#length > LONGEST_RECORD) {
      this.#isPassing = true;
      this.#take();
    }
  }

  end(): void {
    if (this.#length > 0) this.#take();
  }

  /** Takes the complete lines. */
  #take(): void {
    const bytes = concat(this.#kept);
    this.#kept = [];
    this.#length = 0;
    const { json } = this.#sink;
    // Decoding all lines at once is faster than one by one.
    const all = json === undefined ? (decodeUtf8(bytes) ?? bytes) : bytes;
    const isText = typeof all === "string";
    let start = this.#line === 1 && startsWithMark(bytes) ? (isText ? 1 : 3) : 0;
    for (; start < all.length; this.#line++) {
      const found = isText ? all.indexOf("\n", start) : all.indexOf(LF, start);
      const end = found < 0 ? all.length : found;
      const line = isText ? all.slice(start, end) : all.subarray(start, end);
      start = end + 1;
      const isShort = line.length <= LONGEST_RECORD;
      if (typeof line !== "string" && isShort && json?.rows.readWhole(line)) {
        json.took(this.#line, lineWith);
        continue;
      }
      const value = valueOf(line);
      if (value !== undefined) this.#sink.take(value, this.#line, lineWith);
    }
  }
}

function startsWithMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** The value of a line; `undefined` if it is blank. */
function valueOf(line: string | Uint8Array): unknown {
  // Only the start of a line that is too long may be here, cut within a character.
  if (isTooLong(line)) return cutShort(line);
  const text = typeof line === "string" ? line : decodeUtf8(line);
  if (text === undefined) {
    const at = firstBad(asBytes(line));
    return new Malformed(decodeAnyway(asBytes(line)), `is not UTF-8 at byte ${at} of the line`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    if (blank.test(text)) return undefined;
    const fault = faultOf(asBytes(line));
    if (fault === undefined) throw thrown;
    return new Malformed(
      text,
      `is not JSON: unexpected ${fault.what} at byte ${fault.at} of the line`,
    );
  }
}

function isTooLong(line: string | Uint8Array): boolean {
  // No character has more than three bytes for each of its code units.
  const most = typeof line === "string" ? 3 * line.length : line.length;
  return most > LONGEST_RECORD && asBytes(line).length > LONGEST_RECORD;
}

function asBytes(line: string | Uint8Array): Uint8Array {
  return typeof line === "string" ? new TextEncoder().encode(line) : line;
}

/** How many bytes of a line that is too long are passed to `skipInvalid`. */
const SHOWN = 1000;

function cutShort(line: string | Uint8Array): Malformed {
  const start = asBytes(line.slice(0, SHOWN));
  return new Malformed(decodeAnyway(start.subarray(0, lastBoundary(start))), TOO_LONG);
}
