// The statements that read rows: a page of them (rule P1), and counts.

import type { readCountByOptions } from "../collection/execute/count-by.ts";
import {
  EVERY_ROW,
  UNLIMITED,
  type ParsedQuery,
  type Sort,
  type SortOrder,
} from "../collection/plan/query.ts";
import { tuning } from "../collection/tuning.ts";
import type { ParsedCriteria } from "../criteria/parse.ts";
import { int } from "../schema/declare.ts";
import { type WireValue } from "../schema/field.ts";
import { bindNumbers, bindValue, conditionOf, type Asked, type Writing } from "./condition.ts";
import type { Dialect, Parameter, Statement } from "./dialect.ts";
import { named, namedAll, nameOf, type FieldColumns, type Table } from "./names.ts";
import { selectedOf, type Source } from "./records.ts";
import { SHARD_COLUMNS } from "./shard.ts";

/** Writes a statement, with what is bound in it. */
function written(asked: Asked, write: (writing: Writing) => string): Statement {
  const writing = writingOf(asked, []);
  const text = asked.dialect.query(write(writing));
  return { text, parameters: writing.parameters };
}

function writingOf(asked: Asked, parameters: Parameter[]): Writing {
  const { dialect, texts, table, columnsOf, within } = asked;
  // By name: a copy of whatever members there are takes longer.
  return { dialect, texts, table, columnsOf, within, parameters };
}

export const pageStatement = (source: Source, query: ParsedQuery): Statement =>
  written(source, (writing) => selectPage(source, source.selected, query, writing));

/** What is asked beside rows. */
export interface Asides {
  readonly shard: Table;
  /** The expression for what else the tables are to say of themselves. */
  readonly version?: ((writing: Writing) => string) | undefined;
}

/** A query for rows, before it is a statement. */
export interface Selection {
  readonly source: Asked;
  readonly columns: number;
  /** A column that is not null in any row. */
  readonly marker: number;
  readonly write: (writing: Writing) => string;
}

/**
 * The statement for some rows, and for what the database says of itself: of the same snapshot, wherever the engine has
 * such. There is at least one row, and the rows come in any order. Behind the columns of the selection are those of the
 * shard's table, and the version; they are null in rows of which others say it.
 */
export function statedStatement({ source, columns, write }: Selection, { shard, version }: Asides) {
  const { dialect } = source;
  return written(source, (writing) => {
    // Placeholders stand in the order of their parameters: those of the selection come last.
    const said = [...SHARD_COLUMNS.map(dialect.quote), version?.(writing) ?? "NULL"];
    return dialect.beside(write(writing), columns, shard.name, said);
  });
}

/** A page: the columns of the source, the position as the marker, and the value that it is sorted by, if it is. */
export function selectStatedPage(given: Source, asked: ParsedQuery): Selection {
  const isLate = asked.offset > tuning.fewBefore;
  const source = isLate ? pageAlone(given, asked) : given;
  const query = isLate ? { ...EVERY_ROW, sort: asked.sort } : asked;
  const { selected, columnsOf } = source;
  const marker = selected.length;
  const values = [...selected, named(source.position, marker)];
  // The two methods sort by one field.
  if (query.sort) {
    // A driver that reads texts wrong would have them in another order.
    const sorted = selectedOf({ ...columnsOf(query.sort.field), select: undefined }, source);
    values.push(named(sorted, values.length));
  }
  const write = (writing: Writing) => selectPage(source, values, query, writing);
  return { source, columns: values.length, marker, write };
}

/** The rows of a page by their positions: engines then read those before it from an index, if it has what they need. */
const pageAlone = (source: Source, query: ParsedQuery): Source =>
  within(source, ({ parameters }) => {
    const positions = [named(source.position, 0)];
    const page = selectPage(source, positions, query, writingOf(source, parameters));
    const rows = `SELECT ${nameOf(0)} FROM (${page}) AS positions`;
    return source.dialect.isSelected(source.position, rows);
  });

/** A column that rows are ordered by. */
export interface SortColumn {
  readonly columns: FieldColumns;
  readonly order: SortOrder;
}

/** The columns that the rows of a query are ordered by; the last is the position. */
export function sortColumnsOf(source: Source, { sort }: ParsedQuery): SortColumn[] {
  const last = { field: int(), value: source.position, text: undefined, isNotNull: true };
  return [...sortsOf(source, sort), { columns: last, order: "ASC" }];
}

function sortsOf({ columnsOf }: Asked, sort: Sort | undefined): SortColumn[] {
  const columns: SortColumn[] = [];
  for (let by = sort; by !== undefined; by = by.ties) {
    columns.push({ columns: columnsOf(by.field), order: by.order });
  }
  return columns;
}

/** Where a row is in an order, as one of its columns tells by itself. */
export type Relation = "before" | "at" | "after";

/** The rows of a source for which a condition holds. */
export const within = (source: Source, condition: (writing: Writing) => string): Source => ({
  ...source,
  within: (writing) => {
    const outer = source.within?.(writing);
    const own = condition(writing);
    return outer === undefined ? own : `${outer} AND ${own}`;
  },
});

/** The rows of a source by their relation to a value. */
export const related = (source: Source, column: SortColumn, relation: Relation, value: WireValue) =>
  within(source, (writing) => comparison(column, relation, value, writing));

/** Null is lower than any value. */
function comparison(
  { columns, order }: SortColumn,
  relation: Relation,
  value: WireValue,
  writing: Writing,
): string {
  const { field, value: column } = columns;
  if (relation === "at") {
    return value === null
      ? `${column} IS NULL`
      : `${column} = ${bindValue(value, columns, writing)}`;
  }
  const isLower = (relation === "before") === (order === "ASC");
  if (value === null) return isLower ? "1 = 0" : `${column} IS NOT NULL`;
  const compared = `${orderedOf(columns, writing.dialect)} ${isLower ? "<" : ">"} ${bindValue(value, columns, writing)}`;
  return isLower && field.nullable ? `(${column} IS NULL OR ${compared})` : compared;
}

/** The value of a column in the row at a position, if there is such a row. */
export function selectValueAt(
  source: Source,
  criteria: ParsedCriteria,
  { columns, order }: SortColumn,
  position: number,
): Selection {
  // A constant as the marker: the index of the column may lack the position.
  const selected = namedAll([selectedOf({ ...columns, select: undefined }, source), "1"]);
  const write = (writing: Writing) => {
    const by = orderOf(columns, order, source.dialect);
    return `SELECT ${selected} ${fromWhere(criteria, writing)} ORDER BY ${by} LIMIT 1 OFFSET ${position}`;
  };
  return { source, columns: 2, marker: 1, write };
}

/** How many rows each of some sources has, in one row. */
export function selectCounts(sources: readonly Source[], criteria: ParsedCriteria): Selection {
  const [source] = sources;
  if (source === undefined) throw new RangeError("there is nothing to count");
  const write = ({ parameters }: Writing) => {
    const counts = sources.map((each) => {
      const rows = fromWhere(criteria, writingOf(each, parameters));
      return `(SELECT count(*) ${rows})`;
    });
    return `SELECT ${namedAll(counts)}`;
  };
  return { source, columns: sources.length, marker: 0, write };
}

const orderedOf = ({ field, value, ordered }: FieldColumns, dialect: Dialect) =>
  ordered ?? dialect.ordered(value, field.type);

/** A member of ORDER BY. */
export function orderOf(columns: FieldColumns, order: SortOrder, dialect: Dialect): string {
  const { isNotNull } = columns;
  return dialect.orderBy(orderedOf(columns, dialect), orderedType(columns), order, isNotNull);
}

/** As what values are ordered: those of a type of the engine's own not as texts, but as its numbers are. */
export const orderedType = ({ field, own }: Pick<FieldColumns, "field" | "own">) =>
  own?.isOrdered === true ? "int" : field.type;

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
  const rows = fromWhere(criteria, writing);
  const sorts = sortsOf(writing, sort);
  // P4, P9: ties keep insertion order.
  const order = [...sorts.map((by) => orderOf(by.columns, by.order, writing.dialect)), position];
  // Parsed safe integers, so they can be written as text: drivers differ in how they bind them.
  const isPage = limit < UNLIMITED || offset > 0;
  const page = isPage ? ` LIMIT ${limit}${offset > 0 ? ` OFFSET ${offset}` : ""}` : "";
  return `SELECT ${selected.join(", ")} ${rows} ORDER BY ${order.join(", ")}${page}`;
}

/** The statement whose only row has the number of rows. */
export const countStatement = (source: Asked, criteria: ParsedCriteria): Statement =>
  written(source, (own) => `SELECT ${namedAll(["count(*)"])} ${fromWhere(criteria, own)}`);

/**
 * The statement that has a row for each value: the value, and how many rows have it.
 *
 * @param listing in which order values are, and how many there are at most; default: any order, and all of them
 */
export function valuesStatement(
  source: Asked,
  criteria: ParsedCriteria,
  columns: FieldColumns,
  listing?: ReturnType<typeof readCountByOptions>,
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
    // No integer reaches the end of the highest bin, which drivers may refuse to bind.
    const highest = columns.field.type === "int" ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE;
    const finite = edges.filter((edge) => edge >= -Number.MAX_VALUE && edge <= highest);
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
