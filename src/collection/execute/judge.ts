// The predicate as it is, for segments of so few rows that no plan is better.

import { predicateOf } from "../../criteria/compile.ts";
import type { ParsedCriteria } from "../../criteria/parse.ts";
import type { Segment } from "../snapshot/segment.ts";

/** The rows of a segment that the predicate accepts, in insertion order. */
export function judge({ size, dead, readerOf }: Segment, criteria: ParsedCriteria): number[] {
  const predicate = predicateOf(criteria, readerOf);
  const rows: number[] = [];
  for (let row = 0; row < size; row++) if (!dead.has(row) && predicate(row)) rows.push(row);
  return rows;
}
