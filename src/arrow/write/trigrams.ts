// Writes the substring index of a field; `../trigrams.ts` describes the format.

import { addRow, createBitset } from "../../engine/algorithms/bitset.ts";
import {
  forEachRow,
  TRIGRAMS,
  type Posting,
  type Postings,
} from "../../engine/indexes/postings.ts";
import type { Steps } from "../../engine/algorithms/steps.ts";
import { areBits, type TrigramBytes } from "../trigrams.ts";
import type { AreaWriter, ScratchSpace } from "./scratch.ts";
import type { LazyTrigrams } from "./table.ts";

/** How many trigrams make a step. */
const TRIGRAMS_AT_ONCE = 64;

/** The starts of postings have 32 bits. */
export const postingLimits = { bytes: 2 ** 32 - 1 };

/** @returns `undefined` if they would take more than 4 GiB */
export function* trigramBytes(postings: Postings): Steps<TrigramBytes | undefined> {
  const starts = new Uint32Array(TRIGRAMS + 1);
  const out = new Bytes();
  for (let trigram = 0; trigram < TRIGRAMS; trigram++) {
    writePosting(out, postings.posting(trigram), postings.rows);
    if (trigram % TRIGRAMS_AT_ONCE === 0) yield;
    if (out.length > postingLimits.bytes) return undefined;
    starts[trigram + 1] = out.length;
  }
  return { starts, bytes: out.taken() };
}

/** Postings of some rows, and for each of these its row among all; −1 if it is not there. */
export interface PartPostings {
  readonly postings: Postings;
  readonly rowOf: Int32Array;
}

/**
 * The postings of all rows from those of parts of them, in a scratch.
 *
 * @returns `undefined` if they would take more than 4 GiB
 */
export function* mergedTrigrams(
  parts: readonly PartPostings[],
  rows: number,
  space: ScratchSpace,
): Steps<LazyTrigrams | undefined> {
  const starts = new Uint32Array(TRIGRAMS + 1);
  const out = space.begin();
  const merged = new MergedRows();
  for (let trigram = 0; trigram < TRIGRAMS; trigram++) {
    merged.clear();
    for (const { postings, rowOf } of parts) merged.add(postings.posting(trigram), rowOf);
    writePosting(out, merged.posting(), rows);
    if (trigram % TRIGRAMS_AT_ONCE === 0) yield;
    if (out.length > postingLimits.bytes) return undefined;
    starts[trigram + 1] = out.length;
  }
  const area = space.end(out);
  return { starts, bytes: { length: area.length, pieces: () => area.pieces() } };
}

/** The rows of a trigram in all parts, ascending. */
class MergedRows {
  #rows = new Uint32Array(1 << 12);
  #count = 0;
  #areSorted = true;

  clear(): void {
    this.#count = 0;
    this.#areSorted = true;
  }

  add(posting: Posting, rowOf: Int32Array): void {
    const most = this.#count + posting.count;
    if (most > this.#rows.length) {
      const larger = new Uint32Array(2 * most);
      larger.set(this.#rows.subarray(0, this.#count));
      this.#rows = larger;
    }
    const rows = this.#rows;
    let count = this.#count;
    forEachRow(posting, (row) => {
      const own = rowOf[row]!;
      if (own < 0) return;
      this.#areSorted &&= count === 0 || rows[count - 1]! < own;
      rows[count++] = own;
    });
    this.#count = count;
  }

  posting(): Posting {
    const rows = this.#rows.subarray(0, this.#count);
    return { count: this.#count, rows: this.#areSorted ? rows : rows.sort() };
  }
}

function writePosting(out: Bytes | AreaWriter, posting: Posting, rows: number): void {
  const { count } = posting;
  if (count === 0) return;
  writeNumber(out, count);
  if (areBits(count, rows)) {
    const set = posting.bits ?? createBitset(rows);
    if (posting.bits === undefined) for (const row of posting.rows) addRow(set, row);
    out.addPiece(new Uint8Array(set.buffer, set.byteOffset, set.byteLength));
    return;
  }
  let last = -1;
  forEachRow(posting, (row) => {
    writeNumber(out, row - last);
    last = row;
  });
}

function writeNumber(out: Bytes | AreaWriter, number: number): void {
  let value = number;
  for (; value >= 0x80; value >>>= 7) out.byte((value & 0x7f) | 0x80);
  out.byte(value);
}

/** Bytes that grow. */
class Bytes {
  length = 0;
  #bytes = new Uint8Array(1 << 16);

  byte(value: number): void {
    if (this.length === this.#bytes.length) this.#reserve(1);
    this.#bytes[this.length++] = value;
  }

  addPiece(bytes: Uint8Array): void {
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
