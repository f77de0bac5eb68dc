// The first rows of a young segment in the order of a field, where no index has them: of few rows, which
// get no index, and of rows that have digests of an int field. They are put in order once and kept: who
// asks for the same page again, or for one before it, after a change elsewhere too, pays for no second
// sort and waits for no index. Up to 16 KB of row numbers for each field and direction, which no report of
// indexes counts.

import { fieldOf } from "../../schema/schema.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { costs } from "../plan/costs.ts";
import type { ParsedQuery } from "../plan/query.ts";
import type { Segment } from "../snapshot/segment.ts";
import { judge } from "./judge.ts";
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
  const kept = keptRows(segment, field, descending);
  if (kept !== undefined && kept.length >= Math.min(end, segment.live)) return kept;
  const rows = segment.isSmall
    ? order.sorted(segment, judge(segment, criteria))
    : selectedRows(segment, field, descending, end, deadline);
  // What is put in order without rows that are dead here does not hold for others.
  if (rows !== undefined && segment.dead.count === 0) {
    segment.keepSorted({ field, descending, rows });
  }
  return rows;
}

/** The live ones of the rows that were kept. */
function keptRows(
  { sorted, dead }: Segment,
  field: string,
  descending: boolean,
): ArrayLike<number> | undefined {
  for (let i = 0; i < sorted.length; i++) {
    const kept = sorted[i]!;
    if (kept.field !== field || kept.descending !== descending) continue;
    return dead.count === 0 ? kept.rows : Array.from(kept.rows).filter((row) => !dead.has(row));
  }
  return undefined;
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
