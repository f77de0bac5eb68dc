// Where a peer is ahead of tercet: every measured row, compared. What counts is the median, or the one
// number where there is only one; less is better everywhere.

import {
  isMissing,
  isTiming,
  type Brushing,
  type Comparison,
  type Opened,
  type OpenResults,
  type PageResults,
  type Results,
  type Updates,
} from "./results.ts";

/** A row of the report in which tercet and peers have numbers. */
export interface Row {
  /** Its name in reasons.ts. */
  readonly name: string;
  readonly size: number;
  readonly unit: "time" | "bytes";
  /** By peer. */
  readonly values: Readonly<Record<string, number>>;
}

export interface Behind {
  readonly row: Row;
  readonly peer: string;
  readonly tercet: number;
  readonly other: number;
}

export function rowsOf(results: Results): Row[] {
  const { comparisons, growth, first, counts, page, updates, open } = results;
  return [
    ...comparisons.flatMap(queryRows),
    ...growth.flatMap(queryRows),
    ...comparisons.flatMap(loadingRows),
    ...(first?.queries ?? []).map(({ label, tercet, loop }): Row => ({
      name: `first query ${label.split(" ")[0] ?? ""}`,
      size: first?.size ?? 0,
      unit: "time",
      values: { tercet: tercet.median, loop: loop.median },
    })),
    ...(counts === undefined ? [] : countRows(counts)),
    ...(page === undefined ? [] : pageRows(page)),
    ...(updates === undefined ? [] : updateRows(updates.size, updates.peers)),
    ...(open === undefined ? [] : openRows(open)),
  ];
}

export function behind(results: Results): Behind[] {
  return rowsOf(results).flatMap((row) => {
    const { tercet, ...others } = row.values;
    if (tercet === undefined) return [];
    return Object.entries(others)
      .filter(([, other]) => other < tercet)
      .map(([peer, other]) => ({ row, peer, tercet, other }));
  });
}

/** The peer that is ahead of all others, and tercet's share of its number. */
export function bestOther({
  values,
}: Row): { peer: string; value: number; ratio: number } | undefined {
  const { tercet, ...others } = values;
  const [best] = Object.entries(others).sort(([, a], [, b]) => a - b);
  if (best === undefined || tercet === undefined) return undefined;
  return { peer: best[0], value: best[1], ratio: tercet / best[1] };
}

export function queryRows({ size, queries }: Comparison): Row[] {
  return queries.map(({ id, outcomes }) => ({
    name: `query ${id}`,
    size,
    unit: "time",
    values: fromEntries(
      Object.entries(outcomes).map(([peer, outcome]) => [
        peer,
        isTiming(outcome) ? outcome.median : undefined,
      ]),
    ),
  }));
}

function loadingRows({ size, loading }: Comparison): Row[] {
  const row = (name: string, unit: Row["unit"], of: (peer: string) => number | undefined): Row => ({
    name,
    size,
    unit,
    values: fromEntries(Object.keys(loading).map((peer) => [peer, of(peer)])),
  });
  const of = (peer: string) => {
    const each = loading[peer];
    return each === undefined || isMissing(each) ? undefined : each;
  };
  return [
    row("loading and indexing", "time", (peer) => sum(of(peer)?.load, of(peer)?.prepare)),
    row("memory", "bytes", (peer) => sum(of(peer)?.records, of(peer)?.indexes)),
  ];
}

function countRows({ size, peers }: NonNullable<Results["counts"]>): Row[] {
  const rows = new Map<string, Record<string, number>>();
  for (const [peer, each] of Object.entries(peers)) {
    for (const { label, ...parts } of isMissing(each) ? [] : each) {
      for (const part of ["all", "a tenth"] as const) {
        const name = `${label}, ${part}`;
        rows.set(name, { ...rows.get(name), [peer]: parts[part].median });
      }
    }
  }
  return Array.from(rows, ([name, values]) => ({ name, size, unit: "time", values }));
}

function pageRows({ size, brush: { tercet, crossfilter2 } }: PageResults): Row[] {
  const row = (name: string, of: (each: Brushing) => number): Row => ({
    name,
    size,
    unit: "time",
    values: { tercet: of(tercet), crossfilter2: of(crossfilter2) },
  });
  return [
    row("page: opened and loaded", ({ load }) => load),
    row("page: a step of a brush", ({ step }) => step.median),
    row("page: the slowest step", ({ slowest }) => slowest),
    row("page: busy at a stretch", ({ longest }) => longest),
  ];
}

/** What is measured of updates: one number of each peer. */
export const UPDATE_ROWS: Readonly<Record<string, (updates: Updates) => number>> = {
  "one update": ({ single }) => single.update.median,
  "lookup after one update": ({ single }) => single.lookup.median,
  "page after one update": ({ single }) => single.page.median,
  "update and lookup, in a row": ({ row }) => row.time / row.done,
  "many inserted at once": ({ insert }) => insert.time,
  "page after inserting": ({ insert }) => insert.page,
  "many removed at once": ({ remove }) => remove.time,
  "page after removing": ({ remove }) => remove.page,
};

export function updateRows(size: number, peers: NonNullable<Results["updates"]>["peers"]): Row[] {
  return Object.entries(UPDATE_ROWS).map(([name, of]) => ({
    name,
    size,
    unit: "time",
    values: fromEntries(
      Object.entries(peers).map(([peer, each]) => [peer, isMissing(each) ? undefined : of(each)]),
    ),
  }));
}

/** From before the import to the first answer. */
export function firstLookupOf({ imported, open, lookup }: Opened): number {
  return imported.median + open.median + lookup.median;
}

function openRows({ size, peers }: OpenResults): Row[] {
  const row = (name: string, unit: Row["unit"], of: (opened: Opened) => number): Row => ({
    name,
    size,
    unit,
    values: fromEntries(
      Object.entries(peers).map(([peer, each]) => [peer, isMissing(each) ? undefined : of(each)]),
    ),
  });
  return [
    row("opening and first lookup", "time", firstLookupOf),
    row("first page after opening", "time", ({ page }) => page.median),
    row("resident after opening", "bytes", ({ resident }) => resident),
    row("saving", "time", ({ save }) => save),
    row("file", "bytes", ({ bytes }) => bytes),
  ];
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}

function fromEntries(
  entries: readonly (readonly [string, number | undefined])[],
): Record<string, number> {
  const known = entries.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(known);
}
