// The seal of a file of ours: the last section before the footer, with a checksum of the footer. It
// distinguishes our files from others, even if a footer is damaged, and from those that another tool has
// rewritten.

import { readFrom, type ByteSource } from "./byte-source.ts";
import { checksumOf } from "./checksum.ts";
import { DIRECTORY } from "./directory.ts";
import { FileError } from "./file-error.ts";
import type { Footer } from "./read/footer.ts";

export const SEAL_BYTES = 16;

const MARK = "tercet\0\u0001";

/** @param footer everything that follows, up to the end of the file */
export function sealOf(footer: Uint8Array): Uint8Array {
  const seal = new Uint8Array(SEAL_BYTES);
  seal.set(new TextEncoder().encode(MARK));
  new DataView(seal.buffer).setUint32(MARK.length, checksumOf(footer), true);
  return seal;
}

/**
 * The checksum in the seal of a file of ours; `undefined` if it is not ours: it has neither a seal nor a
 * directory in its footer. The footer has the checksum of the checksums of all pages: two files with the
 * same seal are the same file, except for one in 2^32.
 *
 * @throws FileError if it is ours, but its seal does not match its footer
 */
export function sealIn(
  source: ByteSource,
  { start: end, bytes, metadata }: Footer,
): number | undefined {
  const start = end - SEAL_BYTES;
  const seal = start < 0 ? new Uint8Array(0) : readFrom(source, start, end, "footer");
  const expected = sealOf(bytes);
  if (expected.every((byte, i) => seal[i] === byte)) {
    return new DataView(expected.buffer).getUint32(MARK.length, true);
  }
  const hasMark = expected.subarray(0, MARK.length).every((byte, i) => seal[i] === byte);
  if (!hasMark && !metadata.has(DIRECTORY)) return undefined;
  throw new FileError("footer", "is damaged: its checksum does not match");
}
