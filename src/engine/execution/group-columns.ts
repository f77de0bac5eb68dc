// The groups of a query as columns: numbers in typed arrays, and rows that are made when they are read.

import { InputError, quote } from "../../schema/errors.ts";
import type { Listing } from "./list-groups.ts";
import type { Tally } from "../operators/groups/tally.ts";

/** Groups, in the order of their query: what was found of them as arrays, and each as an object when it is read. */
export class GroupColumns<Group = unknown, Name extends string = string> {
  /** How many groups there are. */
  readonly size: number;
  readonly #listing: Listing;
  #total: Tally | undefined;

  /** @internal */
  constructor(listing: Listing) {
    this.#listing = listing;
    this.size = listing.groups.length;
  }

  /**
   * The group at a position, as `groupBy` returns it. Cost: constant.
   *
   * @throws InputError if there is none
   */
  at(position: number): Group {
    const { groups, rowOf } = this.#listing;
    const group = groups[position];
    if (group !== undefined) return rowOf(group) as Group;
    const reason =
      this.size === 0
        ? "there are no groups"
        : `must be an integer from 0 to ${this.size - 1}, not ${position}`;
    throw new InputError("position", reason);
  }

  /**
   * What a measure found of each group, by position; NaN stands for `null`. The caller owns the array. Cost: linear in
   * the groups.
   *
   * @throws InputError if no measure that finds numbers has this name
   */
  numbers(name: Name): Float64Array {
    const { groups, tally } = this.#listing;
    const numberOf = this.#numbersIn(tally, name);
    const found = new Float64Array(groups.length);
    for (let i = 0; i < groups.length; i++) found[i] = numberOf(groups[i]!) ?? NaN;
    return found;
  }

  /**
   * What a measure finds of the records of all these groups together; a record counts once for each group that it is
   * in. Cost: linear in the groups; for `quantile`, in the records.
   *
   * @throws InputError if no measure that finds numbers has this name
   */
  total(name: Name): number | null {
    const { groups, tally } = this.#listing;
    return this.#numbersIn((this.#total ??= tally.together(groups)), name)(0);
  }

  #numbersIn(tally: Tally, name: Name): (group: number) => number | null {
    const numberOf = this.#listing.numbersIn(tally, name);
    if (numberOf !== undefined) return numberOf;
    throw new InputError("name", `must be that of a measure of numbers, not ${quote(name)}`);
  }
}
