// Counts, histograms and summaries of a table: the engine counts distinct values, and the tallies of in-memory
// collections combine the counts.

import { listed, type Listing } from "../engine/execution/count-by.ts";
import { byElement } from "../engine/execution/count-elements.ts";
import { Bins, type Binning, type Range } from "../engine/execution/histogram.ts";
import { summaryOf } from "../engine/execution/summary.ts";
import { Tally } from "../engine/operators/groups/tally.ts";
import { prefixCut } from "../engine/execution/cuts.ts";
import { groupValueIn, sortValueOf, ValueGroups } from "../engine/execution/value-groups.ts";
import type { ParsedCriteria } from "../criteria/tree.ts";
import { isNumeric, type Field, type TextValue } from "../schema/field.ts";
import { parseNumber } from "../schema/numbers.ts";
import { ConsistencyError, patiently } from "./consistency.ts";
import type { Statement } from "./dialect.ts";
import { textFormOf, type RecordSource } from "./records.ts";
import {
  countStatement,
  distinctStatement,
  extremesStatement,
  rangesStatement,
  readRange,
  valuesStatement,
} from "./select.ts";

/** A table, for the duration of one call. */
export interface AskedSource {
  readonly source: RecordSource;
  /** The rows of a statement with this number of columns. */
  readonly ask: (statement: Statement, columns: number) => Promise<(readonly TextValue[])[]>;
  /** Aborted when the caller gives up. */
  readonly signal: AbortSignal;
}

/** A field by its name. */
type Named = readonly [name: string, field: Field];

export async function count({ source, ask }: AskedSource, criteria: ParsedCriteria) {
  const [row] = await ask(countStatement(source, criteria), 1);
  return Number(row?.[0]);
}

export async function countBy(
  { source, ask }: AskedSource,
  [name, field]: Named,
  criteria: ParsedCriteria,
  listing: Listing,
) {
  const { prefix, summarize } = listing;
  const columns = source.columnsOf(name);
  const isByElement = field.type === "strings";
  const storedOf = groupValueIn(source.schema.form, field);
  if (prefix === undefined && summarize === undefined && !isByElement) {
    const found = await ask(valuesStatement(source, criteria, columns, { listing }), 2);
    return found.map(([value = null, count]) => ({
      value: storedOf(textFormOf(columns, name, value)),
      count: Number(count),
    }));
  }
  const tally = Tally.ofTotals(summarize !== undefined);
  const grouping = new ValueGroups(tally, prefix === undefined ? undefined : prefixCut(prefix));
  const summarized = summarize === undefined ? undefined : source.columnsOf(summarize);
  const asked = valuesStatement(source, criteria, columns, { prefix, summarized });
  const isCut = prefix !== undefined && columns.own === undefined;
  for (const [value = null, count, number] of await ask(asked, summarized ? 3 : 2)) {
    const textForm = isCut ? value : textFormOf(columns, name, value);
    const group = grouping.groupOf(sortValueOf(field.type, textForm));
    addTo(tally, group, Number(count), numberIn(source, summarize, number));
  }
  // Counts distinct arrays, since engines differ in how they unnest arrays.
  const [counted, groups] = isByElement ? byElement(tally, grouping) : ([tally, grouping] as const);
  return listed(counted, groups, storedOf, listing);
}

export async function histogram(
  { source, ask, signal }: AskedSource,
  [name, field]: Named,
  criteria: ParsedCriteria,
  binning: Binning,
) {
  const { summarize } = binning;
  const isRanged = binning.from !== undefined && binning.to !== undefined;
  const columns = source.columnsOf(name);
  const summarized = summarize === undefined ? undefined : source.columnsOf(summarize);
  return await patiently(signal, async () => {
    const [extremes = []] = isRanged ? [] : await ask(extremesStatement(source, [columns]), 2);
    for (const each of extremes) if (each !== null) textFormOf(columns, name, each);
    const bins = new Bins(field.type, binning, () => rangeOf(extremes));
    const asked = rangesStatement(source, criteria, columns, bins.edges, summarized);
    const found = await ask(asked, summarized ? 5 : 4);
    for (const [range, count, lowest, highest, number] of found) {
      if (!isRanged && String([lowest, highest]) !== String(extremes)) {
        throw new ConsistencyError(`the values of ${name} changed while they were counted`);
      }
      const place = readRange(name, field, range ?? null);
      const bin = place === null ? 0 : 1 + place;
      addTo(bins.tally, bin, Number(count), numberIn(source, summarize, number));
    }
    return bins.finish();
  });
}

export async function summary(
  { source, ask }: AskedSource,
  [name, { type }]: Named,
  criteria: ParsedCriteria,
  quantiles: readonly number[],
) {
  const columns = source.columnsOf(name);
  if (!isNumeric(type) && type !== "strings") {
    const [row = []] = await ask(distinctStatement(source, criteria, columns), 3);
    const [all = 0, count = 0, distinct = 0] = row.map(Number);
    return { count, nulls: all - count, distinct };
  }
  const tally = new Tally();
  const grouping = new ValueGroups(tally);
  for (const [value = null, count] of await ask(valuesStatement(source, criteria, columns), 2)) {
    tally.add(grouping.groupOf(sortValueOf(type, textFormOf(columns, name, value))), Number(count));
  }
  return summaryOf(tally, grouping, type, quantiles).finish();
}

/** Adds rows to a group, each with a number in the field to summarize. */
function addTo(tally: Tally, group: number, rows: number, number: number): void {
  tally.add(group, rows);
  if (number !== -Infinity) tally.totaling?.add(group, number, rows);
}

/** The number in a column; −Infinity stands for null, or for no field. */
function numberIn(
  source: RecordSource,
  field: string | undefined,
  value: TextValue = null,
): number {
  if (field === undefined) return -Infinity;
  const textForm = textFormOf(source.columnsOf(field), field, value);
  return textForm === null ? -Infinity : parseNumber(textForm);
}

function rangeOf([low = null, high = null]: readonly (string | null)[]): Range {
  return low === null || high === null ? [Infinity, -Infinity] : [Number(low), Number(high)];
}
