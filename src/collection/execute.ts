// Answers a parsed query: filter, sort, skip, take (rule P1), by a scan of the rows.

import { predicateOf } from "../criteria/compile.ts";
import type { ParsedCriteria } from "../criteria/parse.ts";
import { compareValues } from "../schema/order.ts";
import { fieldOf, type Schema } from "../schema/schema.ts";
import type { ParsedQuery } from "./query.ts";
import { readerOf, type Rows } from "./rows.ts";

/** The row numbers of the page that a query asks for, in its order. */
export function selectRows(schema: Schema, rows: Rows, query: ParsedQuery): readonly number[] {
  const { criteria, sort, offset, limit } = query;
  if (limit === 0) return [];
  if (sort === undefined) return matching(rows, criteria, offset + limit).slice(offset);

  const selected = matching(rows, criteria, Infinity);
  const field = fieldOf(schema, sort.field);
  const compare = compareValues(field?.type ?? "string");
  const read = readerOf(rows)(sort.field);
  const sign = sort.order === "ASC" ? 1 : -1;
  // P4: the sort is stable, and comparing with a sign keeps ties in insertion order either way.
  selected.sort((a, b) => sign * compare(read(a), read(b)));
  return selected.slice(offset, offset + limit);
}

/** How many rows the criteria select. */
export function countRows(rows: Rows, criteria: ParsedCriteria): number {
  return matching(rows, criteria, Infinity).length;
}

/** The first rows that the criteria select, at most `most` of them. */
function matching(rows: Rows, criteria: ParsedCriteria, most: number): number[] {
  const predicate = predicateOf(criteria, readerOf(rows));
  const selected: number[] = [];
  const { length } = rows.records;
  for (let row = 0; row < length && selected.length < most; row++) {
    if (predicate(row)) selected.push(row);
  }
  return selected;
}
