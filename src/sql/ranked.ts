// Queries on the buckets of a column: which value is at a position, and how many rows precede a value.
// Each reads the table of buckets, and the keys of one bucket.

import type { ParsedQuery } from "../collection/plan/query.ts";
import { bindValue, type Writing } from "./condition.ts";
import { namedAll, type FieldColumns } from "./names.ts";
import type { Ranks } from "./ranks.ts";
import { selectedOf, type Source } from "./records.ts";
import { sortColumnsOf, type Selection, type SortColumn } from "./select.ts";

/** A range of keys, without its ends; `undefined`: to the first or the last of all. */
export interface KeyRange {
  readonly low: string | undefined;
  readonly high: string | undefined;
}

/** The buckets that say how many rows of a source precede a value of a column. */
export interface Ranked extends Ranks {
  /** What the rows of the source are in, as {@link Ranks.scope} says. */
  readonly scopeOf: (writing: Writing) => string;
}

/** Those of the first column of a query's order; `undefined` if it has none, or criteria select some of the rows. */
export function rankedBy(source: Source, query: ParsedQuery): Ranked | undefined {
  const { ranks } = source;
  const isEvery = query.criteria.groups.some(({ length }) => length === 0);
  if (ranks === undefined || !isEvery) return undefined;
  const [first] = sortColumnsOf(source, query);
  const found = first && ranks.of.get(first.columns.value);
  return found && { ...found, scopeOf: ranks.scopeOf };
}

/** The value at a position of a range, in the order of the column, or one that at most a bucket's rows before it have. */
export function selectRankedValue(
  source: Source,
  ranked: Ranked,
  { columns, order }: SortColumn,
  range: KeyRange,
  position: number,
): Selection {
  const isUp = order === "ASC";
  const start = { ...columns, value: isUp ? "start" : "following", select: undefined };
  const selected = namedAll([selectedOf(start, source), "1"]);
  const write = (writing: Writing) => {
    const { scope, below, upTo } = numbersIn(ranked, columns, writing);
    const place = isUp
      ? `${upTo(range.low)} + ${position}`
      : `${below(range.high)} - 1 - ${position}`;
    const buckets = `SELECT start, lead(start) OVER own AS following, sum(held) OVER own - held AS before, held FROM ${ranked.name} WHERE scope = ${scope} WINDOW own AS (ORDER BY start)`;
    return `SELECT ${selected} FROM (${buckets}) AS buckets WHERE before <= ${place} AND before + held > ${place}${isUp ? "" : " AND following IS NOT NULL"}`;
  };
  return { source, columns: 2, marker: 1, write };
}

/** How many rows of a range come before a value, are at it, and come after it. */
export function selectRankedCounts(
  source: Source,
  ranked: Ranked,
  { columns, order }: SortColumn,
  { low, high }: KeyRange,
  value: string,
): Selection {
  const write = (writing: Writing) => {
    const { below, upTo } = numbersIn(ranked, columns, writing);
    const lower = `${below(value)} - ${upTo(low)}`;
    const higher = `${below(high)} - ${upTo(value)}`;
    const counts = [lower, `${upTo(value)} - ${below(value)}`, higher];
    return `SELECT ${namedAll(order === "ASC" ? counts : counts.reverse())}`;
  };
  return { source, columns: 3, marker: 0, write };
}

/** What stands for the number of rows whose keys are lower than a value, or at most it. */
function numbersIn(ranked: Ranked, columns: FieldColumns, writing: Writing) {
  const { name, key } = ranked;
  const { table } = writing;
  const scope = ranked.scopeOf(writing);
  const rows = ranked.scope === undefined ? table : `${table} WHERE ${ranked.scope} = ${scope}`;
  const number = (value: string, comparison: "<" | "<=") => {
    const bound = bindValue(value, columns, writing);
    const start = `(SELECT max(start) FROM ${name} WHERE scope = ${scope} AND start <= ${bound})`;
    const before = `(SELECT coalesce(sum(held), 0) FROM ${name} WHERE scope = ${scope} AND start < ${start})`;
    const conditions = `${ranked.scope === undefined ? "WHERE" : "AND"} ${key} >= ${start} AND ${key} ${comparison} ${bound}`;
    return `(${before} + (SELECT count(*) FROM ${rows} ${conditions}))`;
  };
  const all = `(SELECT coalesce(sum(held), 0) FROM ${name} WHERE scope = ${scope})`;
  return {
    scope,
    below: (high: string | undefined) => (high === undefined ? all : number(high, "<")),
    upTo: (low: string | undefined) => (low === undefined ? "0" : number(low, "<=")),
  };
}
