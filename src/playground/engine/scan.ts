// Answers a question as a loop over all records would: what it takes without indexes.

import { compileCriteria, type Collection, type Field, type FieldValue } from "../../index.ts";
import type { Asked, Scalar } from "../messages.ts";

type Members = Readonly<Record<string, FieldValue>>;

/** The first records that match: each record is read and tested and, if they are sorted, all that match are. */
export function scan(collection: Collection, asked: Asked, limit: number): readonly unknown[] {
  const { schema } = collection;
  const matches = compileCriteria(schema, asked.criteria as never);
  const { sortBy, sortOrder } = asked;
  const field = Object.hasOwn(schema.fields, sortBy) ? schema.fields[sortBy] : undefined;
  const found: Members[] = [];
  for (let i = 0; i < collection.size; i++) {
    const record = collection.at(i) as never;
    if (matches(record)) found.push(record);
    if (field === undefined && found.length === limit) break;
  }
  if (field === undefined) return found;
  const sign = sortOrder === "ASC" ? 1 : -1;
  const keyOf = keyOfField(field);
  const keyed = found.map((record) => [keyOf(record[sortBy] ?? null), record] as const);
  // Sorting is stable: ties stay in the order of insertion.
  keyed.sort(([a], [b]) => sign * (a === b ? 0 : a === null || (b !== null && a < b) ? -1 : 1));
  return keyed.slice(0, limit).map(([, record]) => record);
}

/** JSON fields can't be sorted by. */
const keyOfField =
  ({ type }: Field) =>
  (value: FieldValue): Scalar =>
    value !== null && (type === "int" || type === "float") ? Number(value) : (value as Scalar);
