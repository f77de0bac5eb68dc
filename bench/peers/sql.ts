// What the SQL peers have in common.

import type { BenchQuery } from "../queries.ts";
import type { Counted } from "./counting.ts";

/**
 * @param from the selected columns, and their table
 * @param conditions all must hold
 * @param order none: as the peer stores its rows
 */
export function selectOf(
  from: string,
  conditions: readonly string[],
  order: readonly string[],
  { offset, limit }: Pick<BenchQuery, "offset" | "limit">,
): string {
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const orderBy = order.length === 0 ? "" : `ORDER BY ${order.join(", ")}`;
  const page = limit === Infinity ? "" : `LIMIT ${limit} OFFSET ${offset}`;
  return `SELECT ${from} ${where} ${orderBy} ${page}`;
}

/** @param divided the operator that divides integers */
export function countingSql({ field, bins }: Counted, divided: string, inRange: boolean): string {
  const key =
    bins === undefined
      ? field
      : `CASE WHEN ${field} < ${bins.from} THEN -1 ELSE (${field} - ${bins.from}) ${divided} ${bins.width} END`;
  const where = inRange ? "WHERE send_time BETWEEN ? AND ?" : "";
  return `SELECT ${key} AS key, count(*) AS count FROM contacts ${where} GROUP BY 1`;
}
