// The facets of a collection: bars for few values, a histogram for many numbers, with bins of a round
// width, and a search box for many texts.

import type { Collection, Field } from "../../index.ts";
import { isScalar } from "../criteria-list.ts";
import { stepOf } from "../groups.ts";
import type { Facet, FieldInfo, RangeFacet, TimeUnit } from "../messages.ts";
import { MOST_COLUMNS } from "../messages.ts";
import { calendarOf, DAY, millisecondsOf } from "../calendar.ts";
import { instantOf, localOf, type Zone } from "../times.ts";
import type { Hints } from "./hints.ts";

/** How many bars a chart of values has, and about how many a histogram. */
export const BARS = 8;
const BINS = 48;

/** Up to this many distinct values become bars. */
const FEW_TEXTS = 50;
const FEW_NUMBERS = 12;

/** What share of the values a histogram shows: those few that are far above all others would make it flat. */
const SHOWN = 0.98;

/** All are shown if that makes it at most this many times as wide. */
const WIDER = 1.25;

const SECOND = 1000;
const HOUR = 3600 * SECOND;

const WIDTHS_OF_TIME = [
  ...[SECOND, 60 * SECOND].flatMap((unit) => [1, 2, 5, 10, 15, 30].map((width) => width * unit)),
  ...[1, 2, 3, 6, 12, 24].map((hours) => hours * HOUR),
];

/** The facets that the hints name or, without hints, those that follow from types and values. */
export function facetsOf(
  collection: Collection,
  { facets: hinted }: Hints,
  fields: readonly (Timed & Pick<FieldInfo, "name">)[],
): Facet[] {
  const timed = new Map(fields.map((field) => [field.name, field]));
  const facetOf = (field: string, kind: Facet["kind"] | undefined) =>
    kind === undefined
      ? []
      : makers[kind](collection, field, timed.get(field) ?? { unit: undefined });
  if (hinted !== undefined) {
    return Object.entries(hinted).flatMap(([field, kind]) => facetOf(field, kind));
  }
  const found = fields
    .slice(0, MOST_COLUMNS)
    .flatMap(({ name }) => facetOf(name, kindOf(collection, name)));
  const isSearch = ({ kind }: Facet) => kind === "search";
  return [...found.filter((facet) => !isSearch(facet)), ...found.filter(isSearch)];
}

type Timed = Pick<FieldInfo, "unit" | "zone">;

/** The kind of facet that a field gets; `undefined` if there is nothing to choose. */
function kindOf(collection: Collection, name: string): Facet["kind"] | undefined {
  const field = fieldOf(collection, name);
  if (!field.searchable || field.type === "json") return undefined;
  const isNumber = field.type === "int" || field.type === "float";
  const few = isNumber ? FEW_NUMBERS : FEW_TEXTS;
  const { length: distinct } = collection.countBy(name, null, { limit: few + 1 });
  if (distinct < 2) return undefined;
  const repeats = distinct <= BARS || distinct * 2 <= collection.size;
  if (distinct <= few && repeats) return "values";
  if (field.type === "strings") return undefined;
  return isNumber ? "range" : "search";
}

const makers: Readonly<
  Record<Facet["kind"], (collection: Collection, field: string, timed: Timed) => Facet[]>
> = {
  values: (collection, field) => {
    const { type } = fieldOf(collection, field);
    const isNumber = type === "int" || type === "float";
    const areElements = type === "strings";
    const counted = collection.countBy(field, null, { order: "count" });
    // No array has null for an element.
    const counts = areElements ? counted.filter(({ value }) => value !== null) : counted;
    // JSON fields can't be counted by.
    const all = counts.flatMap(({ value }) => (isScalar(value) ? [value] : []));
    const { length: distinct } = all;
    // A few numbers stand in their order, as on an axis.
    const isOrdered = isNumber && distinct <= FEW_NUMBERS;
    const values = isOrdered
      ? all.toSorted((a, b) => Number(a ?? -Infinity) - Number(b ?? -Infinity))
      : all.slice(0, BARS);
    return distinct > 1
      ? [{ kind: "values", field, values, distinct, areElements, isOrdered, step: stepOf(type) }]
      : [];
  },
  range: rangeOf,
  search: (_, field) => [{ kind: "search", field }],
};

/** None if all numbers are equal, if they are too far apart, or if they just count the records. */
function rangeOf(collection: Collection, field: string, { unit, zone }: Timed): RangeFacet[] {
  const nulls = collection.count([[field, "exactly", null]]);
  const count = collection.size - nulls;
  const at = (offset: number) => {
    const page = { sortBy: field, sortOrder: "ASC", offset: nulls + offset, limit: 1 } as const;
    return Number(Reflect.get(Object(collection.query(page)[0]) as object, field));
  };
  if (count === 0) return [];
  const [minimum, maximum] = [at(0), at(count - 1)];
  if (minimum === maximum) return [];
  const step = stepOf(fieldOf(collection, field).type) ?? 0;
  if (step === 1 && count === collection.size && maximum - minimum + 1 === count) return [];
  // If no number is negative, 0 often means that something has not happened. It is far from the others.
  const there = minimum < 0 ? count : collection.count([[field, "greater_than", 0]]);
  if (there === 0) return [];
  const zeros = count - there;
  const most = at(zeros + Math.floor((there - 1) * SHOWN));
  const least = unit === undefined ? minimum : at(zeros);
  const low = unit === undefined && least >= 0 && least <= most / 2 ? 0 : least;
  const isFar = most > low && maximum - low > WIDER * (most - low);
  const scale = scaleOf(low, isFar ? most : maximum, unit, step, zone);
  if (scale === undefined) return [];
  const hasAtLeast = collection.schema.form !== "contract";
  return [{ kind: "range", field, ...scale, step, hasAtLeast, unit, zone, highest: maximum }];
}

/** The bars from one number to another; `undefined` if these are too far apart. */
function scaleOf(
  low: number,
  high: number,
  unit: TimeUnit | undefined,
  step: 0 | 1,
  zone?: Zone,
): Scale | undefined {
  if (unit !== undefined && zone !== undefined) return zonedScale(low, high, unit, step, zone);
  const span = high - low + step;
  const scale = calendarOf(low, low + span, unit) ?? equalBins(low, span, unit, step);
  const { from, end, bins, edges } = scale;
  // Beyond the precision of numbers.
  const isKnown = step === 0 ? Number.isFinite : Number.isSafeInteger;
  const isExact = isKnown(from) && isKnown(end);
  const bars = edges.length - 1;
  return isExact && bins >= 1 && bars <= 4 * BINS && from < end ? scale : undefined;
}

/** The bars of what clocks show. */
function zonedScale(
  low: number,
  high: number,
  unit: TimeUnit,
  step: 0 | 1,
  zone: string,
): Scale | undefined {
  const scale = millisecondsOf(unit);
  const local = (time: number) => localOf(time * scale, zone) / scale;
  const shift = local(low) - low;
  const bars = scaleOf(local(low), Math.max(local(high), high + shift), unit, step);
  if (bars === undefined) return undefined;
  const [first = 0, second = 0] = bars.edges;
  // Bars of an hour at most are equally long, whatever the clocks do.
  const isShort = (second - first) * scale <= HOUR;
  const toInstant = (edge: number) =>
    isShort ? edge - shift : instantOf(edge * scale, zone) / scale;
  const edges = bars.edges.map(toInstant);
  return { ...bars, edges, from: edges[0] ?? 0, end: edges.at(-1) ?? 0 };
}

/** The chart of the numbers from one up to another, which is not included. */
export function zoomed(
  collection: Collection,
  facet: RangeFacet,
  from: number,
  end: number,
): RangeFacet | undefined {
  const { field, step, unit, zone, highest } = facet;
  const { minimum, maximum } = collection.summary(field, [
    ...(from === -Infinity ? [] : [[field, "greater_than", step === 1 ? from - 1 : from]]),
    ...(end === Infinity ? [] : [[field, "less_than", end]]),
  ]);
  if (minimum === null || maximum === null || minimum === maximum) return undefined;
  const scale = scaleOf(minimum, maximum, unit, step, zone);
  return scale && { ...facet, ...scale, highest };
}

type Scale = Pick<RangeFacet, "from" | "end" | "bins" | "edges" | "calendar">;

/** Bins of a round width. */
function equalBins(low: number, span: number, unit: TimeUnit | undefined, step: 0 | 1): Scale {
  const width = widthFor(span / BINS, unit, step);
  const isWhole = step === 1 || unit !== undefined;
  const times = (bins: number) => (isWhole ? bins * width : rounded(bins * width));
  const first = Math.floor(low / width);
  const length = rounded((low + span - times(first)) / width);
  // The highest fraction begins a bar of its own, rather than ending the one before.
  const bins = step === 1 ? Math.ceil(length) : Math.floor(length) + 1;
  const edges = Array.from({ length: Math.min(bins, 4 * BINS + 1) + 1 }, (_, i) =>
    times(first + i),
  );
  const isByDay = unit !== undefined && width * millisecondsOf(unit) === DAY;
  const calendar = isByDay ? "day" : undefined;
  return { from: times(first), end: times(first + bins), bins, edges, calendar };
}

/** The smallest round width that is at least `least`. */
function widthFor(least: number, unit: TimeUnit | undefined, step: 0 | 1): number {
  if (unit !== undefined) {
    const scale = millisecondsOf(unit);
    const width = WIDTHS_OF_TIME.find((each) => each >= least * scale);
    return (width ?? Math.ceil((least * scale) / DAY) * DAY) / scale;
  }
  const power = 10 ** Math.max(step === 1 ? 0 : -Infinity, Math.floor(Math.log10(least)));
  const width = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= least);
  return step === 1 ? (width ?? power) : rounded(width ?? power);
}

/** Removes the rounding errors of binary fractions. */
function rounded(number: number): number {
  return Number(number.toPrecision(12));
}

function fieldOf({ schema }: Collection, name: string): Field {
  const field = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
  if (field === undefined) throw new RangeError(`there is no field ${name}`);
  return field;
}
