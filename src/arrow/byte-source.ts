// The source of a file's bytes: memory, or anything that can read a range of it.

import { FileError } from "./file-error.ts";

/** Bytes that are read in ranges. They must not change after they are read. */
export interface ByteSource {
  /** How many bytes there are. */
  readonly size: number;
  /** The bytes from one position up to another; both are within the size, but may be far apart. */
  read(from: number, to: number): Uint8Array;
  /**
   * Fills an array with the bytes from a position on, or throws. With it, a large part of a file is read in steps of a
   * megabyte, between which deadlines are checked. A source of bytes in memory needs none.
   */
  readInto?(from: number, target: Uint8Array): void;
}

/**
 * Bytes of a source, aligned in their buffer to a multiple of 8.
 *
 * @throws FileError if it returns fewer or more than requested
 */
export function readFrom(
  source: ByteSource,
  from: number,
  to: number,
  section: string,
): Uint8Array {
  const read = source.read(from, to);
  // Wrapped, since `slice` of a Buffer of Node.js does not copy.
  const bytes = new Uint8Array(read.buffer, read.byteOffset, read.length);
  if (bytes.length !== to - from) {
    throw new FileError(section, `could be read up to byte ${from + bytes.length}, not ${to}`);
  }
  return bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
}
