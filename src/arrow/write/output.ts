// The bytes of a file as they are written: their position, and the checksums of their pages.

import { checksumOf, checksumsOf } from "../checksum.ts";
import { PAGE_BYTES } from "../directory.ts";
import { padded, type ByteRange } from "../format.ts";

/** Bytes that are made in pieces when they are written. */
export interface LazyBytes {
  /** `undefined` if it is known only once they were written. */
  readonly length: number | undefined;
  readonly pieces: () => Iterable<Uint8Array>;
  /** Whether they are made from what comes next in Arrow's order, and so are written after it. */
  readonly isLater?: boolean;
}

/** Bytes that take the place of others of the same length. */
export interface Replacement {
  /** Where they begin in the file. */
  readonly position: number;
  readonly bytes: Uint8Array;
}

/** Checking more bytes at once would take milliseconds. */
const PIECE_BYTES = 1 << 20;

export class Output {
  #position = 0;
  readonly #checksums: number[] = [];
  /** The incomplete page, of which `#position % PAGE_BYTES` bytes are written. */
  readonly #page = new Uint8Array(PAGE_BYTES);
  /** Pages with bytes that are to be replaced, by number. */
  readonly #reserved = new Map<number, Uint8Array>();
  /** How many bytes are reserved, by position. */
  readonly #lengths = new Map<number, number>();
  readonly replacements: Replacement[] = [];

  get position(): number {
    return this.#position;
  }

  *write(bytes: Uint8Array): Generator<Uint8Array, void> {
    // Its maker has done a step of its work.
    if (bytes.length === 0) yield bytes;
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      yield this.#take(bytes.subarray(from, from + PIECE_BYTES));
    }
  }

  /** Returns the bytes after recording them as the next of the file. */
  #take(bytes: Uint8Array): Uint8Array {
    const filled = this.#position % PAGE_BYTES;
    const first = filled === 0 ? 0 : Math.min(bytes.length, PAGE_BYTES - filled);
    const last = bytes.length - ((bytes.length - first) % PAGE_BYTES);
    if (first > 0) {
      this.#page.set(bytes.subarray(0, first), filled);
      if (filled + first === PAGE_BYTES) this.#complete(this.#page);
    }
    if (last > first) this.#complete(bytes.subarray(first, last));
    if (last < bytes.length) this.#page.set(bytes.subarray(last));
    this.#position += bytes.length;
    return bytes;
  }

  /** Records complete pages. */
  #complete(pages: Uint8Array): void {
    const first = this.#checksums.length;
    for (let at = 0; this.#reserved.size > 0 && at < pages.length; at += PAGE_BYTES) {
      this.#reserved.get(first + at / PAGE_BYTES)?.set(pages.subarray(at, at + PAGE_BYTES));
    }
    for (const checksum of checksumsOf(pages, PAGE_BYTES)) this.#checksums.push(checksum);
  }

  /** Writes zeros that are to be replaced. */
  *reserve(length: number): Generator<Uint8Array, void> {
    const last = Math.floor((this.#position + length - 1) / PAGE_BYTES);
    for (let page = Math.floor(this.#position / PAGE_BYTES); page <= last; page++) {
      if (!this.#reserved.has(page)) this.#reserved.set(page, new Uint8Array(PAGE_BYTES));
    }
    this.#lengths.set(this.#position, length);
    yield* this.write(new Uint8Array(length));
  }

  /** @param bytes as many as were reserved there */
  replace(position: number, bytes: Uint8Array): void {
    if (bytes.length !== this.#lengths.get(position)) {
      throw new RangeError(`${bytes.length} bytes were not reserved at ${position}`);
    }
    this.replacements.push({ position, bytes });
  }

  /** Continues to the next multiple of 8. */
  *align(): Generator<Uint8Array, void> {
    const missing = padded(this.#position) - this.#position;
    if (missing > 0) yield* this.write(new Uint8Array(missing));
  }

  /** Writes bytes, starting at a multiple of 8; returns their position. */
  *writeSection(bytes: Uint8Array | LazyBytes): Generator<Uint8Array, ByteRange> {
    yield* this.align();
    const offset = this.#position;
    for (const piece of "pieces" in bytes ? bytes.pieces() : [bytes]) yield* this.write(piece);
    const length = this.#position - offset;
    yield* this.align();
    return { offset, length };
  }

  /** The checksums of all pages, including the written part of the last. Nothing may be replaced afterwards. */
  checksums(): Uint32Array {
    const filled = this.#position % PAGE_BYTES;
    const all = [...this.#checksums];
    if (filled > 0) {
      const last = this.#page.subarray(0, filled);
      this.#reserved.get(all.length)?.set(last);
      all.push(checksumOf(last));
    }
    for (const { position, bytes } of this.replacements) {
      for (let i = 0; i < bytes.length; i++) {
        const page = this.#reserved.get(Math.floor((position + i) / PAGE_BYTES));
        if (page !== undefined) page[(position + i) % PAGE_BYTES] = bytes[i]!;
      }
    }
    for (const [number, page] of this.#reserved) {
      all[number] = checksumOf(
        page.subarray(0, Math.min(PAGE_BYTES, this.#position - number * PAGE_BYTES)),
      );
    }
    return Uint32Array.from(all);
  }
}

/** The pieces of a file in one array. */
export function joined(
  pieces: Iterable<Uint8Array, readonly Replacement[] | undefined>,
): Uint8Array {
  const steps = pieces[Symbol.iterator]();
  const all: Uint8Array[] = [];
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) all.push(step.value);
  const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of all) {
    bytes.set(piece, at);
    at += piece.length;
  }
  for (const { position, bytes: others } of step.value ?? []) bytes.set(others, position);
  return bytes;
}
