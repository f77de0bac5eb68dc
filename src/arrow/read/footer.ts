// Reads the footer of an Arrow file. Its metadata contains the directory of tercet files.

import { readFrom, type ByteSource } from "../byte-source.ts";
import { FileError } from "../file-error.ts";
import { kindOf } from "./first-bytes.ts";
import { FlatTable } from "./flatbuffer.ts";
import { MAGIC, padded } from "../format.ts";

export interface Footer {
  readonly metadata: ReadonlyMap<string, string>;
  /** Where the footer begins. */
  readonly start: number;
  /** All bytes from there to the end of the file. */
  readonly bytes: Uint8Array;
}

/** The length of the footer as int32, and the magic. */
const TAIL = 4 + MAGIC.length;

/** @throws FileError */
export function readFooter(source: ByteSource): Footer {
  const { size } = source;
  const magic = new TextEncoder().encode(MAGIC);
  if (size < padded(magic.length) + TAIL || !startsWith(readFrom(source, 0, 8, "file"), magic)) {
    const first = readFrom(source, 0, Math.min(size, 64), "file");
    throw new FileError("file", `does not begin like an Arrow file${kindOf(first)}`);
  }
  const tail = readFrom(source, size - TAIL, size, "file");
  if (!startsWith(tail.subarray(4), magic)) {
    throw new FileError("file", "does not end like an Arrow file; it may be truncated");
  }
  const length = new DataView(tail.buffer, tail.byteOffset).getInt32(0, true);
  const start = size - TAIL - length;
  if (length <= 0 || start < padded(magic.length)) {
    throw new FileError("footer", "has an impossible length");
  }
  return reading("footer", () => {
    const bytes = readFrom(source, start, size, "footer");
    const table = FlatTable.root(bytes.subarray(0, length), "footer");
    return { metadata: keyValues(table, 4), start, bytes };
  });
}

/** Returns the result of `read`; throws FileError if it finds an invalid offset or string. */
function reading<T>(section: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    throw new FileError(section, "is damaged", { cause: error });
  }
}

function keyValues(table: FlatTable, field: number): Map<string, string> {
  return new Map(
    table.tables(field, (pair): [string, string] => [pair.string(0) ?? "", pair.string(1) ?? ""]),
  );
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, i) => bytes[i] === byte);
}
