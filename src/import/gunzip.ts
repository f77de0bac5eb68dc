// Decompresses gzip piece by piece. Not DecompressionStream: in browsers it rejects a second member,
// which `cat a.gz b.gz` and parallel compressors write, and it is only asynchronous.

import { Z_BUF_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END } from "pako";
import { ZStream, zlibInflate, zlibInflateInit2, zlibInflateReset } from "pako";
import { InputError } from "../schema/errors.ts";

const OUTPUT_BYTES = 256 * 1024;

/** The largest window, and only the gzip wrapper, in zlib's encoding. */
const WINDOW_BITS = 15 + 16;

/** Decompresses consecutive pieces. */
export interface Unpacking {
  /** @throws InputError if the bytes are damaged */
  push(piece: Uint8Array): Iterable<Uint8Array>;
  /**
   * Returns what was held back until the end.
   *
   * @throws InputError if the bytes end too early
   */
  end(): Iterable<Uint8Array>;
}

/** Decompresses one member after another, and verifies their checksums. Zeros after a member end the input. */
export function gunzip(): Unpacking {
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
      // A full output may be followed by more from the same input.
    } while (stream.avail_in > 0 || (stream.avail_out === 0 && !isWhole()));
  }

  return {
    push,
    end() {
      if (!isWhole())
        throw new InputError("source", "is damaged gzip: unexpected end of data", {
          code: "damaged",
        });
      return [];
    },
  };
}
