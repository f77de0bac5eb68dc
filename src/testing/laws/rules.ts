// Which rules of the semantics the laws ask about, and what a check says of each.

import type { ServiceReport } from "./report.ts";

/** The rules of a service with default options, V for values to R for results. */
export const RULES: readonly string[] = Object.entries({ V: 9, C: 13, P: 8, E: 13, R: 2 })
  .flatMap(([letter, last]) => Array.from({ length: last }, (_, i) => `${letter}${i + 1}`))
  // C12 is about predicates, E9 about failures inside, E12 and E14 about options: no question tells.
  .filter((rule) => !["C12", "E9", "E12"].includes(rule));

/** What a check says of a rule. */
export interface RuleReport {
  readonly rule: string;
  /** `"not asked"`: no law about it was run to its end. */
  readonly outcome: "held" | "failed" | "not asked";
  /** The names of the laws about it. */
  readonly laws: readonly string[];
}

/** What a check says of each rule of the semantics, in their order. */
export function rulesOf({ laws }: ServiceReport): RuleReport[] {
  return RULES.map((rule): RuleReport => {
    const about = laws.filter(({ rules }) => rules.includes(rule));
    const is = (outcome: string) => about.some((law) => law.outcome === outcome);
    return {
      rule,
      outcome: is("failed") ? "failed" : is("passed") ? "held" : "not asked",
      laws: about.map(({ name }) => name),
    };
  });
}
