// Finds the delimiter of CSV whose origin is unknown: where a comma is the decimal separator, spreadsheets write
// semicolons.

import { DELIMITERS } from "./csv.ts";
import { CsvRows } from "./csv-rows.ts";
import { delimiterOf, formatIn, formatOf, type RecordsOptions } from "./records.ts";
import { piecesOf, type SyncBytes } from "./source.ts";
import { concat, decodeAnyway, transcoderOf } from "./utf8.ts";

export type DelimiterOptions = Pick<RecordsOptions, "format" | "name" | "encoding">;

/** How much of the text is examined: so many bytes, and of these so many rows. */
const MOST_BYTES = 64 * 1024;
const MOST_ROWS = 10;

/**
 * The delimiter of a CSV text: a comma, a semicolon, a tab or a vertical bar. It is the one that divides the
 * first ten rows into the same number of values, more than one, quoted values being whole. If several do, it is the
 * one with the most values, and among these the first one of that list. In doubt it is the one that readers
 * assume: a comma, or the tab in a `.tsv` file; so it is for text in another format.
 *
 * Readers do not call this by themselves: pass the result as their option `delimiter`.
 *
 * @param source synchronous bytes, gzipped or not, of which the first 64 KiB are read
 * @param options as for {@link readRecords}
 * @throws InputError if the encoding is unknown or the bytes are damaged gzip
 */
export function findDelimiter(source: SyncBytes, options: DelimiterOptions = {}): string {
  const { name = "", format = formatOf(name), encoding = "utf-8" } = options;
  const text = startOf(source, typeof source === "string" ? "utf-8" : encoding);
  let found = delimiterOf(name);
  if ((format ?? formatIn(text, true)) !== "csv") return found;
  let most = 1;
  for (const delimiter of DELIMITERS) {
    const width = widthOf(text, delimiter);
    if (width > most) [most, found] = [width, delimiter];
  }
  return found;
}

function startOf(source: SyncBytes, encoding: string): Uint8Array {
  const transcode = transcoderOf(encoding);
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const piece of piecesOf(source)) {
    // A piece is valid until the next one is requested.
    parts.push(transcode?.(piece) ?? piece.slice());
    length += piece.length;
    if (length >= MOST_BYTES) break;
  }
  const isWhole = length < MOST_BYTES;
  const start = concat(parts).subarray(0, isWhole ? undefined : MOST_BYTES);
  // Reading reports bytes that are not UTF-8.
  const text = decodeAnyway(start);
  return new TextEncoder().encode(isWhole && !text.endsWith("\n") ? `${text}\n` : text);
}

/** How many values each of the first rows has; 0 if they differ. */
function widthOf(text: Uint8Array, delimiter: string): number {
  const counts: number[] = [];
  const rows = new CsvRows(
    { delimiter, nullText: undefined },
    {
      row(row) {
        if (!row.isBlank) counts.push(row.count);
      },
      malformed() {
        counts.push(0);
      },
    },
  );
  rows.take(text, false);
  const [width = 0, ...others] = counts.slice(0, MOST_ROWS);
  return others.every((count) => count === width) ? width : 0;
}
