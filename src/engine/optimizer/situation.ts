// The input of the rules: a query of a segment, and what the indexes provide for its criteria and its order. Everything
// is computed once, when a rule first reads it, since requesting an index may build it.

import {
  criteriaIn,
  isCriterion,
  isNegated,
  isNested,
  oppositeCriteria,
  type CriteriaGroup,
} from "../../criteria/tree.ts";
import type { DecidedRows } from "../operators/decided.ts";
import { onlyRange } from "../indexes/code-set.ts";
import { CompoundPositions } from "../indexes/compound-index.ts";
import { setsOf } from "../operators/counts/code-tree.ts";
import { compoundOf } from "../operators/counts/compound.ts";
import { PRESORTED, type IndexOrder, type OrderStep, type Plan } from "../operators/plan.ts";
import type { ParsedQuery } from "../query.ts";
import { tuning } from "../tuning.ts";
import type { Segment } from "../versions/segment.ts";
import {
  afterAccess,
  complementAccess,
  everyRow,
  groupsOfAll,
  rowsLeft,
  treeOfAll,
  type Access,
} from "./access.ts";
import { accessesOf } from "./accesses.ts";
import { anyAccess, complementsAsOne, unionAccess, uniteByCodes } from "./unite.ts";

/** The criteria of a group in relation to an index to be read in order. */
export interface InOrder {
  readonly order: IndexOrder;
  /** The criteria on the index's own field, if they select a range of it: only this range has to be read. */
  readonly restricting: Access | undefined;
  /** The positions of the rows that satisfy the other criteria, if there is an index of both fields. */
  readonly selected: CompoundPositions | undefined;
}

export class Situation {
  readonly segment: Segment;
  /** For a part of a query, its criteria are those of the part. */
  readonly query: ParsedQuery;
  /** What earlier, late queries with the same criteria found out. */
  readonly decided: DecidedRows | undefined;
  /** Chooses the plan of a part. */
  readonly #plan: (part: Situation) => Plan;
  #accesses: Access[] | undefined;
  #order: OrderStep | undefined;
  #inOrder: InOrder | undefined;
  #isInOrderKnown = false;

  /**
   * @param plan gives the cheapest plan of a part of the query
   * @param accesses the ways to answer the criteria, if known
   * @param decided what earlier, late queries with the same criteria found out
   */
  constructor(
    segment: Segment,
    query: ParsedQuery,
    plan: (part: Situation) => Plan,
    accesses?: Access[],
    decided?: DecidedRows,
  ) {
    this.segment = segment;
    this.query = query;
    this.#plan = plan;
    this.#accesses = accesses;
    this.decided = decided;
  }

  /** The ways to answer the criteria, all of which must hold. @throws DeadlineError */
  get accesses(): readonly Access[] {
    if (this.#accesses === undefined) {
      const { segment, query } = this;
      this.#accesses = this.#accessesOf(query);
      if (query.afterKey >= 0) this.#accesses.push(afterAccess(segment, query.afterKey));
    }
    return this.#accesses;
  }

  /** How rows read in insertion order are sorted into the order of the page. @throws DeadlineError */
  get order(): OrderStep {
    return (this.#order ??= orderOf(this.segment, this.query));
  }

  /** The criteria in relation to the index of the order, if there is one. @throws DeadlineError */
  get inOrder(): InOrder | undefined {
    if (!this.#isInOrderKnown) {
      const { accesses, order } = this;
      if (order.path === "select") {
        this.#inOrder = inOrderOf(this.segment, accesses, order, this.query);
      }
      this.#isInOrderKnown = true;
    }
    return this.#inOrder;
  }

  /** The same order, with the missing compound index if there is one. @throws DeadlineError */
  get pageOrder(): OrderStep {
    return this.inOrder?.order ?? this.order;
  }

  #accessesOf(query: ParsedQuery): Access[] {
    const { groups } = query.criteria;
    const [group] = groups;
    if (group === undefined || groups.length > 1) return [this.#anyOf(groups)];
    const nested = group.filter(isNested).map((part) => this.#anyOf(part.groups));
    const rows = rowsLeft(this.segment, nested);
    const own = accessesOf(this.segment, group.filter(isCriterion), query, rows);
    return complementsAsOne(this.segment, [...own, ...nested], query.deadline);
  }

  /** The way to answer groups, one of which must hold. */
  #anyOf(groups: readonly CriteriaGroup[]): Access {
    const { segment, query } = this;
    const all = (some: readonly CriteriaGroup[]) => everyRowOf(query, some);
    const united = uniteByCodes(
      segment,
      groups.map((group) => this.#accessesOf(all([group]))),
    );
    const [only] = united;
    if (united.length === 1 && only?.length === 1 && only[0] !== undefined) return only[0];
    // Only what filters find out about each row helps the next query.
    if (query.deadline?.isRetry === true) return anyAccess(segment, groups, united);
    if (criteriaIn(groups).every(isNegated)) {
      const others = all(oppositeCriteria({ groups }).groups);
      const opposite = new Situation(segment, others, this.#plan);
      const part = treeOfAll(opposite.accesses);
      const { filters } = anyAccess(segment, groups, united);
      const tree = part && ({ path: "none", part } as const);
      return complementAccess(segment, groups, this.#plan(opposite), filters, tree);
    }
    const parts = united.map((accesses) =>
      this.#plan(new Situation(segment, all(groupsOfAll(accesses)), this.#plan, accesses)),
    );
    return unionAccess(segment, groups, united, parts);
  }
}

const everyRowOf = ({ deadline }: ParsedQuery, groups: readonly CriteriaGroup[]): ParsedQuery => ({
  criteria: { groups },
  ...everyRow(deadline),
  select: undefined,
});

/** @throws DeadlineError */
function inOrderOf(
  { indexes }: Segment,
  accesses: readonly Access[],
  order: IndexOrder,
  { deadline }: ParsedQuery,
): InOrder {
  const { index } = order;
  const restricting = accesses.find(
    ({ codes }) => codes?.index === index && onlyRange(codes.set) !== undefined,
  );
  const others = accesses.filter((access) => access !== restricting);
  const tree = others.length === 0 ? undefined : treeOfAll(others);
  const sets = tree && setsOf(tree);
  const compound = sets && compoundOf(sets, order, tuning.fewRanges);
  if (compound === undefined) return { order, restricting, selected: undefined };
  const { name, ranges } = compound;
  const found = indexes.of("compound", name, deadline);
  if (found === undefined) {
    return { order: { ...order, missing: name }, restricting, selected: undefined };
  }
  return { order, restricting, selected: new CompoundPositions(found, ranges) };
}

/** How rows read in insertion order are sorted into the order of a page. */
function orderOf(segment: Segment, { sort, deadline }: ParsedQuery): OrderStep {
  if (sort === undefined) return PRESORTED;
  const { field } = sort;
  const descending = sort.order === "DESC";
  const index = segment.ordered(field, deadline);
  if (index !== undefined) return { path: "select", field, descending, index, missing: undefined };
  return { path: "sort", field, descending };
}
