// Counts the selected records by ranges of equal width of a field of numbers.

import { InputError } from "../../schema/errors.ts";
import type { FieldType, WireValue } from "../../schema/field.ts";
import { parseNumber } from "../../schema/numbers.ts";
import {
  anything,
  finite,
  integer,
  integerFrom,
  optional,
  readOptions,
} from "../../schema/options.ts";
import type { FieldIndex } from "../index/field-index.ts";
import { bisect } from "../algorithms/bisect.ts";
import { EVERY_ROW, type ParsedQuery } from "../plan/query.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { answerSegment } from "./answer.ts";
import { countBuckets, readValues, type Buckets } from "./tally.ts";

/** The bins of a histogram, and the records to count; `C` is the type of their criteria. */
export interface HistogramOptions<C = unknown> {
  /** The largest number of bins, from 1 to 10,000: fewer if there are fewer integers to tell apart. */
  readonly bins: number;
  /** Which records are counted. Omitted or `null`: every record. */
  readonly criteria?: C;
  /** The start of the first bin. Default: the lowest value of any record, counted or not. */
  readonly from?: number | undefined;
  /** The end of the last bin, included. Default: the highest value of any record. */
  readonly to?: number | undefined;
}

/**
 * How many records have a value from `from` to `to`: both included in an int field; in a float field `to` is
 * the start of the next bin, and included in the last one only.
 */
export interface HistogramBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Counts every record that the criteria select once. */
export interface Histogram {
  /** Consecutive, of one width; the last may be narrower. None if there are no values. */
  readonly bins: readonly HistogramBin[];
  /** How many have a value below the first bin, and above the last. */
  readonly below: number;
  readonly above: number;
  /** How many have `null`. */
  readonly nulls: number;
}

const MOST_BINS = 10_000;

export type Range = readonly [low: number, high: number];

/** The bins of a histogram. */
export type Binning = Pick<HistogramOptions, "bins" | "from" | "to">;

/** @throws InputError */
export function readHistogramOptions(options: unknown): HistogramOptions {
  const read = readOptions(options, "options", histogramOptions);
  const { from, to } = read;
  if (from !== undefined && to !== undefined && from > to) {
    throw new InputError("options.to", `must not be below options.from, which is ${from}`);
  }
  return read;
}

const histogramOptions = {
  bins: integerFrom(1, MOST_BINS),
  criteria: anything,
  from: optional(finite),
  to: optional(finite),
};

/**
 * How many of the selected rows have a field of numbers in each bin.
 *
 * @throws InputError as {@link checkBinning} does
 */
export function histogram(
  snapshot: Snapshot,
  query: ParsedQuery,
  field: string,
  type: FieldType,
  binning: Binning,
): Histogram {
  checkBinning(type, binning);
  const all = { ...EVERY_ROW, deadline: query.deadline };
  const bins = new Bins(type, binning, () => extremes(snapshot, all, field));
  for (const segment of snapshot.segments) {
    addCounts(bins.counts, segment, query, field, bins.edges);
  }
  return bins.finish();
}

/** @throws InputError if the ends of the bins are not values of an int field */
export function checkBinning(type: FieldType, { from, to }: Binning): void {
  if (type !== "int") return;
  optional(integer)(from, "options.from");
  optional(integer)(to, "options.to");
}

/** The bins of a histogram, and how many rows are in each. */
export class Bins {
  /** The start of each bin, and finally the end of the last one: at least one number, which may be infinite. */
  readonly edges: readonly number[];
  /** How many have `null`, are below the first edge, between each edge and the next, and above. */
  readonly counts: number[];
  readonly #isInt: boolean;
  readonly #high: number;

  /** @param extremes the lowest and the highest value of all; if there is none, the lowest is greater */
  constructor(type: FieldType, { bins, from, to }: Binning, extremes: () => Range) {
    const [lowest, highest] =
      from === undefined || to === undefined ? extremes() : ([from, to] as const);
    const [low, high] = [from ?? lowest, to ?? highest];
    this.#isInt = type === "int";
    this.#high = high;
    this.edges = this.#isInt ? edgesOf(low, high, bins) : floatEdgesOf(low, high, bins);
    this.counts = new Array<number>(this.edges.length + 2).fill(0);
  }

  finish(): Histogram {
    const { edges } = this;
    const [nulls = 0, below = 0, ...inBins] = this.counts;
    const above = inBins.pop() ?? 0;
    const bins = inBins.map((count, i) => ({ from: edges[i]!, to: this.#endOf(i), count }));
    return { bins, below, above, nulls };
  }

  #endOf(bin: number): number {
    const { edges } = this;
    if (this.#isInt) return edges[bin + 1]! - 1;
    return bin === edges.length - 2 ? this.#high : edges[bin + 1]!;
  }
}

/** The start of each bin, and finally the end of the last one. */
function edgesOf(low: number, high: number, bins: number): number[] {
  if (low > high) return [low];
  // The distance of two safe integers may be unsafe.
  const end = BigInt(high) + 1n;
  const span = end - BigInt(low);
  const width = (span + BigInt(bins) - 1n) / BigInt(bins);
  const edges: number[] = [];
  for (let edge = BigInt(low); edge < end; edge += width) edges.push(Number(edge));
  return [...edges, Number(end)];
}

/** {@link edgesOf}, of any numbers; the end of the last bin is the least number above all. */
function floatEdgesOf(low: number, high: number, bins: number): number[] {
  if (low > high) return [low];
  const width = high / bins - low / bins;
  // The distance of two numbers may be infinite, and so may be that of a later start.
  const startOf =
    high - low < Infinity
      ? (i: number) => low + i * width
      : (i: number) => low * (1 - i / bins) + high * (i / bins);
  const starts = Array.from({ length: bins }, (_, i) => startOf(i));
  const distinct = starts.filter((edge, i) => i === 0 || (edge > starts[i - 1]! && edge <= high));
  return [...distinct, nextAbove(high)];
}

/** The least number above another. */
function nextAbove(number: number): number {
  if (number === 0) return Number.MIN_VALUE;
  const bits = new BigInt64Array(1);
  const numbers = new Float64Array(bits.buffer);
  numbers[0] = number;
  bits[0]! += number > 0 ? 1n : -1n;
  return numbers[0];
}

/**
 * Adds how many rows have `null`, are below the first edge, between each edge and the next, and above.
 */
function addCounts(
  counts: number[],
  segment: Segment,
  query: ParsedQuery,
  field: string,
  edges: readonly number[],
): void {
  const index = segment.ordered(field, query.deadline);
  if (index === undefined) {
    readValues(segment, query, field, (value) => counts[placeOf(value, edges)]!++);
    return;
  }
  for (const [place, count] of countBuckets(
    answerSegment(segment, query),
    bucketsOf(index, edges),
  ).entries()) {
    counts[place]! += count;
  }
}

function placeOf(value: WireValue, edges: readonly number[]): number {
  if (value === null) return 0;
  const number = parseNumber(value);
  const lower = bisect(edges, number);
  return 1 + lower + Number(edges[lower] === number);
}

function bucketsOf(index: FieldIndex, edges: readonly number[]): Buckets {
  const codes = edges.map((edge) => index.firstCodeOf(String(edge)));
  return { index, bounds: Uint32Array.of(0, 1, ...codes, index.values.length) };
}

/**
 * The lowest and the highest value of live rows; if none has one, the lowest is greater.
 *
 * @param all the query for all rows
 */
function extremes({ segments }: Snapshot, all: ParsedQuery, field: string): Range {
  let [low, high] = [Infinity, -Infinity];
  const add = (value: WireValue) => {
    if (value === null) return;
    const number = parseNumber(value);
    low = Math.min(low, number);
    high = Math.max(high, number);
  };
  for (const segment of segments) {
    const index = segment.ordered(field, all.deadline);
    if (index === undefined) readValues(segment, all, field, add);
    else for (const code of outermost(segment, index)) add(index.values.at(code) ?? null);
  }
  return [low, high];
}

/** The lowest and the highest code of live rows, without that of `null` unless it is the only one. */
function outermost({ dead }: Segment, index: FieldIndex): Range {
  const isDead = (code: number) =>
    dead.liveIn(index, index.startOf(code), index.startOf(code + 1)) === 0;
  let high = index.values.length - 1;
  while (high > 0 && isDead(high)) high--;
  let low = Math.min(1, high);
  while (low < high && isDead(low)) low++;
  return [low, high];
}
