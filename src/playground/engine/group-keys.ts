// What records are grouped by: the keys of queries, and the groups of the page that their keys stand for.

import type { CalendarKey, Collection, EdgesKey, WidthKey } from "../../index.ts";
import { CLOCK_STEPS, DAY, HOUR, millisecondsOf, stepsFrom, weekdayOf } from "../calendar.ts";
import { withCriteria, type FacetChoice } from "../criteria-list.ts";
import { STEPS, WEEKDAYS, type GroupBy, type Part } from "../groups.ts";
import type { CriteriaList, FieldInfo, Scalar } from "../messages.ts";
import { roundWidth } from "../ticks.ts";
import { localOf, type Zone } from "../times.ts";
import { scalarAt, type ColumnsOf } from "./columns.ts";

/** A group without its records. */
export interface Key {
  readonly key: Scalar;
  readonly end: number | undefined;
  readonly choice: FacetChoice | undefined;
}

/** What a query groups by. */
export interface Keys {
  readonly by: { readonly field: string } | CalendarKey | EdgesKey | WidthKey;
  /** Which records it groups. */
  readonly criteria: CriteriaList;
  /** The group of a key that it finds. */
  readonly keyOf: (found: Scalar) => Key;
  /** The keys of groups that are listed even without records. */
  readonly always: readonly number[];
}

/** A criterion names at most so many times for a weekday or an hour. */
const MOST_NAMED = 200;

/** About how many ranges there are. */
const RANGES = 20;

/** The highest numbers, which are far above the others, share a range without an end. */
const SHOWN = 0.98;
const FAR = 4;

/** The group of one value. */
export const single = (key: Scalar): Key => ({ key, end: undefined, choice: { values: [key] } });

/** @throws CriteriaError */
export function keysOf(
  collection: Collection,
  columnsOf: ColumnsOf,
  criteria: CriteriaList,
  { part, zone, edges }: Pick<GroupBy, "part" | "zone" | "edges">,
  field: FieldInfo,
): Keys {
  switch (part) {
    case "value":
      return byValue(criteria, field);
    case "range":
      return byRanges(edges ?? edgesOf(collection, criteria, field), criteria, field);
    case "log":
      return byRanges(logEdgesOf(collection, criteria, field), criteria, field);
    case "weekday":
    case "hourOfDay":
      return byCycle(part, zone, columnsOf, criteria, field);
    default:
      return bySteps(part, zone, criteria, field);
  }
}

/**
 * The keys of two queries instead, if some times mean that something has not happened: each of these, and null, is a
 * group, and they are in no part of the calendar.
 */
export function partsOf(
  collection: Collection,
  keys: Keys,
  part: Part,
  field: FieldInfo,
): readonly Keys[] | undefined {
  if (part === "value" || !hasNever(field)) return undefined;
  const { name } = field;
  const never = withCriteria(keys.criteria, [[name, "less_than", 1]]);
  if (collection.count(never) === 0) return undefined;
  const nulls = withCriteria(keys.criteria, [[name, "exactly", null]]);
  return [
    byValue([...nulls, "OR", ...never], field),
    { ...keys, criteria: withCriteria(keys.criteria, [[name, "greater_than", 0]]) },
  ];
}

function byValue(criteria: CriteriaList, { name, type }: FieldInfo): Keys {
  const areElements = type === "strings";
  const keyOf = (key: Scalar) =>
    key === null && areElements ? { ...single(key), choice: undefined } : single(key);
  return { by: { field: name }, criteria, keyOf, always: [] };
}

/** Whether the time 0 and earlier ones mean that something has not happened. */
const hasNever = ({ unit, form }: FieldInfo): boolean => unit !== undefined && form === undefined;

const scaleOf = ({ unit }: FieldInfo): number => (unit === undefined ? 1 : millisecondsOf(unit));

function bySteps(
  part: (typeof STEPS)[number],
  zone: Zone,
  criteria: CriteriaList,
  field: FieldInfo,
): Keys {
  const { name, unit = "milliseconds" } = field;
  const scale = scaleOf(field);
  const keyOf = (key: Scalar): Key => {
    if (key === null) return single(key);
    const from = Number(key);
    const stop = stepsFrom(part, from * scale, zone)(1) / scale;
    // No date of JavaScript is later.
    const end = Number.isNaN(stop) ? undefined : stop;
    // What has not happened is no part of the step in which it would be.
    const first = hasNever(field) ? Math.max(from, 1) : from;
    return { key: from, end, choice: { from: first, end: end ?? Infinity } };
  };
  const by =
    part === "5 minutes"
      ? { field: name, width: CLOCK_STEPS[part] / scale }
      : { field: name, step: part, unit, zone };
  return { by, criteria, keyOf, always: [] };
}

function byRanges(edges: readonly number[], criteria: CriteriaList, field: FieldInfo): Keys {
  const ends = new Map([-Infinity, ...edges].map((edge, i) => [edge, edges[i]]));
  const keyOf = (key: Scalar): Key => {
    if (key === null) return single(key);
    const end = ends.get(Number(key));
    return { key, end, choice: { from: Number(key), end: end ?? Infinity } };
  };
  return { by: { field: field.name, edges }, criteria, keyOf, always: [] };
}

/** Where ranges begin, each of which ends where the next one does. */
function edgesOf(collection: Collection, criteria: CriteriaList, { name, type }: FieldInfo) {
  const asked = criteria.length === 0 ? null : criteria;
  const { minimum, maximum, quantiles } = collection.summary(name, asked, { quantiles: [SHOWN] });
  const [low, high, shown] = [minimum ?? 0, maximum ?? 0, quantiles[0] ?? 0];
  const isFar = high - low > FAR * (shown - low) && shown > low;
  const most = isFar ? shown : high;
  const width = roundWidth((most - low) / RANGES || 1, type === "int");
  // Decimals that a multiple of the width in binary is not.
  const at = (place: number) => Number((place * width).toPrecision(15));
  let place = Math.floor(low / width);
  if (at(place) > low) place--;
  const edges = [at(place)];
  for (const last = Math.floor(most / width) + 1; place < last || at(place) <= most; place++) {
    // Numbers may be further apart than ranges.
    if (at(place + 1) > (edges.at(-1) ?? 0)) edges.push(at(place + 1));
  }
  return edges;
}

/** Where ranges begin on a logarithmic scale: 1, 2 and 5 times powers of ten, or only these. One has what is not positive. */
function logEdgesOf(collection: Collection, criteria: CriteriaList, { name }: FieldInfo) {
  const positive = withCriteria(criteria, [[name, "greater_than", 0]]);
  const { minimum, maximum } = collection.summary(name, positive);
  if (minimum === null || maximum === null) return [0];
  const [first = 0, last = 0] = [minimum, maximum].map((each) => Math.floor(Math.log10(each)));
  const powers = Array.from({ length: last - first + 3 }, (_, i) => first + i - 1);
  const factors = powers.length > RANGES / 2 ? [1] : [1, 2, 5];
  const edges = powers.flatMap((power) => factors.map((factor) => Number(`${factor}e${power}`)));
  const end = edges.findIndex((edge) => edge > maximum);
  // No number is larger than the last power of ten times 5.
  const known = end === -1 ? edges.filter(Number.isFinite) : edges.slice(0, end + 1);
  return known.slice(known.findLastIndex((edge) => edge <= minimum));
}

/** Groups that come again and again: all of them, with or without records. */
function byCycle(
  part: "weekday" | "hourOfDay",
  zone: Zone,
  columnsOf: ColumnsOf,
  criteria: CriteriaList,
  field: FieldInfo,
): Keys {
  const { name, unit = "milliseconds" } = field;
  const isWeek = part === "weekday";
  const always = [...Array(isWeek ? WEEKDAYS.length : 24).keys()];
  const members = membersOf(part, zone, columnsOf, criteria, field, always.length);
  const keyOf = (found: Scalar): Key => {
    if (found === null) return single(found);
    // The library counts weekdays from 1.
    const key = Number(found) - (isWeek ? 1 : 0);
    const values = members[key] ?? [];
    const isNamed = values.length > 0 && values.length <= MOST_NAMED;
    return { key, end: undefined, choice: isNamed ? { values } : undefined };
  };
  const keys = isWeek ? always.map((day) => day + 1) : always;
  return { by: { field: name, step: part, unit, zone }, criteria, keyOf, always: keys };
}

/** The times of each weekday or hour, up to one more than can be named. */
function membersOf(
  part: "weekday" | "hourOfDay",
  zone: Zone,
  columnsOf: ColumnsOf,
  criteria: CriteriaList,
  field: FieldInfo,
  length: number,
): readonly (readonly Scalar[])[] {
  const members: Scalar[][] = Array.from({ length }, () => []);
  const [column] = columnsOf([field.name], criteria);
  const scale = scaleOf(field);
  let open = length;
  for (const [code, number] of column?.numbers?.entries() ?? []) {
    if (open === 0) break;
    if (Number.isNaN(number) || (hasNever(field) && number <= 0)) continue;
    const time = localOf(number * scale, zone);
    const hour = Math.floor((((time % DAY) + DAY) % DAY) / HOUR);
    const named = members[part === "weekday" ? weekdayOf(time) : hour];
    if (column === undefined || named === undefined || named.length > MOST_NAMED) continue;
    if (named.push(scalarAt(column, code)) > MOST_NAMED) open--;
  }
  return members;
}
