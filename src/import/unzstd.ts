// Decompresses Zstandard piece by piece, with the package fzstd, which the caller passes in: Node.js has it only since
// version 22.15, and only asynchronously or all at once; browsers do not have it.

import { InputError } from "../schema/errors.ts";
import type { Unpacking } from "./gunzip.ts";

/** The part of fzstd that tercet uses. */
export interface Fzstd {
  readonly Decompress: new (onData: (data: Uint8Array) => unknown) => {
    push(chunk: Uint8Array, isLast?: boolean): unknown;
  };
}

/** How many bytes to decompress at once: to at most 64 MiB, because four bytes may become a block of 128 KiB. */
const PIECE_BYTES = 2048;

export function unzstd({ Decompress }: Fzstd): Unpacking {
  const output: Uint8Array[] = [];
  const stream = new Decompress((data) => output.push(data));
  const push = (bytes: Uint8Array, isLast: boolean) => {
    try {
      stream.push(bytes, isLast);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new InputError("source", `is damaged Zstandard: ${reason}`, { code: "damaged", cause });
    }
  };
  return {
    *push(piece) {
      for (let at = 0; at < piece.length; at += PIECE_BYTES) {
        // A copy, because the stream keeps incomplete input.
        push(piece.slice(at, at + PIECE_BYTES), false);
        yield* output.splice(0);
      }
    },
    end() {
      push(new Uint8Array(0), true);
      // The stream waits for more bytes than the shortest frames have.
      return output.splice(0);
    },
  };
}
