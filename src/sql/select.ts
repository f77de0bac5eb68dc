// The statements that ask for rows: a page of them (rule P1), and how many there are of what.

import { UNLIMITED, type ParsedQuery, type SortOrder } from "../collection/plan/query.ts";
import type { ParsedCriteria } from "../criteria/parse.ts";
import { bindNumbers, conditionOf, type Asked, type Writing } from "./condition.ts";
import type { Dialect } from "./dialect.ts";
import { named, namedAll, nameOf, type FieldColumns, type Table } from "./names.ts";
import { selectedOf, type Source } from "./records.ts";
import { SHARD_COLUMNS } from "./shard.ts";
import type { Statement } from "./statement.ts";

/** Writes a statement, with what is bound in it. */
function written(asked: Asked, write: (writing: Writing) => string): Statement {
  const { dialect, texts, table, columnsOf, within } = asked;
  // By name: a copy of whatever members there are takes longer.
  const writing: Writing = { dialect, texts, table, columnsOf, within, parameters: [] };
  const text = dialect.query(write(writing));
  return { text, parameters: writing.parameters };
}

export const pageStatement = (source: Source, query: ParsedQuery): Statement =>
  written(source, (writing) => selectPage(source, source.selected, query, writing));

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
}

/**
 * The statement for a page, and for what the database says of itself: of the same snapshot, wherever the engine has
 * such. There is at least one row, and the rows come in any order.
 */
export function statedStatement(
  source: Source,
  query: ParsedQuery,
  { shard, version }: Asides,
): { readonly statement: Statement; readonly layout: Layout } {
  const { dialect, selected, columnsOf } = source;
  const position = selected.length;
  const values = [...selected, named(source.position, position)];
  if (query.sort) {
    // A driver that reads texts wrong would have them in another order.
    const sorted = selectedOf({ ...columnsOf(query.sort.field), select: undefined }, source);
    values.push(named(sorted, values.length));
  }
  const state = values.length;
  const statement = written(source, (writing) => {
    // Placeholders stand in the order of their parameters: those of the page come last.
    const said = [...SHARD_COLUMNS.map(dialect.quote), version?.(writing) ?? "NULL"];
    const page = selectPage(source, values, query, writing);
    return dialect.beside(page, state, shard.name, said);
  });
  return {
    statement,
    layout: { position, sort: position + 1, state, version: state + SHARD_COLUMNS.length },
  };
}

/** A member of ORDER BY. */
export function orderOf(columns: FieldColumns, order: SortOrder, dialect: Dialect): string {
  const { field, value, isNotNull } = columns;
  const ordered = columns.ordered ?? dialect.ordered(value, field.type);
  return dialect.orderBy(ordered, field.type, order, isNotNull);
}

/** The table, and the WHERE clause of criteria, if there is one. */
function fromWhere(criteria: ParsedCriteria, writing: Writing): string {
  // Placeholders stand in the order of their parameters.
  const scope = writing.within?.(writing);
  const condition = conditionOf(criteria, writing);
  const conditions = [
    ...(scope === undefined ? [] : [scope]),
    ...(condition === true ? [] : [condition === false ? "1 = 0" : condition]),
  ];
  const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  return `FROM ${writing.table}${where}`;
}

function selectPage(
  { position }: Source,
  selected: readonly string[],
  { criteria, sort, offset, limit }: ParsedQuery,
  writing: Writing,
): string {
  const { dialect, columnsOf } = writing;
  const rows = fromWhere(criteria, writing);
  const order: string[] = [];
  for (let by = sort; by !== undefined; by = by.ties) {
    order.push(orderOf(columnsOf(by.field), by.order, dialect));
  }
  // P4, P9: ties keep insertion order.
  order.push(position);
  // Of the compiler's own making, and safe integers: drivers don't agree how these are bound.
  const isPage = limit < UNLIMITED || offset > 0;
  const page = isPage ? ` LIMIT ${limit}${offset > 0 ? ` OFFSET ${offset}` : ""}` : "";
  return `SELECT ${selected.join(", ")} ${rows} ORDER BY ${order.join(", ")}${page}`;
}

/** The statement that has so many rows in its only row. */
export const countStatement = (source: Asked, criteria: ParsedCriteria): Statement =>
  written(source, (own) => `SELECT ${namedAll(["count(*)"])} ${fromWhere(criteria, own)}`);

/** In which order values are, and how many there are at most; in any order, and all of them, unless told. */
export interface Listing {
  readonly order: "value" | "count";
  readonly limit: number;
}

/** The statement that has a row for each value: the value, and how many rows have it. */
export function valuesStatement(
  source: Asked,
  criteria: ParsedCriteria,
  columns: FieldColumns,
  listing?: Listing,
): Statement {
  return written(source, (own) => {
    const count = "count(*)";
    const of = `SELECT ${namedAll([selectedOf(columns, source), count])} ${fromWhere(criteria, own)} GROUP BY ${columns.value}`;
    if (listing === undefined) return of;
    const byValue = orderOf(columns, "ASC", source.dialect);
    const order = listing.order === "count" ? `${count} DESC, ${byValue}` : byValue;
    const limit = Number.isFinite(listing.limit) ? ` LIMIT ${listing.limit}` : "";
    return `${of} ORDER BY ${order}${limit}`;
  });
}

const extremesOf = ({ value, select = (each) => each }: FieldColumns, { extreme }: Dialect) =>
  (["min", "max"] as const).map((which) => select(extreme(which, value)));

/** The statement that has the lowest and the highest value of all rows in its only row. */
export const extremesStatement = (source: Asked, columns: FieldColumns): Statement =>
  written(
    source,
    () => `SELECT ${namedAll(extremesOf(columns, source.dialect))} FROM ${source.table}`,
  );

/**
 * The statement that has a row for each range between edges with values in it: how many edges are not above these
 * values, or `null` for rows without one; how many rows; and the lowest and the highest value of all rows.
 */
export function rangesStatement(
  source: Asked,
  criteria: ParsedCriteria,
  columns: FieldColumns,
  edges: readonly number[],
): Statement {
  return written(source, (own) => {
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
    const ranges = `SELECT ${namedAll([range])} ${fromWhere(criteria, own)}`;
    const extremes = extremesOf(columns, source.dialect).map(
      (value) => `(SELECT ${value} FROM ${source.table})`,
    );
    return `SELECT ${nameOf(0)}, ${namedAll(["count(*)", ...extremes], 1)} FROM (${ranges}) AS ranges GROUP BY ${nameOf(0)}`;
  });
}
