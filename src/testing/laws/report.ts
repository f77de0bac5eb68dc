// The report of a law, and its text.

import * as fc from "fast-check";

/** The outcome of one law, with the smallest failing case if it failed. */
export interface LawReport {
  readonly name: string;
  /** The rules it follows from. */
  readonly rules: readonly string[];
  /**
   * `"not applicable"`: the service does not meet a requirement of the law. `"aborted"`: the check was aborted before
   * the law had failed or finished.
   */
  readonly outcome: "passed" | "failed" | "not applicable" | "aborted";
  /** How many cases were run. */
  readonly runs: number;
  /** If the law ran: the seed of its cases. */
  readonly seed?: number;
  /** If it failed: the path of its case. */
  readonly path?: string;
  /** If it failed: the smallest failing case, as text. */
  readonly counterexample?: string;
  /** If it failed: the reason. */
  readonly reason?: string;
  /**
   * If it failed: the first call whose result differs from that of {@link referenceService}; if none differs, the last
   * call.
   */
  readonly call?: string;
  /** The result of {@link referenceService}, if it differs. */
  readonly expected?: string;
  /** The service's result, truncated if it is long. */
  readonly received?: string;
  /** If it failed: the call that repeats its case, as code. */
  readonly again?: string;
}

export function asText(value: unknown): string {
  try {
    return fc.stringify(value);
  } catch {
    return "a value that can't be printed";
  }
}

/** Why a law does not hold, whatever was thrown: reading a proxy or a getter may throw too. */
export function reasonOf(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : undefined;
    if (typeof message === "string") return message;
  } catch {
    // Then it is not an error.
  }
  return `threw ${asText(thrown)}`;
}

/** The report of each law. */
export interface CheckReport {
  /** What was checked. */
  readonly about: "service" | "collection" | "database";
  /** Whether no law failed, and none was aborted. */
  readonly passed: boolean;
  readonly laws: readonly LawReport[];
}

/** A report as text. For a failure, it has the reason, the case, the results, and the call that repeats it. */
export function formatLaw(report: LawReport): string {
  const { name, rules, outcome, runs, counterexample = "", reason = "" } = report;
  const title = `${outcome}: ${name} (${rules.join(", ")})`;
  if (outcome === "passed") return `${title}, ${runs} cases`;
  if (outcome === "aborted") return `${title}, after ${runs} cases`;
  if (outcome === "not applicable") return `${title}, ${reason}`;
  const { call, expected, received, again } = report;
  const shown = Object.entries({ call, expected, received, "to see it again": again });
  const lines = [
    title,
    reason,
    ...counterexample.split("\n"),
    ...shown.map(([what, text]) => (text === undefined ? "" : `${what}: ${text}`)),
  ];
  return lines.filter((line) => line !== "").join("\n  ");
}
