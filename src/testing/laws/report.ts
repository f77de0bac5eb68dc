// What became of a law, and how it is told.

import fc from "fast-check";

export interface LawReport {
  readonly name: string;
  /** The rules of the semantics that it follows from. */
  readonly rules: readonly string[];
  /**
   * `"not applicable"`: the service has not what the law is about. `"aborted"`: the caller ended the
   * check before the law had failed or was through.
   */
  readonly outcome: "passed" | "failed" | "not applicable" | "aborted";
  /** On how many cases it was run. */
  readonly runs: number;
  /** Of a law that was run: the seed of its cases. */
  readonly seed?: number;
  /** Of a failure: where in the seed's cases it stands. */
  readonly path?: string;
  /** Of a failure: the smallest case that was found, as text. */
  readonly counterexample?: string;
  /** Of a failure: what went wrong in that case. */
  readonly reason?: string;
  /**
   * Of a failure: the question of that case whose answer is wrong, as a call. Where the answers are
   * all those of {@link referenceService}, or it can't be asked, the last one.
   */
  readonly call?: string;
  /** What {@link referenceService} answers to it, where that is something else. */
  readonly expected?: string;
  /** What the service answered to it. Long answers are cut. */
  readonly received?: string;
  /** Of a failure: the call that runs its case alone, as code. */
  readonly again?: string;
}

export function asText(value: unknown): string {
  try {
    return fc.stringify(value);
  } catch {
    return "a value that can't be printed";
  }
}

/** Why a law does not hold, whatever was thrown: a proxy or a getter may throw in its turn. */
export function reasonOf(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : undefined;
    if (typeof message === "string") return message;
  } catch {
    // It is no error then.
  }
  return `threw ${asText(thrown)}`;
}

/** What became of the laws. */
export interface CheckReport {
  /** What was checked. */
  readonly about: "service" | "collection";
  /** Whether no law failed, and none was aborted. */
  readonly passed: boolean;
  readonly laws: readonly LawReport[];
}

/** A report as text: of a failure the reason, the case, the answer, and the call that shows it again. */
export function formatLaw(report: LawReport): string {
  const { name, rules, outcome, runs, counterexample = "", reason = "" } = report;
  const title = `${outcome}: ${name} (${rules.join(", ")})`;
  if (outcome === "passed") return `${title}, ${runs} cases`;
  if (outcome === "aborted") return `${title}, after ${runs} cases`;
  if (outcome === "not applicable") return `${title}, ${reason}`;
  const { call, expected, received, again } = report;
  const answer = Object.entries({ call, expected, received, "to see it again": again });
  const lines = [
    title,
    reason,
    ...counterexample.split("\n"),
    ...answer.map(([what, text]) => (text === undefined ? "" : `${what}: ${text}`)),
  ];
  return lines.filter((line) => line !== "").join("\n  ");
}
