// Reads the bytes of a file: in pieces, only its start, or all of them up to a limit.

import { Decompress } from "fzstd";
import { decompress, isCompressed } from "../../import/index.ts";
import { InputError } from "../../index.ts";

/** Decompresses Zstandard, which browsers do not. */
export const zstd = { Decompress };

/** Exists in workers. It reads synchronously, which loaders need. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

const PIECE_BYTES = 4_000_000;

/**
 * The bytes of a file, read while they are taken.
 *
 * @param tell gets the number of bytes taken
 */
export function* bytesOf(file: Blob, tell: (done: number) => void): Generator<Uint8Array, void> {
  const reader = new FileReaderSync();
  for (let done = 0; done < file.size; done += PIECE_BYTES) {
    tell(done);
    yield new Uint8Array(reader.readAsArrayBuffer(file.slice(done, done + PIECE_BYTES)));
  }
  tell(file.size);
}

/** The start of a file. Loading reports damage. */
export async function headOf(file: Blob): Promise<string> {
  try {
    for await (const piece of decompress(file.slice(0, PACKED_HEAD), { zstd })) {
      return new TextDecoder().decode(piece.subarray(0, HEAD));
    }
  } catch {
    // As empty as what it unpacks to.
  }
  return "";
}

/** A block of Zstandard has up to 128 KiB, and nothing is unpacked of less. */
const PACKED_HEAD = 4 * 65_536;

const HEAD = 65_536;

/** The most bytes of a file held as a whole: a table takes as much again, and a tab has only a few gigabytes. */
const MOST_BYTES = 2 ** 30;

/** The most bytes of text from a gzipped file, which may have a thousandth of them. */
const MOST_UNPACKED = 2 ** 31;

/** How many bytes of text are read from a file. */
export async function mostBytes(file: Blob): Promise<number> {
  return (await isPacked(file)) ? MOST_UNPACKED : Infinity;
}

/**
 * @param most how many bytes it may have, unpacked too
 * @throws InputError if it is too large, or damaged
 */
export async function wholeOf(
  file: Blob,
  most: number = MOST_BYTES,
): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = (what: string) =>
    new InputError("source", `${what} more than 1 GiB, which is the limit of this format`);
  if (!(await isPacked(file))) {
    if (file.size > most) throw tooLarge("has");
    return new Uint8Array(await file.arrayBuffer());
  }
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  try {
    for await (const piece of decompress(file, { zstd, maxBytes: most })) {
      pieces.push(piece.slice());
    }
  } catch (thrown) {
    throw thrown instanceof InputError && thrown.code === "limit" ? tooLarge("unpacks to") : thrown;
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

async function isPacked(file: Blob): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  return isCompressed(head);
}
