// Unpacks gzip piece by piece and synchronously, which node:zlib does only for a whole at once.

import { Z_BUF_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END } from "pako";
import { ZStream, zlibInflate, zlibInflateInit2, zlibInflateReset } from "pako";
import { UsageError } from "./errors.ts";

const OUTPUT_BYTES = 256 * 1024;

/** The largest window, and gzip's wrapping only: the numbers are zlib's. */
const WINDOW_BITS = 15 + 16;

/** Whether bytes begin as gzip does. */
export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * What gzipped bytes hold: one member after the other, checksums checked. Zeros after a member are
 * padding and end it. A piece is valid until the next one is asked for.
 *
 * @throws UsageError where the bytes are damaged or end too early
 */
export function* gunzip(chunks: Iterable<Uint8Array>): Generator<Uint8Array, void> {
  const output = new Uint8Array(OUTPUT_BYTES);
  const stream = new ZStream();
  zlibInflateInit2(stream, WINDOW_BITS);
  let status: number = Z_OK;
  for (const chunk of chunks) {
    stream.input = chunk;
    stream.next_in = 0;
    stream.avail_in = chunk.length;
    do {
      if (status === Z_STREAM_END) {
        if (chunk[stream.next_in] === 0) return;
        zlibInflateReset(stream);
      }
      stream.output = output;
      stream.next_out = 0;
      stream.avail_out = OUTPUT_BYTES;
      status = zlibInflate(stream, Z_NO_FLUSH);
      if (status !== Z_OK && status !== Z_STREAM_END && status !== Z_BUF_ERROR) {
        throw new UsageError(`is damaged gzip: ${stream.msg}`);
      }
      yield output.subarray(0, stream.next_out);
      // A full output may not be all that this input gives.
    } while (stream.avail_in > 0 || (stream.avail_out === 0 && status !== Z_STREAM_END));
  }
  if (status !== Z_STREAM_END) throw new UsageError("is damaged gzip: ends too early");
}
