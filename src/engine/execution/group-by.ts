// Groups the selected records by one or more keys, and measures each group.

import type { FieldType, FieldValue } from "../../schema/field.ts";
import type { RowMaker } from "../../schema/row-maker.ts";
import { parseStrings } from "../../schema/strings.ts";
import type { Aggregate, CompareValues, GroupState } from "../aggregates/aggregate.ts";
import { Totaling } from "../aggregates/totals.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { leading } from "../algorithms/leading.ts";
import { STEP_ROWS } from "../algorithms/steps.ts";
import { BLOCK_ROWS } from "../operators/groups/block.ts";
import type { MeasuredField } from "../operators/groups/measured-field.ts";
import { textFormOfValue } from "../operators/groups/read-groups.ts";
import { Tally, type Measuring } from "../operators/groups/tally.ts";
import type { ParsedQuery, SortOrder } from "../query.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import type { SortValue } from "../versions/sort-order.ts";
import { addGroups, type ChooseGroups, type Grouped } from "./add-groups.ts";
import { byElement } from "./count-elements.ts";
import type { Cut } from "./cuts.ts";
import { GroupTable } from "./group-table.ts";
import { compareSortValues, ValueGroups } from "./value-groups.ts";

/** A key to group by. */
export interface ParsedKey {
  readonly field: string;
  readonly type: FieldType;
  /** What of its values is the key. */
  readonly cut: Cut;
  /** The key as results have it. */
  readonly toStored: (value: SortValue) => FieldValue;
}

/** What is found of each group. */
export type ParsedMeasure =
  | { readonly kind: "records" }
  | { readonly kind: "totals"; readonly field: string }
  | {
      readonly kind: "aggregate";
      readonly field: string;
      readonly aggregate: Aggregate;
      readonly share: number;
      /** For fields of other values than numbers: these as results have them. */
      readonly toStored: ((value: SortValue) => FieldValue) | undefined;
    };

/** A column of the result to sort by: keys come before measures. */
export interface GroupSort {
  readonly column: number;
  readonly order: SortOrder;
}

/** A row of the result: its keys, then its measures. */
export type GroupRow = Readonly<Record<string, unknown>>;

/** A question for groups, after parsing. */
export interface ParsedGroupBy {
  readonly keys: readonly [ParsedKey, ...ParsedKey[]];
  readonly measures: readonly ParsedMeasure[];
  /** The names of the members of the result: keys, then measures. */
  readonly names: readonly string[];
  readonly makeRow: RowMaker<unknown>;
  /** Whether the result contains a row; `undefined`: every row. */
  readonly having: ((row: GroupRow) => boolean) | undefined;
  readonly sort: readonly GroupSort[];
  readonly offset: number;
  readonly limit: number;
}

/** The groups that a query lists. */
export interface Listing {
  /** Their numbers, in the order of the result. */
  readonly groups: ArrayLike<number>;
  readonly rowOf: (group: number) => GroupRow;
  readonly tally: Tally;
  /** What a measure finds of a group of a tally; `undefined` if no measure that finds numbers has this name. */
  readonly numbersIn: (
    tally: Tally,
    name: string,
  ) => ((group: number) => number | null) | undefined;
}

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
  return list(groups.finish(query.deadline), fields, asked, query.deadline);
}

function rowsIn({ groups, rowOf }: Listing, deadline: Deadline | undefined): readonly GroupRow[] {
  const rows: GroupRow[] = [];
  for (let i = 0; i < groups.length; i++) {
    if (i % STEP_GROUPS === 0) deadline?.check();
    rows.push(rowOf(groups[i]!));
  }
  return rows;
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
  const listing = list(tallied, fields, asked, undefined);
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
interface Tallied {
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

/** How many groups are looked at between two looks at the deadline. */
const STEP_GROUPS = 1 << 9;

/** The groups that belong to the page of the result. @throws DeadlineError */
function list(
  tallied: Tallied,
  fields: MeasuredFields,
  asked: ParsedGroupBy,
  deadline: Deadline | undefined,
): Listing {
  const { keys, sort, offset, limit } = asked;
  const columns = columnsOf(tallied, fields, asked);
  const isByKey = sort.some(({ column }) => column < keys.length);
  const ranks = keys.length > 1 || isByKey ? ranksOf(tallied, deadline) : [];
  const rowOf = (group: number) =>
    Object.freeze(asked.makeRow(columns.map((column) => column(group))));
  const end = offset + limit;
  const groups = having(
    inOrder(tallied, ranks, deadline),
    columns,
    sort.length === 0 ? end : Infinity,
    asked,
    deadline,
  );
  const first =
    sort.length === 0 ? groups : sorted(groups, { tallied, columns, ranks, sort, end }, deadline);
  const numbersIn = (tally: Tally, name: string) => {
    const place = asked.names.lastIndexOf(name) - keys.length;
    const measure = asked.measures[place];
    return measure && numbersBy(tally, fields.states[place]!, measure);
  };
  return { groups: first.slice(offset, end), rowOf, tally: tallied.tally, numbersIn };
}

/** Those of some groups that the result contains. @param most how many of them are needed */
function having(
  groups: Uint32Array,
  columns: readonly Column[],
  most: number,
  { keys, measures, names, makeRow, having: contains }: ParsedGroupBy,
  deadline: Deadline | undefined,
): Uint32Array {
  if (contains === undefined) return groups;
  // Criteria are on single measures. One object serves all groups: making and freezing one for each took longer than
  // summing up their rows.
  const tested = measures.flatMap(({ kind }, i) => (kind === "totals" ? [] : [keys.length + i]));
  const row = makeRow([]);
  let length = 0;
  const found = new Uint32Array(groups.length);
  for (let i = 0; i < groups.length && length < most; i++) {
    if (i % STEP_GROUPS === 0) deadline?.check();
    for (const at of tested) row[names[at]!] = columns[at]!(groups[i]!);
    if (contains(row)) found[length++] = groups[i]!;
  }
  return found.subarray(0, length);
}

/** A member of the result by group. */
type Column = (group: number) => unknown;

/** The members of the result: keys, then measures. */
function columnsOf(
  { tally, keys, numberOf }: Tallied,
  fields: MeasuredFields,
  asked: ParsedGroupBy,
): readonly Column[] {
  const ofKeys = asked.keys.map(
    ({ toStored }, key): Column =>
      (group) =>
        toStored(keys[key]!.groups.valueAt(numberOf(group, key))),
  );
  const ofMeasures = asked.measures.map((measure, i): Column => {
    const numberOf = numbersBy(tally, fields.states[i]!, measure);
    if (numberOf !== undefined) return numberOf;
    const { state } = tally.measured[fields.states[i]!]!;
    if (measure.kind !== "aggregate") {
      return (group) => (state instanceof Totaling ? Object.freeze(state.of(group)) : undefined);
    }
    const { aggregate, field, share, toStored } = measure;
    return (group) => {
      const number = aggregate.of(state, group, share);
      return number === null ? null : toStored?.(fields.valueAt(field, number));
    };
  });
  return [...ofKeys, ...ofMeasures];
}

/** What a measure finds of a group; `undefined` if that is no number. */
function numbersBy(
  { counts, measured }: Tally,
  place: number,
  measure: ParsedMeasure,
): ((group: number) => number | null) | undefined {
  if (measure.kind === "records") return (group) => counts[group]!;
  if (measure.kind === "totals") return undefined;
  const { aggregate, share, toStored } = measure;
  if (toStored !== undefined && aggregate.finds === "value") return undefined;
  const { state } = measured[place]!;
  return (group) => aggregate.of(state, group, share);
}

/** By key, the place of each number among those that occur, in the order of values. */
type Ranks = readonly Int32Array[];

function ranksOf({ tally, keys, numberOf }: Tallied, deadline: Deadline | undefined): Ranks {
  return keys.map(({ groups, tally: ofKey }, key) => {
    if (ofKey !== tally) {
      for (let group = 0; group < tally.size; group++) {
        ofKey.add(numberOf(group, key), tally.counts[group]!);
      }
    }
    const ranks = new Int32Array(ofKey.size);
    groups.inOrder(deadline).forEach((number, rank) => (ranks[number] = rank));
    return ranks;
  });
}

/** The groups that have rows, in the order of their keys. */
function inOrder(
  { tally, keys, numberOf }: Tallied,
  ranks: Ranks,
  deadline: Deadline | undefined,
): Uint32Array {
  const [only, ...others] = keys;
  if (only !== undefined && others.length === 0) return only.groups.inOrder(deadline);
  const places = ranks.map((own, key) =>
    Int32Array.from({ length: tally.size }, (_, group) => own[numberOf(group, key)]!),
  );
  const compare = checking(deadline, (a: number, b: number) => {
    for (const own of places) if (own[a] !== own[b]) return own[a]! - own[b]!;
    return 0;
  });
  return Uint32Array.from({ length: tally.size }, (_, group) => group)
    .filter((group) => tally.counts[group]! > 0)
    .sort(compare);
}

/** The first of some groups in another order than that of their keys, which orders ties. */
function sorted(
  groups: Uint32Array,
  { tallied, columns, ranks, sort, end }: Sorting,
  deadline: Deadline | undefined,
): Uint32Array | number[] {
  const ofKeys = tallied.keys.length;
  const values = sort.map(({ column }) =>
    column < ofKeys
      ? (group: number) => ranks[column]![tallied.numberOf(group, column)]!
      : columns[column]!,
  );
  const [first, ...others] = sort;
  if (first !== undefined && others.length === 0) {
    const numbers = numbersOf(groups, values[0]!, deadline);
    const wanted = { limit: end, ascending: first.order === "ASC" };
    if (numbers !== undefined) {
      return leading(groups, (_, place) => numbers[place]!, wanted, deadline);
    }
  }
  const found = values.map((by) => Array.from(groups, (group) => sortable(by(group))));
  const compare = checking(deadline, (a: number, b: number) => {
    for (let i = 0; i < sort.length; i++) {
      const order = compareSortValues(found[i]![a] ?? null, found[i]![b] ?? null);
      if (order !== 0) return sort[i]!.order === "ASC" ? order : -order;
    }
    return a - b;
  });
  return [...groups.keys()].sort(compare).map((place) => groups[place]!);
}

/** What groups are sorted by, if all of it is numbers; null is lower than these. */
function numbersOf(
  groups: Uint32Array,
  by: Column,
  deadline: Deadline | undefined,
): Float64Array | undefined {
  const numbers = new Float64Array(groups.length);
  for (let i = 0; i < groups.length; i++) {
    if (i % STEP_GROUPS === 0) deadline?.check();
    const found = sortable(by(groups[i]!)) ?? -Infinity;
    if (typeof found === "string") return undefined;
    numbers[i] = found;
  }
  return numbers;
}

/** How the rows of a result are sorted. */
interface Sorting extends Pick<ParsedGroupBy, "sort"> {
  readonly tallied: Tallied;
  readonly columns: readonly Column[];
  readonly ranks: Ranks;
  /** How many rows of the order are needed. */
  readonly end: number;
}

/** What was found as it is sorted by: of the members of a group, booleans are compared as their texts. */
const sortable = (found: unknown): SortValue =>
  typeof found === "number" || typeof found === "string"
    ? found
    : typeof found === "boolean"
      ? String(found)
      : null;

/** A comparison that looks at the deadline now and then. */
function checking(
  deadline: Deadline | undefined,
  compare: (a: number, b: number) => number,
): (a: number, b: number) => number {
  let steps = 0;
  return (a, b) => {
    if (++steps % STEP_ROWS === 0) deadline?.check();
    return compare(a, b);
  };
}
