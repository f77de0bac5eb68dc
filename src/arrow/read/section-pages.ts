// The pages of a section that have been read, at their places in an array as long as the section. The memory of the
// others is reserved, but the system provides it only once they are read.

import { addRow, bitAt, createBitset, type Bitset } from "../../engine/algorithms/bitset.ts";
import { currentDeadline } from "../../engine/algorithms/deadline.ts";
import { finish, type Steps } from "../../engine/algorithms/steps.ts";
import { PAGE_BYTES } from "../directory.ts";
import type { ByteRange } from "../format.ts";
import type { Pages } from "./pages.ts";

/** How many pages are read and checked in a step: a megabyte. */
const STEP_PAGES = 256;

/** Reading so many pages too many takes no longer than another call of the system. */
const NEAR_PAGES = 2;

/** How many pages more are read if the pages before them were read last. */
const AHEAD_PAGES = 31;

export class SectionPages {
  readonly #pages: Pages;
  readonly #name: string;
  /** The number of its first page, and how many bytes of that come before the section. */
  readonly #first: number;
  readonly #skew: number;
  readonly #bytes: Uint8Array;
  /** Which pages have been read. */
  readonly #read: Bitset;
  /** How many pages there are. */
  readonly #count: number;
  /** The page after those that were read last. */
  #next = -1;
  #bytesRead = 0;

  /** @param name of the section, for errors */
  constructor(pages: Pages, { offset, length }: ByteRange, name: string) {
    this.#pages = pages;
    this.#name = name;
    this.#first = Math.floor(offset / PAGE_BYTES);
    this.#skew = offset % PAGE_BYTES;
    const end = Math.min(Math.ceil((offset + length) / PAGE_BYTES) * PAGE_BYTES, pages.end);
    this.#bytes = new Uint8Array(end - this.#first * PAGE_BYTES);
    this.#count = Math.ceil(this.#bytes.length / PAGE_BYTES);
    this.#read = createBitset(this.#count);
  }

  /** Whether all bytes from one position in the section up to another have been read. */
  hasRead(from: number, to: number): boolean {
    const end = Math.ceil((this.#skew + to) / PAGE_BYTES);
    let page = Math.floor((this.#skew + from) / PAGE_BYTES);
    while (page < end && this.#has(page)) page++;
    return page >= end;
  }

  /** How many bytes have been read. */
  get bytesRead(): number {
    return this.#bytesRead;
  }

  /** The bytes from one position in the section up to another. @throws FileError; DeadlineError */
  range(from: number, to: number): Uint8Array {
    finish(this.reading(from, to), currentDeadline());
    return this.#bytes.subarray(this.#skew + from, this.#skew + to);
  }

  /** Reads the pages of a range that have not been read, those next to each other at once. @throws FileError */
  *reading(from: number, to: number): Steps<void> {
    const end = Math.ceil((this.#skew + to) / PAGE_BYTES);
    for (let page = Math.floor((this.#skew + from) / PAGE_BYTES); page < end; page++) {
      if (this.#has(page)) continue;
      // What is read in sequence is read ahead.
      const least = page === this.#next ? page + AHEAD_PAGES : page;
      let last = page;
      for (let next = page + 1; next < end && next - page < STEP_PAGES; next++) {
        if (!this.#has(next)) last = next;
        else if (next - last > NEAR_PAGES) break;
      }
      while (last < least && last + 1 < this.#count && !this.#has(last + 1)) last++;
      this.#fill(page, last + 1);
      page = last;
      yield;
    }
  }

  #has(page: number): boolean {
    return bitAt(this.#read, page) === 1;
  }

  #fill(from: number, to: number): void {
    const part = this.#bytes.subarray(from * PAGE_BYTES, to * PAGE_BYTES);
    this.#pages.fill(this.#first + from, part, this.#name);
    for (let page = from; page < to; page++) addRow(this.#read, page);
    this.#bytesRead += part.length;
    this.#next = to;
  }
}
