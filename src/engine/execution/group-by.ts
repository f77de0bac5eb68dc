// Groups the selected records by one or more keys, and measures each group.

import type { ParsedQuery } from "../query.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import type { SortValue } from "../versions/sort-order.ts";
import { addGroups, type ChooseGroups } from "./add-groups.ts";
import { Groups, MeasuredFields } from "./groups.ts";
import { listGroups, rowsIn, type Listing } from "./list-groups.ts";
import type { GroupRow, ParsedGroupBy } from "./parsed-group-by.ts";

/** The groups of the selected records as rows. @throws DeadlineError */
export function groupBy(
  snapshot: Snapshot,
  query: ParsedQuery,
  asked: ParsedGroupBy,
  choose?: ChooseGroups,
): readonly GroupRow[] {
  const listing = groupsIn(snapshot, query, asked, choose);
  const rows = rowsIn(listing, query.deadline);
  listing.tally.release();
  return rows;
}

/**
 * The groups of the selected records. Cost: that of `countBy` for each key and measure.
 *
 * @param choose chooses how rows are grouped. Default: the cheapest way
 * @throws DeadlineError
 */
export function groupsIn(
  { segments }: Snapshot,
  query: ParsedQuery,
  asked: ParsedGroupBy,
  choose?: ChooseGroups,
): Listing {
  const fields = new MeasuredFields(asked.measures);
  const groups = new Groups(asked.keys, fields);
  addGroups(segments, query, groups, choose);
  return listGroups(groups.finish(query.deadline), fields, asked, query.deadline);
}

/** Groups records that were counted elsewhere: by their keys, and by the values of each measured field. */
export class CountedGroups {
  readonly #asked: ParsedGroupBy;
  readonly #fields: MeasuredFields;
  readonly #groups: Groups;

  constructor(asked: ParsedGroupBy) {
    this.#asked = asked;
    this.#fields = new MeasuredFields(asked.measures);
    this.#groups = new Groups(asked.keys, this.#fields);
  }

  /** The number of the group of records with these values in the fields of the keys. */
  groupOf(values: readonly SortValue[]): number {
    return this.#groups.groupOf(values);
  }

  /** Adds records to a group, without their values. */
  addRecords(group: number, records: number): void {
    this.#groups.tally.add(group, records);
  }

  /** Adds a value of a field to a group, so many times; not null. */
  addValue(group: number, field: string, value: SortValue, times: number): void {
    const number = this.#fields.numberOf(field, value);
    for (const { place, state } of this.#groups.tally.measured) {
      if (this.#fields.fields[place]!.field === field) state.add(group, number, times);
    }
  }

  /** The rows of the result. To be called once, when everything was added. */
  rows(): readonly GroupRow[] {
    return rowsOf(this.#groups, this.#fields, this.#asked);
  }
}

/** The rows of groups to which everything was added. @param known those of groups that have not changed since */
export function rowsOf(
  groups: Groups,
  fields: MeasuredFields,
  asked: ParsedGroupBy,
  known = new KnownRows<GroupRow>(),
): readonly GroupRow[] {
  const tallied = groups.finish(undefined);
  const listing = listGroups(tallied, fields, asked, undefined);
  // Elements of arrays are numbered anew each time.
  if (tallied.tally !== groups.tally) return rowsIn(listing, undefined);
  return rowsIn({ ...listing, rowOf: (group) => known.get(group, listing.rowOf) }, undefined);
}

/** The rows of groups, until these change. */
export class KnownRows<Row extends object> {
  readonly #rows = new Map<number, Row>();

  get(group: number, rowOf: (group: number) => Row): Row {
    let row = this.#rows.get(group);
    if (row === undefined) this.#rows.set(group, (row = Object.freeze(rowOf(group))));
    return row;
  }

  delete(group: number): void {
    this.#rows.delete(group);
  }
}
