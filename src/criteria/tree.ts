// Parsed criteria: a tree of OR, AND and NOT over criteria, in a normal form. Its levels alternate: criteria are a list
// of groups, one of which must hold; a group is a list of parts, all of which must hold; a part is a criterion or,
// again, criteria. By De Morgan's laws NOT occurs only at the leaves, as a criterion with a negated test. The lists of
// the contract are trees with one level.

import { complementOf, type Bounds } from "./bounds.ts";
import type { BoundOperator, OperandValue } from "./operands.ts";
import type { OperatorName } from "./operators.ts";
import type { TextValue } from "../schema/field.ts";
import type { ValueTest } from "./value-test.ts";

/** A valid criterion, its value in normal form. */
export interface ParsedCriterion {
  /** The position in the given list, counting `"OR"` and `"NOT"`, of the criterion or its outermost group. */
  readonly position: number;
  readonly field: string;
  readonly operator: OperatorName;
  readonly value: OperandValue;
  /** Whether it holds exactly where field, operator and value do not (rule C3a). */
  readonly negated: boolean;
  /** Whether the criterion holds for a value of its field. */
  readonly test: ValueTest;
  /** The values for which it holds, as data. */
  readonly bounds: Bounds;
}

/**
 * Valid criteria, in groups. They select a record if at least one group holds. An empty group always holds; without
 * groups, no record is selected. Deeply frozen.
 */
export interface ParsedCriteria {
  readonly groups: readonly CriteriaGroup[];
}

/** Parts that must all hold. */
export type CriteriaGroup = readonly CriteriaPart[];

/** A criterion, or nested criteria with at least two groups, none of which is empty. */
export type CriteriaPart = ParsedCriterion | ParsedCriteria;

export function isNested(part: CriteriaPart): part is ParsedCriteria {
  return "groups" in part;
}

export function isCriterion(part: CriteriaPart): part is ParsedCriterion {
  return !isNested(part);
}

/** The normal form of criteria whose groups may have any parts. */
export function normalized(groups: readonly CriteriaGroup[]): ParsedCriteria {
  if (!groups.some((group) => group.length === 0 || group.some(isNested))) return { groups };
  const some: CriteriaGroup[] = [];
  for (const group of groups) {
    const parts = flattened(group);
    if (parts === undefined) continue;
    const [part] = parts;
    // A group without parts holds for every record, so the others are redundant.
    if (part === undefined) return { groups: [parts] };
    if (parts.length === 1 && isNested(part)) some.push(...part.groups);
    else some.push(parts);
  }
  return { groups: some };
}

/** The parts of a group, with nested single-group criteria flattened; `undefined` if one part can't hold. */
function flattened(group: CriteriaGroup): CriteriaGroup | undefined {
  const parts: CriteriaPart[] = [];
  for (const part of group) {
    if (!isNested(part) || part.groups.length > 1) parts.push(part);
    else if (part.groups[0] === undefined) return undefined;
    else parts.push(...part.groups[0]);
  }
  return parts;
}

/**
 * The criteria that hold exactly where groups of negated parts do not: each group has a part that holds.
 *
 * @param groups the groups of criteria, with each part negated
 */
export function negated(groups: readonly CriteriaGroup[]): ParsedCriteria {
  return normalized([groups.map((group) => normalized(group.map((part) => [part])))]);
}

/** An operator that holds exactly where another one does not. */
export function negatedOperator({ value, test, bounds }: BoundOperator): BoundOperator {
  return { value, test: (given) => !test(given), bounds: complementOf(bounds) };
}

/** The criterion that holds exactly where another one does not. */
export function oppositeOf(criterion: ParsedCriterion): ParsedCriterion {
  return { ...criterion, ...negatedOperator(criterion), negated: !criterion.negated };
}

/** The criteria that hold exactly where others do not. */
export function oppositeCriteria({ groups }: ParsedCriteria): ParsedCriteria {
  return negated(
    groups.map((group) =>
      group.map((part) => (isNested(part) ? oppositeCriteria(part) : oppositeOf(part))),
    ),
  );
}

/** Whether a criterion holds for all values but some. */
export const isNegated = ({ bounds }: ParsedCriterion): boolean =>
  bounds.kind === "complement" || (bounds.kind === "values" && !bounds.inside);

/** All criteria of a tree, from left to right. */
export function criteriaIn(groups: readonly CriteriaGroup[]): readonly ParsedCriterion[] {
  return groups.flatMap((group) =>
    group.flatMap((part) => (isNested(part) ? criteriaIn(part.groups) : part)),
  );
}

/** The criterion, if there is exactly one; `undefined` if there are more, or none. */
export function onlyCriterion(groups: readonly CriteriaGroup[]): ParsedCriterion | undefined {
  const [group] = groups;
  const part = group?.[0];
  if (groups.length !== 1 || group?.length !== 1 || part === undefined) return undefined;
  return isNested(part) ? undefined : part;
}

/** The value that a criterion requires, if it is a single one. */
export function onlyValueOf({ bounds }: ParsedCriterion): TextValue | undefined {
  const isOnly = bounds.kind === "values" && bounds.inside && bounds.values.length === 1;
  return isOnly ? (bounds.values[0] ?? null) : undefined;
}

/** Whether criteria select every record. */
export const selectEveryRecord = ({ groups }: ParsedCriteria): boolean =>
  groups.length === 1 && groups[0]?.length === 0;
