// The queries: every peer over the same contacts, loaded, indexed and asked; a few queries also at smaller
// sizes, which shows how they grow.

import { frame, peerColors, pointsChart, TIME_AXIS, type Chart } from "../charts.ts";
import { compare, secondsOf, tasks, type Comparison } from "../compare.ts";
import {
  bestOther,
  contacts,
  present,
  rowsOfEach,
  unansweredOf,
  type Figure,
  type Plan,
  type Reasons,
  type Row,
  type Section,
} from "../figure.ts";
import { count, digits, megabytes, time } from "../format.ts";
import { PEERS } from "../peers/index.ts";
import { cell, isMissing, isTiming, missing, type Outcome } from "../results.ts";

interface Queries {
  readonly comparisons: readonly Comparison[];
  /** A few queries, at other sizes. */
  readonly growth: readonly Comparison[];
}

/** Those whose growth is shown: lookup, selective contains, sorted page, unsorted page. */
const GROWTH_QUERIES = [1, 5, 9, 11];
const SMALLEST = 1000;
/** Beyond this, only these. */
const LARGE = 1_000_000;
const LARGE_PEERS = ["tercet", "loop"];

/** Why a lookup right after an update takes longer. */
export const COLD_LOOKUP =
  "Its call takes the key and reads one entry of a map. tercet is given a query, which it parses, checks and plans for each segment, in code that V8 has not compiled yet: among 10,000 contacts the first hundred lookups take 7 µs each, 5,000 of them 2.5, and the last hundred of these 1.6. Tried: no plans and no merging of answers, 5.0 to 5.5 instead of 6.9 to 7.5 µs, a second way to an answer that explain does not know; a prepared query, 7.0 to 8.0; V8's baseline compiler from the first call on, 6.2.";

const reasons: Reasons = {
  "Its call takes the key and reads one entry of a map. tercet is given a query, which it parses, checks and plans before it looks the key up.":
    { "query 1": ["lokijs", "@tanstack/db"] },
  "It reads one entry of a map that has every key. tercet keeps up to a thousand records that were asked for again, in a map, and finds others in a table of four bytes an entry: among 100,000 contacts 11 ns instead of 102 for 64 keys, and as long as before for keys in random order. Of the 102, hashing the key took 41, and checking that it is well-formed 6. Tried: hashes that take two or four characters a step, 36 and 38 ns instead of 41; checking only keys that are not found, 48 to 52 ns instead of 49 to 50; a map of all keys, 29 more bytes a contact.":
    { "query 12": ["lokijs", "@tanstack/db"] },
  "Its call reads a dimension that is already there: a bisection, or a copy from the end of a sorted array. tercet checks the query and its plan first.":
    { "query 1": ["crossfilter2"], "query 8": ["crossfilter2"] },
  "A third of the addresses match, so both stop after a few hundred contacts; tercet parses, checks and plans the query first.":
    { "query 4": ["loop"] },
  "tercet builds no trigram index of a thousand addresses: it tests each, as the peer does, after it has checked the query.":
    { "query 5": ["loop", "lokijs"] },
  "It copies its whole sorted index and takes a slice: for a thousand contacts that takes no longer than tercet's work before it reads the index.":
    { "query 9": ["lokijs"] },
  "It is one slice of an array. tercet takes the same slice after it has checked the query and its plan.":
    { "query 11": ["loop", "arquero"] },
  "It keeps a reference to the records: it checks, copies and indexes nothing.": {
    "loading and indexing": ["loop", "sift", "immer"],
  },
  "It copies the records and builds no index. Of tercet's time, checking and making records are two thirds of loading, trigrams and the sorting of texts most of indexing; the parts are in the table of profiles. Tried in loading: members read one by one, twice as slow as all at once; records as frozen copies of a template, 896 instead of 226 bytes each and three times as slow; no freezing, and copies of the first record, both within noise. Tried in indexing: windows of one to three words in the sort of texts, 1.0 to 1.1 s instead of 0.86; integers by a hash table instead of a radix sort, without a gain.":
    {
      "loading and indexing": ["mingo", "alasql", "arquero"],
    },
  "It checks no record, and has no trigram index of the addresses, tercet's most expensive one.": {
    "loading and indexing": ["crossfilter2", "lokijs", "@tanstack/db", "duckdb", "chdb"],
  },
  "It has no trigram index of the addresses, and few or no indexes of other fields.": {
    memory: [
      ...["loop", "sift", "mingo", "alasql"],
      ...["lokijs", "crossfilter2", "arquero", "duckdb", "chdb"],
    ],
  },
  "It holds rows and indexes in packed pages, and makes objects only for the rows of an answer; tercet's records are objects, so a query makes none.":
    { memory: ["better-sqlite3", "node:sqlite"] },
};

export const queries: Figure<Queries> = {
  names: ["queries", "growth"],
  tasks,
  reasons,

  seconds: (plan) =>
    comparisonsOf(plan)
      .map(({ size, ids }) => secondsOf(size, peersFor(plan, size).length, ids.length, plan.rounds))
      .reduce((sum, each) => sum + each, 0),

  async measure(run) {
    const found = { comparisons: [] as Comparison[], growth: [] as Comparison[] };
    let before: Comparison | undefined;
    for (const { size, ids, of } of comparisonsOf(run.plan)) {
      // A peer that could not load fewer contacts is not given more.
      const names = peersFor(run.plan, size).filter(
        (name) => before === undefined || present(before.loading).some(([each]) => each === name),
      );
      before = await compare(size, names, ids, run);
      found[of].push(before);
    }
    return found;
  },

  merge: (parts) => ({
    comparisons: mergeComparisons(parts.flatMap(({ comparisons }) => comparisons)),
    growth: mergeComparisons(parts.flatMap(({ growth }) => growth)),
  }),

  sections: ({ comparisons, growth }) => [
    ...comparisons.flatMap(querySections),
    ...growthSections(comparisons, growth),
    ...comparisons.map(loadingSection),
  ],

  rows: ({ comparisons, growth }) => [
    ...[...comparisons, ...growth].flatMap(queryRows),
    ...comparisons.flatMap(loadingRows),
  ],

  charts: ({ comparisons, growth }) => [
    ...comparisons.filter(({ queries }) => queries.length > 0).map(queriesChart),
    ...growthCharts(comparisons, growth),
    ...comparisons.map(memoryChart),
  ],

  unanswered: ({ comparisons, growth }) =>
    bySize([...comparisons, ...growth]).flatMap(({ size, loading, queries }) => [
      ...unansweredOf(loading, contacts(size)),
      ...queries.flatMap(({ id, outcomes }) =>
        unansweredOf(outcomes, `query ${id}, ${contacts(size)}`),
      ),
    ]),
};

/** What is compared, the smallest first. */
function comparisonsOf({ figures, size, growthTo, queries: ids }: Plan) {
  const isWhole = figures.includes("queries");
  const sizes = new Set<number>();
  if (figures.includes("growth")) {
    for (let each = SMALLEST; each * 10 <= growthTo; each *= 10) sizes.add(each);
    sizes.add(growthTo);
    if (isWhole) sizes.delete(size);
  }
  return bySize([
    ...Array.from(sizes, (each) => ({ size: each, ids: GROWTH_QUERIES, of: "growth" as const })),
    ...(isWhole ? [{ size, ids, of: "comparisons" as const }] : []),
  ]);
}

const peersFor = ({ peers }: Plan, size: number) =>
  peers.filter(
    (name) => PEERS[name]?.onlyUpdates !== true && (size <= LARGE || LARGE_PEERS.includes(name)),
  );

const bySize = <Each extends { readonly size: number }>(all: readonly Each[]): Each[] =>
  all.toSorted((a, b) => a.size - b.size);

/** One of each size, with the queries of all; loading is that of the first. */
function mergeComparisons(comparisons: readonly Comparison[]): Comparison[] {
  const merged = new Map<number, Comparison>();
  for (const each of comparisons) {
    const other = merged.get(each.size);
    const all = [...(other?.queries ?? []), ...each.queries].sort((a, b) => a.id - b.id);
    if (new Set(all.map(({ id }) => id)).size < all.length) {
      throw new Error(`two runs have the same query at ${contacts(each.size)}`);
    }
    merged.set(each.size, { ...(other ?? each), queries: all });
  }
  return bySize([...merged.values()]);
}

function querySections(comparison: Comparison): Section[] {
  const { size, queries } = comparison;
  if (queries.length === 0) return [];
  const peers = Object.keys(queries[0]?.outcomes ?? {});
  const best = queryRows(comparison).map(bestOther);
  const ofAll = (show: (outcome: Outcome | undefined) => string) => ({
    head: ["query", ...peers],
    rows: queries.map(({ id, outcomes }) => [
      String(id),
      ...peers.map((peer) => show(outcomes[peer])),
    ]),
  });
  return [
    {
      title: `Queries over ${contacts(size)}`,
      note: "Median time of a call. Ratio: tercet's time to the fastest peer's. tercet's queries are prepared, as those of SQL are; query 12 is `get`. Query 4 repeats one text, queries 8 and 9 one page, and query 12 has 64 keys, so tercet returns what it keeps. \"Prepared queries\" has the times of other texts, and of queries that are not prepared.",
      head: ["query", "matching", "tercet", "fastest peer", "ratio"],
      rows: queries.map(({ id, label, offset, matching, outcomes }, i) => [
        `${id} ${label}${offset > 0 ? `, from ${count(offset)}` : ""}`,
        count(matching),
        cell(outcomes.tercet),
        best[i]?.text ?? "",
        best[i] === undefined ? "" : digits(best[i].ratio),
      ]),
      chart: `queries-${size}`,
    },
    { title: `All peers over ${contacts(size)}`, note: "Median time of a call.", ...ofAll(cell) },
    {
      title: `Spread over ${contacts(size)}`,
      note: "From the first quartile to the third.",
      ...ofAll((outcome) =>
        isTiming(outcome) ? `${time(outcome.p25)} – ${time(outcome.p75)}` : "",
      ),
    },
  ];
}

/** The queries whose growth was measured, with their outcomes by size. */
function grown(comparisons: readonly Comparison[], growth: readonly Comparison[]) {
  const all = bySize([...comparisons, ...growth]);
  const ids = new Set(growth.flatMap(({ queries }) => queries.map(({ id }) => id)));
  return {
    sizes: all.map(({ size }) => size),
    queries: Array.from(ids, (id) => {
      const at = all.map(({ queries }) => queries.find((query) => query.id === id));
      const label = at.find((query) => query !== undefined)?.label ?? "";
      return { id, label, outcomes: at.map((query) => query?.outcomes ?? {}) };
    }),
  };
}

function growthSections(
  comparisons: readonly Comparison[],
  growth: readonly Comparison[],
): Section[] {
  const { sizes, queries } = grown(comparisons, growth);
  if (sizes.length < 2) return [];
  return queries.map(({ id, label, outcomes }, i) => ({
    title: `Growth of query ${id}, ${label}`,
    note: "Median time by number of contacts. Exponent: the slope of log time over log size; 0 is constant, 1 is linear.",
    head: ["peer", ...sizes.map(count), "exponent"],
    rows: Array.from(new Set(outcomes.flatMap((at) => Object.keys(at))), (peer) => {
      const own = outcomes.map((at) => at[peer]);
      return [peer, ...own.map(cell), exponent(sizes, own)];
    }),
    ...(i === 0 && { chart: "growth" }),
  }));
}

/** The slope of log time over log size, by least squares. */
function exponent(sizes: readonly number[], outcomes: readonly (Outcome | undefined)[]): string {
  const points = outcomes.flatMap((outcome, i) =>
    isTiming(outcome) ? [{ x: Math.log(sizes[i] ?? NaN), y: Math.log(outcome.median) }] : [],
  );
  if (points.length < 2) return "";
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((total, point) => total + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const slope =
    mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2);
  return slope.toFixed(2);
}

const loadingSection = ({ size, loading }: Comparison): Section => ({
  title: `Loading and memory of ${contacts(size)}`,
  note: "Each peer in a process of its own; memory is its growth after garbage collection: of V8's heap with array buffers, or of all resident memory if native code holds the data. tercet does all of it on one thread. Tried: the trigrams of the addresses in a worker thread, over their texts in shared memory. Of the 1.7 to 2.2 s of the indexes, 1.4 to 1.5 stay on the first thread, and handing over the texts takes 0.13, so that it would be 1.1 to 1.4 times as fast; the worker decodes the texts in 0.1 and makes the trigrams in 0.4.",
  head: ["peer", "load", "index", "records, MB", "indexes, MB", "measured"],
  rows: Object.entries(loading).map(([peer, each]) =>
    isMissing(each)
      ? [peer, missing(each), "", "", "", ""]
      : [
          peer,
          time(each.load),
          time(each.prepare),
          megabytes(each.records),
          megabytes(each.indexes),
          each.memory,
        ],
  ),
  chart: `memory-${size}`,
});

function queryRows({ size, queries }: Comparison): Row[] {
  return queries.flatMap(({ id, outcomes }) =>
    rowsOfEach(size, outcomes, [[`query ${id}`, ({ median }) => median]]),
  );
}

function loadingRows({ size, loading }: Comparison): Row[] {
  return rowsOfEach(size, loading, [
    ["loading and indexing", ({ load, prepare }) => load + prepare],
    ["memory", ({ records, indexes }) => records + indexes, "bytes"],
  ]);
}

function queriesChart(comparison: Comparison): Chart {
  const { size, queries } = comparison;
  const rows = queryRows(comparison);
  return pointsChart(`queries-${size}`, rows, {
    what: "queries",
    field: "query",
    labels: queries.map(({ id, label }) => `${id}  ${label}`),
    subtitle: `Median time of a call over ${contacts(size)}`,
    step: 30,
  });
}

function growthCharts(comparisons: readonly Comparison[], growth: readonly Comparison[]): Chart[] {
  if (growth.length === 0) return [];
  const { sizes, queries } = grown(comparisons, growth);
  const labels = queries.map(({ id, label }) => `${id}  ${label}`);
  const points = sizes.flatMap((size, at) =>
    queries.flatMap(({ outcomes }, i) =>
      present(outcomes[at] ?? {}).flatMap(([peer, outcome]) =>
        isTiming(outcome) ? [{ query: labels[i], size, peer, time: outcome.median }] : [],
      ),
    ),
  );
  const domain = [Math.min(...sizes), Math.max(...sizes)] as const;
  const title = `From ${count(domain[0])} to ${contacts(domain[1])}`;
  const spec = {
    ...frame(title, "Median time of a call by number of contacts; both scales logarithmic"),
    data: { values: points },
    facet: {
      field: "query",
      type: "nominal",
      sort: labels,
      title: null,
      header: { labelFontSize: 13, labelFontWeight: "bold" },
    },
    columns: 2,
    spec: {
      width: 300,
      height: 240,
      mark: { type: "line", point: { size: 40, filled: true }, strokeWidth: 1.5 },
      encoding: {
        x: {
          field: "size",
          type: "quantitative",
          scale: { type: "log", domain },
          title: "contacts",
          axis: { values: sizes, format: "~s", gridColor: "#eeeeee" },
        },
        y: TIME_AXIS,
        color: peerColors(points.map(({ peer }) => peer)),
        strokeWidth: { condition: { test: "datum.peer === 'tercet'", value: 4 }, value: 1.5 },
      },
    },
  };
  return [{ name: "growth", title, spec }];
}

function memoryChart({ size, loading }: Comparison): Chart {
  const values = present(loading).flatMap(([peer, { records, indexes }]) => [
    { peer, part: "records", order: 0, megabytes: Math.max(0, records / 1e6) },
    { peer, part: "indexes", order: 1, megabytes: Math.max(0, indexes / 1e6) },
  ]);
  const title = "Memory of records and indexes";
  const subtitle = `MB for ${contacts(size)}, each peer in a process of its own`;
  const spec = {
    ...frame(title, subtitle),
    data: { values },
    width: 560,
    height: { step: 24 },
    mark: "bar",
    encoding: {
      y: {
        field: "peer",
        type: "nominal",
        title: null,
        sort: { field: "megabytes", op: "sum", order: "ascending" },
      },
      x: {
        field: "megabytes",
        type: "quantitative",
        title: "MB",
        axis: { gridColor: "#eeeeee", tickCount: 8 },
      },
      color: {
        field: "part",
        type: "nominal",
        title: null,
        scale: { domain: ["records", "indexes"], range: ["#9ecae1", "#3182bd"] },
      },
      order: { field: "order", type: "quantitative" },
    },
  };
  return { name: `memory-${size}`, title: `${title}, ${contacts(size)}`, spec };
}
