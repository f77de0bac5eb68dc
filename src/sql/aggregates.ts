// Statements that count rows, and what they have in a field.

import type { ParsedQuery } from "../collection/plan/query.ts";
import { bindNumbers, type Writing } from "./condition.ts";
import type { Dialect } from "./dialect.ts";
import { nameOf, type FieldColumns } from "./names.ts";
import { orderOf, whereOf } from "./page.ts";
import type { Statement } from "./statement.ts";

/** What is counted: the rows of a table that criteria select. */
interface Counted {
  /** In quotes. */
  readonly table: string;
  readonly criteria: ParsedQuery["criteria"];
  readonly writing: Omit<Writing, "parameters">;
}

/** The statement that has so many rows in its only row. */
export function countStatement({ table, criteria, writing }: Counted): Statement {
  return written(writing, (own) => {
    return `SELECT count(*) AS ${nameOf(0)} FROM ${table}${whereOf(criteria, own)}`;
  });
}

/** In which order values are, and how many there are at most; in any order, and all of them, unless told. */
export interface Listing {
  readonly order: "value" | "count";
  readonly limit: number;
}

/**
 * The statement that has a row for each value: the value, and how many rows have it.
 *
 * @param selected the value as it is selected
 */
export function valuesStatement(
  { table, criteria, writing }: Counted,
  columns: FieldColumns,
  selected: string,
  listing?: Listing,
): Statement {
  return written(writing, (own) => {
    const where = whereOf(criteria, own);
    const count = "count(*)";
    const of = `SELECT ${selected} AS ${nameOf(0)}, ${count} AS ${nameOf(1)} FROM ${table}${where} GROUP BY ${columns.value}`;
    if (listing === undefined) return of;
    const byValue = orderOf(columns, "ASC", writing.dialect);
    const order = listing.order === "count" ? `${count} DESC, ${byValue}` : byValue;
    const limit = Number.isFinite(listing.limit) ? ` LIMIT ${listing.limit}` : "";
    return `${of} ORDER BY ${order}${limit}`;
  });
}

const extremesOf = ({ value, select = (each) => each }: FieldColumns, { extreme }: Dialect) =>
  (["min", "max"] as const).map((which) => select(extreme(which, value)));

/** The statement that has the lowest and the highest value of all rows in its only row. */
export function extremesStatement(
  { table, writing }: Omit<Counted, "criteria">,
  columns: FieldColumns,
): Statement {
  const [low, high] = extremesOf(columns, writing.dialect);
  return written(
    writing,
    () => `SELECT ${low} AS ${nameOf(0)}, ${high} AS ${nameOf(1)} FROM ${table}`,
  );
}

/**
 * The statement that has a row for each range between edges with values in it: how many edges are not above these
 * values, or `null` for rows without one; how many rows; and the lowest and the highest value of all rows.
 */
export function rangesStatement(
  { table, criteria, writing }: Counted,
  columns: FieldColumns,
  edges: readonly number[],
): Statement {
  return written(writing, (own) => {
    const finite = edges.filter((edge) => Number.isFinite(edge));
    // A search by halves: each value is compared with few edges, and exactly as the predicate does.
    const search = (from: number, to: number): string => {
      if (from === to) return String(from);
      const half = (from + to) >>> 1;
      const edge = bindNumbers(finite[half] ?? 0, columns, own);
      const below = search(from, half);
      return `CASE WHEN ${columns.value} < ${edge} THEN ${below} ELSE ${search(half + 1, to)} END`;
    };
    const range = `CASE WHEN ${columns.value} IS NOT NULL THEN ${search(0, finite.length)} END`;
    const where = whereOf(criteria, own);
    const [low, high] = extremesOf(columns, writing.dialect).map(
      (value) => `(SELECT ${value} FROM ${table})`,
    );
    return `SELECT ${nameOf(0)}, count(*) AS ${nameOf(1)}, ${low} AS ${nameOf(2)}, ${high} AS ${nameOf(3)} FROM (SELECT ${range} AS ${nameOf(0)} FROM ${table}${where}) AS ranges GROUP BY ${nameOf(0)}`;
  });
}

function written(
  { dialect, columnsOf }: Omit<Writing, "parameters">,
  write: (writing: Writing) => string,
): Statement {
  const writing: Writing = { dialect, columnsOf, parameters: [] };
  const text = dialect.query(write(writing));
  return { text, parameters: writing.parameters };
}
