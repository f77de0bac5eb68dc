// Decompresses gzip piece by piece. Not DecompressionStream: in browsers it rejects a second member,
// which `cat a.gz b.gz` and parallel compressors write, and it is only asynchronous.

import { Z_BUF_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END } from "pako";
import { ZStream, zlibInflate, zlibInflateInit2, zlibInflateReset } from "pako";
import { InputError } from "../schema/errors.ts";
import type { Decoder } from "./decoder.ts";

const OUTPUT_BYTES = 256 * 1024;

/** The largest window, and only the gzip wrapper, in zlib's encoding. */
const WINDOW_BITS = 15 + 16;

/** Whether bytes begin like gzip. */
export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Passes on the decompressed bytes of one member after another, with their checksums verified. Zeros
 * after a member are padding and end the input.
 */
export class Gunzip<Out> implements Decoder<Out> {
  readonly #inner: Decoder<Out>;
  readonly #output = new Uint8Array(OUTPUT_BYTES);
  readonly #stream = new ZStream();
  #status: number = Z_OK;
  #isPadding = false;

  constructor(inner: Decoder<Out>) {
    this.#inner = inner;
    zlibInflateInit2(this.#stream, WINDOW_BITS);
  }

  /** @throws InputError if the bytes are damaged */
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
      // If the output is full, this input may give more.
    } while (stream.avail_in > 0 || (stream.avail_out === 0 && this.#status !== Z_STREAM_END));
  }

  /** @throws InputError if the bytes end too early */
  *end(): Generator<Out, void> {
    if (this.#status !== Z_STREAM_END)
      throw new InputError("source", "is damaged gzip: ends too early");
    yield* this.#inner.end();
  }
}
