// Finds the start of a page deep in the order if several databases hold the records. No database knows
// how many rows of the others precede its own, so the range of values that contains the start is
// narrowed step by step: each database proposes the value at about the right place, one of these is
// chosen, and each counts its rows below and at that value. The databases read their indexes, and send
// a few numbers instead of all rows before the page.

import { compareValues } from "../collection/execute/count-by.ts";
import type { ParsedQuery } from "../collection/plan/query.ts";
import { tuning } from "../collection/tuning.ts";
import type { WireValue } from "../schema/field.ts";
import {
  rankedBy,
  selectRankedCounts,
  selectRankedValue,
  type KeyRange,
  type Ranked,
} from "./ranked.ts";
import type { Source } from "./records.ts";
import {
  related,
  selectCounts,
  selectValueAt,
  sortColumnsOf,
  type Relation,
  type Selection,
  type SortColumn,
  within,
} from "./select.ts";
import { ConsistencyError } from "./shard.ts";

/** Sends each database a selection of its own. @returns its rows */
export type AskEach = (
  selectionOf: (database: number) => Selection,
) => Promise<readonly (readonly (readonly WireValue[])[])[]>;

/** All rows from the start of a page on: those of each source in turn, after the first `offset`. */
export interface Rest {
  readonly sources: readonly Source[];
  readonly offset: number;
}

/** After this many rounds all rows of the range are counted, so that the next rounds surely narrow it. */
const HASTY_ROUNDS = 2;

/** Values are found by buckets if this many buckets come before the page. */
const MANY_BUCKETS = 4;

/**
 * A round leaves at most half of the offset, or every second one at most three quarters of a range: these are enough for
 * more rows than there can be.
 */
const MOST_ROUNDS = 256;

/**
 * The rows from the page of a query on, of which at most `tuning.fewBefore` come before it. Usually takes two or three
 * rounds of two statements for each database; if the databases hold very different ranges, one for each halving.
 *
 * @param databases how many there are
 * @throws ConsistencyError if a database has other values than it is asked with: its driver changes texts
 */
export async function restFrom(
  source: Source,
  query: ParsedQuery,
  databases: number,
  ask: AskEach,
): Promise<Rest> {
  const { criteria } = query;

  /** The values at some positions of a range, as far as there are such rows; near them, where buckets tell these. */
  async function valuesAt(
    range: Range,
    column: SortColumn,
    positions: readonly number[],
    ranked?: Ranked,
  ): Promise<(WireValue | undefined)[]> {
    const rows = await ask((i) =>
      ranked === undefined
        ? selectValueAt(range.source, criteria, column, positions[i] ?? 0)
        : selectRankedValue(range.source, ranked, column, keysOf(range, column), positions[i] ?? 0),
    );
    const values = rows.map(([row]) => row?.[0]);
    if (ranked === undefined) return values;
    return values.map((value) => (isWithin(value, range, column) ? value : undefined));
  }

  /** How many rows of a range each database has, by their relation to a value. */
  async function countsBy(
    range: Range,
    ranked: Ranked | undefined,
    column: SortColumn,
    value: WireValue,
    relations: readonly Relation[],
  ) {
    const sources = relations.map((relation) => related(range.source, column, relation, value));
    const rows = await ask(() =>
      ranked === undefined || value === null
        ? selectCounts(sources, criteria)
        : selectRankedCounts(range.source, ranked, column, keysOf(range, column), value),
    );
    // Nothing counts on a server that has no shard.
    return relations.map((_, i) => rows.map(([row]) => Number(row?.[i] ?? 0)));
  }

  async function narrow(
    source: Source,
    [column, ...others]: readonly SortColumn[],
    before: number,
    ranked?: Ranked,
  ): Promise<Rest> {
    let offset = before;
    /** The rows after the highest value that is known to come before the page. */
    let rest = source;
    /** Those of them before the lowest value that is known to come after its start. */
    let range: Range = { source, from: undefined, to: undefined };
    /** How many rows of the range each database has, if that is known; and otherwise its share of those counted. */
    let sizes: readonly number[] | undefined;
    let shares: readonly number[] = new Array<number>(databases).fill(1 / databases);
    let isHalving = false;
    for (let round = 1; column !== undefined && offset > tuning.fewBefore; round++) {
      const earlier = offset;
      // A little too low is better than too high: the rows in between are few.
      const aim = Math.max(0, offset - Math.ceil(2 * Math.sqrt(offset * databases)));
      const size = sizes && sum(sizes);
      if (size !== undefined && offset >= size) return nothing(source);
      if (round > MOST_ROUNDS) {
        const reason = "compares values otherwise than it gives them; checkDriver tells how";
        throw new ConsistencyError(`a database ${reason}`, false);
      }
      const weights = sizes ?? shares;
      const part = size === undefined ? aim : isHalving ? 1 / 2 : aim / size;
      const positions = weights.map((weight) => Math.floor(weight * part));
      const isFar = offset > MANY_BUCKETS * tuning.bucketRows;
      const near = ranked && isFar ? await valuesAt(range, column, positions, ranked) : [];
      const value =
        middleOf(near, weights, column) ??
        middleOf(await valuesAt(range, column, positions), weights, column);
      if (value === undefined) return nothing(source);
      const isCounting = ranked !== undefined || (sizes === undefined && round > HASTY_ROUNDS);
      const relations = isCounting ? RELATIONS : RELATIONS.slice(0, 2);
      const counts = await countsBy(range, ranked, column, value, relations);
      const [below = [], equal = [], above] = counts;
      const [start, end] = [sum(below), sum(below) + sum(equal)];
      if (offset >= start && offset < end) {
        const inner = await narrow(related(source, column, "at", value), others, offset - start);
        return { ...inner, sources: [...inner.sources, related(source, column, "after", value)] };
      }
      if (offset < start) {
        range = { ...range, source: related(range.source, column, "before", value), to: value };
        sizes = below;
      } else {
        offset -= end;
        range = { ...range, source: related(range.source, column, "after", value), from: value };
        rest = related(source, column, "after", value);
        sizes = sizes?.map((size, i) => size - (below[i] ?? 0) - (equal[i] ?? 0)) ?? above;
        // Partly even: what one database has had most of so far, another may have the rest of.
        shares = shares.map((_, i) => ((below[i] ?? 0) / Math.max(1, start) + 1 / databases) / 2);
      }
      // Where little is left of the offset, the next value is near, however large the range is.
      const isSlow = offset > earlier / 2;
      isHalving = isSlow && size !== undefined && sizes !== undefined && sum(sizes) > size / 2;
    }
    return { sources: [rest], offset };
  }

  const columns = sortColumnsOf(source, query);
  return await narrow(source, columns, query.offset, rankedBy(source, query));
}

/** Rows, and between which values of the column in question they are, in its order. */
interface Range {
  readonly source: Source;
  readonly from: WireValue | undefined;
  readonly to: WireValue | undefined;
}

/** Of a column that has no null. */
function keysOf({ from, to }: Range, { order }: SortColumn): KeyRange {
  const [start, end] = [from ?? undefined, to ?? undefined];
  return order === "ASC" ? { low: start, high: end } : { low: end, high: start };
}

function isWithin(value: WireValue | undefined, range: Range, column: SortColumn): boolean {
  if (value === undefined) return false;
  const { low, high } = keysOf(range, column);
  const { type } = column.columns.field;
  return (
    (low === undefined || compareValues(type, low, value) < 0) &&
    (high === undefined || compareValues(type, value, high) < 0)
  );
}

/** No row comes after the end. */
const nothing = (source: Source): Rest => ({
  sources: [within(source, () => "1 = 0")],
  offset: 0,
});

const RELATIONS = ["before", "at", "after"] as const;

const sum = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

function middleOf(
  values: readonly (WireValue | undefined)[],
  weights: readonly number[],
  { columns, order }: SortColumn,
): WireValue | undefined {
  const sign = order === "ASC" ? 1 : -1;
  const candidates = values
    .flatMap((value, i) => (value === undefined ? [] : [{ value, weight: weights[i] ?? 0 }]))
    .sort(({ value: a }, { value: b }) =>
      a === b ? 0 : sign * compareValues(columns.field.type, a, b),
    );
  const half = sum(candidates.map(({ weight }) => weight)) / 2;
  let weight = 0;
  return candidates.find((candidate) => (weight += candidate.weight) >= half)?.value;
}
