// What figures have in common in the raw results, a file for each figure in bench/results. Times are nanoseconds of one
// call, memory is bytes. Names say what a number measures; the report has the words and units.

import { time } from "./format.ts";

/** A summary of a call's samples. */
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

/** A run of one figure. */
export interface Results {
  readonly figure: string;
  readonly command: string;
  readonly date: string;
  readonly minutes: number;
  readonly machine: {
    readonly processor: string;
    readonly cores: number;
    readonly memory: number;
    readonly node: string;
    readonly v8: string;
    readonly platform: string;
  };
  readonly rounds: number;
  /** By peer. */
  readonly versions: Readonly<Record<string, string>>;
  /** By peer: why it is not in this run. */
  readonly leftOut: Readonly<Record<string, string>>;
  /** What the figure measured. */
  readonly result: unknown;
}

export function isTiming(outcome: Outcome | undefined): outcome is Timing {
  return outcome !== undefined && "median" in outcome;
}

export function isMissing(result: object): result is Missing {
  return ["cannot", "wrong", "stopped", "failed", "unasked"].some((why) => why in result);
}

/** Fits into the cell of a table. */
export function cell(outcome: Outcome | undefined): string {
  if (outcome === undefined) return "";
  return isTiming(outcome) ? time(outcome.median) : missing(outcome);
}

export function missing(why: Missing): string {
  if ("cannot" in why) return "can't";
  if ("wrong" in why) return "WRONG";
  if ("stopped" in why) return `over ${why.stopped} s`;
  return "failed" in why ? "failed" : "–";
}

export function reasonOf(why: Missing): string {
  if ("cannot" in why) return `can't: ${why.cannot}`;
  if ("wrong" in why) return `wrong: ${why.wrong}`;
  if ("stopped" in why) return `stopped after ${why.stopped} s`;
  return "failed" in why ? `failed: ${why.failed}` : `not asked: ${why.unasked}`;
}
