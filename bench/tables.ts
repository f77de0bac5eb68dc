// The tables of the report, from raw results: for the terminal and for RESULTS.md alike. Needs none of
// the peers.

import { behind, bestOther, firstLookupOf, queryRows, UPDATE_ROWS } from "./behind.ts";
import { farSection } from "./far.ts";
import { count, digits, megabytes, time } from "./format.ts";
import { reasonFor } from "./reasons.ts";
import {
  DEFERRED_MILLISECONDS,
  isMissing,
  isTiming,
  type Comparison,
  type EngineResults,
  type Loading,
  type Missing,
  type OpenResults,
  type Outcome,
  type PageResults,
  type Results,
  type WatcherResults,
} from "./results.ts";

export interface Section {
  readonly title: string;
  readonly note?: string;
  readonly head: readonly string[];
  /** None: the note says all. */
  readonly rows: readonly (readonly string[])[];
  /** The chart that shows it. */
  readonly chart?: string;
  /** Sentences that the table refers to, by number. */
  readonly remarks?: readonly string[];
}

export function sectionsOf(results: Results): Section[] {
  const { comparisons, first, parts, envelope, prepared, profiles, counts, page } = results;
  const { updates, watchers, open, share, engines } = results;
  const far = farSection(results);
  return [
    ...comparisons.flatMap(querySections),
    ...growthSections(results),
    ...comparisons.flatMap(loadingSections),
    ...(parts === undefined ? [] : [partsSection(parts)]),
    ...(first === undefined ? [] : [firstSection(first)]),
    ...(envelope === undefined ? [] : [envelopeSection(envelope)]),
    ...(prepared === undefined ? [] : [preparedSection(prepared)]),
    ...(updates === undefined ? [] : updateSections(updates)),
    ...(watchers === undefined ? [] : [watchersSection(watchers)]),
    ...(open === undefined ? [] : openSections(open)),
    ...(counts === undefined ? [] : [countsSection(counts)]),
    ...(page === undefined ? [] : [pageSection(page)]),
    ...(share === undefined ? [] : [shareSection(share)]),
    ...(engines === undefined ? [] : engineSections(engines)),
    ...(far === undefined ? [] : [far]),
    ...unansweredSections(results),
    behindSection(results),
    ...(profiles === undefined ? [] : [profilesSection(profiles)]),
    machineSection(results),
  ];
}

function querySections(comparison: Comparison): Section[] {
  const { size, queries } = comparison;
  if (queries.length === 0) return [];
  const peers = Object.keys(queries[0]?.outcomes ?? {});
  const at = `${count(size)} contacts`;
  const labels = queries.map(({ id, label, offset }) =>
    offset > 0 ? `${id} ${label}, from ${count(offset)}` : `${id} ${label}`,
  );
  const best = queryRows(comparison).map(bestOther);
  return [
    {
      title: `Queries over ${at}`,
      note: "Median time of a call. Ratio: tercet's to that of the fastest peer. tercet's queries are prepared, as those of SQL are; query 12 is `get`. Query 4 asks for one text again and again, and tercet keeps the rows that it found: what other texts take, and queries that are not prepared, stands under \"Prepared queries\".",
      head: ["query", "matching", "tercet", "fastest peer", "ratio"],
      rows: queries.map(({ matching, outcomes }, i) => [
        labels[i] ?? "",
        count(matching),
        cell(outcomes.tercet),
        best[i] === undefined ? "" : `${time(best[i].value)}, ${best[i].peer}`,
        best[i] === undefined ? "" : digits(best[i].ratio),
      ]),
      chart: `queries-${size}`,
    },
    {
      title: `All peers over ${at}`,
      note: "Median time of a call.",
      head: ["query", ...peers],
      rows: queries.map(({ id, outcomes }) => [
        String(id),
        ...peers.map((peer) => cell(outcomes[peer])),
      ]),
    },
    {
      title: `Spread over ${at}`,
      note: "From the first quartile to the third.",
      head: ["query", ...peers],
      rows: queries.map(({ id, outcomes }) => [
        String(id),
        ...peers.map((peer) => spread(outcomes[peer])),
      ]),
    },
  ];
}

function growthSections(results: Results): Section[] {
  const bySize = growthOf(results);
  if (bySize.length < 2) return [];
  const ids = [...new Set(results.growth.flatMap(({ queries }) => queries.map(({ id }) => id)))];
  return ids.map((id) => {
    const at = bySize.map(({ size, queries }) => ({
      size,
      query: queries.find((query) => query.id === id),
    }));
    const peers = [...new Set(at.flatMap(({ query }) => Object.keys(query?.outcomes ?? {})))];
    return {
      title: `Growth of query ${id}, ${at[0]?.query?.label ?? ""}`,
      note: "Median time by number of contacts. Exponent: the slope of log time over log size; 0 is constant, 1 is linear.",
      head: ["peer", ...at.map(({ size }) => count(size)), "exponent"],
      rows: peers.map((peer) => {
        const outcomes = at.map(({ query }) => query?.outcomes[peer]);
        return [
          peer,
          ...outcomes.map(cell),
          exponent(
            at.map(({ size }) => size),
            outcomes,
          ),
        ];
      }),
      ...(id === ids[0] && { chart: "growth" }),
    };
  });
}

/** All comparisons by size. */
export function growthOf({ comparisons, growth }: Results): Comparison[] {
  return [...comparisons, ...growth].sort((a, b) => a.size - b.size);
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

function loadingSections({ size, loading }: Comparison): Section[] {
  const of = (loaded: Loading): string[] => [
    time(loaded.load),
    time(loaded.prepare),
    megabytes(loaded.records),
    megabytes(loaded.indexes),
    loaded.memory,
  ];
  return [
    {
      title: `Loading and memory of ${count(size)} contacts`,
      note: "Each peer in a process of its own; memory is what that grew by, after garbage collection: V8's heap with array buffers, or where native code holds the data, all that is resident.",
      head: ["peer", "load", "index", "records, MB", "indexes, MB", "measured"],
      rows: Object.entries(loading).map(([peer, each]) =>
        isMissing(each) ? [peer, missing(each), "", "", "", ""] : [peer, ...of(each)],
      ),
      chart: `memory-${size}`,
    },
  ];
}

function partsSection({ size, records, indexes }: NonNullable<Results["parts"]>): Section {
  const hasBlocks = indexes.some(({ block }) => block !== undefined);
  const isKnown = indexes.some(({ garbage }) => garbage !== undefined);
  const ifBlocks = (cell: string): string[] => (hasBlocks ? [cell] : []);
  const ifKnown = (cell: string): string[] => (isKnown ? [cell] : []);
  const blocking = `Built on demand, an index blocks the event loop for the whole of its building; deferred, for the longest call of \`buildDue({ milliseconds: ${DEFERRED_MILLISECONDS} })\`, in which V8 may collect garbage, too.`;
  return {
    title: `tercet's indexes of ${count(size)} contacts`,
    note: ["Each after those above it.", ...ifBlocks(blocking)].join(" "),
    head: [
      "part",
      "build",
      ...ifBlocks("longest block, deferred"),
      ...ifKnown("of it garbage"),
      "MB",
      "bytes a contact",
    ],
    rows: [
      ["records", "", ...ifBlocks(""), ...ifKnown(""), megabytes(records), digits(records / size)],
      ...indexes.map(({ label, build, block, garbage, bytes }) => [
        label,
        time(build),
        ...ifBlocks(block === undefined ? "" : time(block)),
        ...ifKnown(garbage === undefined ? "" : time(garbage)),
        megabytes(bytes),
        digits(bytes / size),
      ]),
    ],
  };
}

function firstSection({ size, queries }: NonNullable<Results["first"]>): Section {
  return {
    title: `The first query over ${count(size)} contacts`,
    note: "Without any index, beside the plain loop over the same records.",
    head: ["query", "tercet", "loop", "ratio"],
    rows: queries.map(({ label, tercet, loop }) => [
      label,
      time(tercet.median),
      time(loop.median),
      digits(tercet.median / loop.median),
    ]),
  };
}

function envelopeSection({ size, pages }: NonNullable<Results["envelope"]>): Section {
  const calls = Object.keys(pages[0]?.calls ?? {});
  return {
    title: `The request envelope over ${count(size)} contacts`,
    note: "Median time of a call. `dispatchJson` goes from text to text.",
    head: ["answer", ...calls],
    rows: pages.map((page) => [page.label, ...calls.map((call) => cell(page.calls[call]))]),
  };
}

function preparedSection({ size, queries }: NonNullable<Results["prepared"]>): Section {
  const calls = Object.keys(queries[0]?.calls ?? {});
  return {
    title: `Prepared queries over ${count(size)} contacts`,
    note: "Median time of a call: a query that is parsed and checked each time, the same prepared, and `get`, a plain loop or the slice of an array where it gives the same.",
    head: ["query", ...calls],
    rows: queries.map((query) => [query.label, ...calls.map((call) => cell(query.calls[call]))]),
  };
}

function profilesSection({ size, rows }: NonNullable<Results["profiles"]>): Section {
  return {
    title: `Where the time of these calls goes, ${count(size)} contacts`,
    note: "By V8's sampling profiler, which takes time itself, so that shares count: each sample belongs to the innermost function with a name in `bench/profile-shares.ts`. Parts of less than one in a hundred are left out.",
    head: ["row", "parts"],
    rows: rows.map(({ label, shares }) => [
      label,
      Object.entries(shares)
        .filter(([, share]) => share >= 0.01)
        .map(([part, share]) => `${part} ${Math.round(100 * share)} %`)
        .join(", "),
    ]),
  };
}

function updateSections({ size, peers }: NonNullable<Results["updates"]>): Section[] {
  const names = Object.keys(peers);
  const rows = Object.entries(UPDATE_ROWS).map(([label, of]) => [
    label,
    ...names.map((name) => {
      const each = peers[name];
      return each === undefined ? "" : isMissing(each) ? missing(each) : time(of(each));
    }),
  ]);
  const done = names.flatMap((name) => {
    const each = peers[name];
    return each === undefined || isMissing(each) ? [] : [{ name, ...each }];
  });
  return [
    {
      title: `Updates of ${count(size)} contacts`,
      note: "Indexes existing. Times of one update or one query; many at once are the whole.",
      head: ["", ...names],
      rows,
      chart: "updates",
    },
    {
      title: "Queries before and after updates",
      note: "Median time of a query again and again, after so many updates; ratio: to before them.",
      head: ["peer", "updates", "lookup", "ratio", "page", "ratio"],
      rows: done.flatMap(({ name, queries }) =>
        queries.map(({ updates, lookup, page }) => [
          name,
          count(updates),
          time(lookup.median),
          digits(lookup.median / (queries[0]?.lookup.median ?? NaN)),
          time(page.median),
          digits(page.median / (queries[0]?.page.median ?? NaN)),
        ]),
      ),
    },
    {
      title: "Updates in a row, each followed by a lookup",
      note: "Heap after garbage collection. Fewer than asked: time ran out.",
      head: ["peer", "updates", "in all", "heap before, MB", "heap after, MB"],
      rows: done.map(({ name, row }) => [
        name,
        row.done < row.asked ? `${count(row.done)} of ${count(row.asked)}` : count(row.done),
        time(row.time),
        megabytes(row.heapBefore),
        megabytes(row.heapAfter),
      ]),
    },
  ];
}

function watchersSection({ size, kinds }: WatcherResults): Section {
  const told = { contact: "a Contact of its own, one is told", page: "a page, all are told" };
  const rows = (["contact", "page"] as const).flatMap((kind) =>
    Object.entries(kinds[kind]).flatMap(([peer, found]) =>
      isMissing(found)
        ? [[peer, told[kind], reasonOf(found)]]
        : found.map(({ watchers, begin, update }) => [
            peer,
            told[kind],
            count(watchers),
            time(update.median),
            watchers === 0 ? "" : time(begin),
          ]),
    ),
  );
  return {
    title: `Updates under live queries, ${count(size)} contacts`,
    note: "Median time of one update until all who are told know; and of beginning the live queries that were not there before.",
    head: ["peer", "each watches", "live queries", "one update", "beginning"],
    rows,
  };
}

function openSections({ size, peers, warm, costs }: OpenResults): Section[] {
  const fresh: Section = {
    title: `Opening ${count(size)} contacts`,
    note: "Fresh processes, medians; the file is in the system's page cache. First lookup: from before the import of the package to the answer. Resident: by how much the process grew until both were answered.",
    head: [
      "peer",
      "file, MB",
      "import",
      "open",
      "lookup",
      "first lookup, all in",
      "50 by email",
      "resident, MB",
      "saving",
    ],
    rows: Object.entries(peers).map(([peer, each]) =>
      isMissing(each)
        ? [peer, reasonOf(each), "", "", "", "", "", "", ""]
        : [
            peer,
            megabytes(each.bytes),
            time(each.imported.median),
            time(each.open.median),
            time(each.lookup.median),
            time(firstLookupOf(each)),
            time(each.page.median),
            megabytes(each.resident),
            time(each.save),
          ],
    ),
  };
  const opened: Section | undefined = warm && {
    title: `Queries over ${count(size)} contacts from a file`,
    note: `Median time of a call, warm, beside a collection of objects. What was opened holds ${digits(warm.bytes / size)} bytes a contact, once everything was touched.`,
    head: ["query", "objects", "opened", "ratio"],
    rows: warm.queries.map(({ label, objects, opened }) => [
      label,
      time(objects.median),
      time(opened.median),
      digits(opened.median / objects.median),
    ]),
  };
  const saved: Section | undefined = costs && {
    title: `What lasts costs, ${count(size)} contacts`,
    head: ["what", "", "bytes a contact"],
    rows: costs.map((cost) => {
      if ("time" in cost) return [cost.label, time(cost.time), ""];
      if ("resident" in cost) return [cost.label, `${megabytes(cost.resident)} MB`, ""];
      return [cost.label, `${megabytes(cost.bytes)} MB`, digits(cost.bytes / size)];
    }),
  };
  return [fresh, opened, saved].filter((section) => section !== undefined);
}

/** A row for each thing that is counted, of all contacts and of a tenth; a column for each peer. */
function countsSection({ size, peers }: NonNullable<Results["counts"]>): Section {
  const names = Object.keys(peers);
  const labels = Object.values(peers).flatMap((each) => (isMissing(each) ? [] : each));
  const rows = [...new Set(labels.map(({ label }) => label))].flatMap((label) =>
    (["all", "a tenth"] as const).map((part) => [
      `${label}, ${part}`,
      ...Object.values(peers).map((each) => {
        const found = isMissing(each) ? undefined : each.find((one) => one.label === label);
        return found === undefined ? "" : time(found[part].median);
      }),
    ]),
  );
  return {
    title: `Counting ${count(size)} contacts by a field`,
    note: "`countBy` and `histogram`, of all contacts and of the tenth that a range of send times selects, another tenth each time. crossfilter2 keeps its counts up to date while a filter changes, so that reading them is nothing where none has; tercet keeps what it has counted of all contacts, and hands it out again.",
    head: ["counted", ...names],
    rows,
  };
}

function pageSection({ size, load, typing, slowestKey, longest, brush }: PageResults): Section {
  const { tercet, crossfilter2 } = brush;
  return {
    title: `The page over ${count(size)} contacts, in Chromium`,
    note: "From the event to the frame in which what it changes is drawn. Six charts; crossfilter2 counts in the page's own thread, tercet in a worker.",
    head: ["what", "tercet", "crossfilter2"],
    rows: [
      ["opened and loaded", time(load), time(crossfilter2.load)],
      ["a key to the answer", time(typing.median), ""],
      ["the slowest key", time(slowestKey), ""],
      ["a step of a brush", time(tercet.step.median), time(crossfilter2.step.median)],
      ["the slowest step", time(tercet.slowest), time(crossfilter2.slowest)],
      ["the page's thread busy at a stretch", time(longest), time(crossfilter2.longest)],
    ],
  };
}

function shareSection({ size, shares }: NonNullable<Results["share"]>): Section {
  return {
    title: `The share at which tercet merges segments, ${count(size)} contacts`,
    note: `${count(shares[0]?.updates ?? 0)} updates in a row, each followed by a lookup, and the queries afterwards.`,
    head: ["share", "in all", "longest", "lookup", "page"],
    rows: shares.map((each) => [
      String(each.share),
      time(each.time),
      time(each.longest),
      time(each.lookup.median),
      time(each.page.median),
    ]),
  };
}

function engineSections({ size, engines, compiling }: EngineResults): Section[] {
  const measured = Object.entries(engines).flatMap(([name, each]) =>
    isMissing(each) ? [] : [{ short: name, ...each }],
  );
  const labels = new Set(measured.flatMap(({ queries }) => queries.map(({ label }) => label)));
  const columns = measured.flatMap(({ short, queries }, i) => {
    const timesOf = (by: "memory" | "engine" | "merging") =>
      new Map(queries.flatMap((query) => (query[by] ? [[query.label, query[by].median]] : [])));
    const merging = timesOf("merging");
    return [
      ...(i === 0 ? [{ name: "memory", times: timesOf("memory") }] : []),
      { name: short, times: timesOf("engine") },
      ...(merging.size === 0 ? [] : [{ name: `${short}, two drivers`, times: merging }]),
    ];
  });
  return [
    {
      title: `Queries over ${count(size)} contacts in engines`,
      note: "Median time of getBatchContacts, by the service over the engine. Each engine has a process of its own, with the service in memory beside it, which has all indexes; memory is as it was beside the first of them. Two shards are asked by a coordinator; or each by the service, which merges their pages.",
      head: ["query", ...columns.map(({ name }) => name)],
      rows: Array.from(labels, (label) => [
        label,
        ...columns.map(({ times }) => time(times.get(label) ?? NaN)),
      ]),
    },
    {
      title: `Loading ${count(size)} contacts into engines`,
      note: "Statement after statement, over one connection. Bytes with indexes, in engines that have any.",
      head: ["engine", "loading", "a contact", "bytes a contact"],
      rows: Object.entries(engines).map(([name, each]) =>
        isMissing(each)
          ? [name, reasonOf(each), "", ""]
          : [each.name, time(each.load), time(each.load / size), digits(each.bytes / size)],
      ),
    },
    {
      title: "Compiling a query to SQL",
      head: ["query", "compileSql"],
      rows: compiling.map(({ label, calls }) => [label, time(calls.compileSql?.median ?? NaN)]),
    },
  ];
}

/** Queries, or whole peers, that have no number, and why. */
function unansweredSections(results: Results): Section[] {
  const { leftOut, updates } = results;
  const rows = [
    ...Object.entries(leftOut).map(([peer, why]) => [peer, "everything", why]),
    ...growthOf(results).flatMap(({ size, loading, queries }) => [
      ...Object.entries(loading).flatMap(([peer, each]) =>
        isMissing(each) ? [[peer, `${count(size)} contacts`, reasonOf(each)]] : [],
      ),
      ...queries.flatMap(({ id, outcomes }) =>
        Object.entries(outcomes).flatMap(([peer, outcome]) =>
          isTiming(outcome)
            ? []
            : [[peer, `query ${id}, ${count(size)} contacts`, reasonOf(outcome)]],
        ),
      ),
    ]),
    ...Object.entries(updates?.peers ?? {}).flatMap(([peer, each]) =>
      isMissing(each) ? [[peer, "updates", reasonOf(each)]] : [],
    ),
  ];
  return rows.length === 0
    ? []
    : [{ title: "What has no number", head: ["peer", "what", "why"], rows }];
}

/** Always there: an empty list is an answer too. */
function behindSection(results: Results): Section {
  const found = behind(results);
  const measured =
    results.comparisons.length > 0 || (results.updates ?? results.open) !== undefined;
  const wrong = results.comparisons.flatMap(({ size, queries }) =>
    queries.flatMap(({ id, outcomes }) => {
      const own = outcomes.tercet;
      return own !== undefined && !isTiming(own)
        ? [[`query ${id}, ${count(size)}`, "–", reasonOf(own), "", "", "tercet has no number here"]]
        : [];
    }),
  );
  const reasons = found.map(({ row, peer }) => reasonFor(row.name, peer) ?? "");
  const remarks = [...new Set(reasons)].filter((reason) => reason !== "");
  const rows = found.map(({ row, peer, tercet, other }, i) => {
    const value = row.unit === "time" ? time : (bytes: number) => `${megabytes(bytes)} MB`;
    return [
      `${row.name}, ${count(row.size)}`,
      peer,
      value(tercet),
      value(other),
      digits(tercet / other),
      String(remarks.indexOf(reasons[i] ?? "") + 1 || "–"),
    ];
  });
  const nowhere = measured ? "Nowhere in what was measured." : "Nothing was compared.";
  return {
    title: "Where tercet is behind",
    note: found.length + wrong.length === 0 ? nowhere : "Ratio: tercet's to the peer's.",
    head: ["row", "peer ahead", "tercet", "peer", "ratio", "why"],
    rows: [...wrong, ...rows],
    remarks,
  };
}

function machineSection({ machine, versions, rounds }: Results): Section {
  const { processor, cores, memory, node, v8, platform } = machine;
  return {
    title: "Machine and versions",
    note: `${rounds} rounds; the clock and the batches are mitata's.`,
    head: ["", ""],
    rows: [
      ["processor", `${processor}, ${cores} cores`],
      ["memory", `${(memory / 2 ** 30).toFixed(1)} GiB`],
      ["Node", `${node}, V8 ${v8}, ${platform}`],
      ...Object.entries(versions),
    ].map(([name = "", value = ""]) => [name, value]),
  };
}

function cell(outcome: Outcome | undefined): string {
  if (outcome === undefined) return "";
  return isTiming(outcome) ? time(outcome.median) : missing(outcome);
}

function spread(outcome: Outcome | undefined): string {
  return isTiming(outcome) ? `${time(outcome.p25)} – ${time(outcome.p75)}` : "";
}

function missing(why: Missing): string {
  if ("cannot" in why) return "can't";
  if ("wrong" in why) return "WRONG";
  if ("stopped" in why) return `over ${why.stopped} s`;
  return "failed" in why ? "failed" : "–";
}

function reasonOf(why: Missing): string {
  if ("cannot" in why) return `can't: ${why.cannot}`;
  if ("wrong" in why) return `wrong: ${why.wrong}`;
  if ("stopped" in why) return `stopped after ${why.stopped} s`;
  return "failed" in why ? `failed: ${why.failed}` : `not asked: ${why.unasked}`;
}
