// Writes the substring index of a field; `../trigrams.ts` describes the format.

import { addRow, createBitset } from "../../engine/algorithms/bitset.ts";
import {
  forEachRow,
  TRIGRAMS,
  type Posting,
  type Postings,
} from "../../engine/indexes/postings.ts";
import { areBits } from "../trigrams.ts";
import type { LazyTrigrams } from "./table.ts";

/** How many trigrams make a step. */
const TRIGRAMS_AT_ONCE = 64;

/** How many bytes are a piece, unless a single posting has more. */
const PIECE_BYTES = 1 << 16;

export const trigramBytes = (postings: Postings): LazyTrigrams =>
  writtenTrigrams(postings.rows, (trigram) => postings.posting(trigram));

/** Postings of some rows, and for each of these its row among all; −1 if it is not there. */
export interface PartPostings {
  readonly postings: Postings;
  readonly rowOf: Int32Array;
}

/** The postings of all rows from those of parts of them. */
export function mergedTrigrams(parts: readonly PartPostings[], rows: number): LazyTrigrams {
  const merged = new MergedPosting();
  return writtenTrigrams(rows, (trigram) => {
    merged.clear();
    for (const { postings, rowOf } of parts) merged.add(postings.posting(trigram), rowOf);
    return merged.posting();
  });
}

/** @param postingOf called for each trigram in order, while the bytes are made */
function writtenTrigrams(rows: number, postingOf: (trigram: number) => Posting): LazyTrigrams {
  const starts = new Float64Array(TRIGRAMS + 1);
  function* pieces(): Generator<Uint8Array> {
    const out = new Bytes();
    let before = 0;
    for (let trigram = 0; trigram < TRIGRAMS; trigram++) {
      writePosting(out, postingOf(trigram), rows);
      starts[trigram + 1] = before + out.length;
      if (out.length >= PIECE_BYTES) {
        before += out.length;
        yield out.take();
      } else if (trigram % TRIGRAMS_AT_ONCE === 0) yield NO_BYTES;
    }
    yield out.take();
  }
  return { starts: () => starts, bytes: { length: undefined, pieces } };
}

/** The rows of a trigram in all parts, ascending. */
class MergedPosting {
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

function writePosting(out: Bytes, posting: Posting, rows: number): void {
  const { count } = posting;
  if (count === 0) return;
  out.number(count);
  if (areBits(count, rows)) {
    const set = posting.bits ?? createBitset(rows);
    if (posting.bits === undefined) for (const row of posting.rows) addRow(set, row);
    out.add(new Uint8Array(set.buffer, set.byteOffset, set.byteLength));
    return;
  }
  let last = -1;
  forEachRow(posting, (row) => {
    out.number(row - last);
    last = row;
  });
}

/** Bytes that grow until they are taken. */
class Bytes {
  length = 0;
  #bytes = new Uint8Array(2 * PIECE_BYTES);

  number(number: number): void {
    // At most five bytes.
    if (this.length + 5 > this.#bytes.length) this.#reserve(5);
    let value = number;
    for (; value >= 0x80; value >>>= 7) this.#bytes[this.length++] = (value & 0x7f) | 0x80;
    this.#bytes[this.length++] = value;
  }

  add(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.length);
    this.length = 0;
    return taken;
  }

  #reserve(count: number): void {
    if (this.length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * this.#bytes.length + count);
    larger.set(this.#bytes.subarray(0, this.length));
    this.#bytes = larger;
  }
}

const NO_BYTES = new Uint8Array();
