// The groups of some keys, and what is known of each.

import { parseStrings } from "../../schema/strings.ts";
import type { CompareValues, GroupState } from "../aggregates/aggregate.ts";
import { Totaling } from "../aggregates/totals.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { BLOCK_ROWS } from "../operators/groups/block.ts";
import type { MeasuredField } from "../operators/groups/measured-field.ts";
import { textFormOfValue } from "../operators/groups/read-groups.ts";
import { Tally, type Measuring } from "../operators/groups/tally.ts";
import type { SortValue } from "../versions/sort-order.ts";
import type { Grouped } from "./add-groups.ts";
import { byElement } from "./count-elements.ts";
import type { Cut } from "./cuts.ts";
import { GroupTable } from "./group-table.ts";
import type { ParsedKey, ParsedMeasure } from "./parsed-group-by.ts";
import { ValueGroups } from "./value-groups.ts";

/** How many groups are looked at between two looks at the deadline. */
export const STEP_GROUPS = 1 << 9;

/** The fields that are measured, each read once, and what is known of them in each group. */
export class MeasuredFields {
  readonly fields: MeasuredField[] = [];
  readonly measuring: Measuring[] = [];
  /** What each of `measuring` is made from: aggregates of one field may share it. */
  readonly #made: { readonly field: string; readonly state: object }[] = [];
  readonly #numberings = new Map<string, ValueGroups>();
  /** Where the state of each measure is among those of a tally; −1 for none. */
  readonly states: readonly number[];

  constructor(measures: readonly ParsedMeasure[]) {
    this.states = measures.map((measure) => {
      if (measure.kind === "records") return -1;
      if (measure.kind === "totals") return this.#stateOf(measure.field, Totaling, false);
      const { field, aggregate, toStored } = measure;
      return this.#stateOf(field, aggregate.state, toStored !== undefined);
    });
  }

  #stateOf(
    field: string,
    State: new (compare: CompareValues) => GroupState,
    isNumbered: boolean,
  ): number {
    const known = this.#made.findIndex((each) => each.field === field && each.state === State);
    if (known >= 0) return known;
    let place = this.fields.findIndex((each) => each.field === field);
    if (place < 0) {
      if (isNumbered) this.#numberings.set(field, numbering().groups);
      place = this.fields.push({ field, numbering: this.#numberings.get(field) }) - 1;
    }
    const values = this.#numberings.get(field);
    const compare: CompareValues = (a, b) => values?.compare(a, b) ?? a - b;
    this.measuring.push({ place, make: () => new State(compare) });
    return this.#made.push({ field, state: State }) - 1;
  }

  /** The number of a value of a field. */
  numberOf(field: string, value: SortValue): number {
    return this.#numberings.get(field)?.groupOf(value) ?? Number(value);
  }

  /** The value of a field that has a number. */
  valueAt(field: string, number: number): SortValue {
    return this.#numberings.get(field)?.valueAt(number) ?? null;
  }
}

/** The values of a key, and how many rows have each. */
interface KeyValues {
  readonly groups: ValueGroups;
  readonly tally: Tally;
}

/** Numbers values that are not counted. */
function numbering(cut?: Cut): KeyValues {
  const tally = new Tally();
  return { groups: new ValueGroups(tally, cut), tally };
}

/** Groups that were tallied. */
export interface Tallied {
  readonly tally: Tally;
  readonly keys: readonly KeyValues[];
  /** The number of a key in a group. */
  readonly numberOf: (group: number, key: number) => number;
}

/** The groups of some keys: each value of the only one, or each combination of their values that occurs. */
export class Groups implements Grouped {
  readonly fields: readonly string[];
  readonly groupings: readonly ValueGroups[];
  readonly tally: Tally;
  readonly measured: readonly MeasuredField[];
  readonly #keys: readonly ParsedKey[];
  readonly #values: readonly KeyValues[];
  readonly #table: GroupTable;
  readonly #groups = new Int32Array(BLOCK_ROWS);

  constructor(keys: readonly ParsedKey[], { fields, measuring }: MeasuredFields) {
    this.#keys = keys;
    this.fields = keys.map(({ field }) => field);
    this.tally = new Tally(measuring);
    this.measured = fields;
    this.#values = keys.map(({ cut }) =>
      keys.length > 1
        ? numbering(cut)
        : { groups: new ValueGroups(this.tally, cut), tally: this.tally },
    );
    this.groupings = this.#values.map(({ groups }) => groups);
    this.#table = new GroupTable(
      this.tally,
      this.#values.map(({ tally }) => tally),
    );
  }

  readonly groupsOf = (numbers: readonly Int32Array[], length: number): Int32Array =>
    this.#table.groupsOf(numbers, this.#groups, length);

  /** The group of a value of each key. */
  groupOf(values: readonly SortValue[]): number {
    const [only, ...others] = this.groupings;
    if (only !== undefined && others.length === 0) return only.groupOf(values[0] ?? null);
    const numbers = this.groupings.map((groups, key) =>
      Int32Array.of(groups.groupOf(values[key] ?? null)),
    );
    return this.groupsOf(numbers, 1)[0]!;
  }

  /** The value of each key in a group. */
  valuesOf(group: number): readonly SortValue[] {
    return this.groupings.map((groups, key) => groups.valueAt(this.#table.numberOf(group, key)));
  }

  /** The groups, by the elements of arrays if a key has some. @throws DeadlineError */
  finish(deadline: Deadline | undefined): Tallied {
    const { numberOf } = this.#table;
    const found = { tally: this.tally, keys: this.#values, numberOf };
    if (!this.#keys.some(({ type }) => type === "strings")) return found;
    const [only, ...others] = this.groupings;
    if (only === undefined || others.length > 0) return byElements(found, this.#keys, deadline);
    const [tally, groups] = byElement(this.tally, only, deadline);
    return { tally, keys: [{ groups, tally }], numberOf };
  }
}

/** The same groups by the elements of arrays, of which one key has some: a row is in the group of each of them. */
function byElements(
  { tally: ofArrays, keys: arrays, numberOf }: Tallied,
  keys: readonly ParsedKey[],
  deadline: Deadline | undefined,
): Tallied {
  const tally = ofArrays.empty();
  const place = keys.findIndex(({ type }) => type === "strings");
  const elements = numbering();
  const values = arrays.with(place, elements);
  const table = new GroupTable(
    tally,
    values.map((each) => each.tally),
  );
  const known = new Map<number, readonly number[]>();
  const elementsOf = (array: number): readonly number[] => {
    let found = known.get(array);
    if (found === undefined) {
      const text = textFormOfValue(arrays[place]!.groups.valueAt(array));
      const distinct = text === null ? [null] : [...new Set(parseStrings(text))];
      known.set(array, (found = distinct.map((each) => elements.groups.groupOf(each))));
    }
    return found;
  };
  const into = new Int32Array(1);
  for (let group = 0; group < ofArrays.size; group++) {
    if (group % STEP_GROUPS === 0) deadline?.check();
    const numbers = keys.map((_, key) => Int32Array.of(numberOf(group, key)));
    for (const element of elementsOf(numberOf(group, place))) {
      numbers[place]![0] = element;
      table.groupsOf(numbers, into, 1);
      tally.addGroup(into[0]!, ofArrays, group);
    }
  }
  return { tally, keys: values, numberOf: table.numberOf };
}
