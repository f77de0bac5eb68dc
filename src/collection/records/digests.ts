// The digest of a value: a number that equal values share. That of an integer is the integer itself, so
// that it orders them; that of a text is a hash. Rows that have no index yet keep digests beside them:
// who looks for a value, or sorts by integers, need not follow each record to its text, which no
// cache has any more.

import type { FieldType, WireValue } from "../../schema/field.ts";
import { parseCanonicalInteger } from "../../schema/integer.ts";
import { hash } from "../algorithms/hash.ts";

/** Rows of which some digests may be kept. */
interface Digested {
  digestsOf(name: string): Float64Array | undefined;
  readerOf(name: string): (row: number) => WireValue;
}

/** The digest of a value of a field; null, which is lower than every value, has −Infinity. */
export function digestOf(type: FieldType, value: WireValue): number {
  if (value === null) return -Infinity;
  return type === "int" ? parseCanonicalInteger(value) : hash(value);
}

/** Reads the digests of a field, by row number: those that are kept, or else from its values. */
export function digestReaderOf(
  rows: Digested,
  type: FieldType,
  name: string,
): (row: number) => number {
  const kept = rows.digestsOf(name);
  if (kept !== undefined) return (row) => kept[row]!;
  const read = rows.readerOf(name);
  return (row) => digestOf(type, read(row));
}
