// Gives a decoder the bytes of a source in UTF-8, together with the previous bytes that it has not consumed, such as an
// incomplete record. So a decoder buffers nothing.

import { grown } from "../engine/algorithms/codes.ts";
import { markedEncoding } from "./signatures.ts";
import { piecesOf, piecesOfAsync, type Bytes, type SyncBytes } from "./source.ts";
import type { UnpackOptions } from "./unpack.ts";
import { transcoderOf, type Transcode } from "./utf8.ts";

export const MEBIBYTE = 1024 * 1024;

/** The maximum size of a record, which is held until it is complete. */
export const LONGEST_RECORD = 16 * MEBIBYTE;
export const TOO_LONG = `is longer than the limit of ${LONGEST_RECORD / MEBIBYTE} MiB`;

/** The maximum total size of the JSON around records, which is held until the end. */
export const LONGEST_REST = 64 * MEBIBYTE;

/** Puts the records of a source into a sink. */
export interface Decoder {
  /**
   * Consumes the complete part of some bytes, which are valid only during the call.
   *
   * @param isEnd whether nothing follows
   * @returns how many bytes it has consumed; the others are passed again, together with those that follow
   */
  take(bytes: Uint8Array, isEnd: boolean): number;
  /** The byte that ends each record, if there is one. Without it, nothing is complete. */
  readonly ending?: number | undefined;
}

/** How many bytes may remain before a decoder is no longer called for each piece. */
const FEW = 16 * 1024;

export interface FeedOptions extends UnpackOptions {
  /** Default: the one that a byte order mark names, else UTF-8. */
  readonly encoding?: string | undefined;
  readonly onEncoding?: ((encoding: string) => void) | undefined;
}

/** Passes all of a source to a decoder. Yields the decoder's target after each piece. */
export function* fed<To>(
  to: To,
  source: SyncBytes,
  decoder: Decoder,
  options: FeedOptions = {},
): Generator<To, void> {
  const feed = feeding(decoder, options);
  for (const piece of piecesOf(source, { ...options, isText: true })) {
    feed(piece);
    yield to;
  }
  feed();
  yield to;
}

/** Like `fed`, for bytes that may be asynchronous. */
export async function* fedLater<To>(
  to: To,
  source: Bytes,
  decoder: Decoder,
  options: FeedOptions = {},
): AsyncGenerator<To, void> {
  const feed = feeding(decoder, options);
  for await (const piece of piecesOfAsync(source, { ...options, isText: true })) {
    feed(piece);
    yield to;
  }
  feed();
  yield to;
}

function feeding(decoder: Decoder, options: FeedOptions) {
  const { onEncoding } = options;
  let encoding = options.encoding;
  let transcode: Transcode | undefined;
  let hasBegun = false;
  /** The bytes that the decoder has not consumed, and those received since, at the start of a reused buffer. */
  let bytes = new Uint8Array(FEW);
  let length = 0;
  let left = 0;

  function append(piece: Uint8Array): void {
    const all = length + piece.length;
    if (all > bytes.length) bytes = grown(bytes, Uint8Array, 2 * all);
    bytes.set(piece, length);
    length = all;
  }

  function isEnough(piece: Uint8Array, before: number): boolean {
    // A record that is too long is refused before its end arrives, which may be far away.
    if ([LONGEST_RECORD, LONGEST_REST].some((most) => before <= most && length > most)) return true;
    if (decoder.ending !== undefined) return piece.includes(decoder.ending);
    // A long record in many pieces is examined again only when it has doubled in length.
    return left <= FEW || length >= 2 * left;
  }

  function give(isEnd: boolean): void {
    const taken = decoder.take(bytes.subarray(0, length), isEnd);
    bytes.copyWithin(0, taken, length);
    length = left = length - taken;
  }

  function begin(head: Uint8Array): void {
    hasBegun = true;
    encoding ??= markedEncoding(head) ?? "utf-8";
    transcode = transcoderOf(encoding);
    onEncoding?.(encoding);
  }

  /** Without a piece, the source has ended. @param piece is valid only during the call */
  return (piece?: Uint8Array): void => {
    if (!hasBegun && piece !== undefined) begin(piece);
    const added = transcode?.(piece) ?? piece;
    const before = length;
    if (added !== undefined) append(added);
    if (added === undefined || piece === undefined) give(true);
    else if (isEnough(added, before)) give(false);
  };
}
