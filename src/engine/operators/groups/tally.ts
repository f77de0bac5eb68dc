// The groups of rows: how many rows each has, and what is known of other fields in them. The basis of `groupBy`, `countBy`,
// `histogram` and `summary`.

import type { GroupState } from "../../aggregates/aggregate.ts";
import { Totaling } from "../../aggregates/totals.ts";
import type { Codes } from "../../indexes/field-index.ts";
import { BLOCK_ROWS, countEach, withoutNulls } from "./block.ts";
import type { FieldBatch } from "./measured-field.ts";

/** What is to be known of a measured field in each group. */
export interface Measuring {
  /** The position of the field among those that are measured. */
  readonly place: number;
  readonly make: () => GroupState;
}

/** How often a row counts. */
export type Times = 1 | 0 | -1;

interface Measured extends Measuring {
  readonly state: GroupState;
}

/** How many rows each group has, and what is known of other fields in them. Groups are numbered from 0. */
export class Tally {
  readonly measured: readonly Measured[];
  #size = 0;
  #counts = new Float64Array(0);

  constructor(measuring: readonly Measuring[] = []) {
    this.measured = measuring.map((each) => ({ ...each, state: each.make() }));
  }

  /** Sums up one field of numbers. */
  static ofTotals(isSummed: boolean): Tally {
    return new Tally(isSummed ? [{ place: 0, make: () => new Totaling() }] : []);
  }

  /** A tally of the same fields without groups. */
  empty(): Tally {
    return new Tally(this.measured);
  }

  /** To be called when nothing of it is needed anymore: later queries then reuse its memory. */
  release(): void {
    for (const { state } of this.measured) state.release?.();
  }

  /** The totals of the field, if one is summed up. */
  get totaling(): Totaling | undefined {
    const state = this.measured[0]?.state;
    return state instanceof Totaling ? state : undefined;
  }

  /** How many groups there are. */
  get size(): number {
    return this.#size;
  }

  /** How many rows each group has; the array may be longer than the number of groups. */
  get counts(): Float64Array {
    return this.#counts;
  }

  /** Adds empty groups. @returns the first of them */
  addGroups(more: number): number {
    const first = this.#size;
    this.#size += more;
    if (this.#size > this.#counts.length) {
      const capacity = first === 0 ? more : 2 * this.#size;
      const counts = new Float64Array(capacity);
      counts.set(this.#counts);
      this.#counts = counts;
      for (const { state } of this.measured) state.reserve(capacity);
    }
    return first;
  }

  add(group: number, rows: number): void {
    this.#counts[group]! += rows;
  }

  /**
   * Adds a row to a group, or takes it away.
   *
   * @param numbers its value of each measured field; −Infinity stands for null
   * @returns whether what is known of the group is still right
   */
  change(group: number, numbers: readonly number[], times: 1 | -1): boolean {
    this.#counts[group]! += times;
    let isRight = true;
    for (const { place, state } of this.measured) {
      const number = numbers[place]!;
      if (number === -Infinity) continue;
      if (times === 1) state.add(group, number, 1);
      else isRight = state.remove?.(group, number) === true && isRight;
    }
    return isRight;
  }

  /** Adds the rows of a group of another tally of the same fields, and what is known of these. */
  addGroup(group: number, others: Tally, other: number): void {
    this.#counts[group]! += others.#counts[other]!;
    this.measured.forEach(({ state }, i) => {
      state.addGroup(group, others.measured[i]!.state, other);
    });
  }

  /** A tally of one group: the rows of some of these groups. */
  together(groups: ArrayLike<number>): Tally {
    const found = this.empty();
    found.addGroups(1);
    for (let i = 0; i < groups.length; i++) found.add(0, this.#counts[groups[i]!]!);
    found.measured.forEach(({ state }, place) => {
      const others = this.measured[place]!.state;
      for (let i = 0; i < groups.length; i++) state.addGroup(0, others, groups[i]!);
    });
    return found;
  }

  /**
   * Adds rows to the groups of their codes, if no field is measured.
   *
   * @param groupOf the group of each code. Default: the codes are the groups
   */
  addByCode(
    codes: Codes,
    groupOf: Codes | undefined,
    rows: ArrayLike<number>,
    from: number,
    to: number,
    times: Times,
  ): void {
    const counts = this.#counts;
    if (groupOf === undefined) for (let i = from; i < to; i++) counts[codes[rows[i]!]!]! += times;
    else for (let i = from; i < to; i++) counts[groupOf[codes[rows[i]!]!]!]! += times;
  }

  /**
   * Adds a row to each of `length` groups; if fields are measured, of up to {@link BLOCK_ROWS}.
   *
   * @param times how often it counts: 0 if it was counted before
   * @param fields their values of the measured fields
   */
  addRows(
    groups: Int32Array,
    length: number,
    times: Times,
    fields: readonly FieldBatch[] = [],
  ): void {
    if (times !== 0) countEach(this.#counts, groups, length, times);
    for (let place = 0; place < fields.length; place++) {
      const { values, range, mayHaveNulls } = fields[place]!;
      const [some, numbers] = mayHaveNulls ? [knownGroups, knownNumbers] : [groups, values];
      const known = mayHaveNulls
        ? withoutNulls(groups, values, length, knownGroups, knownNumbers)
        : length;
      for (const measured of this.measured) {
        if (measured.place === place) measured.state.addEach(some, numbers, known, range);
      }
    }
  }
}

/** The rows of a block in which a field is not null, for one call. */
const knownGroups = new Int32Array(BLOCK_ROWS);
const knownNumbers = new Float64Array(BLOCK_ROWS);
