// The order of records as rules P3 and P4 say it, in the plainest way: what tests sort by to compare.

import { compareCodePoints } from "../src/schema/order.ts";
import type { Schema } from "../src/index.ts";

type Plain = Readonly<Record<string, string | null>>;

/** Compares records in wire form by a field. */
export function plainOrder(schema: Schema, sortBy: string, sortOrder: "ASC" | "DESC") {
  const isInt = schema.fields[sortBy]?.type === "int";
  const sign = sortOrder === "ASC" ? 1 : -1;
  return (a: Plain, b: Plain): number => {
    const [x, y] = [a[sortBy] ?? null, b[sortBy] ?? null];
    if (x === null || y === null) return sign * (Number(x !== null) - Number(y !== null));
    return sign * (isInt ? Number(x) - Number(y) : compareCodePoints(x, y));
  };
}
