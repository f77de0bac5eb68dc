// How far each place for contacts scales: the measured costs of a page and a contact, and those
// extrapolated to a billion contacts. RESULTS.md and the README of tercet/sql show it.

import type { Section } from "./figure.ts";
import type { EngineFigures } from "./figures/engines.ts";
import type { Results } from "./figures/index.ts";
import { BY_RANKS, CALLS, type ScaleResults } from "./figures/scale.ts";
import { count, digits, time } from "./format.ts";
import { isMissing, type Timing } from "./results.ts";

const BILLION = 1e9;

/** A lookup, a page by indexes, and one from the middle of a sort; of the queries. */
const QUERIES = { lookup: 1, page: 7, middle: 9 } as const;

type Times = Readonly<Record<keyof typeof QUERIES, number>>;

interface Place {
  readonly name: string;
  readonly size: number;
  readonly bytes: number;
  readonly kind: "memory" | "disk";
  readonly times: Times;
  /** The result with fewer contacts, if that was measured too. */
  readonly before?: { readonly size: number; readonly times: Times } | undefined;
}

/** `undefined` if none of it was measured. */
export function farSection(results: Results): Section | undefined {
  const places = [...placesIn(results), ...placesOf(results.scale)];
  if (places.length === 0) return undefined;
  return {
    title: "How far",
    note: "Medians. Each engine was measured beside memory; the row of memory has the times beside the first engine. A lookup: the Contact of an email address. A page: 20 from the 40th on of two `exactly` and one `contains`, by time. From the middle: 50 by email address, from half of the Contacts on. Bytes include indexes, in memory or on disk. **The last column is extrapolated, not measured**: bytes in proportion to Contacts, both pages as they grew from a tenth of the Contacts, at most in proportion.",
    head: [
      "place",
      "measured with",
      "lookup",
      "page",
      "from the middle",
      "bytes a Contact",
      "a billion, extrapolated",
    ],
    rows: places.map((place) => [
      place.name,
      count(place.size),
      time(place.times.lookup),
      time(place.times.page),
      time(place.times.middle),
      `${digits(place.bytes / place.size)}, ${place.kind}`,
      [
        `${digits(((place.bytes / place.size) * BILLION) / 1e9)} GB`,
        ...extrapolated("page", place),
        ...extrapolated("middle", place),
      ].join("; "),
    ]),
  };
}

/** As a power of the contacts, derived from two sizes: from constant to proportional. */
function extrapolated(query: keyof Times, { size, times, before }: Place): string[] {
  if (before === undefined) return [];
  const power = Math.log(times[query] / before.times[query]) / Math.log(size / before.size);
  return [time(times[query] * (BILLION / size) ** Math.min(1, Math.max(0, power)))];
}

function* placesIn({ comparisons, growth, open, engines }: Results): Generator<Place, void> {
  const { size = NaN, before } = engines ?? {};
  const measured = Object.entries(engines?.engines ?? {}).flatMap(([key, each]) => {
    if (isMissing(each)) return [];
    const { bytes, queries, inMemory = false } = each;
    const name = withVersion(key, each.name);
    const kind = inMemory ? "memory" : "disk";
    const earlier = before?.engines[key];
    const place = (by: By, bytes: number) => ({
      ...{ size, bytes, times: timesOf(each, by) },
      before:
        before && earlier && !isMissing(earlier)
          ? { size: before.size, times: timesOf(earlier, by) }
          : undefined,
    });
    return [{ name, bytes, kind, queries, place }] as const;
  });
  const loading = [...comparisons, ...growth].find((each) => each.size === size)?.loading.tercet;
  const [any] = measured;
  if (any !== undefined && loading !== undefined && !isMissing(loading)) {
    const bytes = loading.records + loading.indexes;
    yield { ...any.place("memory", bytes), name: "memory", kind: "memory" };
  }
  const file = open?.peers.tercet;
  if (open?.warm !== undefined && file !== undefined && !isMissing(file)) {
    const times = timesIn(open.warm.queries.map(({ label, opened }) => [label, opened]));
    yield { name: "opened file", size: open.size, bytes: file.bytes, kind: "disk", times };
  }
  for (const { name, bytes, kind, queries, place } of measured) {
    const isCluster = queries[0]?.merging !== undefined;
    const by = isCluster ? `${name}, by a coordinator` : name;
    yield { ...place("engine", bytes), name: by, kind };
    if (isCluster) yield { ...place("merging", bytes), name: `${name}, by two drivers`, kind };
  }
}

/** Those with the most contacts, without and with ranks. */
function placesOf(scale: ScaleResults | undefined): Place[] {
  if (scale === undefined) return [];
  return Object.entries(scale.places).flatMap(([key, { name, bytes }]) => {
    const timesAt = ({ places }: Pick<ScaleResults, "places">, how: string): Times => {
      const of = (label: string) =>
        places[key]?.calls.find((call) => call.label === label)?.timing.median ?? NaN;
      return { lookup: of(CALLS.lookup), page: of(CALLS.page), middle: of(CALLS.middle + how) };
    };
    const { size, before } = scale;
    return ["", BY_RANKS].map((how) => ({
      name: `${withVersion(key, name)}${key.endsWith(" shards") ? ", by two drivers" : ""}${how}`,
      ...{ size, bytes, kind: "disk" as const, times: timesAt(scale, how) },
      before: { size: before.size, times: timesAt(before, how) },
    }));
  });
}

/** Versions that are years older than the measurement. */
const RELEASED: Readonly<Record<string, number>> = { "ClickHouse 18.16": 2018 };

/** A place, such as "PostgreSQL shards", with the version that its engine reported, if it did. */
function withVersion(place: string, reported: string): string {
  const version = /\d+\.\d+/.exec(reported)?.[0];
  if (version === undefined) return place;
  return place.replace(/^\S+/, (engine) => {
    const year = RELEASED[`${engine} ${version}`];
    return `${engine} ${version}${year === undefined ? "" : ` (${year})`}`;
  });
}

type By = "memory" | "engine" | "merging";

function timesOf({ queries }: EngineFigures, by: By): Times {
  return timesIn(queries.map((query) => [query.label, query[by]]));
}

/** @param timings by label, which begins with the number of its query */
function timesIn(
  timings: readonly (readonly [label: string, timing: Timing | undefined])[],
): Times {
  const of = (id: number) =>
    timings.find(([label]) => label.startsWith(`${id} `))?.[1]?.median ?? NaN;
  return { lookup: of(QUERIES.lookup), page: of(QUERIES.page), middle: of(QUERIES.middle) };
}
