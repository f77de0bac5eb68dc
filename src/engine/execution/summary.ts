// Summarizes the values of a field in the selected records, from how many records have each value.

import { InputError } from "../../schema/errors.ts";
import { isNumeric, type FieldType, type TextValue } from "../../schema/field.ts";
import { reading } from "../../schema/input.ts";
import { must, optional, readOptions, type ReadOption } from "../../schema/options.ts";
import { bisect } from "../algorithms/bisect.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { STEP_ROWS } from "../algorithms/steps.ts";
import type { Kept } from "../cache/cache.ts";
import { Tally } from "../operators/groups/tally.ts";
import type { ParsedQuery } from "../query.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import type { SortValue } from "../versions/sort-order.ts";
import { addGroups, byField } from "./add-groups.ts";
import { byElement } from "./count-elements.ts";
import { rankOf } from "../aggregates/quantile.ts";
import { Totaling, type Totals } from "../aggregates/totals.ts";
import { sortValueOf, ValueGroups } from "./value-groups.ts";

/** The values of a field in the selected records. */
export interface ValueSummary {
  /** How many records have a value. */
  readonly count: number;
  /** How many records have `null`. */
  readonly nulls: number;
  /** How many distinct values the records have, without `null`; of a strings field, how many distinct elements. */
  readonly distinct: number;
}

/** The numbers of a field in the selected records. */
export interface Summary<Quantiles extends readonly number[] = readonly number[]>
  extends ValueSummary, Totals {
  /** The values at the requested quantiles, in their order; `null` if there are no numbers. */
  readonly quantiles: { readonly [I in keyof Quantiles]: number | null };
}

/** What a summary contains besides. */
export interface SummaryOptions<Quantiles extends readonly number[] = readonly number[]> {
  /**
   * For a field of numbers: at most 100 numbers from 0 to 1, each interpreted as the decimal that is written. The value
   * at `q` is the smallest value that at least `q` · `count` of the numbers do not exceed: the median at 0.5, the
   * lowest number at 0, the highest at 1. Default: none.
   */
  readonly quantiles?: Quantiles | undefined;
}

const MOST_QUANTILES = 100;

/** @param type of the summarized field @throws InputError */
export function readSummaryOptions(type: FieldType, options: unknown = {}): readonly number[] {
  const { quantiles } = readOptions(options, "options", { quantiles: optional(readQuantiles, []) });
  if (quantiles.length === 0 || isNumeric(type)) return quantiles;
  throw new InputError("options.quantiles", `must be omitted for a field of the type ${type}`);
}

const isShare = (given: unknown): given is number =>
  typeof given === "number" && given >= 0 && given <= 1;
const isArray = (given: unknown): given is readonly unknown[] => Array.isArray(given);
const readShare = must("a number from 0 to 1", isShare);
const readArray = must("an array of numbers from 0 to 1", isArray);

const readQuantiles: ReadOption<readonly number[]> = (given, path) =>
  reading(path, () => {
    const list = readArray(given, path);
    const { length } = list;
    if (length > MOST_QUANTILES) {
      const reason = `must have at most ${MOST_QUANTILES} elements, not ${length}`;
      throw new InputError(path, reason, { code: "limit" });
    }
    return Array.from({ length }, (_, i) => readShare(list[i], `${path}[${i}]`));
  });

/** The values of a field in the selected rows. @throws DeadlineError */
export function summary(
  { segments }: Snapshot,
  query: ParsedQuery,
  field: string,
  type: FieldType,
  quantiles: readonly number[],
): Summing {
  const tally = new Tally();
  const grouping = new ValueGroups(tally);
  addGroups(segments, query, byField(field, grouping, tally));
  return summaryOf(tally, grouping, type, quantiles, query.deadline);
}

/** Summarizes counted values. @throws DeadlineError */
export function summaryOf(
  tally: Tally,
  grouping: ValueGroups,
  type: FieldType,
  quantiles: readonly number[],
  deadline?: Deadline,
): Summing {
  const { counts } = tally;
  const groups = isNumeric(type) ? grouping.inOrder(deadline) : grouping.present();
  const summing = new Summing(type);
  if (isNumeric(type)) {
    const numbers = grouping.numbersAt(groups);
    for (let i = 0; i < groups.length; i++) {
      const number = numbers[i]!;
      summing.add(Number.isNaN(number) ? null : number, counts[groups[i]!]!);
      if (i % STEP_ROWS === 0) deadline?.check();
    }
    if (quantiles.length > 0) summing.setQuantiles(valuesAt(quantiles, numbers, groups, counts));
    return summing;
  }
  // Reading a string takes longer than counting it.
  const areRead = groups.length <= FEW_VALUES;
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i]!;
    const times = counts[group]!;
    if (areRead || grouping.isNull(group)) summing.add(grouping.valueAt(group), times);
    else summing.addUnread(times);
    if (i % STEP_ROWS === 0) deadline?.check();
  }
  if (type === "strings") {
    const [, elements] = byElement(tally, grouping, deadline);
    summing.countElements(elements.present().filter((group) => !elements.isNull(group)).length);
  }
  return summing;
}

/** The numbers at some quantiles, by their groups in ascending order; NaN stands for null, the lowest. */
function valuesAt(
  quantiles: readonly number[],
  numbers: Float64Array,
  groups: Uint32Array,
  counts: Float64Array,
): (number | null)[] {
  const first = Number.isNaN(numbers[0] ?? 0) ? 1 : 0;
  const notAbove = new Float64Array(numbers.length - first);
  let sum = 0;
  for (let i = 0; i < notAbove.length; i++) notAbove[i] = sum += counts[groups[first + i]!]!;
  return quantiles.map((share) => {
    return sum === 0 ? null : numbers[first + bisect(notAbove, rankOf(share, sum))]!;
  });
}

/** Up to this many distinct values, the count of each is kept, so that the summary can be updated by a change. */
const FEW_VALUES = 10_000;

/** The approximate size of a value in bytes, and of a summary besides. */
const VALUE_BYTES = 60;
const SUMMARY_BYTES = 400;

/** Summarizes values whose counts are known. */
export class Summing implements Kept {
  readonly #type: FieldType;
  /** `undefined` if none were requested. */
  #quantiles: readonly (number | null)[] | undefined;
  readonly #totaling = new Totaling();
  #count = 0;
  #nulls = 0;
  #distinct = 0;
  /** The distinct values and their counts, if they are few. */
  readonly #values: SortValue[] = [];
  readonly #times: number[] = [];
  /** The same counts by value, if they are few. */
  #timesOf: Map<SortValue, number> | undefined;
  #found: ValueSummary | Summary | undefined;

  constructor(type: FieldType) {
    this.#type = type;
    this.#totaling.reserve(1);
  }

  get bytes(): number {
    return SUMMARY_BYTES + VALUE_BYTES * this.#values.length;
  }

  /**
   * Adds a value, once only.
   *
   * @param value as it is sorted by; numbers come in ascending order
   */
  add(value: SortValue, times: number): void {
    if (value === null || value === -Infinity) {
      this.#nulls += times;
      return;
    }
    this.#count += times;
    this.#distinct++;
    if (typeof value === "number") this.#totaling.add(0, value, times);
    if (this.#distinct > FEW_VALUES) return;
    this.#values.push(value);
    this.#times.push(times);
  }

  /** Adds a string, once only, after whose value nobody asks: there are too many to keep them. */
  addUnread(times: number): void {
    this.#count += times;
    this.#distinct++;
  }

  /** Instead of arrays, their elements are distinct (rule V12). */
  countElements(distinct: number): void {
    this.#distinct = distinct;
  }

  /** The values at the requested quantiles, which no change follows. */
  setQuantiles(values: readonly (number | null)[]): void {
    this.#quantiles = values;
  }

  /** Counts a value more or less. @returns whether the summary is still known */
  change(textForm: TextValue, times: 1 | -1): boolean {
    this.#found = undefined;
    if (textForm === null) {
      this.#nulls += times;
      return true;
    }
    if (this.#type === "strings") return false;
    if (this.#quantiles !== undefined || this.#distinct > this.#values.length) return false;
    this.#timesOf ??= new Map(this.#values.map((value, i) => [value, this.#times[i]!]));
    const value = sortValueOf(this.#type, textForm);
    const before = this.#timesOf.get(value) ?? 0;
    const after = before + times;
    if (typeof value === "number") {
      const { minimum, maximum } = this.#totaling.of(0);
      if (after === 0 && (value === minimum || value === maximum)) return false;
      this.#totaling.add(0, value, times);
    }
    this.#count += times;
    this.#distinct += Number(before === 0) - Number(after === 0);
    if (after === 0) this.#timesOf.delete(value);
    else this.#timesOf.set(value, after);
    return true;
  }

  /** The summary of the added values: the same object until a change. */
  finish(): ValueSummary | Summary {
    return (this.#found ??= Object.freeze(this.#summary()));
  }

  #summary(): ValueSummary | Summary {
    const found = { count: this.#count, nulls: this.#nulls, distinct: this.#distinct };
    if (!isNumeric(this.#type)) return found;
    const quantiles = Object.freeze([...(this.#quantiles ?? [])]);
    return { ...found, ...this.#totaling.of(0), quantiles };
  }
}
