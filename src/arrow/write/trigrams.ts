// Writes the substring index of a field; `../trigrams.ts` describes the format.

import { addRow, createBitset } from "../../engine/algorithms/bitset.ts";
import { forEachRow, TRIGRAMS, type Postings } from "../../engine/indexes/postings.ts";
import type { Steps } from "../../engine/algorithms/steps.ts";
import { areBits, type TrigramBytes } from "../trigrams.ts";

/** How many trigrams make a step. */
const TRIGRAMS_AT_ONCE = 64;

/** @returns `undefined` if they would take more than 2 GiB */
export function* trigramBytes(postings: Postings): Steps<TrigramBytes | undefined> {
  const starts = new Uint32Array(TRIGRAMS + 1);
  const out = new Bytes();
  for (let trigram = 0; trigram < TRIGRAMS; trigram++) {
    const posting = postings.posting(trigram);
    const { count } = posting;
    if (count > 0) {
      out.number(count);
      if (areBits(count, postings.rows)) {
        const set = posting.bits ?? createBitset(postings.rows);
        if (posting.bits === undefined) for (const row of posting.rows) addRow(set, row);
        out.bytes(new Uint8Array(set.buffer, set.byteOffset, set.byteLength));
      } else {
        let last = -1;
        forEachRow(posting, (row) => {
          out.number(row - last);
          last = row;
        });
      }
    }
    if (trigram % TRIGRAMS_AT_ONCE === 0) yield;
    if (out.length >= 2 ** 31) return undefined;
    starts[trigram + 1] = out.length;
  }
  return { starts, bytes: out.taken() };
}

/** Bytes that grow. */
class Bytes {
  length = 0;
  #bytes = new Uint8Array(1 << 16);

  number(value: number): void {
    this.#reserve(5);
    for (; value >= 0x80; value >>>= 7) this.#bytes[this.length++] = value | 0x80;
    this.#bytes[this.length++] = value;
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  taken(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  #reserve(count: number): void {
    if (this.length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * this.#bytes.length + count);
    larger.set(this.taken());
    this.#bytes = larger;
  }
}
