// What an operator is: one way to produce rows, or to keep some of them. A plan is data (plan.ts); its steps name
// operators, and table.ts lists all of them. The file of an operator says what its step needs, what it costs, how it is
// opened, and how explain words it. Rules of the optimizer propose it.

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
  /** Runs the parts of a union: the rows of all of them, as a set. */
  unite(parts: readonly Plan[]): Bitset;
}

/** Rows in an array, from one position up to another. */
export interface List {
  readonly rows: ArrayLike<number>;
  readonly from: number;
  readonly to: number;
}

/** All of some rows as a list. */
export const listOfAll = (rows: ArrayLike<number>): List => ({ rows, from: 0, to: rows.length });

/** Some codes of an index. */
export interface SelectedCodes {
  readonly index: FieldIndex;
  readonly set: CodeSet;
}

interface AnySource<Path extends SourcePath> {
  /** How explain words it. */
  readonly words: string;
  /** The field whose index it reads. */
  readonly field?: (step: SourceStep<Path>) => string | undefined;
  /** Whether it may produce dead rows. */
  readonly mayEmitDeadRows?: true;
  /** Whether it may have fewer rows than its plan says, even if none is filtered. */
  readonly isEstimated?: true;
  /**
   * The codes whose live rows are all its live rows: counts of a field then read no row.
   *
   * @param anyIndex an index of any field, for a source that has every row
   */
  readonly codes?: (step: SourceStep<Path>, anyIndex: FieldIndex) => SelectedCodes;
}

/** A source that produces batches of rows; of few rows perhaps a list. */
interface BatchOperator<Path extends SourcePath> extends AnySource<Path> {
  readonly list?: ListRows<Path>;
  /** @throws DeadlineError */
  readonly open: (step: SourceStep<Path>, opening: Opening) => Source;
}

/** A source of few rows, or of rows already in an array. */
interface ListOperator<Path extends SourcePath> extends AnySource<Path> {
  readonly list: (...given: Parameters<ListRows<Path>>) => List;
  readonly open?: undefined;
}

/**
 * The rows as a list; `undefined` if they come in batches.
 *
 * @param wanted how many rows are needed at most
 * @throws DeadlineError
 */
type ListRows<Path extends SourcePath> = (
  step: SourceStep<Path>,
  segment: Segment,
  wanted: number,
  deadline: Deadline | undefined,
) => List | undefined;

/** An operator that produces rows. */
export type SourceOperator<Path extends SourcePath> = BatchOperator<Path> | ListOperator<Path>;

/** @throws DeadlineError */
export type OpenFilter = (step: FilterStep, opening: Opening, scatteredRows: number) => Filter;

/** An operator that keeps some of the rows of a batch. */
export interface FilterOperator<Path extends FilterPath> {
  /** How explain words it. */
  readonly words: string;
  /**
   * @param scatteredRows how many rows from all over the collection it will check
   * @param openFilter opens the filters that it consists of
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

/** The field that a step names. */
export const ownField = ({ field }: { readonly field: string }) => field;
