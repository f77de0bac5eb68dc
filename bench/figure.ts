// What a figure is: its name on the command line, its measurement, what it adds to the results, and its
// part of the report. Each is one file in figures/; everything else loops over them.

import type { Progress } from "../src/cli/progress.ts";
import type { Chart } from "./charts.ts";
import { count, time } from "./format.ts";
import { callerOf, orMissing, type Tasks } from "./host.ts";
import type { Rounds } from "./measure.ts";
import { cell, isMissing, missing, reasonOf, type Calls, type Missing } from "./results.ts";

/** What a run was asked to measure. */
export interface Plan {
  readonly figures: readonly string[];
  readonly size: number;
  /** The largest size of growth. */
  readonly growthTo: number;
  /** The numbers of the queries. */
  readonly queries: readonly number[];
  /** The peers that can take part. */
  readonly peers: readonly string[];
  readonly engines: readonly string[];
  readonly rounds: Rounds;
  /** How many updates are made in a row, and how many contacts are inserted at once. */
  readonly many: number;
  readonly limits: Limits;
  readonly quick: boolean;
}

/** Seconds after which a process is stopped. */
export interface Limits {
  readonly load: number;
  /** Preparing a query and answering it up to three times. */
  readonly query: number;
  /** A peer that takes longer to load is not loaded again. */
  readonly again: number;
}

/** A run in progress. */
export interface Run {
  readonly plan: Plan;
  readonly progress: Progress;
  /** Runs one step of a figure, and reports the progress. */
  readonly step: <Result>(label: string, run: () => Promise<Result>) => Promise<Result>;
}

export interface Section {
  readonly title: string;
  readonly note?: string;
  readonly head: readonly string[];
  /** None: the note says everything. */
  readonly rows: readonly (readonly string[])[];
  /** The chart that shows it. */
  readonly chart?: string;
  /** Numbered sentences that the table refers to. */
  readonly remarks?: readonly string[];
}

/** Numbers of tercet and of peers that are compared; less is better everywhere. */
export interface Row {
  /** The name used by {@link Reasons}. */
  readonly name: string;
  readonly size: number;
  readonly unit: "time" | "bytes";
  /** By peer. */
  readonly values: Readonly<Record<string, number>>;
}

/** Sentences that say why, each with the rows in which it explains that these peers are faster. */
export type Reasons = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** What has no number, and why. */
type Unanswered = readonly [peer: string, what: string, why: string];

/**
 * @template Part the results that it reads
 * @template Own the results that it adds
 */
export interface Figure<Part, Own = Part> {
  /** On the command line. */
  readonly names: readonly string[];
  /** It is measured only if it is requested by name. */
  readonly isExtra?: boolean;
  /** Its sections follow those of the other figures, or the list of slower rows. Default: neither. */
  readonly chapter?: "uses" | "appendix";
  /** The tasks of its workers. */
  readonly tasks?: Tasks;
  readonly reasons?: Reasons;
  /** About how many seconds it takes: only for the estimate of the time left. */
  readonly seconds: (plan: Plan) => number;
  readonly measure: (run: Run) => Promise<Own>;
  /** @throws Error if two runs answer the same question */
  readonly merge: (parts: readonly Part[]) => Own;
  readonly sections: (part: Part) => Section[];
  readonly rows: (part: Part) => Row[];
  readonly charts: (part: Part) => Chart[];
  readonly unanswered: (part: Part) => Unanswered[];
}

/** A figure whose result has its own name. */
interface Single<Result>
  extends
    Pick<Figure<Result>, "isExtra" | "chapter" | "tasks" | "reasons" | "sections">,
    Partial<Pick<Figure<Result>, "rows" | "charts" | "unanswered">> {
  /** Measures it in a worker. */
  readonly task?: (plan: Plan) => Promise<Result>;
  /** Measures it from outside, if one task is not enough. */
  readonly measure?: (run: Run) => Promise<Result>;
  /** How many steps `measure` has. Default: one. */
  readonly steps?: (plan: Plan) => number;
  /** Default: at most one run may have it. */
  readonly merge?: (results: readonly Result[]) => Result;
}

export function figure<Name extends string, Result extends object>(
  name: Name,
  single: Single<Result>,
): Figure<Readonly<Partial<Record<Name, Result>>>> {
  type Part = Readonly<Partial<Record<Name, Result>>>;
  const { task, steps, merge, tasks = { [name]: task } } = single;
  const call = callerOf<Readonly<Record<string, (plan: Plan) => Promise<Result>>>>();
  const { measure = ({ plan }: Run) => call(name, [plan]) } = single;
  const partOf = (result: Result) => ({ [name]: result }) as Part;
  const of =
    <Each>(read?: (result: Result) => Each[]) =>
    ({ [name]: result }: Part): Each[] =>
      result === undefined || read === undefined ? [] : read(result);
  return {
    ...single,
    tasks: tasks as Tasks,
    names: [name],
    seconds: (plan) => (steps?.(plan) ?? 1) * stepSeconds(plan),
    measure: async (run) =>
      partOf(await (steps === undefined ? run.step(name, () => measure(run)) : measure(run))),
    merge(parts) {
      const results = parts.flatMap((part) => part[name] ?? []);
      const [first, second] = results;
      if (first === undefined) return {} as Part;
      if (second === undefined) return partOf(first);
      if (merge === undefined) throw new Error(`two runs have the figure ${name}`);
      return partOf(merge(results));
    },
    sections: of(single.sections),
    rows: of(single.rows),
    charts: of(single.charts),
    unanswered: of(single.unanswered),
  };
}

interface OfPeers<Result> {
  readonly size: number;
  readonly peers: OfEach<Result>;
}

/** A figure of several peers, each in a worker of its own. */
interface Several<Result> extends Pick<Single<OfPeers<Result>>, "chapter" | "reasons" | "charts"> {
  /** The peers that it measures. */
  readonly peers: readonly string[];
  /** Measures one in its worker. */
  readonly task: (plan: Plan, peer: string) => Promise<Result | Missing>;
  /** The time after which a worker is stopped. */
  readonly seconds: (plan: Plan) => number;
  /** What is compared. */
  readonly numbers: (peers: OfEach<Result>) => readonly RowNumber<Result>[];
  /** @param cells a table of the numbers, a column for each peer */
  readonly sections: (result: OfPeers<Result>, cells: string[][]) => Section[];
}

export function figureOfPeers<Name extends string, Result extends object>(
  name: Name,
  { peers: names, task, seconds, numbers, sections, ...others }: Several<Result>,
) {
  const call = callerOf<Readonly<Record<string, typeof task>>>();
  const rows = ({ size, peers }: OfPeers<Result>) => rowsOfEach(size, peers, numbers(peers));
  return figure<Name, OfPeers<Result>>(name, {
    ...others,
    tasks: { [name]: task },
    steps: (plan) => peersOf(plan, names).length,
    async measure(run) {
      const limit = seconds(run.plan);
      const peers = await stepOfEach(run, `${name} of`, peersOf(run.plan, names), (peer) =>
        call(name, [run.plan, peer], limit),
      );
      return { size: run.plan.size, peers };
    },
    merge: (all) => ({
      size: all[0]?.size ?? 0,
      peers: joined(
        "peer",
        all.map(({ size, peers }) => [size, peers]),
      ),
    }),
    rows,
    unanswered: ({ peers }) => unansweredOf(peers, name),
    sections: (result) => sections(result, cellsOf(rows(result), result.peers)),
  });
}

/** About how many seconds one step takes. */
export const stepSeconds = ({ size }: Plan): number => 2 + size / 30_000;

/** The result of each, or the reason why there is none. */
export type OfEach<Result> = Readonly<Record<string, Result | Missing>>;

/** Those that have a result. */
export function present<Result extends object>(all: OfEach<Result>): [name: string, Result][] {
  return Object.entries(all).flatMap(([name, each]) => (isMissing(each) ? [] : [[name, each]]));
}

export function unansweredOf(all: OfEach<object>, what: string): Unanswered[] {
  return Object.entries(all).flatMap(([name, each]) =>
    isMissing(each) ? [[name, what, reasonOf(each)] as const] : [],
  );
}

/** A number of a result, and its name among the rows. */
export type RowNumber<Result> = readonly [
  name: string,
  of: (result: Result) => number | undefined,
  unit?: "bytes",
];

/** A row for each of these numbers. */
export function rowsOfEach<Result extends object>(
  size: number,
  all: OfEach<Result>,
  numbers: readonly RowNumber<Result>[],
): Row[] {
  return numbers.map(([name, of, unit]): Row => {
    const values = present(all).map(([peer, result]) => [peer, of(result)] as const);
    const known = values.filter(([, value]) => value !== undefined);
    return { name, size, unit: unit ?? "time", values: Object.fromEntries(known) as Row["values"] };
  });
}

/** The fastest other peer, and tercet's share of its number. */
export function bestOther({ values: { tercet, ...others } }: Row) {
  const [best] = Object.entries(others).sort(([, a], [, b]) => a - b);
  if (best === undefined || tercet === undefined) return undefined;
  const [peer, value] = best;
  return { peer, value, ratio: tercet / value, text: `${time(value)}, ${peer}` };
}

/** Rows of times as those of a table, a column for each peer. */
function cellsOf(rows: readonly Row[], peers: OfEach<object>): string[][] {
  const cellOf = (values: Row["values"], [peer, each]: readonly [string, object]) =>
    isMissing(each) ? missing(each) : ifKnown(values[peer]);
  return rows.map(({ name, values }) => [
    name,
    ...Object.entries(peers).map((each) => cellOf(values, each)),
  ]);
}

export const ifKnown = (nanoseconds: number | undefined): string =>
  nanoseconds === undefined ? "" : time(nanoseconds);

export const contacts = (size: number): string => `${count(size)} contacts`;

/** Calls as a table, one column each. */
export function callsTable(first: string, all: readonly Calls[]): Pick<Section, "head" | "rows"> {
  const names = Object.keys(all[0]?.calls ?? {});
  return {
    head: [first, ...names],
    rows: all.map(({ label, calls }) => [label, ...names.map((name) => cell(calls[name]))]),
  };
}

/** Of these peers, those that can take part. */
export const peersOf = ({ peers }: Plan, names: readonly string[]): string[] =>
  peers.filter((name) => names.includes(name));

/** Measures each of these in its own step. */
export async function stepOfEach<Result>(
  { step }: Run,
  label: string,
  names: readonly string[],
  measure: (name: string) => Promise<Result | Missing>,
): Promise<OfEach<Result>> {
  const found: Record<string, Result | Missing> = {};
  for (const name of names) {
    found[name] = await step(`${label} ${name}`, () => orMissing(measure(name)));
  }
  return found;
}

/**
 * Combines what several runs have of each.
 *
 * @throws Error if two have the same, or of different sizes
 */
export function joined<Result>(
  what: string,
  runs: readonly (readonly [size: number, OfEach<Result>])[],
): OfEach<Result> {
  const entries = runs.flatMap(([, each]) => Object.entries(each));
  const all = Object.fromEntries(entries);
  if (Object.keys(all).length < entries.length || runs.some(([size]) => size !== runs[0]?.[0])) {
    throw new Error(`two runs have the same ${what}, or ${what}s of different sizes`);
  }
  return all;
}
