// NDJSON: a JSON object on each line. A line ends at \n; blank lines are skipped.

import type { Schema } from "../schema/schema.ts";
import type { ImportOf } from "./form.ts";
import { readJsonFormat, type JsonFormat, type JsonFormatOptions } from "./json-format.ts";
import { faultIn, parseText } from "./json-parse.ts";
import { jsonSink } from "./json.ts";
import { LONGEST_RECORD, TOO_LONG, type Decoder } from "./feed.ts";
import { readBytes, type ReadingOf, type TextOptions } from "./reading.ts";
import { lineWith, Malformed, type Sink } from "./sink.ts";
import type { Bytes } from "./source.ts";
import { decodeAnyway, decodeUtf8, firstBad, lastBoundary, markIn } from "./utf8.ts";

/** The options of `readNdjson`. */
export interface NdjsonOptions<S extends Schema | undefined = undefined>
  extends TextOptions<S>, Omit<JsonFormatOptions, "at"> {}

/**
 * Reads NDJSON, compressed or not, in bounded memory. A line may have 16 MiB. Errors name the line.
 *
 * @param source bytes; if they are synchronous, so is iteration
 * @throws InputError with the place, such as `line 17.size`, during iteration
 */
export function readNdjson<Source extends Bytes, S extends Schema | undefined = undefined>(
  source: Source,
  options: NdjsonOptions<S> = {},
): ReadingOf<Source, ImportOf<S>> {
  const format = readJsonFormat(options);
  const decoderOf = (sink: Sink) => ndjsonDecoder(jsonSink(sink, format, options), format);
  return readBytes(source, options, (_, sink) => decoderOf(sink));
}

const LF = 0x0a;
const blank = /^[ \t\r]*$/;

export function ndjsonDecoder(sink: Sink, { isNonFiniteNull }: JsonFormat): Decoder {
  const { json } = sink;
  let line = 1;
  /** Whether the rest of the line is skipped because it is too long. */
  let isPassing = false;

  function takeLines(bytes: Uint8Array): void {
    // Decoding all lines at once is faster than one by one.
    const isOnePiece = json === undefined && bytes.length <= LONGEST_RECORD;
    const all = isOnePiece ? (decodeUtf8(bytes) ?? bytes) : bytes;
    const isText = typeof all === "string";
    const mark = line === 1 ? markIn(bytes) : 0;
    let start = isText ? Math.min(mark, 1) : mark;
    for (; start < all.length; line++) {
      const found = isText ? all.indexOf("\n", start) : all.indexOf(LF, start);
      const end = found < 0 ? all.length : found;
      const each = isText ? all.slice(start, end) : all.subarray(start, end);
      start = end + 1;
      const isShort = typeof each !== "string" && each.length <= LONGEST_RECORD;
      if (isShort && json?.readWhole(each, line, lineWith)) continue;
      const value = valueOf(each, isNonFiniteNull);
      if (value !== undefined) sink.take(value, line, lineWith);
    }
  }

  return {
    ending: LF,
    take(bytes, isEnd) {
      const start = isPassing ? bytes.indexOf(LF) + 1 : 0;
      isPassing &&= start === 0;
      if (isPassing) return bytes.length;
      const end = bytes.lastIndexOf(LF) + 1;
      isPassing = bytes.length - end > LONGEST_RECORD;
      const taken = isEnd || isPassing ? bytes.length : end;
      takeLines(bytes.subarray(start, taken));
      return taken;
    },
  };
}

/** The value of a line; `undefined` if it is blank. */
function valueOf(line: string | Uint8Array, isLenient: boolean): unknown {
  // Only the start of a line that is too long may be here, truncated within a character.
  if (typeof line !== "string" && line.length > LONGEST_RECORD) return cutShort(line);
  const text = typeof line === "string" ? line : decodeUtf8(line);
  if (text === undefined) {
    const at = firstBad(asBytes(line));
    return new Malformed(decodeAnyway(asBytes(line)), `is not UTF-8 at byte ${at} of the line`);
  }
  try {
    return parseText(text, isLenient);
  } catch (thrown) {
    if (blank.test(text)) return undefined;
    const fault = faultIn(asBytes(line), isLenient);
    if (fault === undefined) throw thrown;
    return new Malformed(
      text,
      `is not JSON: unexpected ${fault.what} at byte ${fault.at} of the line`,
    );
  }
}

function asBytes(line: string | Uint8Array): Uint8Array {
  return typeof line === "string" ? new TextEncoder().encode(line) : line;
}

/** How many bytes of a line that is too long are passed to `skipInvalid`. */
const SHOWN = 1000;

function cutShort(line: Uint8Array): Malformed {
  const start = line.subarray(0, SHOWN);
  return new Malformed(decodeAnyway(start.subarray(0, lastBoundary(start))), TOO_LONG);
}
