// The raw results: what a run measured, as it is stored in bench/results/*.json. Times are nanoseconds
// of one call, memory is bytes. Names say what a number is of; words and units are the report's.

/** The samples of a call, in short. */
export interface Timing {
  readonly p25: number;
  readonly median: number;
  readonly p75: number;
}

/**
 * Why there is no number: the peer has no way to ask it, answers wrongly, takes too long (in seconds),
 * throws, or was not asked any more.
 */
export type Missing =
  | { readonly cannot: string }
  | { readonly wrong: string }
  | { readonly stopped: number }
  | { readonly failed: string }
  | { readonly unasked: string };

export type Outcome = Timing | Missing;

/** What it takes before the first fast query. */
export interface Loading {
  readonly load: number;
  readonly prepare: number;
  /** By how much the process grew. */
  readonly records: number;
  readonly indexes: number;
  /** What was looked at: V8's heap with array buffers, or for native code all that is resident. */
  readonly memory: "heap" | "resident";
}

export interface QueryResult {
  readonly id: number;
  readonly label: string;
  readonly offset: number;
  /** How many contacts match, before paging. */
  readonly matching: number;
  /** By peer. */
  readonly outcomes: Readonly<Record<string, Outcome>>;
}

/** Peers over the same contacts, each in a process of its own, in rounds. */
export interface Comparison {
  readonly size: number;
  readonly loading: Readonly<Record<string, Loading | Missing>>;
  readonly queries: readonly QueryResult[];
}

/** Two ways of one thing. */
export interface Pair {
  readonly label: string;
  readonly tercet: Timing;
  readonly loop: Timing;
}

/** How long a call of `buildDue` may go on, where it builds what was deferred. */
export const DEFERRED_MILLISECONDS = 5;

/** One of tercet's indexes: what building it takes after those before it, and what it holds. */
export interface Part {
  readonly label: string;
  readonly build: number;
  readonly bytes: number;
  /** How long the event loop stands still at most while it is built a part at a time. */
  readonly block?: number | undefined;
  /** For how long of that V8 collects garbage. */
  readonly garbage?: number | undefined;
}

/** Where the time of calls goes. */
export interface Profile {
  readonly label: string;
  /** Of the whole, in nanoseconds. */
  readonly time: number;
  /** The share of each part, the largest first. */
  readonly shares: Readonly<Record<string, number>>;
}

/** Calls that answer the same, by name. */
export interface Calls {
  readonly label: string;
  readonly calls: Readonly<Record<string, Timing>>;
}

/** What counting by the values of a field took: of all contacts, and of a tenth of them. */
export interface Counts {
  readonly label: string;
  readonly all: Timing;
  readonly "a tenth": Timing;
}

/** Brushing a histogram: from each step to all charts. Times of nanoseconds. */
export interface Brushing {
  /** From opening the page to its charts. */
  readonly load: number;
  readonly step: Timing;
  readonly slowest: number;
  /** For how long the page's own thread was busy at a stretch, at most. */
  readonly longest: number;
}

/** The page in a browser. */
export interface PageResults {
  readonly size: number;
  readonly load: number;
  /** From a key to the answer. */
  readonly typing: Timing;
  readonly slowestKey: number;
  readonly longest: number;
  readonly brush: Readonly<Record<"tercet" | "crossfilter2", Brushing>>;
}

/** Updates of a peer's contacts; each is followed by queries. */
export interface Updates {
  /** The queries again and again, after so many updates; the first is before all. */
  readonly queries: readonly {
    readonly updates: number;
    readonly lookup: Timing;
    readonly page: Timing;
  }[];
  /** One update, and each query right after it. */
  readonly single: Readonly<Record<"update" | "lookup" | "page", Timing>>;
  /** Updates in a row, each followed by a lookup; `done` is fewer than `asked` where time ran out. */
  readonly row: {
    readonly asked: number;
    readonly done: number;
    readonly time: number;
    /** Heap after garbage collection. */
    readonly heapBefore: number;
    readonly heapAfter: number;
  };
  /** Many at once, and the lookup and page right after. */
  readonly insert: Bulk;
  readonly remove: Bulk;
}

export interface Bulk {
  readonly count: number;
  readonly time: number;
  readonly lookup: number;
  readonly page: number;
}

export interface UpdateResults {
  readonly size: number;
  readonly peers: Readonly<Record<string, Updates | Missing>>;
}

/** Updates in a row, each followed by a lookup, where segments are merged at this share. */
export interface Share {
  readonly share: number;
  readonly updates: number;
  readonly time: number;
  /** Of one update with its lookup. */
  readonly longest: number;
  /** Afterwards. */
  readonly lookup: Timing;
  readonly page: Timing;
}

/** Contacts saved as a file by a process that ended then. */
export interface Saving {
  /** From the records in memory to the file, indexes included. */
  readonly time: number;
}

/** What a fresh process did with the file. */
export interface Opening {
  /** Of importing the peer's package. */
  readonly imported: number;
  readonly open: number;
  /** The first answer of each kind. */
  readonly lookup: number;
  readonly page: number;
  /** By how much the process grew, until both were answered. */
  readonly resident: number;
}

/** A store that a fresh process made of a source. */
export interface Importing {
  readonly time: number;
  /** The most that the process had, all in all. */
  readonly resident: number;
}

/** A file that was opened by several fresh processes. */
export interface Opened {
  readonly save: number;
  readonly bytes: number;
  readonly imported: Timing;
  readonly open: Timing;
  readonly lookup: Timing;
  readonly page: Timing;
  readonly resident: number;
}

/** A collection from a file, beside one of objects. */
export interface OpenedQueries {
  readonly queries: readonly {
    readonly label: string;
    readonly objects: Timing;
    readonly opened: Timing;
  }[];
  /** What it holds once everything was touched. */
  readonly bytes: number;
}

/** What one thing costs, once. */
export type Cost =
  | { readonly label: string; readonly time: number }
  | { readonly label: string; readonly bytes: number }
  /** Bytes that a process had at most. */
  | { readonly label: string; readonly resident: number };

export interface OpenResults {
  readonly size: number;
  readonly peers: Readonly<Record<string, Opened | Missing>>;
  /** Of tercet alone. */
  readonly warm?: OpenedQueries;
  readonly costs?: readonly Cost[];
}

/** What is watched: each a contact of its own, or each a page of those that opened last. */
export type WatchedKind = "contact" | "page";

/** An update where so many live queries are watched. */
export interface Watchers {
  readonly watchers: number;
  /** Of beginning those that were not there before. */
  readonly begin: number;
  /** Of one contact, until all who are told know. */
  readonly update: Timing;
}

export interface WatcherResults {
  readonly size: number;
  readonly kinds: Readonly<
    Record<WatchedKind, Readonly<Record<string, readonly Watchers[] | Missing>>>
  >;
}

/** An engine beside memory. */
export interface EngineFigures {
  /** With its version. */
  readonly name: string;
  /** Of inserting the contacts of a Batch, statement after statement. */
  readonly load: number;
  /** Of its tables, with their indexes. */
  readonly bytes: number;
  /** They are in files, unless this is so. */
  readonly inMemory?: boolean;
  readonly queries: readonly {
    readonly label: string;
    readonly memory: Timing;
    readonly engine: Timing;
    /** Of servers that are asked by another: when the service asks each of them, and merges. */
    readonly merging?: Timing;
  }[];
}

export interface EngineResults {
  readonly size: number;
  readonly engines: Readonly<Record<string, EngineFigures | Missing>>;
  /** The same with fewer contacts. */
  readonly before?: {
    readonly size: number;
    readonly engines: Readonly<Record<string, EngineFigures | Missing>>;
  };
  readonly compiling: readonly Calls[];
}

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memory: number;
  readonly node: string;
  readonly v8: string;
  readonly platform: string;
}

/** One run. What was not asked for is not there. */
export interface Results {
  readonly command: string;
  readonly date: string;
  readonly minutes: number;
  readonly machine: Machine;
  readonly rounds: number;
  /** By peer. */
  readonly versions: Readonly<Record<string, string>>;
  /** By peer: why it is not in this run. */
  readonly leftOut: Readonly<Record<string, string>>;
  readonly comparisons: readonly Comparison[];
  /** Of few queries, at other sizes. */
  readonly growth: readonly Comparison[];
  readonly first?: { readonly size: number; readonly queries: readonly Pair[] };
  readonly parts?: {
    readonly size: number;
    readonly records: number;
    readonly indexes: readonly Part[];
  };
  readonly envelope?: { readonly size: number; readonly pages: readonly Calls[] };
  readonly prepared?: { readonly size: number; readonly queries: readonly Calls[] };
  readonly profiles?: { readonly size: number; readonly rows: readonly Profile[] };
  readonly counts?: {
    readonly size: number;
    readonly peers: Readonly<Record<string, readonly Counts[] | Missing>>;
  };
  readonly page?: PageResults;
  readonly updates?: UpdateResults;
  readonly watchers?: WatcherResults;
  readonly open?: OpenResults;
  readonly engines?: EngineResults;
  readonly share?: { readonly size: number; readonly shares: readonly Share[] };
}

export function isTiming(outcome: Outcome | undefined): outcome is Timing {
  return outcome !== undefined && "median" in outcome;
}

export function isMissing(result: object): result is Missing {
  return ["cannot", "wrong", "stopped", "failed", "unasked"].some((why) => why in result);
}

/**
 * Puts runs together: a full run is too long for one sitting.
 *
 * @throws Error where they are of different machines, or answer one question twice
 */
export function merge(runs: readonly Results[]): Results {
  const [first] = runs;
  if (first === undefined) throw new Error("there are no results");
  const machine = nameOf(first.machine);
  if (runs.some((run) => nameOf(run.machine) !== machine)) {
    throw new Error("the results are of different machines");
  }
  const figure = <
    Name extends
      | "first"
      | "parts"
      | "envelope"
      | "prepared"
      | "profiles"
      | "counts"
      | "page"
      | "watchers"
      | "open"
      | "share",
  >(
    name: Name,
  ) => {
    const found = runs.filter((run) => run[name] !== undefined);
    if (found.length > 1) throw new Error(`two runs have the figure ${name}`);
    const [only] = found;
    return only === undefined ? {} : { [name]: only[name] };
  };
  return {
    ...first,
    versions: Object.assign({}, ...runs.map(({ versions }) => versions)) as Results["versions"],
    leftOut: Object.assign({}, ...runs.map(({ leftOut }) => leftOut)) as Results["leftOut"],
    comparisons: mergeComparisons(runs.flatMap(({ comparisons }) => comparisons)),
    growth: mergeComparisons(runs.flatMap(({ growth }) => growth)),
    ...figure("first"),
    ...figure("parts"),
    ...figure("envelope"),
    ...figure("prepared"),
    ...figure("profiles"),
    ...figure("counts"),
    ...figure("page"),
    ...figure("watchers"),
    ...figure("open"),
    ...figure("share"),
    ...mergeUpdates(runs.flatMap(({ updates }) => updates ?? [])),
    ...mergeEngines(runs.flatMap(({ engines }) => engines ?? [])),
  };
}

/** A kernel leaves a little more or less of the memory each time it starts. */
function nameOf({ memory, ...others }: Machine): string {
  return JSON.stringify({ ...others, tenthsOfGiB: Math.round((10 * memory) / 2 ** 30) });
}

/** Of one size, with the peers of all. */
function mergeUpdates(all: readonly UpdateResults[]): Pick<Results, "updates"> {
  const [first] = all;
  if (first === undefined) return {};
  const peers = all.flatMap((each) => Object.entries(each.peers));
  const names = new Set(peers.map(([name]) => name));
  if (names.size < peers.length || all.some(({ size }) => size !== first.size)) {
    throw new Error("two runs have updates of the same peer, or of different sizes");
  }
  return { updates: { size: first.size, peers: Object.fromEntries(peers) } };
}

/** Of one size, with the engines of all; each has memory beside it, and compiling is that of the first. */
function mergeEngines(all: readonly EngineResults[]): Pick<Results, "engines"> {
  const [first] = all;
  if (first === undefined) return {};
  const befores = all.flatMap(({ before }) => before ?? []);
  const [before] = befores;
  return {
    engines: {
      ...first,
      engines: enginesOf(all),
      ...(before && { before: { ...before, engines: enginesOf(befores) } }),
    },
  };
}

function enginesOf(runs: readonly Pick<EngineResults, "size" | "engines">[]) {
  const engines = runs.flatMap((each) => Object.entries(each.engines));
  const names = new Set(engines.map(([name]) => name));
  if (names.size < engines.length || runs.some(({ size }) => size !== runs[0]?.size)) {
    throw new Error("two runs have the same engine, or engines of different sizes");
  }
  return Object.fromEntries(engines);
}

/** One of each size, with the queries of all; loading is that of the first. */
function mergeComparisons(comparisons: readonly Comparison[]): Comparison[] {
  const bySize = new Map<number, Comparison>();
  for (const each of comparisons) {
    const other = bySize.get(each.size);
    const queries = [...(other?.queries ?? []), ...each.queries].sort((a, b) => a.id - b.id);
    if (new Set(queries.map(({ id }) => id)).size < queries.length) {
      throw new Error(`two runs have the same query at ${each.size} contacts`);
    }
    bySize.set(each.size, { ...(other ?? each), queries });
  }
  return [...bySize.values()].sort((a, b) => a.size - b.size);
}
