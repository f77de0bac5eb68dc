// Finds few rows without batches: one by one, or by digests.

import { predicateOf } from "../../criteria/compile.ts";
import type { ParsedCriteria } from "../../criteria/parse.ts";
import type { WireValue } from "../../schema/field.ts";
import { fieldOf } from "../../schema/schema.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { selectByIntegers } from "../algorithms/select-integers.ts";
import { onlyValueOf } from "./filter.ts";
import { costs } from "./costs.ts";
import { digestOf } from "../records/digests.ts";
import type { Segment } from "../snapshot/segment.ts";

/** The live rows that the predicate accepts, up to the first `wanted` of them, in insertion order. */
export function checkEach(
  { size, dead, readerOf }: Segment,
  criteria: ParsedCriteria,
  wanted: number,
): number[] {
  const { groups } = criteria;
  const criterion = groups.length === 1 && groups[0]!.length === 1 ? groups[0]![0] : undefined;
  const only = criterion && onlyValueOf(criterion);
  const rows: number[] = [];
  if (criterion !== undefined && only !== undefined) {
    // A lookup after an update spends its time here: equality deserves a loop with two calls less.
    const read = readerOf(criterion.field);
    for (let row = 0; row < size && rows.length < wanted; row++) {
      if (read(row) === only && !dead.has(row)) rows.push(row);
    }
    return rows;
  }
  const accepts = predicateOf(criteria, readerOf);
  for (let row = 0; row < size && rows.length < wanted; row++) {
    if (accepts(row) && !dead.has(row)) rows.push(row);
  }
  return rows;
}

/**
 * The live rows with a value, up to the first `wanted` of them, in insertion order. A value is read only
 * if the digest is equal. The cost is charged to the index that would have found them.
 */
export function lookUpByDigest(
  segment: Segment,
  field: string,
  value: WireValue,
  wanted: number,
): number[] {
  const { schema, size, rows: all, dead, readerOf } = segment;
  const read = readerOf(field);
  const digests = all.digestsOf(field)!;
  const digest = digestOf(fieldOf(schema, field)!.type, value);
  const rows: number[] = [];
  // The engine's own search is fast even at its first call, before any loop of ours is compiled.
  let row = digests.indexOf(digest);
  while (row >= 0) {
    if (read(row) === value && !dead.has(row) && rows.push(row) === wanted) break;
    row = digests.indexOf(digest, row + 1);
  }
  segment.charge(field, (row < 0 ? size : row) * costs.codeTest);
  return rows;
}

/**
 * All rows in the order of a field of numbers that has digests, up to the first `wanted` of them. None is
 * dead. They are not gathered first: the first page after an insertion would run a loop over all of them that
 * V8 has not compiled yet.
 *
 * @throws DeadlineError
 */
export function sortByDigest(
  segment: Segment,
  { field, descending }: ByField,
  wanted: number,
  deadline: Deadline | undefined,
): Uint32Array {
  const { size, rows } = segment;
  segment.charge(field, size * costs.codeTest);
  return selectByIntegers(rows.digestsOf(field)!, descending, 0, Math.min(size, wanted), deadline);
}

interface ByField {
  readonly field: string;
  readonly descending: boolean;
}
