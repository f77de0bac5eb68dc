// Checks each row of a segment with the predicate.

import { predicateOf } from "../../criteria/compile.ts";
import type { ParsedCriteria } from "../../criteria/tree.ts";
import type { Segment } from "../versions/segment.ts";
import { testsOfRows } from "./tests-of-rows.ts";

/** The live rows that the predicate accepts, up to the first `needed` of them, in insertion order. */
export function checkEach(
  { schema, size, dead, rows: all }: Segment,
  criteria: ParsedCriteria,
  needed: number,
): number[] {
  const rows: number[] = [];
  const accepts = predicateOf(criteria, testsOfRows(schema, all));
  for (let row = 0; row < size && rows.length < needed; row++) {
    if (accepts(row) && !dead.has(row)) rows.push(row);
  }
  return rows;
}
