// One way to answer some criteria: where rows come from, and the filters that do the same for rows from another source.

import type { Deadline } from "../algorithms/deadline.ts";
import {
  criteriaIn,
  isNegated,
  onlyCriterion,
  type CriteriaGroup,
  type ParsedCriterion,
} from "../../criteria/tree.ts";
import { onlyRange, type CodeSet } from "../indexes/code-set.ts";
import { keepAfter, scanAfter } from "../operators/after.ts";
import { rowsOfCodes } from "../operators/bitmap-scan.ts";
import { complementOfPlan, removePlan } from "../operators/complement.ts";
import { costs } from "../operators/costs.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import type { IndexName } from "../indexes/index-names.ts";
import { treeOf, type CodeTree } from "../operators/counts/code-tree.ts";
import type { SelectedCodes } from "../operators/operator.ts";
import { type FilterPlan, type Paging, type Plan, type SourcePlan } from "../operators/plan.ts";
import { rowsOfSet } from "../operators/row-set.ts";
import { isSearch, RowSet, textOf, type Search } from "../cache/search.ts";
import { UNLIMITED } from "../query.ts";
import type { Segment } from "../versions/segment.ts";

/** One way to answer some criteria on one field together. */
export interface Access {
  /** At least one of the groups must hold completely. */
  readonly groups: readonly CriteriaGroup[];
  /** Keep the rows of another source that satisfy the criteria. */
  readonly filters: readonly FilterPlan[];
  /** An equivalent filter that makes the set of all such rows first, for rows read in an order. */
  readonly setFilter?: FilterPlan | undefined;
  /** The rows that may satisfy the criteria. */
  readonly source?: (() => SourcePlan) | undefined;
  /** The filters that the rows of `source` have yet to pass. Default: none. */
  readonly verifying?: readonly FilterPlan[] | undefined;
  /** The codes of the values that satisfy the criteria. */
  readonly codes?: Selection | undefined;
  /** The same rows by codes of several indexes, for counts. */
  readonly tree?: CodeTree | undefined;
  /** The plan of the rows that do not satisfy the criteria, if it is known how to find them. */
  readonly opposite?: Plan | undefined;
}

export type CodeAccess = Access & { readonly codes: Selection };

/** Some codes of an index, and how many rows have them. */
export interface Selection extends SelectedCodes {
  readonly rows: number;
}

/**
 * The assumed share of rows that a criterion selects, if no index gives it; for a negated criterion, one minus this.
 */
const GUESS = 0.1;

export const guessOf = (criterion: ParsedCriterion): number =>
  isNegated(criterion) ? 1 - GUESS : GUESS;

/** The minimum number of rows that any access leaves, as far as indexes give it. */
export const rowsLeft = ({ size }: Segment, accesses: readonly Access[], rows = size): number =>
  accesses.reduce((least, { codes, setFilter }) => {
    const left = codes?.rows ?? (setFilter ? setFilter.selectivity * size : least);
    return Math.min(least, left);
  }, rows);

/** The way to select the rows that a plan does not. @param filters the same row by row @param tree the same by codes */
export function complementAccess(
  segment: Segment,
  groups: readonly CriteriaGroup[],
  opposite: Plan,
  filters: readonly FilterPlan[],
  tree?: CodeTree,
): Access {
  return {
    groups,
    filters,
    tree,
    setFilter: removePlan(segment, groups, opposite),
    source: () => complementOfPlan(segment, groups, opposite),
    opposite,
  };
}

/** No page, but every row. */
export const everyRow = (deadline: Deadline | undefined): Paging => ({
  sort: undefined,
  offset: 0,
  limit: UNLIMITED,
  afterKey: -1,
  deadline,
});

/** The cached rows of a search. */
export function keptRows(
  { cache, rows, size }: Segment,
  groups: readonly CriteriaGroup[],
): SourcePlan | undefined {
  const search = onlySearch({ groups });
  if (search === undefined) return undefined;
  const set = cache.get(RowSet, rows, search.field, textOf(search));
  return set && rowsOfSet(size, [[search]], set);
}

/** Answers criteria by codes of an index. */
export function codeAccess(
  segment: Segment,
  groups: readonly CriteriaGroup[],
  index: FieldIndex,
  set: CodeSet,
  rows = index.count(set),
): Access {
  const codes: Selection = { index, set, rows };
  const source = () => rowsOfCodes(segment, groups, codes);
  return { groups, codes, filters: [codePlan(segment, groups, codes)], source };
}

function codePlan(
  segment: Segment,
  groups: readonly CriteriaGroup[],
  { index, set, rows }: Selection,
): FilterPlan {
  return {
    step: { path: "codes", index, groups, set, rows },
    unbuiltIndexes: [],
    selectivity: rows / Math.max(1, segment.size),
    setUp: onlyRange(set) === undefined ? index.values.length * costs.bitsetRow : 0,
    perRow: costs.codeTest,
    randomAccessCost: 0,
  };
}

export function testAccess(
  criterion: ParsedCriterion,
  unbuilt: IndexName | undefined,
  {
    share = guessOf(criterion),
    index,
  }: { readonly share?: number; readonly index?: FieldIndex } = {},
): Access {
  const filter = testPlan(criterion, share, unbuilt, index);
  return { groups: [[criterion]], filters: [filter] };
}

export function testPlan(
  criterion: ParsedCriterion,
  selectivity: number,
  unbuilt: IndexName | undefined,
  searched?: FieldIndex,
): FilterPlan {
  return {
    step: { path: "test", groups: [[criterion]], criterion, searched },
    unbuiltIndexes: unbuilt === undefined ? [] : [unbuilt],
    selectivity,
    setUp: 0,
    perRow: costs.valueTest,
    randomAccessCost: costs.scatteredTest,
  };
}

/** Skips the rows before a page that begins after a key. */
export function afterAccess(segment: Segment, key: number): Access {
  return {
    groups: [[]],
    filters: [keepAfter(segment, key)],
    source: () => scanAfter(segment, key),
  };
}

/** The search in groups of criteria, if they contain nothing else. */
export function onlySearch({ groups }: Pick<Access, "groups">): Search | undefined {
  const criterion = onlyCriterion(groups);
  return criterion !== undefined && isSearch(criterion) ? criterion : undefined;
}

export function isByCodes(access: Access): access is CodeAccess {
  return access.codes !== undefined;
}

/** The criteria of accesses that must all hold, as groups. */
export function groupsOfAll(accesses: readonly Access[]): readonly CriteriaGroup[] {
  const [only] = accesses;
  if (only !== undefined && accesses.length === 1) return only.groups;
  return [accesses.flatMap(({ groups }) => (groups.length === 1 ? groups[0]! : [{ groups }]))];
}

/** The rows that satisfy all of some accesses, if indexes answer these by codes. @param accesses at least one */
export function treeOfAll(accesses: readonly Access[]): CodeTree | undefined {
  const trees: CodeTree[] = [];
  for (const { codes, tree, groups } of accesses) {
    const criterion = criteriaIn(groups)[0];
    if (codes !== undefined && criterion !== undefined) {
      trees.push({ path: "set", field: criterion.field, ...codes });
    } else if (tree !== undefined) trees.push(tree);
    else return undefined;
  }
  return treeOf("all", trees);
}

/** The filters of all accesses, or of all except the source. */
export function filtersOf(accesses: readonly Access[], source?: Access): FilterPlan[] {
  const filters: FilterPlan[] = [];
  for (const access of accesses) if (access !== source) filters.push(...access.filters);
  return filters;
}

/** The same with sets instead of filters where that is possible; `undefined` if it is nowhere. */
export function setFiltersOf(
  accesses: readonly Access[],
  source?: Access,
): FilterPlan[] | undefined {
  const isBySet = ({ setFilter }: Access) => setFilter !== undefined;
  if (!accesses.some((access) => access !== source && isBySet(access))) return undefined;
  return accesses.flatMap((access) =>
    access === source ? [] : access.setFilter === undefined ? access.filters : [access.setFilter],
  );
}
