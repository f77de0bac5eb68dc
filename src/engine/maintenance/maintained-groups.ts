// Groups that follow changes: each changed record leaves its group and enters another. Sums are exact, so what is taken
// away leaves no trace; if an extreme leaves its group, the question is asked again.

import type { Schema } from "../../schema/schema.ts";
import type { RecordChange, Version } from "../columns/record-change.ts";
import { addGroups } from "../execution/add-groups.ts";
import { WHOLE } from "../execution/cuts.ts";
import { Groups, MeasuredFields } from "../execution/groups.ts";
import { KnownRows } from "../execution/group-by.ts";
import type { ParsedKey, ParsedMeasure } from "../execution/parsed-group-by.ts";
import type { ParsedQuery } from "../query.ts";
import { tuning } from "../tuning.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import type { SortValue } from "../versions/sort-order.ts";
import type { Maintained } from "./maintained.ts";
import { RowReaders } from "./row-readers.ts";

/** Where a record belongs, and its values of the measured fields. */
interface Member {
  readonly group: number;
  readonly numbers: readonly number[];
}

/** Makes an answer from groups. @param known the rows of groups that have not changed since the last one */
type AnswerOf<Row extends object> = (
  groups: Groups,
  fields: MeasuredFields,
  known: KnownRows<Row>,
) => unknown;

export class MaintainedGroups<Row extends object> implements Maintained {
  readonly follows: boolean;
  readonly #keys: readonly ParsedKey[];
  readonly #readers: RowReaders;
  readonly #groups: Groups;
  readonly #fields: MeasuredFields;
  readonly #answer: AnswerOf<Row>;
  readonly #known = new KnownRows<Row>();

  private constructor(
    schema: Schema,
    keys: readonly ParsedKey[],
    groups: Groups,
    fields: MeasuredFields,
    answer: AnswerOf<Row>,
    follows: boolean,
  ) {
    this.follows = follows;
    this.#keys = keys;
    this.#readers = new RowReaders(
      schema,
      [...keys, ...fields.fields].map(({ field }) => field),
    );
    this.#groups = groups;
    this.#fields = fields;
    this.#answer = answer;
  }

  /**
   * Groups the selected records.
   *
   * @param answer makes the answer from the groups
   * @returns `undefined` if the groups can't be maintained, because a measure needs all values; very many groups are not
   *   followed
   * @throws DeadlineError
   */
  static of<Row extends object>(
    snapshot: Snapshot,
    query: ParsedQuery,
    keys: readonly ParsedKey[],
    measures: readonly ParsedMeasure[],
    answer: AnswerOf<Row>,
  ): MaintainedGroups<Row> | undefined {
    const { schema } = snapshot.segments[0];
    const fields = new MeasuredFields(measures);
    const found = new Groups(keys, fields);
    // Other values than numbers are numbered by an index of this version.
    if (fields.fields.some(({ numbering }) => numbering !== undefined)) return undefined;
    if (found.tally.measured.some(({ state }) => state.remove === undefined)) return undefined;
    addGroups(snapshot.segments, query, found);
    const { tally } = found;
    if (tally.size > tuning.mostFollowedGroups) {
      return new MaintainedGroups(schema, keys, found, fields, answer, false);
    }
    // Groups of their own, without an index of this version, whose keys are cut already.
    const own = new Groups(
      keys.map((key) => ({ ...key, cut: WHOLE })),
      fields,
    );
    for (let group = 0; group < tally.size; group++) {
      if (tally.counts[group] === 0) continue;
      own.tally.addGroup(own.groupOf(found.valuesOf(group)), tally, group);
    }
    return new MaintainedGroups(schema, keys, own, fields, answer, true);
  }

  change({ before, after }: RecordChange): boolean | undefined {
    const { tally } = this.#groups;
    const left = before && this.#memberOf(before);
    const entered = after && this.#memberOf(after);
    if (left !== undefined && entered !== undefined && isSame(left, entered)) return false;
    // What enters first may be the next extreme.
    if (entered !== undefined) this.#change(entered, 1);
    if (left !== undefined && !this.#change(left, -1)) return undefined;
    // Empty groups remain.
    return tally.size > 2 * tuning.mostFollowedGroups ? undefined : true;
  }

  #change({ group, numbers }: Member, times: 1 | -1): boolean {
    this.#known.delete(group);
    return this.#groups.tally.change(group, numbers, times);
  }

  answer(): unknown {
    return this.#answer(this.#groups, this.#fields, this.#known);
  }

  #memberOf({ rows, row }: Version): Member {
    const readers = this.#readers.of(rows);
    const keys = this.#keys;
    const values: SortValue[] = [];
    const numbers: number[] = [];
    for (let i = 0; i < readers.length; i++) {
      const value = readers[i]!(row);
      if (i < keys.length) values.push(keys[i]!.cut.keyOf(value));
      else numbers.push(Number(value));
    }
    return { group: this.#groups.groupOf(values), numbers };
  }
}

const isSame = (a: Member, b: Member) =>
  a.group === b.group && a.numbers.every((number, i) => number === b.numbers[i]);
