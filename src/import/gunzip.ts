// Unpacks gzip piece by piece. Not DecompressionStream: browsers refuse a second member there, which
// `cat a.gz b.gz` and parallel packers write, and it can only be waited for.

import { Z_BUF_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END } from "pako";
import { ZStream, zlibInflate, zlibInflateInit2, zlibInflateReset } from "pako";
import { InputError } from "../schema/errors.ts";
import type { Stage } from "./source.ts";

const OUTPUT_BYTES = 256 * 1024;

/** The largest window, and gzip's wrapping only: the numbers are zlib's. */
const WINDOW_BITS = 15 + 16;

/** Whether bytes begin as gzip does. */
export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Hands on what gzipped bytes hold: one member after the other, checksums checked. Zeros after a
 * member are padding and end it.
 */
export class Gunzip<Out> implements Stage<Out> {
  readonly #inner: Stage<Out>;
  readonly #output = new Uint8Array(OUTPUT_BYTES);
  readonly #stream = new ZStream();
  #status: number = Z_OK;
  #isPadding = false;

  constructor(inner: Stage<Out>) {
    this.#inner = inner;
    zlibInflateInit2(this.#stream, WINDOW_BITS);
  }

  /** @throws InputError where the bytes are damaged */
  *push(piece: Uint8Array): Generator<Out, void> {
    const stream = this.#stream;
    if (this.#isPadding || piece.length === 0) return;
    stream.input = piece;
    stream.next_in = 0;
    stream.avail_in = piece.length;
    do {
      if (this.#status === Z_STREAM_END) {
        this.#isPadding = piece[stream.next_in] === 0;
        if (this.#isPadding) return;
        zlibInflateReset(stream);
      }
      stream.output = this.#output;
      stream.next_out = 0;
      stream.avail_out = OUTPUT_BYTES;
      const status = zlibInflate(stream, Z_NO_FLUSH);
      this.#status = status;
      if (status !== Z_OK && status !== Z_STREAM_END && status !== Z_BUF_ERROR) {
        throw new InputError("source", `is damaged gzip: ${stream.msg}`);
      }
      yield* this.#inner.push(this.#output.subarray(0, stream.next_out));
      // A full output may not be all that this input gives.
    } while (stream.avail_in > 0 || (stream.avail_out === 0 && this.#status !== Z_STREAM_END));
  }

  /** @throws InputError where the bytes end too early */
  *end(): Generator<Out, void> {
    if (this.#status !== Z_STREAM_END)
      throw new InputError("source", "is damaged gzip: ends too early");
    yield* this.#inner.end();
  }
}
