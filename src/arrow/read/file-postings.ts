// The substring index of a field, read from a file; `../trigrams.ts` describes the format.

import { addRow, createBitset, forEachDifference } from "../../engine/algorithms/bitset.ts";
import {
  forEachRow,
  isDense,
  NO_ROWS,
  TRIGRAMS,
  type Posting,
  type Postings,
} from "../../engine/indexes/postings.ts";
import { FileError } from "../file-error.ts";
import { areBits } from "../trigrams.ts";
import type { FileOffsets } from "./offsets.ts";
import type { Offsets } from "../offsets.ts";
import type { Section } from "./section.ts";
import type { Codes } from "../../engine/indexes/field-index.ts";

/** Recently used postings are cached: between this many bytes and twice as many. */
const LEAST_KEPT = 1 << 22;

/** How many bytes are read at once of postings that are read in their order. */
const RANGE_BYTES = 1 << 16;

/** Postings read from a file on demand; each is validated as far as possible in isolation. */
export class FilePostings implements Postings {
  readonly rows: number;
  readonly #starts: FileOffsets<Uint32Array>;
  readonly #bytes: Section<Uint8Array>;
  /** The recently used ones, and those used before: two generations of about the same size. */
  #kept = new Map<number, Posting>();
  #keptBefore = new Map<number, Posting>();
  #keptBytes = 0;
  #keptBytesBefore = 0;

  constructor(rows: number, starts: FileOffsets<Uint32Array>, bytes: Section<Uint8Array>) {
    this.rows = rows;
    this.#starts = starts;
    this.#bytes = bytes;
  }

  get bytes(): number {
    return this.#starts.bytes + this.#bytes.bytes + this.#keptBytes + this.#keptBytesBefore;
  }

  /** @throws FileError */
  posting(trigram: number): Posting {
    const known = this.#kept.get(trigram);
    if (known !== undefined) return known;
    const posting = this.#keptBefore.get(trigram) ?? this.#postingInFile(trigram);
    if (posting !== NO_ROWS) this.#keep(trigram, posting);
    return posting;
  }

  #keep(trigram: number, posting: Posting): void {
    const bytes = (posting.bits ?? posting.rows).byteLength;
    if (this.#keptBytes + bytes > LEAST_KEPT) {
      [this.#keptBefore, this.#keptBytesBefore] = [this.#kept, this.#keptBytes];
      this.#kept = new Map();
      this.#keptBytes = 0;
    }
    this.#kept.set(trigram, posting);
    this.#keptBytes += bytes;
  }

  #postingInFile(trigram: number): Posting {
    const [start, end] = this.#limitsOf(trigram);
    return start === end ? NO_ROWS : this.#read(this.#bytes.slice(start, end));
  }

  readonly sizeOf = (trigram: number): number => {
    const [start, end] = this.#limitsOf(trigram);
    return end - start;
  };

  #limitsOf(trigram: number): readonly [start: number, end: number] {
    const [start = 0, end = 0] = this.#starts.slice(trigram, trigram + 2);
    if (start > end || end > this.#bytes.length) throw this.#error("begin at invalid positions");
    return [start, end];
  }

  /** The starts of postings, and their bytes, as stored. */
  copy(): {
    readonly starts: Offsets;
    readonly bytes: Pick<Section<Uint8Array>, "length" | "copy">;
  } {
    return { starts: this.#starts.copy(), bytes: this.#bytes };
  }

  /**
   * The same postings for whoever asks for all of them in their order: they are read a range at a time, and not kept.
   */
  inOrder(): Postings {
    const starts = this.#starts.copy();
    const all = this.#bytes;
    let range: Uint8Array = new Uint8Array();
    let from = 0;
    return {
      rows: this.rows,
      bytes: starts.byteLength,
      posting: (trigram) => {
        const [start, end] = [starts[trigram]!, starts[trigram + 1]!];
        if (start > end || end > all.length) throw this.#error("begin at invalid positions");
        if (start === end) return NO_ROWS;
        if (start < from || end > from + range.length) {
          from = start;
          range = all.slice(start, Math.min(all.length, Math.max(end, start + RANGE_BYTES)));
        }
        return this.#read(range.subarray(start - from, end - from));
      },
    };
  }

  #read(bytes: Uint8Array): Posting {
    const { rows: all } = this;
    const reader = new Reader(bytes);
    const count = reader.number();
    if (count === 0 || count > all) throw this.#error("name more rows than there are");
    if (areBits(count, all)) {
      const bits = createBitset(all);
      const target = new Uint8Array(bits.buffer);
      if (bytes.length - reader.at !== target.length)
        throw this.#error("are not a bit for each row");
      target.set(bytes.subarray(reader.at));
      let last = -1;
      let found = 0;
      forEachDifference(bits, undefined, (row) => {
        last = row;
        found++;
      });
      if (found !== count || last >= all)
        throw this.#error("do not have as many rows as they claim");
      return { count, bits };
    }
    // Each takes at least one byte, so memory stays within the size of the file.
    if (count > bytes.length) throw this.#error("do not have as many rows as they claim");
    const rows = new Uint32Array(count);
    let last = -1;
    for (let i = 0; i < count; i++) {
      // Most differences have one byte: a call for each takes three times as long.
      const { at } = reader;
      let difference = at < bytes.length ? bytes[at]! : 0;
      if (difference < 0x80) reader.at = at + 1;
      else difference = reader.number();
      last += difference;
      if (difference === 0 || last >= all) throw this.#error("lead out of the rows");
      rows[i] = last;
    }
    if (reader.at !== bytes.length) throw this.#error("do not have as many rows as they claim");
    if (!isDense(count, all)) return { count, rows };
    const bits = createBitset(all);
    for (const row of rows) addRow(bits, row);
    return { count, bits };
  }

  #error(reason: string): FileError {
    return new FileError(this.#bytes.name, reason);
  }
}

class Reader {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The next number; 0, which is never written, if there is none of at most 32 bits. */
  number(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes[this.at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    return 0;
  }
}

/**
 * Whether the postings of rows match their values. Linear in the values and the postings: a long string is read once,
 * however many rows share it.
 *
 * @param codes for each row the number of its value
 * @param ofValues the postings of the values, by their numbers
 */
export function arePostingsOf(postings: Postings, codes: Codes, ofValues: Postings): boolean {
  const rowsOf = new Uint32Array(ofValues.rows);
  for (let row = 0; row < codes.length; row++) rowsOf[codes[row]!]!++;
  const isIn = new Uint8Array(ofValues.rows);
  for (let trigram = 0; trigram < TRIGRAMS; trigram++) {
    const values = ofValues.posting(trigram);
    let count = 0;
    forEachRow(values, (code) => {
      count += rowsOf[code]!;
      isIn[code] = 1;
    });
    const posting = postings.posting(trigram);
    let isRight = posting.count === count;
    if (isRight) forEachRow(posting, (row) => (isRight &&= isIn[codes[row]!] === 1));
    if (!isRight) return false;
    forEachRow(values, (code) => (isIn[code] = 0));
  }
  return true;
}
