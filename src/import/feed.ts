// Gives a decoder the bytes of a source in UTF-8, with what it has left of those before: a record that is not
// complete yet. So a decoder keeps no bytes.

import { grown } from "../collection/algorithms/codes.ts";
import { transcoderOf, type Transcoder } from "./utf8.ts";

export const MEBIBYTE = 1024 * 1024;

/** How many bytes a record may have. It is held until it is complete. */
export const LONGEST_RECORD = 16 * MEBIBYTE;
export const TOO_LONG = `is longer than the limit of ${LONGEST_RECORD / MEBIBYTE} MiB`;

/** How many bytes of JSON around its records may have together. They are held until the end. */
export const LONGEST_REST = 64 * MEBIBYTE;

/** Puts the records of a source into a sink. */
export interface Decoder {
  /**
   * Takes the complete part of some bytes, which are valid only during the call.
   *
   * @param isEnd whether nothing follows
   * @returns how many bytes it has taken; the others are given again, with those that follow
   */
  take(bytes: Uint8Array, isEnd: boolean): number;
  /** The byte that ends each record, if there is one. Without it, nothing is complete. */
  readonly ending?: number | undefined;
}

/** How many bytes may be left before a decoder is not asked again with each piece. */
const FEW = 16 * 1024;

export class Feed {
  readonly #decoder: Decoder;
  readonly #transcoder: Transcoder | undefined;
  /** What the decoder has left, and what came since: so many bytes, at the start of memory that is used again. */
  #bytes = new Uint8Array(FEW);
  #length = 0;
  #left = 0;

  /** @param encoding of the source */
  constructor(decoder: Decoder, encoding = "utf-8") {
    this.#decoder = decoder;
    this.#transcoder = transcoderOf(encoding);
  }

  /** @param piece is valid only during the call */
  push(piece: Uint8Array): void {
    const added = this.#transcoder?.toUtf8(piece) ?? piece;
    const before = this.#length;
    this.#append(added);
    if (this.#isEnough(added, before)) this.#give(false);
  }

  /** After the last piece. */
  end(): void {
    if (this.#transcoder !== undefined) this.#append(this.#transcoder.toUtf8());
    this.#give(true);
  }

  #append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) this.#bytes = grown(this.#bytes, Uint8Array, 2 * length);
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  #isEnough(piece: Uint8Array, before: number): boolean {
    // A record that is too long is refused before its end arrives, which may be far away.
    if ([LONGEST_RECORD, LONGEST_REST].some((most) => before <= most && this.#length > most)) {
      return true;
    }
    const { ending } = this.#decoder;
    if (ending !== undefined) return piece.includes(ending);
    // A long record in many pieces is examined again only when it has doubled in length.
    return this.#left <= FEW || this.#length >= 2 * this.#left;
  }

  #give(isEnd: boolean): void {
    const taken = this.#decoder.take(this.#bytes.subarray(0, this.#length), isEnd);
    this.#bytes.copyWithin(0, taken, this.#length);
    this.#length = this.#left = this.#length - taken;
  }
}
