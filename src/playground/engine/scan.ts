// Answers a question with a loop over all records, to show what it costs without indexes.

import { compileCriteria, type Collection, type Field, type FieldValue } from "../../index.ts";
import type { Asked, CriteriaList, Scalar } from "../messages.ts";
import { isScalar } from "../criteria-list.ts";
import { valueIn } from "./fields.ts";

type Members = Readonly<Record<string, unknown>>;

/** The first records that match: each record is read and tested and, if they are sorted, all that match are. */
export function scan(collection: Collection, asked: Asked, limit: number): readonly unknown[] {
  const { schema } = collection;
  const matches = compileCriteria(schema, asked.criteria);
  const found: Members[] = [];
  for (let i = 0; i < collection.size; i++) {
    const record = collection.at(i);
    if (record !== undefined && matches(record)) found.push(record);
    if (asked.sort.length === 0 && found.length === limit) break;
  }
  // Sorting is stable: ties stay in the order of insertion.
  for (const [name, order] of asked.sort.toReversed()) {
    const field = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
    if (field === undefined) continue;
    const sign = order === "ASC" ? 1 : -1;
    const keyOf = keyOfField(field);
    const keyed = found.map((record) => [keyOf(valueIn(record, name)), record] as const);
    keyed.sort(([a], [b]) => sign * (a === b ? 0 : a === null || (b !== null && a < b) ? -1 : 1));
    for (const [i, [, record]] of keyed.entries()) found[i] = record;
  }
  return found.slice(0, limit);
}

/** After how many records a look reads the clock. */
const STEP = 1024;

/** The first records that match, as far as they are found in time, and whether there may be more of them. */
export function look(collection: Collection, criteria: CriteriaList, limit: number, end: number) {
  const matches = compileCriteria(collection.schema, criteria);
  const found: Members[] = [];
  let i = 0;
  for (; i < collection.size && found.length < limit; i++) {
    if (i % STEP === 0 && performance.now() > end) break;
    const record = collection.at(i);
    if (record !== undefined && matches(record)) found.push(record);
  }
  return { found, isPartial: i < collection.size && found.length < limit };
}

/** JSON fields can't be sorted by. */
const keyOfField =
  ({ type }: Field) =>
  (value: FieldValue): Scalar =>
    value !== null && (type === "int" || type === "float")
      ? Number(value)
      : isScalar(value)
        ? value
        : null;
