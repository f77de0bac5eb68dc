// Counts the rows of each code while the codes of a column are written, if they are of 8 bits. A file with many rows then
// says where each code's rows start, even if it has no order: queries count rows without reading the codes.

import { tuning } from "../../engine/tuning.ts";
import type { LazyBytes } from "./output.ts";

/** How many bytes are counted at once. */
const PIECE = 1 << 16;

export class CodeCounts {
  /** Four of each, for one row after the other in turn: a processor waits for a number that it has just written. */
  readonly #counts = new Uint32Array(4 * 256);

  /** Whether the rows of each code are worth counting. */
  static areWorth(rows: number, codeBytes: number): boolean {
    return rows > tuning.manyRows && codeBytes === 1;
  }

  /** The same bytes, counted while they are written. */
  counting(bytes: Uint8Array | LazyBytes): LazyBytes {
    const pieces = () => this.#counted("pieces" in bytes ? bytes.pieces() : inPieces(bytes));
    const isLater = "pieces" in bytes && bytes.isLater === true;
    return { length: bytes.length, pieces, isLater };
  }

  *#counted(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
    const counts = this.#counts;
    for (const piece of pieces) {
      count(counts, piece);
      yield piece;
    }
  }

  /** The start of each code's rows, and the end of the last. */
  starts(values: number): Uint32Array {
    const counts = this.#counts;
    const starts = new Uint32Array(values + 1);
    for (let code = 0; code < values; code++) {
      const four = counts[code]! + counts[256 + code]! + counts[512 + code]! + counts[768 + code]!;
      starts[code + 1] = starts[code]! + four;
    }
    return starts;
  }
}

function count(counts: Uint32Array, codes: Uint8Array): void {
  const { length } = codes;
  for (let i = 0; i < length; i++) counts[((i & 3) << 8) | codes[i]!]!++;
}

function* inPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}
