// The first rows of a young segment in the order of an int field of which it has digests and no index
// yet. They are selected once and kept: who asks for the same page again, or for one before it, after a
// change elsewhere too, does not wait for an index and pays for no second selection. Up to 16 KB of row
// numbers for each field and direction, which no report of indexes counts.

import { fieldOf } from "../../schema/schema.ts";
import type { Indexes } from "../index/indexes.ts";
import { costs } from "../plan/costs.ts";
import type { ParsedQuery } from "../plan/query.ts";
import type { Segment } from "../snapshot/segment.ts";
import { selectByIntegers } from "./select-integers.ts";

/** A page that ends behind this row is not kept. */
const LAST_ROW = 4096;

/** The first rows in an order, among those that were live when they were selected. */
interface Selection {
  readonly field: string;
  readonly order: "ASC" | "DESC";
  readonly rows: Uint32Array;
}

/** By what the snapshots of the same rows share: one for each field and direction. */
const selections = new WeakMap<Indexes, Selection[]>();

/**
 * The first `end` live rows of a query that has a sort and no criteria, in its order, or all where there
 * are fewer; `undefined` where a plan finds them.
 *
 * @throws DeadlineError
 */
export function firstRows(
  segment: Segment,
  { criteria, sort, deadline }: Pick<ParsedQuery, "criteria" | "sort" | "deadline">,
  end: number,
): Uint32Array | undefined {
  const isAll = criteria.groups.length === 1 && criteria.groups[0]?.length === 0;
  if (sort === undefined || !isAll || end > LAST_ROW) return undefined;
  const { field, order } = sort;
  const { schema, size, rows, dead, indexes } = segment;
  if (fieldOf(schema, field)?.type !== "int") return undefined;
  const digests = rows.digestsOf(field);
  if (digests === undefined || indexes.ordered(field, deadline) !== undefined) return undefined;
  deadline?.check();
  const all = selections.get(indexes) ?? [];
  const kept = all.find((each) => each.field === field && each.order === order);
  if (kept !== undefined) {
    const live = dead.count === 0 ? kept.rows : kept.rows.filter((row) => !dead.has(row));
    if (live.length >= Math.min(end, segment.live)) return live.subarray(0, end);
  }
  // What is selected without rows that are dead here does not hold for others.
  if (dead.count > 0) return undefined;
  indexes.charge("ordered", field, size * costs.codeTest);
  const integerAt = (row: number) => digests[row]!;
  const first = selectByIntegers(size, integerAt, order === "DESC", 0, end, deadline);
  selections.set(indexes, [...all.filter((each) => each !== kept), { field, order, rows: first }]);
  return first;
}
