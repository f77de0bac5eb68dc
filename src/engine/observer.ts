// Reports queries that take long to a function of the caller, for logs and metrics.

import { orUndefined } from "../schema/errors.ts";
import { amount, callable, optional, type OptionReaders } from "../schema/options.ts";
import { DeadlineError } from "./algorithms/deadline.ts";
import type { CountQueryPlan } from "./explain/explain-count.ts";
import type { GroupByPlan } from "./explain/explain-group-by.ts";
import type { QueryPlan } from "./explain/explain.ts";
import { attempt, report, type OnError } from "./on-error.ts";

/** A query that has been run. */
export interface QueryReport {
  /** The name of the collection in its database; of a service, `files`, or `batches/` and an id. */
  readonly collection: string | undefined;
  /**
   * What was asked: a query, or an object with the name of another method of collections, such as `{ page: query }`,
   * `{ count: criteria }` or `{ countBy: field, criteria }`; of a service, `{ method, parameters }`.
   */
  readonly query: object;
  /** How it is run, now that it has been run once; `formatPlan` writes it. `undefined` if it can't be explained. */
  readonly plan: QueryPlan | CountQueryPlan | GroupByPlan | undefined;
  /** How long it took. */
  readonly milliseconds: number;
  /** How many records, values, bins or groups it returned; 1 for a count or a summary. */
  readonly rows: number;
  /** The error of a query that was ended at its deadline; `undefined` if it has a result. */
  readonly error: DeadlineError | undefined;
}

/** The options that report queries. */
export interface QueryReportOptions {
  /**
   * Called after each query that took longer than `slowerThan`. Its exceptions and rejections go to `onError` of a
   * database, `onInternalError` of a service, or `console.error`. Cost: that of explaining the reported queries; nothing
   * without this option.
   */
  readonly onQuery?: ((report: QueryReport) => unknown) | undefined;
  /** How many milliseconds a query may take without being reported. Default 0: all are reported. */
  readonly slowerThan?: number | undefined;
}

/** The readers of these options. */
export const observerOptions = {
  onQuery: optional(callable),
  slowerThan: optional(amount, 0),
} satisfies OptionReaders<Record<keyof QueryReportOptions, unknown>>;

export interface Observer {
  readonly onQuery: (report: QueryReport) => unknown;
  readonly slowerThan: number;
  readonly onError: OnError;
}

/** The observer that options ask for, if they do. */
export const observerOf = (
  { onQuery, slowerThan }: { readonly onQuery: Observer["onQuery"] | undefined; readonly slowerThan: number }, // oxfmt-ignore
  onError: OnError,
): Observer | undefined => (onQuery === undefined ? undefined : { onQuery, slowerThan, onError });

/** A query to run, and what its report says. */
export interface Observed<Result> {
  readonly collection: string | undefined;
  readonly query: object;
  readonly run: () => Result;
  readonly rowsOf: (result: Result) => number;
  readonly plan: () => QueryReport["plan"];
}

/** Runs a query, and reports it if it takes long. @throws what the query throws */
export function observed<Result>(
  { onQuery, slowerThan, onError }: Observer,
  { collection, query, run, rowsOf, plan }: Observed<Result>,
): Result {
  const start = performance.now();
  const tell = (rows: number, error?: DeadlineError) => {
    const milliseconds = performance.now() - start;
    if (milliseconds < slowerThan) return;
    const told = { collection, query, plan: orUndefined(plan), milliseconds, rows, error };
    attempt(
      () => onQuery(Object.freeze(told)),
      (thrown) => report(onError, thrown),
    );
  };
  let result: Result;
  try {
    result = run();
  } catch (thrown) {
    if (thrown instanceof DeadlineError) tell(0, thrown);
    throw thrown;
  }
  tell(rowsOf(result));
  return result;
}
