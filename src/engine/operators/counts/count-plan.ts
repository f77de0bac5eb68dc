// A plan for a number of rows. Like a plan for rows, it is data, which names operators; all plans of a query give the
// number of rows that the predicate accepts.

import type { ParsedCriterion } from "../../../criteria/tree.ts";
import type { Deadline } from "../../algorithms/deadline.ts";
import type { CodeRanges } from "../../indexes/code-set.ts";
import type { CompoundIndex } from "../../indexes/compound-index.ts";
import type { Segment } from "../../versions/segment.ts";
import type { Plan } from "../plan.ts";
import type { CodeLeaf, CodeTree } from "./code-tree.ts";

/** The steps of counts, by path. The file of each operator implements it. */
export interface CountSteps extends Readonly<Record<CountPath, object>> {
  /** A number that is known without looking at a row. */
  readonly known: { readonly rows: number };
  /** The rows with some codes. */
  readonly codes: { readonly leaf: CodeLeaf };
  /** The rows that contain a string of one or two characters, or do not: an index has counted them. */
  readonly "short-text": { readonly criterion: ParsedCriterion; readonly containing: number };
  /** The rows with some codes of several indexes, by an index of all. */
  readonly compound: {
    readonly index: CompoundIndex;
    readonly leaves: readonly CodeLeaf[];
    /** The leaf in whose order the index is, and its codes. */
    readonly by: CodeLeaf;
    readonly others: CodeRanges;
    /** The numbers that stand for the codes of the others. */
    readonly ranges: CodeRanges;
  };
  /** The rows of a leaf, whose codes in the other indexes are looked up. */
  readonly lookup: {
    readonly leaf: CodeLeaf;
    readonly others: CodeTree;
    /** The compound index that would have avoided it. */
    readonly missing: string | undefined;
  };
  /** The rows in a tree: the codes of all rows are read. */
  readonly columns: { readonly tree: CodeTree; readonly missing: string | undefined };
  /** The rows in either of two trees: both are counted, and what is in both is subtracted. */
  readonly either: { readonly parts: readonly [CountPlan, CountPlan]; readonly both: CountPlan };
  /** The live rows that are not in a part. */
  readonly complement: { readonly part: CountPlan };
  /** The rows that a plan finds. */
  readonly rows: { readonly plan: Plan };
}

/** Spelled out, since users see it: the steps are internal. */
export type CountPath =
  | "known"
  | "codes"
  | "short-text"
  | "compound"
  | "lookup"
  | "columns"
  | "either"
  | "complement"
  | "rows";

export type CountStep<Path extends CountPath = CountPath> = {
  [P in Path]: { readonly path: P } & CountSteps[P];
}[Path];

export interface CountPlan {
  readonly step: CountStep;
  /** Estimated nanoseconds: an integer. */
  readonly cost: number;
}

/** What counting needs. */
export interface Counting {
  readonly segment: Segment;
  readonly deadline: Deadline | undefined;
  /** @throws DeadlineError */
  readonly count: (plan: CountPlan) => number;
  /** Runs a plan, and returns how many rows it finds. @throws DeadlineError */
  readonly countRows: (plan: Plan) => number;
}

/** An operator that counts rows. */
export interface CountOperator<Path extends CountPath> {
  /** The description in `explain`. */
  readonly words: string;
  /** @throws DeadlineError */
  readonly count: (step: CountStep<Path>, counting: Counting) => number;
}

export const countWith = (step: CountStep, cost: number): CountPlan => ({
  step,
  cost: Math.round(cost),
});
