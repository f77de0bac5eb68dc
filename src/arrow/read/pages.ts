// The bytes of a file before its footer, read on demand and checked against the page checksums: single pages, of which
// recent ones are cached, or long ranges at once.

import { readFrom, type ByteSource } from "../byte-source.ts";
import { checksumOf, checksumsOf } from "../checksum.ts";
import { addRow, bitAt, createBitset, type Bitset } from "../../engine/algorithms/bitset.ts";
import { PAGE_BYTES } from "../directory.ts";
import { FileError } from "../file-error.ts";

/** How many pages are cached: 4 MB. */
const MOST_KEPT = 1024;

/** How many bytes are read at once that are not kept. */
const MOST_ONCE = 1 << 21;

/** Where they are read. */
let scratch: Uint8Array | undefined;

export class Pages {
  /** Sections of up to this many bytes are read completely; if negative, none are. */
  readonly small: number;
  readonly #source: ByteSource;
  readonly #checksums: Uint32Array;
  /** The checksum of all page checksums. */
  readonly #checksum: number;
  /** The end of the pages. */
  readonly end: number;
  /** Recently read pages, the oldest first. */
  readonly #kept = new Map<number, Uint8Array>();
  #bytesRead = 0;
  /** The pages that have been checked, if each is checked only once. */
  readonly #checked: Bitset | undefined;

  constructor(
    source: ByteSource,
    end: number,
    checksums: Uint32Array,
    checksum: number,
    small: number,
    isCheckedOnce = false,
  ) {
    this.small = small;
    this.#checked = isCheckedOnce ? createBitset(checksums.length) : undefined;
    this.#source = source;
    this.end = end;
    this.#checksums = checksums;
    this.#checksum = checksum;
  }

  /** How many bytes have been read. */
  get bytesRead(): number {
    return this.#bytesRead;
  }

  /**
   * The page with a number.
   *
   * @param section the section that needs it, for the error
   * @throws FileError
   */
  page(number: number, section: string): Uint8Array {
    const known = this.#kept.get(number);
    if (known !== undefined) return known;
    const from = number * PAGE_BYTES;
    const page = this.#readChecked(from, Math.min(from + PAGE_BYTES, this.end), section);
    if (this.#kept.size === MOST_KEPT) {
      for (const [oldest] of this.#kept) {
        this.#kept.delete(oldest);
        break;
      }
    }
    this.#kept.set(number, page);
    return page;
  }

  /**
   * A range as one array, aligned in its buffer to a multiple of 8 if it is in the file.
   *
   * @throws FileError
   */
  range(from: number, to: number, section: string): Uint8Array {
    if (from === to) return new Uint8Array(0);
    const first = Math.floor(from / PAGE_BYTES) * PAGE_BYTES;
    const end = Math.min(Math.ceil(to / PAGE_BYTES) * PAGE_BYTES, this.end);
    const bytes = this.#readChecked(first, end, section);
    return bytes.subarray(from - first, to - first);
  }

  /** Like {@link Pages.range}, valid until the next call: no array is made for it. */
  once(from: number, to: number, section: string): Uint8Array {
    const first = Math.floor(from / PAGE_BYTES);
    const length = Math.min(Math.ceil(to / PAGE_BYTES) * PAGE_BYTES, this.end) - first * PAGE_BYTES;
    if (!this.canFill || from === to || length > MOST_ONCE) {
      return this.range(from, to, section);
    }
    scratch ??= new Uint8Array(MOST_ONCE);
    this.fill(first, scratch.subarray(0, length), section);
    const skew = from - first * PAGE_BYTES;
    return scratch.subarray(skew, skew + to - from);
  }

  /** Whether pages can be read into an array that is there already. */
  get canFill(): boolean {
    return this.#source.readInto !== undefined;
  }

  /**
   * Reads pages into an array, from the one with a number on.
   *
   * @param section the section that needs them, for the error
   * @throws FileError
   */
  fill(number: number, target: Uint8Array, section: string): void {
    this.#source.readInto?.(number * PAGE_BYTES, target);
    this.#bytesRead += target.length;
    this.#check(target, number, section);
  }

  /**
   * Checks the page checksums against their checksum. Opening a file skips this, which would take longer than
   * everything else: a page that does not match its checksum is never used, whichever of the two is damaged.
   *
   * @throws FileError
   */
  verifyChecksums(): void {
    const { buffer, byteOffset, byteLength } = this.#checksums;
    if (checksumOf(new Uint8Array(buffer, byteOffset, byteLength)) === this.#checksum) return;
    throw new FileError("checksums", "are damaged: their checksum does not match");
  }

  /** Complete pages, from the start of one on. */
  #readChecked(from: number, to: number, section: string): Uint8Array {
    const bytes = readFrom(this.#source, from, to, section);
    this.#bytesRead += bytes.length;
    this.#check(bytes, from / PAGE_BYTES, section);
    return bytes;
  }

  /** @param first the number of the first page */
  #check(bytes: Uint8Array, first: number, section: string): void {
    const checked = this.#checked;
    if (checked !== undefined) {
      const end = first + bytes.length / PAGE_BYTES;
      let page = first;
      while (page < end && bitAt(checked, page) === 1) page++;
      if (page >= end) return;
    }
    const found = checksumsOf(bytes, PAGE_BYTES);
    for (let i = 0; i < found.length; i++) {
      if (found[i] !== this.#checksums[first + i]) {
        this.verifyChecksums();
        throw new FileError(section, "is damaged: a checksum does not match");
      }
      if (checked !== undefined) addRow(checked, first + i);
    }
  }
}
