// A log: a file of consecutive entries. Each has a head of 20 bytes, and lines of JSON.
//
//   bytes 0 to 5     how many bytes the lines have
//         6 to 11    the number of the entry
//         12 to 15   the CRC-32C of the lines
//         16 to 19   the CRC-32C of the 16 bytes before
//
// Numbers are unsigned, lowest byte first. The head is written last, or with the lines in one write if they are few.
// Its own checksum prevents a damaged length from passing for an entry that extends beyond the end of the file. It
// always contains a zero byte, which JSON never does, so no crafted line can pass for a head.

import { crc32c } from "./checksum.ts";
import { Descriptor, writePieces } from "./disk.ts";
import { StoreError } from "./errors.ts";
import { bytesOf, textOf } from "./text.ts";

const HEAD_BYTES = 20;

const PIECE = 256 * 1024;

/** Lengths and numbers of entries stay below this, so that the last of their six bytes is zero. */
const HIGHEST = 2 ** 40;

/** An entry of a log with valid checksums. */
export interface Entry {
  readonly offset: number;
  readonly number: number;
  readonly checksum: number;
  /** Where the next entry starts. */
  readonly end: number;
}

export class Log extends Descriptor {
  /**
   * Writes an entry. If it throws, it leaves no valid entry.
   *
   * @param lines without line breaks
   * @throws StoreError
   */
  write(offset: number, number: number, lines: Iterable<string>): Entry {
    const start = offset + HEAD_BYTES;
    let end = start;
    let checksum = 0;
    let text = "";
    /** Appends the text to the entry; it is to be written at `end`. */
    const take = () => {
      const bytes = bytesOf(text);
      checksum = crc32c(bytes, checksum);
      text = "";
      return bytes;
    };
    for (const line of lines) {
      text += `${line}\n`;
      if (text.length < PIECE) continue;
      const piece = take();
      this.writeAt(end, piece);
      end += piece.length;
    }
    const rest = take();
    const isAlone = end === start;
    end += rest.length;
    const length = end - start;
    if (length >= HIGHEST || number >= HIGHEST)
      throw new StoreError(this.path, "is full", { code: "limit" });
    const head = headOf(length, number, checksum);
    if (isAlone) this.writeAt(offset, joined([head, rest]));
    else {
      this.writeAt(end - rest.length, rest);
      this.writeAt(offset, head);
    }
    return { offset, number, checksum, end };
  }

  /** The entry that starts at an offset; `undefined` if there is none, or only an incomplete one. */
  entryAt(offset: number): Entry | undefined {
    const entry = this.headAt(offset);
    if (entry === undefined) return undefined;
    let checksum = 0;
    for (const piece of this.#pieces(offset + HEAD_BYTES, entry.end)) {
      checksum = crc32c(piece, checksum);
    }
    return checksum === entry.checksum ? entry : undefined;
  }

  /** The entry that starts at an offset, judging only by its head: its lines are not checked. */
  headAt(offset: number): Entry | undefined {
    const head = this.readAt(offset, HEAD_BYTES);
    const entry = head.length < HEAD_BYTES ? undefined : readHead(head, 0, offset);
    return entry !== undefined && entry.end <= this.size ? entry : undefined;
  }

  /** The first entry that starts after an offset. Cost: linear in the bytes that follow. */
  entryAfter(offset: number): Entry | undefined {
    for (let start = offset + 1; start < this.size; start += PIECE) {
      for (const head of headsIn(this.readAt(start, PIECE + HEAD_BYTES - 1), start)) {
        const entry = this.entryAt(head.offset);
        if (entry !== undefined) return entry;
      }
    }
    return undefined;
  }

  /** The lines of an entry, parsed. */
  *values({ offset, end }: Entry): Generator<unknown, void> {
    let parts: Uint8Array[] = [];
    for (const piece of this.#pieces(offset + HEAD_BYTES, end)) {
      let start = 0;
      for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, start)) {
        parts.push(piece.subarray(start, at));
        yield this.#parse(parts, offset);
        parts = [];
        start = at + 1;
      }
      if (start < piece.length) parts.push(piece.subarray(start));
    }
    if (parts.length > 0) yield this.#parse(parts, offset);
  }

  /** Copies everything from an offset on to another file. */
  copy(offset: number, to: string): void {
    writePieces(this.disk, to, this.#pieces(offset, this.size), this.disk.permissions(this.path));
  }

  *#pieces(from: number, to: number): Generator<Uint8Array, undefined> {
    for (let at = from; at < to; at += PIECE) yield this.readAt(at, Math.min(PIECE, to - at));
  }

  #parse(parts: readonly Uint8Array[], offset: number): unknown {
    try {
      const [first, ...others] = parts;
      const line = first !== undefined && others.length === 0 ? first : joined(parts);
      return JSON.parse(textOf(line)) as unknown;
    } catch (thrown) {
      throw new StoreError(this.path, "is not JSON", { offset, cause: thrown });
    }
  }
}

function headOf(length: number, number: number, checksum: number): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES);
  const view = viewOf(head);
  writeSix(view, 0, length);
  writeSix(view, 6, number);
  view.setUint32(12, checksum, true);
  view.setUint32(16, crc32c(head, 0, 0, 16), true);
  return head;
}

/** Writes a number of six bytes. */
function writeSix(view: DataView, at: number, number: number): void {
  view.setUint32(at, number % 2 ** 32, true);
  view.setUint16(at + 4, Math.floor(number / 2 ** 32), true);
}

const readSix = (view: DataView, at: number): number =>
  view.getUint32(at, true) + 2 ** 32 * view.getUint16(at + 4, true);

const viewOf = ({ buffer, byteOffset, length }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, length);

const LINE_FEED = 10;

/**
 * The heads in a part of a file. Zeros left by a power cut contain none.
 *
 * @param start the offset of the part
 */
function* headsIn(bytes: Uint8Array, start: number): Generator<Entry, void> {
  // A head has a non-zero byte, so zeros can be skipped.
  let filled = 0;
  for (let i = 0; ; i++) {
    filled = Math.max(filled, i);
    while (filled < bytes.length && bytes[filled] === 0) filled++;
    i = Math.max(i, filled - HEAD_BYTES + 1);
    if (i + HEAD_BYTES > bytes.length) return;
    const head = readHead(bytes, i, start + i);
    if (head !== undefined) yield head;
  }
}

/** The head at a position, if there is one. @param offset of the position in the file */
function readHead(bytes: Uint8Array, at: number, offset: number): Entry | undefined {
  // Rejects most other bytes at little cost.
  if (bytes[at + 5] !== 0 || bytes[at + 11] !== 0) return undefined;
  const view = viewOf(bytes);
  if (crc32c(bytes, 0, at, at + 16) !== view.getUint32(at + 16, true)) return undefined;
  const end = offset + HEAD_BYTES + readSix(view, at);
  const number = readSix(view, at + 6);
  return { offset, number, checksum: view.getUint32(at + 12, true), end };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
