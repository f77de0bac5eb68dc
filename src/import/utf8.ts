// Decodes UTF-8, finds invalid bytes, and converts other encodings to UTF-8.

import { InputError, orUndefined } from "../schema/errors.ts";
import { must } from "../schema/options.ts";

// Readers skip a byte order mark at the start of a text; anywhere else it is an ordinary character.
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text, or `undefined` if the bytes are not UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array) => orUndefined(() => strict.decode(bytes));

/** The text, with replacement characters for bytes that are not UTF-8. */
export const decodeAnyway = (bytes: Uint8Array) => lenient.decode(bytes);

/** The position of the first bytes that are not UTF-8 (RFC 3629); −1 if there are none. */
export function firstBad(bytes: Uint8Array): number {
  const { length } = bytes;
  let i = 0;
  while (i < length) {
    // Most text is ASCII.
    while (i + 4 <= length && (bytes[i]! | bytes[i + 1]! | bytes[i + 2]! | bytes[i + 3]!) < 0x80)
      i += 4;
    if (i === length) break;
    const first = bytes[i]!;
    if (first < 0x80) {
      i++;
      continue;
    }
    const more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    if (first < 0xc2 || first > 0xf4 || i + more >= length) return i;
    // No overlong forms, no surrogates, nothing beyond U+10FFFF.
    const second = bytes[i + 1]!;
    const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    if (second < lowest || second > highest) return i;
    for (let k = 2; k <= more; k++) if ((bytes[i + k]! & 0xc0) !== 0x80) return i;
    i += more + 1;
  }
  return -1;
}

/** The start of the last character, if it is incomplete; otherwise the end. */
export function lastBoundary(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return length;
    // The first byte gives the length; the following ones are 10xxxxxx.
    if (byte >= 0xc0)
      return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? length - back : length;
  }
  return length;
}

/** The byte order mark. */
export const MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** How many bytes of the byte order mark a text starts with. */
export const markIn = (bytes: Uint8Array) =>
  MARK.every((byte, i) => bytes[i] === byte) ? MARK.length : 0;

/** Whether some bytes occur at a position of others. */
export function isAt(part: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < part.length; i++) if (bytes[at + i] !== part[i]) return false;
  return true;
}

/** The concatenation of the parts, as a copy. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    whole.set(part, end);
    end += part.length;
  }
  return whole;
}

/** Converts a piece of text in another encoding to UTF-8; without a piece, the text has ended. */
export type Transcode = (piece?: Uint8Array) => Uint8Array;

/**
 * Converts consecutive pieces from an encoding to UTF-8; `undefined` for UTF-8 itself, which readers check.
 *
 * @throws InputError that names the option
 */
export function transcoderOf(given: unknown): Transcode | undefined {
  const decoder = new TextDecoder(readEncoding(given, "options.encoding"), { fatal: true });
  const { encoding } = decoder;
  if (encoding === "utf-8") return undefined;
  const encoder = new TextEncoder();
  return (piece) => {
    try {
      // Streaming from the first piece on: some versions of Node.js decode a complete windows-1252 text as Latin-1.
      return encoder.encode(decoder.decode(piece, { stream: piece !== undefined }));
    } catch (cause) {
      throw new InputError("source", `is not ${encoding}`, { cause });
    }
  };
}

const isEncoding = (given: unknown): given is string =>
  typeof given === "string" && orUndefined(() => new TextDecoder(given)) !== undefined;
const readEncoding = must('the name of an encoding, such as "windows-1252"', isEncoding);
