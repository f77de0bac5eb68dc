// The digest of a value: a number shared by equal values. The digest of a number is the number itself, so
// digests sort numbers; the digest of a text is a hash. Rows without an index keep digests beside them:
// looking up a value, or sorting by numbers, then need not follow each record to its text, which has left
// the CPU caches.

import { isNumeric, type FieldType, type WireValue } from "../../schema/field.ts";
import { hash } from "../algorithms/hash.ts";
import { numberOf } from "../index/field-index.ts";

/** Rows that may keep some digests. */
interface Digested {
  digestsOf(name: string): Float64Array | undefined;
  readerOf(name: string): (row: number) => WireValue;
  numberReaderOf(name: string): (row: number) => number;
}

/** The digest of a value of a field; null, which is lower than every value, has −Infinity. */
export function digestOf(type: FieldType, value: WireValue): number {
  if (isNumeric(type)) return numberOf(value);
  return value === null ? -Infinity : hash(value);
}

/** Reads the digests of a field, by row number: stored ones, otherwise computed from its values. */
export function digestReaderOf(
  rows: Digested,
  type: FieldType,
  name: string,
): (row: number) => number {
  const kept = rows.digestsOf(name);
  if (kept !== undefined) return (row) => kept[row]!;
  if (isNumeric(type)) return rows.numberReaderOf(name);
  const read = rows.readerOf(name);
  return (row) => digestOf(type, read(row));
}
