// Tercet files, modified by hand, with matching checksums.

import { checksumOf } from "../../src/arrow/checksum.ts";
import {
  PAGE_BYTES,
  readDirectory,
  writeDirectory,
  type Directory,
} from "../../src/arrow/directory.ts";
import { readFooter } from "../../src/arrow/read/footer.ts";
import { padded } from "../../src/arrow/format.ts";
import { footer } from "../../src/arrow/write/metadata.ts";
import { sealOf } from "../../src/arrow/seal.ts";

export function directoryOf(file: Uint8Array): Directory {
  const { metadata, start } = readFooter({
    size: file.length,
    read: (from, to) => file.subarray(from, to),
  });
  return readDirectory(metadata, start);
}

/** @param body the bytes of the file, of which those before its checksums are taken */
export function sealed(
  body: Uint8Array,
  directory: Directory,
  change: (directory: unknown) => unknown = (same) => same,
): Uint8Array {
  const { offset } = directory.checksums;
  const checksums = Uint32Array.from({ length: Math.ceil(offset / PAGE_BYTES) }, (_, page) =>
    checksumOf(body.subarray(page * PAGE_BYTES, Math.min(offset, (page + 1) * PAGE_BYTES))),
  );
  const table = new Uint8Array(checksums.buffer);
  const padding = new Uint8Array(padded(table.length) - table.length);
  const changed = change({ ...directory, checksum: checksumOf(table) });
  const end = footer([], [], [], writeDirectory(changed as Directory));
  return Buffer.concat([body.subarray(0, offset), table, padding, sealOf(end), end]);
}
