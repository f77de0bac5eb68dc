// Removes duplicate parts of a group, and duplicate groups. This does not change the result; a request with a thousand
// equal criteria costs no more than with one.

import {
  isNested,
  normalized,
  type CriteriaGroup,
  type CriteriaPart,
  type ParsedCriteria,
  type ParsedCriterion,
} from "./tree.ts";

/** Up to this many criteria are compared pairwise, without converting them to strings. */
const FEW = 8;

/**
 * The same criteria without duplicates. Cost: linear in the size of the criteria; negligible for a few different ones.
 */
export function distinct(criteria: ParsedCriteria): ParsedCriteria {
  const { groups } = criteria;
  if (groups.length === 1 && (groups[0]?.length ?? 0) < 2) return criteria;
  const all = groups.length === 1 && groups[0] !== undefined ? groups[0] : groups.flat();
  if (all.length <= FEW && !mayRepeat(all)) return criteria;
  const byText = new Map<string, CriteriaGroup>();
  for (const group of groups) {
    const parts = new Map<string, CriteriaPart>();
    for (const part of group) {
      const once = isNested(part) ? distinct(part) : part;
      const text = isNested(once) ? textOf(once) : textOfCriterion(once);
      if (!parts.has(text)) parts.set(text, once);
    }
    const text = textOfParts(parts.keys());
    if (!byText.has(text)) byText.set(text, [...parts.values()]);
  }
  return normalized([...byText.values()]);
}

/** Whether two criteria have the same field and operator, or parts are nested. */
function mayRepeat(parts: readonly CriteriaPart[]): boolean {
  return parts.some((one, i) => {
    if (isNested(one)) return true;
    for (let j = 0; j < i; j++) {
      const other = parts[j];
      if (other === undefined || isNested(other)) continue;
      if (one.field === other.field && one.operator === other.operator) return true;
    }
    return false;
  });
}

/** A canonical string for criteria: equal if they differ only in the order of parts and groups. */
export function textOf({ groups }: ParsedCriteria): string {
  const texts = groups.map((group) =>
    textOfParts(group.map((part) => (isNested(part) ? textOf(part) : textOfCriterion(part)))),
  );
  // Not as JSON strings: each level of nesting would double the characters needed to escape quotes.
  return `{${texts.sort().join()}}`;
}

const textOfParts = (texts: Iterable<string>) => `[${[...texts].sort().join()}]`;

const textOfCriterion = ({ field, operator, value, negated }: ParsedCriterion) =>
  JSON.stringify(negated ? [field, operator, value, "NOT"] : [field, operator, value]);
