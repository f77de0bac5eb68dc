// The statement for a page of a query: filter, sort, skip, take (rule P1).

import { UNLIMITED, type ParsedQuery, type SortOrder } from "../collection/plan/query.ts";
import type { ParsedCriteria } from "../criteria/parse.ts";
import { conditionOf, type Writing } from "./condition.ts";
import type { Dialect } from "./dialect.ts";
import { nameOf, type FieldColumns, type Table } from "./names.ts";
import { inForm, type TextForm } from "./records.ts";
import { SHARD_COLUMNS } from "./shard.ts";
import type { Statement } from "./statement.ts";

export interface PageSource {
  /** In quotes. */
  readonly table: string;
  /** The column that tells the order of insertion; or, of a table that has none, several members of ORDER BY. */
  readonly position: string;
  /** What is selected of each row. */
  readonly selected: readonly string[];
  /** Which rows of the table are asked at all; every one, unless told. */
  readonly within?: (writing: Writing) => string;
}

export function pageStatement(
  source: PageSource,
  query: ParsedQuery,
  { dialect, columnsOf }: Omit<Writing, "parameters">,
): Statement {
  const writing: Writing = { dialect, columnsOf, parameters: [] };
  const text = dialect.query(selectPage(source, query, writing));
  return { text, parameters: writing.parameters };
}

/** What is asked beside a page. */
export interface Asides {
  readonly shard: Table;
  /** The expression for what else the tables are to say of themselves. */
  readonly version?: ((writing: Writing) => string) | undefined;
}

/** Where the values stand in the rows of a {@link statedStatement}. */
export interface Layout {
  /** The position of a row; `null` in one that is none of the page. */
  readonly position: number;
  /** The value that the page is sorted by, where it is: the two methods sort by one field. */
  readonly sort: number;
  /** The columns of a shard's table, and the version; `null` in rows of which others say it. */
  readonly state: number;
  readonly version: number;
  readonly columns: number;
}

/**
 * The statement for a page, and for what the database says of itself: of the same snapshot, wherever the engine has
 * such. There is at least one row, and the rows come in any order.
 */
export function statedStatement(
  source: PageSource,
  query: ParsedQuery,
  { dialect, columnsOf, texts }: Omit<Writing, "parameters"> & { readonly texts: TextForm },
  { shard, version }: Asides,
): { readonly statement: Statement; readonly layout: Layout } {
  const writing: Writing = { dialect, columnsOf, parameters: [] };
  const { position, selected } = source;
  const sorted = query.sort && columnsOf(query.sort.field);
  const values = [
    ...selected,
    named(position, selected.length),
    // A driver that reads texts wrong would have them in another order.
    ...(sorted
      ? [named(inForm(sorted.value, sorted.field.type, dialect, texts), selected.length + 1)]
      : []),
  ];
  const state = values.length;
  // Placeholders stand in the order of their parameters: those of the page come last.
  const said = [...SHARD_COLUMNS.map(dialect.quote), version?.(writing) ?? "NULL"].map((value, i) =>
    named(value, state + i),
  );
  const page = selectPage({ ...source, selected: values }, query, writing);
  const text = dialect.query(dialect.beside(page, state, shard.name, said));
  return {
    statement: { text, parameters: writing.parameters },
    layout: {
      position: selected.length,
      sort: selected.length + 1,
      state,
      version: state + SHARD_COLUMNS.length,
      columns: state + said.length,
    },
  };
}

const named = (value: string, place: number) => `${value} AS ${nameOf(place)}`;

/** A member of ORDER BY. */
export function orderOf(columns: FieldColumns, order: SortOrder, dialect: Dialect): string {
  const { field, value, isNotNull } = columns;
  const ordered = columns.ordered ?? dialect.ordered(value, field.type);
  return dialect.orderBy(ordered, field.type, order, isNotNull);
}

/** The WHERE clause of criteria, if there is one. */
export function whereOf(
  criteria: ParsedCriteria,
  writing: Writing,
  within?: PageSource["within"],
): string {
  // Placeholders stand in the order of their parameters.
  const scope = within?.(writing);
  const condition = conditionOf(criteria, writing);
  const conditions = [
    ...(scope === undefined ? [] : [scope]),
    ...(condition === true ? [] : [condition === false ? "1 = 0" : condition]),
  ];
  return conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
}

function selectPage(
  { table, position, selected, within }: PageSource,
  { criteria, sort, offset, limit }: ParsedQuery,
  writing: Writing,
): string {
  const { dialect, columnsOf } = writing;
  const where = whereOf(criteria, writing, within);
  const order: string[] = [];
  for (let by = sort; by !== undefined; by = by.ties) {
    order.push(orderOf(columnsOf(by.field), by.order, dialect));
  }
  // P4, P9: ties keep insertion order.
  order.push(position);
  // Of the compiler's own making, and safe integers: drivers don't agree how these are bound.
  const isPage = limit < UNLIMITED || offset > 0;
  const page = isPage ? ` LIMIT ${limit}${offset > 0 ? ` OFFSET ${offset}` : ""}` : "";
  return `SELECT ${selected.join(", ")} FROM ${table}${where} ORDER BY ${order.join(", ")}${page}`;
}
