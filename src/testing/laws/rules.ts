// The rules that the laws test, and the outcome of each.

import type { CheckReport } from "./report.ts";

/** The rules of a service with default options, V for values to R for results. */
export const RULES: readonly string[] = Object.entries({ V: 9, C: 13, P: 8, E: 13, R: 2 })
  .flatMap(([letter, last]) => Array.from({ length: last }, (_, i) => `${letter}${i + 1}`))
  // C12 is about predicates, E9 about internal failures, E12 and E14 about options: calls can't
  // test them.
  .filter((rule) => !["C12", "E9", "E12"].includes(rule));

/** The rules of collections that calls can test, including those of custom schemas. */
export const COLLECTION_RULES: readonly string[] = [
  ...[
    "V2",
    "V10",
    "V11",
    "V12",
    "V13",
    "V14",
    "V16",
    "V17",
    "C1",
    "C2",
    "C3",
    "C3a",
    "C4",
    "C5",
    "C6",
    "C7",
    "C8",
  ],
  ...[
    "C10",
    "C11",
    "C13",
    "C14",
    "C15",
    "C16",
    "C17",
    "C19",
    "P1",
    "P2",
    "P3",
    "P4",
    "P5",
    "P6",
    "P9",
    "P10",
    "R1",
    "R2",
    "G1",
    "G2",
    "G3",
  ],
];

/** The rules of databases that calls can test: those of making a collection are not about paths. */
export const DATABASE_RULES: readonly string[] = [
  ...COLLECTION_RULES.filter((rule) => !["V13", "V14"].includes(rule)),
  ...["C20", "C21"],
];

const rulesFor = { service: RULES, collection: COLLECTION_RULES, database: DATABASE_RULES };

/** The rules that also apply to collections. */
export const ofCollections = (rules: readonly string[]): string[] =>
  rules.filter((rule) => COLLECTION_RULES.includes(rule));

/** The outcome of a rule. */
export interface RuleReport {
  readonly rule: string;
  /** `"not asked"`: no law about it finished. */
  readonly outcome: "held" | "failed" | "not asked";
  /** The names of the laws about it. */
  readonly laws: readonly string[];
  /** If no law about it finished: the reason. */
  readonly reason?: string;
}

/** The outcome of each rule of the semantics, in order. */
export function rulesOf({ about: kind, laws }: CheckReport): RuleReport[] {
  return rulesFor[kind].map((rule): RuleReport => {
    const about = laws.filter(({ rules }) => rules.includes(rule));
    const is = (outcome: string) => about.some((law) => law.outcome === outcome);
    const outcome = is("failed") ? "failed" : is("passed") ? "held" : "not asked";
    const reasons = new Set(about.map(({ reason, outcome }) => reason ?? outcome));
    const reason = reasons.size > 0 ? [...reasons].join("; ") : "no law about it was run";
    return {
      rule,
      outcome,
      laws: about.map(({ name }) => name),
      ...(outcome === "not asked" ? { reason } : {}),
    };
  });
}
