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

/**
 * Passes bytes on piece by piece, decompressed if the first two are those of gzip.
 *
 * @param onProgress gets the number of bytes passed on so far, as they are in the source
 * @param maxBytes how many are passed on at most, decompressed
 */
export function unpacker(onProgress?: (bytes: number) => void, maxBytes = Infinity) {
  let read = 0;
  let passed = 0;
  /** The first bytes, until there are two. */
  let head: Uint8Array | undefined = new Uint8Array(0);
  let unzip: ReturnType<typeof gunzip> | undefined;

  function* unpacked(piece: Uint8Array): Generator<Uint8Array, void> {
    let bytes = piece;
    if (head !== undefined) {
      bytes = concat([head, piece]);
      head = bytes.length < 2 ? bytes : undefined;
      if (head !== undefined) return;
      if (bytes[0] === 0x1f && bytes[1] === 0x8b) unzip = gunzip();
    }
    if (unzip === undefined) yield bytes;
    else yield* unzip.push(bytes);
  }

  return {
    /** @throws InputError if the bytes are damaged, or too many */
    *push({ buffer, byteOffset, length }: Uint8Array): Generator<Uint8Array, void> {
      for (let start = 0; start < length; start += PIECE_BYTES) {
        // Plain Uint8Arrays, because `slice` of a Node.js Buffer makes no copy.
        const size = Math.min(PIECE_BYTES, length - start);
        for (const piece of unpacked(new Uint8Array(buffer, byteOffset + start, size))) {
          if ((passed += piece.length) > maxBytes) {
            const packed = unzip === undefined ? "" : ", decompressed";
            throw new InputError("source", `has more than ${maxBytes} bytes${packed}`, {
              code: "limit",
            });
          }
          yield piece;
        }
      }
      onProgress?.((read += length));
    },

    /** @throws InputError if the bytes end too early */
    *end(): Generator<Uint8Array, void> {
      if (head !== undefined) yield head;
      if (unzip?.isWhole() === false) {
        throw new InputError("source", "is damaged gzip: ends too early", { code: "damaged" });
      }
    },
  };
}

/** Decompresses one member after another, and verifies their checksums. Zeros after a member end the input. */
function gunzip() {
  const output = new Uint8Array(OUTPUT_BYTES);
  const stream = new ZStream();
  let status: number = Z_OK;
  let isPadding = false;
  zlibInflateInit2(stream, WINDOW_BITS);
  /** Whether the last member is complete. */
  const isWhole = () => status === Z_STREAM_END;

  function* push(piece: Uint8Array): Generator<Uint8Array, void> {
    if (isPadding || piece.length === 0) return;
    Object.assign(stream, { input: piece, next_in: 0, avail_in: piece.length });
    do {
      if (isWhole()) {
        isPadding = piece[stream.next_in] === 0;
        if (isPadding) return;
        zlibInflateReset(stream);
      }
      Object.assign(stream, { output, next_out: 0, avail_out: OUTPUT_BYTES });
      status = zlibInflate(stream, Z_NO_FLUSH);
      if (status !== Z_OK && status !== Z_STREAM_END && status !== Z_BUF_ERROR) {
        throw new InputError("source", `is damaged gzip: ${stream.msg}`, { code: "damaged" });
      }
      yield output.subarray(0, stream.next_out);
      // If the output is full, this input may give more.
    } while (stream.avail_in > 0 || (stream.avail_out === 0 && !isWhole()));
  }

  return { push, isWhole };
}
