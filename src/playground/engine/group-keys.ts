// To which group each value of a column belongs: itself, a step or a part of the calendar, or a range of numbers.

import type { Column } from "../../index.ts";
import { isScalar, type FacetChoice } from "../criteria-list.ts";
import type { Part, STEPS } from "../groups.ts";
import type { FieldInfo, Scalar } from "../messages.ts";
import { roundWidth } from "../ticks.ts";
import { DAY, millisecondsOf, startOf } from "../calendar.ts";

/** A group without its records. */
export interface Key {
  readonly key: Scalar;
  readonly end: number | undefined;
  readonly choice: FacetChoice | undefined;
}

export interface Keys {
  /** How many groups there are; lower ones come first, null before all. */
  readonly size: number;
  /** The group of each code; each code is one if there is none. */
  readonly groupOf: Int32Array | undefined;
  readonly keyOf: (group: number) => Key;
}

type ByColumn = Column<unknown>;

const HOUR = 3_600_000;

/** 1970 began on a Thursday, which is the fourth day of a week. */
const FIRST_WEEKDAY = 3;

/** A criterion names at most so many times for a weekday or an hour. */
const MOST_NAMED = 200;

/** About how many ranges there are. */
const RANGES = 20;

/** The highest numbers, which are far above the others, share a range without an end. */
const SHOWN = 0.98;
const FAR = 4;

/** The groups of a column that were asked for last: another measure of them needs no other ones. */
const known = new WeakMap<ByColumn, { readonly part: Part; readonly keys: Keys }>();

export function keysOf(column: ByColumn, part: Part, field: FieldInfo): Keys {
  const last = known.get(column);
  if (last?.part === part) return last.keys;
  const keys = keysFor(column, part, field);
  known.set(column, { part, keys });
  return keys;
}

function keysFor(column: ByColumn, part: Part, field: FieldInfo): Keys {
  switch (part) {
    case "value":
      return {
        size: column.distinct,
        groupOf: undefined,
        keyOf: (group) => single(scalarAt(column, group)),
      };
    case "weekday":
      return byCycle(column, field, 7, DAY);
    case "hour":
      return byCycle(column, field, 24, HOUR);
    case "range":
      return byEnds(column, field, rangesOf(column, field));
    default:
      return byEnds(column, field, stepsOf(part, field));
  }
}

/** The group of one value. */
export const single = (key: Scalar): Key => ({ key, end: undefined, choice: { values: [key] } });

export function scalarAt(column: ByColumn, code: number): Scalar {
  const value = column.valueAt(code);
  return isScalar(value) ? value : JSON.stringify(value);
}

/** The number of each code of a field of numbers; NaN for null. */
export const numbersOf = ({ numbers }: ByColumn): Float64Array => numbers ?? new Float64Array(0);

/** Whether a time means that something has not happened. */
const isNever = (number: number, { unit, form }: FieldInfo): boolean =>
  unit !== undefined && form === undefined && number <= 0;

/** Where the range of a number begins and ends. */
type EndsOf = (number: number) => readonly [from: number, end: number];

/** Numbers come in their order, so that a group ends where the next one begins. */
function byEnds(column: ByColumn, field: FieldInfo, endsOf: EndsOf): Keys {
  const numbers = numbersOf(column);
  const groupOf = new Int32Array(numbers.length);
  const keys: Key[] = [];
  let end = -Infinity;
  for (let code = 0; code < numbers.length; code++) {
    const number = numbers[code]!;
    if (Number.isNaN(number) || (end === -Infinity && isNever(number, field))) {
      keys.push(single(scalarAt(column, code)));
    } else if (number >= end) {
      const [from, stop] = endsOf(number);
      end = stop;
      const known = Number.isFinite(stop) ? stop : undefined;
      // What has not happened is no part of the step in which it would be.
      const first = isNever(0, field) ? Math.max(from, 1) : from;
      keys.push({ key: from, end: known, choice: { from: first, end: stop } });
    }
    groupOf[code] = keys.length - 1;
  }
  return { size: keys.length, groupOf, keyOf: keyIn(keys) };
}

function keyIn(keys: readonly Key[]) {
  return (group: number): Key => {
    const key = keys[group];
    if (key === undefined) throw new RangeError(`there is no group ${group}`);
    return key;
  };
}

function stepsOf(part: (typeof STEPS)[number], { unit }: FieldInfo): EndsOf {
  const scale = unit === undefined ? 1 : millisecondsOf(unit);
  return (number) => {
    const start = startOf[part](number * scale);
    return [start(0) / scale, start(1) / scale];
  };
}

function rangesOf(column: ByColumn, { type }: FieldInfo): EndsOf {
  const numbers = numbersOf(column);
  const [least = 0, high = 0] = [numbers[0], numbers.at(-1)];
  const low = Number.isNaN(least) ? (numbers[1] ?? 0) : least;
  const most = shownUpTo(column);
  const isFar = high - low > FAR * (most - low) && most > low;
  const width = roundWidth(((isFar ? most : high) - low) / RANGES || 1, type === "int");
  const last = isFar ? Math.floor(most / width) + 1 : Infinity;
  // Decimals that a multiple of the width in binary is not.
  const at = (place: number) => Number((place * width).toPrecision(12));
  return (number) => {
    let place = Math.floor(number / width);
    if (number < at(place)) place--;
    if (number >= at(place + 1)) place++;
    return place >= last ? [at(last), Infinity] : [at(place), at(place + 1)];
  };
}

/** The number that 98 % of the records with a number do not exceed. */
function shownUpTo(column: ByColumn): number {
  const counts = new Uint32Array(column.distinct);
  const { codes } = column;
  for (let i = 0; i < codes.length; i++) counts[codes[i]!]!++;
  let left = codes.length * (1 - SHOWN);
  let code = column.distinct - 1;
  while (code > 0 && (left -= counts[code]!) > 0) code--;
  return code < 0 ? 0 : Number(column.valueAt(code) ?? 0);
}

/** Groups that come again and again: all of them, with or without records. */
function byCycle(column: ByColumn, field: FieldInfo, length: number, unit: number): Keys {
  const scale = field.unit === undefined ? 1 : millisecondsOf(field.unit);
  const numbers = numbersOf(column);
  const groupOf = new Int32Array(numbers.length);
  const others: Key[] = [];
  const members: Scalar[][] = Array.from({ length }, () => []);
  let group = 0;
  let end = -Infinity;
  // Null and what never happened are the lowest.
  for (let code = 0; code < numbers.length; code++) {
    const number = numbers[code]!;
    if (Number.isNaN(number) || (end === -Infinity && isNever(number, field))) {
      groupOf[code] = others.length;
      others.push(single(scalarAt(column, code)));
      continue;
    }
    if (number >= end) {
      const place = Math.floor((number * scale) / unit);
      end = ((place + 1) * unit) / scale;
      const shifted = place + (unit === DAY ? FIRST_WEEKDAY : 0);
      group = ((shifted % length) + length) % length;
    }
    groupOf[code] = others.length + group;
    const named = members[group]!;
    if (named.length <= MOST_NAMED) named.push(scalarAt(column, code));
  }
  const cycle = members.map((values, key): Key => {
    const isNamed = values.length > 0 && values.length <= MOST_NAMED;
    const choice = isNamed ? { values } : undefined;
    return { key, end: undefined, choice };
  });
  return { size: others.length + length, groupOf, keyOf: keyIn([...others, ...cycle]) };
}
