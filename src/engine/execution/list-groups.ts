// Which groups a query lists, in which order, and their rows.

import type { Deadline } from "../algorithms/deadline.ts";
import { Totaling } from "../aggregates/totals.ts";
import { leading } from "../algorithms/leading.ts";
import { STEP_ROWS } from "../algorithms/steps.ts";
import type { Tally } from "../operators/groups/tally.ts";
import type { SortValue } from "../versions/sort-order.ts";
import { STEP_GROUPS, type MeasuredFields, type Tallied } from "./groups.ts";
import type { GroupRow, ParsedGroupBy, ParsedMeasure } from "./parsed-group-by.ts";
import { compareSortValues } from "./value-groups.ts";

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

/** The groups that belong to the page of the result. @throws DeadlineError */
export function listGroups(
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

/** The rows of groups. @throws DeadlineError */
export function rowsIn(
  { groups, rowOf }: Listing,
  deadline: Deadline | undefined,
): readonly GroupRow[] {
  const rows: GroupRow[] = [];
  for (let i = 0; i < groups.length; i++) {
    if (i % STEP_GROUPS === 0) deadline?.check();
    rows.push(rowOf(groups[i]!));
  }
  return rows;
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
