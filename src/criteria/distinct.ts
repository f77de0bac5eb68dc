// Criteria without repetition: equal ones of a group are one, and so are equal groups. It changes no
// answer, and bounds what a request of a thousand equal criteria costs.

import type { ParsedCriteria, ParsedCriterion } from "./parse.ts";

/**
 * The same criteria, each once.
 * Cost: linear in the texts of the criteria; none where there is one.
 */
export function distinct(criteria: ParsedCriteria): ParsedCriteria {
  const { groups } = criteria;
  const [group = []] = groups;
  if (groups.length === 1 && group.length < 2) return criteria;
  const byText = new Map<string, readonly ParsedCriterion[]>();
  for (const group of groups) {
    const members = new Map(group.map((criterion) => [textOf(criterion), criterion]));
    const text = JSON.stringify([...members.keys()].sort());
    if (!byText.has(text)) byText.set(text, [...members.values()]);
  }
  return { groups: [...byText.values()] };
}

function textOf({ field, operator, value }: ParsedCriterion): string {
  return JSON.stringify([field, operator, value]);
}
