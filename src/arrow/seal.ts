// The seal of a file of ours: the last section before the footer, with a checksum of the footer. It
// tells our files from those of others, also where a footer is damaged, and those that another tool
// has written again.

import type { ByteSource } from "./byte-source.ts";
import { checksumOf } from "./checksum.ts";
import { FileError } from "./file-error.ts";
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
 * Whether a file has a seal before its footer.
 *
 * @throws FileError where it has one of another footer
 */
export function isSealed(source: ByteSource, footerStart: number): boolean {
  const start = footerStart - SEAL_BYTES;
  if (start < 0) return false;
  const seal = readFrom(source, start, footerStart, "footer");
  const mark = new TextEncoder().encode(MARK);
  if (!mark.every((byte, i) => seal[i] === byte)) return false;
  const expected = sealOf(readFrom(source, footerStart, source.size, "footer"));
  if (expected.every((byte, i) => seal[i] === byte)) return true;
  throw new FileError("footer", "is damaged: its checksum is another");
}
