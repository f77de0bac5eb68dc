// The dead rows of a segment, by their numbers in its file.
//
// They are stored in a line of data as base64 of the gaps between ascending row numbers, in LEB128 (seven bits per
// byte, lowest first). Most take one byte.

import { DeadRows } from "../engine/versions/dead-rows.ts";
import { orUndefined } from "../schema/errors.ts";

/**
 * The dead rows of a segment by their numbers in its file.
 *
 * @param left the rows that are not in the file, since they were dead when it was written
 */
export function rowsInFile(dead: DeadRows, left: DeadRows): Uint32Array {
  const missing = left.difference(DeadRows.EMPTY);
  let before = 0;
  return dead.difference(left).map((row) => {
    while ((missing[before] ?? Infinity) < row) before++;
    return row - before;
  });
}

/** How many bytes to turn into characters at once: with too many arguments, engines throw. */
const PIECE = 4096;

/** @param rows ascending */
export function writeRowNumbers(rows: Uint32Array | readonly number[]): string {
  const bytes = new Uint8Array(5 * rows.length);
  let length = 0;
  let next = 0;
  for (const row of rows) {
    let skipped = row - next;
    next = row + 1;
    for (; skipped > 0x7f; skipped >>>= 7) bytes[length++] = (skipped & 0x7f) | 0x80;
    bytes[length++] = skipped;
  }
  let text = "";
  for (let i = 0; i < length; i += PIECE) {
    text += String.fromCharCode(...bytes.subarray(i, Math.min(length, i + PIECE)));
  }
  return btoa(text);
}

/**
 * Decodes row numbers; they ascend whatever the input is.
 *
 * @param size how many rows there are
 * @returns `undefined` if the input is damaged, or a row does not exist
 */
export function readRowNumbers(text: string, size: number): Uint32Array | undefined {
  const bytes = orUndefined(() => Uint8Array.from(atob(text), (each) => each.charCodeAt(0)));
  if (bytes === undefined) return undefined;
  const rows = new Uint32Array(bytes.length);
  let count = 0;
  let skipped = 0;
  let factor = 1;
  let next = 0;
  for (const byte of bytes) {
    skipped += (byte & 0x7f) * factor;
    factor *= 0x80;
    if (next + skipped >= size) return undefined;
    if (byte > 0x7f) continue;
    rows[count++] = next + skipped;
    next += skipped + 1;
    skipped = 0;
    factor = 1;
  }
  return factor === 1 ? rows.subarray(0, count) : undefined;
}
