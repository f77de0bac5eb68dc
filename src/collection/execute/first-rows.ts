// The first rows of a young segment in the order of a field, where no index has them: of few rows, which
// get no index, and of rows that have digests of an int field. They are put in order once, dead ones too,
// and kept: who asks for the same page again, or for one before it, after a change elsewhere too, pays
// for no second sort and waits for no index. Where few rows were changed, those that stay are not sorted
// again either. Up to 16 KB of row numbers for each field and direction, which no report of indexes counts.

import { fieldOf } from "../../schema/schema.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { costs } from "../plan/costs.ts";
import type { ParsedQuery } from "../plan/query.ts";
import type { Segment, SortedRows } from "../snapshot/segment.ts";
import { selectByIntegers } from "./select-integers.ts";
import type { Order } from "./sort-order.ts";

/** A page that ends behind this row is not kept. */
const LAST_ROW = 4096;

/**
 * At least the first `end` live rows of a query that has a sort and no criteria, in its order, or all
 * where there are fewer; `undefined` where a plan finds them.
 *
 * @param order that of the query
 * @throws DeadlineError
 */
export function firstRows(
  segment: Segment,
  query: ParsedQuery,
  end: number,
  order: Order,
): ArrayLike<number> | undefined {
  const { criteria, sort, deadline } = query;
  const isAll = criteria.groups.length === 1 && criteria.groups[0]?.length === 0;
  if (sort === undefined || !isAll || end > LAST_ROW) return undefined;
  deadline?.check();
  const { field } = sort;
  const descending = sort.order === "DESC";
  const kept = rowsIn(segment.sorted, field, descending);
  const live = kept && liveOf(segment, kept);
  if (live !== undefined && live.length >= Math.min(end, segment.live)) return live;
  const rows = segment.isSmall
    ? fewSorted(segment, field, descending, order)
    : selectedRows(segment, field, descending, end, deadline);
  if (rows === undefined) return undefined;
  segment.keepSorted({ field, descending, rows });
  return liveOf(segment, rows);
}

function rowsIn(
  sorted: readonly SortedRows[],
  field: string,
  descending: boolean,
): ArrayLike<number> | undefined {
  for (let i = 0; i < sorted.length; i++) {
    const kept = sorted[i]!;
    if (kept.field === field && kept.descending === descending) return kept.rows;
  }
  return undefined;
}

function liveOf({ dead }: Segment, rows: ArrayLike<number>): ArrayLike<number> {
  return dead.count === 0 ? rows : Array.from(rows).filter((row) => !dead.has(row));
}

/** All rows, of which there are few. */
function fewSorted(
  segment: Segment,
  field: string,
  descending: boolean,
  order: Order,
): ArrayLike<number> {
  const { before, size } = segment;
  if (before !== undefined) {
    const sorted = rowsIn(before.sorted, field, descending);
    if (sorted !== undefined) return order.resorted(segment, sorted, before.splice);
  }
  return order.sorted(
    segment,
    Array.from({ length: size }, (_, row) => row),
  );
}

/** The rows selected by digests, where there are some and no index. */
function selectedRows(
  segment: Segment,
  field: string,
  descending: boolean,
  end: number,
  deadline: Deadline | undefined,
): ArrayLike<number> | undefined {
  const { schema, size, rows, dead, indexes } = segment;
  const digests = rows.digestsOf(field);
  if (digests === undefined || dead.count > 0 || fieldOf(schema, field)?.type !== "int") {
    return undefined;
  }
  if (indexes.ordered(field, deadline) !== undefined) return undefined;
  indexes.charge("ordered", field, size * costs.codeTest);
  return selectByIntegers(size, (row) => digests[row]!, descending, 0, end, deadline);
}
