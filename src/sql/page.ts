// The statement for a page of a query: filter, sort, skip, take (rule P1).

import { UNLIMITED, type ParsedQuery } from "../collection/plan/query.ts";
import { conditionOf, type Writing } from "./condition.ts";
import type { Statement } from "./statement.ts";

export interface PageSource {
  /** In quotes. */
  readonly table: string;
  readonly position: string;
  /** What is selected of each row. */
  readonly selected: readonly string[];
  /** Which rows of the table are asked at all; every one, unless told. */
  readonly within?: (writing: Writing) => string;
}

export function pageStatement(
  { table, position, selected, within }: PageSource,
  { criteria, sort, offset, limit }: ParsedQuery,
  { dialect, columnsOf }: Omit<Writing, "parameters">,
): Statement {
  const writing: Writing = { dialect, columnsOf, parameters: [] };
  // Placeholders stand in the order of their parameters.
  const scope = within?.(writing);
  const condition = conditionOf(criteria, writing);
  const conditions = [
    ...(scope === undefined ? [] : [scope]),
    ...(condition === true ? [] : [condition === false ? "1 = 0" : condition]),
  ];
  const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  const order: string[] = [];
  if (sort !== undefined) {
    const { field, value } = columnsOf(sort.field);
    order.push(dialect.orderBy(value, field.type, sort.order));
  }
  // P4: ties keep insertion order.
  order.push(position);
  // Of the compiler's own making, and safe integers: drivers don't agree how these are bound.
  const isPage = limit < UNLIMITED || offset > 0;
  const page = isPage ? ` LIMIT ${limit}${offset > 0 ? ` OFFSET ${offset}` : ""}` : "";
  const text = `SELECT ${selected.join(", ")} FROM ${table}${where} ORDER BY ${order.join(", ")}${page}`;
  return { text: dialect.query(text), parameters: writing.parameters };
}
