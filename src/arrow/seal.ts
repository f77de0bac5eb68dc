// The seal of a tercet file: the last section before the footer, with a checksum of the footer. It distinguishes tercet
// files, even with a damaged footer, from other files and from those rewritten by another tool.

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
 * The checksum in the seal of a tercet file; `undefined` for other files, with neither a seal nor a directory in their
 * footer. The footer covers the checksums of all pages, so files with the same seal are the same file, except for one
 * in 2^32.
 *
 * @throws FileError if it is a tercet file whose seal does not match its footer
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
