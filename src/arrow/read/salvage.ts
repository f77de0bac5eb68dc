// Reads what can still be read of a damaged file of ours, row by row: a row is lost where one of the
// pages is damaged that its values, or their codes, stand in.

import type { Codec } from "../../collection/records/codec.ts";
import type { Document } from "../../collection/records/layout.ts";
import { FileError } from "../file-error.ts";
import { openTable } from "./file.ts";
import { ownDirectory, rowsOf } from "./open.ts";
import type { ByteSource } from "../byte-source.ts";

/** A row that could be read. */
export type SalvagedRow = readonly [key: number, document: Document];

/**
 * @internal Gives each row with its key, in their order; `undefined` for one that can't be read.
 * Cost: linear in the values, some of which may be read from the file each.
 *
 * @throws FileError where the end of the file is damaged, which says where all the rest is
 */
export function* salvage(
  source: ByteSource,
  codec: Codec,
): Generator<SalvagedRow | undefined, void> {
  const table = openTable(source, ownDirectory(source).directory, { small: NEVER_WHOLE });
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

/** Of a section that is read whole, a damaged page is the end. */
const NEVER_WHOLE = -1;
