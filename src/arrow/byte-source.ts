// Where the bytes of a file come from: memory, or whatever can read a stretch of it.

import { FileError } from "./file-error.ts";

/** Bytes that are read in stretches. What was read must not change afterwards. */
export interface ByteSource {
  /** How many bytes there are. */
  readonly size: number;
  /** The bytes from one position up to another; both lie within the size, and may be far apart. */
  read(from: number, to: number): Uint8Array;
}

/**
 * Bytes of a source, in a place that is a multiple of 8.
 *
 * @throws FileError where it gives fewer or more than are asked for
 */
export function readFrom(
  source: ByteSource,
  from: number,
  to: number,
  section: string,
): Uint8Array {
  const read = source.read(from, to);
  // A Buffer of Node.js is one, but its `slice` copies nothing.
  const bytes = new Uint8Array(read.buffer, read.byteOffset, read.length);
  if (bytes.length !== to - from) {
    throw new FileError(section, `could be read as far as byte ${from + bytes.length}, not ${to}`);
  }
  return bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
}
