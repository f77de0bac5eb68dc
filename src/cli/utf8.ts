// Text as bytes: is it UTF-8, and where not?

import { isUtf8 } from "node:buffer";
import { UsageError } from "./errors.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The text without its byte order mark, or `undefined` where the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The same bytes, cut between characters and not within one. A piece is valid until the next one
 * is asked for.
 *
 * @throws UsageError with the offset of the first byte that is not UTF-8
 */
export function* wholeCharacters(chunks: Iterable<Uint8Array>): Generator<Uint8Array, void> {
  let offset = 0;
  let begun: Uint8Array = new Uint8Array(0);
  for (const chunk of chunks) {
    const bytes = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
    const end = lastBoundary(bytes);
    const whole = bytes.subarray(0, end);
    if (!isUtf8(whole)) throw notUtf8(offset + firstBad(whole));
    begun = new Uint8Array(bytes.subarray(end));
    yield whole;
    offset += end;
  }
  if (begun.length > 0) throw notUtf8(offset);
}

function notUtf8(offset: number): UsageError {
  return new UsageError(`is not UTF-8 at byte ${offset}`);
}

/** Where the last character begins, if it is not all there; else the end. */
function lastBoundary(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return length;
    // A first byte tells how many there are; those after it are 10xxxxxx.
    if (byte >= 0xc0)
      return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? length - back : length;
  }
  return length;
}

/** The offset of the first byte that is not UTF-8: decoding puts something else in its place. */
function firstBad(bytes: Uint8Array): number {
  const mended = Buffer.from(Buffer.from(bytes).toString());
  return bytes.findIndex((byte, index) => byte !== mended[index]);
}
