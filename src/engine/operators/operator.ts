// An operator is one way to produce rows, or to keep some of them. A plan is data (plan.ts) whose steps name operators;
// table.ts lists all operators. The file of an operator defines what its step needs, what it costs, how it is opened,
// and how `explain` describes it. The rules of the optimizer propose it.

import { criteriaIn } from "../../criteria/tree.ts";
import type { Bitset } from "../algorithms/bitset.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { CodeSet } from "../indexes/code-set.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import type { Segment } from "../versions/segment.ts";
import type { Filter } from "./filter.ts";
import type { FilterPath, FilterStep, Plan, SourcePath, SourceStep } from "./plan.ts";
import type { Source } from "./source.ts";

/** What opening a step needs. */
export interface Opening {
  readonly segment: Segment;
  readonly deadline: Deadline | undefined;
  /** Runs the parts of a union or a complement; returns the rows of all of them, as a set. */
  unite(parts: readonly Plan[]): Bitset;
}

/** Rows in an array, from one position up to another. */
export interface List {
  readonly rows: ArrayLike<number>;
  readonly from: number;
  readonly to: number;
}

/** All rows of an array as a list. */
export const listOfAll = (rows: ArrayLike<number>): List => ({ rows, from: 0, to: rows.length });

/** Some codes of an index. */
export interface SelectedCodes {
  readonly index: FieldIndex;
  readonly set: CodeSet;
}

interface AnySource<Path extends SourcePath> {
  /** The description in `explain`. */
  readonly words: string;
  /** The field whose index it reads. */
  readonly field?: (step: SourceStep<Path>) => string | undefined;
  /** Whether it may produce dead rows. */
  readonly mayEmitDeadRows?: true;
  /** Whether it may have fewer rows than its plan says, even if none is filtered out. */
  readonly isEstimated?: true;
  /**
   * The codes whose live rows are exactly its live rows, so that counts of a field read no row.
   *
   * @param anyIndex an index of any field, for a source that has every row
   */
  readonly codes?: (
    step: SourceStep<Path>,
    anyIndex: FieldIndex | undefined,
  ) => SelectedCodes | undefined;
}

/** A source that produces rows in batches; if there are few rows, perhaps as a list. */
interface BatchOperator<Path extends SourcePath> extends AnySource<Path> {
  readonly list?: ListRows<Path>;
  /** @throws DeadlineError */
  readonly open: (step: SourceStep<Path>, opening: Opening) => Source;
}

/** A source of few rows, or of rows that are already in an array. */
interface ListOperator<Path extends SourcePath> extends AnySource<Path> {
  readonly list: (...given: Parameters<ListRows<Path>>) => List;
  readonly open?: undefined;
}

/**
 * The rows as a list; `undefined` if they come in batches.
 *
 * @param needed how many rows are needed at most
 * @throws DeadlineError
 */
type ListRows<Path extends SourcePath> = (
  step: SourceStep<Path>,
  segment: Segment,
  needed: number,
  deadline: Deadline | undefined,
) => List | undefined;

/** An operator that produces rows. */
export type SourceOperator<Path extends SourcePath> = BatchOperator<Path> | ListOperator<Path>;

/** @throws DeadlineError */
export type OpenFilter = (step: FilterStep, opening: Opening, scatteredRows: number) => Filter;

/** An operator that keeps some of the rows of a batch. */
export interface FilterOperator<Path extends FilterPath> {
  /** The description in `explain`. */
  readonly words: string;
  /**
   * @param scatteredRows how many rows from all over the collection it will check
   * @param openFilter opens the filters it consists of
   * @throws DeadlineError
   */
  readonly open: (
    step: FilterStep<Path>,
    opening: Opening,
    scatteredRows: number,
    openFilter: OpenFilter,
  ) => Filter;
}

/** The field of the first criterion that a step answers. */
export const firstField = ({ groups }: SourceStep) => criteriaIn(groups)[0]?.field;

/** The field named in a step. */
export const ownField = ({ field }: { readonly field: string }) => field;
