// Which charts stand beside an answer: those fields of the data whose values are few, or are numbers
// that say something, with bins of a round width.

import type { Collection, WireValue } from "../../index.ts";
import type { Facet, Kind } from "../messages.ts";

const VALUES: Readonly<Record<Kind, readonly string[]>> = {
  contacts: ["send_status", "open_type", "open_country"],
  files: ["extension", "mime_type", "folder_id"],
};

const NUMBERS: Readonly<Record<Kind, readonly string[]>> = {
  contacts: ["send_time", "last_open_time", "open_count"],
  files: ["size", "creation_time", "last_modified_time"],
};

/** The fields that charts ask, and so want an index. */
export function facetFields(kind: Kind): string[] {
  return [...VALUES[kind], ...NUMBERS[kind]];
}

/** How many bars a chart of values has, and about how many a histogram. */
const BARS = 8;
const BINS = 48;

/** What share of the values a histogram shows: those few that are far above all others would make it flat. */
const SHOWN = 0.98;

const HOUR = 3600;
const WIDTHS_OF_TIME = [
  ...[1, 60].flatMap((unit) => [1, 2, 5, 10, 15, 30].map((width) => width * unit)),
  ...[1, 2, 3, 6, 12, 24, 7 * 24].map((hours) => hours * HOUR),
];

export function facetsOf(collection: Collection, kind: Kind): Facet[] {
  const values = VALUES[kind].map((field) => {
    const counts = collection.countBy(field, null, { order: "count", limit: BARS });
    // Files and Contacts hold texts.
    return { field, values: counts.map(({ value }) => value as WireValue) };
  });
  const numbers = NUMBERS[kind].flatMap((field): Facet[] => {
    // A time that has not come about is 0, far from all others.
    const criteria = [[field, "greater_than", 0]];
    const there = collection.count(criteria as never);
    if (there === 0) return [];
    const at = (offset: number) => {
      const page = { criteria, sortBy: field, sortOrder: "ASC", offset, limit: 1 } as never;
      return Number(Reflect.get(Object(collection.query(page)[0]) as object, field));
    };
    const isTime = field.endsWith("_time");
    const low = at(0);
    const span = at(Math.floor((there - 1) * SHOWN)) - (isTime ? low : 0) + 1;
    const width = widthFor(span, isTime);
    const from = isTime ? Math.floor(low / width) * width : 0;
    const bins = Math.ceil((low + span - from) / width);
    return [{ field, from, to: from + bins * width - 1, bins }];
  });
  return [...values, ...numbers].filter((facet) => !("values" in facet) || facet.values.length > 1);
}

/** A round width of which a span is about so many. */
function widthFor(span: number, isTime: boolean): number {
  const least = span / BINS;
  const ofTime = WIDTHS_OF_TIME.find((width) => width >= least);
  if (isTime) return ofTime ?? Math.ceil(least / (24 * HOUR)) * 24 * HOUR;
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((width) => width >= least) ?? power;
}
