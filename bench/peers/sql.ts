// What the SQL peers have in common.

import type { BenchQuery } from "../queries.ts";

/**
 * @param from the selected columns, and their table
 * @param conditions all must hold
 * @param order none: as the peer stores its rows
 * @returns a statement whose last parameter is the offset, if it has a limit
 */
export function selectOf(
  from: string,
  conditions: readonly string[],
  order: readonly string[],
  { limit }: Pick<BenchQuery, "limit">,
): string {
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const orderBy = order.length === 0 ? "" : `ORDER BY ${order.join(", ")}`;
  const page = limit === Infinity ? "" : `LIMIT ${limit} OFFSET ?`;
  return `SELECT ${from} ${where} ${orderBy} ${page}`;
}
