// The interface of figures: the name on the command line, the measurement, and the part of the report. Each is one file
// in figures/, and its raw results are one file in results/; everything else loops over them.

import type { Chart } from "./charts.ts";
import { count, digits, megabytes, time } from "./format.ts";
import { callerOf, orMissing, type Tasks } from "./host.ts";
import type { Rounds } from "./measure.ts";
import { isMissing, missing, reasonOf, type Missing } from "./results.ts";

/** The settings of a run. */
export interface Plan {
  readonly size: number;
  /** The peers that can take part. */
  readonly peers: readonly string[];
  readonly rounds: Rounds;
  readonly limits: Limits;
  readonly quick: boolean;
}

/** Seconds after which a process is stopped. */
export interface Limits {
  readonly load: number;
  /** Checking a question, or a round of it. */
  readonly query: number;
  /** A peer that takes longer to load is not loaded again. */
  readonly again: number;
}

/** A run in progress. */
export interface Run {
  readonly plan: Plan;
  /** Says on stderr what is measured now. */
  readonly say: (text: string) => void;
}

export interface Section {
  readonly title: string;
  readonly note?: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The chart that shows it. */
  readonly chart?: string;
}

/** Numbers of tercet and of peers that are compared; less is always better. */
export interface Row {
  readonly name: string;
  readonly unit: "time" | "bytes";
  /** By peer. */
  readonly values: Readonly<Record<string, number>>;
}

export interface Figure<Result = unknown> {
  readonly name: string;
  /** What it measures, for the list of figures. */
  readonly what: string;
  /** It is measured only if it is requested by name. */
  readonly isExtra?: boolean;
  /** The tasks of its workers. */
  readonly tasks?: Tasks;
  readonly measure: (run: Run) => Promise<Result>;
  readonly sections: (result: Result) => Section[];
  /** What is compared with the peers. */
  readonly rows?: (result: Result) => Row[];
  readonly charts?: (result: Result) => Chart[];
}

/** The same for any result: only `measure` of the same figure makes what the others read. */
export const figure = <Result>(own: Figure<Result>): Figure => own as unknown as Figure;

/** The result of each, or the reason why there is none. */
export type OfEach<Result> = Readonly<Record<string, Result | Missing>>;

/** Peers over the same contacts. */
export interface OfPeers<Result> {
  readonly size: number;
  readonly peers: OfEach<Result>;
}

/** Measures several peers, each in its own worker. */
export async function measureEach<Result>(
  { plan, say }: Run,
  task: string,
  names: readonly string[],
  seconds: number,
): Promise<OfPeers<Result>> {
  const call = callerOf<Record<string, (plan: Plan, peer: string) => Promise<Result>>>();
  const peers: Record<string, Result | Missing> = {};
  for (const name of plan.peers.filter((each) => names.includes(each))) {
    say(`${task} of ${name}`);
    peers[name] = await orMissing(call(task, [plan, name], seconds));
  }
  return { size: plan.size, peers };
}

/** Those that have a result. */
export function present<Result extends object>(all: OfEach<Result>): [name: string, Result][] {
  return Object.entries(all).flatMap(([name, each]) => (isMissing(each) ? [] : [[name, each]]));
}

/** A sentence about the peers without a result, with the reasons; `undefined` if all have one. */
export function missingNote(all: OfEach<object>): string | undefined {
  const why = Object.entries(all).flatMap(([name, each]) =>
    isMissing(each) ? [`${name} ${reasonOf(each)}`] : [],
  );
  return why.length === 0 ? undefined : `Without a number: ${why.join("; ")}.`;
}

/** A number of a result, and its name among the rows. */
export type RowNumber<Result> = readonly [
  name: string,
  of: (result: Result) => number | undefined,
  unit?: "bytes",
];

/** A row for each of these numbers. */
export function rowsOfEach<Result extends object>(
  all: OfEach<Result>,
  numbers: readonly RowNumber<Result>[],
): Row[] {
  return numbers.map(([name, of, unit]): Row => {
    const values = present(all).map(([peer, result]) => [peer, of(result)] as const);
    const known = values.filter(([, value]) => value !== undefined);
    return { name, unit: unit ?? "time", values: Object.fromEntries(known) as Row["values"] };
  });
}

/** The best other peer, and tercet's share of its number. */
export function bestOther({ unit, values: { tercet, ...others } }: Row) {
  const [best] = Object.entries(others).sort(([, a], [, b]) => a - b);
  if (best === undefined || tercet === undefined) return undefined;
  const [peer, value] = best;
  return { peer, value, ratio: tercet / value, text: `${shown(value, unit)}, ${peer}` };
}

/** A number in its unit. */
export const shown = (value: number | undefined, unit: Row["unit"] = "time"): string => {
  if (value === undefined) return "";
  return unit === "time" ? time(value) : `${megabytes(value)} MB`;
};

/** The rows as a table: a column for each peer, and the ratio of tercet to the best of the others. */
export function tableOfRows(
  rows: readonly Row[],
  peers: OfEach<object>,
): Pick<Section, "head" | "rows"> {
  const cellOf = ({ unit, values }: Row, [peer, each]: readonly [string, object]) =>
    isMissing(each) ? missing(each) : shown(values[peer], unit);
  return {
    head: ["", ...Object.keys(peers), "ratio to the best"],
    rows: rows.map((row) => [
      row.name,
      ...Object.entries(peers).map((each) => cellOf(row, each)),
      digits(bestOther(row)?.ratio ?? NaN),
    ]),
  };
}

export const contacts = (size: number): string => `${count(size)} contacts`;
