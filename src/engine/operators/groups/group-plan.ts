// A plan for the groups of rows. Like a plan for rows, it is data, which names operators; all plans of a query give the
// groups of the rows that the predicate accepts.

import type { Deadline } from "../../algorithms/deadline.ts";
import type { FieldIndex } from "../../indexes/field-index.ts";
import type { Segment } from "../../versions/segment.ts";
import type { SelectedCodes } from "../operator.ts";
import type { Plan } from "../plan.ts";
import type { MeasuredField } from "./measured-field.ts";
import type { Grouping } from "./read-groups.ts";
import type { Tally, Times } from "./tally.ts";

/** A key to group by in a segment. */
export interface SegmentKey {
  readonly field: string;
  /** `undefined`: values are read. */
  readonly index: FieldIndex | undefined;
}

/** The codes of an index that select rows. */
export interface Selected extends SelectedCodes {
  /** The field of the index. */
  readonly field: string | undefined;
}

/** The steps of groups, by path. The file of each operator implements it. */
export interface GroupSteps extends Readonly<Record<GroupPath, object>> {
  /** The rows with some codes of the key's own index. */
  readonly runs: {
    readonly key: SegmentKey;
    readonly codes: SelectedCodes;
    /** How many groups are needed, the first ones in the order of the codes. */
    readonly most: number;
  };
  /** All rows in sequence, or those of them that have codes in each selection; `counts` counts them. */
  readonly all: {
    readonly keys: readonly SegmentKey[];
    readonly selected: readonly Selected[];
    readonly counts: GroupPlan | undefined;
    readonly rows: number;
  };
  /** The rows with some codes of an index, in the order of that index. */
  readonly lookup: {
    readonly keys: readonly SegmentKey[];
    readonly selected: Selected;
    readonly rows: number;
  };
  /** The rows that a plan finds. */
  readonly rows: { readonly keys: readonly SegmentKey[]; readonly plan: Plan };
  /** The groups of one part without those of another. */
  readonly difference: { readonly whole: GroupPlan; readonly without: GroupPlan };
}

/** Spelled out, since users see it: the steps are internal. */
export type GroupPath = "runs" | "all" | "lookup" | "rows" | "difference";

export type GroupStep<Path extends GroupPath = GroupPath> = {
  [P in Path]: { readonly path: P } & GroupSteps[P];
}[Path];

export interface GroupPlan {
  readonly step: GroupStep;
  /** Estimated nanoseconds: an integer. */
  readonly cost: number;
}

/** What rows are grouped by, and what is found of each group. */
export interface GroupTarget {
  readonly tally: Tally;
  /** By key, how its values are numbered. */
  readonly groupings: readonly Grouping[];
  /** The groups of some rows. @param numbers those of each key */
  readonly groupsOf: (numbers: readonly Int32Array[], length: number) => Int32Array;
  /** The fields of the tally's places. */
  readonly measured: readonly MeasuredField[];
}

/** What grouping needs. */
export interface GroupRun extends GroupTarget {
  readonly segment: Segment;
  readonly deadline: Deadline | undefined;
  /** Adds the groups of a part to the tally. @throws DeadlineError */
  readonly add: (part: GroupPlan, times: Times) => void;
  /** Runs a plan. @throws DeadlineError */
  readonly execute: (
    plan: Plan,
    sink: (rows: ArrayLike<number>, from: number, to: number) => void,
  ) => void;
}

/** An operator that groups rows. */
export interface GroupOperator<Path extends GroupPath> {
  /** The description in `explain`. */
  readonly words: string;
  /**
   * Adds the groups to the tally.
   *
   * @param times how often each row counts
   * @throws DeadlineError
   */
  readonly add: (step: GroupStep<Path>, run: GroupRun, times: Times) => void;
}

export const groupsWith = (step: GroupStep, cost: number): GroupPlan => ({
  step,
  cost: Math.round(cost),
});
