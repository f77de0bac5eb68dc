// The names of result columns, and how queries refer to the columns of tables beside them.

import type { Dialect } from "./dialect.ts";

/** The names of result columns, in order: short, and in lower case. */
export const nameOf = (place: number) => `tercet_${place}`;

/**
 * How a query refers to a column of a table: a result column would hide one of its name, in any case, that is not
 * qualified.
 *
 * @param table in quotes
 */
export const columnIn = (table: string, column: string, { quoteColumn }: Dialect) =>
  /^tercet_\d+$/i.test(column) ? `${table}.${quoteColumn(column)}` : quoteColumn(column);

/** A selected value. */
export const named = (value: string, place: number) => `${value} AS ${nameOf(place)}`;

/** @param from the number of the first */
export const namedAll = (values: readonly string[], from = 0): string =>
  values.map((value, i) => named(value, from + i)).join(", ");
