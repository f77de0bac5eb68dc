// Counting for the peers that support it: how many contacts have each value of a field, or are in each
// bin of a histogram.

/** Send times from `low` up to `high`, both included. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** What to count: the values of a field, or an int field in bins. */
export interface Counted {
  readonly label: string;
  readonly field: "send_status" | "open_country" | "open_count" | "last_open_time";
  readonly bins?: { readonly from: number; readonly width: number; readonly count: number };
}

/** The field of the ranges, and the counted fields. */
export const COUNTED = [
  "send_time",
  "send_status",
  "open_country",
  "open_count",
  "last_open_time",
] as const;

/** How many contacts have each value, or are in the bin with that number; −1 is below all bins. */
export type Answer = readonly (readonly [key: string | number, count: number])[];

/** Counts something, among those in a range or all. */
export interface Counter {
  /** What is timed. */
  readonly run: (range: Range | undefined) => unknown;
  readonly answer: (range: Range | undefined) => Promise<Answer>;
}

/** @param read converts the result to an answer, untimed */
export function counter<Result>(
  run: (range: Range | undefined) => Result | Promise<Result>,
  read: (result: Result) => Answer,
): Counter {
  return { run, answer: async (range) => read(await run(range)) };
}

export const binOf = (value: number, { from, width }: NonNullable<Counted["bins"]>): number =>
  value < from ? -1 : Math.floor((value - from) / width);

export const answerOf = (rows: readonly Readonly<Record<string, unknown>>[]): Answer =>
  rows.map(({ key, count }) => [String(key), Number(count)]);
