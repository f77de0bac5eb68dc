// The parts of a CPU profile: each sample belongs to the innermost function on its stack that is named
// here. A function that V8 has inlined counts under its own name.

import type { Profiler, Runtime } from "node:inspector";

/** The share of each part in the time of calls. */
export interface Shares {
  /** The total, in nanoseconds. */
  readonly time: number;
  /** The largest first. */
  readonly shares: Readonly<Record<string, number>>;
}

/** The parts of calls, each with the functions that it starts with. */
export const PARTS = {
  "checking what is given": ["take", "#complete", "readIn"],
  "making records": ["makeRecord", "createContact"],
  "other work of loading": ["loadBatch", "insert"],
  "digests of rows": ["keepDigests"],
  "selecting by digests": ["selectByIntegers"],
  "comparing fields": ["areSame"],
  "sorting texts": ["sortStrings"],
  "sorting integers": ["sortNumbers"],
  "codes of rows": ["buildingParts"],
  "tables of values": ["#addAll"],
  "postings of trigrams": ["byCharacters"],
  "parsing the query": ["parseQuery", "parseCriterion", "fill"],
  planning: ["planQuery", "choose"],
  "running the plan": ["execute"],
  "filtering rows": ["keep"],
  "kept rows": ["planOfKept"],
  "hashing the key": ["hash"],
  "finding the value": ["codeOf", "find"],
  "finding its rows": ["listOf", "lookUpByDigest", "indexedRowOf", "scannedRowOf"],
  "copying rows and records": ["copyStretch", "copyRecords", "slice"],
  "the rows of small segments": ["checkEach", "sorted"],
  "merging segments": ["forEachRow"],
  "the recipe, by Immer": ["runRecipe"],
  "reading the record": ["write", "copyValues"],
  "putting the record together": ["replace"],
  "the next snapshot": ["commit"],
  "garbage collection": ["(garbage collector)"],
  "the loop of the benchmark": ["ask"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const REST = "the rest";

const partOf: ReadonlyMap<string, string> = new Map(
  Object.entries(PARTS).flatMap(([part, names]) => names.map((name) => [name, part] as const)),
);

export function sharesOf(...profiles: readonly Profiler.Profile[]): Shares {
  const times = new Map<string, number>();
  for (const profile of profiles) addTimes(times, profile);
  const time = Array.from(times.values()).reduce((sum, each) => sum + each, 0);
  const shares = Array.from(times, ([part, each]) => [part, each / time] as const);
  return { time: time * 1e3, shares: Object.fromEntries(shares.sort(([, a], [, b]) => b - a)) };
}

/** Adds the time of each part of a profile, in microseconds. */
function addTimes(
  times: Map<string, number>,
  { nodes, samples = [], timeDeltas = [] }: Profiler.Profile,
): void {
  const partOfNode = new Map<number, string>();
  // Functions outside any file are V8's own: `dispatch` starts and stops the profiler.
  const isOther = ({ url, functionName }: Runtime.CallFrame) =>
    url === "" && ["dispatch", "(idle)", "(root)"].includes(functionName);
  const others = new Set(nodes.filter(({ callFrame }) => isOther(callFrame)).map(({ id }) => id));
  // A node comes before its children.
  for (const { id, callFrame, children = [] } of nodes) {
    // The bundler numbers functions that would have the same name.
    const own = partOf.get(callFrame.functionName.replace(/\d+$/, ""));
    const part = own ?? partOfNode.get(id) ?? REST;
    partOfNode.set(id, part);
    for (const child of children) partOfNode.set(child, part);
  }
  for (const [i, id] of samples.entries()) {
    if (others.has(id)) continue;
    const passed = timeDeltas[i] ?? 0;
    const part = partOfNode.get(id) ?? REST;
    times.set(part, (times.get(part) ?? 0) + passed);
  }
}
