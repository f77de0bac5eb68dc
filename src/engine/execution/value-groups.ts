// Rows grouped by the value of a field, or by the first characters of its strings, in value order.

import {
  isNumeric,
  storedValue,
  type Field,
  type FieldType,
  type FieldValue,
  type RecordForm,
  type TextValue,
} from "../../schema/field.ts";
import { parseNumber } from "../../schema/numbers.ts";
import { compareCodePoints } from "../../schema/order.ts";
import { bisect } from "../algorithms/bisect.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { sortNumbers } from "../algorithms/radix-sort.ts";
import { finish, STEP_ROWS } from "../algorithms/steps.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import type { SortValue } from "../versions/sort-order.ts";
import { WHOLE, type Cut } from "./cuts.ts";
import {
  valueOfCode,
  textFormOfValue,
  type GroupedBuckets,
  type Grouping,
} from "../operators/groups/read-groups.ts";
import type { Tally } from "../operators/groups/tally.ts";

/** The index whose buckets are the first groups: usually that of the base, which has most of the values. */
interface First {
  readonly index: FieldIndex;
  readonly bounds: Uint32Array | undefined;
  readonly buckets: number;
}

/** A group outside the first index, and the first bucket that comes after it. */
interface OtherGroup {
  readonly value: SortValue;
  readonly group: number;
  readonly before: number;
}

export class ValueGroups implements Grouping {
  readonly #tally: Tally;
  readonly #cut: Cut;
  #first: First | undefined;
  #latest: GroupedBuckets | undefined;
  /** The values of the groups that are not buckets of the first index, by group number. */
  readonly #values: SortValue[] = [];
  readonly #groups = new Map<SortValue, number>();
  /** These groups in the order of their values, when that was last asked for. */
  #sorted: readonly OtherGroup[] = [];

  /** @param cut what of a value is the key of its group. Default: all of it */
  constructor(tally: Tally, cut: Cut = WHOLE) {
    this.#tally = tally;
    this.#cut = cut;
  }

  get size(): number {
    return this.#tally.size;
  }

  groupOf(value: SortValue): number {
    const key = this.#cut.keyOf(value);
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = this.#inFirst(key) ?? this.#tally.addGroups(1);
      if (group >= this.#buckets) this.#values.push(key);
      this.#groups.set(key, group);
    }
    return group;
  }

  rangeOf(number: number): readonly [from: number, end: number] {
    return number === -Infinity ? [0, 0] : (this.#cut.rangeOf?.(number) ?? [0, 0]);
  }

  bucketsOf(index: FieldIndex): GroupedBuckets {
    if (this.#latest?.index !== index) this.#latest = this.#newBuckets(index);
    return this.#latest;
  }

  #newBuckets(index: FieldIndex): GroupedBuckets {
    const { boundsIn, isInOrder } = this.#cut;
    const bounds = boundsIn?.(index);
    const buckets = bounds === undefined ? index.values.length : bounds.length - 1;
    if (this.#tally.size === 0 && isInOrder) {
      this.#first = { index, bounds, buckets };
      this.#tally.addGroups(buckets);
      return { index, bounds };
    }
    const groupOf = (bucket: number) =>
      this.groupOf(valueOfCode(index, bounds?.[bucket] ?? bucket));
    return { index, bounds, groupOf };
  }

  /** The non-empty groups in the order of their values, null first. @throws DeadlineError */
  inOrder(deadline: Deadline | undefined): Uint32Array {
    const { counts, size } = this.#tally;
    const buckets = this.#buckets;
    const others = this.#othersInOrder(deadline);
    const order = new Uint32Array(size);
    let length = 0;
    let next = 0;
    for (let bucket = 0; bucket < buckets; bucket++) {
      while (next < others.length && others[next]!.before <= bucket) {
        order[length++] = others[next++]!.group;
      }
      if (counts[bucket]! > 0) order[length++] = bucket;
    }
    while (next < others.length) order[length++] = others[next++]!.group;
    return order.subarray(0, length);
  }

  /** The non-empty groups, in any order. */
  present(): Uint32Array {
    const { counts, size } = this.#tally;
    const groups = new Uint32Array(size);
    let length = 0;
    for (let group = 0; group < size; group++) if (counts[group]! > 0) groups[length++] = group;
    return groups.subarray(0, length);
  }

  /** The value of a group, or the first characters of its values, as it is sorted by. */
  valueAt(group: number): SortValue {
    const first = this.#first;
    if (first === undefined || group >= first.buckets) return this.#values[group - this.#buckets]!;
    return this.#cut.keyOf(valueOfCode(first.index, first.bounds?.[group] ?? group));
  }

  /** Compares the values of two groups. */
  compare(a: number, b: number): number {
    const buckets = this.#buckets;
    return a < buckets && b < buckets ? a - b : compareSortValues(this.valueAt(a), this.valueAt(b));
  }

  /** Whether a group has the rows with null, whose code is 0. */
  isNull(group: number): boolean {
    const first = this.#first;
    if (first === undefined || group >= first.buckets) return this.valueAt(group) === null;
    return (first.bounds?.[group] ?? group) === 0;
  }

  /** The index whose codes are the first groups, if there is one. */
  get index(): FieldIndex | undefined {
    return this.#first?.index;
  }

  /** The numbers of groups in a field of numbers; NaN stands for null. */
  numbersAt(groups: Uint32Array): Float64Array<ArrayBuffer> {
    const numbers =
      this.#first?.bounds === undefined ? this.#first?.index.values.numbers : undefined;
    const known = numbers === undefined ? 0 : this.#buckets;
    const found = new Float64Array(groups.length);
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i]!;
      const number = group < known ? numbers![group]! : Number(this.valueAt(group) ?? -Infinity);
      found[i] = number === -Infinity ? NaN : number;
    }
    return found;
  }

  get #buckets(): number {
    return this.#first?.buckets ?? 0;
  }

  /** The bucket of the first index that contains a value. */
  #inFirst(key: SortValue): number | undefined {
    const bucket = this.#bucketFrom(key);
    return bucket < this.#buckets && this.valueAt(bucket) === key ? bucket : undefined;
  }

  /** The first bucket whose value is not lower, or the number of buckets. */
  #bucketFrom(key: SortValue): number {
    if (this.#first === undefined) return 0;
    const { index, bounds } = this.#first;
    const textForm = textFormOfValue(key);
    const code = textForm === null ? 0 : index.firstCodeOf(textForm);
    return bounds === undefined ? code : bisect(bounds, code);
  }

  /** The non-empty groups outside the first index, each with the first bucket that comes after it. */
  #othersInOrder(deadline: Deadline | undefined) {
    const { counts } = this.#tally;
    if (this.#sorted.length !== this.#values.length) this.#sorted = this.#sort(deadline);
    return this.#sorted.filter(({ group }) => counts[group]! > 0);
  }

  #sort(deadline: Deadline | undefined): readonly OtherGroup[] {
    const buckets = this.#buckets;
    return Array.from(placesInOrder(this.#values, deadline), (place) => {
      const value = this.#values[place]!;
      return { value, group: buckets + place, before: this.#bucketFrom(value) };
    });
  }
}

/** The places of values in their order. @throws DeadlineError */
function placesInOrder(
  values: readonly SortValue[],
  deadline: Deadline | undefined,
): ArrayLike<number> {
  const places = Uint32Array.from(values.keys());
  if (values.every((value) => typeof value === "number")) {
    finish(sortNumbers(Float64Array.from(values), places, false), deadline);
    return places;
  }
  let steps = 0;
  return places.sort((a, b) => {
    if (++steps % STEP_ROWS === 0) deadline?.check();
    return compareSortValues(values[a]!, values[b]!);
  });
}

/** Converts a value from its text form to the form in which it is sorted. */
export function sortValueOf(type: FieldType, textForm: TextValue): SortValue {
  if (!isNumeric(type)) return textForm;
  return textForm === null ? -Infinity : parseNumber(textForm);
}

/** The value of a group as records hold it; for a strings field, an element. */
export function groupValueIn(form: RecordForm, field: Field): (value: SortValue) => FieldValue {
  if (field.type === "strings") return textFormOfValue;
  if (form === "values" && isNumeric(field.type)) {
    return (value) =>
      value === -Infinity ? null : typeof value === "string" ? parseNumber(value) : value;
  }
  return (value) => storedValue(form, field, textFormOfValue(value));
}

/** Compares two values of a field in the form in which they are sorted: null first. */
export function compareSortValues(a: SortValue, b: SortValue): number {
  if (a === b) return 0;
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (a === null) return -1;
  return b === null ? 1 : compareCodePoints(String(a), String(b));
}
