// The seal of a file of ours: the last section before the footer, with a checksum of the footer. It
// tells our files from those of others, also where a footer is damaged, and those that another tool
// has written again.

import type { ByteSource } from "./byte-source.ts";
import { checksumOf } from "./checksum.ts";
import { DIRECTORY } from "./directory.ts";
import { FileError } from "./file-error.ts";
import type { Footer } from "./footer.ts";
import { readFrom } from "./pages.ts";

export const SEAL_BYTES = 16;

const MARK = "tercet\0\u0001";

/** @param footer all that follows, up to the end of the file */
export function sealOf(footer: Uint8Array): Uint8Array {
  const seal = new Uint8Array(SEAL_BYTES);
  seal.set(new TextEncoder().encode(MARK));
  new DataView(seal.buffer).setUint32(MARK.length, checksumOf(footer), true);
  return seal;
}

/**
 * Whether a file is of ours: it has a seal, or a directory in its footer.
 *
 * @throws FileError where it is, and its seal is not that of its footer
 */
export function isOurs(source: ByteSource, { start: end, metadata }: Footer): boolean {
  const start = end - SEAL_BYTES;
  const seal = start < 0 ? new Uint8Array(0) : readFrom(source, start, end, "footer");
  const expected = sealOf(readFrom(source, end, source.size, "footer"));
  if (expected.every((byte, i) => seal[i] === byte)) return true;
  const hasMark = expected.subarray(0, MARK.length).every((byte, i) => seal[i] === byte);
  if (!hasMark && !metadata.has(DIRECTORY)) return false;
  throw new FileError("footer", "is damaged: its checksum is another");
}
