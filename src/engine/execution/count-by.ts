// How many selected records have each value of a field, and the totals of another field in them.

import { InputError, quote } from "../../schema/errors.ts";
import {
  textFormOfStored,
  type Field,
  type FieldType,
  type FieldValue,
  type TextValue,
} from "../../schema/field.ts";
import {
  anything,
  count,
  flag,
  oneOf,
  optional,
  positiveCount,
  readOptions,
  type OptionReaders,
} from "../../schema/options.ts";
import { fieldOf, numericField } from "../../schema/names.ts";
import type { Schema } from "../../schema/schema.ts";
import { textOf } from "../../criteria/distinct.ts";
import { parseStrings } from "../../schema/strings.ts";
import type { ParsedQuery } from "../query.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import type { SortValue } from "../versions/sort-order.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { bisectBy } from "../algorithms/bisect.ts";
import { leading } from "../algorithms/leading.ts";
import { STEP_ROWS } from "../algorithms/steps.ts";
import { Unfinished } from "../algorithms/unfinished.ts";
import type { Kept } from "../cache/cache.ts";
import { prefixCut } from "./cuts.ts";
import { byElement } from "./count-elements.ts";
import { summing } from "../operators/groups/measured-field.ts";
import type { KnownRows } from "./group-by.ts";
import { Tally } from "../operators/groups/tally.ts";
import { addGroups, byField } from "./add-groups.ts";
import { statistics, type Statistic, type Totals } from "../aggregates/totals.ts";
import { compareSortValues, sortValueOf, ValueGroups } from "./value-groups.ts";

/** Which values of a field are listed, and in which order. */
export interface CountByOptions<
  Summarized extends string | undefined = undefined,
  Prefix extends number | undefined = undefined,
> {
  /** The largest number of values. Default: all. */
  readonly limit?: number | undefined;
  /**
   * `"value"`: in the order of the values, lowest first. `"count"`: the most frequent first. `"sum"`, `"minimum"`,
   * `"maximum"` or `"mean"` of the field to summarize: the largest first, `null` last. Ties are in the order of the
   * values. Default `"value"`.
   */
  readonly order?: CountOrder<Summarized> | undefined;
  /** Whether the order ascends. Default: `true` if ordered by value, otherwise `false`. */
  readonly ascending?: boolean | undefined;
  /** An int or float field: its sum, extremes and mean are added to each value. */
  readonly summarize?: Summarized;
  /**
   * For a string field: counts by the first characters (Unicode code points), at least 1. A shorter string counts as
   * itself.
   */
  readonly prefix?: Prefix | undefined;
}

/** What the values may be ordered by. */
export type CountOrder<Summarized> =
  | "value"
  | "count"
  | (Summarized extends string ? Statistic : never);

/** How many records have a value. */
export interface ValueCount<Value = FieldValue> {
  readonly value: Value;
  readonly count: number;
}

/** How many records have a value, and the numbers of another field in them. */
export interface ValueTotals<Value = FieldValue> extends ValueCount<Value>, Totals {}

/** A value as it is counted: with totals if a field is summarized. */
export type CountedValue<Value, Summarized> = Summarized extends string
  ? ValueTotals<Value>
  : ValueCount<Value>;

/** What the records are counted by: the values of a field, or their first characters. */
export type CountedBy<Value, Prefix> = Prefix extends number
  ? string | Extract<Value, null>
  : Value;

/** Options after reading: without a limit, any number of values. */
export interface Listing {
  readonly limit: number;
  readonly order: "value" | "count" | Statistic;
  readonly ascending: boolean;
  readonly summarize: string | undefined;
  readonly prefix: number | undefined;
}

/** @param name of the field to count by @throws InputError */
export function readCountByOptions(
  schema: Schema,
  name: string,
  field: Field,
  options: unknown = {},
): Listing {
  const read = readOptions(options, "options", countByOptions);
  const summarize = readSummarize(schema, read.summarize);
  const { order, prefix } = read;
  if (summarize === undefined && order !== "value" && order !== "count") {
    const reason = `${quote(order)} needs options.summarize, the name of an int or float field`;
    throw new InputError("options.order", reason);
  }
  if (prefix !== undefined && field.type !== "string") {
    throw new InputError("options.prefix", `must be omitted: ${quote(name)} is not a string field`);
  }
  return { ...read, ascending: read.ascending ?? order === "value", summarize };
}

const countByOptions = {
  limit: optional(count, Infinity),
  order: optional(oneOf("value", "count", ...statistics), "value"),
  ascending: optional(flag),
  summarize: anything,
  prefix: optional(positiveCount),
} satisfies OptionReaders<Record<keyof CountByOptions, unknown>>;

/** The field to summarize. @throws InputError unless it is omitted or a field of numbers */
export function readSummarize(schema: Schema, given: unknown): string | undefined {
  if (given === undefined) return undefined;
  return numericField(
    schema,
    given,
    (...reason) => new InputError("options.summarize", ...reason),
  )[0];
}

/**
 * The values of a field in the selected rows, or the elements of arrays of strings, and how many rows have each.
 *
 * @param toStored converts a value to the form in records
 * @throws DeadlineError
 */
export function countBy(
  snapshot: Snapshot,
  query: ParsedQuery,
  field: string,
  toStored: (value: SortValue) => FieldValue,
  listing: Listing,
): ValueCount[] {
  const { summarize, prefix } = listing;
  const tally = Tally.ofTotals(summarize !== undefined);
  const grouping = new ValueGroups(tally, prefix === undefined ? undefined : prefixCut(prefix));
  const isByElement = fieldOf(snapshot.segments[0].schema, field)?.type === "strings";
  const isInOrder = listing.order === "value" && listing.ascending && !isByElement;
  const most = isInOrder ? listing.limit : Infinity;
  addGroups(snapshot.segments, query, {
    ...byField(field, grouping, tally, summing(summarize)),
    most,
  });
  const [counted, groups] = isByElement
    ? byElement(tally, grouping, query.deadline)
    : ([tally, grouping] as const);
  const begin = () => beginList(snapshot, query, field, listing);
  return listed(counted, groups, toStored, listing, query.deadline, begin);
}

/**
 * The counted values that belong in a listing.
 *
 * @param begin returns the first of them, if a late query has made these
 * @param known those of groups that have not changed since
 * @throws DeadlineError
 */
export function listed(
  { counts, totaling }: Tally,
  grouping: ValueGroups,
  toStored: (value: SortValue) => FieldValue,
  listing: Listing,
  deadline?: Deadline,
  begin: () => ValueCount[] = () => [],
  known?: KnownRows<ValueCount>,
): ValueCount[] {
  const { limit, order, ascending } = listing;
  const groups = grouping.inOrder(deadline);
  const numberOf = (by: Exclude<Listing["order"], "value">) => (group: number) =>
    by === "count" ? counts[group]! : (totaling?.[by](group) ?? -Infinity);
  const first =
    order === "value"
      ? (ascending ? groups : groups.reverse()).subarray(0, limit)
      : leading(groups, numberOf(order), listing, deadline);
  const found: (ValueCount | ValueTotals)[] = first.length > STEP_ROWS ? begin() : [];
  const rowOf = (group: number): ValueCount | ValueTotals => {
    const value = toStored(grouping.valueAt(group));
    const count = counts[group]!;
    if (totaling === undefined) return { value, count };
    return {
      value,
      count,
      sum: totaling.sum(group),
      minimum: totaling.minimum(group),
      maximum: totaling.maximum(group),
      mean: totaling.mean(group),
    };
  };
  for (let i = found.length; i < first.length; i++) {
    if (i % LISTED === 0) deadline?.check();
    const group = first[i]!;
    found[i] = known === undefined ? rowOf(group) : known.get(group, rowOf);
  }
  return found;
}

/** How many values are listed between two looks at the deadline. */
const LISTED = 1 << 9;

/** The long lists that late queries have begun, of each version. */
const lists = new Unfinished<ValueCount[]>();

function beginList(
  snapshot: Snapshot,
  { criteria, deadline }: ParsedQuery,
  field: string,
  listing: Listing,
): ValueCount[] {
  if (deadline === undefined) return [];
  const name = JSON.stringify([field, listing, textOf(criteria)]);
  const list = lists.take(snapshot, name) ?? [];
  lists.keepIfLate(snapshot, name, list, deadline);
  return list;
}

/** The approximate size of a value and its count, in bytes. */
const VALUE_BYTES = 100;

/** All values of a field, in their order, and how many rows have each. */
export class CountedValues implements Kept {
  readonly #field: Field;
  readonly #toStored: (value: SortValue) => FieldValue;
  /** Each item is frozen. */
  readonly #list: ValueCount[];
  /** The text forms of the values. */
  #textForms: TextValue[] | undefined;
  #found: readonly ValueCount[] | undefined;

  /** @param list owned by this object afterwards */
  constructor(list: ValueCount[], field: Field, toStored: (value: SortValue) => FieldValue) {
    list.forEach(Object.freeze);
    this.#list = list;
    this.#field = field;
    this.#toStored = toStored;
  }

  get bytes(): number {
    return VALUE_BYTES * this.#list.length;
  }

  /** Counts a value once more, or once less; for an array of strings, each of its elements. */
  change(value: TextValue, times: 1 | -1): boolean {
    const isArray = this.#field.type === "strings" && value !== null;
    for (const each of isArray ? new Set(parseStrings(value)) : [value]) this.#change(each, times);
    return true;
  }

  #change(value: TextValue, times: 1 | -1): void {
    const list = this.#list;
    const textForms = (this.#textForms ??= list.map(({ value }) =>
      textFormOfStored(this.#field, value),
    ));
    const at = placeAmong(textForms, value, this.#field.type);
    const known = textForms[at] === value ? list[at] : undefined;
    const replaced = known === undefined ? 0 : 1;
    const count = (known?.count ?? 0) + times;
    if (count === 0) {
      textForms.splice(at, replaced);
      list.splice(at, replaced);
    } else {
      textForms.splice(at, replaced, value);
      const stored = known === undefined ? this.#toStored(value) : known.value;
      list.splice(at, replaced, Object.freeze({ value: stored, count }));
    }
    this.#found = undefined;
  }

  /** The values and counts: the same array until a change. */
  finish(): readonly ValueCount[] {
    return (this.#found ??= Object.freeze([...this.#list]));
  }
}

/** The position of the first value that is not lower than another. */
function placeAmong(values: readonly TextValue[], value: TextValue, type: FieldType): number {
  const sought = sortValueOf(type, value);
  return bisectBy(
    values.length,
    (at) => compareSortValues(sortValueOf(type, values[at]!), sought) < 0,
  );
}
