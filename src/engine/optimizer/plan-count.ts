// Chooses how to count the rows of a query in a segment: the first rule that applies decides; where there are several
// ways, the cheapest.

import { positiveOf } from "../../criteria/bounds.ts";
import { onlyCriterion, selectEveryRecord } from "../../criteria/tree.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { countOfCodes } from "../operators/counts/codes.ts";
import {
  leavesOf,
  setsOf,
  treeOf,
  type CodeLeaf,
  type CodeTree,
} from "../operators/counts/code-tree.ts";
import { countOfColumns } from "../operators/counts/columns.ts";
import { countOfComplement } from "../operators/counts/complement.ts";
import { countOfCompound } from "../operators/counts/compound.ts";
import type { CountPlan } from "../operators/counts/count-plan.ts";
import { countOfEither } from "../operators/counts/either.ts";
import { knownCount } from "../operators/counts/known.ts";
import { countOfLookup, ROW_IN_ORDER } from "../operators/counts/lookup.ts";
import { countOfRows } from "../operators/counts/rows.ts";
import { countOfShortText } from "../operators/counts/short-text.ts";
import type { Segment } from "../versions/segment.ts";
import { treeOfAll } from "./access.ts";
import { planOf } from "./optimizer.ts";
import { fewRows } from "./rules/few-rows.ts";
import type { Situation } from "./situation.ts";

type CountRule = (situation: Situation) => CountPlan | undefined;

/** @throws DeadlineError */
export function planCount(situation: Situation): CountPlan {
  for (const rule of rules) {
    const plan = rule(situation);
    if (plan !== undefined) return plan;
  }
  throw new RangeError("no rule has a plan");
}

const everyRow: CountRule = ({ segment, query: { criteria } }) =>
  selectEveryRecord(criteria) ? knownCount(segment.live) : undefined;

const byPredicate: CountRule = (situation) => {
  const [plan] = fewRows.plans(situation);
  return plan && countOfRows(plan);
};

const byShortText: CountRule = ({ segment: { indexes, dead, size }, query }) => {
  const criterion = onlyCriterion(query.criteria.groups);
  const bounds = criterion && positiveOf(criterion.bounds);
  if (bounds?.kind !== "substring" || bounds.text.length > 2) return undefined;
  if (dead.count * DEAD_PART > size) return undefined;
  const containing = indexes.of("trigram", criterion!.field, query.deadline)?.countOf(bounds.text);
  return containing === undefined ? undefined : countOfShortText(criterion!, containing, dead);
};

/** Up to one in so many rows that are dead, their values are tested. */
const DEAD_PART = 64;

const byCodes: CountRule = ({ segment, query: { deadline }, accesses }) => {
  const tree = treeOfAll(accesses);
  return tree && countOfTree(segment, tree, deadline);
};

const byRows: CountRule = (situation) => {
  const rows = countOfRows(planOf(situation));
  const [access, ...others] = situation.accesses;
  if (access?.opposite === undefined || others.length > 0) return rows;
  return cheapest([rows, countOfComplement(countOfRows(access.opposite))]);
};

const rules: readonly CountRule[] = [everyRow, byPredicate, byShortText, byCodes, byRows];

/** The cheapest way to count the rows in a tree; `undefined` if a plan for its rows reads less. */
function countOfTree(
  segment: Segment,
  tree: CodeTree,
  deadline: Deadline | undefined,
): CountPlan | undefined {
  switch (tree.path) {
    case "set":
      return countOfCodes(tree);
    case "none": {
      const part = countOfTree(segment, tree.part, deadline);
      return part && countOfComplement(part);
    }
    case "all":
      return countOfAll(segment, tree.parts, deadline);
    case "any":
      return countOfAny(segment, tree.parts, deadline);
  }
}

function countOfAll(
  segment: Segment,
  parts: readonly CodeTree[],
  deadline: Deadline | undefined,
): CountPlan | undefined {
  const tree = treeOf("all", parts);
  const leaves = leavesOf(tree);
  const [least] = parts.filter((part) => part.path === "set").sort((a, b) => a.rows - b.rows);
  const sets = setsOf(tree);
  const { plan: byAll, missing } = sets ? countOfCompound(segment, sets, deadline) : {};
  const plans: [CountPlan, ...CountPlan[]] = [countOfColumns(segment, tree, missing)];
  if (byAll !== undefined) plans.push(byAll);
  if (least !== undefined && least.index.hasOrder && least.rows * ROW_IN_ORDER <= segment.size) {
    // A file is not read completely just for a count.
    if (leaves.some(isInPieces)) return byAll;
    const rest = treeOf(
      "all",
      parts.filter((part) => part !== least),
    );
    plans.push(countOfLookup(least, rest, missing));
  }
  return cheapest(plans);
}

function countOfAny(
  segment: Segment,
  parts: readonly CodeTree[],
  deadline: Deadline | undefined,
): CountPlan | undefined {
  const tree = treeOf("any", parts);
  const leaves = leavesOf(tree);
  if (leaves.some(isInPieces)) return undefined;
  const columns = countOfColumns(segment, tree);
  const [a, b] = parts;
  if (a === undefined || b === undefined || parts.length > 2) return columns;
  const counts = [a, b, treeOf("all", [a, b])].map((part) => countOfTree(segment, part, deadline));
  const [ofA, ofB, ofBoth] = counts;
  if (ofA === undefined || ofB === undefined || ofBoth === undefined) return columns;
  return cheapest([columns, countOfEither(ofA, ofB, ofBoth)]);
}

const isInPieces = ({ index }: CodeLeaf): boolean => index.isInFile && index.isInPieces;

const cheapest = (plans: readonly [CountPlan, ...CountPlan[]]): CountPlan =>
  plans.reduce((best, plan) => (plan.cost < best.cost ? plan : best));
