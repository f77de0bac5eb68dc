// Groups the records that criteria select: queries of the library, whose groups become those of the page.

import type { Collection, Measure as Asked } from "../../index.ts";
import { millisecondsOf, stepsFrom } from "../calendar.ts";
import { withCriteria } from "../criteria-list.ts";
import { isAdditive, isInSeveral, isNumber, STEPS } from "../groups.ts";
import type { Group, GroupBy, Groups, Measured, Measure as MeasureName } from "../groups.ts";
import type { CriteriaList, FieldInfo, Scalar } from "../messages.ts";
import type { ColumnsOf } from "./columns.ts";
import { keysOf, partsOf, type Keys } from "./group-keys.ts";

/** Steps of the calendar without records are listed too, if there are at most so many steps. */
const MOST_STEPS = 2000;

/** Groups are sorted as soon as there are so many times as are wanted. */
const BATCH = 4;

const QUANTILES = new Map<MeasureName, number>([
  ...([
    ["median", 0.5],
    ["p90", 0.9],
  ] as const),
  ...([
    ["p95", 0.95],
    ["p99", 0.99],
  ] as const),
]);

/** A measure as queries have it. */
export function measureOf(measure: MeasureName, of: string): Asked {
  const share = QUANTILES.get(measure);
  if (share !== undefined) return ["quantile", of, share];
  return measure === "count" ? "count" : ([measure, of] as Asked);
}

/** @param limit how many groups are wanted @throws CriteriaError */
export function groupBy(
  collection: Collection,
  columnsOf: ColumnsOf,
  criteria: CriteriaList,
  of: GroupBy,
  fields: readonly FieldInfo[],
  limit: number,
): Groups {
  const start = performance.now();
  const field = fields.find(({ name }) => name === of.by);
  if (field === undefined) throw new RangeError(`there is no field ${of.by}`);
  const { where } = of;
  const find = (keys: Keys) => {
    const { criteria: list } = keys;
    const having = where && withCriteria(list, [[where[0], "in", [where[1]]]]);
    const all = measuredBy(collection, keys, of, field, fields);
    const some = having && measuredBy(collection, { ...keys, criteria: having }, of, field, fields);
    return { all, some, list: listOf(keys, of, all, some) };
  };
  const keys = keysOf(collection, columnsOf, criteria, of, field);
  const { all, some, list } = find(keys);
  const parts = partsOf(collection, keys, of.part, field);
  const listed = parts === undefined ? list : joined(parts.map((each) => find(each).list));
  const groups = ranked(of, listed, limit).map(listed.at);
  const found = countOf(listed, of);
  return {
    of,
    groups:
      isAdditive(of.measure) && of.least === 1 && of.having === undefined
        ? withSteps(groups, of, field)
        : groups,
    found,
    smaller: listed.records.length - found,
    total: all.total,
    within: some?.total,
    nulls: all.nulls,
    milliseconds: performance.now() - start,
  };
}

/** Groups of a query, in the order of their keys. */
interface Found {
  readonly records: Float64Array;
  /** NaN if a group has no number. */
  readonly values: Float64Array;
  /** What else was measured, and at last how many records have a value, if some may have none. */
  readonly more: readonly Float64Array[];
  readonly isNullable: boolean;
  readonly keyAt: (place: number) => Scalar;
  /** Of all records. */
  readonly total: Measured;
  /** How many records have no number. */
  readonly nulls: number;
}

/** @throws CriteriaError */
function measuredBy(
  collection: Collection,
  { by, criteria }: Keys,
  { measure, of, also = [] }: GroupBy,
  field: FieldInfo,
  fields: readonly FieldInfo[],
): Found {
  const isCount = measure === "count";
  const asked = criteria.length === 0 ? null : criteria;
  const measured = fields.find(({ name }) => name === of);
  const isNullable = !isCount && measured?.nullable === true;
  const others = isCount ? [] : also;
  const measures: Record<string, Asked> = { records: "count", value: measureOf(measure, of) };
  for (const [i, each] of others.entries()) measures[`other${i}`] = measureOf(each, of);
  if (isNullable) measures.values = ["count", of];
  const ask = (key: Keys["by"]) =>
    collection.groupColumns({ by: { ...key, as: "key" }, measures, criteria: asked });
  const columns = ask(by);
  const records = columns.numbers("records");
  const isTwice = isInSeveral(field);
  // A record is in the group of each of its strings, but once in those of what is measured.
  const all = isTwice ? collection.count(asked) : (columns.total("records") ?? 0);
  const whole =
    !isTwice || measured === undefined
      ? columns
      : ask(isNumber(measured) ? { field: of, edges: [0] } : { field: of });
  const names = [...others.map((_, i) => `other${i}`), ...(isNullable ? ["values"] : [])];
  const values = isNullable ? (whole.total("values") ?? 0) : undefined;
  return {
    records,
    values: isCount ? records : columns.numbers("value"),
    more: names.map((name) => columns.numbers(name)),
    isNullable,
    keyAt: (place) => columns.at(place).key as Scalar,
    total: {
      records: all,
      value: isCount ? all : whole.total("value"),
      ...(others.length > 0 && { others: others.map((_, i) => whole.total(`other${i}`)) }),
      ...(values !== undefined && { values }),
    },
    nulls: values === undefined ? 0 : all - values,
  };
}

/** Groups of the page. */
interface List extends Pick<Found, "records" | "values"> {
  readonly at: (place: number) => Group;
}

/** @param some what was found of the records with the value asked for */
function listOf(keys: Keys, of: GroupBy, all: Found, some: Found | undefined): List {
  const none: Measured = {
    records: 0,
    value: isAdditive(of.measure) || of.measure === "distinct" ? 0 : null,
  };
  let places: ReadonlyMap<Scalar, number> | undefined;
  const within = (key: Scalar): Measured | undefined => {
    if (some === undefined) return undefined;
    places ??= new Map(Array.from(some.records, (_, place) => [some.keyAt(place), place]));
    const place = places.get(key);
    return place === undefined ? none : measuredAt(some, place);
  };
  const groupOf = (key: Scalar, measured: Measured): Group => ({
    ...keys.keyOf(key),
    ...measured,
    within: within(key),
  });
  const at = (place: number) => groupOf(all.keyAt(place), measuredAt(all, place));
  if (keys.always.length === 0) return { ...all, at };
  const known = new Map(Array.from(all.records, (_, place) => [all.keyAt(place), place]));
  const missing = keys.always.filter((key) => !known.has(key));
  return ofGroups(
    [...known.keys(), ...missing]
      .sort((a, b) => (a === null ? -1 : b === null ? 1 : Number(a) - Number(b)))
      .map((key) => {
        const place = known.get(key);
        return place === undefined ? groupOf(key, none) : at(place);
      }),
  );
}

function measuredAt({ records, values, more, isNullable }: Found, place: number): Measured {
  const others = more.map((each) => orNull(each[place]));
  const known = isNullable ? (others.pop() ?? 0) : undefined;
  return {
    records: records[place] ?? 0,
    value: orNull(values[place]),
    ...(others.length > 0 && { others }),
    ...(known !== undefined && { values: known }),
  };
}

const orNull = (number = NaN): number | null => (Number.isNaN(number) ? null : number);

const ofGroups = (groups: readonly Group[]): List => ({
  records: Float64Array.from(groups, ({ records }) => records),
  values: Float64Array.from(groups, ({ value }) => value ?? NaN),
  at: (place) => groups[place]!,
});

/** The groups of several lists, one after the other. */
function joined([first, ...others]: readonly List[]): List {
  if (first !== undefined && others.length === 0) return first;
  const lists = first === undefined ? [] : [first, ...others];
  return ofGroups(lists.flatMap(({ records, at }) => Array.from(records, (_, place) => at(place))));
}

/** Whether a group is listed. Weekdays without records are, too, unless groups have to have some. */
function isListed({ least, having }: GroupBy, { records, values }: List, place: number): boolean {
  if (least > 1 && records[place]! < least) return false;
  if (having === undefined) return true;
  const [bound, value] = having;
  return bound === "at least" ? values[place]! >= value : values[place]! <= value;
}

function countOf(list: List, of: GroupBy): number {
  const { length } = list.records;
  if (of.least <= 1 && of.having === undefined) return length;
  let found = 0;
  for (let place = 0; place < length; place++) if (isListed(of, list, place)) found++;
  return found;
}

/** The first groups in the order asked for, of those with enough records. */
function ranked(of: GroupBy, list: List, limit: number): readonly number[] {
  const { order } = of;
  const { records } = list;
  const score = scoreBy(of, list);
  let kept: number[] = [];
  let bar = -Infinity;
  const settle = () => {
    // Ties stay in the order of values.
    kept = kept.sort((a, b) => score(b) - score(a) || a - b).slice(0, limit);
    if (kept.length === limit) bar = score(kept[limit - 1] ?? 0);
  };
  for (let place = 0; place < records.length; place++) {
    if (!isListed(of, list, place)) continue;
    if (order === "key") {
      if (kept.length === limit) break;
      kept.push(place);
    } else if (score(place) > bar || kept.length < limit) {
      kept.push(place);
      if (kept.length >= BATCH * limit) settle();
    }
  }
  if (order !== "key") settle();
  return kept;
}

/** What has no measure comes last. */
function scoreBy({ order, measure, where }: GroupBy, { values, at }: List) {
  const known = (score: number) => (Number.isNaN(score) ? -Number.MAX_VALUE : score);
  if (order === "least") return (place: number) => known(-values[place]!);
  if (order !== "share" || where === undefined) return (place: number) => known(values[place]!);
  const parts = Float64Array.from(values, (_, place) => at(place).within?.value ?? NaN);
  return isAdditive(measure)
    ? (place: number) => known(parts[place]! / values[place]!)
    : (place: number) => known(parts[place]!);
}
/** With the steps of the calendar between the first and the last that have no records: they count 0. */
function withSteps(groups: readonly Group[], of: GroupBy, field: FieldInfo): readonly Group[] {
  const part = STEPS.find((each) => each === of.part);
  if (part === undefined || of.order !== "key" || field.unit === undefined) return groups;
  const steps = groups.filter(({ end }) => end !== undefined);
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return groups;
  const scale = millisecondsOf(field.unit);
  const start = stepsFrom(part, Number(first.key) * scale, of.zone);
  const known = new Map(steps.map((each) => [each.key, each]));
  const filled = groups.filter(({ end }) => end === undefined);
  for (let i = 0; i < MOST_STEPS; i++) {
    const [key, end] = [start(i) / scale, start(i + 1) / scale];
    const none = { records: 0, value: 0 };
    const empty = { key, end, choice: { from: key, end }, ...none };
    filled.push(known.get(key) ?? { ...empty, within: of.where && none });
    if (key === last.key) return filled;
  }
  return groups;
}
