// Answers a question with a loop over all records, to show what it costs without indexes.

import { compileCriteria, type Collection, type Field, type FieldValue } from "../../index.ts";
import type { Asked, CriteriaList, Scalar } from "../messages.ts";

type Members = Readonly<Record<string, FieldValue>>;

/** The first records that match: each record is read and tested and, if they are sorted, all that match are. */
export function scan(collection: Collection, asked: Asked, limit: number): readonly unknown[] {
  const { schema } = collection;
  const matches = compileCriteria(schema, asked.criteria as never);
  const found: Members[] = [];
  for (let i = 0; i < collection.size; i++) {
    const record = collection.at(i) as never;
    if (matches(record)) found.push(record);
    if (asked.sort.length === 0 && found.length === limit) break;
  }
  // Sorting is stable: ties stay in the order of insertion.
  for (const [name, order] of asked.sort.toReversed()) {
    const field = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
    if (field === undefined) continue;
    const sign = order === "ASC" ? 1 : -1;
    const keyOf = keyOfField(field);
    const keyed = found.map((record) => [keyOf(record[name] ?? null), record] as const);
    keyed.sort(([a], [b]) => sign * (a === b ? 0 : a === null || (b !== null && a < b) ? -1 : 1));
    for (const [i, [, record]] of keyed.entries()) found[i] = record;
  }
  return found.slice(0, limit);
}

/** After how many records a search looks at the clock. */
const STEP = 1024;

/** How many records a search returns. */
export const MOST_FIRST = 100;

/** A loop over all records for those that match, which may stop at any time and go on. */
export class Search {
  readonly collection: Collection;
  readonly criteria: CriteriaList;
  /** The first that match. */
  readonly first: Members[] = [];
  /** How many match, as far as it is. */
  matching = 0;
  readonly #matches: (record: never) => boolean;
  #at = 0;

  constructor(collection: Collection, criteria: CriteriaList) {
    this.collection = collection;
    this.criteria = criteria;
    this.#matches = compileCriteria(collection.schema, criteria as never);
  }

  /** Goes on until so many match, or time is up. Returns whether it is done. */
  goOn(wanted: number, end: number): boolean {
    const { collection, first } = this;
    const { size } = collection;
    while (this.#at < size && this.matching < wanted) {
      const record = collection.at(this.#at++) as never;
      if (this.#matches(record) && ++this.matching <= MOST_FIRST) first.push(record);
      if (this.#at % STEP === 0 && performance.now() > end) break;
    }
    return this.#at === size || this.matching >= wanted;
  }
}

/** JSON fields can't be sorted by. */
const keyOfField =
  ({ type }: Field) =>
  (value: FieldValue): Scalar =>
    value !== null && (type === "int" || type === "float") ? Number(value) : (value as Scalar);
