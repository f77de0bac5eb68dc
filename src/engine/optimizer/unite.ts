// The ways to answer several groups, one of which must hold: by codes, if those of one index answer all groups;
// otherwise by the filters of any group, or by the union of the rows of each.

import type { Deadline } from "../algorithms/deadline.ts";
import type { CriteriaGroup } from "../../criteria/tree.ts";
import { unite } from "../indexes/code-set.ts";
import { keepAny } from "../operators/any.ts";
import { costs } from "../operators/costs.ts";
import { PRESORTED, type FilterPlan, type Plan } from "../operators/plan.ts";
import { treeOf, type CodeTree } from "../operators/counts/code-tree.ts";
import { union } from "../operators/union.ts";
import type { Segment } from "../versions/segment.ts";
import {
  codeAccess,
  complementAccess,
  everyRow,
  groupsOfAll,
  isByCodes,
  treeOfAll,
  type Access,
  type CodeAccess,
} from "./access.ts";
import { planWithCost } from "./cost.ts";

/** Merges groups that are each answered by codes of the same index into one group, by the union of their codes. */
export function uniteByCodes(segment: Segment, groups: readonly Access[][]): Access[][] {
  const united: CodeAccess[][] = [];
  const others: Access[][] = [];
  for (const group of groups) {
    const access = group[0]!;
    if (group.length > 1 || !isByCodes(access)) others.push(group);
    else {
      const same = united.find((accesses) => accesses[0]!.codes.index === access.codes.index);
      if (same === undefined) united.push([access]);
      else same.push(access);
    }
  }
  return [...united.map((same) => [codesOfAny(segment, same)]), ...others];
}

function codesOfAny(segment: Segment, accesses: readonly CodeAccess[]): Access {
  const { index } = accesses[0]!.codes;
  const set = accesses
    .map(({ codes }) => codes.set)
    .reduce((united, each) => unite(united, each, index.values.length));
  const groups = accesses.flatMap((access) => access.groups);
  return codeAccess(segment, groups, index, set);
}

/** The way to answer any of several groups row by row. @param united the ways to answer each of them */
export function anyAccess(
  { size }: Segment,
  groups: readonly CriteriaGroup[],
  united: readonly Access[][],
): Access {
  const alternatives = united.map((accesses) => accesses.flatMap(({ filters }) => filters));
  const none = alternatives.reduce(
    (product, filters) => product * (1 - filters.reduce((all, each) => all * each.selectivity, 1)),
    1,
  );
  return { groups, filters: [keepAny(groups, alternatives, size === 0 ? 0 : 1 - none)] };
}

/** The accesses with those that are complements as one: the complement of the union of their opposites. */
export function complementsAsOne(
  segment: Segment,
  accesses: Access[],
  deadline: Deadline | undefined,
): Access[] {
  const complements = accesses.filter(({ opposite }) => opposite !== undefined);
  if (complements.length < 2) return accesses;
  const parts = complements.flatMap(({ opposite = [] }) => opposite);
  // Only what filters find out about each row helps the next query.
  if (deadline?.isRetry === true && !deadline.hasTimeFor(setUpOf(segment, parts))) {
    return accesses.map((access) =>
      complements.includes(access) ? { groups: access.groups, filters: access.filters } : access,
    );
  }
  const source = union(
    segment,
    parts.flatMap((part) => part.source.step.groups),
    parts,
    setUpOf(segment, parts),
  );
  const united = planWithCost(segment, source, [], everyRow(undefined), PRESORTED);
  const filters = complements.flatMap((access) => access.filters);
  const tree = treeOfAll(complements);
  return [
    ...accesses.filter((access) => !complements.includes(access)),
    complementAccess(segment, groupsOfAll(complements), united, filters, tree),
  ];
}

/** The cost of running the parts of a union. */
const setUpOf = ({ size }: Segment, parts: readonly Plan[]): number =>
  parts.reduce((sum, { cost, rows }) => sum + cost + rows * costs.codeTest, size * costs.bitsetRow);

/**
 * @param united the ways to answer each of the groups
 * @param parts the cheapest plan of each of them
 */
export function unionAccess(
  segment: Segment,
  groups: readonly CriteriaGroup[],
  united: readonly Access[][],
  parts: readonly Plan[],
): Access {
  const { size } = segment;
  const selectivity = 1 - parts.reduce((none, { rows }) => none * (1 - rows / (size || 1)), 1);
  const setUp = setUpOf(segment, parts);
  const alternatives = united.map((accesses) => accesses.flatMap(({ filters }) => filters));
  const filter: FilterPlan = {
    step: { path: "union", parts, groups },
    unbuiltIndexes: [],
    selectivity,
    setUp,
    perRow: costs.codeTest,
    randomAccessCost: 0,
  };
  return {
    groups,
    filters: [keepAny(groups, alternatives, selectivity)],
    tree: treeOfAny(united),
    setFilter: filter,
    source: () => union(segment, groups, parts, setUp),
  };
}

/** The rows of any of some groups, if indexes answer all of these by codes. */
function treeOfAny(united: readonly Access[][]): CodeTree | undefined {
  const trees: CodeTree[] = [];
  for (const accesses of united) {
    const tree = treeOfAll(accesses);
    if (tree === undefined) return undefined;
    trees.push(tree);
  }
  return treeOf("any", trees);
}
