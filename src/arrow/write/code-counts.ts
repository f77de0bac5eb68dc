// Counts the rows of each code while the codes of a column are written, if they are of 8 bits. A file with many rows then
// says where each code's rows start, even if it has no order: queries count rows without reading the codes.

import { tuning } from "../../engine/tuning.ts";
import type { LazyBytes } from "./output.ts";

/** How many bytes are counted at once. */
const PIECE = 1 << 16;

export class CodeCounts {
  readonly #counts = new Uint32Array(256);

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
      for (let i = 0; i < piece.length; i++) counts[piece[i]!]!++;
      yield piece;
    }
  }

  /** The start of each code's rows, and the end of the last. */
  starts(values: number): Uint32Array {
    const starts = new Uint32Array(values + 1);
    for (let code = 0; code < values; code++)
      starts[code + 1] = starts[code]! + this.#counts[code]!;
    return starts;
  }
}

function* inPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}
