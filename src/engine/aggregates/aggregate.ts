// What an aggregate is. aggregates.ts lists them.

import type { Field } from "../../schema/field.ts";
import type { NumberRange } from "../algorithms/exact-sum.ts";

/** What is known of the values of a field in any number of groups, which are numbered from 0. */
export interface GroupState {
  /** Makes room for this many groups. */
  reserve(groups: number): void;
  /**
   * Adds a value to each of `length` groups.
   *
   * @param values numbers; in a field of other values, each distinct value has one. No nulls
   */
  addEach(groups: Int32Array, values: Float64Array, length: number, range: NumberRange): void;
  /** Adds a value to a group so many times. */
  add(group: number, value: number, times: number): void;
  /**
   * Takes a value away from a group that has it. Without this method, and where it returns `false`, what is known of the
   * group must be read again.
   */
  remove?(group: number, value: number): boolean;
  /** Adds all values of a group of another object of the same class. */
  addGroup(group: number, others: this, other: number): void;
  /** Gives up its memory to other objects. It can't be used afterwards. */
  release?(): void;
}

/** Fields of numbers, those with an order, or any that can be counted by. */
export type AggregatedFields = "numbers" | "ordered" | "countable";

/** What of the values of a group must be known: how many there are, also the first and the last, or each of them. */
export type AggregatedValues = "count" | "extremes" | "each";

/** Compares two values by their numbers. */
export type CompareValues = (a: number, b: number) => number;

/** One aggregate: everything that is said of it anywhere derives from this. */
export interface Aggregate<State extends GroupState = GroupState> {
  /** The fields that it applies to. */
  readonly fields: AggregatedFields;
  /** Whether it takes a share from 0 to 1 as well. */
  readonly takesShare?: true;
  /** What of the values it needs: a database sends no more. */
  readonly needs: AggregatedValues;
  /** What it finds: a count, a number, or one of the values. */
  readonly finds: "count" | "number" | "value";
  /** Aggregates of one field with the same class share an object. */
  readonly state: new (compare: CompareValues) => State;
  /** Of the values in a group; `null` if it has none. A method, since only states of its own class reach it. */
  of(state: State, group: number, share: number): number | null;
  /** The same aggregate of other values than numbers, if they need another state. */
  readonly ofValues?: Aggregate;
  /** What it is, for people. */
  readonly words: string;
}

/** Declares an aggregate. */
export function aggregate<
  State extends GroupState,
  const Declared extends Pick<Aggregate, "fields" | "finds" | "takesShare">,
>(declared: Aggregate<State> & Declared): Aggregate & Declared {
  return declared;
}

/** Whether an aggregate applies to a field. */
export function appliesTo({ fields }: Aggregate, { type }: Field): boolean {
  if (type === "json") return false;
  if (fields === "numbers") return type === "int" || type === "float";
  return fields === "countable" || type !== "strings";
}
