// Finds where a page begins that is far from the start of the order, if several databases hold the records. None
// of them knows how many rows of the others come before its own. So the range of values in which the page begins is
// narrowed: each database names the value at about the right place, one of these is chosen, and each counts its rows
// before it and at it. The databases read their indexes, and send a few numbers instead of all rows before the page.

import { compareValues } from "../collection/execute/count-by.ts";
import type { ParsedQuery } from "../collection/plan/query.ts";
import { tuning } from "../collection/tuning.ts";
import type { WireValue } from "../schema/field.ts";
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

/** After so many rounds all rows of the range are counted, so that the next ones are sure to narrow it. */
const HASTY_ROUNDS = 2;

/** Every second round leaves at most three quarters of a range: these are enough for more rows than there can be. */
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

  /** The values at some positions of a range, as far as there are such rows. */
  async function valuesAt(range: Source, column: SortColumn, positions: readonly number[]) {
    const rows = await ask((i) => selectValueAt(range, criteria, column, positions[i] ?? 0));
    return rows.map(([row]) => row?.[0]);
  }

  /** How many rows of a range each database has, by their relation to a value. */
  async function countsBy(
    range: Source,
    column: SortColumn,
    value: WireValue,
    relations: readonly Relation[],
  ) {
    const sources = relations.map((relation) => related(range, column, relation, value));
    const rows = await ask(() => selectCounts(sources, criteria));
    // Nothing counts on a server that has no shard.
    return relations.map((_, i) => rows.map(([row]) => Number(row?.[i] ?? 0)));
  }

  async function narrow(
    source: Source,
    [column, ...others]: readonly SortColumn[],
    before: number,
  ): Promise<Rest> {
    let offset = before;
    /** The rows after the highest value that is known to come before the page. */
    let rest = source;
    /** Those of them before the lowest value that is known to come after its start. */
    let range = source;
    /** How many rows of the range each database has, if that is known; and otherwise its share of those counted. */
    let sizes: readonly number[] | undefined;
    let shares: readonly number[] = new Array<number>(databases).fill(1 / databases);
    let isHalving = false;
    for (let round = 1; column !== undefined && offset > tuning.fewBefore; round++) {
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
      const values = await valuesAt(
        range,
        column,
        weights.map((weight) => Math.floor(weight * part)),
      );
      const value = middleOf(values, weights, column);
      if (value === undefined) return nothing(source);
      const isCounting = sizes === undefined && round > HASTY_ROUNDS;
      const relations = isCounting ? RELATIONS : RELATIONS.slice(0, 2);
      const [below = [], equal = [], above] = await countsBy(range, column, value, relations);
      const [start, end] = [sum(below), sum(below) + sum(equal)];
      if (offset >= start && offset < end) {
        const inner = await narrow(related(source, column, "at", value), others, offset - start);
        return { ...inner, sources: [...inner.sources, related(source, column, "after", value)] };
      }
      if (offset < start) {
        range = related(range, column, "before", value);
        sizes = below;
      } else {
        offset -= end;
        range = related(range, column, "after", value);
        rest = related(source, column, "after", value);
        sizes = sizes?.map((size, i) => size - (below[i] ?? 0) - (equal[i] ?? 0)) ?? above;
        // Partly even: what one database has had most of so far, another may have the rest of.
        shares = shares.map((_, i) => ((below[i] ?? 0) / Math.max(1, start) + 1 / databases) / 2);
      }
      isHalving = size !== undefined && sizes !== undefined && sum(sizes) > size / 2;
    }
    return { sources: [rest], offset };
  }

  return await narrow(source, sortColumnsOf(source, query), query.offset);
}

/** No row comes after the end. */
const nothing = (source: Source): Rest => ({
  sources: [within(source, () => "1 = 0")],
  offset: 0,
});

const RELATIONS = ["before", "at", "after"] as const;

const sum = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

/** The weighted median of values. */
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
