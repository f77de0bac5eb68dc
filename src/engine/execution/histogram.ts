// Counts the selected records by ranges of a field of numbers: of equal width, or calendar steps.

import { InputError } from "../../schema/errors.ts";
import type { FieldType, TextValue } from "../../schema/field.ts";
import { parseNumber } from "../../schema/numbers.ts";
import {
  anything,
  finite,
  integer,
  integerFrom,
  oneOf,
  optional,
  readOptions,
  type OptionReaders,
} from "../../schema/options.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Kept } from "../cache/cache.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { bisect } from "../algorithms/bisect.ts";
import { EVERY_ROW, type ParsedQuery } from "../query.ts";
import type { Segment } from "../versions/segment.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import type { SortValue } from "../versions/sort-order.ts";
import {
  calendarEdges,
  calendarSteps,
  timeUnits,
  type CalendarStep,
  type TimeUnit,
} from "./calendar.ts";
import { readSummarize } from "./count-by.ts";
import { readZone, type TimeZone } from "./time-zone.ts";
import { summing } from "../operators/groups/measured-field.ts";
import { valueOfCode, type Grouping } from "../operators/groups/read-groups.ts";
import { Tally } from "../operators/groups/tally.ts";
import { addGroups, byField } from "./add-groups.ts";
import type { Totals } from "../aggregates/totals.ts";

/**
 * The bins of a histogram, and the records to count: either `bins`, for ranges of equal width, or `step`, for calendar
 * steps. `C` is the type of their criteria, `Summarized` that of the field to summarize.
 */
export type HistogramOptions<C = unknown, Summarized extends string | undefined = undefined> = (
  | EqualBins
  | CalendarBins
) &
  CountedRange<C, Summarized>;

/** Ranges of equal width. */
export interface EqualBins {
  /** The maximum number of bins, from 1 to 10,000. There are fewer if the range contains fewer integers. */
  readonly bins: number;
  readonly step?: undefined;
  readonly unit?: undefined;
  readonly zone?: undefined;
}

/** Calendar steps, at most 10,000, for a field of times. */
export interface CalendarBins {
  /**
   * A `"week"` begins on Monday, as in ISO 8601. Bins are complete steps: `from` and `to` fall into the first and the
   * last.
   */
  readonly step: CalendarStep;
  /** The unit of the field, counted from the start of 1970. Default `"milliseconds"`, like `Date.now()`. */
  readonly unit?: TimeUnit | undefined;
  /** The time zone of the steps, by its name in the IANA database, such as `"Europe/Berlin"`. Default `"UTC"`. */
  readonly zone?: string | undefined;
  readonly bins?: undefined;
}

/** Which records a histogram counts, and over which range of values. */
export interface CountedRange<C, Summarized> {
  /** Which records are counted. Omitted or `null`: all. */
  readonly criteria?: C;
  /** The start of the first bin. Default: the lowest value of any record, counted or not. */
  readonly from?: number | undefined;
  /** The end of the last bin, inclusive. Default: the highest value of any record. */
  readonly to?: number | undefined;
  /** An int or float field: its sum, extremes and mean are added to each bin. */
  readonly summarize?: Summarized;
}

/**
 * How many records have a value from `from` to `to`. In an int field, both are inclusive. In a float field, `to` is the
 * start of the next bin; only the last bin includes it, and only if bins are not calendar steps.
 */
export interface HistogramBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** A bin, and the numbers of another field in its records. */
export interface BinTotals extends HistogramBin, Totals {}

/** A bin in a result: with totals if a field is summarized. */
export type CountedBin<Summarized> = Summarized extends string ? BinTotals : HistogramBin;

/** Counts each selected record exactly once. */
export interface Histogram<Bin extends HistogramBin = HistogramBin> {
  /** Consecutive bins of equal width; the last may be narrower. Empty if there are no values. */
  readonly bins: readonly Bin[];
  /** How many records have a value below the first bin, and above the last. */
  readonly below: number;
  readonly above: number;
  /** How many records have `null`. */
  readonly nulls: number;
}

const MOST_BINS = 10_000;

export type Range = readonly [low: number, high: number];

/** Options after reading; the field to summarize exists. */
export interface Binning {
  readonly bins: number | undefined;
  readonly step: CalendarStep | undefined;
  readonly unit: TimeUnit;
  readonly zone: TimeZone;
  readonly criteria: unknown;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly summarize: string | undefined;
}

/** @param type of the field to count by @throws InputError */
export function readHistogramOptions(schema: Schema, type: FieldType, options: unknown): Binning {
  const read = readOptions(options, "options", histogramOptions);
  const { bins, step, unit, zone, from, to } = read;
  if (step !== undefined && bins !== undefined) {
    throw new InputError("options.bins", "must be omitted if options.step is given");
  }
  if (step === undefined) {
    const reason = `must be an integer from 1 to ${MOST_BINS}, unless options.step is given`;
    if (bins === undefined) throw new InputError("options.bins", reason);
    if (unit !== undefined) throw new InputError("options.unit", "needs options.step");
    if (zone !== undefined) throw new InputError("options.zone", "needs options.step");
  }
  if (type === "int") {
    optional(integer)(from, "options.from");
    optional(integer)(to, "options.to");
  }
  if (from !== undefined && to !== undefined && from > to) {
    throw new InputError("options.to", `must not be below options.from, which is ${from}`);
  }
  const summarize = readSummarize(schema, read.summarize);
  return {
    ...read,
    unit: unit ?? "milliseconds",
    zone: readZone(zone ?? "UTC", "options.zone"),
    summarize,
  };
}

const histogramOptions = {
  bins: optional(integerFrom(1, MOST_BINS)),
  step: optional(oneOf(...calendarSteps)),
  unit: optional(oneOf(...timeUnits)),
  zone: anything,
  criteria: anything,
  from: optional(finite),
  to: optional(finite),
  summarize: anything,
} satisfies OptionReaders<Record<keyof Binning, unknown>>;

/**
 * How many of the selected rows fall into each bin.
 *
 * @throws InputError if there are too many calendar steps, or they are outside the range of JavaScript dates;
 *   DeadlineError
 */
export function histogram(
  snapshot: Snapshot,
  query: ParsedQuery,
  field: string,
  type: FieldType,
  binning: Binning,
): Bins {
  const { summarize } = binning;
  const all = { ...EVERY_ROW, deadline: query.deadline };
  const bins = new Bins(type, binning, () => extremes(snapshot, all, field));
  addGroups(snapshot.segments, query, byField(field, bins, bins.tally, summing(summarize)));
  return bins;
}

/** The approximate size of a bin in bytes. */
const BIN_BYTES = 80;

/**
 * The bins of a histogram, and their contents: one group for null, one below the first bin, one for each bin, and one
 * above the last.
 */
export class Bins implements Grouping, Kept {
  /** The start of each bin, and finally the end of the last one: at least one number, which may be infinite. */
  readonly edges: readonly number[];
  readonly tally: Tally;
  readonly #isInt: boolean;
  /** The end of the last bin, unless bins are calendar steps. */
  readonly #high: number | undefined;
  /** The extremes that determine the bins: if they change, so do the bins. */
  #lowest = -Infinity;
  #highest = Infinity;
  #found: Histogram | undefined;

  /** @param extremes the lowest and the highest of all values; if there are none, the lowest is greater */
  constructor(
    type: FieldType,
    { bins, step, unit, zone, from, to, summarize }: Binning,
    extremes: () => Range,
  ) {
    const [lowest, highest] =
      from === undefined || to === undefined ? extremes() : ([from, to] as const);
    if (from === undefined) this.#lowest = lowest;
    if (to === undefined) this.#highest = highest;
    const [low, high] = [from ?? lowest, to ?? highest];
    this.#isInt = type === "int";
    this.#high = step === undefined ? high : undefined;
    this.edges =
      low > high
        ? [low]
        : step === undefined
          ? (this.#isInt ? edgesOf : floatEdgesOf)(low, high, bins ?? 1)
          : calendarEdges(step, unit, zone, low, high, MOST_BINS);
    this.tally = Tally.ofTotals(summarize !== undefined);
    this.tally.addGroups(this.edges.length + 2);
  }

  get size(): number {
    return this.tally.size;
  }

  groupOf(value: SortValue): number {
    if (typeof value !== "number" || value === -Infinity) return 0;
    const lower = bisect(this.edges, value);
    return 1 + lower + Number(this.edges[lower] === value);
  }

  bucketsOf(index: FieldIndex) {
    const codes = this.edges.map((edge) => index.firstCodeOf(String(edge)));
    const bounds = Uint32Array.of(0, 1, ...codes, index.values.length);
    return { index, bounds };
  }

  get bytes(): number {
    return BIN_BYTES * this.tally.size;
  }

  /** Counts a value more or less. @returns whether the bins stay the same */
  change(value: TextValue, times: 1 | -1): boolean {
    return this.changeNumber(value === null ? -Infinity : parseNumber(value), [], times);
  }

  /**
   * Counts a number more or less; −Infinity stands for null.
   *
   * @param numbers the record's value of each measured field
   * @returns whether the bins stay the same, and what is known of them is right
   */
  changeNumber(number: number, numbers: readonly number[], times: 1 | -1): boolean {
    if (number !== -Infinity) {
      const isWithin =
        times > 0
          ? this.#lowest <= number && number <= this.#highest
          : this.#lowest < number && number < this.#highest;
      if (!isWithin) return false;
    }
    this.#found = undefined;
    return this.tally.change(this.groupOf(number), numbers, times);
  }

  /** The histogram of the counts: the same object until a change. */
  finish(): Histogram {
    return (this.#found ??= this.#histogram());
  }

  #histogram(): Histogram {
    const { edges } = this;
    const { counts, totaling } = this.tally;
    const bins = edges.slice(1).map((_, i) => {
      const bin = { from: edges[i]!, to: this.#endOf(i), count: counts[i + 2]! };
      return Object.freeze(totaling === undefined ? bin : { ...bin, ...totaling.of(i + 2) });
    });
    const [nulls, below, above] = [counts[0]!, counts[1]!, counts[edges.length + 1]!];
    return Object.freeze({ bins: Object.freeze(bins), below, above, nulls });
  }

  #endOf(bin: number): number {
    const { edges } = this;
    if (this.#isInt) return edges[bin + 1]! - 1;
    return bin === edges.length - 2 ? (this.#high ?? edges[bin + 1]!) : edges[bin + 1]!;
  }
}

/** The start of each bin, and finally the end of the last one. */
function edgesOf(low: number, high: number, bins: number): number[] {
  // The distance between two safe integers may be unsafe.
  const end = BigInt(high) + 1n;
  const span = end - BigInt(low);
  const width = (span + BigInt(bins) - 1n) / BigInt(bins);
  const edges: number[] = [];
  for (let edge = BigInt(low); edge < end; edge += width) edges.push(Number(edge));
  return [...edges, Number(end)];
}

/** {@link edgesOf} for any numbers; the end of the last bin is the next number above all values. */
function floatEdgesOf(low: number, high: number, bins: number): number[] {
  const width = high / bins - low / bins;
  // The distance between two numbers may be infinite, and so may the start of a later bin.
  const startOf =
    high - low < Infinity
      ? (i: number) => low + i * width
      : (i: number) => low * (1 - i / bins) + high * (i / bins);
  const starts = Array.from({ length: bins }, (_, i) => startOf(i));
  const distinct = starts.filter((edge, i) => i === 0 || (edge > starts[i - 1]! && edge <= high));
  return [...distinct, nextAbove(high)];
}

/** The next higher number. */
function nextAbove(number: number): number {
  if (number === 0) return Number.MIN_VALUE;
  const bits = new BigInt64Array(1);
  const numbers = new Float64Array(bits.buffer);
  numbers[0] = number;
  bits[0]! += number > 0 ? 1n : -1n;
  return numbers[0];
}

/**
 * The lowest and highest values of live rows; if there are none, the lowest is greater.
 *
 * @param all the query for all rows
 */
function extremes({ segments }: Snapshot, all: ParsedQuery, field: string): Range {
  let [low, high] = [Infinity, -Infinity];
  const groupOf = (value: SortValue): number => {
    if (typeof value === "number" && value !== -Infinity) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return 0;
  };
  const bucketsOf = (index: FieldIndex) => ({
    index,
    groupOf: (code: number) => groupOf(valueOfCode(index, code)),
  });
  const tally = new Tally();
  const size = tally.addGroups(1) + 1;
  const grouped = byField(field, { size, groupOf, bucketsOf }, tally);
  for (const segment of segments) {
    const index = segment.ordered(field, all.deadline);
    if (index === undefined) addGroups([segment], all, grouped);
    else for (const code of outermost(segment, index)) groupOf(valueOfCode(index, code));
  }
  return [low, high];
}

/** The lowest and highest codes of live rows, ignoring that of `null` unless it is the only one. */
function outermost({ dead }: Segment, index: FieldIndex): Range {
  const isDead = (code: number) =>
    dead.liveIn(index, index.startOf(code), index.startOf(code + 1)) === 0;
  let high = index.values.length - 1;
  while (high > 0 && isDead(high)) high--;
  let low = Math.min(1, high);
  while (low < high && isDead(low)) low++;
  return [low, high];
}
