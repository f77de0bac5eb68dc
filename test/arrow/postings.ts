// Postings of trigrams read from a file: from written bytes, or from any bytes.

import { checksumOf } from "../../src/arrow/checksum.ts";
import { PAGE_BYTES } from "../../src/arrow/directory.ts";
import { padded } from "../../src/arrow/format.ts";
import { FilePostings } from "../../src/arrow/read/file-postings.ts";
import { Pages } from "../../src/arrow/read/pages.ts";
import { Section } from "../../src/arrow/read/section.ts";
import { trigramBytes } from "../../src/arrow/write/trigrams.ts";
import type { Postings } from "../../src/engine/indexes/postings.ts";

export function inFile(postings: Postings): FilePostings {
  const { bytes, starts } = trigramBytes(postings);
  const all = Uint8Array.from(Buffer.concat([...bytes.pieces()]));
  return readPostings(postings.rows, { starts: Uint32Array.from(starts()), bytes: all });
}

export function readPostings(
  rows: number,
  { starts, bytes }: { readonly starts: Uint32Array; readonly bytes: Uint8Array },
): FilePostings {
  const memory = new Uint8Array(starts.byteLength + padded(bytes.length));
  memory.set(new Uint8Array(starts.buffer));
  memory.set(bytes, starts.byteLength);
  const source = { size: memory.length, read: (a: number, b: number) => memory.slice(a, b) };
  const checksums = Uint32Array.from({ length: Math.ceil(memory.length / PAGE_BYTES) }, (_, page) =>
    checksumOf(memory.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)),
  );
  const pages = new Pages(source, memory.length, checksums, 0, 1 << 18);
  const part = (offset: number, { byteLength: length }: ArrayBufferView) => ({ offset, length });
  return new FilePostings(
    rows,
    new Section<Uint32Array>("trigrams", pages, part(0, starts), Uint32Array),
    new Section<Uint8Array>("trigrams", pages, part(starts.byteLength, bytes), Uint8Array),
  );
}
