// Reads the readable rows of a damaged tercet file, one by one. A row is lost if one of its values or codes is on a
// damaged page.

import type { Codec } from "../../engine/columns/codec.ts";
import type { Document } from "../../engine/columns/layout.ts";
import { FileError } from "../file-error.ts";
import { openTable } from "./file.ts";
import { ownDirectory, rowsOf } from "./open.ts";
import type { ByteSource } from "../byte-source.ts";

/** A row that could be read. */
export type SalvagedRow = readonly [key: number, document: Document];

/**
 * @internal Yields each row with its key, in order; `undefined` for an unreadable one. Cost: linear in the values, each
 *   of which may need a read from the file.
 *
 * @throws FileError if the end of the file, which locates everything else, is damaged
 */
export function* salvage(
  source: ByteSource,
  codec: Codec,
): Generator<SalvagedRow | undefined, void> {
  const table = openTable(source, ownDirectory(source).directory, { inPieces: true });
  const rows = rowsOf(table, codec);
  for (let row = 0; row < table.rows; row++) {
    try {
      yield [table.keys?.at(row) ?? row, codec.write(rows, row)];
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      yield undefined;
    }
  }
}
