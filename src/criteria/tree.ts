// Parsed criteria: a tree of OR, AND and NOT over criteria, in a normal form. Its levels alternate: criteria are
// groups, of which one must hold; a group is a list of parts, which must all hold; a part is a criterion or, again,
// criteria. By De Morgan's laws NOT is only at the leaves, as a criterion whose test is negated. The lists of the
// contract are trees of one level.

import {
  complementOf,
  type Bounds,
  type BoundOperator,
  type OperandValue,
  type OperatorName,
  type ValueTest,
} from "./operators.ts";
import type { TextValue } from "../schema/field.ts";

/** A valid criterion, its value in normal form. */
export interface ParsedCriterion {
  /** The position in the given list, counting `"OR"` and `"NOT"`, of the criterion or of the group that has it. */
  readonly position: number;
  readonly field: string;
  readonly operator: OperatorName;
  readonly value: OperandValue;
  /** Whether it holds exactly where field, operator and value do not (rule C3a). */
  readonly negated: boolean;
  /** Whether the criterion holds for a value of its field. */
  readonly test: ValueTest;
  /** The same values, in terms of their order. */
  readonly bounds: Bounds;
}

/**
 * Valid criteria, in groups. They select a record if one group holds for it: an empty group does, no group does not.
 * Deeply frozen.
 */
export interface ParsedCriteria {
  readonly groups: readonly CriteriaGroup[];
}

/** Parts that must all hold. */
export type CriteriaGroup = readonly CriteriaPart[];

/** A criterion, or nested criteria: these have at least two groups, and none of them is empty. */
export type CriteriaPart = ParsedCriterion | ParsedCriteria;

export function isNested(part: CriteriaPart): part is ParsedCriteria {
  return "groups" in part;
}

export function isCriterion(part: CriteriaPart): part is ParsedCriterion {
  return !isNested(part);
}

/** Criteria in which each group may have parts of any kind, in normal form. */
export function normalized(groups: readonly CriteriaGroup[]): ParsedCriteria {
  if (!groups.some((group) => group.length === 0 || group.some(isNested))) return { groups };
  const some: CriteriaGroup[] = [];
  for (const group of groups) {
    const parts = flattened(group);
    if (parts === undefined) continue;
    const [part] = parts;
    // A group without parts holds for every record, and the others add nothing.
    if (part === undefined) return { groups: [parts] };
    if (parts.length === 1 && isNested(part)) some.push(...part.groups);
    else some.push(parts);
  }
  return { groups: some };
}

/** The parts of a group, with those of nested criteria that are a single group; `undefined` if no record satisfies one. */
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
 * Exactly the records that groups of negated parts do not select: each group has a part that holds.
 *
 * @param groups those of criteria, each of their parts negated
 */
export function negated(groups: readonly CriteriaGroup[]): ParsedCriteria {
  return normalized([groups.map((group) => normalized(group.map((part) => [part])))]);
}

/** An operator that holds exactly where another does not. */
export function negatedOperator({ value, test, bounds }: BoundOperator): BoundOperator {
  return { value, test: (given) => !test(given), bounds: complementOf(bounds) };
}

/** All criteria of a tree, from left to right. */
export function criteriaIn(groups: readonly CriteriaGroup[]): readonly ParsedCriterion[] {
  return groups.flatMap((group) =>
    group.flatMap((part) => (isNested(part) ? criteriaIn(part.groups) : part)),
  );
}

/** The criterion that criteria consist of; `undefined` if there are others, or none. */
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
