// The statements that read rows: a page of them (rule P1), and counts.

import { compareValues, type readCountByOptions } from "../collection/execute/count-by.ts";
import {
  EVERY_ROW,
  UNLIMITED,
  type ParsedQuery,
  type Sort,
  type SortOrder,
} from "../collection/plan/query.ts";
import { tuning } from "../collection/tuning.ts";
import type { ParsedCriteria } from "../criteria/parse.ts";
import type { FieldType, WireValue } from "../schema/field.ts";
import { bindNumbers, conditionOf, type Asked, type Writing } from "./condition.ts";
import type { Dialect, Parameter, Statement } from "./dialect.ts";
import { named, namedAll, nameOf, type FieldColumns } from "./names.ts";
import { selectedOf, type Source } from "./records.ts";

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

/**
 * The statement for a page of a table that has a position. Far from the start, the rows of the page are looked up by
 * their positions.
 */
export const deepPageStatement = (source: Source, query: ParsedQuery): Statement =>
  pageStatement(...lookedUpLate(source, query));

/** A page, and a value beside it. */
export interface StatedPage {
  readonly statement: Statement;
  /** How many values a row of its result has. */
  readonly columns: number;
  /** The rows of the page in their order, from those of the result; and the value, `null` where there is none. */
  readonly read: (result: readonly (readonly WireValue[])[]) => {
    readonly rows: readonly (readonly WireValue[])[];
    readonly stated: WireValue;
  };
}

/**
 * The statement for a page as {@link deepPageStatement} has it, and for a value of another table: of the same snapshot,
 * wherever the engine has such. Its rows come in any order, so each has its position, and what it is sorted by.
 */
export function statedPage(
  given: Source,
  query: ParsedQuery,
  write: (writing: Writing) => string,
): StatedPage {
  const [source, late] = lookedUpLate(given, query);
  // The service sorts by one field.
  const { sort } = query;
  const marker = source.selected.length;
  const selected = [...source.selected, named(source.position, marker)];
  if (sort) {
    // A driver that reads texts wrong would have them in another order.
    const sorted = selectedOf({ ...source.columnsOf(sort.field), select: undefined }, source);
    selected.push(named(sorted, selected.length));
  }
  const place = selected.length;
  const statement = written(source, (writing) => {
    // Placeholders stand in the order of their parameters: those of the page come last.
    const stated = write(writing);
    return source.dialect.beside(selectPage(source, selected, late, writing), place, stated);
  });
  const type = sort && source.columnsOf(sort.field).field.type;
  return {
    statement,
    columns: place + 1,
    read: (result) => ({
      rows: result
        .filter((values) => values[marker] !== null)
        // What came in order takes one comparison a row.
        .sort(comparer(marker, type, sort?.order)),
      stated: result.find((values) => values[place] !== null)?.[place] ?? null,
    }),
  };
}

function comparer(marker: number, type: FieldType | undefined, order: SortOrder | undefined) {
  const sign = order === "ASC" ? 1 : -1;
  return (a: readonly WireValue[], b: readonly WireValue[]): number => {
    if (type !== undefined) {
      const [x = null, y = null] = [a[marker + 1], b[marker + 1]];
      const difference = x === y ? 0 : compareValues(type, x, y);
      if (difference !== 0) return sign * difference;
    }
    return Number(a[marker]) - Number(b[marker]);
  };
}

/** What to ask for a page: where it is far from the start, all of the rows that have its positions. */
function lookedUpLate(source: Source, query: ParsedQuery): [source: Source, query: ParsedQuery] {
  if (query.offset <= tuning.fewBefore) return [source, query];
  return [pageAlone(source, query), { ...EVERY_ROW, sort: query.sort }];
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
