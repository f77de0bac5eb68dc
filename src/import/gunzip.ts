// Decompresses gzip piece by piece. Not DecompressionStream: in browsers it rejects a second member,
// which `cat a.gz b.gz` and parallel compressors write, and it is only asynchronous.

import { Z_BUF_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END } from "pako";
import { ZStream, zlibInflate, zlibInflateInit2, zlibInflateReset } from "pako";
import { InputError } from "../schema/errors.ts";
import { concat } from "./utf8.ts";

const OUTPUT_BYTES = 256 * 1024;

/** The largest window, and only the gzip wrapper, in zlib's encoding. */
const WINDOW_BITS = 15 + 16;

/** The longest piece. The records of a piece are held until they have been consumed. */
const PIECE_BYTES = 256 * 1024;

/** Passes bytes on piece by piece, decompressed if the first two are those of gzip. */
export class Unpacker {
  readonly #onProgress: ((bytes: number) => void) | undefined;
  readonly #maxBytes: number;
  #read = 0;
  #passed = 0;
  /** The first bytes, until there are two. */
  #head: Uint8Array | undefined = new Uint8Array(0);
  #gunzip: Gunzip | undefined;

  /**
   * @param onProgress gets the number of bytes passed on so far, as they are in the source
   * @param maxBytes how many are passed on at most, decompressed
   */
  constructor(onProgress?: (bytes: number) => void, maxBytes = Infinity) {
    this.#onProgress = onProgress;
    this.#maxBytes = maxBytes;
  }

  /** @throws InputError if the bytes are damaged, or too many */
  *push({ buffer, byteOffset, length }: Uint8Array): Generator<Uint8Array, void> {
    for (let start = 0; start < length; start += PIECE_BYTES) {
      // Plain Uint8Arrays, because `slice` of a Node.js Buffer makes no copy.
      const size = Math.min(PIECE_BYTES, length - start);
      for (const piece of this.#unpacked(new Uint8Array(buffer, byteOffset + start, size))) {
        if ((this.#passed += piece.length) > this.#maxBytes) {
          const packed = this.#gunzip === undefined ? "" : ", decompressed";
          throw new InputError("source", `has more than ${this.#maxBytes} bytes${packed}`);
        }
        yield piece;
      }
    }
    this.#onProgress?.((this.#read += length));
  }

  *#unpacked(piece: Uint8Array): Generator<Uint8Array, void> {
    let bytes = piece;
    if (this.#head !== undefined) {
      bytes = concat([this.#head, piece]);
      this.#head = bytes.length < 2 ? bytes : undefined;
      if (this.#head !== undefined) return;
      if (bytes[0] === 0x1f && bytes[1] === 0x8b) this.#gunzip = new Gunzip();
    }
    if (this.#gunzip === undefined) yield bytes;
    else yield* this.#gunzip.push(bytes);
  }

  /** @throws InputError if the bytes end too early */
  *end(): Generator<Uint8Array, void> {
    if (this.#head !== undefined) yield this.#head;
    if (this.#gunzip?.isWhole === false) {
      throw new InputError("source", "is damaged gzip: ends too early");
    }
  }
}

/** Decompresses one member after another, and verifies their checksums. Zeros after a member end the input. */
class Gunzip {
  readonly #output = new Uint8Array(OUTPUT_BYTES);
  readonly #stream = new ZStream();
  #status: number = Z_OK;
  #isPadding = false;

  constructor() {
    zlibInflateInit2(this.#stream, WINDOW_BITS);
  }

  /** Whether the last member is complete. */
  get isWhole(): boolean {
    return this.#status === Z_STREAM_END;
  }

  *push(piece: Uint8Array): Generator<Uint8Array, void> {
    const stream = this.#stream;
    if (this.#isPadding || piece.length === 0) return;
    stream.input = piece;
    stream.next_in = 0;
    stream.avail_in = piece.length;
    do {
      if (this.isWhole) {
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
      yield this.#output.subarray(0, stream.next_out);
      // If the output is full, this input may give more.
    } while (stream.avail_in > 0 || (stream.avail_out === 0 && !this.isWhole));
  }
}
