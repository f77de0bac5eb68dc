// The statements that read rows: pages (rule P1), and counts.

import type { Listing } from "../engine/execution/count-by.ts";
import { compareSortValues, sortValueOf } from "../engine/execution/value-groups.ts";
import {
  EVERY_ROW,
  UNLIMITED,
  type ParsedQuery,
  type Sort,
  type SortOrder,
} from "../engine/query.ts";
import { tuning } from "../engine/tuning.ts";
import type { ParsedCriteria } from "../criteria/tree.ts";
import type { Field, TextValue } from "../schema/field.ts";
import { bindNumbers, conditionOf, type Asked, type Condition, type Writing } from "./condition.ts";
import type { Dialect, Parameter, Statement, StoredType } from "./dialect.ts";
import { named, namedAll, nameOf } from "./result-columns.ts";
import { orderedOf, type FieldColumns } from "./columns.ts";
import { RowError, selectedOf, type Source } from "./records.ts";

/** Writes a statement and its parameters. */
export function written(asked: Asked, write: (writing: Writing) => string): Statement {
  const writing = writingOf(asked, []);
  const text = asked.dialect.query(write(writing));
  return { text, parameters: writing.parameters };
}

function writingOf(asked: Asked, parameters: Parameter[]): Writing {
  const { dialect, texts, table, columnsOf, conditions, within } = asked;
  // Copied by name, which is faster than a spread.
  return { dialect, texts, table, columnsOf, conditions, within, parameters };
}

export const pageStatement = (source: Source, query: ParsedQuery): Statement =>
  written(source, (writing) => selectPage(source, source.selected, query, writing));

/**
 * The statement for a page of a table with positions. Far from the start, the rows of the page are looked up by their
 * positions.
 */
export const deepPageStatement = (source: Source, query: ParsedQuery): Statement =>
  pageStatement(...lookedUpLate(source, query));

/** A page, and one additional value. */
export interface PageWithValue {
  readonly statement: Statement;
  /** How many values a row of its result has. */
  readonly columns: number;
  /** The rows of the page, in order, and the value, or `null`. */
  readonly read: (result: readonly (readonly TextValue[])[]) => {
    readonly rows: readonly (readonly TextValue[])[];
    readonly value: TextValue;
  };
}

/**
 * Like {@link deepPageStatement}, with a value of another table, read in one snapshot if the engine has them. The rows
 * come in any order, so each has its position and sort values.
 */
export function pageWithValue(
  given: Source,
  query: ParsedQuery,
  write: (writing: Writing) => string,
): PageWithValue {
  const [source, late] = lookedUpLate(given, query);
  // The service sorts by one field.
  const { sort } = query;
  const marker = source.selected.length;
  const selected = [...source.selected, named(source.position, marker)];
  if (sort) {
    // A driver that decodes strings wrongly would sort them differently.
    const sorted = selectedOf({ ...source.columnsOf(sort.field), select: undefined }, source);
    selected.push(named(sorted, selected.length));
  }
  const place = selected.length;
  const statement = written(source, (writing) => {
    // Placeholders are in the order of their parameters: those of the page come last.
    const value = write(writing);
    return source.dialect.withValue(selectPage(source, selected, late, writing), place, value);
  });
  const type = sort && source.columnsOf(sort.field).field.type;
  return {
    statement,
    columns: place + 1,
    read: (result) => ({
      rows: result
        .filter((values) => values[marker] !== null)
        // Rows that are already in order take one comparison each.
        .sort(comparer(marker, type, sort?.order)),
      value: result.find((values) => values[place] !== null)?.[place] ?? null,
    }),
  };
}

function comparer(marker: number, type: StoredType | undefined, order: SortOrder | undefined) {
  const sign = order === "ASC" ? 1 : -1;
  return (a: readonly TextValue[], b: readonly TextValue[]): number => {
    if (type !== undefined) {
      const [x = null, y = null] = [a[marker + 1], b[marker + 1]];
      const difference = compareSortValues(sortValueOf(type, x), sortValueOf(type, y));
      if (difference !== 0) return sign * difference;
    }
    return Number(a[marker]) - Number(b[marker]);
  };
}

/** The query for a page; far from the start, by positions. */
function lookedUpLate(source: Source, query: ParsedQuery): [source: Source, query: ParsedQuery] {
  if (query.offset <= tuning.fewBefore) return [source, query];
  return [pageAlone(source, query), { ...EVERY_ROW, sort: query.sort }];
}

/**
 * The rows of a page by their positions: engines then skip the rows before it in an index, if there is a suitable one.
 */
const pageAlone = (source: Source, query: ParsedQuery): Source =>
  within(source, ({ parameters }) => {
    const positions = [named(source.position, 0)];
    const page = selectPage(source, positions, query, writingOf(source, parameters));
    const rows = `SELECT ${nameOf(0)} FROM (${page}) AS positions`;
    return source.dialect.isSelected(source.position, rows);
  });

/** A column that rows are ordered by. */
interface SortColumn {
  readonly columns: FieldColumns;
  readonly order: SortOrder;
}

function sortsOf({ columnsOf }: Asked, sort: Sort | undefined): SortColumn[] {
  const columns: SortColumn[] = [];
  for (let by = sort; by !== undefined; by = by.ties) {
    columns.push({ columns: columnsOf(by.field), order: by.order });
  }
  return columns;
}

/** The rows of a source for which a condition holds. */
const within = (source: Source, condition: (writing: Writing) => string): Source => ({
  ...source,
  within: (writing) => {
    const outer = source.within?.(writing);
    const own = condition(writing);
    return outer === undefined ? own : `${outer} AND ${own}`;
  },
});

/** An ORDER BY item. */
export function orderOf(columns: FieldColumns, order: SortOrder, dialect: Dialect): string {
  const { isNotNull } = columns;
  return dialect.orderBy(orderedOf(columns, dialect), orderedType(columns), order, isNotNull);
}

/** The type by which values are ordered: engine-specific types like numbers, not as strings. */
export const orderedType = ({ field, own }: Pick<FieldColumns, "field" | "own">) =>
  own?.isOrdered === true ? "int" : field.type;

/**
 * The table, and the WHERE clause of criteria, if there is one.
 *
 * @param and an additional condition
 */
export function fromWhere(
  criteria: ParsedCriteria,
  writing: Writing,
  and: (writing: Writing) => Condition = () => true,
): string {
  // Placeholders are in the order of their parameters.
  const scope = writing.within?.(writing) ?? true;
  const conditions = [scope, and(writing), conditionOf(criteria, writing)]
    .filter((condition) => condition !== true)
    .map((condition) => (condition === false ? "1 = 0" : condition));
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
  // Parsed safe integers, so they can be part of the text: drivers differ in how they bind them.
  const isPage = limit < UNLIMITED || offset > 0;
  const page = isPage ? ` LIMIT ${limit}${offset > 0 ? ` OFFSET ${offset}` : ""}` : "";
  return `SELECT ${selected.join(", ")} ${rows} ORDER BY ${order.join(", ")}${page}`;
}

/** The statement that returns the number of rows, in a single row. */
export const countStatement = (source: Asked, criteria: ParsedCriteria): Statement =>
  written(source, (own) => `SELECT ${namedAll(["count(*)"])} ${fromWhere(criteria, own)}`);

/** The longest prefix that every engine accepts; no string is longer. */
export const LONGEST_PREFIX = 2 ** 31 - 1;

/** How values are grouped. */
interface GroupedBy {
  /** How many first characters to group by, if the engine supports it. Default: the whole value. */
  readonly prefix?: number | undefined;
  /** Another field to group by, whose numbers are in a third column. */
  readonly summarized?: FieldColumns | undefined;
  /** The order of values, and their maximum number. Default: all, in any order. */
  readonly listing?: Listing | undefined;
}

/** The statement with one row per value: the value, and how many rows have it. */
export function valuesStatement(
  source: Asked,
  criteria: ParsedCriteria,
  columns: FieldColumns,
  { prefix, summarized, listing }: GroupedBy = {},
): Statement {
  const { dialect } = source;
  // The client truncates values of engine-specific types: only complete values can be checked.
  const isCut = prefix !== undefined && columns.own === undefined;
  const value = isCut
    ? dialect.start(columns.value, Math.min(prefix, LONGEST_PREFIX))
    : columns.value;
  const by = [{ ...columns, value }, ...(summarized === undefined ? [] : [summarized])];
  return written(source, (own) => {
    const count = "count(*)";
    // Grouped by names: MariaDB may refuse to select an expression although it is grouped by the same one.
    const values = by.map((each, i) => ({ ...each, value: nameOf(NUMBER + i) }));
    const rows = by.map((each, i) => named(each.value, NUMBER + i)).join(", ");
    const [first = "", ...others] = values.map((each) => selectedOf(each, source));
    const groups = values.map((each) => each.value).join(", ");
    const of = `SELECT ${namedAll([first, count, ...others])} FROM (SELECT ${rows} ${fromWhere(criteria, own)}) AS counted GROUP BY ${groups}`;
    if (listing === undefined) return of;
    const direction = listing.ascending ? "ASC" : "DESC";
    const { own: form, isNotNull } = columns;
    const [name = ""] = values.map((each) => each.value);
    const sorted = form?.isOrdered === false ? form.text(name) : name;
    const ordered = form?.isOrdered === true ? name : dialect.ordered(sorted, columns.field.type);
    const byValue = (order: SortOrder) =>
      dialect.orderBy(ordered, orderedType(columns), order, isNotNull);
    const order =
      listing.order === "count" ? `${count} ${direction}, ${byValue("ASC")}` : byValue(direction);
    const limit = Number.isFinite(listing.limit) ? ` LIMIT ${listing.limit}` : "";
    return `${of} ORDER BY ${order}${limit}`;
  });
}

/** The statement that returns the number of rows, of rows with a value, and of distinct values, in a single row. */
export const distinctStatement = (
  source: Asked,
  criteria: ParsedCriteria,
  { value }: FieldColumns,
): Statement =>
  written(source, (own) => {
    const counts = ["count(*)", `count(${value})`, `count(DISTINCT ${value})`];
    return `SELECT ${namedAll(counts)} ${fromWhere(criteria, own)}`;
  });

const extremesOf = ({ value, select = (each) => each }: FieldColumns, { extreme }: Dialect) =>
  (["min", "max"] as const).map((which) => select(extreme(which, value)));

/** The statement that returns the lowest and the highest value of each field, in a single row. Default: of all rows. */
export const extremesStatement = (
  source: Asked,
  fields: readonly FieldColumns[],
  { criteria }: Pick<ParsedQuery, "criteria"> = EVERY_ROW,
): Statement =>
  written(source, (own) => {
    const extremes = fields.flatMap((columns) => extremesOf(columns, source.dialect));
    return `SELECT ${namedAll(extremes)} ${fromWhere(criteria, own)}`;
  });

/**
 * The statement with one row for each range between edges that contains values: how many edges are not above these
 * values, `null` for rows without a value, or {@link FAULTY}; how many rows; and the lowest and highest value of all
 * rows.
 *
 * @param summarized adds a row for each distinct number of this field in a range, in a last column
 */
export function rangesStatement(
  source: Asked,
  criteria: ParsedCriteria,
  columns: FieldColumns,
  edges: readonly number[],
  summarized?: FieldColumns,
): Statement {
  return written(source, (own) => {
    const range = rangeAmong(edges, columns, own);
    const numbers = summarized === undefined ? [] : [named(summarized.value, NUMBER)];
    const ranges = `SELECT ${[named(range, 0), ...numbers].join(", ")} ${fromWhere(criteria, own)}`;
    const extremes = extremesOf(columns, source.dialect).map(
      (value) => `(SELECT ${value} FROM ${source.table})`,
    );
    const number = summarized && selectedOf({ ...summarized, value: nameOf(NUMBER) }, source);
    const selected = ["count(*)", ...extremes, ...(number === undefined ? [] : [number])];
    const groups = [nameOf(0), ...numbers.map(() => nameOf(NUMBER))].join(", ");
    return `SELECT ${nameOf(0)}, ${namedAll(selected, 1)} FROM (${ranges}) AS ranges GROUP BY ${groups}`;
  });
}

/**
 * How many edges are not above a value, not counting those that no value of the field could reach; `null` for null, or
 * {@link FAULTY}.
 */
export function rangeAmong(
  edges: readonly number[],
  columns: FieldColumns,
  writing: Writing,
): string {
  const { field, value, fault } = columns;
  // Drivers may not be able to bind others, such as the end of the highest bin, which no integer reaches.
  const reached = edges.filter(isReachedBy(field));
  // A binary search, so that each value is compared with few edges, exactly as by the predicate.
  const search = (from: number, to: number): string => {
    if (from === to) return String(from);
    const half = (from + to) >>> 1;
    const own = reached[half] ?? 0;
    const edge = bindNumbers(field.type === "int" ? Math.ceil(own) + 0 : own, columns, writing);
    const below = search(from, half);
    return `CASE WHEN ${value} < ${edge} THEN ${below} ELSE ${search(half + 1, to)} END`;
  };
  // NaN, for example, is above all edges, or below them, depending on the engine.
  const faulty = fault === undefined ? "" : `WHEN ${fault} THEN ${FAULTY} `;
  return `CASE ${faulty}WHEN ${value} IS NOT NULL THEN ${search(0, reached.length)} END`;
}

/** Whether a value of a field can be as far from zero as an edge. */
export function isReachedBy({ type }: Pick<FieldColumns["field"], "type">) {
  const most = type === "int" ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE;
  return (edge: number): boolean => Math.abs(edge) <= most;
}

/** The range of values that the field can't have. */
const FAULTY = -1;

/** Reads what {@link rangeAmong} finds. @throws RowError if the field can't have the value */
export function readRange(
  name: string,
  { type, nullable }: Pick<Field, "type" | "nullable">,
  found: TextValue,
): number | null {
  if (found !== null && Number(found) !== FAULTY) return Number(found);
  if (found === null && nullable) return null;
  throw new RowError(
    `the column of ${name} has values that the ${type} field can't have; checkTable says which`,
  );
}

/** The index for the names of the numbers, which no result column uses. */
const NUMBER = 9;
