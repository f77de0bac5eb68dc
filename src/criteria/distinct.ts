// Removes duplicate criteria within a group, and duplicate groups. This changes no answer, and limits
// the cost of a request with a thousand equal criteria.

import type { ParsedCriteria, ParsedCriterion } from "./parse.ts";

/** Up to this many criteria are first compared pairwise, before texts are made of them. */
const FEW = 8;

/**
 * The same criteria, each once.
 * Cost: linear in the texts of the criteria; next to none for a few that ask different things.
 */
export function distinct(criteria: ParsedCriteria): ParsedCriteria {
  const { groups } = criteria;
  if (groups.length === 1 && (groups[0]?.length ?? 0) < 2) return criteria;
  const all = groups.length === 1 && groups[0] !== undefined ? groups[0] : groups.flat();
  if (all.length <= FEW && !mayRepeat(all)) return criteria;
  const byText = new Map<string, readonly ParsedCriterion[]>();
  for (const group of groups) {
    const members = new Map(group.map((criterion) => [textOf(criterion), criterion]));
    const text = JSON.stringify([...members.keys()].sort());
    if (!byText.has(text)) byText.set(text, [...members.values()]);
  }
  return { groups: [...byText.values()] };
}

/** Whether two criteria have the same field and operator. */
function mayRepeat(criteria: readonly ParsedCriterion[]): boolean {
  return criteria.some((one, i) => {
    for (let j = 0; j < i; j++) {
      const other = criteria[j];
      if (one.field === other?.field && one.operator === other.operator) return true;
    }
    return false;
  });
}

function textOf({ field, operator, value }: ParsedCriterion): string {
  return JSON.stringify([field, operator, value]);
}
